//! Small packets on fast links.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "net-jumbo-off",
    about: Area::Network,
    what: "Hosts send packets of 1500 bytes on links of 25 Gbit/s and more.",
    why: "It matters for large transfers and processor time alone: SUSE's guide calls larger ones the largest win of the network, others saw none. At one operation at a time there is no difference.",
    evidence: "The interface with the address of an OSD has an MTU of 1500 and negotiated 25 Gbit/s or more.",
    sources: &["SUSE Enterprise Storage 6, \"Tuning Guide\"", "Vitaliy Filippov, \"Ceph performance\" (yourcmc wiki)"],
    needs: &[Source::Facts(FactsPart::Hosts), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "ip link set DEV mtu 9000 on every host, and on every port of the switches, in one go",
    risk: "hosts with different sizes lose large packets: prove each way (fathom network)",
    confirm: "fathom network --hosts LIST before and after; fathom compare",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_nics(case, "small packets on fast links", |nic| {
        nic.megabits
            .filter(|speed| *speed >= 25_000 && nic.mtu == Some(1500) && !nic.addresses.is_empty())
            .map(|_| "MTU 1500".to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_nic(facts, |nic| nic.mtu = Some(1500))), ["b"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| one_nic(facts, |nic| (nic.mtu, nic.megabits) = (Some(1500), Some(10_000)))),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
