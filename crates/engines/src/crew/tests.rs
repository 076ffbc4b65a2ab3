//! Whole slices on simulated and null engines.

use super::*;
use crate::api::{Done, Op, Session};
use crate::clock::{RealClock, SimClock};
use crate::null::Null;
use crate::sim::{Model, Sim, Twist};
use crate::tally::CountedTime;
use model::{Arrivals, OpClass, OpMix, Pattern, Place, Rate, Sample, Sparse, Target, Workload};

const WINDOW: Nanos = 100 * MILLISECOND;

fn step(targets: u32, workload: Workload) -> Step {
    let layer = model::testing::disks();
    let target = |n| Target::new(layer, format!("t{n}"), Place::Null);
    Step::new(0, layer, Pattern::ReadParallel, (0..targets).map(target).collect(), workload)
}

fn workload(depth: u32, jobs: u32) -> Workload {
    Workload { depth, jobs, ..Workload::canonical(Pattern::ReadParallel, 1 << 30, 1) }
}

/// Runs `windows` windows of a simulated step, from the clock's start.
fn simulate(step: &Step, model: Model, windows: u32) -> (Vec<WindowSet>, SliceEnd) {
    let clock = Arc::new(SimClock::default());
    let sim = Sim::new(clock.clone(), move |_, _| model.clone());
    let clock: Arc<dyn Clock> = clock;
    let mut sets = Vec::new();
    let mut keep = |set: &WindowSet| {
        sets.push(set.clone());
        if set.window + 1 == windows { Flow::Stop } else { Flow::GoOn }
    };
    let end = run_slice(&sim, &Context::default(), &clock, step, WINDOW, &mut keep).unwrap();
    (sets, end)
}

fn ops(sets: &[WindowSet], target: u32) -> u64 {
    sets.iter().flat_map(|set| &set.samples).filter(|sample| sample.0 == target).map(|sample| sample.2.ops).sum()
}

#[test]
fn one_server_does_one_operation_after_the_other() {
    let (sets, end) = simulate(&step(1, workload(1, 1)), Model::steady(1e6, 0.0, 8), 20);
    // A millisecond each, two seconds.
    assert!(ops(&sets, 0).abs_diff(2000) <= 1, "{}", ops(&sets, 0));
    assert_eq!((sets.len(), end.windows, end.broken), (20, 20, None));
    let service = &sets[5].samples[0].2.service;
    assert_eq!(service.sum_ns / service.count, 1_000_000);
}

#[test]
fn lanes_of_a_target_share_its_servers_and_targets_do_not() {
    let (sets, _) = simulate(&step(3, workload(64, 4)), Model::steady(1e6, 0.5, 8), 50);
    for target in 0..3 {
        let (got, expected) = (ops(&sets, target), 40_000);
        assert!(got.abs_diff(expected) < expected / 50, "target {target}: {got}");
    }
    // Little's law: 64 in flight at 8 per millisecond are 8 ms each.
    let service = &sets[40].samples[0].2.service;
    let mean = service.sum_ns as f64 / service.count as f64;
    assert!((mean - 8e6).abs() < 8e5, "{mean}");
}

#[test]
fn a_simulated_slice_is_the_same_every_time() {
    let model = Model::steady(3e5, 0.7, 3).with(Twist::Errors { from: 0, share: 0.01 });
    let mixed = Workload { mix: OpMix::reads(70), ..workload(16, 3) };
    let first = simulate(&step(2, mixed.clone()), model.clone(), 30);
    assert_eq!(first, simulate(&step(2, mixed.clone()), model.clone(), 30));
    let other = simulate(&step(2, Workload { seed: 2, ..mixed }), model, 30);
    assert_ne!(first.0, other.0);
}

/// Two targets of an open loop: their operations do not come at the same times.
#[test]
fn targets_that_are_loaded_at_once_have_arrivals_of_their_own() {
    let open = Workload {
        rate: Some(Rate { per_second: 500.0, arrivals: Arrivals::Poisson, by_job: false }),
        ..workload(64, 1)
    };
    let (sets, _) = simulate(&step(2, open), Model::steady(1e6, 0.0, 64), 30);
    let of = |target: u32| {
        let own = sets.iter().flat_map(|set| &set.samples).filter(move |sample| sample.0 == target);
        own.map(|sample| sample.2.ops).collect::<Vec<_>>()
    };
    assert_ne!(of(0), of(1));
}

