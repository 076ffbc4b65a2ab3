//! Authentication that is switched off for speed.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "folklore-cephx-off",
    about: Area::Network,
    what: "Authentication, or the signing of messages, is switched off: advice from the time of the first messenger.",
    why: "With the second messenger a lab measured no difference. Without authentication whoever reaches the network reads and writes everything.",
    evidence: "auth_cluster_required, auth_service_required or auth_client_required is set to none. What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &["ceph.io blog, 2022: ceph-osd-cpu-scaling", "Ceph's documentation, \"Cephx Config Reference\""],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config set WHO OPTION cephx, then restart daemons and clients",
    risk: "clients without keys are shut out: give them keys first",
    confirm: "measure before and after (fathom run, then fathom compare): daemons read the option as they start",
    matters: Matters::Data,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    ["auth_cluster_required", "auth_service_required", "auth_client_required"]
        .iter()
        .flat_map(|name| of_settings(case, name, |option| option.value == "none", "authentication is off: folklore"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| set(facts, "global", "auth_cluster_required", "none")),
            ["global/auth_cluster_required"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "global", "auth_cluster_required", "cephx")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
