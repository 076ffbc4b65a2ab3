//! Is a figure slower while RocksDB writes its tables, and by how much? Stretches of its windows, with and without, are compared.

use crate::batch_means::t_quantile;
use crate::compare::Prior;
use crate::series::mean;
use model::Slowed;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// The stores are looked at once a second: a stretch shorter than half a second lies at an edge and belongs to neither side.
const WINDOWS_LEAST: usize = 5;
/// One stretch beside one other is a change that has any cause; and so is one beside moments.
const STRETCHES_LEAST: f64 = 1.5;

/// Means of stretches, weighted with their lengths.
struct Side {
    mean: f64,
    /// How many stretches of equal length would say as much (Kish).
    count: f64,
    /// Of a stretch's mean around that of all, as a sum of `count` squares.
    squares: f64,
    stretches: u32,
}

impl Side {
    /// `None`: there is no stretch.
    fn of(stretches: &[&[(f64, bool)]]) -> Option<Side> {
        let means: Vec<(f64, f64)> = stretches
            .iter()
            .map(|stretch| (stretch.len() as f64, mean(&stretch.iter().map(|one| one.0).collect::<Vec<_>>())))
            .collect();
        let weight: f64 = means.iter().map(|one| one.0).sum();
        let over = |of: &dyn Fn(&(f64, f64)) -> f64| means.iter().map(|one| one.0 * of(one)).sum::<f64>() / weight;
        let mean = over(&|one| one.1);
        let count = weight / over(&|one| one.0);
        let squares = count * over(&|one| (one.1 - mean).powi(2));
        (!means.is_empty()).then_some(Side { mean, count, squares, stretches: means.len() as u32 })
    }
}

/// `parts`: the rate of each window of a slice, in order of time, and whether tables were written in it. Each stretch is one
/// observation, its mean: windows that follow each other resemble each other. Student's t, with the variance moderated as that of
/// slices; a share of the level without. `None`: too few stretches of either kind.
pub fn slowed(parts: &[Vec<(f64, bool)>]) -> Option<Slowed> {
    let of = |busy: bool| {
        let stretches = parts.iter().flat_map(|part| part.chunk_by(|one, next| one.1 == next.1));
        let own = stretches.filter(|stretch| stretch.len() >= WINDOWS_LEAST && stretch.iter().all(|one| one.1 == busy));
        Side::of(&own.collect::<Vec<_>>()).filter(|side| side.count >= STRETCHES_LEAST)
    };
    let (with, without) = (of(true)?, of(false).filter(|side| side.mean > 0.0)?);
    let known = with.count + without.count - 2.0;
    let squares = (with.squares + without.squares) / without.mean.powi(2);
    let (variance, freedom) = Prior::FALLBACK.moderate(squares / known, known);
    let error = (variance * (1.0 / with.count + 1.0 / without.count)).sqrt();
    let by = 1.0 - with.mean / without.mean;
    let chance = StudentsT::new(0.0, 1.0, freedom).map_or(1.0, |student| student.sf(by / error));
    Some(Slowed { by, at_least: by - t_quantile(freedom) * error, stretches: with.stretches, chance })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(stretches: &[(usize, f64, bool)]) -> Vec<(f64, bool)> {
        stretches.iter().flat_map(|(long, rate, busy)| vec![(*rate, *busy); *long]).collect()
    }

    #[test]
    fn the_fall_is_that_of_the_time_and_moments_hardly_matter() {
        let one = part(&[
            (100, 1000.0, false),
            (150, 310.0, true),
            (60, 980.0, false),
            (150, 290.0, true),
            (10, 980.0, false),
        ]);
        let found = slowed(std::slice::from_ref(&one)).unwrap();
        let without = (160.0 * 1000.0 - 60.0 * 20.0 + 10.0 * 980.0) / 170.0;
        assert!((found.by - (1.0 - 300.0 / without)).abs() < 1e-12, "{found:?}");
        let moments = part(&[(10, 990.0, true), (20, 1000.0, false), (10, 990.0, true)]);
        let with_moments = slowed(&[one, moments]).unwrap();
        assert!(
            with_moments.by > 0.6 && with_moments.at_least > 0.3 && with_moments.stretches == 4,
            "{with_moments:?}"
        );
        assert!(found.at_least > 0.5 && found.at_least < found.by, "{found:?}");
        assert!(found.stretches == 2 && found.chance < 0.001, "{found:?}");
        // As fast with as without; and faster is no fall.
        let even = slowed(&[
            part(&[(50, 990.0, false), (50, 1000.0, true)]),
            part(&[(50, 1010.0, false), (50, 1000.0, true)]),
        ]);
        assert!(
            even.as_ref().is_some_and(|even| even.by.abs() < 1e-12 && (even.chance - 0.5).abs() < 1e-9),
            "{even:?}"
        );
    }

    #[test]
    fn a_change_that_was_seen_once_says_nothing_and_neither_do_edges() {
        assert_eq!(slowed(&[part(&[(100, 1000.0, false), (100, 300.0, true)])]), None);
        assert_eq!(
            slowed(&[part(&[(100, 1000.0, false), (100, 300.0, true), (100, 1000.0, false), (4, 300.0, true)])]),
            None
        );
        assert_eq!(slowed(&[]), None);
        // Stalled altogether without, one can't be slower with.
        let still = part(&[(10, 0.0, false), (10, 0.0, true), (10, 0.0, false), (10, 0.0, true)]);
        assert_eq!(slowed(&[still]), None);
    }
}
