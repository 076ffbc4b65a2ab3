//! A table of connections that is nearly full.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "kern-conntrack",
    about: Area::Host,
    what: "The kernel tracks connections, and its table is nearly full.",
    why: "When it is full, packets are dropped.",
    evidence: "Of net.netfilter.nf_conntrack_max 80 % and more are in use.",
    sources: &["Linux, \"Netfilter Conntrack Sysfs variables\""],
    needs: &[Source::Facts(FactsPart::Hosts)],
    suspect,
    fix: "exempt the storage networks (nft: notrack), or raise net.netfilter.nf_conntrack_max",
    risk: "rules of a firewall that need the state of connections do not see exempted ones",
    confirm: "the kernel's log: nf_conntrack: table full, dropping packet",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_hosts(case, "the table of connections is nearly full", |host| {
        host.sysctl("net.netfilter.nf_conntrack_count")
            .zip(host.sysctl("net.netfilter.nf_conntrack_max"))
            .filter(|(used, most)| used * 10 >= most * 8)
            .map(|(used, most)| phrase!("{} of {}", Quantity::Count(used), Quantity::Count(most)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| one_host(facts, |host| ["nf_conntrack_count", "nf_conntrack_max"]
                .iter()
                .for_each(|name| drop(host.sysctls.insert(format!("net.netfilter.{name}"), "1000".into()))))),
            ["b"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| one_host(facts, |host| drop(
                host.sysctls.insert("net.netfilter.nf_conntrack_max".into(), "1000".into())
            ))),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
