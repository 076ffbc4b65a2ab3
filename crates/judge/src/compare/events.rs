//! What comes and goes may have met all slices of one side and none of the other: how likely is that?
//!
//! Slow-downs that last longer than a slice leave two kinds of slices. Where a figure has few of them, all may be of one kind; they agree
//! then, and no spread of theirs tells of the other kind. What tells of it are the slices of all other figures.

use super::pairs::Measured;
use crate::series::median;

/// A slice that is off its run's median by this share of a difference could, with others like it, be that difference: of two slices
/// of which one is hit, both are off by half.
const PART: f64 = 0.4;
/// Slices that began within this many seconds of each other meet the same events.
const SAME_SECONDS: f64 = 10.0;

/// How far the slices of all figures of both sides lie off the medians of their runs.
pub struct Events {
    /// In ascending order.
    off: Vec<f64>,
}

impl Events {
    pub fn of<'m>(all: impl Iterator<Item = &'m Measured>) -> Events {
        let several = all.filter(|one| one.slices.len() > 1);
        let mut off: Vec<f64> = several
            .flat_map(|one| {
                let centre = median(&one.slices);
                one.slices.iter().map(move |slice| (slice - centre).abs())
            })
            .collect();
        off.sort_by(f64::total_cmp);
        Events { off }
    }

    /// The chance that a difference `by` is one of kinds of slices: all of one side are of the kind that is off. `before` and `after`:
    /// how often each side was looked at.
    pub fn chance(&self, by: f64, before: u32, after: u32) -> f64 {
        let usual = self.off.partition_point(|off| *off < PART * by.abs());
        // Half a slice more than was seen, or what was seen never would be impossible.
        let share = ((self.off.len() - usual) as f64 + 0.5) / (self.off.len() as f64 + 1.0);
        share.powf(f64::from(before)) + share.powf(f64::from(after))
    }
}

/// How many slices lie far enough apart in time that each may have met other events.
pub fn looks(began: &[f64]) -> u32 {
    let mut sorted = began.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mut last = f64::NEG_INFINITY;
    sorted.iter().fold(0, |count, at| {
        let apart = at - last >= SAME_SECONDS;
        last = if apart { *at } else { last };
        count + u32::from(apart)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_that_follow_each_other_at_once_are_one_look() {
        assert_eq!(looks(&[0.0, 3.0, 6.0, 9.0]), 1);
        assert_eq!(looks(&[180.0, 0.0, 90.0]), 3);
        assert_eq!(looks(&[]), 0);
    }

    #[test]
    fn the_more_often_both_sides_were_looked_at_the_less_an_event_explains() {
        let off = [vec![0.0; 76], vec![0.5; 24]].concat();
        let events = Events { off };
        let chances = [1, 2, 3, 6].map(|looks| events.chance(0.5, looks, looks));
        assert!(chances.windows(2).all(|pair| pair[1] < pair[0] / 2.0), "{chances:?}");
        assert!((chances[1] - 2.0 * (24.5f64 / 101.0).powi(2)).abs() < 1e-9);
        // What is far more than events take is none.
        assert!(events.chance(1.5, 3, 3) < 1e-6);
    }
}
