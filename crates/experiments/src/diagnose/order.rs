//! In which order causes are told: what is confirmed first, of that what would gain most, then hints, of those what usually matters most.
//! Where what goes on in the cluster makes a measurement doubtful, that is told before all.

use super::Area;
use super::test::Suspected;
use model::Standing;
use std::cmp::Ordering;

/// Where nothing else decides, the order of the rules stands.
pub fn told(mut causes: Vec<Suspected>) -> Vec<Suspected> {
    let doubtful = causes.iter().any(|(_, suspect)| suspect.doubted);
    let goes_on = |(rule, suspect): &Suspected| {
        doubtful && rule.about == Area::State && suspect.standing == Standing::Confirmed && !suspect.slows_nothing
    };
    causes.sort_by_key(|cause| !goes_on(cause));
    let first = causes.iter().filter(|cause| goes_on(cause)).count();
    causes[first..].sort_by(|(rule, one), (other_rule, other)| match (one.standing, other.standing) {
        (Standing::Confirmed, Standing::Hint) => Ordering::Less,
        (Standing::Hint, Standing::Confirmed) => Ordering::Greater,
        (Standing::Confirmed, Standing::Confirmed) => by_cost(other).cmp_to(&by_cost(one)),
        (Standing::Hint, Standing::Hint) => rule.rank().cmp(&other_rule.rank()),
    });
    causes
}

/// A share of all operations counts before a share of some, and any before none.
struct Size(Option<(bool, f64)>);

fn by_cost(suspect: &super::Suspect) -> Size {
    Size(suspect.cost.as_ref().map(model::Cost::size))
}

impl Size {
    fn cmp_to(&self, other: &Size) -> Ordering {
        match (self.0, other.0) {
            (Some((whole, share)), Some((other_whole, other_share))) => {
                whole.cmp(&other_whole).then(share.total_cmp(&other_share))
            }
            (one, other) => one.is_some().cmp(&other.is_some()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::{Area, Matters, RULES, Rule, Suspect};
    use model::{Cost, Estimate, Gain, Metric, Pattern, Phrase, Subject};

    fn suspect(rule: &'static Rule, standing: Standing, gain: Option<(f64, bool)>) -> Suspected {
        let gain = gain.map(|(change, whole)| Gain {
            of: "writes".into(),
            layer: model::testing::osds(),
            pattern: Pattern::WriteLatency,
            target: String::new(),
            metric: Metric::LatencyMean,
            from: Estimate::new(1.0, 0.1),
            to: Estimate::new(1.0 + change, 0.1),
            change: Estimate::new(change, 0.1),
            whole,
        });
        let cost = gain.map(|gain| Cost { gains: vec![gain], until: Phrase::default() });
        (rule, Suspect { cost, ..Suspect::new(Subject::Cluster, standing, "odd".into(), "seen".into()) })
    }

    #[test]
    fn what_is_confirmed_comes_first_by_its_cost_and_hints_by_how_much_they_matter() {
        let matters = |wanted| {
            *RULES.iter().find(|rule| rule.matters == wanted && rule.of_facts() && rule.about != Area::State).unwrap()
        };
        let (much, some, little) = (matters(Matters::Much), matters(Matters::Some), matters(Matters::Little));
        let all = vec![
            suspect(little, Standing::Hint, None),
            suspect(some, Standing::Confirmed, None),
            suspect(much, Standing::Hint, Some((-0.9, true))),
            suspect(some, Standing::Confirmed, Some((-0.5, false))),
            suspect(little, Standing::Confirmed, Some((-0.1, true))),
            suspect(much, Standing::Confirmed, Some((-0.2, true))),
        ];
        let told: Vec<(Standing, Option<f64>)> = told(all)
            .into_iter()
            .map(|(_, one)| (one.standing, one.cost.map(|cost| cost.gains[0].change.value)))
            .collect();
        let confirmed = [Some(-0.2), Some(-0.1), Some(-0.5), None].map(|gain| (Standing::Confirmed, gain));
        let hints = [Some(-0.9), None].map(|gain| (Standing::Hint, gain));
        assert_eq!(told, [confirmed.to_vec(), hints.to_vec()].concat());
    }

    #[test]
    fn what_makes_a_measurement_doubtful_is_told_before_all() {
        let rule = |id: &str| *RULES.iter().find(|rule| rule.id == id).unwrap();
        let order = |doubted: bool| {
            let (state, mut flags) = (rule("st-backfill"), suspect(rule("st-flags"), Standing::Confirmed, None));
            flags.1.slows_nothing = true;
            let mut slow = suspect(rule("osd-process-slow"), Standing::Hint, None);
            slow.1.doubted = doubted;
            let device = suspect(rule("device-slow"), Standing::Confirmed, Some((-0.2, true)));
            let all = told(vec![flags, slow, device, suspect(state, Standing::Confirmed, None)]);
            all.into_iter().map(|(rule, _)| rule.id).collect::<Vec<_>>()
        };
        assert_eq!(order(true), ["st-backfill", "device-slow", "st-flags", "osd-process-slow"]);
        assert_eq!(order(false)[0], "device-slow");
    }
}
