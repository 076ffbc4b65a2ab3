//! What hosts' kernels counted while a step was measured, as means over its slices.

use crate::words::{grouped, percent};
use model::{
    DiskSecond, Finding, HostLoad, HostSecond, NetworkPart, NicSecond, OsdSecond, Pressure, Record, Standing, Step,
    StepId, Subject,
};
use std::collections::{BTreeMap, BTreeSet};

/// In the order of hosts, then steps.
pub fn host_loads(record: &Record) -> Vec<HostLoad> {
    let mut seconds: BTreeMap<(&str, StepId), Vec<&HostSecond>> = BTreeMap::new();
    for observed in record.hosts_observed() {
        // What it counted before the load began is not the load's.
        let loaded = |second: &&HostSecond| second.at > 0.5 * second.seconds;
        for host in &observed.hosts {
            let own = seconds.entry((&host.host, observed.step)).or_default();
            own.extend(host.seconds.iter().filter(loaded));
        }
    }
    let step_of = |id: StepId| record.plan.steps.iter().find(|step| step.id == id);
    seconds.retain(|_, own| !own.is_empty());
    seconds.into_iter().filter_map(|((host, id), own)| Some(load(host, step_of(id)?, &own))).collect()
}

fn load(host: &str, step: &Step, seconds: &[&HostSecond]) -> HostLoad {
    HostLoad {
        host: host.to_string(),
        step: step.id,
        layer: step.layer,
        target: step.together(),
        pattern: step.pattern,
        mean: mean(seconds),
    }
}

/// Rates are weighted by how long each second was, waits by how many waited; counts are added up.
fn mean(all: &[&HostSecond]) -> HostSecond {
    let long: f64 = all.iter().map(|one| one.seconds).sum();
    let over = |of: &dyn Fn(&HostSecond) -> f64| all.iter().map(|one| of(one) * one.seconds).sum::<f64>() / long;
    let pressed: Vec<(f64, Pressure)> = all.iter().filter_map(|one| Some((one.seconds, one.pressure?))).collect();
    let known: f64 = pressed.iter().map(|(seconds, _)| seconds).sum();
    let pressure = |of: fn(&Pressure) -> f64| pressed.iter().map(|(long, one)| of(one) * long).sum::<f64>() / known;
    HostSecond {
        at: 0.0,
        seconds: long,
        cpu: over(&|one| one.cpu),
        steal: over(&|one| one.steal),
        pressure: (known > 0.0).then(|| Pressure {
            cpu: pressure(|one| one.cpu),
            io: pressure(|one| one.io),
            memory: pressure(|one| one.memory),
        }),
        disks: disks(all, long),
        nics: nics(all, long),
        segments: all.iter().map(|one| one.segments).sum(),
        retransmitted: all.iter().map(|one| one.retransmitted).sum(),
        osds: osds(all, long),
    }
}

fn by_name<'a, T>(
    all: &[&'a HostSecond],
    of: fn(&HostSecond) -> &Vec<T>,
    name: fn(&T) -> &String,
) -> BTreeMap<&'a str, Vec<(f64, &'a T)>> {
    let mut found: BTreeMap<&str, Vec<(f64, &T)>> = BTreeMap::new();
    for one in all {
        for part in of(one) {
            found.entry(name(part)).or_default().push((one.seconds, part));
        }
    }
    found
}

/// A second in which a disk moved nothing counts as none of it.
fn disks(all: &[&HostSecond], long: f64) -> Vec<DiskSecond> {
    let disk = |(name, own): (&str, Vec<(f64, &DiskSecond)>)| {
        let over = |of: fn(&DiskSecond) -> f64| own.iter().map(|(seconds, one)| of(one) * seconds).sum::<f64>() / long;
        let wait = |ms: fn(&DiskSecond) -> Option<f64>, count: fn(&DiskSecond) -> f64| {
            let waits = own.iter().filter_map(|(seconds, one)| Some((ms(one)?, count(one) * seconds)));
            let (sum, operations) = waits.fold((0.0, 0.0), |(sum, n), (ms, more)| (sum + ms * more, n + more));
            (operations > 0.0).then(|| sum / operations)
        };
        DiskSecond {
            name: name.to_string(),
            reads: over(|one| one.reads),
            writes: over(|one| one.writes),
            read_bytes: over(|one| one.read_bytes),
            written_bytes: over(|one| one.written_bytes),
            read_ms: wait(|one| one.read_ms, |one| one.reads),
            write_ms: wait(|one| one.write_ms, |one| one.writes),
            queue: over(|one| one.queue),
        }
    };
    by_name(all, |one| &one.disks, |disk| &disk.name).into_iter().map(disk).collect()
}

