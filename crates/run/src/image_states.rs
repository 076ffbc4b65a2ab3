//! Images in each of their states, asked one operation at a time, round after round: all states in each round, in an order drawn by lot.

use super::guard::{self, Rollback};
use super::{EventSink, Ready};
use ceph::{Cache, OpenFor, Pool};
use cluster::Cluster;
use cluster::watch::Seen;
use engines::{Context, EngineError, Session, one_by_one};
use model::clock::MILLISECOND;
use model::{
    Access, Bytes, Change, Event, Failure, ImageState, ImageStates, Nanos, Observation, OpClass, OpMix, Pattern, Place,
    StateOperation, StateTimes, Step, StepId, Target, Workload,
};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};

/// In a round each object has one first write, and as many of the others.
const READS: usize = 2;
const LATER_WRITES: usize = 2;
/// Writes of two writers in turns: an image's lock may take a tenth of a second to change hands.
const TURNS: usize = 10;
/// A third of an image's bytes are written again.
const OVERWRITTEN: usize = 3;
const OVERWRITE_DEPTH: u32 = 32;
/// With fewer objects a round says next to nothing.
const OBJECTS_LEAST: Bytes = 8;
/// With more, a round of all states takes minutes.
const OBJECTS_MOST: Bytes = 4096;

pub(super) struct Bench<'a> {
    pub plan: &'a ImageStates,
    /// Of the precision that is asked for.
    pub settle: f64,
    pub seed: u64,
    pub cluster: &'a Cluster,
    pub ready: &'a Ready<'a>,
    /// How the cluster was before the first image: what is worse later is trouble, in whichever round it began.
    pub before: Seen,
}

