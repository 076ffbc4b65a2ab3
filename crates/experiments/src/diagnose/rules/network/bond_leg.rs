//! A bond with a bad leg: the kernel says so, or of the streams between hosts those that took it are slow, and the others beside them are not.

use super::{host_network_slow, link_slow, osd_connection_retransmits, segments_sent_again};
use crate::diagnose::{Area, Case, Explains, Rule, Source, Suspect};
use model::{HostBond, NetworkPart, Phrase, Place, Quantity, Record, Standing, Step, Streams, Subject, phrase};
use std::collections::BTreeSet;

pub static RULE: Rule = Rule {
    id: "bond-leg",
    about: Area::Network,
    what: "A leg of a host's bond does not carry its part.",
    evidence: "The kernel tells of a leg that is down, slower than another, half duplex, or in another aggregate than the one in use; confirmed. Or, of at least three hosts: in 60 % and more \
               of the slices of what one host sends, or receives, the slowest stream carried less than 40 % of the fastest, and in at most 20 % of those between the others, while the fastest carried at \
               least a quarter of what the fastest between the others did; confirmed if it was so in more than one pass.",
    sources: &[
        "measured: between healthy hosts on a busy machine the slowest of four streams carried 0.56 to 0.95 of the fastest, on links of 0.2 to 17 Gbit/s",
        "with two legs, one slice in eight has all four streams on one of them",
    ],
    needs: &[Source::Bonds, Source::Streams],
    suspect,
    test: None,
    explains: &[
        Explains {
            rule: &host_network_slow::RULE,
            which: "that of its host, if the bond carries what was measured",
            follows: slows_host,
        },
        Explains {
            rule: &link_slow::RULE,
            which: "those of its host's links, if streams show it",
            follows: slows_link,
        },
        segments_sent_again::FOLLOWS,
        osd_connection_retransmits::FOLLOWS,
    ],
    fix: "look at each leg by itself: link, speed, duplex, error and drop counters of the interface and of its switch port \
          (/proc/net/bonding/BOND, ethtool -S LEG); take the bad one out of the bond until it is mended",
    special_fixes: &[],
    risk: "with one leg out the bond has less spare, or none",
    confirm: "measure with that leg out of the bond and with it in (fathom network --hosts LIST): the slow streams are gone with it",
    ..Rule::USUAL
};

/// Streams of one pair are uneven if the slowest carried less than this share of the fastest. TCP shares a link among its streams unevenly
/// by itself: between healthy hosts on a busy machine the slowest of four carried 0.56 to 0.95 of the fastest, on links of 0.2 to 17 Gbit/s.
const UNEVEN: f64 = 0.4;
/// A host is suspected if at least this share of its slices is uneven: with a bad leg of two, one slice in eight has all four streams on the
/// same leg.
const MOSTLY: f64 = 0.6;
/// Of the other pairs at most this share of the slices may be uneven.
const HARDLY: f64 = 0.2;
/// The fastest stream beside a bad leg carries at least this share of what the fastest ones between other hosts do; slices differ in length.
const GOOD_LEG: f64 = 0.25;
/// With two hosts it is not known which of them has the bad leg.
const HOSTS_LEAST: usize = 3;
/// Fewer slices of a host say nothing.
const SLICES_LEAST: usize = 3;

/// What the streams of each network show, and what the kernels tell.
fn suspect(case: &Case) -> Vec<Suspect> {
    let record = case.record;
    let mut found: Vec<Suspect> = case.networks().into_iter().filter_map(|network| uneven(record, network)).collect();
    // Told once, whichever network it carries.
    for bond in faulty(record) {
        let part = NetworkPart::of_host(&bond.host).on(None);
        let slow = slows(bond, record, None);
        match found.iter_mut().find(|known| slow && shows_in_streams(known) && same_host(known, &part)) {
            Some(known) => {
                known.evidence.insert(0, known.says.clone());
                (known.says, known.standing) = (told(bond), Standing::Confirmed);
            }
            None => found.push(Suspect::new(part, Standing::Confirmed, told(bond), described(bond))),
        }
    }
    found
}

fn faulty(record: &Record) -> impl Iterator<Item = &HostBond> {
    record.bonds().iter().filter(|bond| !bond.bond.faults().is_empty())
}