#[test]
fn reads_and_writes_of_a_mix_are_counted_apart() {
    let mixed = Workload { mix: OpMix::reads(75), ..workload(8, 1) };
    let model = Model { write_ns: 4e6, ..Model::steady(1e6, 0.0, 1000) };
    let (sets, _) = simulate(&step(1, mixed), model, 50);
    let of = |kind| {
        let samples = sets.iter().flat_map(|set| &set.samples).filter(move |sample| sample.1 == kind);
        samples.fold((0, 0), |sum, sample| (sum.0 + sample.2.ops, sum.1 + sample.2.service.sum_ns))
    };
    let (reads, writes) = (of(OpClass::Read), of(OpClass::Write));
    assert_eq!((reads.1 / reads.0, writes.1 / writes.0), (1_000_000, 4_000_000));
    let share = reads.0 as f64 / (reads.0 + writes.0) as f64;
    assert!((share - 0.75).abs() < 0.02, "{share}");
}

#[test]
fn dips_and_steps_show_in_the_windows() {
    let model = Model::steady(1e6, 0.0, 1).with(Twist::Level { from: 3 * SECOND, factor: 2.0 });
    let (sets, _) = simulate(&step(1, workload(1, 1)), model, 40);
    let window = |n: usize| sets[n].samples[0].2.ops;
    assert!(window(5).abs_diff(100) <= 1 && window(35).abs_diff(50) <= 1, "{} {}", window(5), window(35));
    let dips = Model::steady(1e6, 0.0, 1).with(Twist::Dips { every: SECOND, lasts: SECOND / 2, factor: 10.0 });
    let (sets, _) = simulate(&step(1, workload(1, 1)), dips, 10);
    let window = |n: usize| sets[n].samples[0].2.ops;
    assert!(window(2) <= 11 && window(7) >= 99, "{} {}", window(2), window(7));
}

#[test]
fn failed_operations_are_counted_and_the_slice_goes_on() {
    let model = Model::steady(1e6, 0.0, 1).with(Twist::Errors { from: 0, share: 1.0 });
    let (sets, end) = simulate(&step(1, workload(1, 1)), model, 10);
    let sample = &sets[3].samples[0].2;
    assert_eq!((sample.ops, sample.bytes, sample.service.count), (0, 0, 0));
    assert!(sample.errors.abs_diff(100) <= 1);
    let (target, text) = end.first_error.unwrap();
    assert_eq!((target, end.broken), (0, None));
    assert!(text.starts_with("read of 4096 bytes at ") && text.contains("Input/output error"), "{text}");
}

#[test]
fn a_target_that_dies_is_seen_as_empty_windows_and_ends_the_slice() {
    let clock = Arc::new(SimClock::default());
    let sim = Sim::new(clock.clone(), |target, _| {
        let model = Model::steady(1e6, 0.1, 4);
        if target.name == "t1" { model.with(Twist::Death { at: 3 * SECOND }) } else { model }
    });
    let clock: Arc<dyn Clock> = clock;
    let mut empty = [0, 0];
    let mut count = |set: &WindowSet| {
        for (target, _, sample) in &set.samples {
            assert_eq!(sample.span_ns, WINDOW);
            empty[*target as usize] += u32::from(sample.ops == 0);
        }
        Flow::GoOn
    };
    let end = run_slice(&sim, &Context::default(), &clock, &step(2, workload(4, 2)), WINDOW, &mut count).unwrap();
    assert_eq!(end.broken.as_deref(), Some("no operation completed for 10 s"));
    assert_eq!(end.target, Some(1));
    assert_eq!(empty[0], 0);
    assert!((98..=100).contains(&empty[1]), "{empty:?}");
}

