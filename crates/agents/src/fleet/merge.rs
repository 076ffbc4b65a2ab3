//! Merges the windows of several hosts: each is passed on once every host has reported it, or once late hosts are no longer waited for.

use model::clock::SECOND;
use model::{Nanos, OpClass, Sample, SliceEnd, WindowSet};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// How long after its end a window waits for a host from which nothing at all is heard: a live agent sends something every second.
const TIMEOUT: Nanos = 3 * SECOND;

/// The same for a host whose agent is alive: with one operation in flight it reports no windows until that operation has ended. An
/// operation that takes 10 s ends its slice, 3 s later it is cancelled, and then the agent reports.
const TIMEOUT_ALIVE: Nanos = 15 * SECOND;

/// An agent ends a slice after 10 s in which a target completed no operation; where a whole bench is one, after 60 s (engines::crew).
const STANDSTILL: Nanos = 90 * SECOND;

/// How long before its end, by our clock, a window may be reported: the agent's clock is known more precisely than that.
const AHEAD: Nanos = 2 * SECOND;

pub struct Merge {
    /// By agent: its host.
    names: BTreeMap<usize, String>,
    pub start: Nanos,
    window_ns: Nanos,
    /// Hosts that load.
    loaders: BTreeSet<usize>,
    /// Hosts from which windows are expected.
    live: BTreeSet<usize>,
    /// Hosts that are only the other end of what is loaded.
    passive: BTreeSet<usize>,
    /// By agent: windows that it reported.
    told: BTreeMap<usize, u32>,
    /// By agent: the window up to which each of its targets got on, from 1.
    moved: BTreeMap<usize, Vec<u32>>,
    /// Hosts that have not said that they ended.
    loading: BTreeSet<usize>,
    /// The oldest window that was not passed on.
    first: u32,
    open: VecDeque<Half>,
    end: SliceEnd,
    /// Agents that are missing, in the order in which that was noticed; only the first is reported.
    gaps: Vec<(usize, String)>,
}

#[derive(Default)]
struct Half {
    from: BTreeSet<usize>,
    samples: Vec<(u32, OpClass, Sample)>,
}

impl Merge {
    /// `names`: of all agents that have a part in the slice; `live`: those that load.
    pub fn new(names: BTreeMap<usize, String>, live: BTreeSet<usize>, start: Nanos, window_ns: Nanos) -> Merge {
        let passive = names.keys().copied().filter(|agent| !live.contains(agent)).collect();
        let (loading, loaders, open, end) = (live.clone(), live.clone(), VecDeque::new(), SliceEnd::default());
        let (told, moved, gaps) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        Merge { names, start, window_ns, loaders, live, passive, told, moved, loading, first: 0, open, end, gaps }
    }

    /// `targets`: which of the step's targets the agent's own are.
    ///
    /// # Errors
    /// What no agent can know or tell at this time.
    pub fn put(&mut self, agent: usize, set: WindowSet, targets: &[u32], now: Nanos) -> Result<(), String> {
        let ended = (now + AHEAD).saturating_sub(self.start) / self.window_ns.max(1);
        if Nanos::from(set.window) > ended {
            return Err(format!("it tells of window {}, and {ended} are over at most", set.window));
        }
        let told: BTreeSet<(u32, OpClass)> = set.samples.iter().map(|(target, kind, _)| (*target, *kind)).collect();
        if told.len() < set.samples.len() || told.iter().any(|(target, _)| *target as usize >= targets.len()) {
            return Err(format!("it tells of window {} what it does not load, or twice", set.window));
        }
        self.told.insert(agent, set.window.saturating_add(1));
        self.prove_moves(agent, &set, targets.len())?;
        let Some(index) = set.window.checked_sub(self.first) else { return Ok(()) };
        let index = index as usize;
        if self.open.len() <= index {
            self.open.resize_with(index + 1, Half::default);
        }
        let half = &mut self.open[index];
        if !half.from.insert(agent) {
            return Err(format!("it tells window {} twice", set.window));
        }
        for (target, kind, sample) in set.samples {
            if let Some(target) = targets.get(target as usize) {
                half.samples.push((*target, kind, sample));
            }
        }
        Ok(())
    }

