//! An OSD that adds time to the writes of its pairs, and nothing tells where in it.

use super::by_position::{Role, Where, slow};
use super::osd_slow;
use crate::diagnose::{Area, Case, Explains, Rule, Source, Suspect, Tried};
use model::{Subject, phrase};

pub static RULE: Rule = Rule {
    id: "osd-adds-time",
    about: Area::Osd,
    what: "Writes in which an OSD takes part are slow, and its own timers do not tell whether its process, its store or the way to it takes the time.",
    evidence: "In writes between pairs of OSDs it adds at least 15 % of a usual write, by twice its 95 % interval; its writes are slow with the OSDs of every other host, and no other OSD of \
               its own host adds time beyond its interval. Its timers were not told, or speak for two of these.",
    sources: &["docs/method.md, \"By position\""],
    needs: &[Source::Positions],
    suspect,
    test: None,
    explains: &[Explains {
        rule: &osd_slow::RULE,
        which: "that of the same OSD",
        follows: |cause, slow, _| cause.subject == slow.subject,
    }],
    fix: "find out where: the disks of its data and of its DB under load (iostat -x 1 on its host), its process (top -H, cgroup limits), what its store waits for (ceph tell osd.N perf dump: \
          bluestore.commit_lat, kv_flush_lat, bluefs.slow_used_bytes), and the way to its host (fathom network --hosts)",
    special_fixes: &[],
    risk: Rule::LOOKING_CHANGES_NOTHING,
    confirm: "fathom osd N --alone beside its peers, and fathom disk on a free part of the disks under it",
    tried: Tried::Machines,
    ..Rule::USUAL
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let own = slow(case).into_iter().filter(|slow| slow.spent() == Where::Unknown && !slow.is_as_its_host());
    let everywhere = own.filter(|slow| {
        let roles = [(slow.as_primary(), Role::Primary), (slow.as_replica(), Role::Replica)];
        roles.into_iter().any(|(is, role)| is && slow.with_every_host(role))
    });
    let says = "is slow; whether its process, its store or the way to it takes the time is not known";
    everywhere.map(|slow| slow.suspect(phrase!("{} {}", Subject::Osd(slow.osd.osd), says), case)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::by_position_cases::*;

    #[test]
    fn an_osd_whose_timers_were_not_told_is_told_all_the_same() {
        let wanted = ["osd.1 is slow; whether its process, its store or the way to it takes the time is not known"];
        for adds in [SLOW_DISK, SENDS_SLOWLY, RECEIVES_SLOWLY, DEBUG_LOGGING] {
            assert_eq!(says_of_one(&RULE, Adds { own: None, ..adds }), wanted);
        }
    }

    #[test]
    fn where_it_is_known_this_is_not_told_and_a_host_is_none_of_its_osds() {
        for other in [NOTHING, DEBUG_LOGGING, SLOW_DISK, SENDS_SLOWLY, RECEIVES_SLOWLY] {
            assert!(says_of_one(&RULE, other).is_empty());
        }
        assert!(says_of_host(&RULE, Adds { own: None, ..RECEIVES_SLOWLY }).is_empty());
    }

    #[test]
    fn nobody_is_suspected_where_nothing_is_measured() {
        assert!(says_of_one(&RULE, Adds { own: None, ..NOTHING }).is_empty());
    }
}
