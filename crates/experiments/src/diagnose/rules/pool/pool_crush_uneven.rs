//! Hosts of very different weight.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "pool-crush-uneven",
    about: Area::Pool,
    what: "Hosts have very different weights in the CRUSH map.",
    why: "With few hosts the heavy one gets a copy of nearly everything, and its load.",
    evidence: "Of at least three hosts with a weight the difference of the heaviest and the lightest is more than half of the average.",
    sources: &["Clyso's analyzer (clyso/otto on GitHub)"],
    needs: &[Source::Facts(FactsPart::Crush)],
    suspect,
    fix: "spread disks more evenly over hosts",
    risk: "data move: do it when the cluster is calm",
    confirm: "fathom osd: OSDs of the heavy host are busier in fathom rados than others",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let hosts: Vec<(&str, f64)> = case
        .cluster()
        .buckets
        .iter()
        .flatten()
        .filter(|bucket| bucket.kind == "host" && bucket.weight > 0.0)
        .map(|bucket| (bucket.name.as_str(), bucket.weight))
        .collect();
    let weights = || hosts.iter().map(|(_, weight)| *weight);
    let (least, most) = (weights().fold(f64::INFINITY, f64::min), weights().fold(0.0, f64::max));
    let mean = weights().sum::<f64>() / hosts.len().max(1) as f64;
    if hosts.len() < 3 || most - least <= mean / 2.0 {
        return Vec::new();
    }
    listed(hosts.iter().map(|(name, weight)| format!("{name} {weight:.2}")))
        .map_or(Vec::new(), |all| of_cluster("hosts of very different weight", all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| facts.cluster.buckets.as_mut().unwrap()[0].weight = 20.0), ["cluster"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| facts.cluster.buckets.as_mut().unwrap()[0].weight = 8.0), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
