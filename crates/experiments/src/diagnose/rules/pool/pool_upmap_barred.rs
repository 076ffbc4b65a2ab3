//! A balancer that old clients bar.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "pool-upmap-barred",
    about: Area::Pool,
    what: "The cluster allows clients that do not know placement by upmap.",
    why: "The balancer can then not bind placement groups one by one.",
    evidence: "require_min_compat_client is older than luminous, and the balancer's mode is upmap.",
    sources: &["Ceph's documentation, \"Balancer Module\""],
    needs: &[Source::Facts(FactsPart::Osds), Source::Facts(FactsPart::Balancer)],
    suspect,
    fix: "if ceph features shows no older client: ceph osd set-require-min-compat-client luminous",
    risk: "older clients are shut out",
    confirm: "ceph features; ceph balancer status says why it does nothing",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let old = case
        .cluster()
        .require_min_client
        .as_deref()
        .filter(|name| ["argonaut", "bobtail", "dumpling", "firefly", "hammer", "jewel", "kraken"].contains(name));
    let upmap = case.cluster().balancer.as_ref().is_some_and(|balancer| balancer.mode.starts_with("upmap"));
    match old.filter(|_| upmap) {
        Some(name) => of_cluster("old clients bar the balancer", phrase!("require_min_compat_client is {}", name)),
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| facts.cluster.require_min_client = Some("jewel".into())), ["cluster"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| facts.cluster.require_min_client = Some("reef".into())), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
