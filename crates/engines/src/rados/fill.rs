//! Fills objects or an image with incompressible bytes, leaving alone what is filled already.

use super::slots::Slots;
use crate::api::EngineError;
use crate::buffers;
use crate::verify::Stamper;
use ceph::Finished;
use model::Bytes;
use std::time::{Duration, Instant};

pub const IN_FLIGHT: u32 = 16;
/// The largest write.
pub const PART: Bytes = 4 << 20;
/// How often the caller hears of the progress and can stop it, also when nothing ends any more.
const TIMEOUT: Duration = Duration::from_millis(100);
/// The end of a unit that is filled is not zero: the chance that random bytes are is 2^-128.
const PROBE: Bytes = 16;

/// Gets the bytes done so far; `false`: the caller does not want any more of it.
pub type Progress<'a> = &'a mut dyn FnMut(Bytes) -> bool;

/// A run of bytes, as (offset, length).
type Piece = (Bytes, Bytes);

/// Makes the span's bytes `0..total` incompressible, in units of `unit` bytes (an object) that are whole or not at all.
/// `slots` are [`IN_FLIGHT`] with room for `min(unit, PART)` bytes each. `Ok` also if the caller stopped it.
pub fn fill(
    slots: &mut impl Slots,
    unit: Bytes,
    total: Bytes,
    seed: u64,
    stamper: Option<&Stamper>,
    progress: Progress,
) -> Result<(), EngineError> {
    let found = match stamper {
        Some(stamper) => Some(cut((0, total), unit).filter(|piece| !stamper.knows(*piece)).collect()),
        None => lacking(slots, unit, total, progress)?,
    };
    let Some(lacking) = found else { return Ok(()) };
    let lacking: Vec<Piece> = lacking;
    let parts: Vec<Piece> = lacking.iter().flat_map(|piece| cut(*piece, PART)).collect();
    (0..IN_FLIGHT).for_each(|slot| buffers::fill(slots.buffer(slot), seed ^ (u64::from(slot) << 48)));
    let mut done = total - lacking.iter().map(|piece| piece.1).sum::<Bytes>();
    let mut pump = Pump { slots, pieces: &parts };
    pump.run(
        |slots, slot, (offset, len)| {
            let block = &mut slots.buffer(slot)[..len as usize];
            match stamper {
                Some(stamper) => stamper.stamp(offset, block),
                None => buffers::stamp(block, seed ^ offset),
            }
            slots.write(slot, offset, 0..len as usize)
        },
        |slots, finished, piece| {
            if finished.result < 0 {
                return Err(failed(slots, finished.result));
            }
            if let Some(stamper) = stamper {
                stamper.acknowledged(piece);
            }
            done += piece.1;
            Ok(done)
        },
        progress,
    )?;
    Ok(())
}

/// The units whose end is missing or zero; `None`: the caller stopped it.
fn lacking(
    slots: &mut impl Slots,
    unit: Bytes,
    total: Bytes,
    progress: Progress,
) -> Result<Option<Vec<Piece>>, EngineError> {
    const ABSENT: i64 = -(libc::ENOENT as i64);
    let units: Vec<Piece> = cut((0, total), unit).collect();
    let mut lacking = Vec::new();
    let mut pump = Pump { slots, pieces: &units };
    let whole = pump.run(
        |slots, slot, (offset, len)| {
            let probe = PROBE.min(len);
            slots.read(slot, offset + len - probe, 0..probe as usize)
        },
        |slots, finished, piece| {
            if finished.result < 0 && finished.result != ABSENT {
                return Err(failed(slots, finished.result));
            }
            let end = &slots.buffer(finished.slot)[..finished.result.max(0) as usize];
            if end.len() as u64 != PROBE.min(piece.1) || end.iter().all(|byte| *byte == 0) {
                lacking.push(piece);
            }
            Ok(0)
        },
        progress,
    )?;
    lacking.sort_unstable();
    Ok(whole.then_some(lacking))
}

