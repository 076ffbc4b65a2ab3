//! Messenger that waits to fill its packets.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "net-nodelay",
    about: Area::Network,
    what: "ms_tcp_nodelay is off: small messages wait for the acknowledgement of earlier ones.",
    why: "Nagle's algorithm together with delayed acknowledgements adds up to 40 ms to a small message on Linux.",
    evidence: "ms_tcp_nodelay is set to false. What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &[
        "Ceph's documentation, \"Messenger v2\" and ms_tcp_nodelay (default true)",
        "RFC 896 and RFC 1122, section 4.2.3.2: delayed acknowledgements",
    ],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION, then restart the daemons",
    risk: "daemons restart",
    confirm: "measure small writes before and after (fathom rados, then fathom compare): daemons read the option as they start",
    matters: Matters::Much,
    tried: Tried::Machines,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_settings(case, RULE_OPTION, off, "the messenger waits to fill its packets")
}

const RULE_OPTION: &str = "ms_tcp_nodelay";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| set(facts, "global", "ms_tcp_nodelay", "false")), ["global/ms_tcp_nodelay"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "osd", "ms_tcp_nodelay", "true")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