fn nics(all: &[&HostSecond], long: f64) -> Vec<NicSecond> {
    let nic = |(name, own): (&str, Vec<(f64, &NicSecond)>)| NicSecond {
        name: name.to_string(),
        sent: own.iter().map(|(seconds, one)| one.sent * seconds).sum::<f64>() / long,
        received: own.iter().map(|(seconds, one)| one.received * seconds).sum::<f64>() / long,
        lost: own.iter().map(|(_, one)| one.lost).sum(),
    };
    by_name(all, |one| &one.nics, |nic| &nic.name).into_iter().map(nic).collect()
}

fn osds(all: &[&HostSecond], long: f64) -> Vec<OsdSecond> {
    let mut used: BTreeMap<u32, BTreeMap<String, f64>> = BTreeMap::new();
    for one in all {
        for osd in &one.osds {
            // One that did nothing was seen to do nothing.
            let threads = used.entry(osd.osd).or_default();
            for (thread, processors) in &osd.threads {
                *threads.entry(thread.clone()).or_default() += processors * one.seconds / long;
            }
        }
    }
    used.into_iter().map(|(osd, threads)| OsdSecond { osd, threads }).collect()
}

/// A healthy link loses next to nothing; at one segment in a thousand TCP's rate falls by itself (Mathis et al. 1997: it goes
/// with one over the root of the loss).
const SENT_AGAIN: f64 = 1e-3;
const AGAIN_LEAST: u64 = 20;
/// Share of the time in which some task waited for a processor (or, where that is not counted, in which all worked) from which on an
/// acknowledgement comes too late without any fault of the network: three healthy hosts on two processors sent 0.09 to 0.14 % again.
const STARVED: f64 = 0.5;
const ALL_AT_WORK: f64 = 0.95;

/// Hosts that had to send much again, each with its worst steps. Where a link or a host's network is known to be slow through which it
/// sends, that is why, and it is evidence of it.
pub fn sent_again(loads: &[HostLoad], record: &Record, found: &mut Vec<Finding>) {
    for (host, again) in hosts_that_send_again(loads) {
        let names = names(record, host);
        match found.iter_mut().find(|slow| names.iter().any(|name| goes_through(slow, name))) {
            Some(slow) => {
                let line = again.evidence.first().map(|first| format!("{host} sends again: {first}"));
                slow.evidence.extend(line);
            }
            None => found.push(again),
        }
    }
}

/// What the cluster calls this, and how that stands in the list of hosts, from which findings of the network have their names.
fn names<'a>(record: &'a Record, host: &'a str) -> BTreeSet<&'a str> {
    let hosts = record.hosts_observed().flat_map(|observed| &observed.hosts);
    hosts.filter(|own| own.host == host && !own.named.is_empty()).map(|own| own.named.as_str()).chain([host]).collect()
}

/// Do packets that this host sends go through what is slow?
fn goes_through(slow: &Finding, host: &str) -> bool {
    let Some(part) = slow.subject.part() else { return false };
    match part {
        // What one host does not receive, all others send again.
        NetworkPart::Host { receives: true, .. } => true,
        // It is not known where the line runs.
        NetworkPart::Whole => true,
        _ => part.ends().contains(host),
    }
}

fn hosts_that_send_again<'a>(loads: &'a [HostLoad]) -> Vec<(&'a str, Finding)> {
    let share = |load: &HostLoad| load.mean.retransmitted as f64 / load.mean.segments.max(1) as f64;
    let mut worst: BTreeMap<&str, Vec<&HostLoad>> = BTreeMap::new();
    let much = |load: &&HostLoad| load.mean.retransmitted >= AGAIN_LEAST && share(load) > SENT_AGAIN;
    for load in loads.iter().filter(much).filter(|load| !starved(&load.mean)) {
        worst.entry(&load.host).or_default().push(load);
    }
    let finding = |(host, mut own): (&'a str, Vec<&HostLoad>)| {
        own.sort_by(|a, b| share(b).total_cmp(&share(a)));
        let evidence = |load: &&HostLoad| {
            format!(
                "{} {} {}: {} of {} TCP segments, {}",
                load.layer.name(),
                load.target,
                load.pattern.name(),
                grouped(load.mean.retransmitted as f64),
                grouped(load.mean.segments as f64),
                percent(share(load))
            )
        };
        let finding = Finding {
            id: "segments-sent-again".to_string(),
            standing: Standing::Hint,
            subject: Subject::Host(host.to_string()),
            says: format!("{host} sends TCP segments again: packets are lost on their way from it, or come too late"),
            evidence: own.iter().take(3).map(evidence).collect(),
            fix: "look at the drop and error counters of its interface and of the switch's port (ethtool -S), at the ring \
                  buffers (ethtool -g), and at a shaper or a slower link on the way"
                .to_string(),
            risk: "none: looking changes nothing".to_string(),
        };
        (host, finding)
    };
    worst.into_iter().map(finding).collect()
}

