//! Steps whose targets share nothing: one that is ill is left out, and the others are measured without it.

use super::unfilled::Unfilled;
use experiments::passes::wanted::{separable, void_targets};
use model::{Record, Slice, Step, WindowSet};
use std::collections::{BTreeMap, BTreeSet};

/// Targets of a step that can't be measured; of a step whose targets are one thing there are none: it is void as a whole.
#[derive(Default)]
pub struct Ill {
    /// With the reason, in this pass.
    now: BTreeMap<u32, String>,
    before: BTreeSet<u32>,
}

/// What is loaded of a step, and which of its targets those are.
pub struct Part {
    pub step: Step,
    pub targets: Vec<u32>,
}

impl Part {
    /// The place in the step of a target of the part.
    pub fn whose(&self, target: u32) -> u32 {
        self.targets.get(target as usize).copied().unwrap_or(target)
    }

    /// A window of the part as one of the step.
    pub fn in_step(&self, set: &WindowSet) -> WindowSet {
        let samples = set.samples.iter().map(|(target, kind, sample)| (self.whose(*target), *kind, sample.clone()));
        WindowSet { window: set.window, samples: samples.collect() }
    }
}

impl Ill {
    /// Known before anything is loaded.
    pub fn known(step: &Step, unfilled: &Unfilled, record: &Record) -> Ill {
        let mut ill = Ill { now: BTreeMap::new(), before: void_targets(step, record, u32::MAX) };
        for (index, target) in (0..).zip(&step.targets) {
            if let Some(why) = unfilled.of_target(target) {
                ill.add(step, index, why);
            }
        }
        ill
    }

    fn add(&mut self, step: &Step, target: u32, why: String) {
        if separable(step) && !self.before.contains(&target) {
            self.now.insert(target, why);
        }
    }

    /// The targets that are well; all of them, if none is.
    pub fn others(&self, step: &Step) -> Part {
        let all = 0..step.targets.len() as u32;
        let well: Vec<u32> = all.clone().filter(|n| !self.now.contains_key(n) && !self.before.contains(n)).collect();
        let targets = if well.is_empty() { all.collect() } else { well };
        let own = targets.iter().filter_map(|n| step.targets.get(*n as usize)).cloned().collect();
        Part { step: Step { targets: own, ..step.clone() }, targets }
    }

    /// The part was void for this reason because of some of its targets. True: there are others, which can be measured without them.
    pub fn leave_out(&mut self, step: &Step, part: &Part, of: &BTreeSet<u32>, why: &str) -> bool {
        if !separable(step) || of.is_empty() || of.len() >= part.targets.len() {
            return false;
        }
        let known = self.now.len();
        let whose = of.iter().filter_map(|index| part.targets.get(*index as usize));
        whose.for_each(|target| self.add(step, *target, why.to_string()));
        // Nothing new, or no host left: another attempt would end as this one did.
        self.now.len() > known && self.now.len() + self.before.len() < step.targets.len()
    }

    /// Name and reason of each that is found ill in this pass, and was left out.
    pub fn told<'a>(&'a self, step: &'a Step, part: &'a Part) -> impl Iterator<Item = (&'a str, &'a str)> {
        let name = |target: u32| step.targets.get(target as usize).map_or("", |target| target.name.as_str());
        self.left_out(part).map(move |(target, why)| (name(*target), why.as_str()))
    }

    fn left_out<'a>(&'a self, part: &'a Part) -> impl Iterator<Item = (&'a u32, &'a String)> {
        self.now.iter().filter(|(target, _)| !part.targets.contains(target))
    }

    /// The slices of what was left out, made after one of the part's own.
    pub fn slices(&self, step: &Step, part: &Part, pass: u32, like: &Slice) -> Vec<Slice> {
        let kind = step.workload.mix.first_change();
        let slice = |(target, why): (&u32, &String)| Slice {
            step: step.id,
            target: Some(*target),
            kind,
            pass,
            samples: Vec::new(),
            warmup: 0,
            settled: false,
            void: Some(why.clone()),
            error: None,
            effort: None,
            ..like.clone()
        };
        self.left_out(part).map(slice).collect()
    }
}
