//! A host that has to send many TCP segments again: packets are lost on their way from it, or their acknowledgement comes too late.

use crate::diagnose::{Area, Case, Explains, Rule, Source, Suspect};
use model::{HostLoad, HostSecond, NetworkPart, Phrase, Quantity, Standing, Subject, phrase};
use std::collections::BTreeMap;

pub static RULE: Rule = Rule {
    id: "segments-sent-again",
    about: Area::Network,
    what: "A host sends many TCP segments again: packets are lost on their way from it, or come too late.",
    evidence: "While a step was measured, at least 20 segments and more than one in a thousand were sent again. Not where tasks waited for a processor in half of the time and more \
               (or, where that is not counted, where the processors worked for 95 % of it): then an acknowledgement comes too late without any fault of the network.",
    sources: &[
        "Mathis, Semke, Mahdavi, Ott 1997: TCP's rate goes with one over the root of the loss, so that it falls by itself at one in a thousand",
        "measured: three healthy hosts on two busy processors sent 0.09 to 0.14 % again",
    ],
    needs: &[Source::HostLoads],
    suspect,
    test: None,
    explains: &[],
    fix: "look at the drop and error counters of its interface and of the switch's port (ethtool -S), at the ring buffers \
          (ethtool -g), and at a shaper or a slower link on the way",
    special_fixes: &[],
    risk: Rule::LOOKING_CHANGES_NOTHING,
    confirm: "watch the error and drop counters of the interface and its switch port (ethtool -S DEV) during the load: the one that moves is where packets are lost",
    ..Rule::USUAL
};

/// If a host sends through a part of the network that is known to be slow, that is the reason, and the lost segments are evidence of it.
pub const FOLLOWS: Explains =
    Explains { rule: &RULE, which: "those of hosts whose packets go through it", follows: goes_through };

/// The share of segments sent again, and their number, above which a link is suspected: a healthy one loses next to nothing.
pub(super) const SENT_AGAIN: f64 = 1e-3;
pub(super) const AGAIN_LEAST: u64 = 20;
/// Share of the time in which some task waited for a processor; or, where that is not counted, in which all worked.
const STARVED: f64 = 0.5;
const ALL_AT_WORK: f64 = 0.95;
/// At most this many steps of a host are named, the worst first.
const TOLD: usize = 3;

fn suspect(case: &Case) -> Vec<Suspect> {
    let mut worst: BTreeMap<&str, Vec<&HostLoad>> = BTreeMap::new();
    let much = |load: &&HostLoad| load.mean.retransmitted >= AGAIN_LEAST && load.mean.sent_again() > SENT_AGAIN;
    for load in case.host_loads.iter().filter(much).filter(|load| !starved(&load.mean)) {
        worst.entry(&load.host).or_default().push(load);
    }
    worst.into_iter().map(|(host, own)| made(host, own)).collect()
}

pub(super) fn starved(mean: &HostSecond) -> bool {
    mean.pressure.map_or(mean.cpu > ALL_AT_WORK, |pressure| pressure.cpu > STARVED)
}

fn made(host: &str, mut own: Vec<&HostLoad>) -> Suspect {
    own.sort_by(|a, b| b.mean.sent_again().total_cmp(&a.mean.sent_again()));
    let host = Subject::Host(host.to_string());
    let evidence: Vec<Phrase> = own.iter().take(TOLD).map(|load| evidence(load)).collect();
    let in_short = evidence.first().map(|first| phrase!("{} sends again: {}", host.clone(), first.clone()));
    let says =
        phrase!("{} sends TCP segments again: packets are lost on their way from it, or come too late", host.clone());
    Suspect { evidence, in_short, ..Suspect::new(host, Standing::Hint, says, Phrase::default()) }
}

fn evidence(load: &HostLoad) -> Phrase {
    phrase!(
        "{} {} {}: {} of {} TCP segments, {}",
        load.layer.name(),
        load.target.as_str(),
        load.pattern.name(),
        Quantity::Count(load.mean.retransmitted),
        Quantity::Count(load.mean.segments),
        Quantity::Share(load.mean.sent_again())
    )
}

fn goes_through(slow: &Suspect, sender: &Suspect, case: &Case) -> bool {
    let (Some(part), Subject::Host(host)) = (slow.subject.part(), &sender.subject) else { return false };
    passes(part, host, case)
}

