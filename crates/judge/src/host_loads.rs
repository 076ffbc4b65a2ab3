//! What hosts' kernels counted while a step was measured, as means over its slices.

use crate::host_connections::connections;
use model::{
    DiskSecond, HostLoad, HostSecond, Interrupts, MdsSecond, NicSecond, OsdSecond, Pressure, Record, Step, StepId,
};
use std::collections::BTreeMap;

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
        interrupts: interrupts(all),
        metadata_servers: metadata_servers(all, long),
    }
}

/// Of each second the processor that had the most of them, and the number of the one that was it for the longest time.
fn interrupts(all: &[&HostSecond]) -> Option<Interrupts> {
    let known: Vec<(f64, Interrupts)> = all.iter().filter_map(|one| Some((one.seconds, one.interrupts?))).collect();
    let long: f64 = known.iter().map(|(seconds, _)| seconds).sum();
    let mut most: BTreeMap<u32, f64> = BTreeMap::new();
    known.iter().for_each(|(seconds, one)| *most.entry(one.processor).or_default() += seconds);
    let processor = most.into_iter().max_by(|(_, a), (_, b)| a.total_cmp(b)).filter(|_| long > 0.0)?.0;
    let over = |of: fn(&Interrupts) -> f64| known.iter().map(|(seconds, one)| of(one) * seconds).sum::<f64>() / long;
    Some(Interrupts {
        processor,
        processors: known.iter().map(|(_, one)| one.processors).max()?,
        share: over(|one| one.share),
        idle: over(|one| one.idle),
        others_share: over(|one| one.others_share),
        others_idle: over(|one| one.others_idle),
    })
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
    let mut seen: BTreeMap<u32, Vec<(f64, &OsdSecond)>> = BTreeMap::new();
    for one in all {
        one.osds.iter().for_each(|osd| seen.entry(osd.osd).or_default().push((one.seconds, osd)));
    }
    let osd = |(osd, own): (u32, Vec<(f64, &OsdSecond)>)| OsdSecond {
        osd,
        threads: processors(&own, |osd| &osd.threads, long),
        busiest: processors(&own, |osd| &osd.busiest, long),
        connections: connections(own.iter().filter_map(|(_, osd)| osd.connections.as_ref())),
    };
    seen.into_iter().map(osd).collect()
}

fn metadata_servers(all: &[&HostSecond], long: f64) -> Vec<MdsSecond> {
    let mds = |(name, own): (&str, Vec<(f64, &MdsSecond)>)| MdsSecond {
        name: name.to_string(),
        threads: processors(&own, |mds| &mds.threads, long),
    };
    by_name(all, |one| &one.metadata_servers, |mds| &mds.name).into_iter().map(mds).collect()
}

/// By kind of thread; one that did nothing was seen to do nothing.
fn processors<T>(own: &[(f64, &T)], of: fn(&T) -> &BTreeMap<String, f64>, long: f64) -> BTreeMap<String, f64> {
    let mut used: BTreeMap<String, f64> = BTreeMap::new();
    for (seconds, one) in own {
        for (kind, processors) in of(one) {
            *used.entry(kind.clone()).or_default() += processors * seconds / long;
        }
    }
    used
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
    fn the_busiest_thread_of_a_kind_is_averaged_as_the_kind_is() {
        let second = |seconds: f64, threads: f64, busiest: f64| {
            let of = |used| [("msgr-worker".to_string(), used)].into();
            let osd = OsdSecond { osd: 3, threads: of(threads), busiest: of(busiest), connections: None };
            HostSecond { seconds, osds: vec![osd], ..HostSecond::default() }
        };
        let idle = OsdSecond { osd: 3, ..OsdSecond::default() };
        let idle = HostSecond { seconds: 1.0, osds: vec![idle], ..HostSecond::default() };
        let mean = mean(&[&second(1.0, 2.0, 1.0), &second(2.0, 1.0, 0.5), &idle]);
        let [osd] = mean.osds.as_slice() else { panic!("{:?}", mean.osds) };
        assert_eq!((osd.threads["msgr-worker"], osd.busiest_thread()), (1.0, Some(("msgr-worker", 0.5))));
        assert_eq!((&osd.connections, mean.interrupts), (&None, None));
    }

    #[test]
    fn what_a_metadata_server_used_is_averaged_over_all_seconds() {
        let second = |seconds: f64, used: f64| {
            let threads = [("ms_dispatch".to_string(), used)].into();
            let metadata_servers = vec![MdsSecond { name: "mds.a".into(), threads }];
            HostSecond { seconds, metadata_servers, ..HostSecond::default() }
        };
        let mean = mean(&[&second(1.0, 1.0), &second(3.0, 0.6)]);
        let [mds] = mean.metadata_servers.as_slice() else { panic!("{:?}", mean.metadata_servers) };
        assert!((mds.processors() - 0.7).abs() < 1e-9, "{mds:?}");
    }

    #[test]
    fn the_processor_that_was_interrupted_most_for_the_longest_time_is_named() {
        let second = |seconds: f64, processor: u32, share: f64| {
            let interrupts = Interrupts { processor, processors: 8, share, others_share: 0.1, ..Interrupts::default() };
            HostSecond { seconds, interrupts: Some(interrupts), ..HostSecond::default() }
        };
        let unknown = HostSecond { seconds: 9.0, ..HostSecond::default() };
        let found =
            mean(&[&second(1.0, 2, 1.0), &second(2.0, 5, 0.9), &second(1.0, 2, 0.8), &second(1.0, 5, 0.9), &unknown]);
        let found = found.interrupts.unwrap();
        assert_eq!((found.processor, found.processors), (5, 8));
        assert!((found.share - 0.9).abs() < 1e-9 && (found.others_share - 0.1).abs() < 1e-9, "{found:?}");
    }
}