#[test]
fn threads_count_every_operation_of_the_null_engine() {
    let clock: Arc<dyn Clock> = Arc::new(RealClock);
    let (mut windows, mut ops) = (0, [0, 0]);
    let mut count = |set: &WindowSet| {
        // On a busy machine a window may be long in coming: then it is only asked whether to go on.
        if set.samples.is_empty() {
            return Flow::GoOn;
        }
        assert_eq!((set.window, set.samples.len()), (windows, 2));
        for (target, kind, sample) in &set.samples {
            ops[*target as usize] += sample.ops;
            assert_eq!((*kind, sample.errors), (OpClass::Read, 0));
            assert_eq!((sample.bytes, sample.service.count), (sample.ops * 4096, sample.ops));
        }
        windows += 1;
        if ops[0] > 1000 && ops[1] > 1000 { Flow::Stop } else { Flow::GoOn }
    };
    let end = run_slice(&Null, &Context::default(), &clock, &step(2, workload(8, 2)), 20 * MILLISECOND, &mut count);
    let end = end.unwrap();
    assert_eq!((end.windows, end.broken, end.first_error), (windows, None, None));
    let effort = end.efforts[&0];
    assert!(effort.seconds > 0.0 && effort.busy() > 0.0);
}

/// Its one operation ends when somebody lets it, however long it was waited for.
struct Stuck(Arc<std::sync::Barrier>);

impl Engine for Stuck {
    fn name(&self) -> &'static str {
        "stuck"
    }

    fn refuse(&self, _: &Target, _: &Workload) -> Option<String> {
        None
    }

    fn open(&self, _: &Context, _: &Target, _: &Workload, _: u32) -> Result<Box<dyn Session>, EngineError> {
        Ok(Box::new(StuckSession { until: Some(self.0.clone()), taken: None }))
    }
}

struct StuckSession {
    until: Option<Arc<std::sync::Barrier>>,
    taken: Option<Op>,
}

impl Session for StuckSession {
    fn submit(&mut self, ops: &[Op]) -> Result<usize, EngineError> {
        self.taken = ops.first().copied();
        Ok(1)
    }

    fn reap(&mut self, _: std::time::Duration, done: &mut Vec<Done>) -> Result<(), EngineError> {
        if let Some(until) = self.until.take() {
            until.wait();
        }
        done.extend(self.taken.take().map(|op| Done::now(op.slot, Ok(op.len))));
        Ok(())
    }
}

#[test]
fn while_an_operation_takes_long_it_is_asked_whether_to_go_on() {
    let clock: Arc<dyn Clock> = Arc::new(RealClock);
    let release = Arc::new(std::sync::Barrier::new(2));
    let (mut asked, mut longest) = (0, 0);
    let mut on_window = |set: &WindowSet| {
        if set.samples.is_empty() {
            asked += 1;
            release.wait();
            return Flow::GoOn;
        }
        longest = longest.max(set.samples[0].2.service.max_ns);
        if asked > 0 && longest > 0 { Flow::Stop } else { Flow::GoOn }
    };
    let stuck = Stuck(release.clone());
    let end = run_slice(&stuck, &Context::default(), &clock, &step(1, workload(1, 1)), WINDOW, &mut on_window).unwrap();
    assert_eq!((asked, end.broken), (1, None));
    assert!(longest >= ASK_EVERY, "{longest}");
}

/// One of two lanes stays in one call for longer than the slice lasts.
struct OneWaits;

struct Waits(Vec<Op>, Option<Nanos>);

impl Engine for OneWaits {
    fn name(&self) -> &'static str {
        "one-waits"
    }

    fn refuse(&self, _: &Target, _: &Workload) -> Option<String> {
        None
    }

    fn open(&self, _: &Context, _: &Target, _: &Workload, lane: u32) -> Result<Box<dyn Session>, EngineError> {
        Ok(Box::new(Waits(Vec::new(), (lane == 0).then_some(1500 * MILLISECOND))))
    }
}

impl Session for Waits {
    fn submit(&mut self, ops: &[Op]) -> Result<usize, EngineError> {
        self.0.extend(ops);
        Ok(ops.len())
    }

    fn reap(&mut self, _: std::time::Duration, done: &mut Vec<Done>) -> Result<(), EngineError> {
        RealClock.wait_until(RealClock.now() + self.1.take().unwrap_or(MILLISECOND));
        done.extend(self.0.drain(..).map(|op| Done::now(op.slot, Ok(op.len))));
        Ok(())
    }
}

#[test]
fn an_operation_that_held_a_lane_up_beyond_the_end_is_told() {
    let clock: Arc<dyn Clock> = Arc::new(RealClock);
    let mut stop = |set: &WindowSet| if set.samples.is_empty() || set.window < 3 { Flow::GoOn } else { Flow::Stop };
    let end = run_slice(&OneWaits, &Context::default(), &clock, &step(1, workload(2, 2)), WINDOW, &mut stop).unwrap();
    let (target, told) = end.first_error.unwrap();
    assert!(target == 0 && told.contains("an operation that went on at the end of a slice took 1."), "{told}");
}

