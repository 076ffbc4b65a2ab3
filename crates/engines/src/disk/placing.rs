//! Where the bytes of a working set lie on a device: from its beginning on, or in pieces spread over the whole of it.
//!
//! The first gigabytes of a disk are not the disk: a rotating one is fastest there and its heads hardly move, and the map of a
//! flash disk's blocks fits into its memory. Random work gets many small pieces, sequential work a few long stretches in an order
//! in which neighbours lie far apart, so that each slice meets fast and slow tracks. The two never share a byte where the device
//! has room: on flash, what was overwritten at random is read more slowly one after the other.

use model::seed::mixed;
use model::workload::{KIB, MIB};
use model::{Access, Bytes, Workload};

/// The device is divided into this many zones: random pieces lie in the first half of each, sequential stretches in the second.
const ZONES: u64 = 32;
/// Random pieces. On flash as large as what a drive's map is read in at most; on rotating disks larger, since each costs a seek
/// when it is filled. Blocks that are larger take the next size into which they go.
const FLASH: [Bytes; 4] = [64 * KIB, MIB, 16 * MIB, 256 * MIB];
const ROTATING: [Bytes; 3] = [MIB, 16 * MIB, 256 * MIB];
/// A stretch of sequential work: a seek of 10 ms is 1.5 % of what a disk of 200 MB/s takes for it.
const STRETCH: Bytes = 128 * MIB;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placing {
    /// Bytes of the working set.
    span: Bytes,
    /// `None`: offset and place are the same.
    spread: Option<Spread>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Spread {
    piece: Bytes,
    pieces: u64,
    /// By zone: its first piece, counted from the device's beginning.
    zones: Vec<u64>,
    /// Pieces that each zone has room for.
    room: u64,
    /// Places for each piece, in parts of 2^32.
    share: u64,
    /// Distance from one piece to the next, in shares; 1: side by side.
    stride: u64,
}

/// What of the device may hold the pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    device: Bytes,
    zones: u64,
    /// Which half of each zone; `None`: all of it.
    half: Option<u64>,
}

impl Placing {
    /// From the beginning on.
    pub fn contiguous(span: Bytes) -> Placing {
        Placing { span, spread: None }
    }

    /// `device`: its bytes.
    pub fn new(workload: &Workload, device: Bytes, rotating: bool) -> Placing {
        let span = workload.span;
        // What is verified is looked up by its offset, also by other tools.
        if workload.spread.is_none() || workload.verify || span >= device || workload.block == 0 {
            return Placing::contiguous(span);
        }
        let sequential = workload.access == Access::Sequential;
        let half = Part { device, zones: ZONES, half: Some(u64::from(sequential)) };
        let whole = Part { device, zones: 1, half: None };
        // Both families have half of the device at most, and lose a part of it where pieces do not fit into their zones.
        let halves = (span <= device / 4).then_some(half);
        let sizes = if sequential { stretches(workload.block) } else { vec![piece(workload.block, rotating)] };
        let fits = |part: Part| sizes.iter().find_map(|piece| Spread::new(span, *piece, part, sequential));
        Placing { span, spread: halves.and_then(fits).or_else(|| fits(whole)) }
    }

    /// Where a byte of the working set lies on the device.
    #[inline]
    pub fn at(&self, offset: u64) -> u64 {
        match &self.spread {
            None => offset,
            Some(spread) => spread.start(offset / spread.piece) + offset % spread.piece,
        }
    }

    /// Offset and length in the working set of all that lies together, in the order in which it lies on the device.
    pub fn pieces(&self) -> Vec<(Bytes, Bytes)> {
        let Some(spread) = &self.spread else { return vec![(0, self.span)] };
        let mut all: Vec<(u64, u64)> = (0..spread.pieces).map(|piece| (spread.start(piece), piece)).collect();
        all.sort_unstable();
        let of = |(_, piece): (u64, u64)| (piece * spread.piece, spread.piece.min(self.span - piece * spread.piece));
        all.into_iter().map(of).collect()
    }
}

impl Spread {
    /// `None`: the part has no room for all of them.
    fn new(span: Bytes, piece: Bytes, part: Part, sequential: bool) -> Option<Spread> {
        let pieces = span.div_ceil(piece);
        let room = (0..part.zones).map(|zone| part.room(zone, piece)).min().unwrap_or(0);
        let places = room * part.zones;
        let zones = (0..part.zones).map(|zone| part.bounds(zone).0.div_ceil(piece)).collect();
        let share = (u128::from(places) << 32) / u128::from(pieces.max(1));
        let stride = if sequential { golden(pieces) } else { 1 };
        let fits = (1..1 << 32).contains(&pieces) && places >= pieces;
        Some(Spread { piece, pieces, zones, room, share: u64::try_from(share).ok()?, stride }).filter(|_| fits)
    }

