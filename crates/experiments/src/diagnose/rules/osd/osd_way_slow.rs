//! An OSD that adds time in none of its own stages: its messenger, or the network to its host.

use super::by_position::{Role, Where, slow};
use super::osd_slow;
use crate::diagnose::{Area, Case, Explains, Rule, Source, Suspect, Tried};
use model::{Phrase, phrase};

pub static RULE: Rule = Rule {
    id: "osd-way-slow",
    about: Area::Osd,
    what: "Messages to or from an OSD take long: its messenger's options, or the network of its host.",
    evidence: "In writes between pairs of OSDs it adds at least 15 % of a usual write, by twice its 95 % interval, and neither its own software nor its store's commits take \
               that time; its writes are slow with the OSDs of every other host, and no other OSD of its own host adds time beyond its interval.",
    sources: &["docs/method.md, \"By position\""],
    needs: &[Source::Positions],
    suspect,
    test: None,
    explains: &[Explains {
        rule: &osd_slow::RULE,
        which: "that of the same OSD",
        follows: |cause, slow, _| cause.subject == slow.subject,
    }],
    fix: "compare its messenger options with its peers' (ceph config show osd.N | grep ms_; ms_tcp_nodelay must be true, ms_inject_* unset), and its host's network: cable, \
          negotiated speed, drops (fathom network --hosts)",
    special_fixes: &[],
    risk: Rule::LOOKING_CHANGES_NOTHING,
    confirm: "fathom prove for messenger options that differ from its peers'; fathom network --hosts for the way to its host",
    tried: Tried::Machines,
    ..Rule::USUAL
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let own = slow(case).into_iter().filter(|slow| slow.spent() == Where::Outside && !slow.is_as_its_host());
    own.filter_map(|slow| {
        let sends = slow.as_primary() && slow.with_every_host(Role::Primary);
        let answers = slow.as_replica() && slow.with_every_host(Role::Replica);
        let role: Phrase = match (sends, answers) {
            (false, false) => return None,
            (true, false) => "what it sends to its replicas or clients".into(),
            (false, true) => "what it answers as a replica".into(),
            _ => "what it sends or receives".into(),
        };
        let name = model::Subject::Osd(slow.osd.osd);
        let host: Phrase = match slow.has_neighbour() {
            true => Phrase::default(),
            false => phrase!(", or of all its host {}, on which no other OSD was measured", slow.osd.host.as_str()),
        };
        Some(slow.suspect(phrase!("the way to or from {} is slow, not the OSD itself: {}{}", name, role, host), case))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::by_position_cases::*;

    #[test]
    fn an_osd_that_adds_time_in_none_of_its_stages_is_slow_on_the_way() {
        let wanted = ["the way to or from osd.1 is slow, not the OSD itself: what it sends to its replicas or clients"];
        assert_eq!(says_of_one(&RULE, SENDS_SLOWLY), wanted);
        let wanted = ["the way to or from osd.1 is slow, not the OSD itself: what it sends or receives"];
        assert_eq!(says_of_one(&RULE, RECEIVES_SLOWLY), wanted);
    }

    #[test]
    fn an_osd_whose_neighbour_adds_time_as_well_is_not_it_alone() {
        let less = Adds { primary: [0.2, 0.3, 0.3], replica: [0.2, 0.3, 0.3], unsure: 0.6, ..SENDS_SLOWLY };
        let told = says(&RULE, |osd| match osd {
            1 => RECEIVES_SLOWLY,
            4 => less,
            _ => NOTHING,
        });
        assert!(told.is_empty(), "{told:?}");
    }

    #[test]
    fn healthy_osds_other_causes_and_osds_without_timers_are_not_suspected() {
        for other in [NOTHING, DEBUG_LOGGING, STOPPED_AT_TIMES, SLOW_DISK, Adds { own: None, ..SENDS_SLOWLY }] {
            assert!(says_of_one(&RULE, other).is_empty());
        }
    }
}
