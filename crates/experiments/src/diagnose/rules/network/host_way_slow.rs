//! All OSDs of a host add time in none of their own stages: what the host sends, or receives, is slow.

use super::host_network_slow;
use crate::diagnose::rules::osd::by_position::{Slow, Where, slow};
use crate::diagnose::rules::osd::{osd_slow, osd_way_slow};
use crate::diagnose::{Area, Case, Explains, Rule, Source, Suspect, Tried};
use model::{NetworkPart, Subject, phrase};
use std::collections::BTreeMap;

pub static RULE: Rule = Rule {
    id: "host-way-slow",
    about: Area::Network,
    what: "What a host sends or receives is slow for all its OSDs.",
    evidence: "In writes between pairs of OSDs each of at least two OSDs of the host adds at least 15 % of a usual write, by twice its 95 % interval, in none of its own stages. \
               As primaries alone: what the host sends. As replicas as well: what it sends or receives, since a replica answers, too.",
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
    let Some(all) = case.positions else { return Vec::new() };
    let mut hosts: BTreeMap<&str, Vec<Slow>> = BTreeMap::new();
    for slow in slow(case) {
        hosts.entry(&slow.osd.host).or_default().push(slow);
    }
    // Of a large cluster not each OSD was asked for its timers.
    let outside = |slow: &Slow| matches!(slow.spent(), Where::Outside | Where::Unknown);
    let whole = |host: &str, slow: &[Slow]| {
        let own = all.osds.iter().filter(|osd| osd.host == host).count();
        let certain = slow.iter().any(|slow| slow.spent() == Where::Outside);
        own > 1 && slow.len() == own && slow.iter().all(outside) && certain
    };
    let found = hosts.into_iter().filter(|(host, slow)| whole(host, slow));
    found.filter_map(|(host, slow)| of_host(host, &slow)).collect()
}

fn of_host(host: &str, all: &[Slow]) -> Option<Suspect> {
    let (sends, receives) = (all.iter().all(Slow::as_primary), all.iter().all(Slow::as_replica));
    let what = match (sends, receives) {
        (true, false) => "sends",
        (_, true) => "sends or receives",
        (false, false) => return None,
    };
    let part = NetworkPart::Host { name: host.to_string(), sends: true, receives };
    let worst = all.iter().max_by(|a, b| a.osd.primary.mean.value.total_cmp(&b.osd.primary.mean.value))?;
    let says = phrase!("what host {} {} is slow, for all its OSDs", host.to_string(), what);
    let mut suspect = worst.suspect(says);
    suspect.evidence = all
        .iter()
        .flat_map(|slow| {
            let name = Subject::Osd(slow.osd.osd);
            slow.suspect("".into()).evidence.into_iter().take(1).map(move |line| phrase!("{} {}", name.clone(), line))
        })
        .collect();
    suspect.subject = part.on(None);
    Some(suspect)
}

fn host(suspect: &Suspect) -> Option<&str> {
    match suspect.subject.part()? {
        NetworkPart::Host { name, .. } => Some(name),
        _ => None,
    }
}

fn of_its_osds(cause: &Suspect, slow: &Suspect, case: &Case) -> bool {
    let Subject::Osd(id) = slow.subject else { return false };
    let own = case.positions.and_then(|all| all.osds.iter().find(|osd| osd.osd == id));
    own.is_some_and(|osd| host(cause) == Some(osd.host.as_str()))
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
    fn one_osd_of_several_healthy_ones_and_disks_are_not_the_hosts_network() {
        assert!(says_of_one(&RULE, SENDS_SLOWLY).is_empty());
        for other in [NOTHING, SLOW_DISK, DEBUG_LOGGING, Adds { own: None, ..SENDS_SLOWLY }] {
            assert!(says_of_host(&RULE, other).is_empty());
        }
    }
}
