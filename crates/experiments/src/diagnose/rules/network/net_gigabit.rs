//! Links of 1 Gbit/s and less.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "net-gigabit",
    about: Area::Network,
    what: "OSDs reach the network at 1 Gbit/s, or less.",
    why: "One link of 1 Gbit/s carries 110 MB/s, less than a hard disk; copies of writes pass it as well.",
    evidence: "The interface with the address of an OSD, or what it is made of, negotiated at most 1 Gbit/s.",
    sources: &[
        "Ceph's documentation, \"Hardware Recommendations\"",
        "Ceph wiki, \"Benchmark Ceph Cluster Performance\"",
    ],
    needs: &[Source::Facts(FactsPart::Hosts), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "look at port, cable and switch; a faster network",
    risk: "it costs money",
    confirm: "fathom network --hosts LIST",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_nics(case, "a link of 1 Gbit/s", |nic| {
        nic.megabits.filter(|speed| *speed <= 1000).map(|speed| format!("{speed} Mbit/s"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_nic(facts, |nic| nic.megabits = Some(1000))), ["b"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| one_nic(facts, |nic| nic.megabits = None)), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