/// Do packets that this host sends go through this part of the network, which is slow?
pub(super) fn passes(part: &NetworkPart, host: &str, case: &Case) -> bool {
    match part {
        // What one host does not receive, all others send again.
        NetworkPart::Host { receives: true, .. } => true,
        // It is not known where the line runs.
        NetworkPart::Whole => true,
        _ => !case.names_of_host(host).is_disjoint(&part.ends()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing::text;
    use crate::diagnose::{Case, precedence, rules};
    use model::testing;
    use model::{HostSeconds, Observed, Pattern, Pressure, Record, StepId};

    fn load(host: &str, segments: u64, retransmitted: u64) -> HostLoad {
        HostLoad {
            host: host.into(),
            step: StepId(0),
            layer: testing::pools(),
            target: "pool".into(),
            pattern: Pattern::WriteLatency,
            mean: HostSecond { segments, retransmitted, ..HostSecond::default() },
        }
    }

    fn case<'c>(record: &'c Record, host_loads: &'c [HostLoad]) -> Case<'c> {
        Case { record, entries: &[], tests: &[], outliers: &[], host_loads, positions: None }
    }

    #[test]
    fn only_much_that_is_sent_again_is_told() {
        let record = Record::default();
        let loads = [load("a", 1_000_000, 900), load("b", 10_000, 19), load("c", 10_000, 50)];
        let found = suspect(&case(&record, &loads));
        assert_eq!(found.iter().map(|found| found.subject.to_string()).collect::<Vec<_>>(), ["c"]);
        assert_eq!(text(&found[0].evidence[0]), "rados pool write-latency: 50 of 10,000 TCP segments, 0.5 %");
        assert_eq!(suspect(&case(&record, &[])), []);
        let pressed = |cpu: f64| {
            let mean =
                HostSecond { pressure: Some(Pressure { cpu, ..Pressure::default() }), ..load("d", 10_000, 50).mean };
            suspect(&case(&record, &[HostLoad { mean, ..load("d", 10_000, 50) }])).len()
        };
        assert_eq!((pressed(0.2), pressed(0.9)), (1, 0));
    }

    #[test]
    fn what_is_sent_again_is_evidence_of_what_it_goes_through() {
        let named =
            |host: &str, named: &str| HostSeconds { host: host.into(), named: named.into(), ..HostSeconds::default() };
        let observed = Observed {
            step: StepId(0),
            pass: 1,
            hosts: vec![named("a", "root@a"), named("b", "root@b"), named("c", "")],
        };
        let record = Record::default().with(model::Observation::Hosts(observed));
        let loads = ["a", "b", "c"].map(|host| load(host, 10_000, 50));
        let case = case(&record, &loads);
        // Hosts whose packets are evidence of it, and those that are told by themselves.
        let told = |rule: &'static Rule, subject: Subject| {
            let slow = Suspect {
                evidence: vec![],
                ..Suspect::new(subject, Standing::Confirmed, "slow".into(), Phrase::default())
            };
            let senders = suspect(&case).into_iter().map(|suspect| (&RULE, suspect));
            let causes = precedence::causes([(rule, slow)].into_iter().chain(senders).collect(), &case);
            let hosts = causes[0].1.explains.iter().map(|one| text(&one.says).split(' ').next().unwrap().to_string());
            (hosts.collect::<String>(), causes[1..].iter().map(|(_, one)| one.subject.to_string()).collect::<String>())
        };
        let of = |folded: &str, apart: &str| (folded.to_string(), apart.to_string());
        let way = |from: &str, to: &str| NetworkPart::Way { from: from.into(), to: to.into() };
        let host = |receives| NetworkPart::Host { name: "c".into(), sends: true, receives };
        let groups = [["root@a", "d"], ["c", "e"]].map(|group| group.map(String::from).to_vec()).to_vec();
        let rule = |id: &str| *rules::RULES.iter().find(|rule| rule.id == id).unwrap();
        assert_eq!(told(rule("link-slow"), way("root@a", "c").on(None)), of("ac", "b"));
        assert_eq!(told(rule("link-slow"), way("root@a", "root@b").on(Some("cluster"))), of("ab", "c"));
        assert_eq!(told(rule("host-network-slow"), host(false).on(None)), of("c", "ab"));
        assert_eq!(told(rule("host-network-slow"), host(true).on(None)), of("abc", ""));
        assert_eq!(told(rule("uplink-oversubscribed"), NetworkPart::Uplink(groups).on(None)), of("ac", "b"));
        assert_eq!(told(rule("uplink-oversubscribed"), NetworkPart::Whole.on(None)), of("abc", ""));
        assert_eq!(told(rule("osd-slow"), Subject::Osd(1)), of("", "abc"));
    }
}