fn cut((offset, len): Piece, size: Bytes) -> impl Iterator<Item = Piece> {
    (0..len.div_ceil(size)).map(move |n| (offset + n * size, size.min(len - n * size)))
}

fn failed(slots: &impl Slots, result: i64) -> EngineError {
    let errno = result.saturating_neg() as i32;
    let why = || format!("fill {}: {}", slots.place(), std::io::Error::from_raw_os_error(errno));
    EngineError::Broken(slots.hopeless(errno).unwrap_or_else(why))
}

/// How many may be in flight: one more with each that ends soon, half as many when one takes long. A slow disk under a pool would
/// else have minutes of large writes before it, which nobody can take back.
struct Ramp {
    most: u32,
}

impl Ramp {
    const SOON: Duration = Duration::from_millis(500);
    const LONG: Duration = Duration::from_secs(2);

    fn ended(&mut self, took: Duration) {
        self.most = match took {
            _ if took < Ramp::SOON => (self.most + 1).min(IN_FLIGHT),
            _ if took > Ramp::LONG => (self.most / 2).max(1),
            _ => self.most,
        };
    }
}

/// Keeps operations in flight until each piece had one.
struct Pump<'a, S> {
    slots: &'a mut S,
    pieces: &'a [Piece],
}

impl<S: Slots> Pump<'_, S> {
    /// `ended` says how many bytes are done. `Ok(false)`: the caller stopped it.
    fn run(
        &mut self,
        mut start: impl FnMut(&mut S, u32, Piece) -> Result<(), i32>,
        mut ended: impl FnMut(&mut S, &Finished, Piece) -> Result<Bytes, EngineError>,
        progress: Progress,
    ) -> Result<bool, EngineError> {
        let Pump { slots, pieces } = self;
        let mut waiting = pieces.iter().copied();
        let mut piece_of = [(0, 0); IN_FLIGHT as usize];
        let mut free: Vec<u32> = (0..IN_FLIGHT).collect();
        let mut begun = [Instant::now(); IN_FLIGHT as usize];
        let (mut finished, mut done) = (Vec::new(), 0);
        let mut ramp = Ramp { most: 1 };
        loop {
            let room = || if free.len() as u32 > IN_FLIGHT - ramp.most { free.pop() } else { None };
            for (slot, piece) in std::iter::from_fn(room).zip(&mut waiting) {
                (piece_of[slot as usize], begun[slot as usize]) = (piece, Instant::now());
                start(slots, slot, piece).map_err(|errno| failed(*slots, -i64::from(errno)))?;
            }
            if slots.in_flight() == 0 {
                return Ok(true);
            }
            finished.clear();
            slots.wait(TIMEOUT, &mut finished);
            for finished in &finished {
                free.push(finished.slot);
                ramp.ended(begun[finished.slot as usize].elapsed());
                done = ended(slots, finished, piece_of[finished.slot as usize])?;
            }
            if !progress(done) {
                return Ok(false);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_target_has_few_in_flight() {
        let mut ramp = Ramp { most: 1 };
        (0..100).for_each(|_| ramp.ended(Duration::from_millis(5)));
        assert_eq!(ramp.most, IN_FLIGHT);
        (0..100).for_each(|_| ramp.ended(Duration::from_secs(1)));
        assert_eq!(ramp.most, IN_FLIGHT);
        (0..3).for_each(|_| ramp.ended(Duration::from_secs(3)));
        assert_eq!(ramp.most, IN_FLIGHT / 8);
        (0..9).for_each(|_| ramp.ended(Duration::from_secs(9)));
        assert_eq!(ramp.most, 1);
    }

    #[test]
    fn pieces_cover_the_whole_without_overlap() {
        let pieces: Vec<_> = cut((100, 10), 4).collect();
        assert_eq!(pieces, [(100, 4), (104, 4), (108, 2)]);
        assert_eq!(cut((7, 4), 4).collect::<Vec<_>>(), [(7, 4)]);
        assert_eq!(cut((7, 0), 4).count(), 0);
    }
}
