//! Pair after pair of every paired_loads that is still open, in turns: ours theirs, theirs ours, theirs ours, ours theirs, …

use super::Check;
use super::fio::Fio;
use super::job::{Objects, Terms, job};
use super::paired_loads::PairedLoads;
use super::placed::Placed;
use super::unusable::Unusable;
use crate::{EventSink, Ready, trouble};
use agents::loader::Loader;
use ceph::{CephError, ClusterAccess};
use cluster::watch::Seen;
use engines::crew::Flow;
use model::clock::{MILLISECOND, SECOND};
use model::{Agreement, Crosschecked, Event, Failure, Nanos, Pair, Place, Sparse, Step, Turn, WindowSet};

const WINDOW: Nanos = 100 * MILLISECOND;
/// Seconds that fio may take beyond its load: for opening, laying out, closing.
const FIO_MORE: f64 = 60.0;
/// The same of either program, if all goes well.
const OPENING: f64 = 0.7;
/// With fewer pairs nothing is known.
const PAIRS_LEAST: f64 = 6.0;
/// How many loads of a row may be empty, with no operation that ended; with more of them the row is given up.
const EMPTY_MOST: u32 = 2;

/// Seconds if every paired_loads is decided as soon as it may be.
pub fn seconds_least(check: &Check, duels: usize) -> f64 {
    let pairs = PAIRS_LEAST.min(f64::from(check.rounds));
    duels as f64 * pairs * pair_seconds(check)
}

/// Seconds of one pair, if all goes well.
pub fn pair_seconds(check: &Check) -> f64 {
    2.0 * (check.front + check.seconds + OPENING)
}

pub struct Contest<'a> {
    pub check: &'a Check,
    pub fio: &'a Fio,
    pub access: Option<&'a ClusterAccess>,
    pub ready: &'a Ready<'a>,
}

/// Of two pairs each is first in one, of four each is first on a processor that the others have just left, of eight so on each of
/// two processors (the sequence of Thue and Morse): in plain turns the first load on another processor, which is not as fast as the
/// next ones, was always ours.
fn ours_first(round: u32) -> bool {
    round.count_ones().is_multiple_of(2)
}

/// How a load ended: `Ok(None)`: the user wants the end. `Err`: why it can't be used.
type Loaded = Result<Option<Turn>, Unusable>;

/// A paired_loads so far.
struct Standing<'a> {
    paired_loads: &'a PairedLoads,
    row: Crosschecked,
    seconds: f64,
    /// Seconds of its longest pair.
    longest: f64,
    done: bool,
}