impl Bench<'_> {
    /// # Errors
    /// An image can't be made or filled, or does not answer; an operation failed; the cluster is in trouble.
    pub fn conduct(&self, journal: &mut Rollback, sink: &mut EventSink) -> Result<(), Failure> {
        let pool = self.cluster.rados.open_pool(&self.plan.pool)?;
        self.make_ready(&pool, journal, sink)?;
        let mut round = 0;
        while !self.asked_to_end() && judge::wants_another_round(self.plan, self.settle, sink.record()) {
            round += 1;
            self.round(round, &pool, journal, sink)?;
        }
        Ok(())
    }

    fn asked_to_end(&self) -> bool {
        self.ready.health.asked_to_end()
    }

    /// Fills the images that stand through the whole run, takes the snapshot of which clones are made, and flattens one of those.
    fn make_ready(&self, pool: &Pool, journal: &mut Rollback, sink: &mut EventSink) -> Result<(), Failure> {
        self.places(pool, &self.plan.parent())?;
        self.prove_well(&self.plan.parent())?;
        for name in self.plan.lasting() {
            self.fill(&name, sink)?;
        }
        if self.asked_to_end() {
            return Ok(());
        }
        let overwritten = self.plan.image(ImageState::Overwritten);
        self.overwrite(&overwritten, sink)?;
        if self.asked_to_end() {
            return Ok(());
        }
        pool.open_image(&self.plan.parent(), OpenFor::Writing, Cache::Off)?.snapshot(Change::BASE)?;
        let flattened = self.plan.image(ImageState::Flattened);
        journal.make(self.clone_of(flattened.clone()), sink)?;
        let image = pool.open_image(&flattened, OpenFor::Writing, Cache::Off)?;
        self.guarded(&flattened, |well| {
            let flatten = |share: f64| {
                let told = sink.tell(progress("flattening a clone".to_string(), share));
                told.is_ok() && well()
            };
            let done = image.flatten(flatten);
            if self.asked_to_end() { Ok(()) } else { Ok(done?) }
        })
    }

    /// Does what writes to an image for long. `well`: is the cluster, and shall it go on? Asked between its parts.
    ///
    /// # Errors
    /// It failed, or was ended since the cluster is in trouble.
    fn guarded(
        &self,
        name: &str,
        what: impl FnOnce(&mut dyn FnMut() -> bool) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let (done, trouble) = guarded(&|| self.trouble(name), &|| self.asked_to_end(), what);
        trouble.map_or(done, |why| Err(self.failed(name, &why)))?;
        self.prove_well(name)
    }

    fn trouble(&self, name: &str) -> Option<String> {
        guard::trouble(&self.step(name), &self.before, &self.ready.health.seen())
    }

    fn failed(&self, name: &str, why: &str) -> Failure {
        Failure::Failed(format!("image {}/{name}: {why}", self.plan.pool))
    }

    /// # Errors
    /// An OSD went down, there is no room any more, or operations are stuck.
    fn prove_well(&self, name: &str) -> Result<(), Failure> {
        self.trouble(name).map_or(Ok(()), |why| Err(self.failed(name, &why)))
    }

    /// # Errors
    /// Its objects are so large that there are too few of them, or so small that a round would never end.
    fn places(&self, pool: &Pool, name: &str) -> Result<Places, Failure> {
        let object = pool.open_image(name, OpenFor::Reading, Cache::Off)?.object_size()?;
        let places = Places { object, objects: self.plan.bytes / object, block: self.plan.block };
        let fits = (OBJECTS_LEAST + 1..=OBJECTS_MOST).contains(&places.objects);
        match fits && object.is_multiple_of(self.plan.block) {
            true => Ok(places),
            false => Err(Failure::Usage(format!(
                "--states: images of pool {} are made of objects of {} (rbd_default_order); a round needs {} to {OBJECTS_MOST} of them, and \
                 operations lie within one: give a --working-set of {} to {}, and a --block-size that divides an object",
                self.plan.pool,
                model::units::bytes(object),
                OBJECTS_LEAST + 1,
                model::units::bytes(object.saturating_mul(OBJECTS_LEAST)),
                model::units::bytes(object.saturating_mul(OBJECTS_MOST - 1))
            ))),
        }
    }

    /// What a name has beside that of the run.
    fn short<'n>(&self, name: &'n str) -> &'n str {
        name.strip_prefix(&self.plan.prefix).unwrap_or(name)
    }

    fn clone_of(&self, name: String) -> Change {
        let (pool, data_pool) = (self.plan.pool.clone(), self.plan.data_pool.clone());
        Change::Clone { pool, data_pool, name, parent: self.plan.parent() }
    }

    fn fill(&self, name: &str, sink: &mut EventSink) -> Result<(), Failure> {
        let step = self.step(name);
        let what = format!("filling {}", self.short(name));
        self.guarded(name, |well| {
            let mut go_on = |done: Bytes| {
                let told = sink.tell(progress(what.clone(), done as f64 / self.plan.bytes as f64));
                told.is_ok() && well()
            };
            Ok(self.ready.host.fill(&step, &step.targets[0], &mut go_on)?)
        })
    }

    /// Writes a third of the image's blocks again, each once, in random order.
    fn overwrite(&self, name: &str, sink: &mut EventSink) -> Result<(), Failure> {
        let mut lot = StdRng::seed_from_u64(self.seed);
        let mut places: Vec<Bytes> =
            (0..self.plan.bytes / self.plan.block).map(|block| block * self.plan.block).collect();
        places.shuffle(&mut lot);
        places.truncate(places.len() / OVERWRITTEN);
        let depth = OVERWRITE_DEPTH.min(places.len() as u32).max(1);
        let mut step = self.step(name);
        step.workload.depth = depth;
        let mut session = open(&step, &self.ready.host.context)?;
        let what = format!("writing a third of {} again", self.short(name));
        let clock = &*self.ready.host.clock;
        self.guarded(name, |well| {
            let mut go_on = |done: usize| {
                let told = sink.tell(progress(what.clone(), done as f64 / places.len().max(1) as f64));
                told.is_ok() && well()
            };
            let all = one_by_one::write_each(&mut *session, (depth, self.plan.block), &places, clock, &mut go_on);
            all.map(drop).map_err(|error| self.failed(name, &error.to_string()))
        })
    }

    fn round(&self, round: u32, pool: &Pool, journal: &mut Rollback, sink: &mut EventSink) -> Result<(), Failure> {
        let fresh = self.plan.made(self.plan.image(ImageState::Fresh));
        let clone = self.clone_of(self.plan.image(ImageState::Clone));
        let snapshot = format!("{}.{round}", Change::BASE);
        let with_snapshot = self.plan.image(ImageState::Snapshot);
        journal.make(fresh.clone(), sink)?;
        journal.make(clone.clone(), sink)?;
        pool.open_image(&with_snapshot, OpenFor::Writing, Cache::Off)?.snapshot(&snapshot)?;
        let mut lot = StdRng::seed_from_u64(self.seed ^ (u64::from(round) << 32));
        let mut states = ImageState::ALL;
        states.shuffle(&mut lot);
        for (place, state) in states.into_iter().enumerate() {
            if self.asked_to_end() {
                break;
            }
            let expected = if round <= self.plan.rounds_min { self.plan.rounds_min } else { self.plan.rounds_max };
            let done = f64::from(round - 1) + place as f64 / ImageState::ALL.len() as f64;
            sink.tell(progress(
                format!("round {round} of {} to {}: {}", self.plan.rounds_min, self.plan.rounds_max, state.name()),
                done / f64::from(expected),
            ))?;
            self.ask(round, state, pool, &mut lot, sink)?;
        }
        journal.undo(&fresh, sink)?;
        journal.undo(&clone, sink)?;
        Ok(pool.open_image(&with_snapshot, OpenFor::Writing, Cache::Off)?.remove_snapshot(&snapshot)?)
    }

    /// Takes the image's lock, then reads, then writes to each object for the first time, then again.
    fn ask(
        &self,
        round: u32,
        state: ImageState,
        pool: &Pool,
        lot: &mut StdRng,
        sink: &mut EventSink,
    ) -> Result<(), Failure> {
        let name = self.plan.image(state);
        let places = self.places(pool, &name)?;
        let object = places.object;
        let mut tell = |operation, timed: &[Nanos]| tell(sink, (round, state, operation, object), timed);
        if state == ImageState::TwoWriters {
            return tell(StateOperation::LaterWrite, &self.two_writers(&places, lot)?);
        }
        let session = &mut *self.session(&name)?;
        // The first write of all takes the image's lock, and reads its object map. The first object is kept for it.
        self.timed(&name, (session, OpClass::Write), &[0])?;
        let read = self.timed(&name, (session, OpClass::Read), &places.of_each(READS, lot))?;
        tell(StateOperation::Read, &read)?;
        let first = self.timed(&name, (session, OpClass::Write), &places.of_each(1, lot))?;
        tell(StateOperation::FirstWrite, &first)?;
        let later = self.timed(&name, (session, OpClass::Write), &places.of_each(LATER_WRITES, lot))?;
        tell(StateOperation::LaterWrite, &later)
    }

    /// In turns, each on its own opening of the image. With one opening alone nothing would go from one to the other.
    fn two_writers(&self, places: &Places, lot: &mut StdRng) -> Result<Vec<Nanos>, Failure> {
        let name = self.plan.image(ImageState::TwoWriters);
        let mut writers = [self.session(&name)?, self.session(&name)?];
        let mut timed = Vec::new();
        let places = places.of_each(2, lot).into_iter().take(TURNS + writers.len());
        for (turn, place) in places.enumerate() {
            let writer = &mut *writers[turn % 2];
            let took = self.timed(&name, (writer, OpClass::Write), &[place])?;
            // The first one of each is no change of turns.
            timed.extend(took.into_iter().filter(|_| turn >= 2));
        }
        Ok(timed)
    }

    fn timed(
        &self,
        name: &str,
        (session, kind): (&mut dyn Session, OpClass),
        places: &[Bytes],
    ) -> Result<Vec<Nanos>, Failure> {
        let clock = &*self.ready.host.clock;
        let took = one_by_one::timed(session, (kind, self.plan.block), places, clock, &|| !self.asked_to_end());
        self.prove_well(name)?;
        let took = took.map_err(|error| self.failed(name, &error.to_string()))?;
        // The user's end cut it off: the mean of some of the objects is none of the round.
        Ok(if took.len() == places.len() { took } else { Vec::new() })
    }

    fn session(&self, name: &str) -> Result<Box<dyn Session>, EngineError> {
        open(&self.step(name), &self.ready.host.context)
    }

    /// One operation at a time on this image, a read or a write.
    fn step(&self, name: &str) -> Step {
        let (layer, pattern) = (self.plan.layer, Pattern::WriteLatency);
        let (pool, data_pool) = (self.plan.pool.clone(), self.plan.data_pool.clone());
        let place = Place::Images { pool, data_pool, images: vec![name.to_string()] };
        let workload = Workload {
            block: self.plan.block,
            depth: 1,
            mix: OpMix::halves(OpClass::Read, OpClass::Write),
            access: Access::Random,
            ..Workload::canonical(pattern, self.plan.bytes, self.seed)
        };
        let targets = vec![Target::new(layer, format!("image {}/{name}", self.plan.pool), place)];
        let (id, metric) = (StepId(0), pattern.metric(layer));
        Step { id, layer, pattern, targets, workload, metric, chart: false, apart: false, in_turns: false }
    }
}