#[test]
fn nothing_to_load_is_refused() {
    let clock: Arc<dyn Clock> = Arc::new(RealClock);
    let mut never = |_: &WindowSet| -> Flow { unreachable!("there are no windows") };
    let none = run_slice(&Null, &Context::default(), &clock, &step(0, workload(1, 1)), WINDOW, &mut never);
    assert!(matches!(none, Err(EngineError::Refused(_))));
}

/// An open loop on one simulated server: its response times, of all windows after the first ten.
fn responses(per_second: f64, arrivals: Arrivals, depth: u32, model: Model) -> Sparse {
    let workload = Workload { rate: Some(Rate { per_second, arrivals, by_job: false }), ..workload(depth, 1) };
    let (sets, end) = simulate(&step(1, workload), model, 610);
    assert_eq!(end.broken, None);
    let samples: Vec<&Sample> = sets[10..].iter().flat_map(|set| &set.samples).map(|sample| &sample.2).collect();
    let late = Sparse::merged(samples.iter().filter_map(|sample| sample.late.as_ref()));
    assert_eq!(late.max_ns, 0, "a simulated generator is never late");
    Sparse::merged(samples.iter().filter_map(|sample| sample.response.as_ref()))
}

/// A round over all of them takes longer than one may stand still, and every operation ended in time.
#[test]
fn whoever_waits_for_its_turn_does_not_stand_still() {
    let clock = Arc::new(SimClock::default());
    let sim = Sim::new(clock.clone(), |_, _| Model::steady(2e8, 0.0, 1));
    let step = Step { in_turns: true, ..step(60, workload(1, 1)) };
    let sessions = step.targets.iter().map(|target| sim.open(&Context::default(), target, &step.workload, 0).unwrap());
    let lane = |session| Lane::new(session, (&step.workload, 0), None, CountedTime::Window(WINDOW), WINDOW, 0);
    let seats = (0..).zip(sessions).map(|(target, session)| Seat { target, lane: lane(session) }).collect();
    let mut last = 0;
    let mut count = |set: &WindowSet| {
        last = last.max(set.window);
        if set.window >= 300 { Flow::Stop } else { Flow::GoOn }
    };
    let overseer = Overseer::new((0..60).collect(), 0, WINDOW, STALL, &mut count);
    let end = rota::run(seats, &*clock, 0, 1, overseer);
    assert!(end.broken.is_none() && last >= 300, "{:?} {last}", end.broken);
}

#[test]
fn an_operation_that_does_not_end_in_its_turn_is_told() {
    let mut go_on = |_: &WindowSet| Flow::GoOn;
    let mut overseer = Overseer::new(vec![3, 5], 0, WINDOW, STALL, &mut go_on);
    overseer.stalled(1, STALL - 1);
    assert!(!overseer.stop());
    overseer.stalled(1, STALL);
    assert!(overseer.stop());
    let end = overseer.end();
    assert_eq!((end.target, end.broken.as_deref()), (Some(5), Some("no operation completed for 10 s")));
}

#[test]
fn an_open_loop_counts_from_when_an_operation_was_due() {
    // One server, 1 ms each, 80 % busy: a wait of ρ/2(1−ρ) = 2 ms (Pollaczek and Khinchine), whether operations wait in
    // the target's queue or, since only one may be in flight, in ours.
    for depth in [1, 64] {
        let found = responses(800.0, Arrivals::Poisson, depth, Model::steady(1e6, 0.0, 1));
        assert!(found.count.abs_diff(48_000) < 900, "{}", found.count);
        let mean = found.sum_ns as f64 / found.count as f64;
        assert!((mean - 3e6).abs() < 0.25e6, "depth {depth}: {mean}");
    }
}

#[test]
fn even_arrivals_do_not_wait_for_one_another() {
    let found = responses(800.0, Arrivals::Even, 64, Model::steady(1e6, 0.0, 1));
    assert_eq!((found.count, found.sum_ns / found.count), (48_000, 1_000_000));
}