impl Contest<'_> {
    pub fn hold(&self, duels: &[PairedLoads], sink: &mut EventSink) -> Result<Vec<Crosschecked>, Failure> {
        let mut all: Vec<Standing> = duels.iter().map(Standing::new).collect();
        for round in 0..self.check.rounds {
            for one in all.iter_mut().filter(|one| !one.done) {
                if self.ready.health.asked_to_end() {
                    break;
                }
                let (begun, what) = (sink.seconds(), one.told());
                sink.tell(Event::Progress { what, share: f64::from(round) / f64::from(self.check.rounds) })?;
                match self.pair(one.paired_loads, round) {
                    Ok(Some(pair)) => one.add(pair),
                    Ok(None) => break,
                    Err(Unusable::Empty(_)) if one.row.left_out < EMPTY_MOST => one.row.left_out += 1,
                    Err(why) => one.fail(why.to_string(), sink)?,
                }
                let took = sink.seconds() - begun;
                (one.seconds, one.longest) = (one.seconds + took, one.longest.max(took));
                one.done |= !one.has_time(self.check);
            }
        }
        Ok(all.into_iter().map(|one| one.row).collect())
    }

    fn pair(&self, paired_loads: &PairedLoads, round: u32) -> Result<Option<Pair>, Unusable> {
        if let Some(why) =
            self.ready.unfilled.of(&paired_loads.ours).or_else(|| self.ready.unfilled.of(&paired_loads.theirs))
        {
            return Err(why.into());
        }
        self.renew(paired_loads)?;
        // Both orders on each processor. Clients of a cluster have threads that begin elsewhere.
        let single = paired_loads.ours.layer.of_disks() && paired_loads.ours.workload.jobs <= 1;
        let _placed = single.then(|| Placed::on(round / 2));
        let ours_first = ours_first(round);
        let seed = self.check.request.workload.seed.wrapping_add(2 * u64::from(round));
        let (mut ours, mut theirs) = (None, None);
        for own in [ours_first, !ours_first] {
            let turn =
                if own { self.ours(paired_loads, seed) } else { self.theirs(paired_loads, seed.wrapping_add(1)) }?;
            let Some(turn) = turn else { return Ok(None) };
            *(if own { &mut ours } else { &mut theirs }) = Some(turn);
        }
        Ok(ours.zip(theirs).map(|(ours, theirs)| Pair { ours, theirs, ours_first }))
    }

    fn ours(&self, paired_loads: &PairedLoads, seed: u64) -> Loaded {
        let mut step = paired_loads.ours.clone();
        step.workload.seed = seed;
        let windows = |seconds: f64| ((seconds * SECOND as f64 / WINDOW as f64).round() as u32).max(1);
        let (front, last) = (windows(self.check.front), windows(self.check.front + self.check.seconds));
        let before = self.ready.health.seen();
        let (mut tally, mut why) = (Tally::default(), None);
        let mut on_window = |set: &WindowSet| {
            if set.window >= front {
                tally.add(set);
            }
            why = trouble(&step, &before, &self.ready.health.seen());
            let done = set.window + 1 >= last || why.is_some() || self.ready.health.asked_to_end();
            if done { Flow::Stop } else { Flow::GoOn }
        };
        let end = self
            .ready
            .host
            .load((&step, None), WINDOW, &mut || {}, &mut on_window)
            .map_err(|error| error.to_string())?;
        if self.ready.health.asked_to_end() {
            return Ok(None);
        }
        match why.or(end.broken).or(end.first_error.map(|(_, text)| text)) {
            Some(why) => Err(why.into()),
            None => tally.turn().map(Some),
        }
    }

    fn theirs(&self, paired_loads: &PairedLoads, seed: u64) -> Loaded {
        let step = &self.ready.host.files.found_by_others(paired_loads.theirs.clone());
        let target = step.targets.first().ok_or_else(|| "there is no target".to_string())?;
        let access = self.access;
        let user = access.and_then(|access| access.id.as_deref()).unwrap_or("admin");
        let terms = Terms {
            engine: &paired_loads.their_engine,
            front: self.check.front,
            seconds: self.check.seconds,
            seed,
            user: user.trim_start_matches("client."),
            cluster: access.and_then(|access| access.cluster.as_deref()),
            conf: access.and_then(|access| access.conf_file().ok()),
        };
        let text = job(target, &step.workload, &terms)?;
        let limit = self.check.front + self.check.seconds + FIO_MORE;
        let before = self.ready.health.seen();
        let mut watch = || self.trouble(step, &before);
        self.fio.load(&text, &self.environment(), limit, &mut watch)
    }

    /// Where fio's librados looks, and with how many threads it works: as ours, since on few processors that alone decides
    /// how much a client can do (docs/method.md, "Agreement with another program").
    fn environment(&self) -> Vec<(&'static str, String)> {
        let Some(access) = self.access else { return Vec::new() };
        let path = |path: &std::path::PathBuf| path.to_string_lossy().into_owned();
        let threads = self.ready.host.context.rados.iter().flat_map(|rados| rados.threads());
        let own = threads.map(|(name, number)| format!("--{name}={number}"));
        let words: Vec<String> = std::env::var("CEPH_ARGS").into_iter().chain(own).collect();
        let conf = access.conf.as_ref().map(|conf| ("CEPH_CONF", path(conf)));
        let keyring = access.keyring.as_ref().map(|keyring| ("CEPH_KEYRING", path(keyring)));
        conf.into_iter().chain(keyring).chain([("CEPH_ARGS", words.join(" "))]).collect()
    }

    /// Why fio's load must end; empty: the user wants it.
    fn trouble(&self, step: &Step, before: &Seen) -> Option<String> {
        let asked = self.ready.health.asked_to_end().then(String::new);
        asked.or_else(|| trouble(step, before, &self.ready.health.seen()))
    }

    /// Some versions of fio delete their objects when they end, and read what is not there as if it were: then those of
    /// both sides are written anew.
    fn renew(&self, paired_loads: &PairedLoads) -> Result<(), String> {
        let said = |error: &dyn std::fmt::Display| error.to_string();
        let (Some(rados), Some(target)) = (&self.ready.host.context.rados, paired_loads.theirs.targets.first()) else {
            return Ok(());
        };
        let Place::Pool { pool, prefix } = &target.place else { return Ok(()) };
        let objects = Objects::of(&paired_loads.theirs.workload);
        let last = objects.name(prefix, &(objects.count - 1).to_string());
        match rados.open_pool(pool).and_then(|pool| pool.stat(&last)) {
            Ok(bytes) if bytes == objects.bytes => return Ok(()),
            Ok(_) | Err(CephError::NotFound { .. }) => {}
            Err(error) => return Err(said(&error)),
        }
        for step in [&paired_loads.ours, &paired_loads.theirs] {
            for target in &step.targets {
                let mut go_on = |_| !self.ready.health.asked_to_end();
                let filled = self.ready.host.fill(step, target, &mut go_on);
                filled.map_err(|error| said(&error))?;
            }
        }
        Ok(())
    }
}