fn told(HostBond { host, nic, bond, .. }: &HostBond) -> Phrase {
    let faults = Phrase::joined(bond.faults(), "; ");
    phrase!("{}: the bond {} does not have all its legs: {}", Subject::Host(host.clone()), nic.as_str(), faults)
}

fn described(HostBond { nic, bond, .. }: &HostBond) -> Phrase {
    let names: Vec<&str> = bond.legs.iter().map(|leg| leg.name.as_str()).collect();
    let spread = bond.spread.as_ref().map(|spread| format!(", spread by {spread}")).unwrap_or_default();
    format!("{nic}: {}{spread}, of {}", bond.mode, names.join(", ")).into()
}

/// Is it known which way is bad? Only streams tell that.
fn shows_in_streams(bond: &Suspect) -> bool {
    matches!(bond.subject.part(), Some(NetworkPart::Host { sends, receives, .. }) if *sends || *receives)
}

fn same_host(suspect: &Suspect, part: &Subject) -> bool {
    let ends =
        |subject: &Subject| subject.part().map(|part| part.ends().into_iter().map(String::from).collect::<Vec<_>>());
    suspect.subject.network() == part.network() && ends(&suspect.subject) == ends(part)
}

/// Streams show it on the network on which the host is slow, or the kernel alone tells of a bond that carries that network.
fn slows_host(bond: &Suspect, slow: &Suspect, case: &Case) -> bool {
    let (Some(NetworkPart::Host { name, .. }), Some(NetworkPart::Host { name: host, .. })) =
        (bond.subject.part(), slow.subject.part())
    else {
        return false;
    };
    let network = slow.subject.network();
    let carried = || faulty(case.record).any(|bond| bond.host == *host && slows(bond, case.record, network));
    name == host && ((shows_in_streams(bond) && bond.subject.network() == network) || carried())
}

/// A leg that carries nothing slows all that the host does: where only the kernel tells of it, one slow link has another cause.
fn slows_link(bond: &Suspect, slow: &Suspect, _: &Case) -> bool {
    let ends = bond.subject.part().zip(slow.subject.part()).map(|(bond, slow)| bond.ends().is_subset(&slow.ends()));
    shows_in_streams(bond) && bond.subject.network() == slow.subject.network() && ends == Some(true)
}

/// May a fault of this bond slow what was measured on this network? Not if its other legs are spares, or if the host has the address that
/// was measured elsewhere. Where that is not known, it carries the network on which the cluster is loaded.
fn slows(own: &HostBond, record: &Record, network: Option<&str>) -> bool {
    let targets = record.plan.steps.iter().filter(|step| step.network() == network).flat_map(|step| &step.targets);
    let ends = targets.flat_map(|target| match &target.place {
        Place::Pair { from, to, .. } => vec![from, to],
        _ => Vec::new(),
    });
    let mut measured = ends.filter(|end| end.host == own.host).map(|end| &end.address).peekable();
    let unknown = own.addresses.is_empty() || measured.peek().is_none();
    own.bond.mode != "active-backup"
        && ((unknown && network.is_none()) || measured.any(|address| own.addresses.contains(address)))
}

/// One slice of the streams from one host to another.
struct Seen<'a> {
    from: &'a str,
    to: &'a str,
    pass: u32,
    /// What the slowest stream carried, as a share of the fastest.
    share: f64,
    /// Blocks that the fastest one carried.
    fastest: u64,
    streams: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Sends,
    Receives,
}

