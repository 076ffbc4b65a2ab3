//! The loop that owns everything that changes while a run is measured: slice after slice, as a scheduler asks for them.

use super::EventSink;
use super::apart::{Ill, Part};
use super::efforts::Efforts;
use super::guard::trouble;
use super::health::HealthMonitor;
use super::probes::{Observer, SliceDone};
use super::unfilled::Unfilled;
use agents::loader::Loader;
use cluster::watch::Seen;
use engines::EngineError;
use engines::crew::Flow;
use experiments::{Scheduler, Slot, Task, Until};
use model::clock::{MILLISECOND, SECOND};
use model::pattern::Family;
use model::{
    Clock, Effort, EmptyPages, Event, Failure, Gap, Observation, Observed, OpClass, PagesRead, Sample, Slice, SliceEnd,
    Step, Streams, Target, WindowSet,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Puts the cluster into the state that a step is measured in.
pub trait Sides {
    /// Errors: the change could not be made; the step is void.
    fn take(&self, step: &Step, sink: &mut EventSink) -> Result<(), String>;

    /// Can no further step be brought into its state, nor compared with those before?
    fn ends(&self) -> bool {
        false
    }
}

/// Every step is measured as the cluster is.
pub struct AsItIs;

impl Sides for AsItIs {
    fn take(&self, _: &Step, _: &mut EventSink) -> Result<(), String> {
        Ok(())
    }
}

pub struct Conductor<'a> {
    pub clock: &'a Arc<dyn Clock>,
    pub health: &'a dyn HealthMonitor,
    pub loader: &'a dyn Loader,
    /// Gives options of the cluster the values that a step needs, before its slice.
    pub sides: &'a dyn Sides,
    /// What is looked at meanwhile.
    pub observer: &'a dyn Observer,
    /// Targets whose data could not be written, and why: their steps are void.
    pub unfilled: &'a Unfilled,
}

/// The samples of one slice so far, by target (`None`: all together) and kind.
type Series = BTreeMap<(Option<u32>, OpClass), Vec<Sample>>;

/// How often a wait looks whether the user wants an end.
const LOOKS_APART: u64 = 100 * MILLISECOND;

/// How loading a step once ended.
#[derive(Default)]
struct Loaded {
    series: Series,
    /// Why nothing of it may be used, and which of its targets that is due to, if that is known.
    void: Option<String>,
    of: BTreeSet<u32>,
    error: Option<(u32, String)>,
    efforts: BTreeMap<u32, Effort>,
    lanes: BTreeMap<u32, Vec<u64>>,
    pages: BTreeMap<u32, EmptyPages>,
    /// A host that went missing, and when.
    gap: Option<String>,
    observations: Vec<Observation>,
}

/// Windows with completions without which no figure can be made at all.
const SPOKEN_LEAST: usize = 8;

/// With at least this many targets every window goes to the archive as it comes, instead of all of them at the slice's end.
const MANY: usize = 64;

/// How long the next step waits for operations that a step left stuck: OSDs report to the manager every five seconds, and the monitors
/// know it some seconds later.
const CALM_WITHIN: u64 = 60 * SECOND;

