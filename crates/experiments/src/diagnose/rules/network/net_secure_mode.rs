//! Messages that are encrypted.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "net-secure-mode",
    about: Area::Network,
    what: "The second messenger encrypts what daemons and clients send.",
    why: "4 MiB reads lost 25 % at 1 TB/s on one cluster, and a virtual machine fell from 123,000 to 87,000 IOPS; against an untrusted network it is needed.",
    evidence: "ms_cluster_mode, ms_service_mode or ms_client_mode is set so that `secure` comes first. What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &[
        "Clyso, \"Ceph: A Journey to 1 TiB/s\" (ceph.io blog, 2024: ceph-a-journey-to-1tibps)",
        "ceph.io blog, 2022: qemu-kvm-tuning",
    ],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "only on a trusted network: ceph config rm WHO OPTION, then restart daemons and clients",
    risk: "what is sent can be read by whoever listens",
    confirm: "of what OSDs send each other: fathom prove osd/ms_cluster_mode=crc --restart osd; of what clients and OSDs send: fathom prove osd/ms_service_mode=crc \
              --restart osd, where clients take that (ms_client_mode)",
    tried: Tried::Machines,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    ["ms_cluster_mode", "ms_service_mode", "ms_client_mode"]
        .iter()
        .flat_map(|name| {
            of_settings(
                case,
                name,
                |option| option.value.split_whitespace().next() == Some("secure"),
                "messages are encrypted",
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| set(facts, "global", "ms_cluster_mode", "secure")), ["global/ms_cluster_mode"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "global", "ms_cluster_mode", "crc secure")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
