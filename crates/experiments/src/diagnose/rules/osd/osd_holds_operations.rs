//! An OSD that holds up operations for so long that OSDs complain.

use super::{osd_adds_time, osd_slow};
use crate::diagnose::rules::state::st_slow_ops;
use crate::diagnose::{Area, Case, Explains, Rule, Source, Suspect, Tried};
use model::{HeldOperations, Quantity, Standing, Subject, phrase};

pub static RULE: Rule = Rule {
    id: "osd-holds-operations",
    about: Area::Osd,
    what: "Operations get stuck in one OSD: it has yet to do its part in nearly all of those that are in flight for long.",
    evidence: "When OSDs complained of slow operations, all that were up told what they had in flight for longer than 5 s (dump_ops_in_flight). At least 3 of these, and 80 % of all, waited for this \
               OSD: as their primary, or as one that has to keep a copy; of an OSD that did not answer, those that others said to wait for it.",
    sources: &["Ceph's documentation, \"Troubleshooting OSDs: Debugging Slow Requests\""],
    needs: &[Source::Figures],
    suspect,
    test: None,
    explains: &[
        Explains { rule: &st_slow_ops::RULE, which: "that of the cluster", follows: |_, _, _| true },
        Explains {
            rule: &osd_slow::RULE,
            which: "that of the same OSD",
            follows: |cause, slow, _| cause.subject == slow.subject,
        },
        Explains {
            rule: &osd_adds_time::RULE,
            which: "that of the same OSD",
            follows: |cause, slow, _| cause.subject == slow.subject,
        },
    ],
    fix: "look at this OSD, not at those that complain: the disks of its data and of its DB (iostat -x 1 on its host: a limit, errors, a queue that never empties; smartctl), its process (top -H, cgroup \
          limits), what it waits for (ceph tell osd.N dump_ops_in_flight)",
    special_fixes: &[],
    risk: Rule::LOOKING_CHANGES_NOTHING,
    confirm: "fathom osd N --alone beside its peers, and fathom disk on a free part of the disks under it",
    tried: Tried::Machines,
    ..Rule::USUAL
};

/// Of the same OSD, where it is certain what slows it.
pub const FOLLOWS: Explains = Explains {
    rule: &RULE,
    which: "that of the same OSD, where this one is certain",
    follows: |cause, held, _| cause.standing == Standing::Confirmed && cause.subject == held.subject,
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let longest = |seen: &&HeldOperations| seen.osds.iter().map(|osd| osd.oldest).fold(0.0, f64::max);
    let all = case.record.held_operations().filter(|seen| seen.holder().is_some());
    let Some(seen) = all.max_by(|a, b| longest(a).total_cmp(&longest(b))) else { return Vec::new() };
    let Some((osd, held, of)) = seen.holder() else { return Vec::new() };
    let count = |count: u32| Quantity::Count(u64::from(count));
    let because = phrase!(
        "{} of {} operations that were in flight for longer than 5 s waited for it, the oldest for {} s",
        count(held),
        count(of),
        Quantity::Count(longest(&seen) as u64)
    );
    let says = phrase!("{} holds up operations", Subject::Osd(osd));
    vec![Suspect::new(Subject::Osd(osd), Standing::Confirmed, says, because)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;
    use model::{HeldByOsd, Observation, Record};

    fn held(own: [u32; 3]) -> Vec<String> {
        let osds = (0..).zip(own).map(|(osd, own)| HeldByOsd { osd, own, oldest: 33.0, ..HeldByOsd::default() });
        let seen = HeldOperations { osds: osds.collect(), silent: Vec::new() };
        told_of(&RULE, Record::default().with(Observation::HeldOperations(seen)))
    }

    #[test]
    fn the_osd_that_nearly_all_wait_for_is_named() {
        assert_eq!(held([1, 0, 12]), ["osd.2"]);
    }

    #[test]
    fn where_several_hold_them_up_it_is_nobody() {
        assert_eq!(held([6, 0, 12]), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_nothing_was_seen() {
        assert_eq!(told_of(&RULE, Record::default()), NOBODY);
    }
}
