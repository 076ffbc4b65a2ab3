//! Which TCP connections are an OSD's, and what they did since the last look.

use super::inet_diag::{TcpConnection, TcpInfo};
use super::osds::OsdProcess;
use super::tcp::established;
use model::{Connection, Connections};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// So often it is looked up anew whose new connections are, since an OSD may have thousands of files open.
const LOOK_UP_EVERY: Duration = Duration::from_secs(5);
/// A connection that sends less than this share of what the busiest one does tells little by its round trip.
const LITTLE: f64 = 0.1;

/// By cookie. A connection begins to count when it is seen for the first time, since nobody tells how old it is then.
#[derive(Clone, Debug, Default)]
struct Infos(BTreeMap<u64, TcpInfo>);

impl Infos {
    fn since(&self, now: &TcpConnection) -> Sent {
        Sent::between(self.0.get(&now.cookie).unwrap_or(&now.info), &now.info)
    }
}

#[derive(Default)]
pub struct ConnectionWatch {
    owners: Owners,
    /// As each was when it was seen first, a second ago, and when it was told as the worst one.
    first: Infos,
    last: Infos,
    told: Infos,
}

impl ConnectionWatch {
    pub fn start(osds: &[OsdProcess]) -> ConnectionWatch {
        let mut watch = ConnectionWatch::default();
        watch.second(osds);
        watch
    }

    /// By OSD; without those of which it is not known.
    pub fn second(&mut self, osds: &[OsdProcess]) -> BTreeMap<u32, Connections> {
        let Some(all) = Some(osds).filter(|osds| !osds.is_empty()).and_then(|_| established()) else {
            return BTreeMap::new();
        };
        let again = self.owners.look_up(osds, &all, Instant::now());
        let mut own: BTreeMap<u32, Vec<&TcpConnection>> = BTreeMap::new();
        let of_osds = all.iter().filter_map(|one| Some((*self.owners.osds.get(&one.inode)?, one)));
        of_osds.for_each(|(osd, one)| own.entry(osd).or_default().push(one));
        let found = own.into_iter().map(|(osd, own)| (osd, self.of_one(&own))).collect();
        if again { found } else { BTreeMap::new() }
    }

    fn of_one(&mut self, own: &[&TcpConnection]) -> Connections {
        let sent: Vec<Sent> = own.iter().map(|one| self.last.since(one)).collect();
        let worst = worst(own, &self.first, &self.last);
        let found = Connections {
            count: own.len() as u32,
            segments: sent.iter().map(|sent| sent.segments).sum(),
            retransmitted: sent.iter().map(|sent| sent.retransmitted).sum(),
            needless: sent.iter().map(|sent| sent.needless).sum(),
            worst: worst.map(|one| told(one, &self.told.since(one))),
        };
        for one in own {
            self.first.0.entry(one.cookie).or_insert(one.info);
            self.told.0.entry(one.cookie).or_insert(one.info);
            self.last.0.insert(one.cookie, one.info);
        }
        self.told.0.extend(worst.map(|one| (one.cookie, one.info)));
        found
    }
}

/// Whose a socket is, by its inode.
#[derive(Default)]
struct Owners {
    osds: BTreeMap<u64, u32>,
    strangers: BTreeSet<u64>,
    /// When, and how often.
    looked: Option<(Instant, u32)>,
}

impl Owners {
    /// At the start, once more with the first new connections, which the load opens, and then seldom. Was there a look before?
    fn look_up(&mut self, osds: &[OsdProcess], all: &[TcpConnection], now: Instant) -> bool {
        let again = self.looked.is_some();
        let often = self.looked.is_some_and(|(at, times)| times > 1 && now.duration_since(at) < LOOK_UP_EVERY);
        let new = |one: &TcpConnection| !self.osds.contains_key(&one.inode) && !self.strangers.contains(&one.inode);
        if often || (again && !all.iter().any(new)) {
            return again;
        }
        let sockets = osds.iter().filter_map(|osd| Some((osd.id, osd.sockets()?)));
        self.osds = sockets.flat_map(|(osd, own)| own.into_iter().map(move |inode| (inode, osd))).collect();
        self.strangers = all.iter().map(|one| one.inode).filter(|inode| !self.osds.contains_key(inode)).collect();
        self.looked = Some((now, self.looked.map_or(0, |(_, times)| times) + 1));
        again
    }
}

/// What was sent between two looks.
struct Sent {
    segments: u64,
    retransmitted: u64,
    needless: Option<u64>,
}

impl Sent {
    fn between(before: &TcpInfo, now: &TcpInfo) -> Sent {
        // A count may begin again at 0.
        let more = |before: u32, now: u32| u64::from(now.wrapping_sub(before));
        Sent {
            segments: more(before.segments, now.segments),
            retransmitted: more(before.retransmitted, now.retransmitted),
            needless: before.needless.zip(now.needless).map(|(before, now)| more(before, now)),
        }
    }

    fn lost(&self) -> u64 {
        self.retransmitted.saturating_sub(self.needless.unwrap_or(0))
    }
}

