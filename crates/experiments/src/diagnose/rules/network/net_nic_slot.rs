//! Network cards in narrow slots.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "net-nic-slot",
    about: Area::Network,
    what: "A network card's slot carries less than its port.",
    why: "A card of two ports of 100 Gbit/s was bounded to 100 in all on a test cluster; a slot with fewer lanes bounds it further.",
    evidence: "Lanes times speed of the card's PCIe link is less than what its port negotiated (8 bits of 10 up to 5 GT/s, else 128 of 130).",
    sources: &["ceph.io blog, 2025: benchmarking-object-part1", "PCI Express base specification: encodings"],
    needs: &[Source::Facts(FactsPart::Hosts), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "another slot, or two cards",
    risk: "the host is away meanwhile",
    confirm: "fathom network --hosts LIST: that host sends and receives less than its peers",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_nics(case, "the slot of the network card is narrow", narrow)
}

fn narrow(nic: &NicSetup) -> Option<String> {
    let ((speed, width), port) = nic.link.zip(nic.megabits)?;
    let coded = if speed <= 5.0 { 0.8 } else { 128.0 / 130.0 };
    let carries = speed * 1000.0 * f64::from(width) * coded;
    (carries < f64::from(port))
        .then(|| format!("{speed} GT/s x{width} carries {carries:.0} Mbit/s, and the port {port}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_nic(facts, |nic| nic.link = Some((5.0, 4)))), ["b"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| one_nic(facts, |nic| nic.link = None)), NOBODY);
        assert_eq!(told(&RULE, |facts| one_nic(facts, |nic| nic.megabits = None)), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
