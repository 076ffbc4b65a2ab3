//! Images that are compressed.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "pool-compression",
    about: Area::Pool,
    what: "A pool of images is compressed.",
    why: "An overwrite inside a compressed blob has to read, unpack and pack it again.",
    evidence: "compression_mode of a pool with the application rbd is aggressive or force.",
    sources: &["Ceph's documentation, \"BlueStore Configuration Reference\""],
    needs: &[Source::Facts(FactsPart::Pools)],
    suspect,
    fix: "ceph osd pool set POOL compression_mode none, or passive",
    risk: "more space is used; what is compressed stays so",
    confirm: "fathom rbd on a temporary pool with the mode and on one without it",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_pools(
        case,
        |pool| {
            pool.has("rbd")
                && pool
                    .options
                    .get("compression_mode")
                    .is_some_and(|mode| ["aggressive", "force"].contains(&mode.as_str()))
        },
        "images are compressed",
        |pool| pool.options.get("compression_mode").cloned().unwrap_or_default().into(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| the_pool(facts, |pool| drop(
                pool.options.insert("compression_mode".into(), "force".into())
            ))),
            ["pool vms"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| the_pool(facts, |pool| drop(
                pool.options.insert("compression_mode".into(), "passive".into())
            ))),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
