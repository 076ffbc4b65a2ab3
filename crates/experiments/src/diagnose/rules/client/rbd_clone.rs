//! An image that is a clone: its first writes copy from its parent.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "rbd-clone",
    about: Area::Client,
    what: "The image is a clone whose data still lie in its parent.",
    why: "The first write to each object reads the parent's and writes all of it, 4 MiB for one of 4 KiB; reads of what was not written go to the parent.",
    evidence: "librbd says that bytes of the image that is measured still come from a parent.",
    sources: &["Ceph's documentation, \"Snapshots: Layering\""],
    needs: &[Source::Facts(FactsPart::Images)],
    suspect,
    fix: "rbd flatten POOL/IMAGE copies them once",
    risk: "all of the parent's data are copied: load and room",
    confirm: "fathom rbd --pool POOL beside it measures images without a parent",
    matters: Matters::Much,
    tried: Tried::Machines,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_images(case, "a clone: its first writes copy objects from its parent", |image| {
        let bytes = image.overlap.filter(|bytes| *bytes > 0)?;
        Some(phrase!("{} MiB still come from the parent", Quantity::Count(bytes >> 20)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;
    use model::facts::ImageFacts;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| the_image(facts, |image| image.overlap = Some(64 << 20))), ["image vms/disk"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |_| ()), NOBODY);
        assert_eq!(told(&RULE, |facts| the_image(facts, |image| image.overlap = Some(0))), NOBODY);
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
