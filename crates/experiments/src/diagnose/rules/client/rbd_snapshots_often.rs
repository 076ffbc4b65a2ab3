//! An image that gets snapshots again and again.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "rbd-snapshots-often",
    about: Area::Client,
    what: "The image gets snapshots so often that many of its writes are the first after one.",
    why: "The first write to each object after a snapshot makes the OSDs clone the object, and every snapshot that is removed is trimmed.",
    evidence: "The newest snapshot of the image that is measured is less than ten minutes old.",
    sources: &[
        "Ceph's documentation, \"Snapshots\"",
        "Ceph's documentation, \"OSD Config Reference: osd_snap_trim_sleep\"",
    ],
    needs: &[Source::Facts(FactsPart::Images)],
    suspect,
    fix: "take snapshots less often, or in quiet hours: rbd mirror snapshot schedule ls; rbd trash and the scheduler of backups say who takes them",
    risk: "older backups",
    confirm: "fathom rbd --pool POOL beside it measures images without snapshots",
    matters: Matters::Much,
    tried: Tried::Machines,
    ..Rule::OF_FACTS
};

const RECENT_SECONDS: f64 = 600.0;

fn suspect(case: &Case) -> Vec<Suspect> {
    of_images(case, "a snapshot was taken just now: first writes after it clone objects", |image| {
        let seconds = image.newest_snapshot_seconds.filter(|seconds| *seconds < RECENT_SECONDS)?;
        let snapshots = Quantity::Count(u64::from(image.snapshots.unwrap_or(0)));
        Some(phrase!("snapshots: {}, the newest {} s old", snapshots, Quantity::Count(seconds as u64)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;
    use model::facts::ImageFacts;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| the_image(facts, |image| image.newest_snapshot_seconds = Some(4.0))),
            ["image vms/disk"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |_| ()), NOBODY);
        assert_eq!(told(&RULE, |facts| the_image(facts, |image| image.newest_snapshot_seconds = None)), NOBODY);
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
