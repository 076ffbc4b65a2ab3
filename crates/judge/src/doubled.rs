//! Was it the clients or the cluster that was the limit? What each doubling of the clients brought.

use crate::effort::QUEUED_MOST_DEEP;
use crate::entry::{Entry, spread};
use crate::words::percent;
use model::{Doubled, Doubling, ScaledLoad};

/// A doubling that brings less than this share more was not worth it: what did the work before was full. Of fewer than twice as many
/// clients, as when only some hosts are left, as much less is wanted.
const WORTH: f64 = 0.10;
/// Where the clients are the limit, a doubling brings up to 100 % more: one that may have brought half of that, by its error, is not known.
const LIMIT_SHOWS: f64 = 0.5;

/// `most`: how many clients there may be on a host.
pub fn doubled(entries: &[Entry], doublings: &[Doubling], most: u32) -> Vec<Doubled> {
    doublings.iter().filter_map(|doubling| one(doubling, entries, most)).collect()
}

fn one(doubling: &Doubling, entries: &[Entry], most: u32) -> Option<Doubled> {
    let of = |step| {
        entries.iter().find(|entry| entry.step.id == step && (entry.target.is_none() || entry.step.targets.len() == 1))
    };
    let measured: Vec<(ScaledLoad, &Entry)> = doubling
        .loads
        .iter()
        .filter_map(|load| {
            let entry = of(load.step)?;
            let label = entry.figure.label.name().to_string();
            let told = ScaledLoad { hosts: load.hosts, each: load.each, estimate: entry.usable(), label };
            Some((told, entry))
        })
        .collect();
    let (_, first) = measured.first()?;
    let (_, last) = measured.last()?;
    let loads: Vec<ScaledLoad> = measured.iter().map(|(load, _)| load.clone()).collect();
    // The label may be another one: of several that fit, the gravest is told.
    let starved = last.figure.effort.as_ref().is_some_and(|effort| effort.queued > QUEUED_MOST_DEEP);
    let (full, ended, says) = outcome(&loads, starved, most);
    let target = first.step.targets.first()?;
    Some(Doubled {
        layer: first.step.layer,
        target: target.client.as_ref().map_or_else(|| target.name.clone(), |client| client.of.clone()),
        pattern: first.step.pattern,
        unit: first.figure.metric.unit().to_string(),
        loads,
        full,
        ended,
        says,
    })
}

