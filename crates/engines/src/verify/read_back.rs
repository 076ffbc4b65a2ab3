//! Reads back what a slice of nothing but writes has written, for a bounded time.

use super::known::{Account, Written, locked};
use crate::api::{Context, Done, Engine, EngineError, Op, Session};
use model::{Bytes, Checked, Durability, OpClass, OpMix, ReadBack, Step, Workload};
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;
use std::time::{Duration, Instant};

/// Reads in flight: few enough for their 4 MiB blocks to take little memory.
const DEPTH: u32 = 16;
/// How often it is checked whether to go on.
const LOOK: Duration = Duration::from_millis(100);

/// What was written to each target of the step since this was last called, read back in random order until `limit` is
/// over or `go_on` says no. What is found is in [`super::Verify::take`] afterwards.
///
/// # Errors
/// The first read that failed; the others were done.
pub fn read_back(
    engine: &dyn Engine,
    context: &Context,
    step: &Step,
    limit: Duration,
    go_on: &dyn Fn() -> bool,
) -> Result<(), EngineError> {
    let reading = Workload {
        mix: OpMix::reads(100),
        depth: DEPTH * step.workload.jobs.max(1),
        durability: Durability::None,
        ..step.workload.clone()
    };
    let accounts: Vec<_> = step.targets.iter().map(|target| context.verify.account(&target.name)).collect();
    let mut written: Vec<(usize, Written)> = Vec::new();
    for (index, account) in accounts.iter().enumerate() {
        written.extend(locked(&account.written).drain(..).map(|one| (index, one)));
    }
    if limit.is_zero() {
        return Ok(());
    }
    let mut deadline = Instant::now() + limit;
    let mut failed = Ok(());
    for left in (1..=written.len()).rev() {
        let (target, own) = &written[written.len() - left];
        // What one lane does not need is for those after it.
        let share = deadline.saturating_duration_since(Instant::now()) / left as u32;
        let blocks = places(own, &reading);
        let opening = Instant::now();
        let opened = engine.open(context, &step.targets[*target], &reading, own.lane);
        // Opening takes as long as it takes: if it counted, nothing would be read where it uses the time up.
        deadline += opening.elapsed();
        let mut pump = Pump { reading: &reading, until: Instant::now() + share, go_on, read: 0, error: None };
        let ended = opened.and_then(|mut session| pump.run(&mut *session, &blocks));
        note(&accounts[*target], pump.read, blocks.len() as Bytes * reading.block);
        failed = failed.and(ended).and(pump.error.map_or(Ok(()), Err));
    }
    failed
}

fn note(account: &Account, bytes: Bytes, of: Bytes) {
    locked(&account.checked).add(&Checked { read_back: Some(ReadBack { bytes, of }), ..Checked::default() });
}

/// Offsets of the written blocks within the lane's part, in random order: whatever is read of them stands for all.
fn places(written: &Written, reading: &Workload) -> Vec<u64> {
    let is_set = |block: &u64| written.blocks[(block / 64) as usize] >> (block % 64) & 1 == 1;
    let blocks = (0..written.blocks.len() as u64 * 64).filter(is_set);
    let mut places: Vec<u64> = blocks.map(|block| block * reading.block).collect();
    places.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(reading.seed ^ u64::from(written.lane)));
    places
}

struct Pump<'a> {
    reading: &'a Workload,
    until: Instant,
    go_on: &'a dyn Fn() -> bool,
    read: Bytes,
    error: Option<EngineError>,
}

impl Pump<'_> {
    fn run(&mut self, session: &mut dyn Session, places: &[u64]) -> Result<(), EngineError> {
        let mut waiting = places.iter().copied();
        let mut free: Vec<u32> = (0..DEPTH).collect();
        let (mut in_flight, mut done): (usize, Vec<Done>) = (0, Vec::new());
        while Instant::now() < self.until && (self.go_on)() {
            for (slot, offset) in std::iter::from_fn(|| free.pop()).zip(&mut waiting) {
                let op = Op { slot, kind: OpClass::Read, offset, len: self.reading.block as u32, due: 0 };
                in_flight += session.submit(&[op])?;
            }
            if in_flight == 0 {
                break;
            }
            session.reap(LOOK, &mut done)?;
            in_flight -= done.len();
            for Done { slot, result, .. } in done.drain(..) {
                free.push(slot);
                match result {
                    Ok(bytes) => self.read += Bytes::from(bytes),
                    Err(error) => self.failed(error.errno),
                }
            }
        }
        Ok(())
    }

    fn failed(&mut self, errno: i32) {
        let why = std::io::Error::from_raw_os_error(errno);
        self.error.get_or_insert_with(|| EngineError::Broken(format!("what was written can't be read back: {why}")));
    }
}
