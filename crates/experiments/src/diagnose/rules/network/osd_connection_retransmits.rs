//! TCP connections of OSDs on which segments are lost: it is known from whom, and whom they do not reach.

use super::lossy::{Lossy, groups};
use super::segments_sent_again::{self, passes};
use crate::diagnose::facts::each;
use crate::diagnose::{Area, Case, Explains, Rule, Source, Suspect, Tried};
use model::{HostLoad, Metric, Phrase, Quantity, Standing, Subject, phrase};
use std::collections::BTreeSet;

pub static RULE: Rule = Rule {
    id: "osd-connection-retransmits",
    about: Area::Network,
    what: "Segments that OSDs send to a peer are lost, and sent again: operations that wait for them take far longer.",
    why: "A write waits for the slowest of its copies. Where one way of many is bad, the counters of a whole host show little of it, and the host that sends again need not be the bad one; its OSDs' connections show which way it is.",
    evidence: "While Ceph was loaded, at least 20 and more than one in a thousand of the segments of an OSD's worst connection were lost: sent again, and the receiver did not say that it had them already (DSACK, counted \
               since Linux 4.19). Where that was never said, since it is not counted or the receiver is set not to, not where tasks waited for a processor in half of the time and more (or, where that is not counted either, where the processors worked for 95 % of it). \
               If OSDs of several hosts lose what they send to one host, that host is told; if several OSDs of one host lose, to other hosts, theirs.",
    sources: &[
        "Mathis, Semke, Mahdavi, Ott 1997: TCP's rate goes with one over the root of the loss, so that it falls by itself at one in a thousand",
        "RFC 2883: how a receiver says that it had a segment already",
        "measured, three healthy hosts on two processors that were always busy: of 331 segments that OSDs sent again the receivers had 326 already, and no connection lost more than two; \
         with 1 % of the packets to one host lost, connections to it lost 0.7 to 1.0 %",
    ],
    needs: &[Source::HostLoads],
    suspect,
    explains: &[Explains {
        rule: &segments_sent_again::RULE,
        which: "those of hosts whose OSDs' segments are lost",
        follows: of_its_senders,
    }],
    fix: "compare the way on which they are lost with others: drop and error counters of both interfaces and of every switch port between (ethtool -S), ring buffers (ethtool -g), cables and optics, a shaper or a slower link on the way",
    confirm: "ss -ti dst PEER on the OSD's host during the load: retrans grows, and on connections to other peers it does not; fathom network --hosts measures the ways between hosts",
    tried: Tried::Machines,
    ..Rule::USUAL
};

/// What is known to be slow explains what is lost on it.
pub const FOLLOWS: Explains =
    Explains { rule: &RULE, which: "those of OSDs whose packets go through it", follows: goes_through };

/// At most this many connections are named, the worst first.
const TOLD: usize = 3;

fn suspect(case: &Case) -> Vec<Suspect> {
    groups(case).into_iter().map(|(subject, found)| made(subject, &found)).collect()
}

fn made(subject: Subject, found: &[Lossy]) -> Suspect {
    let evidence: Vec<Phrase> = found.iter().take(TOLD).map(evidence).collect();
    let says = says(&subject, found);
    let in_short = evidence.first().map(|first| phrase!("{}: {}", says.clone(), first.clone()));
    Suspect { evidence, in_short, ..Suspect::new(subject, Standing::Hint, says, Phrase::default()) }
}

fn says(subject: &Subject, found: &[Lossy]) -> Phrase {
    let certain = found.iter().all(Lossy::says_needless);
    let lost = if certain { "are lost" } else { "are lost, or come too late" };
    let osds: BTreeSet<u32> = found.iter().map(|one| one.osd).collect();
    let named = each(osds.iter().map(|osd| format!("osd.{osd}")));
    let is = |end: Option<&str>| matches!(subject, Subject::Host(host) if Some(host.as_str()) == end);
    let (to, from) = (found.iter().any(|one| is(one.to)), found.iter().any(|one| is(Some(&one.load.host))));
    match (found.first(), to, from) {
        (Some(worst), false, false) => {
            phrase!("TCP segments that {} sends to {} {}", subject.clone(), peer(worst), lost)
        }
        (_, true, false) => phrase!("TCP segments that OSDs ({}) send to {} {}", named, subject.clone(), lost),
        (_, true, true) => {
            phrase!("TCP segments that OSDs ({}) send to {} and from it {}", named, subject.clone(), lost)
        }
        _ => phrase!("TCP segments that OSDs of {} ({}) send {}", subject.clone(), named, lost),
    }
}

