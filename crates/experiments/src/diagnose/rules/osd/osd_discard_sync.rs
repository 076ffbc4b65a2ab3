//! Discards that hold writes up.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-discard-sync",
    about: Area::Osd,
    what: "Freed space is discarded in the path of writes.",
    why: "A drive that is slow to trim holds up what is written meanwhile.",
    evidence: "bdev_enable_discard is true, and neither bdev_async_discard nor bdev_async_discard_threads is set. What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &["Ceph's source: src/common/options: bdev_enable_discard, bdev_async_discard"],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config set osd bdev_async_discard_threads 1 (before 19.2: bdev_async_discard true), or ceph config rm WHO OPTION; then restart",
    risk: "drives whose freed space is never discarded may slow down with age",
    confirm: "measure long writes before and after (fathom disk PATH --sustained, fathom osd), fathom compare",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let aside = case.set("bdev_async_discard").any(on)
        || case.set("bdev_async_discard_threads").any(|option| number(option).is_some_and(|threads| threads > 0.0));
    if aside {
        return Vec::new();
    }
    of_settings(case, "bdev_enable_discard", on, "discards hold writes up")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| set(facts, "osd", "bdev_enable_discard", "true")), ["osd/bdev_enable_discard"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| {
                set(facts, "osd", "bdev_enable_discard", "true");
                set(facts, "osd", "bdev_async_discard", "true")
            }),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
