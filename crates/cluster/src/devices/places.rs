//! Which parts of a device are read to see whether it is empty: its ends, where known formats keep copies, and probes.

use model::Bytes;
use model::workload::{GIB, KIB, MIB};
use std::ops::Range;

const TIB: Bytes = 1024 * GIB;

/// Read whole at either end: labels of nearly every format, and a partition that begins at 1 MiB.
const EDGE: Bytes = 64 * MIB;
/// A device up to this size is read whole.
const WHOLE: Bytes = 256 * MIB;
/// What is read at once.
const CHUNK: Bytes = MIB;
/// A label and what follows it; btrfs has its first one 64 KiB behind its beginning.
const LABEL: Bytes = 128 * KIB;
/// So far the beginning of an allocation group of XFS may lie from the even share of the device.
const AROUND: Bytes = 512 * KIB;
/// Evenly spread over the device: on a hard disk 4096 short seeks take about half a minute.
const PROBES: Bytes = 4096;
const PROBE: Bytes = 16 * KIB;
/// Direct reads begin and end at multiples of this.
pub const ALIGN: Bytes = 4096;

/// In the order in which they tell most: ends, known places, probes. Places are sorted within each. `jitter`: a number
/// below its argument.
pub fn of(bytes: Bytes, jitter: &mut dyn FnMut(Bytes) -> Bytes) -> Vec<Vec<Range<Bytes>>> {
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
    vec![chunks(0..EDGE), chunks((bytes - EDGE) / ALIGN * ALIGN..bytes), known, probes(bytes, jitter)]
}

fn chunks(range: Range<Bytes>) -> Vec<Range<Bytes>> {
    let end = range.end;
    range.step_by(CHUNK as usize).map(|start| start..(start + CHUNK).min(end)).collect()
}

/// One in each of equal parts, at a place that nobody can foresee.
fn probes(bytes: Bytes, jitter: &mut dyn FnMut(Bytes) -> Bytes) -> Vec<Range<Bytes>> {
    let part = bytes / PROBES;
    let probe = |number: Bytes| {
        let start = (number * part + jitter(part.saturating_sub(PROBE) + 1)) / ALIGN * ALIGN;
        start..start + PROBE
    };
    (0..PROBES).map(probe).collect()
}

fn copies(bytes: Bytes) -> Vec<Range<Bytes>> {
    let label = |place: Bytes| place..place + LABEL;
    let all = [round_places(bytes), bluestore(), partitions(), ext_backups(bytes)];
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
        of(bytes, &mut |_| 0)[..3].iter().flatten().any(|place| place.contains(&at))
    }

    #[test]
    fn all_places_where_copies_lie_are_read() {
        let disk = 16 * TIB;
        let mut places: Vec<Bytes> = [1, 10, 100, 1000].map(|number| number * GIB).to_vec();
        places.extend([0, 15 * MIB, 64 * MIB, 256 * GIB, TIB, 3 * TIB, disk - 1, disk - 15 * MIB, disk / 2]);
        places.extend([8193 * KIB, 3 * 8192 * KIB + KIB, 128 * MIB, 27 * 128 * MIB, 125 * 128 * MIB, 343 * 128 * MIB]);
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
            sectors in 1u64..1 << 36, seed in any::<u64>(),
        ) {
            let bytes = sectors * 512;
            let mut state = seed;
            let mut jitter = |most: Bytes| { state = state.wrapping_mul(6364136223846793005).wrapping_add(1); (state >> 20) % most };
            let all = of(bytes, &mut jitter);
            for place in all.iter().flatten() {
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
    }
}