/// `10.0.0.5:6801 (host c)`
fn peer(one: &Lossy) -> String {
    let host = one.to.map(|host| format!(" (host {host})")).unwrap_or_default();
    format!("{}{host}", one.connection.peer)
}

fn evidence(one: &Lossy) -> Phrase {
    let Lossy { osd, load, connection, .. } = one;
    let ms = |value: f64| Quantity::Value { value, metric: Metric::LatencyMean };
    let least = connection.rtt_min_ms.map(|least| phrase!(" ({} at least)", ms(least))).unwrap_or_default();
    phrase!(
        "{} {} {}: {} of {} TCP segments from {} to {}, {}; a round trip takes {}{}; congestion window {}",
        load.layer.name(),
        load.target.as_str(),
        load.pattern.name(),
        Quantity::Count(connection.lost()),
        Quantity::Count(connection.segments),
        Subject::Osd(*osd),
        peer(one),
        Quantity::Share(one.share()),
        ms(connection.rtt_ms),
        least,
        Quantity::Count(u64::from(connection.cwnd))
    )
}

fn goes_through(slow: &Suspect, lossy: &Suspect, case: &Case) -> bool {
    let Some(part) = slow.subject.part() else { return false };
    let through = |host: &str| passes(part, host, case);
    match &lossy.subject {
        Subject::Host(host) => through(host),
        osd => case.host_loads.iter().any(|load| has(load, osd) && through(&load.host)),
    }
}

fn has(load: &HostLoad, subject: &Subject) -> bool {
    load.mean.osds.iter().any(|osd| *subject == Subject::Osd(osd.osd))
}

