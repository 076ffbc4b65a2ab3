//! A bond with a bad leg: the kernel says so, or of the streams between hosts those that took it are slow, and the others beside them are not.

use crate::words::percent;
use model::{Finding, HostBond, NetworkPart, Place, Record, Standing, Step, Streams, Subject};
use std::collections::BTreeSet;

/// Streams of one pair are uneven if the slowest carried less than this share of the fastest. TCP shares a link among its streams unevenly
/// by itself: between healthy hosts on a busy machine the slowest of four carried 0.56 to 0.95 of the fastest, on links of 0.2 to 17 Gbit/s.
const UNEVEN: f64 = 0.4;
/// Of a host with a bad leg of two, one slice in eight has all four streams on the same leg.
const MOSTLY: f64 = 0.6;
/// And of the other pairs hardly any slice may be uneven.
const HARDLY: f64 = 0.2;
/// Of two hosts neither is the one.
const HOSTS_LEAST: usize = 3;
/// Fewer slices say nothing.
const SLICES_LEAST: usize = 3;

/// A host, on one of the networks, whose bond is bad.
pub struct BadBond {
    pub host: String,
    pub finding: Finding,
    why: Why,
}

/// What a bond's fault is known by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    /// Streams on this network; the kernel may tell as well.
    Streams,
    /// The kernel alone, of a bond that this network's streams may take.
    Kernel,
    /// The kernel alone, and these streams are none the slower.
    Beside,
}

impl BadBond {
    /// Is it why this host, or a link of it, is slow? Then that is evidence of it.
    pub fn explains(&mut self, link: &Finding) -> bool {
        let Some(part) = link.subject.part() else { return false };
        let own = match self.why {
            Why::Streams => part.ends().contains(self.host.as_str()),
            // A leg that carries nothing slows all that the host does: one slow link has another cause.
            Why::Kernel => matches!(part, NetworkPart::Host { name, .. } if *name == self.host),
            Why::Beside => false,
        };
        if own {
            self.slow_ways(part);
            let evidence = link.evidence.first().map(|first| format!(" ({first})")).unwrap_or_default();
            self.finding.evidence.push(format!("{}{evidence}", link.says));
        }
        own
    }

    /// The ways of the host that are slow are so by its bond.
    fn slow_ways(&mut self, slow: &NetworkPart) {
        let NetworkPart::Host { sends: also_sends, receives: also_receives, .. } = slow else { return };
        if let Subject::Network { part: NetworkPart::Host { sends, receives, .. }, .. } = &mut self.finding.subject {
            (*sends, *receives) = (*sends || *also_sends, *receives || *also_receives);
        }
    }
}

/// What the kernels say, and what the streams on this network show; one for each host.
pub fn bad_bonds(record: &Record, network: Option<&str>) -> Vec<BadBond> {
    let mut found: Vec<BadBond> = uneven(record, network).into_iter().collect();
    // Told once, whichever network it carries.
    for own in record.bonds().iter().filter(|_| network.is_none()) {
        let faults = own.bond.faults();
        if faults.is_empty() {
            continue;
        }
        let says = format!("{}: the bond {} does not have all its legs: {}", own.host, own.nic, faults.join("; "));
        let why = if slows(own, record, network) { Why::Kernel } else { Why::Beside };
        let same = |bad: &&mut BadBond| bad.host == own.host && (bad.why == Why::Beside) == (why == Why::Beside);
        match found.iter_mut().find(same) {
            Some(bad) => {
                bad.finding.evidence.insert(0, bad.finding.says.clone());
                (bad.finding.says, bad.finding.standing) = (says, Standing::Confirmed);
            }
            None => found.push(BadBond {
                host: own.host.clone(),
                finding: finding(NetworkPart::of_host(&own.host), says, described(own), Standing::Confirmed),
                why,
            }),
        }
    }
    found
}

/// May a fault of this bond slow what was measured on this network? Not if its other legs are spares, or if the host has the address that
/// was measured elsewhere.
fn slows(own: &HostBond, record: &Record, network: Option<&str>) -> bool {
    let targets = record.plan.steps.iter().filter(|step| step.network() == network).flat_map(|step| &step.targets);
    let ends = targets.flat_map(|target| match &target.place {
        Place::Pair { from, to, .. } => vec![from, to],
        _ => Vec::new(),
    });
    let mut measured = ends.filter(|end| end.host == own.host).map(|end| &end.address).peekable();
    let unknown = own.addresses.is_empty() || measured.peek().is_none();
    own.bond.mode != "active-backup" && (unknown || measured.any(|address| own.addresses.contains(address)))
}

