//! Clients of very old releases.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "cl-old-release",
    about: Area::Client,
    what: "Clients are connected that know less than Luminous.",
    why: "They bar placement by upmap, and lack ten years of improvements; libraries before Pacific did 80,000 in place of 126,000 IOPS in one test.",
    evidence: "ceph features shows clients with the features of a release before luminous.",
    sources: &["ceph.io blog, 2022: qemu-kvm-tuning", "Ceph's documentation, \"Balancer Module\""],
    needs: &[Source::Facts(FactsPart::Clients)],
    suspect,
    fix: "ceph tell mon.NAME sessions names them by address; update their packages or kernels",
    risk: "machines with them restart",
    confirm: "ceph features",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let old = case.cluster().clients.iter().flatten().filter(|group| {
        ["argonaut", "bobtail", "dumpling", "firefly", "hammer", "jewel", "kraken"].contains(&group.release.as_str())
    });
    listed(old.map(|group| format!("{} of {}", group.number, group.release)))
        .map_or(Vec::new(), |all| of_cluster("clients of very old releases", all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| facts.cluster.clients.as_mut().unwrap()[0].release = "jewel".into()),
            ["cluster"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| facts.cluster.clients.as_mut().unwrap()[0].release = "reef".into()), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