/// What came of it, and which trouble ended it: that may be over by now.
fn guarded<T>(
    trouble: &dyn Fn() -> Option<String>,
    asked_to_end: &dyn Fn() -> bool,
    what: impl FnOnce(&mut dyn FnMut() -> bool) -> T,
) -> (T, Option<String>) {
    let mut ended_by = None;
    let mut well = || {
        ended_by = ended_by.take().or_else(trouble);
        ended_by.is_none() && !asked_to_end()
    };
    let done = what(&mut well);
    (done, ended_by)
}

fn open(step: &Step, context: &Context) -> Result<Box<dyn Session>, EngineError> {
    engines::engine_for(step)?.open(context, &step.targets[0], &step.workload, 0)
}

fn progress(what: String, share: f64) -> Event {
    Event::Progress { what, share: share.clamp(0.0, 1.0) }
}

fn tell(
    sink: &mut EventSink,
    (round, state, operation, object): (u32, ImageState, StateOperation, Bytes),
    timed: &[Nanos],
) -> Result<(), Failure> {
    let Some(longest) = timed.iter().max() else { return Ok(()) };
    let ms = |nanos: f64| nanos / MILLISECOND as f64;
    let mean = timed.iter().map(|took| *took as f64).sum::<f64>() / timed.len() as f64;
    let times = StateTimes {
        round,
        state,
        operation,
        operations: timed.len() as u32,
        mean_ms: ms(mean),
        longest_ms: ms(*longest as f64),
        object,
    };
    sink.tell(Event::Observed { observation: Observation::ImageState(times) })
}

