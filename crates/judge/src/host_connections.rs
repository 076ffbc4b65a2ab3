//! The TCP connections of an OSD over all seconds of a step: what they sent, and which was the worst.

use model::{Connection, Connections};
use std::collections::BTreeMap;

/// Counts are added up. `None`: nothing is known of them.
pub(crate) fn connections<'a>(all: impl Iterator<Item = &'a Connections>) -> Option<Connections> {
    let all: Vec<&Connections> = all.collect();
    let mut peers: BTreeMap<&str, Vec<&Connection>> = BTreeMap::new();
    for one in all.iter().filter_map(|one| one.worst.as_ref()) {
        peers.entry(&one.peer).or_default().push(one);
    }
    let count = all.iter().map(|one| one.count).max()?;
    Some(Connections {
        count,
        segments: all.iter().map(|one| one.segments).sum(),
        retransmitted: all.iter().map(|one| one.retransmitted).sum(),
        needless: all.iter().map(|one| one.needless).sum(),
        worst: peers.values().map(|own| together(own)).max_by(Connection::compare),
    })
}

/// One connection in the seconds in which it was the worst; means of these, what it sent added up.
fn together(own: &[&Connection]) -> Connection {
    let mean = |of: fn(&Connection) -> f64| own.iter().map(|one| of(one)).sum::<f64>() / own.len() as f64;
    Connection {
        peer: own.first().map(|one| one.peer.clone()).unwrap_or_default(),
        rtt_ms: mean(|one| one.rtt_ms),
        rtt_min_ms: own.iter().filter_map(|one| one.rtt_min_ms).min_by(f64::total_cmp),
        cwnd: mean(|one| f64::from(one.cwnd)).round() as u32,
        segments: own.iter().map(|one| one.segments).sum(),
        retransmitted: own.iter().map(|one| one.retransmitted).sum(),
        needless: own.iter().map(|one| one.needless).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(peer: &str, rtt_ms: f64, retransmitted: u64, needless: Option<u64>) -> Connections {
        let (rtt_min_ms, cwnd) = (Some(rtt_ms / 2.0), rtt_ms as u32);
        let worst = Connection { peer: peer.into(), rtt_ms, rtt_min_ms, cwnd, segments: 1000, retransmitted, needless };
        Connections { count: 3, segments: 5000, retransmitted, needless, worst: Some(worst) }
    }

    #[test]
    fn the_worst_is_the_one_that_lost_most_in_all_seconds() {
        let all = [
            second("a:1", 2.0, 4, Some(4)),
            second("b:1", 1.0, 3, Some(1)),
            second("b:1", 3.0, 2, Some(1)),
            Connections { count: 9, ..Connections::default() },
        ];
        let found = connections(all.iter()).unwrap();
        assert_eq!((found.count, found.segments, found.retransmitted, found.needless), (9, 15_000, 9, None));
        let worst = found.worst.unwrap();
        assert_eq!((worst.peer.as_str(), worst.segments, worst.lost(), worst.lost_share()), ("b:1", 2000, 3, 0.0015));
        assert_eq!((worst.rtt_ms, worst.rtt_min_ms, worst.cwnd), (2.0, Some(0.5), 2));
        // Where the kernel does not tell what was needless, all counts; where none lost any, the round trip.
        let worst = |all: &[Connections]| connections(all.iter()).unwrap().worst.unwrap().peer;
        assert_eq!(worst(&[second("a:1", 2.0, 4, Some(4)), second("b:1", 1.0, 1, None)]), "b:1");
        assert_eq!(worst(&[second("a:1", 2.0, 4, Some(4)), second("b:1", 1.0, 1, Some(1))]), "a:1");
    }

    #[test]
    fn nothing_is_known_where_nobody_looked() {
        assert_eq!(connections([].into_iter()), None);
    }
}