#[test]
fn a_stall_is_felt_by_all_that_were_due_in_it() {
    // Half a second of every ten: in a closed loop it strikes one operation, in an open one every twentieth, which
    // wait a quarter of a second on average.
    let dips = Twist::Dips { every: 10 * SECOND, lasts: 500 * MILLISECOND, factor: 500.0 };
    let found = responses(1000.0, Arrivals::Even, 4096, Model::steady(1e5, 0.0, 1).with(dips));
    let above = found.above(1e8) / found.count as f64;
    assert!((0.03..0.06).contains(&above), "{above}");
}

/// Its sessions close once they are released, and a second one can't be opened.
struct ClosesLate(Arc<std::sync::Barrier>);

impl Engine for ClosesLate {
    fn name(&self) -> &'static str {
        "closes late"
    }

    fn refuse(&self, _: &Target, _: &Workload) -> Option<String> {
        None
    }

    fn open(&self, _: &Context, _: &Target, _: &Workload, lane: u32) -> Result<Box<dyn Session>, EngineError> {
        match lane {
            0 => Ok(Box::new(ClosesLateSession(self.0.clone()))),
            _ => Err(EngineError::Broken("it does not answer".to_string())),
        }
    }
}

struct ClosesLateSession(Arc<std::sync::Barrier>);

impl Session for ClosesLateSession {
    fn submit(&mut self, _: &[Op]) -> Result<usize, EngineError> {
        Ok(0)
    }

    fn reap(&mut self, _: std::time::Duration, _: &mut Vec<Done>) -> Result<(), EngineError> {
        Ok(())
    }
}

impl Drop for ClosesLateSession {
    fn drop(&mut self) {
        self.0.wait();
    }
}

#[test]
fn a_session_that_does_not_close_is_left_behind_when_another_can_not_be_opened() {
    let clock: Arc<dyn Clock> = Arc::new(RealClock);
    let closes = Arc::new(std::sync::Barrier::new(2));
    let (engine, step) = (ClosesLate(closes.clone()), step(1, workload(2, 2)));
    let mut never = |_: &WindowSet| Flow::Stop;
    let ended = run_slice(&engine, &Context::default(), &clock, &step, WINDOW, &mut never);
    assert!(matches!(ended, Err(EngineError::Broken(why)) if why == "it does not answer"));
    // It was being closed all the time.
    closes.wait();
}

/// Operations that end as their first byte comes.
struct AllAtOnce;

impl Engine for AllAtOnce {
    fn name(&self) -> &'static str {
        "all at once"
    }

    fn refuse(&self, _: &Target, _: &Workload) -> Option<String> {
        None
    }

    fn open(&self, _: &Context, _: &Target, _: &Workload, _: u32) -> Result<Box<dyn Session>, EngineError> {
        Ok(Box::new(AllAtOnceSession(Vec::new())))
    }
}

struct AllAtOnceSession(Vec<Op>);

impl Session for AllAtOnceSession {
    fn submit(&mut self, ops: &[Op]) -> Result<usize, EngineError> {
        // What is done before a request is sent is in both of its times.
        RealClock.wait_until(RealClock.now() + MILLISECOND / 10);
        self.0.extend(ops);
        Ok(ops.len())
    }

    fn reap(&mut self, _: std::time::Duration, done: &mut Vec<Done>) -> Result<(), EngineError> {
        let at = RealClock.now();
        done.extend(self.0.drain(..).map(|op| Done { at, first_byte: Some(at), ..Done::now(op.slot, Ok(op.len)) }));
        Ok(())
    }
}

#[test]
fn the_first_and_the_last_byte_are_timed_from_the_same_instant() {
    let clock: Arc<dyn Clock> = Arc::new(RealClock);
    let mut seen = Vec::new();
    let mut keep = |set: &WindowSet| {
        seen.extend(set.samples.iter().map(|(_, _, sample)| sample.clone()));
        if seen.len() < 2 { Flow::GoOn } else { Flow::Stop }
    };
    run_slice(&AllAtOnce, &Context::default(), &clock, &step(1, workload(4, 1)), WINDOW, &mut keep).unwrap();
    let counted: Vec<&Sample> = seen.iter().filter(|sample| sample.ops > 0).collect();
    assert!(!counted.is_empty());
    for sample in counted {
        assert_eq!(sample.first_byte.as_ref(), Some(&sample.service));
    }
}
