//! Operations one after the other, each at a place that is given: for what happens once in each place, and no rate can ask for.

use crate::api::{Done, EngineError, Op, Session};
use model::{Bytes, Clock, Nanos, OpClass};
use std::time::Duration;

/// Between two looks whether it is still wanted.
const LOOKS_APART: Duration = Duration::from_millis(200);
/// An operation without an answer for so long is none that a measurement may wait for.
const ANSWERS_WITHIN: Duration = Duration::from_secs(60);

/// How long each operation took, in the order of `places`; fewer of them if `go_on` says no meanwhile.
///
/// # Errors
/// One failed, or had no answer within a minute.
pub fn timed(
    session: &mut dyn Session,
    (kind, block): (OpClass, Bytes),
    places: &[Bytes],
    clock: &dyn Clock,
    go_on: &dyn Fn() -> bool,
) -> Result<Vec<Nanos>, EngineError> {
    let mut took = Vec::with_capacity(places.len());
    for offset in places {
        let began = clock.now();
        if !go_on() {
            break;
        }
        submit(session, (0, kind, block, *offset), began)?;
        let Some(ended) = wait(session, (kind, block), (clock, began), go_on)?.pop() else { break };
        took.push(if ended.at == 0 { clock.now() } else { ended.at }.saturating_sub(began));
    }
    Ok(took)
}

/// Writes a block at each of these places, `depth` at a time. False: `go_on` said no meanwhile.
///
/// # Errors
/// One failed, or none had an answer within a minute.
pub fn write_each(
    session: &mut dyn Session,
    (depth, block): (u32, Bytes),
    places: &[Bytes],
    clock: &dyn Clock,
    go_on: &mut dyn FnMut(usize) -> bool,
) -> Result<bool, EngineError> {
    let mut free: Vec<u32> = (0..depth).collect();
    let (mut next, mut ended) = (0, 0);
    while ended < places.len() {
        while let Some(slot) = free.pop().filter(|_| next < places.len()) {
            submit(session, (slot, OpClass::Write, block, places[next]), clock.now())?;
            next += 1;
        }
        if !go_on(ended) {
            return Ok(false);
        }
        let done = wait(session, (OpClass::Write, block), (clock, clock.now()), &|| true)?;
        ended += done.len();
        free.extend(done.iter().map(|done| done.slot));
    }
    Ok(true)
}

type Operation = (u32, OpClass, Bytes, Bytes);

fn submit(session: &mut dyn Session, (slot, kind, block, offset): Operation, due: Nanos) -> Result<(), EngineError> {
    let len = u32::try_from(block).map_err(|_| failed(kind, block, "the block is too large"))?;
    match session.submit(&[Op { slot, kind, offset, len, due }])? {
        0 => Err(failed(kind, block, "it was not taken")),
        _ => Ok(()),
    }
}

/// The next that end, all of them well; none: `go_on` said no meanwhile.
fn wait(
    session: &mut dyn Session,
    (kind, block): (OpClass, Bytes),
    (clock, began): (&dyn Clock, Nanos),
    go_on: &dyn Fn() -> bool,
) -> Result<Vec<Done>, EngineError> {
    let mut done = Vec::new();
    while done.is_empty() && go_on() {
        session.reap(LOOKS_APART, &mut done)?;
        if done.is_empty() && clock.now().saturating_sub(began) > ANSWERS_WITHIN.as_nanos() as Nanos {
            return Err(failed(kind, block, &format!("no answer within {} s", ANSWERS_WITHIN.as_secs())));
        }
    }
    for ended in &done {
        match ended.result {
            Ok(bytes) if Bytes::from(bytes) == block => {}
            Ok(bytes) => return Err(failed(kind, block, &format!("moved {bytes} bytes"))),
            Err(error) => return Err(failed(kind, block, &error.to_string())),
        }
    }
    Ok(done)
}

fn failed(kind: OpClass, block: Bytes, why: &str) -> EngineError {
    EngineError::Broken(format!("{} of {block} bytes: {why}", kind.name()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::OpError;
    use crate::clock::RealClock;

    /// Ends every operation when it is reaped, as its result says.
    struct Prompt(Option<Op>, Result<u32, OpError>, Vec<Bytes>);

    impl Session for Prompt {
        fn submit(&mut self, ops: &[Op]) -> Result<usize, EngineError> {
            self.0 = ops.first().copied();
            self.2.extend(ops.iter().map(|op| op.offset));
            Ok(ops.len())
        }

        fn reap(&mut self, _: Duration, done: &mut Vec<Done>) -> Result<(), EngineError> {
            done.extend(self.0.take().map(|op| Done::now(op.slot, self.1)));
            Ok(())
        }
    }

    #[test]
    fn each_place_has_its_operation_and_what_failed_is_no_time() {
        let mut session = Prompt(None, Ok(4096), Vec::new());
        let took = timed(&mut session, (OpClass::Write, 4096), &[8192, 0], &RealClock, &|| true).unwrap();
        assert_eq!((took.len(), session.2), (2, vec![8192, 0]));
        let mut all = Prompt(None, Ok(4096), Vec::new());
        let clock = RealClock;
        assert!(write_each(&mut all, (1, 4096), &[4096, 0, 8192], &clock, &mut |_| true).unwrap());
        assert_eq!(all.2, vec![4096, 0, 8192]);
        let mut failing = Prompt(None, Err(OpError::of(libc::EIO)), Vec::new());
        let error = timed(&mut failing, (OpClass::Read, 4096), &[0], &RealClock, &|| true).unwrap_err().to_string();
        assert!(error.starts_with("read of 4096 bytes:"), "{error}");
        let mut short = Prompt(None, Ok(512), Vec::new());
        let error = timed(&mut short, (OpClass::Read, 4096), &[0], &RealClock, &|| true).unwrap_err().to_string();
        assert!(error.ends_with("moved 512 bytes"), "{error}");
        assert!(timed(&mut short, (OpClass::Read, 4096), &[0], &RealClock, &|| false).unwrap().is_empty());
    }
}
