//! An image that another client has open for writing.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "rbd-other-writer",
    about: Area::Client,
    what: "Another client has the image open for writing.",
    why: "With the exclusive lock two writers take it from each other, and each handing over costs a flush and a new object map; without it both load the same objects.",
    evidence: "Somebody watches the image that is measured, as clients do that have it open for writing. One is usual for the disk of a running guest; two are not.",
    sources: &["Ceph's documentation, \"RBD Exclusive Locks\""],
    needs: &[Source::Facts(FactsPart::Images)],
    suspect,
    fix: "rbd status POOL/IMAGE names the clients; let one of them write, or give each an image of its own",
    risk: "none: looking changes nothing",
    confirm: "measure again while the other client has it closed",
    matters: Matters::Much,
    tried: Tried::Machines,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_images(case, "another client has it open for writing: what it does is in these figures", |image| {
        let writers = image.writers.filter(|writers| *writers > 0)?;
        Some(phrase!("clients that watch it: {}", Quantity::Count(u64::from(writers))))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;
    use model::facts::ImageFacts;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| the_image(facts, |image| image.writers = Some(2))), ["image vms/disk"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |_| ()), NOBODY);
        assert_eq!(told(&RULE, |facts| the_image(facts, |image| image.writers = Some(0))), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster.images = None), NOBODY);
        assert_eq!(
            told(&RULE, |facts| the_image(facts, |image| *image =
                ImageFacts { pool: "vms".into(), ..ImageFacts::default() })),
            NOBODY
        );
    }
}