    /// An agent ends a slice itself in which nothing moves.
    fn prove_moves(&mut self, agent: usize, set: &WindowSet, targets: usize) -> Result<(), String> {
        let moved = self.moved.entry(agent).or_insert_with(|| vec![0; targets]);
        for (target, _, sample) in set.samples.iter().filter(|(.., sample)| sample.ops + sample.errors > 0) {
            if let Some(moved) = moved.get_mut(*target as usize) {
                *moved = sample.window.saturating_add(1).max(*moved);
            }
        }
        let oldest = moved.iter().copied().min().unwrap_or(set.window);
        match Nanos::from(set.window.saturating_sub(oldest)) * self.window_ns > STANDSTILL {
            true => Err(format!("it goes on for {} s without an operation", STANDSTILL / SECOND)),
            false => Ok(()),
        }
    }

    /// The oldest window, if every host has told it. A host that is later than others may wait for is left out from then on.
    /// `silence`: how long nothing has come from an agent.
    pub fn complete(&mut self, now: Nanos, silence: &dyn Fn(usize) -> Nanos) -> Option<WindowSet> {
        let due = self.start + Nanos::from(self.first + 1) * self.window_ns;
        let late: Vec<usize> = match self.open.front() {
            Some(half) => self.live.difference(&half.from).copied().collect(),
            // Nobody has told it.
            None => self.live.iter().copied().collect(),
        };
        if !late.is_empty() {
            if now < due + TIMEOUT {
                return None;
            }
            for agent in late {
                let why = match now < due + TIMEOUT_ALIVE {
                    true if silence(agent) < TIMEOUT => return None,
                    true => format!("nothing was heard of it for {} s", TIMEOUT / SECOND),
                    false => format!("it told no window for {} s", TIMEOUT_ALIVE / SECOND),
                };
                self.live.remove(&agent);
                self.gap(agent, &why);
            }
        }
        let half = self.open.pop_front()?;
        let mut samples = half.samples;
        samples.sort_by_key(|(target, kind, _)| (*target, *kind));
        let set = WindowSet { window: self.first, samples };
        self.first += 1;
        Some(set)
    }

    pub fn ended(&mut self, agent: usize, end: SliceEnd, targets: &[u32]) {
        self.live.remove(&agent);
        self.loading.remove(&agent);
        let whose = |target: u32| targets.get(target as usize).copied();
        // It was silent because it waited for an operation that it could not end. It reports that, so it is not missing.
        if end.broken.is_some() {
            self.gaps.retain(|(of, _)| *of != agent);
        }
        if self.end.broken.is_none() && end.broken.is_some() {
            self.end.broken = end.broken;
            // An agent that loads one target knows no other that it could be.
            let only = if let [only] = targets { Some(*only) } else { None };
            self.end.target = end.target.and_then(whose).or(only);
        }
        if let Some((target, text)) = end.first_error.and_then(|(target, text)| Some((whose(target)?, text))) {
            self.end.first_error.get_or_insert((target, text));
        }
        for (target, lanes) in end.lanes.into_iter().filter_map(|(target, lanes)| Some((whose(target)?, lanes))) {
            self.end.lanes.entry(target).or_default().extend(lanes);
        }
        for (target, effort) in end.efforts.into_iter().filter_map(|(target, effort)| Some((whose(target)?, effort))) {
            *self.end.efforts.entry(target).or_default() += effort;
        }
        for (target, pages) in end.empty_pages.into_iter().filter_map(|(target, pages)| Some((whose(target)?, pages))) {
            *self.end.empty_pages.entry(target).or_default() += pages;
        }
    }

    /// The agent is gone: the slice says what is missing.
    pub fn lost(&mut self, agent: usize, why: &str) {
        self.loading.remove(&agent);
        if self.live.remove(&agent) || self.passive.remove(&agent) {
            self.gap(agent, why);
        }
    }

    /// Notes a gap that begins at the last window heard from this agent, not when that was noticed; for an agent that reports no windows, at
    /// the others' last one.
    fn gap(&mut self, agent: usize, why: &str) {
        let told = self.told.get(&agent).copied().unwrap_or(self.first);
        let seconds = (Nanos::from(told) * self.window_ns) as f64 / SECOND as f64;
        let host = self.names.get(&agent).map_or("", String::as_str);
        self.gaps.push((agent, format!("host {host} is missing from {seconds:.1} s into the slice on: {why}")));
    }