/// That which lost the largest share since the first look; where none lost any, the one with the longest round trip of those that sent much.
fn worst<'a>(own: &[&'a TcpConnection], first: &Infos, last: &Infos) -> Option<&'a TcpConnection> {
    let all: Vec<(Sent, u64, &TcpConnection)> =
        own.iter().map(|one| (first.since(one), last.since(one).segments, *one)).collect();
    let most = all.iter().map(|(_, sent, _)| *sent).max()? as f64;
    let tells =
        all.iter().filter(|(so_far, sent, _)| so_far.lost() > 0 || (*sent > 0 && *sent as f64 >= LITTLE * most));
    let order = |(so_far, _, one): &(Sent, u64, &TcpConnection)| told(one, so_far);
    tells.max_by(|a, b| order(a).compare(&order(b))).map(|(_, _, one)| *one)
}

fn told(one: &TcpConnection, sent: &Sent) -> Connection {
    let TcpInfo { rtt, rtt_min, cwnd, .. } = one.info;
    let Sent { segments, retransmitted, needless } = *sent;
    let ms = |microseconds: u32| f64::from(microseconds) / 1000.0;
    let (rtt_ms, rtt_min_ms) = (ms(rtt), rtt_min.map(ms));
    Connection { peer: one.peer.to_string(), rtt_ms, rtt_min_ms, cwnd, segments, retransmitted, needless }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connection(cookie: u64, rtt: u32, counted: [u32; 3]) -> TcpConnection {
        let [segments, retransmitted, needless] = counted;
        let info = TcpInfo { rtt, rtt_min: None, cwnd: 10, segments, retransmitted, needless: Some(needless) };
        TcpConnection { cookie, inode: cookie, peer: ([10, 0, 0, cookie as u8], 6801).into(), info }
    }

    /// What is seen of one OSD, look by look.
    fn seen<const N: usize>(looks: [&[TcpConnection]; N]) -> [Connections; N] {
        let mut watch = ConnectionWatch::default();
        looks.map(|all| watch.of_one(&all.iter().collect::<Vec<_>>()))
    }

    #[test]
    fn the_worst_lost_most_or_else_is_the_slowest_of_the_busy_ones() {
        let start = [connection(1, 0, [0; 3]), connection(2, 0, [0; 3]), connection(3, 0, [50, 9, 0])];
        // What the receivers had already is not lost, and a heartbeat's round trip tells nothing.
        let calm =
            [connection(1, 300, [900, 8, 8]), connection(2, 200, [1000, 0, 0]), connection(3, 40_000, [51, 9, 0])];
        let lossy = [connection(1, 400, [1900, 9, 9]), connection(2, 200, [2000, 3, 1]), connection(3, 10, [52, 9, 0])];
        let after = [connection(1, 400, [2900, 9, 9]), connection(2, 200, [3000, 3, 1]), connection(3, 10, [53, 9, 0])];
        let worst = seen([&start, &calm, &lossy, &after]).map(|one| one.worst.map(|one| one.peer));
        assert_eq!(
            worst,
            [None, Some("10.0.0.1:6801"), Some("10.0.0.2:6801"), Some("10.0.0.2:6801")]
                .map(|peer| peer.map(String::from))
        );
        assert_eq!(seen([&[], &[]]).map(|one| (one.count, one.worst)), [(0, None), (0, None)]);
    }

    #[test]
    fn what_one_did_before_it_was_the_worst_is_told_with_it() {
        let looks = [[5, 400, 1, 1], [5, 1000, 1, 1], [1, 1600, 3, 1], [1, 1700, 7, 2]];
        let of_two = looks.map(|[rtt, segments, again, needless]| {
            [connection(2, rtt, [segments, again, needless]), connection(1, 3, [segments, 0, 0])]
        });
        let told = seen(of_two.each_ref().map(|both| &both[..])).map(|one| one.worst);
        let counts = told.map(|one| one.map(|one| (one.segments, one.retransmitted, one.needless)));
        assert_eq!(counts, [None, Some((600, 0, Some(0))), Some((600, 2, Some(0))), Some((100, 4, Some(1)))]);
        let looks = [[3, 400, 1, 1], [3, 1000, 1, 1], [3, 1600, 3, 1]];
        let of_two = looks.map(|[rtt, segments, again, needless]| {
            [connection(2, rtt, [segments, again, needless]), connection(1, 9, [segments, 0, 0])]
        });
        let told = seen(of_two.each_ref().map(|both| &both[..])).map(|one| one.worst);
        let [_, _, Some(last)] = told else { panic!("{told:?}") };
        assert_eq!((last.segments, last.retransmitted, last.lost(), last.rtt_ms, last.cwnd), (1200, 2, 2, 0.003, 10));
    }

    #[test]
    fn all_of_an_osd_are_added_up_and_what_is_new_begins_to_count() {
        let start = [connection(1, 0, [u32::MAX, 0, 0])];
        let next = [connection(1, 0, [49, 2, 1]), connection(2, 0, [10, 1, 1])];
        let last = [connection(1, 0, [49, 2, 1]), connection(2, 0, [30, 2, 1])];
        let sums = seen([&start, &next, &last]).map(|one| (one.count, one.segments, one.retransmitted, one.needless));
        assert_eq!(sums, [(1, 0, 0, Some(0)), (2, 50, 2, Some(1)), (2, 20, 1, Some(0))]);
    }

    #[test]
    fn an_osd_is_told_from_the_second_look_on() {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let _client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let own = [OsdProcess::of(7, procfs::process::Process::myself().unwrap())];
        let mut watch = ConnectionWatch::default();
        assert_eq!(watch.second(&own), BTreeMap::new());
        let found = watch.second(&own);
        assert!(found[&7].count > 0, "{found:?}");
        assert_eq!(ConnectionWatch::start(&[]).second(&[]), BTreeMap::new());
    }
}
