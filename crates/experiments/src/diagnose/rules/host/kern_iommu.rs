//! Drives whose memory is mapped by the IOMMU one by one.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "kern-iommu",
    about: Area::Host,
    what: "Hosts with many NVMe drives translate every transfer of them (IOMMU).",
    why: "On a cluster with AMD EPYC, eight drives at once did less than one alone, and 77 % of the time went into the lock of the IOMMU's addresses; without it the same hosts did 1 TiB/s together.",
    evidence: "A host that is no virtual machine has six NVMe drives and more whose IOMMU groups are of the kind DMA or DMA-FQ. Where the kernel does not tell the kind: it has an AMD EPYC or \
               intel_iommu=on, and was started without iommu=pt, iommu=off, amd_iommu=off or intel_iommu=off.",
    sources: &["Clyso, \"Ceph: A Journey to 1 TiB/s\" (ceph.io blog, 2024: ceph-a-journey-to-1tibps)"],
    needs: &[Source::Facts(FactsPart::Hosts)],
    suspect,
    fix: "add iommu=pt to the kernel's command line, restart the host",
    risk: "devices given to virtual machines need translation",
    confirm: "fathom osd, all OSDs of the host at once, against the sum of each alone; perf record -a then shows native_queued_spin_lock_slowpath under alloc_iova",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_hosts(case, "transfers of many drives are translated", translated)
}

fn translated(host: &HostSetup) -> Option<Phrase> {
    let drives: Vec<_> = host.disks.iter().filter(|disk| disk.name.starts_with("nvme")).collect();
    if drives.len() < DRIVES_LEAST || host.virtual_machine != Some(false) {
        return None;
    }
    let kinds: Vec<&str> =
        drives.iter().filter_map(|disk| disk.iommu.as_deref()).filter(|kind| *kind != "unknown").collect();
    if let [first, ..] = kinds.as_slice() {
        let mapped = kinds.iter().filter(|kind| kind.starts_with("DMA")).count();
        return (mapped >= DRIVES_LEAST)
            .then(|| phrase!("{} NVMe drives in IOMMU groups of the kind {}", mapped, *first));
    }
    host.command_line.as_ref()?;
    let without =
        ["iommu=pt", "iommu=off", "amd_iommu=off", "intel_iommu=off"].iter().any(|word| host.booted_with(word));
    let on = host.processor.as_ref().is_some_and(|name| name.contains("EPYC")) || host.booted_with("intel_iommu=on");
    (on && !without).then(|| phrase!("{} NVMe drives, and no iommu=pt", drives.len()))
}

const DRIVES_LEAST: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| one_host(facts, |host| {
                host.processor = Some("AMD EPYC 9454P".into());
                host.command_line = Some("quiet".into());
                host.disks = host.disks.iter().cycle().take(8).cloned().collect();
            })),
            ["b"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| one_host(facts, |host| {
                host.processor = Some("AMD EPYC 9454P".into());
                host.disks = host.disks.iter().cycle().take(8).cloned().collect();
            })),
            NOBODY
        );
        assert_eq!(
            told(&RULE, |facts| one_host(facts, |host| {
                host.processor = Some("AMD EPYC 9454P".into());
                host.command_line = Some("quiet".into());
            })),
            NOBODY
        );
    }

    #[test]
    fn what_the_kernel_tells_of_the_drives_counts_more_than_how_it_was_started() {
        let eight = |iommu: &'static str| {
            told(&RULE, |facts| {
                one_host(facts, |host| {
                    host.command_line = Some("quiet".into());
                    host.processor = Some("AMD EPYC 9454P".into());
                    host.disks = host.disks.iter().cycle().take(8).cloned().collect();
                    host.disks.iter_mut().for_each(|disk| disk.iommu = Some(iommu.into()));
                })
            })
        };
        assert_eq!(eight("DMA-FQ"), ["b"]);
        assert_eq!((eight("identity"), eight("off")), (vec![], vec![]));
        assert_eq!(eight("unknown"), ["b"], "then the command line counts");
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
