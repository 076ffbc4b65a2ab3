//! Virtual machines whose cache of images does not fit what they lie on.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "vm-cache-mode",
    about: Area::Client,
    what: "QEMU caches the images of a virtual machine in a way that costs or loses.",
    why: "In front of flash the cache of images costs: 26,000 random reads of 16 KiB a second with it and 53,500 without in one test. With unsafe no flush of the guest ever reaches the cluster: what it took for written is lost when its host is.",
    evidence: "A process of QEMU on a host that was looked at has cache=unsafe (no-flush) for an image; or cache=writeback, and all OSDs lie on flash. Where no word says it, nothing is told.",
    sources: &[
        "ceph.io blog, 2022: qemu-kvm-tuning",
        "yourcmc.ru wiki, \"Производительность Ceph\"",
        "QEMU's documentation: -drive cache=",
    ],
    needs: &[Source::Facts(FactsPart::Guests), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "cache=none for images on flash, writeback on hard disks (in libvirt: cache=\"none\"); never unsafe but for what may be lost",
    risk: "the virtual machine has to be stopped and started; on hard disks small writes in a row are no more gathered",
    confirm: "the same fio job in the guest, with one and with the other",
    tried: Tried::Machines,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let flash = !case.osds().is_empty() && case.osds().iter().all(OsdFacts::on_flash);
    of_guests(case, "the cache of images does not fit what they lie on", |guest| {
        let bad = |cache: &&String| *cache == "unsafe" || flash && *cache == "writeback";
        guest.caches.iter().find(bad).map(|cache| format!("cache={cache}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| guest(facts, |guest| guest.caches = vec!["none".into(), "writeback".into()])),
            ["b"]
        );
        assert_eq!(told(&RULE, |facts| guest(facts, |guest| guest.caches = vec!["unsafe".into()])), ["b"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| guest(facts, |guest| guest.caches = vec!["none".into()])), NOBODY);
        assert_eq!(told(&RULE, |facts| guest(facts, |_| ())), NOBODY);
        let on_disks = |facts: &mut model::facts::Facts| {
            hard_disks(facts);
            guest(facts, |guest| guest.caches = vec!["writeback".into()]);
        };
        assert_eq!(told(&RULE, on_disks), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| guest(facts, |guest| guest.caches = vec![])), NOBODY);
        assert_eq!(told(&RULE, |facts| one_host(facts, |host| host.guests = None)), NOBODY);
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
