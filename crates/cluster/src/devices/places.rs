//! Which parts of a device are read to see whether it is empty: its ends, where known formats keep copies, and probes. The size alone
//! says where, so that a second try sees what the first one saw.

use model::Bytes;
use model::workload::{GIB, KIB, MIB};
use std::ops::Range;

const TIB: Bytes = 1024 * GIB;

/// Read whole at either end: labels of nearly every format, and a partition that begins at 1 MiB.
const EDGE: Bytes = 64 * MIB;
/// A device up to this size is read whole.
const WHOLE: Bytes = 256 * MIB;
/// How much is read at once.
const CHUNK: Bytes = MIB;
/// A label and what follows it; btrfs has its first one 64 KiB behind its beginning.
const LABEL: Bytes = 128 * KIB;
/// How far the beginning of an allocation group of XFS may lie from the even share of the device.
const AROUND: Bytes = 512 * KIB;
/// At most this much of the beginning is read, if it can be read quickly.
const BEGINNING: Bytes = GIB;
/// Probes of one round, evenly spread over the device: on a hard disk 4096 short seeks take about half a minute.
const PROBES: Bytes = 4096;
/// At most this many rounds of probes, where a round takes hardly any time. A power of two, so that all probes lie evenly again.
pub const ROUNDS: u32 = 16;
const PROBE: Bytes = 16 * KIB;
/// Direct reads begin and end at multiples of this.
pub const ALIGN: Bytes = 4096;

/// In the order in which they tell most: ends, known places, the first round of probes. Places are sorted within each.
pub fn of(bytes: Bytes) -> Vec<Vec<Range<Bytes>>> {
    if bytes <= WHOLE {
        return vec![chunks(0..bytes)];
    }
    let within = |place: &Range<Bytes>| place.start < bytes;
    let cut = |place: Range<Bytes>| {
        let start = place.start / ALIGN * ALIGN;
        start..place.end.min(bytes).min(start + CHUNK)
    };
    let mut known: Vec<Range<Bytes>> = copies(bytes).into_iter().map(cut).filter(within).collect();
    known.sort_by_key(|place| place.start);
    known.dedup();
    vec![chunks(0..EDGE), chunks((bytes - EDGE) / ALIGN * ALIGN..bytes), known, probes(bytes, 0)]
}

fn chunks(range: Range<Bytes>) -> Vec<Range<Bytes>> {
    let end = range.end;
    range.step_by(CHUNK as usize).map(|start| start..(start + CHUNK).min(end)).collect()
}

/// What lies behind the part of the beginning that is always read, piece by piece.
pub fn beginning(bytes: Bytes) -> Vec<Vec<Range<Bytes>>> {
    let end = BEGINNING.min(bytes);
    (EDGE..end).step_by(EDGE as usize).map(|start| chunks(start..(start + EDGE).min(end))).collect()
}

/// One in each of equal parts; of each further round in the middle of what the rounds before it left.
pub fn probes(bytes: Bytes, round: u32) -> Vec<Range<Bytes>> {
    // Where nothing begins: known places are round numbers. And the bits of the round's number, mirrored (van der Corput's sequence).
    let within = (0.618_034 + f64::from(round.reverse_bits()) / 2f64.powi(32)).fract();
    let probe = |number: Bytes| {
        let start = (((number as f64 + within) / PROBES as f64 * bytes as f64) as Bytes).min(bytes - PROBE);
        let start = start / ALIGN * ALIGN;
        start..start + PROBE
    };
    (0..PROBES).map(probe).collect()
}

/// Data of this length, in one piece, is always met by the probes of `rounds` rounds.
pub fn piece(bytes: Bytes, rounds: u32) -> Bytes {
    // A probe begins at most a block earlier than it should.
    bytes.div_ceil(PROBES * u64::from(rounds)) + 2 * ALIGN
}

fn copies(bytes: Bytes) -> Vec<Range<Bytes>> {
    let label = |place: Bytes| place..place + LABEL;
    let all = [round_places(bytes), bluestore(), partitions(), volumes(), ext_backups(bytes)];
    let shares = shares(bytes).into_iter().map(|place| place.saturating_sub(AROUND)..place + AROUND);
    all.into_iter().flatten().map(label).chain(shares).collect()
}

/// Powers of two (btrfs: 64 MiB, 256 GiB, 1 PiB; OCFS2: 1, 4, 16, … GiB), of ten, and each TiB (allocation groups of a large
/// XFS).
fn round_places(bytes: Bytes) -> Vec<Bytes> {
    let twos = (20..60).map(|power| 1 << power);
    let tens = (6..18).map(|power| 10u64.pow(power));
    let tebibytes = (1..=(bytes / TIB).min(1024)).map(|number| number * TIB);
    twos.chain(tens).chain(tebibytes).collect()
}

/// BlueStore's own (BDEV_LABEL_POSITIONS in src/os/bluestore/bluestore_common.h).
fn bluestore() -> Vec<Bytes> {
    [1, 10, 100, 1000].map(|number| number * GIB).to_vec()
}