fn starved(mean: &HostSecond) -> bool {
    mean.pressure.map_or(mean.cpu > ALL_AT_WORK, |pressure| pressure.cpu > STARVED)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk(writes: f64, write_ms: Option<f64>) -> DiskSecond {
        DiskSecond { name: "sda".into(), writes, write_ms, queue: 2.0, ..DiskSecond::default() }
    }

    #[test]
    fn waits_are_weighted_by_operations_and_rates_by_time() {
        let first = HostSecond { seconds: 1.0, cpu: 0.2, disks: vec![disk(300.0, Some(1.0))], ..HostSecond::default() };
        let second =
            HostSecond { seconds: 3.0, cpu: 0.6, disks: vec![disk(100.0, Some(5.0))], ..HostSecond::default() };
        let idle = HostSecond { seconds: 4.0, ..HostSecond::default() };
        let mean = mean(&[&first, &second, &idle]);
        assert!((mean.cpu - 0.25).abs() < 1e-9);
        assert_eq!(mean.pressure, None);
        let [disk] = mean.disks.as_slice() else { panic!("{:?}", mean.disks) };
        assert_eq!((disk.writes, disk.write_ms, disk.read_ms, disk.queue), (75.0, Some(3.0), None, 1.0));
    }

    #[test]
    fn only_much_that_is_sent_again_is_told() {
        let load = |host: &str, segments, retransmitted| HostLoad {
            host: host.into(),
            step: StepId(0),
            layer: model::Layer::Rados,
            target: "pool".into(),
            pattern: model::Pattern::WriteLatency,
            mean: HostSecond { segments, retransmitted, ..HostSecond::default() },
        };
        let loads = [load("a", 1_000_000, 900), load("b", 10_000, 19), load("c", 10_000, 50)];
        let mut found = Vec::new();
        sent_again(&loads, &Record::default(), &mut found);
        assert_eq!(found.iter().map(|finding| finding.target()).collect::<Vec<_>>(), ["c"]);
        assert!(found[0].evidence[0].contains("50 of 10,000 TCP segments, 0.5 %"), "{:?}", found[0].evidence);
        let pressed = |cpu: f64| HostLoad {
            mean: HostSecond { pressure: Some(Pressure { cpu, ..Pressure::default() }), ..load("d", 10_000, 50).mean },
            ..load("d", 10_000, 50)
        };
        let told = |load: HostLoad| {
            let mut found = Vec::new();
            sent_again(&[load], &Record::default(), &mut found);
            found.len()
        };
        assert_eq!((told(pressed(0.2)), told(pressed(0.9))), (1, 0));
    }

    #[test]
    fn what_is_sent_again_is_evidence_of_what_it_goes_through() {
        let load = |host: &str| HostLoad {
            host: host.into(),
            step: StepId(0),
            layer: model::Layer::Network,
            target: "all".into(),
            pattern: model::Pattern::WriteLinear,
            mean: HostSecond { segments: 10_000, retransmitted: 50, ..HostSecond::default() },
        };
        let named = |host: &str, named: &str| model::HostSeconds {
            host: host.into(),
            named: named.into(),
            ..model::HostSeconds::default()
        };
        let observed = model::Observed {
            step: StepId(0),
            pass: 1,
            hosts: vec![named("a", "root@a"), named("b", "root@b"), named("c", "")],
        };
        let record = Record::default().with(model::Observation::Hosts(observed));
        let slow = |subject: Subject| Finding {
            id: String::new(),
            standing: Standing::Confirmed,
            subject,
            says: String::new(),
            evidence: Vec::new(),
            fix: String::new(),
            risk: String::new(),
        };
        // Hosts whose packets are evidence of it, and those with a finding of their own.
        let told = |slow: Finding| {
            let mut found = vec![slow];
            sent_again(&["a", "b", "c"].map(load), &record, &mut found);
            let hosts = found[0].evidence.iter().filter_map(|line| line.split(' ').next()).collect::<String>();
            (hosts, found[1..].iter().map(Finding::target).collect::<String>())
        };
        let of = |folded: &str, apart: &str| (folded.to_string(), apart.to_string());
        let way = |from: &str, to: &str| NetworkPart::Way { from: from.into(), to: to.into() };
        let host = |receives| NetworkPart::Host { name: "c".into(), sends: true, receives };
        let groups = [["root@a", "d"], ["c", "e"]].map(|group| group.map(String::from).to_vec()).to_vec();
        assert_eq!(told(slow(way("root@a", "c").on(None))), of("ac", "b"));
        assert_eq!(told(slow(way("root@a", "root@b").on(Some("cluster")))), of("ab", "c"));
        assert_eq!(told(slow(host(false).on(None))), of("c", "ab"));
        assert_eq!(told(slow(host(true).on(None))), of("abc", ""));
        assert_eq!(told(slow(NetworkPart::Uplink(groups).on(None))), of("ac", "b"));
        assert_eq!(told(slow(NetworkPart::Whole.on(None))), of("abc", ""));
        assert_eq!(told(slow(Subject::Osd(1))), of("", "abc"));
    }
}
