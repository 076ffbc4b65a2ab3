//! Few processors for each NVMe drive.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "cpu-cores-per-nvme",
    about: Area::Host,
    what: "A host has few processors for its OSDs on NVMe.",
    why: "Small operations need them: from 2 to 4 cores for each OSD doubled the IOPS in a test of 2022, up to 16 threads brought as much again. A core gave about 7,500 reads or 3,500 replicated writes a second.",
    evidence: "A host has fewer than four processors (threads) for each OSD on NVMe.",
    sources: &["ceph.io blog, 2022: ceph-osd-cpu-scaling"],
    needs: &[Source::Facts(FactsPart::Hosts), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "more or faster processors, or fewer drives in a host",
    risk: "it costs money",
    confirm: "fathom osd: all OSDs of the host at once do far less than the sum of each alone, and its processors are busy",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_hosts(case, "few processors for each NVMe drive", |host| few(case, host))
}

fn few(case: &Case, host: &HostSetup) -> Option<Phrase> {
    let on_nvme = |name: &str| case.osds().iter().any(|osd| osd.on_nvme() && format!("osd.{}", osd.id) == name);
    let osds = host.osds().filter(|daemon| on_nvme(&daemon.name)).count();
    let cores = host.cores? as usize;
    (osds > 0 && cores < 4 * osds).then(|| phrase!("{} processors for {} OSDs on NVMe", cores, osds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_host(facts, |host| host.cores = Some(6))), ["b"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| one_host(facts, |host| host.cores = Some(8))), NOBODY);
        assert_eq!(
            told(&RULE, |facts| {
                hard_disks(facts);
                one_host(facts, |host| host.cores = Some(2))
            }),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