impl Conductor<'_> {
    /// Does what the scheduler asks for, until it asks no more, the user wants an end, or operations are stuck.
    pub fn conduct(&self, scheduler: &mut dyn Scheduler, sink: &mut EventSink) -> Result<(), Failure> {
        // The pass of which slices were measured since the last report.
        let mut unreported = None;
        while !self.health.asked_to_end() {
            let Some(task) = scheduler.next(sink.record(), sink.seconds()) else { break };
            match task {
                Task::Plan(plan) => sink.tell(Event::Planned { plan: *plan })?,
                Task::Report { pass } => {
                    unreported = None;
                    report(pass, sink)?;
                }
                Task::WriteWithoutPause(test) => self.write_without_pause(&test, sink)?,
                Task::Measure(slot) => {
                    unreported = Some(slot.pass);
                    if let Some(says) = self.stuck() {
                        let seconds = CALM_WITHIN / SECOND;
                        let text = format!("operations are stuck for {seconds} s ({says}): the run ends here");
                        sink.tell(Event::Failed { text })?;
                        break;
                    }
                    self.wait(slot.wait_seconds);
                    self.slice(&slot, sink)?;
                    // The step's own error has told why.
                    if self.sides.ends() {
                        let text =
                            "no further slice could be compared with those before: the run ends here".to_string();
                        sink.tell(Event::Failed { text })?;
                        break;
                    }
                    self.ask_temperatures(&slot.step, false, sink)?;
                }
            }
        }
        unreported.map_or(Ok(()), |pass| report(pass, sink))
    }

    fn wait(&self, seconds: f64) {
        let until = self.clock.now() + (seconds * SECOND as f64) as u64;
        while self.clock.now() < until && !self.health.asked_to_end() {
            self.clock.wait_until(until.min(self.clock.now() + LOOKS_APART));
        }
    }

    fn slice(&self, slot: &Slot, sink: &mut EventSink) -> Result<(), Failure> {
        let Slot { step, pass, seconds_expected, .. } = slot;
        let (pass, seconds_expected) = (*pass, *seconds_expected);
        sink.tell(Event::StepStarted { pass, step: step.clone(), seconds_expected })?;
        let mut ill = Ill::known(step, self.unfilled, sink.record());
        let (part, started_seconds, loaded) = loop {
            let part = ill.others(step);
            let started_seconds = sink.seconds();
            let loaded = self.attempt(&part, slot, started_seconds, sink)?;
            let why = loaded.void.as_ref().filter(|_| !self.health.asked_to_end());
            if !why.is_some_and(|why| ill.leave_out(step, &part, &loaded.of, why)) {
                break (part, started_seconds, loaded);
            }
        };
        if let Some(says) = &loaded.gap {
            let text = format!("{} {} {}: {says}", step.layer.name(), part.step.together(), step.pattern.name());
            sink.tell(Event::Warned { text })?;
            let gap = Gap { step: step.id, pass, says: says.clone() };
            sink.tell(Event::Observed { observation: Observation::Gap(gap) })?;
        }
        self.verify(&part, slot, loaded.void.is_none(), sink)?;
        if self.health.asked_to_end() && loaded.void.is_none() && !enough(slot, &loaded.series) {
            // Cut off by the user: no slice at all, so that what earlier passes found stands.
            return Ok(());
        }
        for observation in loaded.observations {
            sink.tell(Event::Observed { observation })?;
        }
        let operation_ns = sink.record().overhead.map_or(0.0, |overhead| overhead.of(&step.workload));
        let efforts = Efforts::new(loaded.efforts, &loaded.series, operation_ns);
        let void = loaded.void.clone();
        let slices = slices(&part.step, slot, started_seconds, loaded.series, void.clone(), loaded.error);
        let whose = |target: Option<u32>| target.map(|target| part.whose(target));
        let several = step.pattern.family() == Family::Linear && part.step.workload.jobs > 1;
        if step.layer.of_links() && several && void.is_none() {
            let blocks = loaded.lanes.into_iter().map(|(target, blocks)| (part.whose(target), blocks)).collect();
            let streams = Observation::Streams(Streams { step: step.id, pass, blocks });
            sink.tell(Event::Observed { observation: streams })?;
        }
        if !loaded.pages.is_empty() && void.is_none() {
            let targets = loaded.pages.into_iter().map(|(target, pages)| (part.whose(target), pages)).collect();
            let pages = Observation::PagesRead(PagesRead { step: step.id, pass, targets });
            sink.tell(Event::Observed { observation: pages })?;
        }
        let slices = slices.into_iter().map(|slice| {
            let (effort, target) = (efforts.of(slice.target), whose(slice.target));
            Slice { effort, target, ..slice }
        });
        let mut slices: Vec<Slice> = slices.collect();
        let of_ill = slices.first().map(|like| ill.slices(step, &part, pass, like));
        slices.extend(of_ill.into_iter().flatten());
        sink.tell(Event::StepFinished { pass, slices })?;
        let told = ill.told(step, &part).map(|(name, why)| (name.to_string(), why.to_string()));
        for (name, why) in told.chain(void.map(|why| (part.step.together(), why))) {
            let text = format!("{} {name} {}: {why}", step.layer.name(), step.pattern.name());
            sink.tell(Event::Failed { text })?;
        }
        Ok(())
    }

    /// Loads all targets of the part once.
    fn attempt(&self, part: &Part, slot: &Slot, started_seconds: f64, sink: &mut EventSink) -> Result<Loaded, Failure> {
        let mut step = part.step.clone();
        step.workload.seed = slot.seed;
        let step = &step;
        let before = self.health.seen();
        let void = self.unfilled.of(step).or_else(|| trouble(step, &before, &before));
        let mut loaded = Loaded { void: void.or_else(|| self.sides.take(step, sink).err()), ..Loaded::default() };
        if loaded.void.is_none() {
            let (mut told, many) = (Ok(()), step.targets.len() >= MANY);
            let mut tell = |set: &WindowSet| {
                if many && !set.samples.is_empty() {
                    told = sink.tell(Event::Window { started_seconds, set: part.in_step(set) });
                }
                told.is_ok()
            };
            let (ended, observations) = self.load(step, slot, &before, &mut tell, &mut loaded.series, &mut loaded.void);
            told?;
            loaded.observations = observations;
            match ended {
                Ok(end) => {
                    (loaded.error, loaded.efforts, loaded.gap) = (end.first_error, end.efforts, end.gap);
                    (loaded.lanes, loaded.pages) = (end.lanes, end.empty_pages);
                    if loaded.void.is_none() {
                        (loaded.void, loaded.of) = (end.broken, end.target.into_iter().collect());
                    }
                }
                Err(broken) => loaded.void = loaded.void.or_else(|| Some(broken.to_string())),
            }
        }
        if loaded.void.is_some() && loaded.of.is_empty() {
            let now = self.health.seen();
            let ill = |target: &Target| trouble(&Step { targets: vec![target.clone()], ..step.clone() }, &before, &now);
            loaded.of = (0..).zip(&step.targets).filter(|(_, target)| ill(target).is_some()).map(|(n, _)| n).collect();
        }
        Ok(loaded)
    }

    /// Waits for what an earlier step left stuck. Some: it is stuck still, in the cluster's words; not if the user ends the wait.
    fn stuck(&self) -> Option<String> {
        let until = self.clock.now() + CALM_WITHIN;
        while self.health.seen().slow.is_some() && self.clock.now() < until && !self.health.asked_to_end() {
            self.clock.wait_until(self.clock.now() + LOOKS_APART);
        }
        self.health.seen().slow.filter(|_| !self.health.asked_to_end())
    }

    /// Loads the step, and says what was seen meanwhile.
    fn load(
        &self,
        step: &Step,
        slot: &Slot,
        before: &Seen,
        tell: &mut dyn FnMut(&WindowSet) -> bool,
        series: &mut Series,
        void: &mut Option<String>,
    ) -> (Result<SliceEnd, EngineError>, Vec<Observation>) {
        let (began, mut first) = (self.clock.now(), None);
        self.observer.begin(step);
        let mut on_window = |set: &WindowSet| {
            first.get_or_insert_with(|| self.clock.now().saturating_sub(u64::from(set.window + 1) * slot.window_ns));
            collect(step, set, series);
            self.observer.look();
            *void = trouble(step, before, &self.health.seen());
            let done = !tell(set) || void.is_some() || self.health.asked_to_end() || enough(slot, series);
            if done && void.is_none() {
                self.observer.loaded();
            }
            if done { Flow::Stop } else { Flow::GoOn }
        };
        let mut opened = || self.observer.opened();
        let ended = self.loader.load((step, None), slot.window_ns, &mut opened, &mut on_window);
        // Sessions were opened first: a slice's time begins with its first window.
        let first = first.unwrap_or(began);
        let lead = first.saturating_sub(began) as f64 / SECOND as f64;
        let mut observations = self.observer.end(&SliceDone { step: step.id, pass: slot.pass, lead });
        let hosts = self.loader.observed(first);
        if !hosts.is_empty() {
            observations.push(Observation::Hosts(Observed { step: step.id, pass: slot.pass, hosts }));
        }
        (ended, observations)
    }
}