    /// A host is missing: what comes from now on is less than the whole.
    pub fn has_gap(&self) -> bool {
        !self.gaps.is_empty()
    }

    /// Nobody loads any more, or one can't: the series of its target would never be long enough, and the others would load for ever.
    pub fn over(&self) -> bool {
        self.live.is_empty() || self.end.broken.is_some()
    }

    pub fn all_ended(&self) -> bool {
        self.loading.is_empty()
    }

    pub fn end(mut self) -> SliceEnd {
        self.end.windows = self.first;
        let missing = |agent: &usize| self.gaps.iter().any(|(of, _)| of == agent);
        if self.end.broken.is_none() && !self.loaders.is_empty() && self.loaders.iter().all(missing) {
            // Nobody was left to load it: it is no shorter slice, but none.
            self.end.broken = self.gaps.first().map(|(_, says)| says.clone());
        }
        let untold = self.loading.first().map(|agent| did_not_end(self.names.get(agent)));
        self.end.gap = self.gaps.into_iter().next().map(|(_, says)| says).or(untold);
        self.end
    }
}

/// Its windows count; its errors and what its load took are not known.
fn did_not_end(host: Option<&String>) -> String {
    format!("host {} did not say how the slice ended", host.map_or("", String::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;

    use model::EmptyPages;
    use proptest::prelude::*;

    const WINDOW: Nanos = SECOND / 10;

    fn silent(_: usize) -> Nanos {
        TIMEOUT
    }

    fn two() -> Merge {
        Merge::new(names(), BTreeSet::from([0, 1]), 0, WINDOW)
    }

    fn names() -> BTreeMap<usize, String> {
        BTreeMap::from([(0, "a".into()), (1, "b".into())])
    }

    fn set(window: u32, ops: u64) -> WindowSet {
        WindowSet { window, samples: vec![(0, OpClass::Read, Sample { window, ops, ..Sample::default() })] }
    }

    fn ops(set: &WindowSet) -> Vec<(u32, u64)> {
        set.samples.iter().map(|(target, _, sample)| (*target, sample.ops)).collect()
    }

    #[test]
    fn a_window_waits_for_the_slowest_host() {
        let mut merge = two();
        merge.put(1, set(0, 7), &[1], SECOND).unwrap();
        merge.put(1, set(1, 8), &[1], SECOND).unwrap();
        assert_eq!(merge.complete(WINDOW, &silent), None);
        merge.put(0, set(0, 3), &[0], SECOND).unwrap();
        assert_eq!(ops(&merge.complete(WINDOW, &silent).unwrap()), [(0, 3), (1, 7)]);
        assert_eq!(merge.complete(2 * WINDOW, &silent), None);
    }

    #[test]
    fn who_is_late_is_left_out_and_that_is_told() {
        let mut merge = two();
        merge.put(0, set(0, 3), &[0], SECOND).unwrap();
        assert_eq!(merge.complete(WINDOW + TIMEOUT - 1, &silent), None);
        assert_eq!(ops(&merge.complete(WINDOW + TIMEOUT, &silent).unwrap()), [(0, 3)]);
        merge.put(0, set(1, 4), &[0], SECOND).unwrap();
        assert_eq!(ops(&merge.complete(2 * WINDOW, &silent).unwrap()), [(0, 4)]);
        assert!(merge.end().gap.unwrap().contains("nothing was heard of it for 3 s"));
    }

    #[test]
    fn who_lives_and_tells_nothing_at_all_is_left_out() {
        let mut merge = two();
        assert!(merge.complete(WINDOW + TIMEOUT - 1, &silent).is_none() && !merge.has_gap());
        let alive = |_: usize| 0;
        assert!(merge.complete(WINDOW + TIMEOUT_ALIVE - 1, &alive).is_none() && !merge.has_gap());
        assert!(merge.complete(WINDOW + TIMEOUT_ALIVE, &alive).is_none() && merge.has_gap() && merge.over());
        assert!(merge.end().gap.unwrap().contains("host a is missing from 0.0 s"));
    }

    #[test]
    fn windows_in_which_nothing_happens_come_to_an_end() {
        let mut merge = two();
        let now = 1000 * SECOND;
        let still = |window: u32| WindowSet { window, samples: Vec::new() };
        let most = (STANDSTILL / WINDOW) as u32;
        merge.put(0, set(0, 1), &[0], now).unwrap();
        merge.put(0, still(most), &[0], now).unwrap();
        assert!(merge.put(0, still(most + 2), &[0], now).unwrap_err().contains("without an operation"));
        // One of two targets that does not move is enough.
        merge.put(1, set(most, 1), &[0, 1], now).unwrap();
        assert!(merge.put(1, set(most + 1, 1), &[0, 1], now).unwrap_err().contains("without an operation"));
    }

    #[test]
    fn an_end_of_targets_that_are_not_its_own_is_of_none() {
        let mut merge = two();
        let lanes = BTreeMap::from([(0, vec![3]), (u32::MAX, vec![1])]);
        let (broken, target) = (Some("no".to_string()), Some(u32::MAX));
        let first_error = Some((u32::MAX, "no".to_string()));
        merge.ended(1, SliceEnd { broken, target, first_error, lanes, ..SliceEnd::default() }, &[5, 6]);
        let end = merge.end();
        assert_eq!((end.target, end.first_error), (None, None));
        assert_eq!(end.lanes, BTreeMap::from([(5, vec![3])]));
    }

    #[test]
    fn who_was_silent_until_it_said_why_is_not_missing() {
        let silent = || {
            let mut merge = two();
            merge.put(0, set(0, 3), &[0], SECOND).unwrap();
            assert!(merge.complete(WINDOW + TIMEOUT, &silent).is_some() && merge.has_gap());
            merge
        };
        let broken = || SliceEnd { broken: Some("no operation completed".into()), ..SliceEnd::default() };
        let mut merge = silent();
        merge.ended(1, broken(), &[1]);
        merge.ended(0, SliceEnd::default(), &[0]);
        let end = merge.end();
        assert_eq!((end.broken.as_deref(), end.gap), (Some("no operation completed"), None));
        // Another one that is missing stays so.
        let mut merge = silent();
        merge.lost(0, "gone");
        merge.ended(1, broken(), &[1]);
        assert!(merge.end().gap.unwrap().contains("host a is missing"));
        let mut merge = silent();
        merge.ended(0, broken(), &[0]);
        assert!(merge.end().gap.unwrap().contains("host b is missing"));
    }

    #[test]
    fn who_did_not_say_how_the_slice_ended_is_named() {
        let mut merge = two();
        merge.put(0, set(0, 3), &[0], SECOND).unwrap();
        merge.put(1, set(0, 7), &[1], SECOND).unwrap();
        assert!(merge.complete(WINDOW, &silent).is_some());
        merge.ended(0, SliceEnd::default(), &[0]);
        let end = merge.end();
        // What it loaded was heard of.
        assert_eq!((end.broken, end.windows), (None, 1));
        assert_eq!(end.gap.as_deref(), Some("host b did not say how the slice ended"));
    }

    #[test]
    fn a_host_that_lives_may_wait_for_an_operation_longer_than_one_that_is_silent() {
        let lives = |_: usize| 0;
        let mut merge = two();
        merge.put(0, set(0, 3), &[0], SECOND).unwrap();
        assert_eq!(merge.complete(WINDOW + 12 * SECOND, &lives), None);
        assert!(!merge.has_gap());
        // The operation ends after 12 s: all windows come at once, and nobody was missing.
        for window in 0..120 {
            merge.put(1, set(window, 1), &[1], 12 * SECOND).unwrap();
        }
        assert!(merge.complete(12 * SECOND, &lives).is_some() && !merge.has_gap());
        let late = 2 * WINDOW + TIMEOUT_ALIVE;
        assert_eq!(merge.complete(late - 1, &lives), None);
        assert!(merge.complete(late, &lives).is_some());
        assert!(
            merge
                .end()
                .gap
                .unwrap()
                .contains("host a is missing from 0.1 s into the slice on: it told no window for 15 s")
        );
    }

    #[test]
    fn without_a_lost_host_the_others_go_on() {
        let mut merge = two();
        merge.put(0, set(0, 3), &[0], SECOND).unwrap();
        merge.put(1, set(0, 7), &[1], SECOND).unwrap();
        merge.lost(1, "gone");
        assert_eq!(ops(&merge.complete(0, &silent).unwrap()), [(0, 3), (1, 7)]);
        assert!(!merge.over());
        merge.ended(0, SliceEnd { broken: Some("no".into()), target: Some(0), ..SliceEnd::default() }, &[5]);
        assert!(merge.over() && merge.all_ended());
        let end = merge.end();
        assert_eq!((end.broken.as_deref(), end.target), (Some("no"), Some(5)));
        assert_eq!(end.gap.as_deref(), Some("host b is missing from 0.1 s into the slice on: gone"));
    }

    /// The slice was cut off: it is not taken for a shorter one.
    #[test]
    fn with_the_last_host_that_loads_the_slice_is_lost() {
        for lost in [vec![0], vec![0, 1]] {
            let mut merge = two();
            merge.put(0, set(0, 3), &[0], SECOND).unwrap();
            merge.put(1, set(0, 7), &[1], SECOND).unwrap();
            lost.iter().for_each(|agent| merge.lost(*agent, "gone"));
            let end = merge.end();
            assert_eq!(end.broken.is_some(), lost.len() == 2, "{end:?}");
            assert!(end.gap.unwrap().contains("host a is missing"));
        }
    }

    #[test]
    fn it_is_over_when_one_of_several_can_not_load() {
        let mut merge = two();
        let broken = SliceEnd { broken: Some("no".into()), ..SliceEnd::default() };
        merge.ended(1, broken, &[7]);
        // The other one still loads, and says how that ended.
        assert!(merge.over() && !merge.all_ended());
        merge.ended(0, SliceEnd::default(), &[3]);
        assert!(merge.all_ended());
        assert_eq!(merge.end().target, Some(7));
    }

    #[test]
    fn pages_that_were_read_are_added_up_by_the_steps_own_targets() {
        let mut merge = two();
        let pages =
            |empty| SliceEnd { empty_pages: [(0, EmptyPages { looked_at: 9, empty })].into(), ..SliceEnd::default() };
        merge.ended(0, pages(3), &[4]);
        merge.ended(1, pages(5), &[4]);
        assert_eq!(merge.end().empty_pages, [(4, EmptyPages { looked_at: 18, empty: 8 })].into());
    }

    #[test]
    fn who_is_only_the_other_end_is_missed_as_well() {
        let mut merge = Merge::new(names(), BTreeSet::from([0]), 0, WINDOW);
        merge.put(0, set(0, 3), &[0], SECOND).unwrap();
        merge.put(0, set(1, 3), &[0], SECOND).unwrap();
        assert!(merge.complete(0, &silent).is_some() && merge.complete(0, &silent).is_some());
        merge.lost(1, "gone");
        assert!(merge.has_gap() && !merge.all_ended());
        assert_eq!(merge.end().gap.as_deref(), Some("host b is missing from 0.2 s into the slice on: gone"));
    }

    #[test]
    fn what_no_agent_can_know_is_refused_and_costs_no_memory() {
        let mut merge = two();
        for window in [u32::MAX - 1, u32::MAX, 1 << 20, 31] {
            assert!(merge.put(0, set(window, 1), &[0], SECOND).unwrap_err().contains("are over"), "{window}");
        }
        assert!(merge.open.is_empty());
        merge.put(0, set(30, 1), &[0], SECOND).unwrap();
        assert!(merge.put(0, set(30, 1), &[0], SECOND).unwrap_err().contains("twice"));
        assert!(merge.put(1, set(3, 1), &[], SECOND).unwrap_err().contains("does not load"));
        let twice = WindowSet { window: 1, samples: [set(1, 1).samples, set(1, 2).samples].concat() };
        assert!(merge.put(1, twice, &[0], SECOND).unwrap_err().contains("twice"));
    }

    proptest! {
        #[test]
        fn any_windows_are_taken_or_refused(
            windows in proptest::collection::vec((0usize..3, any::<u32>(), any::<u32>(), 0u64..100 * SECOND), 0..60),
        ) {
            let mut merge = two();
            for (agent, window, target, now) in windows {
                let mut set = set(if target % 2 == 0 { window } else { window % 1000 }, 1);
                set.samples[0].0 = target % 3;
                let _ = merge.put(agent, set, &[0, 1], now);
                prop_assert!(merge.open.len() as u64 <= (now + AHEAD) / WINDOW + 1 + 1020);
                while merge.complete(now, &silent).is_some() {}
            }
        }
    }
}