    /// Each piece has an equal share of the places for itself, and lies somewhere in it: not at equal distances, which could be
    /// those of the disk's own layout. It is asked for each operation, so that there are no more divisions than must be.
    #[inline]
    fn start(&self, piece: u64) -> u64 {
        let share = if self.stride == 1 { piece } else { piece * self.stride % self.pieces };
        let first = |share: u64| ((u128::from(share) * u128::from(self.share)) >> 32) as u64;
        let (first, after) = (first(share), first(share + 1));
        let place = first + ((u128::from(mixed([share])) * u128::from(after - first)) >> 64) as u64;
        let (zone, within) = (place / self.room, place % self.room);
        (self.zones[zone as usize] + within) * self.piece
    }
}

impl Part {
    /// Where it begins and ends in a zone.
    #[inline]
    fn bounds(self, zone: u64) -> (Bytes, Bytes) {
        let size = self.device / self.zones;
        let begin = zone * size;
        match self.half {
            None => (begin, begin + size),
            Some(half) => (begin + half * (size / 2), begin + (half + 1) * (size / 2)),
        }
    }

    /// Pieces of a zone that begin at multiples of their size.
    fn room(self, zone: u64, piece: Bytes) -> u64 {
        let (begin, end) = self.bounds(zone);
        (end / piece).saturating_sub(begin.div_ceil(piece))
    }
}

/// For random blocks: whole blocks, and the same piece for as many sizes of block as possible, which then share their data.
fn piece(block: Bytes, rotating: bool) -> Bytes {
    let sizes: &[Bytes] = if rotating { &ROTATING } else { &FLASH };
    let whole = sizes.iter().find(|size| size.is_multiple_of(block));
    whole.copied().unwrap_or_else(|| block * (sizes[0] / block).max(1))
}

/// For sequential blocks: whole ones, as long as the device has room for.
fn stretches(block: Bytes) -> Vec<Bytes> {
    let lengths = (0..12).map(|halved| (STRETCH >> halved) / block * block);
    lengths.take_while(|length| *length > 0).chain([block]).collect()
}

