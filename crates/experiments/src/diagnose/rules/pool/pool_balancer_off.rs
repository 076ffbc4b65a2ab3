//! A balancer that is off.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "pool-balancer-off",
    about: Area::Pool,
    what: "Nobody evens out how full OSDs are.",
    why: "CRUSH alone leaves OSDs some tens of percent apart with few placement groups; since Pacific the balancer is on by itself.",
    evidence: "The balancer is not active, or its mode is none, and there are at least four OSDs.",
    sources: &["Ceph's documentation, \"Balancer Module\""],
    needs: &[Source::Facts(FactsPart::Balancer), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "ceph balancer mode upmap; ceph balancer on",
    risk: "data move: do it when the cluster is calm",
    confirm: "ceph balancer eval; ceph osd df: STDDEV before and after",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let idle = case.cluster().balancer.as_ref().filter(|balancer| !balancer.active || balancer.mode == "none");
    let Some(idle) = idle.filter(|_| case.osds().len() >= 4) else { return Vec::new() };
    of_cluster(
        "the balancer is off",
        phrase!("mode {}", if idle.mode.is_empty() { "unknown".to_string() } else { idle.mode.clone() }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| facts.cluster.balancer.as_mut().unwrap().active = false), ["cluster"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| facts.cluster.balancer.as_mut().unwrap().mode = "crush-compat".into()), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
