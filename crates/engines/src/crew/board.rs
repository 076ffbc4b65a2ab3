//! Puts the lanes' windows together: one sample per target and kind, once every lane has finished the window.

use crate::worker::Cut;
use model::{OpClass, Sample, WindowSet};
use std::collections::{BTreeMap, VecDeque};

pub struct OpenWindows {
    lanes: usize,
    /// The oldest unfinished window.
    first: u32,
    open: VecDeque<Half>,
}

#[derive(Default)]
struct Half {
    lanes: usize,
    parts: BTreeMap<(u32, OpClass), Vec<Sample>>,
}

impl OpenWindows {
    pub fn new(lanes: usize) -> OpenWindows {
        OpenWindows { lanes, first: 0, open: VecDeque::new() }
    }

    /// Takes the next window of one lane of `target`.
    pub fn put(&mut self, target: u32, cut: Cut) {
        let index = (cut.window - self.first) as usize;
        if self.open.len() <= index {
            self.open.resize_with(index + 1, Half::default);
        }
        let half = &mut self.open[index];
        half.lanes += 1;
        for (kind, sample) in cut.samples {
            half.parts.entry((target, kind)).or_default().push(sample);
        }
    }

    /// The oldest window, if all lanes have finished it.
    pub fn complete(&mut self) -> Option<WindowSet> {
        if self.open.front()?.lanes < self.lanes {
            return None;
        }
        let half = self.open.pop_front()?;
        let window = self.first;
        self.first += 1;
        let samples =
            half.parts.into_iter().map(|((target, kind), parts)| (target, kind, merged(window, parts))).collect();
        Some(WindowSet { window, samples })
    }

    /// Complete windows so far.
    pub fn windows(&self) -> u32 {
        self.first
    }
}

fn merged(window: u32, mut parts: Vec<Sample>) -> Sample {
    if parts.len() == 1 {
        return parts.swap_remove(0);
    }
    Sample::side_by_side(window, &parts.iter().collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(window: u32, ops: u64) -> Cut {
        let sample = Sample { window, span_ns: 100, ops, bytes: ops * 10, ..Sample::default() };
        Cut { window, samples: vec![(OpClass::Read, sample)] }
    }

    #[test]
    fn a_window_is_complete_when_the_slowest_lane_has_finished_it() {
        let mut board = OpenWindows::new(3);
        board.put(0, cut(0, 1));
        board.put(0, cut(1, 2));
        board.put(1, cut(0, 4));
        assert_eq!(board.complete(), None);
        board.put(0, cut(0, 8));
        let set = board.complete().unwrap();
        let ops: Vec<_> = set.samples.iter().map(|(target, _, s)| (*target, s.ops, s.bytes, s.span_ns)).collect();
        assert_eq!((set.window, ops), (0, vec![(0, 9, 90, 100), (1, 4, 40, 100)]));
        assert_eq!(board.complete(), None);
        board.put(0, cut(1, 1));
        board.put(1, cut(1, 1));
        assert_eq!(board.complete().map(|set| set.window), Some(1));
    }
}