/// Is every target's part of the slice long enough?
fn enough(slot: &Slot, series: &Series) -> bool {
    match &slot.until {
        Until::Length { length, patient } => {
            let reached = |samples: &Vec<Sample>| length.reached(samples, slot.window_ns, *patient, SPOKEN_LEAST);
            !series.is_empty() && series.values().all(reached)
        }
        Until::BoundKnown { bound, per_second, seconds_max, .. } => {
            let of_targets = series.iter().filter(|((target, _), _)| target.is_some());
            let parts: Vec<&[Sample]> = of_targets.map(|(_, samples)| samples.as_slice()).collect();
            let samples = judge::side_by_side(&parts);
            let windows = seconds_max * SECOND as f64 / slot.window_ns as f64;
            let decided = judge::bound_decided(&samples, slot.window_ns, bound, *per_second);
            decided.is_some() || samples.len() as f64 >= windows
        }
    }
}

fn slices(
    step: &Step,
    slot: &Slot,
    started_seconds: f64,
    mut series: Series,
    void: Option<String>,
    error: Option<(u32, String)>,
) -> Vec<Slice> {
    if series.is_empty() {
        let kind = step.workload.mix.first_change();
        let together = step.has_whole().then_some(None);
        let targets = (0..step.targets.len() as u32).map(Some).chain(together);
        series = targets.map(|target| ((target, kind), Vec::new())).collect();
    }
    let slice = |((target, kind), samples): ((Option<u32>, OpClass), Vec<Sample>)| {
        let (warmup, settled) = slot.until.length().cut(&samples, slot.window_ns);
        let own_error = error.as_ref().filter(|(of, _)| target.is_none_or(|target| target == *of));
        Slice {
            step: step.id,
            target,
            kind,
            pass: slot.pass,
            started_seconds,
            window_ns: slot.window_ns,
            samples,
            warmup,
            settled,
            void: void.clone(),
            error: own_error.map(|(_, text)| text.clone()),
            effort: None,
        }
    };
    series.into_iter().map(slice).collect()
}

