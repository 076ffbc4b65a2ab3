//! Figures by what they are of: each is held against the few that may be of the same thing, and not against all of another run.

use super::pairs::alike;
use model::{Figure, Layer, OpClass, Pattern};
use std::collections::HashMap;

/// What figures of the same thing have in common for certain, beside their target. Of their workloads one may leave open what the other
/// tells.
type Cell = (Layer, Pattern, OpClass, u32);

type ByTarget<'f, T> = HashMap<&'f str, Vec<(&'f Figure, T)>>;

/// Each with what belongs to it, by its cell and its target.
pub struct Figures<'f, T>(HashMap<Cell, ByTarget<'f, T>>);

impl<'f, T: Copy> Figures<'f, T> {
    pub fn of(all: impl IntoIterator<Item = (&'f Figure, T)>) -> Figures<'f, T> {
        let mut figures = Figures(HashMap::new());
        all.into_iter().for_each(|(figure, of_it)| figures.add(figure, of_it));
        figures
    }

    fn add(&mut self, figure: &'f Figure, of_it: T) {
        self.0.entry(cell(figure)).or_default().entry(&figure.target).or_default().push((figure, of_it));
    }

    /// Adds it, unless one of the same thing is there.
    pub fn add_new(&mut self, figure: &'f Figure, of_it: T) -> bool {
        let new = !self.has(figure);
        if new {
            self.add(figure, of_it);
        }
        new
    }

    /// What belongs to the first of them that is of the same thing.
    pub fn like(&self, figure: &Figure) -> Option<T> {
        let same = |(other, _): &&(&Figure, T)| alike(figure, other);
        self.may_be(figure).iter().find(same).map(|(_, of_it)| *of_it)
    }

    pub fn has(&self, figure: &Figure) -> bool {
        self.like(figure).is_some()
    }

    /// Only these are looked at.
    fn may_be(&self, figure: &Figure) -> &[(&'f Figure, T)] {
        let of_target = self.0.get(&cell(figure)).and_then(|of_cell| of_cell.get(figure.target.as_str()));
        of_target.map_or(&[], Vec::as_slice)
    }
}

fn cell(figure: &Figure) -> Cell {
    (figure.layer, figure.pattern, figure.kind, figure.at_once)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::figure;
    use crate::unseen::Asked;
    use model::{Goal, Place, Step, Target, Workload, testing};

    fn all(targets: u32) -> Vec<Figure> {
        let (layer, goal) = (testing::osds(), Goal::default());
        let made = |(target, pattern): (u32, Pattern)| {
            let targets = vec![Target::new(layer, format!("osd.{target}"), Place::Null)];
            let step = Step::new(0, layer, pattern, targets, Workload::canonical(pattern, 1 << 30, 1));
            figure(&step, Some(0), OpClass::Read, &[], &Asked::alone(&goal), 1).0
        };
        let patterns = [Pattern::ReadLatency, Pattern::ReadParallel, Pattern::ReadLinear, Pattern::WriteLatency];
        (0..targets).flat_map(|target| patterns.map(|pattern| made((target, pattern)))).collect()
    }

    #[test]
    fn a_figure_is_held_against_those_of_its_cell_alone() {
        let figures = all(2500);
        let known = Figures::of(figures.iter().map(|figure| (figure, ())));
        let looked_at: usize = figures.iter().map(|figure| known.may_be(figure).len()).sum();
        assert_eq!((figures.len(), looked_at), (10_000, 10_000));
        assert!(figures.iter().all(|figure| known.has(figure)));
    }

    #[test]
    fn the_workload_decides_among_those_of_a_cell() {
        let mut figures = all(1);
        figures.push(figures[0].clone());
        figures[4].workload.block = 65536;
        let mut known = Figures::of([]);
        let new: Vec<bool> = figures.iter().zip(0..).map(|(figure, number)| known.add_new(figure, number)).collect();
        assert_eq!(new, [true; 5]);
        assert!(!known.add_new(&figures[4], 9));
        assert_eq!([0, 4].map(|at: usize| known.like(&figures[at])), [Some(0), Some(4)]);
        let mut other = figures[4].clone();
        other.workload.block = 512;
        assert!(!known.has(&other));
    }
}
