//! OSDs without tcmalloc.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-no-tcmalloc",
    about: Area::Osd,
    what: "OSDs do not use tcmalloc.",
    why: "In 2015 a better allocator gave up to 4.2 times the small operations; and only with tcmalloc an OSD knows how much memory it has.",
    evidence: "An OSD's process has mapped neither libtcmalloc nor libjemalloc. A program that has it built in looks the same.",
    sources: &[
        "ceph.io blog, 2015: the-ceph-and-tcmalloc-performance-story",
        "Ceph's documentation, \"BlueStore Configuration Reference\"",
    ],
    needs: &[Source::Facts(FactsPart::Hosts), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "use packages that are built with tcmalloc",
    risk: "an upgrade restarts all daemons",
    confirm: "ceph tell osd.N heap stats says whether it uses tcmalloc",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_daemons(case, "OSDs do not use tcmalloc", |daemon| daemon.allocator.clone().filter(|name| name == "glibc"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| each_daemon(facts, |daemon| daemon.allocator = Some("glibc".into()))),
            ["a", "b", "c"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| each_daemon(facts, |daemon| daemon.allocator = None)), NOBODY);
        assert_eq!(
            told(&RULE, |facts| {
                each_daemon(facts, |daemon| daemon.allocator = Some("glibc".into()));
                facts.cluster.lab = true
            }),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