/// Near the golden ratio, what follows lies far from all that went before; without a common divisor each has its turn.
fn golden(pieces: u64) -> u64 {
    let near = (pieces as f64 * 0.618_033_988_749_895) as u64;
    (near.max(1)..=pieces.max(1)).find(|step| crate::offsets::common_divisor(*step, pieces) == 1).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Pattern;
    use model::workload::GIB;
    use proptest::prelude::*;

    fn load(pattern: Pattern, span: Bytes) -> Workload {
        Workload { spread: Some(1), ..Workload::canonical(pattern, span, 1) }
    }

    /// Begin and end of all pieces on the device, in their order there.
    fn lie(placing: &Placing) -> Vec<(u64, u64)> {
        placing.pieces().into_iter().map(|(offset, len)| (placing.at(offset), placing.at(offset) + len)).collect()
    }

    proptest! {
        #[test]
        fn every_byte_has_one_place_on_the_device_and_no_other_has_it(
            device in prop_oneof![
                1u64 << 20..1 << 26, 1u64 << 30..1 << 34, Just(20_000_588_955_648), Just(1_920_383_410_176u64), 1u64 << 40..1 << 45
            ],
            share in 1u64..2000, block in prop_oneof![
                Just(512u64), Just(4096), Just(12_288), Just(65_536), Just(1 << 20), Just(3 << 20), Just(4 << 20), 1u64..20_000
            ],
            sequential: bool, rotating: bool, at in any::<prop::sample::Index>(), physical in prop_oneof![Just(512u64), Just(4096)],
        ) {
            let device = device / physical * physical;
            let (span, block) = ((device / share).clamp(1, 16 * GIB), block.div_ceil(physical) * physical);
            let access = if sequential { Access::Sequential } else { Access::Random };
            let workload = Workload { access, block, ..load(Pattern::ReadParallel, span) };
            let placing = Placing::new(&workload, device, rotating);
            let pieces = placing.pieces();
            // All of the set, each byte once.
            let mut own = pieces.clone();
            own.sort_unstable();
            let end = own.iter().try_fold(0, |end, (offset, len)| (*offset == end).then_some(end + len));
            prop_assert_eq!(end, Some(span));
            // Inside the device, and no two at the same place.
            let lie = lie(&placing);
            prop_assert!(lie.last().unwrap().1 <= device);
            prop_assert!(lie.windows(2).all(|pair| pair[0].1 <= pair[1].0));
            // A block lies together, at a multiple of its size and of the device's sectors.
            let blocks = span / block;
            if blocks > 0 {
                let offset = at.index(blocks as usize) as u64 * block;
                let place = placing.at(offset);
                prop_assert_eq!((place % block, place % physical), (0, 0));
                prop_assert_eq!(placing.at(offset + block - 1), place + block - 1);
            }
        }
    }

    #[test]
    fn all_of_the_device_is_met_from_its_beginning_to_its_end_and_no_more_than_the_set_is_written() {
        for (device, rotating) in [(16 * GIB, false), (1_920_383_410_176, false), (20_000_588_955_648, true)] {
            for pattern in [Pattern::ReadLatency, Pattern::WriteLinear] {
                let lie = lie(&Placing::new(&load(pattern, 4 * GIB), device, rotating));
                assert_eq!(lie.iter().map(|(begin, end)| end - begin).sum::<u64>(), 4 * GIB);
                let zone = device / ZONES;
                for number in 0..ZONES {
                    let within = lie.iter().filter(|(begin, _)| begin / zone == number);
                    let bytes: u64 = within.map(|(begin, end)| end - begin).sum();
                    assert_eq!(bytes / MIB, 4 * 1024 / ZONES, "{device}: zone {number} of {pattern:?}");
                }
            }
        }
    }

    #[test]
    fn sequential_stretches_and_random_pieces_share_no_byte_where_there_is_room() {
        for device in [16 * GIB, 17 * GIB + 12_288, 1_920_383_410_176, 20_000_588_955_648] {
            let of = |pattern, block| lie(&Placing::new(&Workload { block, ..load(pattern, 4 * GIB) }, device, false));
            for (small, large) in [(4096, 4 << 20), (12_288, 3 << 20), (1 << 20, 64 << 20)] {
                let (random, linear) = (of(Pattern::WriteParallel, small), of(Pattern::ReadLinear, large));
                let mut all: Vec<(u64, u64)> = random.into_iter().chain(linear).collect();
                all.sort_unstable();
                assert!(all.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{device} {small} {large}");
            }
        }
        // Without room for both, each still has the whole device.
        let lie = lie(&Placing::new(&load(Pattern::ReadLinear, 4 * GIB), 6 * GIB, false));
        assert!(lie[0].0 < GIB && lie.last().unwrap().1 > 5 * GIB, "{lie:?}");
    }

    #[test]
    fn a_short_slice_of_sequential_work_meets_all_parts_of_the_device() {
        let device = 4_000_787_030_016;
        let placing = Placing::new(&load(Pattern::ReadLinear, 4 * GIB), device, true);
        // A second at 200 MB/s is a stretch and a half: of seven in a row no two lie close together, and every third has one.
        for first in 0..26u64 {
            let mut places: Vec<u64> = (first..first + 7).map(|stretch| placing.at(stretch * STRETCH)).collect();
            places.sort_unstable();
            assert!(places.windows(2).all(|pair| pair[1] - pair[0] > device / 65), "{places:?}");
            assert!((0..3).all(|third| places.iter().any(|place| place * 3 / device == third)), "{places:?}");
        }
    }

    #[test]
    fn blocks_of_one_size_and_another_share_their_data() {
        let of = |block, rotating| {
            Placing::new(&Workload { block, ..load(Pattern::ReadParallel, 4 * GIB) }, 1 << 40, rotating)
        };
        assert_eq!(of(4096, false), of(65_536, false));
        assert_eq!(of(4096, true), of(1 << 20, true));
        assert_ne!(of(4096, false), of(1 << 20, false));
    }

    #[test]
    fn what_the_user_sets_what_is_verified_and_what_is_as_large_as_the_device_lies_in_order() {
        let plain = load(Pattern::ReadParallel, GIB);
        for (load, device) in [
            (Workload { spread: None, ..plain.clone() }, 64 * GIB),
            (Workload { verify: true, ..plain.clone() }, 64 * GIB),
            (plain.clone(), GIB),
        ] {
            assert_eq!(Placing::new(&load, device, false), Placing::contiguous(GIB));
        }
        assert_ne!(Placing::new(&plain, 64 * GIB, false), Placing::contiguous(GIB));
    }
}
