//! Gateways with the frontend of old.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "rgw-old-frontend",
    about: Area::Rgw,
    what: "Object gateways use the frontend civetweb.",
    why: "It was removed in Quincy; beast serves more connections with fewer threads.",
    evidence: "A gateway says that its frontend is civetweb.",
    sources: &["Ceph's release notes, v17.2.0 Quincy", "Ceph's documentation, \"HTTP Frontends\""],
    needs: &[Source::Facts(FactsPart::Gateways)],
    suspect,
    fix: "ceph config set client.rgw rgw_frontends \"beast port=7480\", then restart",
    risk: "connections break while it restarts",
    confirm: "GET many small objects before and after",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let gateways = case.cluster().gateways.iter().flatten();
    let old = gateways
        .filter(|(_, says)| says.iter().any(|(name, value)| name.starts_with("frontend_type") && value == "civetweb"));
    listed(old.map(|(name, _)| format!("rgw.{name}")))
        .map_or(Vec::new(), |all| of_cluster("gateways with the frontend of old", all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| gateway(facts, "a", &[("frontend_type#0", "civetweb")])), ["cluster"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| gateway(facts, "a", &[("frontend_type#0", "beast")])), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
