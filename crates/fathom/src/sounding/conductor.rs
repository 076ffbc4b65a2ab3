//! The loop that owns everything that changes while a run is measured: pass after pass, a slice of each step.

use super::Telling;
use super::apart::{Ill, Part};
use super::efforts::Efforts;
use super::filling::Unfilled;
use super::guard::trouble;
use super::loader::Loader;
use super::turns::{b_first, due_in, first_due, rests, side_by_side};
use super::wanted;
use crate::failure::Failure;
use crate::planner::step_seconds;
use cluster::watch::Seen;
use engines::EngineError;
use engines::crew::Flow;
use judge::Length;
use model::clock::SECOND;
use model::pattern::Family;
use model::{
    Clock, Compaction, Effort, EmptyPages, Event, Gap, Goal, HostSeconds, Layer, Observed, OpKind, OsdLooks, PagesRead,
    PgStates, PgsSeen, Plan, Sample, Slice, SliceEnd, Step, StepId, Streams, Target, WindowSet,
};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What the conductor looks at between windows.
pub trait Eyes {
    /// The user wants the run to end.
    fn asked_to_end(&self) -> bool;
    /// Which OSDs are down, whether pools are full, what got stuck since the run began.
    fn seen(&self) -> Seen;
    /// A slice of this step begins: from now on what the stores do in the background is of interest.
    fn slice_begins(&self, _step: &Step) {}
    /// It is over: what they did, in seconds since it began; and how many OSDs serve the step.
    fn slice_ended(&self) -> (Vec<OsdLooks>, u32) {
        (Vec::new(), 0)
    }
    /// In which states but `active+clean` placement groups were since the slice began.
    fn pgs_seen(&self) -> PgStates {
        PgStates::new()
    }
}

/// Puts the cluster into the state that a step is measured in.
pub trait Sides {
    /// Errors: the change could not be made; the step is void.
    fn take(&self, step: &Step, telling: &mut Telling) -> Result<(), String>;
}

/// Every step is measured as the cluster is.
pub struct AsItIs;

impl Sides for AsItIs {
    fn take(&self, _: &Step, _: &mut Telling) -> Result<(), String> {
        Ok(())
    }
}

pub struct Conductor<'a> {
    pub plan: &'a Plan,
    pub clock: &'a Arc<dyn Clock>,
    pub eyes: &'a dyn Eyes,
    pub loader: &'a dyn Loader,
    /// Gives options of the cluster the values that a step needs, before its slice.
    pub sides: &'a dyn Sides,
    /// Targets whose data could not be written, and why: their steps are void.
    pub unfilled: &'a Unfilled,
}

/// The samples of one slice so far, by target (`None`: all together) and kind.
type Series = BTreeMap<(Option<u32>, OpKind), Vec<Sample>>;

/// What was seen beside the load: of the OSDs' stores, and how many serve the step; and of the hosts' kernels.
struct Behind {
    stores: Option<(Vec<OsdLooks>, u32)>,
    hosts: Vec<HostSeconds>,
    pgs: PgStates,
}

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
    behind: Option<Behind>,
}

/// Windows with completions without which no figure can be made at all.
const SPOKEN_LEAST: usize = 8;

/// Of so many targets and more every window goes to the archive as it comes, not all of them at the slice's end.
const MANY: usize = 64;

/// A run may take more passes than the least only within this time, unless its goal says otherwise.
const BUDGET_SECONDS: f64 = 13.0 * 60.0;

/// So long the next step waits for operations that a step left stuck: OSDs tell the manager every five seconds, and the
/// monitors know it some seconds later.
const CALM_WITHIN: u64 = 60 * SECOND;

/// How a pass keeps its time: slices may run on until they settle only while the pass is not late.
struct Schedule {
    began: f64,
    /// What the steps done so far should have taken.
    expected: f64,
}

/// How a slice is paced.
#[derive(Clone, Copy)]
struct Pace {
    length: Length,
    /// It may run on until it settles.
    patient: bool,
}