fn of_its_senders(lossy: &Suspect, sender: &Suspect, case: &Case) -> bool {
    let groups = groups(case);
    let own = groups.get(&lossy.subject).into_iter().flatten();
    own.into_iter().any(|one| sender.subject == Subject::Host(one.load.host.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::rules::network::lossy::testing::{load, record};
    use crate::diagnose::testing::text;
    use crate::diagnose::{precedence, rules};
    use model::{Connections, NetworkPart, Pressure, Record, testing};

    fn case<'c>(record: &'c Record, host_loads: &'c [HostLoad]) -> Case<'c> {
        Case { record, entries: &[], tests: &[], outliers: &[], host_loads, positions: None }
    }

    fn told(loads: &[HostLoad]) -> Vec<String> {
        suspect(&case(&record(), loads)).iter().map(|one| text(&one.says)).collect()
    }

    #[test]
    fn the_peer_that_segments_do_not_reach_is_named() {
        let (record, loads) = (record(), [load("a", &[(10, 3, 50), (11, 2, 3)])]);
        let found = suspect(&case(&record, &loads));
        let [one] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(one.subject, Subject::Osd(10));
        assert_eq!(text(&one.says), "TCP segments that osd.10 sends to 10.0.0.3:6801 (host c) are lost");
        let seen = "50 of 10,000 TCP segments from osd.10 to 10.0.0.3:6801 (host c), 0.5 %";
        let trip = "a round trip takes 1.20 ms (0.100 ms at least); congestion window 10";
        assert_eq!(text(&one.evidence[0]), format!("rados pool write-parallel: {seen}; {trip}"));
        // A client's host is not known.
        assert_eq!(told(&[load("a", &[(10, 9, 50)])]), ["TCP segments that osd.10 sends to 10.0.0.9:6801 are lost"]);
    }

    #[test]
    fn the_host_that_they_have_in_common_is_told_once() {
        let (a, b) = (load("a", &[(10, 3, 50), (11, 3, 40)]), load("b", &[(20, 3, 50)]));
        let to_c = "TCP segments that OSDs (osd.10, osd.11, osd.20) send to c are lost";
        assert_eq!(told(&[a.clone(), b.clone()]), [to_c]);
        let both = "TCP segments that OSDs (osd.10, osd.11, osd.20, osd.30) send to c and from it are lost";
        assert_eq!(told(&[a, b, load("c", &[(30, 4, 50)])]), [both]);
        let from = load("a", &[(10, 3, 50), (11, 2, 40)]);
        assert_eq!(told(&[from]), ["TCP segments that OSDs of a (osd.10, osd.11) send are lost"]);
    }

    #[test]
    fn what_the_receiver_had_already_and_what_is_little_is_not_told() {
        let needless = |needless: Option<u64>, cpu: f64| {
            let mut load = load("a", &[(10, 3, 50)]);
            let worst = load.mean.osds[0].connections.as_mut().unwrap().worst.as_mut().unwrap();
            worst.needless = needless;
            load.mean.pressure = Some(Pressure { cpu, ..Pressure::default() });
            told(&[load]).pop().unwrap_or_default()
        };
        assert!(needless(Some(1), 0.9).ends_with("are lost"));
        assert_eq!(needless(Some(45), 0.1), "");
        // A receiver that never said so may be set not to.
        assert!(needless(Some(0), 0.1).ends_with("are lost, or come too late"));
        assert_eq!(needless(Some(0), 0.9), "");
        // Where nobody says it, a host without a free processor may be the reason.
        assert!(needless(None, 0.1).ends_with("are lost, or come too late"));
        assert_eq!(needless(None, 0.9), "");
        assert!(told(&[load("a", &[(10, 3, 10)])]).is_empty());
        assert!(told(&[HostLoad { layer: testing::links(), ..load("a", &[(10, 3, 50)]) }]).is_empty());
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        let mut load = load("a", &[(10, 3, 50)]);
        load.mean.osds[0].connections = Some(Connections::default());
        assert!(told(&[load.clone()]).is_empty());
        load.mean.osds[0].connections = None;
        assert!(told(&[load]).is_empty() && told(&[]).is_empty());
    }

    /// The causes that remain of these loads, beside something that is known to be slow.
    fn causes(loads: &[HostLoad], slow: Option<(&str, Subject)>) -> Vec<String> {
        let record = record();
        let case = case(&record, loads);
        let rule = |id: &str| *rules::RULES.iter().find(|rule| rule.id == id).unwrap();
        let slow = slow.map(|(id, subject)| {
            (rule(id), Suspect::new(subject, Standing::Confirmed, "slow".into(), Phrase::default()))
        });
        let of = |id: &str| (rule(id).suspect)(&case).into_iter().map(|one| (rule(id), one)).collect::<Vec<_>>();
        let all = slow.into_iter().chain(of("segments-sent-again")).chain(of(RULE.id));
        let causes = precedence::causes(all.collect(), &case);
        causes.iter().map(|(rule, one)| format!("{} {}", rule.id, one.subject)).collect()
    }

    #[test]
    fn what_its_hosts_send_again_is_evidence_of_it() {
        let again = |mut load: HostLoad| {
            (load.mean.segments, load.mean.retransmitted) = (20_000, 60);
            load
        };
        let loads = [load("a", &[(10, 3, 50)]), load("b", &[(20, 3, 50)]), load("d", &[])].map(again);
        assert_eq!(causes(&loads, None), ["segments-sent-again d", "osd-connection-retransmits c"]);
        let loads = [load("a", &[(10, 3, 50)])].map(again);
        assert_eq!(causes(&loads, None), ["osd-connection-retransmits osd.10"]);
    }

    #[test]
    fn it_is_evidence_of_what_is_known_to_be_slow() {
        let loads = [load("a", &[(10, 3, 50)])];
        let host = |name: &str| NetworkPart::Host { name: name.into(), sends: true, receives: false }.on(None);
        let way = |from: &str, to: &str| NetworkPart::Way { from: from.into(), to: to.into() }.on(None);
        for (id, subject) in [
            ("host-way-slow", host("a")),
            ("host-network-slow", host("a")),
            ("way-between-slow", way("a", "c")),
            ("link-slow", way("a", "c")),
            ("uplink-oversubscribed", NetworkPart::Whole.on(None)),
            ("bond-leg", host("a")),
            ("cluster-network-narrow", NetworkPart::Whole.on(Some("cluster"))),
        ] {
            assert_eq!(causes(&loads, Some((id, subject.clone()))), [format!("{id} {subject}")]);
        }
        let other = causes(&loads, Some(("link-slow", way("b", "c"))));
        assert_eq!(other, ["link-slow b→c", "osd-connection-retransmits osd.10"]);
        let loads = [load("a", &[(10, 3, 50)]), load("b", &[(20, 3, 50)])];
        assert_eq!(causes(&loads, Some(("host-network-slow", host("c")))), ["host-network-slow c"]);
    }
}
