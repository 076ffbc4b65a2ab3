//! A host of which all that it sends, or receives, is slow, while the other hosts are well among themselves.

use super::{again, link_slow, matrix, osd_connection_retransmits, segments_sent_again};
use crate::diagnose::{Area, Case, Explains, Rule, Source, Suspect};
use model::NetworkPart;

pub static RULE: Rule = Rule {
    id: "host-network-slow",
    about: Area::Network,
    what: "All that a host sends or receives, or all its round trips, is slow; the other pairs of hosts are not.",
    evidence: "Of at least three hosts: every way of one of them does less than 75 % of what the better quarter of all pairs does (of each the better end of its \
               interval). Confirmed if all pairs were measured in more than one pass and none was held back by the load.",
    sources: &[
        "docs/method.md, \"Between hosts\": a host's own load moves a pair by some percent, a lower negotiated speed by half and more",
    ],
    needs: &[Source::Figures],
    suspect,
    test: Some(again::MEASURE_WAYS_AGAIN),
    explains: &[
        Explains { rule: &link_slow::RULE, which: "those of its links", follows: is_link_of },
        segments_sent_again::FOLLOWS,
        osd_connection_retransmits::FOLLOWS,
    ],
    fix: link_slow::FIX,
    special_fixes: &[],
    risk: Rule::LOOKING_CHANGES_NOTHING,
    ..Rule::USUAL
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let of_host = |suspect: &Suspect| matches!(suspect.subject.part(), Some(NetworkPart::Host { .. }));
    matrix::slow_parts(case).into_iter().filter(of_host).collect()
}

/// A slow host makes its links look slow, some of which may be too unsure to be called so. What only round trips show of a host is no reason
/// for one slow way of streams.
fn is_link_of(host: &Suspect, link: &Suspect, _: &Case) -> bool {
    let (Some(NetworkPart::Host { name, sends, receives }), Some(part)) = (host.subject.part(), link.subject.part())
    else {
        return false;
    };
    let streams = matches!(part, NetworkPart::Way { .. });
    part.is_link()
        && part.ends().contains(name.as_str())
        && (!streams || *sends || *receives)
        && host.subject.network() == link.subject.network()
}

#[cfg(test)]
mod tests {
    use crate::diagnose::testing::made::Made;
    use crate::diagnose::testing::{findings, one, round_trips, text, told, way, ways};
    use model::{Pattern, Record, Standing};

    fn with(mbs: impl Fn(usize, usize) -> Option<f64>) -> Made {
        let mut made = Made::cluster();
        ways(&mut made, 3, None, mbs);
        made
    }

    fn sends(from: usize, _: usize) -> Option<f64> {
        Some(if from == 1 { 117.0 } else { 1250.0 })
    }

    #[test]
    fn a_host_that_sends_slowly_is_named_on_its_network() {
        assert_eq!(told(&with(sends).record), [one("host-network-slow", "h1")]);
        let mut made = with(|_, _| Some(1250.0));
        ways(&mut made, 3, Some("cluster"), sends);
        assert_eq!(told(&made.record), [one("host-network-slow", "h1 (cluster)")]);
        let found = &findings(&made.record)[0];
        assert_eq!(text(&found.says), "h1 (cluster): all that it sends is slow, and the other pairs are not");
        assert_eq!(text(&found.evidence[0]), "streams: 91 % slower than the better quarter of the pairs");
        assert_eq!(found.standing, Standing::Confirmed);
    }

    #[test]
    fn it_explains_its_links_and_their_round_trips_and_no_others() {
        let mut made = with(sends);
        round_trips(&mut made, 3, |from, to| if (from, to) == (1, 2) { 0.4 } else { 0.1 });
        assert_eq!(told(&made.record), [one("host-network-slow", "h1")]);
        let evidence: Vec<String> = findings(&made.record)[0].all_evidence().map(text).collect();
        assert!(evidence[1].starts_with("h1↔h2: round trips: "), "{evidence:?}");
        // All round trips of h0 are slow, and of h1 what it sends: two hosts.
        let mut made = with(sends);
        round_trips(&mut made, 3, |from, _| if from == 0 { 0.4 } else { 0.1 });
        assert_eq!(told(&made.record), [one("host-network-slow", "h1"), one("host-network-slow", "h0")]);
    }

    #[test]
    fn alike_hosts_two_hosts_and_unknown_ways_say_nothing() {
        assert_eq!(told(&with(|_, _| Some(1250.0)).record), []);
        assert_eq!(told(&with(|from, to| sends(from, to).filter(|_| from < 2 && to < 2)).record), []);
        assert_eq!(told(&Record::default()), []);
    }

    #[test]
    fn where_all_ways_are_held_back_by_processors_one_far_below_them_is_a_hint() {
        let told = |slow: f64| {
            let mut made = Made::cluster();
            for (from, to) in (0..3).flat_map(|a| (0..3).map(move |b| (a, b))).filter(|(a, b)| a != b) {
                let rate = if from == 1 { slow } else { 2900.0 };
                made.delivers(Pattern::WriteLinear, way(from, to, None), rate / 4.194304).with_threads(0.5, 0.5);
            }
            let all = findings(&made.record).into_iter();
            all.map(|found| (found.standing, text(&found.says))).collect::<Vec<_>>()
        };
        let says = "h1: all that it sends is slow, and the other pairs are not".to_string();
        assert_eq!(told(94.0), [(Standing::Hint, says)]);
        assert_eq!(told(1500.0), []);
    }
}
