//! A cache of images in front of flash.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "cl-rbd-cache-flash",
    about: Area::Client,
    what: "The cache of images is switched on by hand in front of flash.",
    why: "On flash it costs: 22,700 writes a second with it and 41,500 without in one test, 26,000 and 53,500 reads in another. On hard disks it is of use.",
    evidence: "rbd_cache is set to true, and all OSDs lie on flash. What is set in the monitors' database counts; what clients have in their own files is not seen.",
    sources: &["ceph.io blog, 2022: qemu-kvm-tuning", "ceph/ceph pull request 25713"],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config set WHO OPTION false; in QEMU cache=none counts more",
    risk: "small writes in a row are no more gathered",
    confirm: "fathom sweep rbd --pool POOL --axis cache=off,writethrough,writeback with --patterns of your load puts them beside each other",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_settings(
        case,
        "rbd_cache",
        |option| on(option) && !case.osds().is_empty() && case.osds().iter().all(OsdFacts::on_flash),
        "a cache of images in front of flash",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| set(facts, "client", "rbd_cache", "true")), ["client/rbd_cache"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "client", "rbd_cache", "false")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
