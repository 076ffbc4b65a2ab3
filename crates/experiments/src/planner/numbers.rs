//! Numbers that are asked for and can't be had: more jobs than operations in flight, narrower intervals than there are.

use crate::{Experiment, Request};
use judge::INTERVAL_LEAST;
use model::Failure;

/// An interval that no figure has would be waited for until the time is up.
pub fn refuse_unreachable(request: &Request) -> Result<(), Failure> {
    let settles = matches!(request.experiment, Experiment::Survey | Experiment::Sweep { .. });
    let (asked, least) = (request.goal.settle, INTERVAL_LEAST);
    match settles && asked < least {
        true => Err(Failure::Usage(format!(
            "--settle: no interval is narrower than ±{:.0} %, since two runs differ by as much; name {:.0}% or more",
            100.0 * least,
            100.0 * least
        ))),
        false => Ok(()),
    }
}

/// A job without an operation in flight would do nothing: there are fewer then.
pub fn note(request: &Request) -> Option<String> {
    let (jobs, depth) = (request.workload.jobs?, request.workload.depth?);
    (jobs > depth && !request.experiment.is_sweep()).then(|| {
        format!("--jobs {jobs}: a depth of {depth} is an operation for each of {depth} jobs, and no more are there")
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{self, request};
    use super::*;

    #[test]
    fn an_interval_that_nothing_reaches_is_refused() {
        let mut asked = request(&[testing::pools()]);
        let mut at = |settle: f64| {
            asked.goal.settle = settle;
            refuse_unreachable(&asked).map_err(|failure| failure.to_string())
        };
        assert!(at(0.01).unwrap_err().contains("name 2% or more"));
        assert_eq!(at(0.02), Ok(()));
        let states = Request { experiment: Experiment::ImageStates, ..asked };
        assert!(refuse_unreachable(&states).is_ok());
    }

    #[test]
    fn jobs_that_are_not_there_are_told() {
        let mut asked = request(&[testing::pools()]);
        (asked.workload.jobs, asked.workload.depth) = (Some(8), Some(4));
        assert!(note(&asked).unwrap().contains("--jobs 8: a depth of 4"));
        asked.workload.depth = Some(8);
        assert_eq!(note(&asked), None);
    }
}