/// Where partitions usually begin that lie behind another one: their table may be gone.
fn partitions() -> Vec<Bytes> {
    const MEBIBYTES: [Bytes; 24] = [
        100, 128, 200, 256, 260, 300, 500, 512, 550, 600, 1000, 1024, 2048, 4096, 5120, 8192, 10240, 16384, 20480,
        30720, 32768, 51200, 102_400, 512_000,
    ];
    MEBIBYTES.into_iter().flat_map(|number| [number * MIB, (number + 1) * MIB]).collect()
}

/// Where logical volumes of LVM usually begin, whose label may be gone: an extent has 4 MiB, and the first one begins at 1 MiB.
fn volumes() -> Vec<Bytes> {
    const EXTENT: Bytes = 4 * MIB;
    let extents = (0..24).map(|power| EXTENT << power);
    let gibibytes = (1..=64)
        .chain([80, 96, 100, 120, 128, 150, 200, 250, 256, 300, 400, 500, 512, 1000])
        .map(|number| number * GIB);
    extents.chain(gibibytes).map(|before| MIB + before).collect()
}

/// Superblock copies of ext2/3/4: in group 1, in the powers of 3, 5 and 7, and in the last one, for each size of block
/// (Documentation/filesystems/ext4/overview.rst and blockgroup.rst).
fn ext_backups(bytes: Bytes) -> Vec<Bytes> {
    let mut places = Vec::new();
    for block in [KIB, 2 * KIB, 4 * KIB, 64 * KIB] {
        let group = 8 * block * block;
        // Blocks of 1 KiB begin to count behind the boot block.
        let first = if block == KIB { KIB } else { 0 };
        let mut groups = vec![1, (bytes.saturating_sub(1)) / group];
        for base in [3u64, 5, 7] {
            let powers = std::iter::successors(Some(base), |power| power.checked_mul(base));
            groups.extend(powers.take_while(|number| number.saturating_mul(group) < bytes));
        }
        places.extend(groups.into_iter().map(|number| number * group + first));
    }
    places
}

/// XFS divides a device into 4, 16, 32 groups, or as many as there are processors; NTFS has a copy in the middle.
fn shares(bytes: Bytes) -> Vec<Bytes> {
    let all = [2, 3, 4, 5, 6, 8, 16, 32].into_iter().flat_map(|parts| (1..parts).map(move |part| (part, parts)));
    let first = (2..=256).map(|parts| (1, parts));
    all.chain(first).map(|(part, parts)| bytes / parts * part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reads(bytes: Bytes, at: Bytes) -> bool {
        of(bytes)[..3].iter().flatten().any(|place| place.contains(&at))
    }

    #[test]
    fn all_places_where_copies_lie_are_read() {
        let disk = 16 * TIB;
        let mut places: Vec<Bytes> = [1, 10, 100, 1000].map(|number| number * GIB).to_vec();
        places.extend([0, 15 * MIB, 64 * MIB, 256 * GIB, TIB, 3 * TIB, disk - 1, disk - 15 * MIB, disk / 2]);
        places.extend([8193 * KIB, 3 * 8192 * KIB + KIB, 128 * MIB, 27 * 128 * MIB, 125 * 128 * MIB, 343 * 128 * MIB]);
        // LVM: the first extent, the 64th, and behind volumes of 20 GiB and 4 TiB.
        places.extend([MIB, 257 * MIB, 20 * GIB + MIB, 4 * TIB + MIB]);
        for place in places {
            assert!(reads(disk, place), "{place}");
        }
        // Groups of XFS: of a fourth of the blocks each, rounded up.
        let disk: Bytes = 1_000_204_886_016;
        let group = (disk / 4096).div_ceil(4) * 4096;
        assert!((1..4).all(|number| reads(disk, number * group)));
        let group = (disk / 4096).div_ceil(52) * 4096;
        assert!(reads(disk, group), "as many as processors");
    }

    proptest! {
        #[test]
        fn places_are_within_the_device_and_small_ones_are_read_whole(
            sectors in 1u64..1 << 36, round in 0..ROUNDS,
        ) {
            let bytes = sectors * 512;
            let all = of(bytes);
            let further = (bytes > WHOLE).then(|| [beginning(bytes), vec![probes(bytes, round)]].concat());
            for place in all.iter().chain(further.iter().flatten()).flatten() {
                prop_assert!(place.start < bytes && place.end <= bytes && place.start < place.end);
                prop_assert_eq!(place.start % ALIGN, 0);
                prop_assert!(place.end - place.start <= CHUNK);
            }
            if bytes <= WHOLE {
                prop_assert_eq!(all.iter().flatten().map(|place| place.end - place.start).sum::<u64>(), bytes);
            } else {
                prop_assert_eq!(all[3].len() as u64, PROBES);
            }
        }

        /// And it is the same place in every run.
        #[test]
        fn data_in_one_piece_is_met_wherever_it_lies(sectors in 1u64 << 20..1 << 36, share in 0f64..1.0, doublings in 0u32..5) {
            let (bytes, rounds) = (sectors * 512, 1 << doublings);
            let length = piece(bytes, rounds);
            let start = (share * (bytes - length) as f64) as Bytes;
            let probes: Vec<_> = (0..rounds).flat_map(|round| probes(bytes, round)).collect();
            let meets = |probe: &Range<Bytes>| probe.start < start + length && start < probe.end;
            prop_assert!(probes.iter().any(meets));
        }
    }
}