/// What is known after this pass.
fn report(pass: u32, sink: &mut EventSink) -> Result<(), Failure> {
    let report = experiments::explain(sink.record());
    sink.tell(Event::PassFinished { pass, report: Box::new(report) })
}

/// Adds a window to each target's series, and, of several targets, to that of all together if it has all of them.
fn collect(step: &Step, set: &WindowSet, series: &mut Series) {
    let mut together: BTreeMap<OpClass, Vec<&Sample>> = BTreeMap::new();
    for (target, kind, sample) in &set.samples {
        series.entry((Some(*target), *kind)).or_default().push(sample.clone());
        together.entry(*kind).or_default().push(sample);
    }
    // Without a host that was lost it would be another load, and a drop that no target has.
    let whole = |parts: &Vec<&Sample>| parts.len() == step.targets.len();
    if step.has_whole() {
        for (kind, parts) in together.into_iter().filter(|(_, parts)| whole(parts)) {
            series.entry((None, kind)).or_default().push(Sample::side_by_side(set.window, &parts));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Client, Pattern, Place, Workload, testing};

    #[test]
    fn a_window_that_lacks_a_target_is_none_of_all_together() {
        let target = |host: &str, of: &str| Target {
            client: Some(Client { host: host.into(), of: of.into() }),
            ..Target::new(testing::disks(), of, Place::Null)
        };
        let pattern = Pattern::ReadParallel;
        let window = |window: u32, targets: u32| WindowSet {
            window,
            samples: (0..targets).map(|n| (n, OpClass::Read, Sample { window, ops: 5, ..Sample::default() })).collect(),
        };
        // Disks of several hosts, and one pool that several hosts load.
        for of in [["a:sdb", "b:sdb"], ["pool", "pool"]] {
            let targets = vec![target("a", of[0]), target("b", of[1])];
            let step = Step::new(0, testing::disks(), pattern, targets, Workload::canonical(pattern, 1 << 30, 1));
            let mut series = Series::new();
            for set in [window(0, 2), window(1, 1), window(2, 1)] {
                collect(&step, &set, &mut series);
            }
            let ops = |target| series[&(target, OpClass::Read)].iter().map(|one| one.ops).collect::<Vec<_>>();
            assert_eq!((ops(None), ops(Some(0)), ops(Some(1))), (vec![10], vec![5, 5, 5], vec![5]), "{of:?}");
        }
    }
}