/// The number of clients at which the cluster was full, whether more need not be tried, and both in words. `most`: how many clients there
/// may be on a host.
fn outcome(loads: &[ScaledLoad], starved: bool, most: u32) -> (Option<u32>, bool, String) {
    let Some(last) = loads.last() else { return (None, false, String::new()) };
    let (clients, many) =
        (|load: &ScaledLoad| load.hosts * load.each, |number: u32| if number == 1 { "client" } else { "clients" });
    let Some(now) = last.estimate else {
        return (None, true, format!("with {} {} nothing was measured", clients(last), many(clients(last))));
    };
    let Some((before, was)) = loads.iter().rev().skip(1).find_map(|load| Some((load, load.estimate?))) else {
        return (None, false, "one client alone does not say whether it was the limit".to_string());
    };
    let gain = now.value / was.value - 1.0;
    let error = (spread(&now) / now.value).hypot(spread(&was) / was.value) * (1.0 + gain);
    let brought = format!(
        "{} {} did {} {} than {} (±{})",
        clients(last),
        many(clients(last)),
        percent(gain.abs()),
        if gain < 0.0 { "less" } else { "more" },
        clients(before),
        percent(error)
    );
    let more = f64::from(clients(last)) / f64::from(clients(before).max(1)) - 1.0;
    let worth = WORTH * more.min(1.0);
    match gain < worth {
        false if last.each < most => (None, false, format!("{brought}: more of them were not tried")),
        false => (
            None,
            false,
            format!("{brought}: that many were not enough to fill the cluster; name more hosts (--hosts)"),
        ),
        true if gain + error >= LIMIT_SHOWS * more.min(1.0) && !starved => (
            None,
            false,
            format!(
                "{brought}: that is not known well enough to say whether so many fill the cluster (name more hosts by --hosts, or longer slices by --duration)"
            ),
        ),
        true if starved => {
            let why = "but these threads waited for their processors: the hosts that load are full, not the cluster; name more \
                       hosts (--hosts)";
            (None, true, format!("{brought}, {why}"))
        }
        true => {
            let enough = clients(before);
            let alone = loads.first().and_then(|first| first.estimate).filter(|_| enough > 1);
            let told = alone.map_or("one client is enough to fill the cluster".to_string(), |alone| {
                format!(
                    "{enough} {} fill the cluster; one alone did {} of that, and was the limit itself",
                    many(enough),
                    percent(alone.value / was.value)
                )
            });
            (Some(enough), true, format!("{told}: {brought}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Estimate;

    fn load(hosts: u32, each: u32, value: f64) -> ScaledLoad {
        let estimate = (value > 0.0).then(|| Estimate::new(value, 0.02 * value));
        ScaledLoad { hosts, each, estimate, label: "settled".to_string() }
    }

    #[test]
    fn doubling_ends_when_it_brings_nothing_more() {
        let (full, ended, _) = outcome(&[load(1, 1, 1000.0)], false, 1);
        assert_eq!((full, ended), (None, false));
        let (full, ended, says) = outcome(&[load(1, 1, 1000.0), load(2, 1, 1900.0)], false, 1);
        assert_eq!((full, ended), (None, false));
        assert!(says.contains("not enough"), "{says}");
        // Stopped before more were tried.
        let (.., says) = outcome(&[load(1, 1, 1000.0), load(2, 1, 1900.0)], false, 8);
        assert!(says.contains("were not tried") && !says.contains("name more hosts"), "{says}");
        let (full, ended, says) = outcome(&[load(1, 1, 1000.0), load(2, 1, 1900.0), load(2, 2, 1950.0)], false, 1);
        assert_eq!((full, ended), (Some(2), true));
        assert!(
            says.starts_with("2 clients fill the cluster; one alone did 53 %") && says.contains("4 clients did"),
            "{says}"
        );
        // One host more than sixteen brings a sixteenth at most.
        let (full, ended, _) = outcome(&[load(16, 1, 16_000.0), load(17, 1, 17_000.0)], false, 1);
        assert_eq!((full, ended), (None, false));
        let (full, _, says) = outcome(&[load(1, 1, 1000.0), load(1, 2, 900.0)], false, 1);
        assert_eq!(full, Some(1));
        assert!(says.contains("one client is enough") && says.contains("10.0 % less"), "{says}");
    }

    #[test]
    fn what_is_not_known_well_fills_nothing() {
        let imprecise =
            |each, value: f64| ScaledLoad { estimate: Some(Estimate::new(value, 0.4 * value)), ..load(1, each, value) };
        let (full, ended, says) = outcome(&[imprecise(1, 1000.0), imprecise(2, 1020.0)], false, 8);
        assert_eq!((full, ended), (None, false));
        assert!(says.contains("not known well enough"), "{says}");
        let (full, ..) = outcome(&[imprecise(1, 1000.0), imprecise(2, 500.0)], false, 8);
        assert_eq!(full, Some(1));
        // As good as a usual run wants its figures to be.
        let usual =
            |each, value: f64| ScaledLoad { estimate: Some(Estimate::new(value, 0.1 * value)), ..load(1, each, value) };
        assert_eq!(outcome(&[usual(1, 1000.0), usual(2, 1050.0)], false, 8).0, Some(1));
    }

    #[test]
    fn a_host_that_is_full_says_nothing_of_the_cluster() {
        let (full, ended, says) = outcome(&[load(1, 1, 1000.0), load(1, 2, 1010.0)], true, 1);
        assert_eq!((full, ended), (None, true));
        assert!(says.contains("not the cluster"), "{says}");
        let (full, ended, says) = outcome(&[load(1, 1, 1000.0), load(1, 2, 0.0)], false, 1);
        assert_eq!((full, ended), (None, true));
        assert!(says.contains("nothing was measured"), "{says}");
    }
}