impl Schedule {
    /// `grace`: seconds that a pass may be late.
    fn in_time(&self, now: f64, grace: f64) -> bool {
        now - self.began <= self.expected + grace
    }
}

impl Conductor<'_> {
    /// One step, towards a goal of its own, under the very conditions of every other: watched, journalled, told window by window.
    pub fn conduct_one(&self, step: Step, goal: Goal, telling: &mut Telling) -> Result<(), Failure> {
        let plan = &Plan { steps: vec![step], goal, ..Plan::default() };
        Conductor { plan, ..*self }.conduct(telling)
    }

    pub fn conduct(&self, telling: &mut Telling) -> Result<(), Failure> {
        let mut wanted: Vec<StepId> = self.plan.steps.iter().map(|step| step.id).collect();
        for pass in 1..=self.plan.goal.passes_max {
            if self.out_of_time(pass, telling) {
                break;
            }
            self.order(&mut wanted, pass, telling);
            // A run that is taken up again has some of them already.
            let mut todo: Vec<StepId> =
                wanted.iter().copied().filter(|id| !wanted::done(*id, pass, telling.record())).collect();
            let mut schedule = Schedule { began: telling.seconds(), expected: 0.0 };
            todo.retain(|id| !rests(self.plan, *id, pass, telling.record()));
            let any = !todo.is_empty();
            while !todo.is_empty() {
                if self.out_of_time(pass, telling) || self.eyes.asked_to_end() {
                    break;
                }
                if let Some(says) = self.stuck() {
                    let text =
                        format!("operations are stuck for {} s ({says}): the run ends here", CALM_WITHIN / SECOND);
                    telling.tell(Event::Failed { text })?;
                    return telling.tell(Event::PassFinished { pass, report: judge::explain(telling.record()) });
                }
                let id = todo.remove(first_due(self.plan, &todo, pass, telling));
                if let Some(step) = self.plan.steps.iter().find(|step| step.id == id) {
                    let goal = &self.plan.goal;
                    self.wait(due_in(self.plan, id, pass, telling));
                    let length = Length::next(goal, step, &wanted::slices_before(id, pass, telling.record()));
                    let grace = length.seconds(self.window_ns());
                    let patient = !goal.fixed && schedule.in_time(telling.seconds(), grace);
                    self.slice(step, pass, Pace { length, patient }, telling)?;
                    schedule.expected += step_seconds(goal, step, &length);
                }
            }
            let goal = judge::with_event_depth(&self.plan.goal, telling.record());
            wanted.retain(|id| wanted::another(self.plan, &goal, *id, pass, telling.record()));
            let last = wanted.is_empty() || pass == self.plan.goal.passes_max || self.eyes.asked_to_end();
            // Of many short passes not each is shown.
            let shown =
                self.plan.goal.short.is_none() || pass.is_power_of_two() || last || self.out_of_time(pass + 1, telling);
            if any && shown {
                let report = judge::explain(telling.record());
                telling.tell(Event::PassFinished { pass, report })?;
            }
            if last {
                break;
            }
        }
        Ok(())
    }

    fn wait(&self, seconds: f64) {
        let until = self.clock.now() + (seconds * SECOND as f64) as u64;
        while self.clock.now() < until && !self.eyes.asked_to_end() {
            self.clock.wait_until(until.min(self.clock.now() + self.window_ns()));
        }
    }

    /// What compares points or sides needs its passes; how many there may be, the user knows.
    fn out_of_time(&self, pass: u32, telling: &Telling) -> bool {
        let compares = self.plan.sweep.is_some() || self.plan.ab.is_some();
        let budget = self.plan.goal.run_seconds.unwrap_or(BUDGET_SECONDS);
        !compares && pass > self.plan.goal.passes_min && telling.seconds() > budget
    }

    /// Shuffled, so that what one step leaves behind becomes noise instead of bias; once every figure has what it must
    /// have, the widest interval comes first, since the time may end before the pass does.
    fn order(&self, wanted: &mut [StepId], pass: u32, telling: &Telling) {
        wanted.sort();
        if self.plan.goal.in_order {
            return;
        }
        let seed = self.plan.goal.seed ^ (u64::from(pass) << 32);
        wanted.shuffle(&mut rand::rngs::StdRng::seed_from_u64(seed));
        if let Some(ab) = &self.plan.ab {
            return side_by_side(wanted, &ab.pairs, b_first(self.plan.goal.seed, pass));
        }
        // Short ones come round soon: an order by width would see each figure in the same rhythm.
        if pass > self.plan.goal.passes_min && self.plan.goal.short.is_none() {
            let width = |id: &StepId| {
                wanted::figures(self.plan, &self.plan.goal, *id, pass - 1, telling.record())
                    .iter()
                    .map(|f| f.1)
                    .fold(0.0, f64::max)
            };
            let mut by_width: Vec<(f64, StepId)> = wanted.iter().map(|id| (width(id), *id)).collect();
            by_width.sort_by(|a, b| b.0.total_cmp(&a.0));
            for (place, (_, id)) in wanted.iter_mut().zip(by_width) {
                *place = id;
            }
        }
    }

    fn slice(&self, step: &Step, pass: u32, pace: Pace, telling: &mut Telling) -> Result<(), Failure> {
        let seconds_expected = step_seconds(&self.plan.goal, step, &pace.length);
        telling.tell(Event::StepStarted { pass, step: step.clone(), seconds_expected })?;
        let mut ill = Ill::known(step, self.unfilled, telling.record());
        let (part, started_seconds, loaded) = loop {
            let part = ill.others(step);
            let started_seconds = telling.seconds();
            let loaded = self.attempt(&part, (pass, started_seconds), pace, telling)?;
            let why = loaded.void.as_ref().filter(|_| !self.eyes.asked_to_end());
            if !why.is_some_and(|why| ill.leave_out(step, &part, &loaded.of, why)) {
                break (part, started_seconds, loaded);
            }
        };
        if let Some(says) = &loaded.gap {
            let text = format!("{} {} {}: {says}", step.layer.name(), part.step.together(), step.pattern.name());
            telling.tell(Event::Warned { text })?;
            telling.tell(Event::Gap { gap: Gap { step: step.id, pass, says: says.clone() } })?;
        }
        self.verify(&part, pass, loaded.void.is_none(), telling)?;
        if self.eyes.asked_to_end() && loaded.void.is_none() && !self.enough(&part.step, pace, &loaded.series) {
            // Cut off by the user: no slice at all, so that what earlier passes found stands.
            return Ok(());
        }
        if let Some(behind) = loaded.behind {
            tell_behind(step, pass, behind, telling)?;
        }
        let operation_ns = telling.record().overhead.map_or(0.0, |overhead| overhead.of(&step.workload));
        let efforts = Efforts::new(loaded.efforts, &loaded.series, operation_ns);
        let void = loaded.void.clone();
        let slices =
            self.slices(&part.step, (pass, started_seconds), &pace.length, loaded.series, void.clone(), loaded.error);
        let whose = |target: Option<u32>| target.map(|target| part.whose(target));
        let several = step.pattern.family() == Family::Linear && part.step.workload.jobs > 1;
        if step.layer == Layer::Network && several && void.is_none() {
            let blocks = loaded.lanes.into_iter().map(|(target, blocks)| (part.whose(target), blocks)).collect();
            telling.tell(Event::Streams { streams: Streams { step: step.id, pass, blocks } })?;
        }
        if !loaded.pages.is_empty() && void.is_none() {
            let targets = loaded.pages.into_iter().map(|(target, pages)| (part.whose(target), pages)).collect();
            telling.tell(Event::PagesRead { pages: PagesRead { step: step.id, pass, targets } })?;
        }
        let slices = slices.into_iter().map(|slice| {
            let (effort, target) = (efforts.of(slice.target), whose(slice.target));
            Slice { effort, target, ..slice }
        });
        let mut slices: Vec<Slice> = slices.collect();
        let of_ill = slices.first().map(|like| ill.slices(step, &part, pass, like));
        slices.extend(of_ill.into_iter().flatten());
        telling.tell(Event::StepFinished { pass, slices })?;
        let told = ill.told(step, &part).map(|(name, why)| (name.to_string(), why.to_string()));
        for (name, why) in told.chain(void.map(|why| (part.step.together(), why))) {
            let text = format!("{} {name} {}: {why}", step.layer.name(), step.pattern.name());
            telling.tell(Event::Failed { text })?;
        }
        Ok(())
    }

    /// Loads all targets of the part once.
    fn attempt(
        &self,
        part: &Part,
        (pass, started_seconds): (u32, f64),
        pace: Pace,
        telling: &mut Telling,
    ) -> Result<Loaded, Failure> {
        let mut step = part.step.clone();
        step.workload.seed = self.plan.load_seed(&part.step, pass);
        let step = &step;
        let before = self.eyes.seen();
        let void = self.unfilled.of(step).or_else(|| trouble(step, &before, &before));
        let mut loaded = Loaded { void: void.or_else(|| self.sides.take(step, telling).err()), ..Loaded::default() };
        if loaded.void.is_none() {
            let (mut told, many) = (Ok(()), step.targets.len() >= MANY);
            let mut tell = |set: &WindowSet| {
                if many && !set.samples.is_empty() {
                    told = telling.tell(Event::Window { started_seconds, set: part.in_step(set) });
                }
                told.is_ok()
            };
            let (ended, behind) = self.load(step, pace, &before, &mut tell, &mut loaded.series, &mut loaded.void);
            told?;
            loaded.behind = Some(behind);
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
            let now = self.eyes.seen();
            let ill = |target: &Target| trouble(&Step { targets: vec![target.clone()], ..step.clone() }, &before, &now);
            loaded.of = (0..).zip(&step.targets).filter(|(_, target)| ill(target).is_some()).map(|(n, _)| n).collect();
        }
        Ok(loaded)
    }

    /// Waits for what an earlier step left stuck. Some: it is stuck still, in the cluster's words; not if the user ends the wait.
    fn stuck(&self) -> Option<String> {
        let until = self.clock.now() + CALM_WITHIN;
        while self.eyes.seen().slow.is_some() && self.clock.now() < until && !self.eyes.asked_to_end() {
            self.clock.wait_until(self.clock.now() + self.window_ns());
        }
        self.eyes.seen().slow.filter(|_| !self.eyes.asked_to_end())
    }

    /// Loads the step, and says what the stores did meanwhile, where somebody looked.
    fn load(
        &self,
        step: &Step,
        pace: Pace,
        before: &Seen,
        tell: &mut dyn FnMut(&WindowSet) -> bool,
        series: &mut Series,
        void: &mut Option<String>,
    ) -> (Result<SliceEnd, EngineError>, Behind) {
        let (began, mut first) = (self.clock.now(), None);
        self.eyes.slice_begins(step);
        let mut on_window = |set: &WindowSet| {
            first.get_or_insert_with(|| self.clock.now().saturating_sub(u64::from(set.window + 1) * self.window_ns()));
            collect(step, set, series);
            *void = trouble(step, before, &self.eyes.seen());
            let done = !tell(set) || void.is_some() || self.eyes.asked_to_end() || self.enough(step, pace, series);
            if done { Flow::Stop } else { Flow::GoOn }
        };
        let ended = self.loader.load(step, self.window_ns(), &mut on_window);
        let (mut osds, of) = self.eyes.slice_ended();
        // Sessions were opened first: a slice's time begins with its first window.
        let first = first.unwrap_or(began);
        let lead = first.saturating_sub(began) as f64 / SECOND as f64;
        for look in osds.iter_mut().flat_map(|osd| &mut osd.looks) {
            (look.from, look.to) = (look.from - lead, look.to - lead);
        }
        let stores = (!osds.is_empty()).then_some((osds, of));
        (ended, Behind { stores, hosts: self.loader.observed(first), pgs: self.eyes.pgs_seen() })
    }

    /// Is every target's part of the slice long enough? A pass behind its schedule waits for no level to settle.
    fn enough(&self, step: &Step, pace: Pace, series: &Series) -> bool {
        if let Some(decided) = self.bound_decided(step, series) {
            return decided;
        }
        let reached =
            |samples: &Vec<Sample>| pace.length.reached(samples, self.window_ns(), pace.patient, SPOKEN_LEAST);
        !series.is_empty() && series.values().all(reached)
    }

    /// Of a probe of a rate: is it known whether the bound is kept, or is the time up? `None`: the step is no such probe.
    fn bound_decided(&self, step: &Step, series: &Series) -> Option<bool> {
        let (bound, rate) = (self.plan.goal.bound?, step.workload.rate?);
        let parts: Vec<&[Sample]> =
            series.iter().filter(|((target, _), _)| target.is_some()).map(|(_, samples)| samples.as_slice()).collect();
        let samples = judge::side_by_side(&parts);
        let windows = self.plan.goal.slice_seconds(step) * SECOND as f64 / self.window_ns() as f64;
        let decided =
            judge::bound_decided(&samples, self.window_ns(), &bound, rate.per_second * step.targets.len() as f64);
        Some(decided.is_some() || samples.len() as f64 >= windows)
    }

    fn slices(
        &self,
        step: &Step,
        (pass, started_seconds): (u32, f64),
        length: &Length,
        mut series: Series,
        void: Option<String>,
        error: Option<(u32, String)>,
    ) -> Vec<Slice> {
        if series.is_empty() {
            let kind = if step.workload.writes() { OpKind::Write } else { OpKind::Read };
            let together = step.has_whole().then_some(None);
            let targets = (0..step.targets.len() as u32).map(Some).chain(together);
            series = targets.map(|target| ((target, kind), Vec::new())).collect();
        }
        series
            .into_iter()
            .map(|((target, kind), samples)| {
                let (warmup, settled) = length.cut(&samples, self.window_ns());
                let own_error = error.as_ref().filter(|(of, _)| target.is_none_or(|target| target == *of));
                Slice {
                    step: step.id,
                    target,
                    kind,
                    pass,
                    started_seconds,
                    window_ns: self.window_ns(),
                    samples,
                    warmup,
                    settled,
                    void: void.clone(),
                    error: own_error.map(|(_, text)| text.clone()),
                    effort: None,
                }
            })
            .collect()
    }

    fn window_ns(&self) -> u64 {
        self.plan.goal.window_ms * model::clock::MILLISECOND
    }
}

