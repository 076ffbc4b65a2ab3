//! Gateways in virtual machines before OSDs that are on hosts of their own.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "rgw-in-small-vm",
    about: Area::Rgw,
    what: "Object gateways run in virtual machines, and the OSDs do not.",
    why: "All that clients write and read goes through them twice. On one cluster of hosts with 60 disks each, PUT stayed below 2 GiB/s with idle OSDs, by processors and network of the hypervisors; \
          with the gateways on the OSDs' hosts it was seven times as much.",
    evidence: "A gateway's host has no OSD and is a virtual machine (its processor has a name that only hypervisors give, or an agent on it says so), and no OSD's host is one.",
    sources: &["ceph.io blog, 2024: pawsey-reef-s3-performance-part-1"],
    needs: &[Source::Facts(FactsPart::Gateways), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "place them on the OSDs' hosts, where processors are idle (ceph orch apply rgw NAME --placement=…), or on hosts of their own",
    risk: "processors and memory of those hosts",
    confirm: "PUT large objects through all gateways while you watch processors and network of the hypervisors, and of the OSDs' hosts: who is busy?",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let Some(gateways) = &case.cluster().gateways else { return Vec::new() };
    let setup = |name: &str| case.facts().into_iter().flat_map(|facts| &facts.hosts).find(|host| host.name == name);
    let told = |name: &str| setup(name).and_then(|host| host.virtual_machine) == Some(true);
    let of_osds = |name: &str| case.osds().iter().any(|osd| osd.host == name);
    if case.osds().iter().any(|osd| told(&osd.host) || osd.processor.as_deref().is_some_and(of_hypervisor)) {
        return Vec::new();
    }
    let bad = gateways.values().filter_map(|says| {
        let host = says.get("hostname").filter(|host| !of_osds(host))?;
        let processor = says.get("cpu").map_or("", String::as_str);
        (told(host) || of_hypervisor(processor)).then(|| format!("{host}: {processor}"))
    });
    let all: Vec<String> = bad.collect();
    let count = all.len();
    listed(all).map_or(Vec::new(), |all| {
        let says = "gateways run in virtual machines, and OSDs do not";
        of_cluster(says, phrase!("{} of {} gateways; {}", count, gateways.len(), all))
    })
}

/// Those of QEMU leave out the marks that makers write: `Intel Xeon Processor (Skylake, IBRS)`, `AMD EPYC-Milan Processor`.
fn of_hypervisor(name: &str) -> bool {
    let words = ["QEMU", "KVM", "Virtual"].iter().any(|word| name.contains(word));
    let intel = name.starts_with("Intel Xeon Processor (") || name.starts_with("Intel Core Processor (");
    let amd = name.starts_with("AMD EPYC") && name.contains("Processor") && !name.contains("-Core");
    words || intel || amd
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    const VIRTUAL: &str = "Intel Xeon Processor (Skylake, IBRS)";

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| gateway(facts, "1", &[("hostname", "x"), ("cpu", VIRTUAL)])), ["cluster"]);
        let by_agent = told(&RULE, |facts| {
            gateway(facts, "1", &[("hostname", "x"), ("cpu", "Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz")]);
            facts.hosts.push(HostSetup { name: "x".into(), virtual_machine: Some(true), ..HostSetup::default() })
        });
        assert_eq!(by_agent, ["cluster"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        let on = |host: &'static str, cpu: &'static str| {
            told(&RULE, |facts| gateway(facts, "1", &[("hostname", host), ("cpu", cpu)]))
        };
        assert_eq!(on("x", "AMD EPYC 7742 64-Core Processor"), NOBODY);
        assert_eq!(on("a", VIRTUAL), NOBODY, "it is a host of OSDs");
        assert_eq!(
            told(&RULE, |facts| {
                gateway(facts, "1", &[("hostname", "x"), ("cpu", VIRTUAL)]);
                each_osd(facts, |osd| osd.processor = Some(VIRTUAL.into()))
            }),
            NOBODY,
            "all of it is virtual"
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster.gateways = None), NOBODY);
        assert_eq!(told(&RULE, |facts| gateway(facts, "1", &[("hostname", "x")])), NOBODY);
    }
}