/// The objects of an image but for the first, and the blocks in them.
struct Places {
    object: Bytes,
    objects: Bytes,
    block: Bytes,
}

impl Places {
    /// In each object `times` blocks, chosen at random; all of them in random order.
    fn of_each(&self, times: usize, lot: &mut StdRng) -> Vec<Bytes> {
        let blocks: Vec<Bytes> = (0..self.object / self.block).collect();
        let block = |lot: &mut StdRng| blocks.choose(lot).map_or(0, |block| block * self.block);
        let mut places: Vec<Bytes> = (1..self.objects)
            .flat_map(|object| std::iter::repeat_n(object * self.object, times))
            .map(|object| object + block(lot))
            .collect();
        places.shuffle(lot);
        places
    }
}

/// What the bench of an experiment needs beside its plan.
pub(super) fn of<'a>(
    plan: &'a ImageStates,
    ready: &'a Ready<'a>,
    cluster: Option<&'a Cluster>,
) -> Result<Bench<'a>, Failure> {
    let cluster =
        cluster.ok_or_else(|| Failure::Usage("--states: images are of a cluster, and there is none".to_string()))?;
    let goal = &ready.plan.goal;
    let before = ready.health.seen();
    Ok(Bench { plan, settle: goal.settle, seed: goal.seed, cluster, ready, before })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::collections::BTreeMap;

    #[test]
    fn every_object_but_the_first_has_its_turns() {
        let places = Places { object: 4 << 20, objects: 17, block: 4096 };
        let mut lot = StdRng::seed_from_u64(7);
        for times in [1, 2] {
            let all = places.of_each(times, &mut lot);
            let mut counted: BTreeMap<Bytes, usize> = BTreeMap::new();
            all.iter().for_each(|place| *counted.entry(place / (4 << 20)).or_default() += 1);
            assert_eq!(counted, (1..17).map(|object| (object, times)).collect());
            assert!(all.iter().all(|place| place % 4096 == 0));
            assert!(!all.is_sorted(), "in no order");
        }
    }

    #[test]
    fn trouble_ends_what_writes_for_long_and_is_told_though_it_is_over_then() {
        let looks = Cell::new(0);
        let trouble = || {
            looks.set(looks.get() + 1);
            (looks.get() == 3).then(|| "osd.2 went down".to_string())
        };
        let parts = |well: &mut dyn FnMut() -> bool| (0..9).take_while(|_| well()).count();
        assert_eq!(guarded(&trouble, &|| false, parts), (2, Some("osd.2 went down".to_string())));
        assert_eq!(guarded(&|| None, &|| false, parts), (9, None));
        assert_eq!(guarded(&|| None, &|| true, parts), (0, None));
    }
}
