//! Pools whose data have no checksums.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "folklore-pool-csum-off",
    about: Area::Pool,
    what: "A pool's data are written without checksums: a setting from record hunts.",
    why: "Without them neither a read nor a scrub notices what a disk returns wrongly.",
    evidence: "csum_type of a pool is none (0).",
    sources: &["Ceph's documentation, \"BlueStore Configuration Reference\""],
    needs: &[Source::Facts(FactsPart::Pools)],
    suspect,
    fix: "ceph osd pool set POOL csum_type unset",
    risk: "what was written without a checksum has none until it is written again",
    confirm: "fathom rados on a temporary pool with the setting and on one without it",
    matters: Matters::Data,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_pools(
        case,
        |pool| pool.options.get("csum_type").is_some_and(|kind| ["none", "0", "1"].contains(&kind.as_str())),
        "data are written without checksums: folklore",
        |pool| pool.options.get("csum_type").cloned().unwrap_or_default().into(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| the_pool(facts, |pool| drop(pool.options.insert("csum_type".into(), "none".into())))),
            ["pool vms"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| the_pool(facts, |pool| drop(pool.options.insert("csum_type".into(), "crc32c".into())))),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