/// All counted windows of one load.
#[derive(Default)]
struct Tally {
    windows: u32,
    last: Option<u32>,
    operations: u64,
    service: Vec<Sparse>,
}

impl Tally {
    fn add(&mut self, set: &WindowSet) {
        if self.last != Some(set.window) {
            self.windows += 1;
            self.last = Some(set.window);
        }
        for (_, _, sample) in &set.samples {
            self.operations += sample.ops;
            self.service.push(sample.service.clone());
        }
    }

    fn turn(&self) -> Result<Turn, Unusable> {
        let service = Sparse::merged(&self.service);
        let seconds = f64::from(self.windows) * WINDOW as f64 / SECOND as f64;
        match service.mean_ns().filter(|_| self.operations > 0) {
            None => Err(Unusable::empty()),
            Some(mean) => Ok(Turn {
                iops: self.operations as f64 / seconds,
                mean_ms: mean / 1e6,
                p99_ms: service.quantile_ns(0.99).map(|ns| ns / 1e6),
            }),
        }
    }
}

impl<'a> Standing<'a> {
    fn new(paired_loads: &'a PairedLoads) -> Standing<'a> {
        let row = Crosschecked {
            layer: paired_loads.ours.layer,
            target: paired_loads.ours.together(),
            pattern: paired_loads.ours.pattern,
            workload: paired_loads.ours.workload.clone(),
            our_engine: paired_loads.our_engine.clone(),
            their_engine: paired_loads.their_engine.clone(),
            tolerance: paired_loads.tolerance,
            pairs: Vec::new(),
            left_out: 0,
            agreement: judge::agreement(&[], paired_loads.tolerance, paired_loads.ours.workload.depth),
            why: None,
        };
        Standing { paired_loads, row, seconds: 0.0, longest: 0.0, done: false }
    }

    fn add(&mut self, pair: Pair) {
        self.row.pairs.push(pair);
        let (tolerance, depth) = (self.row.tolerance, self.row.workload.depth);
        self.row.agreement = judge::agreement(&self.row.pairs, tolerance, depth);
        self.done = judge::agreement_known(&self.row.pairs, tolerance, depth);
    }

    /// Would another pair end in time? It may last as long as the longest before.
    fn has_time(&self, check: &Check) -> bool {
        self.seconds + self.longest <= check.time_max
    }

    /// A load that broke says nothing of agreeing: nor do those before it, of a target in another state.
    fn fail(&mut self, why: String, sink: &mut EventSink) -> Result<(), Failure> {
        let what = format!("{} {} {}", self.row.layer.name(), self.row.target, self.row.pattern.name());
        sink.tell(Event::Failed { text: format!("{what}: {why}") })?;
        self.row.agreement = Agreement { finds: model::Agrees::Open, ..self.row.agreement };
        self.row.why = Some(why);
        self.done = true;
        Ok(())
    }

    /// For the progress: which pair comes next, and what is known until then.
    fn told(&self) -> String {
        let ratio = self
            .row
            .agreement
            .iops
            .map(|ratio| format!(", so far {:.3} ({:.3}–{:.3})", ratio.value, ratio.low, ratio.high));
        let (row, next) = (&self.row, self.row.pairs.len() + 1);
        format!(
            "{} {} {} against fio, pair {next}{}",
            row.layer.name(),
            row.target,
            row.pattern.name(),
            ratio.unwrap_or_default()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two processors, in turns of two pairs: each is entered as often with our load first as with theirs, and each program begins
    /// half of the pairs on it.
    #[test]
    fn no_program_is_always_the_first_on_another_processor() {
        for processor in 0..2 {
            let there = |round: &u32| round / 2 % 2 == processor;
            let firsts: Vec<bool> = (0..8).filter(there).map(ours_first).collect();
            let entering: Vec<bool> = (0..8).step_by(2).filter(there).map(ours_first).collect();
            let ours = |all: &[bool]| all.iter().filter(|ours| **ours).count();
            assert_eq!((ours(&firsts), firsts.len()), (2, 4));
            assert_eq!((ours(&entering), entering.len()), (1, 2));
        }
    }
}