fn finding(part: NetworkPart, says: String, evidence: String, standing: Standing) -> Finding {
    Finding {
        id: "bond-leg".to_string(),
        standing,
        subject: part.on(None),
        says,
        evidence: vec![evidence],
        fix: "look at each leg by itself: link, speed, duplex, error and drop counters of the interface and of its switch port \
              (/proc/net/bonding/BOND, ethtool -S LEG); take the bad one out of the bond until it is mended"
            .to_string(),
        risk: "with one leg out the bond has less spare, or none".to_string(),
    }
}

fn described(HostBond { nic, bond, .. }: &HostBond) -> String {
    let names: Vec<&str> = bond.legs.iter().map(|leg| leg.name.as_str()).collect();
    let spread = bond.spread.as_ref().map(|spread| format!(", spread by {spread}")).unwrap_or_default();
    format!("{nic}: {}{spread}, of {}", bond.mode, names.join(", "))
}

/// One slice of the streams from one host to another.
struct Seen<'a> {
    from: &'a str,
    to: &'a str,
    pass: u32,
    /// What the slowest stream carried, as a share of the fastest.
    share: f64,
    streams: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Sends,
    Receives,
}

/// The one host whose streams are uneven, where those between the others are not.
fn uneven(record: &Record, network: Option<&str>) -> Option<BadBond> {
    let seen: Vec<Seen> = record.streams().flat_map(|streams| of_slice(record, streams, network)).collect();
    let hosts: BTreeSet<&str> = seen.iter().flat_map(|one| [one.from, one.to]).collect();
    if hosts.len() < HOSTS_LEAST {
        return None;
    }
    let share = |of: &dyn Fn(&Seen) -> bool| {
        let own: Vec<&Seen> = seen.iter().filter(|one| of(one)).collect();
        let bad = own.iter().filter(|one| one.share < UNEVEN).count();
        (own.len() >= SLICES_LEAST).then(|| (bad as f64 / own.len() as f64, bad, own.len()))
    };
    let all = hosts.iter().flat_map(|host| [(*host, Way::Sends), (*host, Way::Receives)]);
    let own = |(host, way): (&str, Way), one: &Seen| match way {
        Way::Sends => one.from == host,
        Way::Receives => one.to == host,
    };
    let (host, way) = all.max_by(|a, b| {
        let of = |one: (&str, Way)| share(&|seen| own(one, seen)).map_or(0.0, |(share, ..)| share);
        of(*a).total_cmp(&of(*b))
    })?;
    let (most, bad, slices) = share(&|one| own((host, way), one))?;
    // The other way of the same host may be bad as well, or not.
    let (rest, bad_rest, slices_rest) = share(&|one| one.from != host && one.to != host)?;
    if most < MOSTLY || rest > HARDLY {
        return None;
    }
    let mine: Vec<&Seen> = seen.iter().filter(|one| own((host, way), one)).collect();
    let passes: BTreeSet<u32> = mine.iter().map(|one| one.pass).collect();
    let mut shares: Vec<f64> = mine.iter().map(|one| one.share).collect();
    shares.sort_by(f64::total_cmp);
    let what = if way == Way::Sends { "sends" } else { "receives" };
    let says = format!(
        "{host}: of the streams that it {what} {} the same host some are far slower than others beside them: one leg of its bond, or one of \
         several paths, is bad",
        if way == Way::Sends { "to" } else { "from" }
    );
    let evidence = format!(
        "in {bad} of {slices} slices the slowest of {} streams carried less than {} of the fastest (median {}); between the other hosts \
         in {bad_rest} of {slices_rest}",
        mine.first().map_or(0, |one| one.streams),
        percent(UNEVEN),
        percent(shares[shares.len() / 2]),
    );
    let standing = if passes.len() > 1 { Standing::Confirmed } else { Standing::Hint };
    let (sends, receives) = (way == Way::Sends, way == Way::Receives);
    let part = NetworkPart::Host { name: host.to_string(), sends, receives };
    let mut finding = finding(part, says, evidence, standing);
    finding.evidence.extend(record.bonds().iter().filter(|bond| bond.host == host).map(described));
    Some(BadBond { host: host.to_string(), finding, why: Why::Streams })
}

