//! Placement groups that are scrubbed.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "st-scrub",
    about: Area::State,
    what: "Placement groups are scrubbed: all of their data are read and compared.",
    why: "In a study of mClock five scrubs at once took 24 to 27 % of the IOPS of clients.",
    evidence: "In a quarter of the slices, or as an audit looked, more placement groups were scrubbed at once than a tenth of the OSDs.",
    sources: &[
        "ceph.io blog, 2022: mclock-vs-wpq-testing-with-background-ops-part2",
        "Ceph's documentation, \"OSD Config Reference\"",
    ],
    needs: &[Source::Facts(FactsPart::Groups), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "measure with fathom run --quiesce; for daily work choose quiet hours: ceph config set osd osd_scrub_begin_hour 1; ceph config set osd osd_scrub_end_hour 6",
    risk: "errors of disks are found later",
    confirm: "measure once with and once without fathom run --quiesce, and compare (fathom compare)",
    tried: Tried::Machines,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let busy = case.groups_in(&["scrubbing"]);
    if busy as usize * 10 <= case.osds().len() {
        return Vec::new();
    }
    state(
        phrase!("placement groups are scrubbed, {} at once", Quantity::Count(u64::from(busy))),
        phrase!("on {} OSDs", case.osds().len()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing::made::Made;
    use crate::diagnose::testing_facts::*;
    use judge::assess;
    use model::{Observation, PgsSeen, StepId, testing};

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| groups(facts, "active+clean+scrubbing+deep")), ["cluster"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| facts.cluster.osds =
                facts.cluster.osds.take().map(|osds| osds.iter().cycle().take(60).cloned().collect())),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster.groups = None), NOBODY);
    }

    #[test]
    fn one_that_begins_while_figures_are_measured_is_seen_in_their_slices() {
        let with = |slices: u32, seen: u32| {
            let mut record = Made::cluster().record.with(Observation::Facts(Box::new(healthy())));
            let step = StepId(1);
            record.slices = (0..slices).map(|pass| testing::slice(step, pass, 1, Vec::new())).collect();
            for pass in 0..seen {
                let states = [("active+clean+scrubbing+deep".to_string(), 3)].into();
                record.observations.push(Observation::PgsSeen(PgsSeen { step, pass, states }));
            }
            suspect(&Case::of(&assess(&record))).len()
        };
        assert_eq!((with(8, 3), with(8, 1), with(8, 0)), (1, 0, 0));
    }
}