/// The one host whose streams are uneven, where those between the others are not.
fn uneven(record: &Record, network: Option<&str>) -> Option<Suspect> {
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
    // Beside a bad leg the good one carries what others' links do; streams that share a slow link are all slow, and unevenly so.
    let fastest = |of: &dyn Fn(&Seen) -> bool| {
        judge::median(&seen.iter().filter(|one| of(one)).map(|one| one.fastest as f64).collect::<Vec<_>>())
    };
    let others = fastest(&|one| one.from != host && one.to != host);
    if fastest(&|one| own((host, way), one)) < GOOD_LEG * others {
        return None;
    }
    let mine: Vec<&Seen> = seen.iter().filter(|one| own((host, way), one)).collect();
    let passes: BTreeSet<u32> = mine.iter().map(|one| one.pass).collect();
    let mut shares: Vec<f64> = mine.iter().map(|one| one.share).collect();
    shares.sort_by(f64::total_cmp);
    let (sends, receives) = (way == Way::Sends, way == Way::Receives);
    let subject = NetworkPart::Host { name: host.to_string(), sends, receives }.on(network);
    let says = phrase!(
        "{}{} the same host some are far slower than others beside them: one leg of its bond, or one of several paths, is bad",
        subject.clone(),
        if sends { ": of the streams that it sends to" } else { ": of the streams that it receives from" }
    );
    let evidence = phrase!(
        "in {} slices the slowest of {} streams carried less than {} of the fastest (median {}); between the other hosts in {}",
        of(bad, slices),
        Quantity::Count(mine.first().map_or(0, |one| one.streams as u64)),
        Quantity::Share(UNEVEN),
        Quantity::Share(shares[shares.len() / 2]),
        of(bad_rest, slices_rest)
    );
    let standing = if passes.len() > 1 { Standing::Confirmed } else { Standing::Hint };
    let mut suspect = Suspect::new(subject, standing, says, evidence);
    suspect.evidence.extend(record.bonds().iter().filter(|bond| bond.host == host).map(described));
    Some(suspect)
}

