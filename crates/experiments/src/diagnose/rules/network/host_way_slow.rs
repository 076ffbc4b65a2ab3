//! All OSDs of a host add time in none of their own stages: what the host sends, or receives, is slow.

use super::{host_network_slow, osd_connection_retransmits};
use crate::diagnose::rules::osd::by_position::{Role, Slow, Where, add_together, by_host, is_of_host, of_host};
use crate::diagnose::rules::osd::{osd_slow, osd_way_slow};
use crate::diagnose::{Area, Case, Explains, Rule, Source, Suspect, Tried};
use model::{NetworkPart, phrase};

pub static RULE: Rule = Rule {
    id: "host-way-slow",
    about: Area::Network,
    what: "What a host sends or receives is slow for all its OSDs.",
    evidence: "In writes between pairs of OSDs each of at least two OSDs of the host adds at least 15 % of a usual write, beyond its 95 % interval, and all of them together by \
               twice their common one, in none of its own stages, and its writes are slow with the OSDs of every other host. As primaries alone: what the host sends. As replicas as well: what it sends or receives, since a replica \
               answers, too.",
    sources: &["docs/method.md, \"By position\""],
    needs: &[Source::Positions],
    suspect,
    test: None,
    explains: &[
        Explains { rule: &osd_way_slow::RULE, which: "those of its OSDs", follows: of_its_osds },
        Explains { rule: &osd_slow::RULE, which: "those of its OSDs", follows: of_its_osds },
        Explains {
            rule: &host_network_slow::RULE,
            which: "that of the same host",
            follows: |cause, slow, _| host(cause) == host(slow),
        },
        osd_connection_retransmits::FOLLOWS,
    ],
    fix: "compare cable, negotiated speed and duplex (ethtool), queueing disciplines (tc qdisc), and error and drop counters of its port and of the switch's with the other \
          hosts'",
    special_fixes: &[],
    risk: Rule::LOOKING_CHANGES_NOTHING,
    confirm: "fathom network --hosts measures the ways between hosts one at a time; tc -s qdisc and ethtool -S on that host while it is loaded",
    tried: Tried::Machines,
    ..Rule::USUAL
};

fn suspect(case: &Case) -> Vec<Suspect> {
    // Of a large cluster not each OSD was asked for its timers.
    let outside = |slow: &Slow| matches!(slow.spent(), Where::Outside | Where::Unknown);
    let certain = |all: &[Slow]| all.iter().any(|slow| slow.spent() == Where::Outside);
    let found = by_host(case).into_iter().filter(|(_, all)| all.len() > 1 && all.iter().all(outside) && certain(all));
    found.filter_map(|(host, all)| on_its_way(host, &all, case)).collect()
}

fn on_its_way(host: &str, all: &[Slow], case: &Case) -> Option<Suspect> {
    let with_all = |role: Role| all.iter().all(|slow| slow.with_every_host(role));
    let sends = (all.iter().all(Slow::as_primary) || add_together(all, Role::Primary)) && with_all(Role::Primary);
    let receives = (all.iter().all(Slow::as_replica) || add_together(all, Role::Replica)) && with_all(Role::Replica);
    let what = match (sends, receives) {
        (true, false) => "sends",
        (_, true) => "sends or receives",
        (false, false) => return None,
    };
    let part = NetworkPart::Host { name: host.to_string(), sends: true, receives };
    let says = phrase!("what host {} {} is slow, for all its OSDs", host.to_string(), what);
    Some(of_host(host, all, part.on(None), says, case))
}

fn host(suspect: &Suspect) -> Option<&str> {
    match suspect.subject.part()? {
        NetworkPart::Host { name, .. } => Some(name),
        _ => None,
    }
}

fn of_its_osds(cause: &Suspect, slow: &Suspect, case: &Case) -> bool {
    host(cause).is_some_and(|host| is_of_host(slow, host, case))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::by_position_cases::*;

    #[test]
    fn what_a_host_sends_is_told_from_what_it_receives() {
        assert_eq!(says_of_host(&RULE, SENDS_SLOWLY), ["what host host2 sends is slow, for all its OSDs"]);
        assert_eq!(
            says_of_host(&RULE, RECEIVES_SLOWLY),
            ["what host host2 sends or receives is slow, for all its OSDs"]
        );
    }

    #[test]
    fn lost_packets_are_clear_of_all_osds_of_a_host_together_and_of_none_alone() {
        assert_eq!(says_of_host(&RULE, LOSES_PACKETS), ["what host host2 sends is slow, for all its OSDs"]);
        assert!(says_of_host(&osd_way_slow::RULE, LOSES_PACKETS).is_empty());
        assert!(says_of_host(&RULE, Adds { unsure: 0.8, ..LOSES_PACKETS }).is_empty());
    }

    /// 2 ms more from host2 to host3 alone: the model of positions charges both hosts with a part of it.
    #[test]
    fn a_way_to_one_host_is_the_fault_of_neither_host_and_no_osd() {
        let mut all = positions(|osd| match osd % 3 {
            1 => Adds { primary: [0.67; 3], replica: [0.0; 3], ..SENDS_SLOWLY },
            2 => Adds { primary: [0.0; 3], replica: [0.67; 3], ..SENDS_SLOWLY },
            _ => NOTHING,
        });
        for rule in [&RULE, &osd_way_slow::RULE] {
            assert_eq!(told_of(rule, &all).is_empty(), !std::ptr::eq(rule, &RULE), "if all their ways were slow");
        }
        for pair in &mut all.pairs {
            pair.mean = if (pair.primary % 3, pair.replica % 3) == (1, 2) { 3.3 } else { 1.3 };
        }
        assert!(told_of(&RULE, &all).is_empty() && told_of(&osd_way_slow::RULE, &all).is_empty());
    }

    #[test]
    fn one_osd_of_several_healthy_ones_and_disks_are_not_the_hosts_network() {
        assert!(says_of_one(&RULE, SENDS_SLOWLY).is_empty());
        for other in [NOTHING, SLOW_DISK, DEBUG_LOGGING, Adds { own: None, ..SENDS_SLOWLY }] {
            assert!(says_of_host(&RULE, other).is_empty());
        }
    }
}