fn of_slice<'a>(record: &'a Record, streams: &'a Streams, network: Option<&str>) -> Vec<Seen<'a>> {
    let step = record.plan.steps.iter().find(|step| step.id == streams.step && step.network() == network);
    let one = |step: &'a Step, (target, blocks): (&u32, &'a Vec<u64>)| {
        let Place::Pair { from, to, .. } = &step.targets.get(*target as usize)?.place else { return None };
        let (slowest, fastest) = (*blocks.iter().min()?, *blocks.iter().max()?);
        let (from, to) = if step.pattern.writes() { (from, to) } else { (to, from) };
        let share = slowest as f64 / fastest as f64;
        (fastest > 0 && blocks.len() > 1 && from.host != to.host).then(|| Seen {
            from: &from.host,
            to: &to.host,
            pass: streams.pass,
            share,
            streams: blocks.len(),
        })
    };
    step.into_iter().flat_map(|step| streams.blocks.iter().filter_map(move |blocks| one(step, blocks))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Observation;
    use model::{Bond, Endpoint, Layer, Leg, Metric, Pattern, Plan, StepId, Target, Workload};

    /// Each pair of so many hosts, in so many passes; `share`: what the slowest of four streams carries, by numbers of both ends and the
    /// pass.
    fn made(hosts: usize, passes: u32, share: impl Fn(usize, usize, u32) -> f64) -> Record {
        let end = |host: usize| Endpoint::new(format!("h{host}"), "10.0.0.1");
        let pairs = (0..hosts).flat_map(|from| (0..hosts).map(move |to| (from, to))).filter(|(from, to)| from != to);
        let pairs: Vec<(usize, usize)> = pairs.collect();
        let target = |(from, to): &(usize, usize)| {
            let place = Place::Pair { from: end(*from), to: end(*to), listener: None };
            Target::new(Layer::Network, format!("h{from}→h{to}"), place)
        };
        let step = Step {
            id: StepId(0),
            layer: Layer::Network,
            pattern: Pattern::WriteLinear,
            targets: pairs.iter().map(target).collect(),
            workload: Workload { jobs: 4, ..Workload::canonical(Pattern::WriteLinear, 0, 1) },
            metric: Metric::Bandwidth,
            chart: true,
            apart: true,
        };
        let of = |pass: u32, (from, to): (usize, usize)| {
            vec![1000, 950, (1000.0 * share(from, to, pass)).round() as u64, 900]
        };
        let slice = |pass: u32| Streams {
            step: StepId(0),
            pass,
            blocks: (0..).zip(pairs.iter().map(|pair| of(pass, *pair))).collect(),
        };
        Record {
            plan: Plan { steps: vec![step], ..Plan::default() },
            observations: (1..=passes).map(slice).map(Observation::Streams).collect(),
            ..Record::default()
        }
    }

    fn told(record: &Record) -> Vec<(String, Standing)> {
        bad_bonds(record, None).into_iter().map(|bad| (bad.host, bad.finding.standing)).collect()
    }

    #[test]
    fn a_bad_leg_is_seen_by_its_streams() {
        for hosts in [3, 4, 6] {
            assert_eq!(told(&made(hosts, 3, |_, _, _| 0.8)), [], "{hosts} hosts, none");
            // Once all four streams took the good leg.
            let sends = |from, to, pass| if from == 1 && (to, pass) != (0, 2) { 0.1 } else { 0.7 };
            assert_eq!(told(&made(hosts, 3, sends)), [("h1".to_string(), Standing::Confirmed)], "{hosts} hosts");
            let receives = |_, to, _| if to == 1 { 0.1 } else { 0.7 };
            let found = bad_bonds(&made(hosts, 3, receives), None).remove(0);
            assert!(found.finding.says.contains("receives"), "{}", found.finding.says);
        }
        // Everywhere alike: then it is how streams are here.
        assert_eq!(told(&made(4, 3, |_, _, _| 0.1)), []);
        assert_eq!(told(&made(2, 3, |from, _, _| if from == 1 { 0.1 } else { 0.8 })), [], "of two neither is the one");
        assert_eq!(told(&made(3, 1, |from, _, _| if from == 1 { 0.1 } else { 0.8 })), [], "two slices are too few");
    }

    #[test]
    fn what_the_kernel_says_comes_first_and_explains_slow_links() {
        let leg = |name: &str, up| Leg { name: name.into(), up, ..Leg::default() };
        let bond = Bond { mode: "802.3ad".into(), spread: None, legs: vec![leg("eth0", true), leg("eth1", false)] };
        let bonds = vec![HostBond { host: "h1".into(), nic: "bond0".into(), addresses: Vec::new(), bond }];
        let sends = |from, _, _| if from == 1 { 0.1 } else { 0.7 };
        let mut found = bad_bonds(&made(3, 3, sends).with(Observation::Bonds(bonds.clone())), None);
        assert_eq!(found.len(), 1);
        assert!(found[0].finding.says.contains("bond0 does not have all its legs: eth1 is down"));
        assert!(found[0].finding.evidence.iter().any(|line| line.contains("far slower")), "{:?}", found[0].finding);
        let slow = |part: NetworkPart| Finding { subject: part.on(None), ..found[0].finding.clone() };
        let way = |from: &str, to: &str| NetworkPart::Way { from: from.into(), to: to.into() };
        let (own, host, other) = (slow(way("h0", "h1")), slow(NetworkPart::of_host("h1")), slow(way("h0", "h2")));
        assert!(found[0].explains(&own) && found[0].explains(&host) && !found[0].explains(&other));
        let whole = made(3, 3, |_, _, _| 0.8).with(Observation::Bonds(bonds));
        assert_eq!(told(&whole), [("h1".to_string(), Standing::Confirmed)]);
        assert_eq!(bad_bonds(&whole, Some("cluster")).len(), 0, "it is told once");
    }

    #[test]
    fn what_only_the_kernel_says_explains_a_slow_host_and_no_slow_link() {
        let leg = |name: &str, up| Leg { name: name.into(), up, ..Leg::default() };
        let explained = |mode: &str, addresses: &[&str]| {
            let bond = Bond { mode: mode.into(), spread: None, legs: vec![leg("eth0", true), leg("eth1", false)] };
            let addresses = addresses.iter().map(|address| address.to_string()).collect();
            let bonds = vec![HostBond { host: "h1".into(), nic: "bond0".into(), addresses, bond }];
            let mut found = bad_bonds(&made(3, 3, |_, _, _| 0.8).with(Observation::Bonds(bonds)), None);
            assert_eq!(found.len(), 1, "it is told in any case");
            let slow = |part: NetworkPart| Finding { subject: part.on(None), ..found[0].finding.clone() };
            let (host, other) = (slow(NetworkPart::of_host("h1")), slow(NetworkPart::of_host("h2")));
            let link = slow(NetworkPart::Way { from: "h0".into(), to: "h1".into() });
            assert!(!found[0].explains(&link) && !found[0].explains(&other));
            found[0].explains(&host)
        };
        assert!(explained("802.3ad", &[]), "a bridge may have its address");
        assert!(explained("802.3ad", &["10.0.0.1"]));
        assert!(!explained("802.3ad", &["10.0.1.1"]), "it carries another network");
        assert!(!explained("active-backup", &["10.0.0.1"]), "a spare");
    }

    #[test]
    fn a_spare_that_is_down_is_no_reason_for_uneven_streams() {
        let legs = vec![Leg { name: "eth1".into(), ..Leg::default() }];
        let bond = Bond { mode: "active-backup".into(), spread: None, legs };
        let bonds = vec![HostBond { host: "h1".into(), nic: "bond0".into(), addresses: Vec::new(), bond }];
        let found = bad_bonds(
            &made(3, 3, |from, _, _| if from == 1 { 0.1 } else { 0.7 }).with(Observation::Bonds(bonds)),
            None,
        );
        assert_eq!(found.iter().map(|bad| bad.why).collect::<Vec<_>>(), [Why::Streams, Why::Beside]);
    }
}