/// `3 of 12`
fn of(some: usize, all: usize) -> Phrase {
    phrase!("{} of {}", some, all)
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
            fastest,
            streams: blocks.len(),
        })
    };
    step.into_iter().flat_map(|step| streams.blocks.iter().filter_map(move |blocks| one(step, blocks))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::rules;
    use crate::diagnose::testing::{dead_leg, findings, one, suspects, text, told, way};
    use model::testing;
    use model::{Observation, Pattern, Plan, StepId, Workload};

    /// Each pair of `hosts` hosts, in `passes` passes; `share`: what the slowest of four streams carries, by numbers of both ends and the
    /// pass.
    fn made(hosts: usize, passes: u32, share: impl Fn(usize, usize, u32) -> f64) -> Record {
        let pairs = (0..hosts).flat_map(|from| (0..hosts).map(move |to| (from, to))).filter(|(from, to)| from != to);
        let pairs: Vec<(usize, usize)> = pairs.collect();
        let target = |(from, to): &(usize, usize)| way(*from, *to, None);
        let step = Step {
            apart: true,
            ..Step::new(
                0,
                testing::links(),
                Pattern::WriteLinear,
                pairs.iter().map(target).collect(),
                Workload { jobs: 4, ..Workload::canonical(Pattern::WriteLinear, 0, 1) },
            )
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

    fn standings(record: &Record) -> Vec<(String, Standing)> {
        suspects(&RULE, record).into_iter().map(|bad| (bad.subject.to_string(), bad.standing)).collect()
    }

    /// Does the only suspect explain that this is slow?
    fn explains(record: &Record, slow: Subject) -> bool {
        let bonds = suspects(&RULE, record);
        assert_eq!(bonds.len(), 1, "it is told in any case");
        let slow = Suspect { subject: slow, ..bonds[0].clone() };
        let id = if slow.subject.part().is_some_and(NetworkPart::is_link) { "link-slow" } else { "host-network-slow" };
        let rule = rules::RULES.iter().find(|rule| rule.id == id).unwrap();
        let case = Case { record, entries: &[], tests: &[], outliers: &[], host_loads: &[], positions: None };
        let mut arrows = RULE.explains.iter().filter(|arrow| std::ptr::eq(arrow.rule, *rule));
        arrows.any(|arrow| (arrow.follows)(&bonds[0], &slow, &case))
    }

    fn host(name: &str) -> Subject {
        NetworkPart::of_host(name).on(None)
    }

    fn link(from: &str, to: &str) -> Subject {
        NetworkPart::Way { from: from.into(), to: to.into() }.on(None)
    }

    #[test]
    fn a_bad_leg_is_seen_by_its_streams() {
        for hosts in [3, 4, 6] {
            assert_eq!(standings(&made(hosts, 3, |_, _, _| 0.8)), [], "{hosts} hosts, none");
            // Once all four streams took the good leg.
            let sends = |from, to, pass| if from == 1 && (to, pass) != (0, 2) { 0.1 } else { 0.7 };
            let confirmed = [("h1".to_string(), Standing::Confirmed)];
            assert_eq!(standings(&made(hosts, 3, sends)), confirmed, "{hosts} hosts");
            let receives = |_, to, _| if to == 1 { 0.1 } else { 0.7 };
            let found = suspects(&RULE, &made(hosts, 3, receives)).remove(0);
            assert!(
                text(&found.says).starts_with("h1: of the streams that it receives from the same host"),
                "{found:?}"
            );
        }
        // Everywhere alike: then it is how streams are here.
        assert_eq!(standings(&made(4, 3, |_, _, _| 0.1)), []);
        assert_eq!(
            standings(&made(2, 3, |from, _, _| if from == 1 { 0.1 } else { 0.8 })),
            [],
            "of two neither is the one"
        );
        assert_eq!(
            standings(&made(3, 1, |from, _, _| if from == 1 { 0.1 } else { 0.8 })),
            [],
            "two slices are too few"
        );
        assert_eq!(told(&Record { observations: vec![], ..made(3, 3, |_, _, _| 0.1) }), []);
    }

    #[test]
    fn streams_that_share_a_slow_link_are_no_bad_leg() {
        let mut record = made(3, 3, |_, to, _| if to == 1 { 0.1 } else { 0.7 });
        assert_eq!(standings(&record).len(), 1);
        let to_h1 = |target: u32| record.plan.steps[0].targets[target as usize].name.ends_with("h1");
        let slow: Vec<u32> = (0..6).filter(|target| to_h1(*target)).collect();
        for observation in &mut record.observations {
            let Observation::Streams(streams) = observation else { continue };
            let own = streams.blocks.iter_mut().filter(|(target, _)| slow.contains(target));
            own.for_each(|(_, blocks)| blocks.iter_mut().for_each(|blocks| *blocks /= 50));
        }
        assert_eq!(standings(&record), []);
    }

    #[test]
    fn what_the_kernel_says_comes_first_and_streams_explain_slow_links() {
        let sends = |from, _, _| if from == 1 { 0.1 } else { 0.7 };
        let record = made(3, 3, sends).with(Observation::Bonds(vec![dead_leg("h1", "802.3ad", &[])]));
        assert_eq!(told(&record), [one("bond-leg", "h1")]);
        let found = &findings(&record)[0];
        assert_eq!(text(&found.says), "h1: the bond bond0 does not have all its legs: eth1 is down");
        assert!(found.evidence.iter().any(|line| text(line).contains("far slower")), "{found:?}");
        let counts = "in 6 of 6 slices the slowest of 4 streams carried less than 40 % of the fastest (median 10 %); between the other hosts in 0 of 6";
        assert!(found.evidence.iter().any(|line| text(line) == counts), "{found:?}");
        assert!(
            explains(&record, link("h0", "h1"))
                && explains(&record, host("h1"))
                && !explains(&record, link("h0", "h2"))
        );
        let whole = made(3, 3, |_, _, _| 0.8).with(Observation::Bonds(record.bonds().to_vec()));
        assert_eq!(standings(&whole), [("h1".to_string(), Standing::Confirmed)]);
    }

    #[test]
    fn what_only_the_kernel_says_explains_a_slow_host_and_no_slow_link() {
        let on_host = |mode: &str, addresses: &[&str]| {
            let bonds = vec![dead_leg("h1", mode, addresses)];
            let record = made(3, 3, |_, _, _| 0.8).with(Observation::Bonds(bonds));
            assert!(!explains(&record, link("h0", "h1")) && !explains(&record, host("h2")));
            let elsewhere = NetworkPart::of_host("h1").on(Some("cluster"));
            assert!(!explains(&record, elsewhere), "that network was not measured");
            explains(&record, host("h1"))
        };
        assert!(on_host("802.3ad", &[]), "a bridge may have its address");
        assert!(on_host("802.3ad", &["10.0.0.1"]));
        assert!(!on_host("802.3ad", &["10.0.1.1"]), "it carries another network");
        assert!(!on_host("active-backup", &["10.0.0.1"]), "a spare");
    }

    #[test]
    fn a_spare_that_is_down_is_no_reason_for_uneven_streams() {
        let sends = |from, _, _| if from == 1 { 0.1 } else { 0.7 };
        let record = made(3, 3, sends).with(Observation::Bonds(vec![dead_leg("h1", "active-backup", &[])]));
        let ways = |suspect: &Suspect| shows_in_streams(suspect);
        assert_eq!(suspects(&RULE, &record).iter().map(ways).collect::<Vec<_>>(), [true, false]);
    }
}