fn tell_behind(step: &Step, pass: u32, behind: Behind, telling: &mut Telling) -> Result<(), Failure> {
    if let Some((osds, of)) = behind.stores {
        telling.tell(Event::Compaction { compaction: Compaction { step: step.id, pass, osds, of } })?;
    }
    if !behind.pgs.is_empty() {
        telling.tell(Event::PgsSeen { pgs: PgsSeen { step: step.id, pass, states: behind.pgs } })?;
    }
    if !behind.hosts.is_empty() {
        telling.tell(Event::Observed { observed: Observed { step: step.id, pass, hosts: behind.hosts } })?;
    }
    Ok(())
}

/// Adds a window to each target's series, and, of several targets, to that of all together.
fn collect(step: &Step, set: &WindowSet, series: &mut Series) {
    let mut together: BTreeMap<OpKind, Vec<&Sample>> = BTreeMap::new();
    for (target, kind, sample) in &set.samples {
        series.entry((Some(*target), *kind)).or_default().push(sample.clone());
        together.entry(*kind).or_default().push(sample);
    }
    // Of clients only the whole says what the cluster can do.
    let whole = |parts: &Vec<&Sample>| !step.of_clients() || parts.len() == step.targets.len();
    if step.has_whole() {
        for (kind, parts) in together.into_iter().filter(|(_, parts)| whole(parts)) {
            series.entry((None, kind)).or_default().push(Sample::side_by_side(set.window, &parts));
        }
    }
}
