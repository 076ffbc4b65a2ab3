//! A disk of an OSD whose operations wait longer than those of its peers while all are loaded.

use crate::diagnose::{Area, Case, Matters, Rule, Source, Suspect, Tried};
use judge::median;
use model::{DiskSecond, HostLoad, Metric, Phrase, Quantity, Standing, StepId, Subject, phrase};
use std::collections::BTreeMap;

pub static RULE: Rule = Rule {
    id: "disk-outlier",
    about: Area::Device,
    what: "Operations of one disk wait far longer than those of other disks of its model, under the same load.",
    why: "Every pool that has a copy on it waits for it. In a lab with 60 NVMe drives one had high waits in writes and none in reads, some others a little; new firmware brought 4 KiB and 128 KiB \
          random writes of the whole cluster back to what was expected.",
    evidence: "While Ceph was loaded, the kernel's mean wait of a disk's writes, or of its reads, was at least three times the median of at least four other disks of OSDs of its model, and 0.5 ms more; \
               and it had no more than one and a half times their operations.",
    sources: &["ceph.io blog, 2023: reef-freeze-rbd-performance", "thresholds are our proposal"],
    needs: &[Source::HostLoads],
    suspect,
    fix: "compare its firmware, SMART data, link and temperature with its peers'; newer firmware of the maker (nvme fw-download, nvme fw-commit), one host at a time; else replace it",
    risk: "a failed update of the firmware can make a drive useless",
    confirm: "take its OSD out of the load (ceph osd primary-affinity osd.N 0, or out), and measure again: do the pool's waits fall?",
    matters: Matters::Much,
    tried: Tried::Facts,
    ..Rule::USUAL
};

const TIMES: f64 = 3.0;
const MS_LEAST: f64 = 0.5;
const PEERS_LEAST: usize = 4;
/// By so much more operations it may wait by load alone.
const LOAD_MOST: f64 = 1.5;
/// So few a second tell nothing.
const RATE_LEAST: f64 = 10.0;
/// How many steps are told of a disk at most.
const TOLD: usize = 3;

struct Seen<'c> {
    host: &'c str,
    disk: &'c str,
    ms: f64,
    rate: f64,
    queue: f64,
}

fn suspect(case: &Case) -> Vec<Suspect> {
    let mut steps: BTreeMap<StepId, Vec<&HostLoad>> = BTreeMap::new();
    for load in case.host_loads.iter().filter(|load| load.layer.of_ceph()) {
        steps.entry(load.step).or_default().push(load);
    }
    let mut found: BTreeMap<(&str, &str), Vec<Phrase>> = BTreeMap::new();
    for loads in steps.values() {
        for (kind, of) in [("writes", written as Of), ("reads", read as Of)] {
            for peers in by_model(case, loads, of).values() {
                for (own, others) in slow(peers) {
                    let evidence = evidence(loads[0], kind, own, others, peers.len() - 1);
                    found.entry((own.host, own.disk)).or_default().push(evidence);
                }
            }
        }
    }
    found.into_iter().map(|((host, disk), evidence)| made(host, disk, evidence)).collect()
}

/// Mean wait in ms, and operations a second.
type Of = fn(&DiskSecond) -> Option<(f64, f64)>;

fn written(disk: &DiskSecond) -> Option<(f64, f64)> {
    Some((disk.write_ms?, disk.writes))
}

fn read(disk: &DiskSecond) -> Option<(f64, f64)> {
    Some((disk.read_ms?, disk.reads))
}

/// Disks with data of OSDs, by their model, or by the OSD's class.
fn by_model<'c>(case: &Case<'c>, loads: &[&'c HostLoad], of: Of) -> BTreeMap<&'c str, Vec<Seen<'c>>> {
    let mut models: BTreeMap<&str, Vec<Seen>> = BTreeMap::new();
    for load in loads {
        for disk in &load.mean.disks {
            let lies = |osd: &&model::facts::OsdFacts| {
                osd.host == load.host && osd.on_disks() && osd.data_devices.contains(&disk.name)
            };
            let Some(osd) = case.osds().iter().find(lies) else { continue };
            let Some((ms, rate)) = of(disk).filter(|(_, rate)| *rate >= RATE_LEAST) else { continue };
            let model = osd.models.iter().find(|(name, _)| *name == disk.name).map(|(_, model)| model.as_str());
            let model = model.or(osd.class.as_deref()).unwrap_or_default();
            let seen = Seen { host: &load.host, disk: &disk.name, ms, rate, queue: disk.queue };
            models.entry(model).or_default().push(seen);
        }
    }
    models
}

/// Those that wait, each with the median wait of all others.
fn slow<'s, 'c>(peers: &'s [Seen<'c>]) -> Vec<(&'s Seen<'c>, f64)> {
    let one = |(at, own): (usize, &'s Seen<'c>)| {
        let others = || peers.iter().enumerate().filter(move |(other, _)| *other != at).map(|(_, seen)| seen);
        if others().count() < PEERS_LEAST {
            return None;
        }
        let usual = median(&others().map(|seen| seen.ms).collect::<Vec<_>>());
        let load = median(&others().map(|seen| seen.rate).collect::<Vec<_>>());
        let waits = own.ms >= TIMES * usual && own.ms - usual >= MS_LEAST && own.rate <= LOAD_MOST * load;
        waits.then_some((own, usual))
    };
    peers.iter().enumerate().filter_map(one).collect()
}

fn evidence(load: &HostLoad, kind: &str, own: &Seen, usual: f64, others: usize) -> Phrase {
    let ms = |value: f64| Quantity::Value { value, metric: Metric::LatencyMean };
    phrase!(
        "{} {} {}: its {} wait {}, the median of {} others {}; {} in its queue",
        load.layer.name(),
        load.target.as_str(),
        load.pattern.name(),
        kind,
        ms(own.ms),
        Quantity::Count(others as u64),
        ms(usual),
        format!("{:.1}", own.queue)
    )
}

fn made(host: &str, disk: &str, evidence: Vec<Phrase>) -> Suspect {
    let subject = Subject::Disk { host: Some(host.to_string()), name: format!("{host}:/dev/{disk}") };
    let says = phrase!("{} lets operations wait far longer than its peers", subject.clone());
    let evidence = evidence.into_iter().take(TOLD).collect();
    Suspect { evidence, ..Suspect::new(subject, Standing::Hint, says, Phrase::default()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing::text;
    use crate::diagnose::testing_facts::healthy;
    use model::{HostSecond, Observation, Pattern, Record, testing};

    /// Six drives of three hosts; what one of their writes and reads waits, and how many there are.
    fn told(facts: model::Facts, of: impl Fn(&str, usize) -> (f64, f64, f64)) -> Vec<(String, String)> {
        let record = Record::default().with(Observation::Facts(Box::new(facts)));
        let disk = |host: &str, number: usize| {
            let (write_ms, read_ms, rate) = of(host, number);
            let (write_ms, read_ms) = (Some(write_ms), Some(read_ms));
            DiskSecond {
                name: format!("nvme{number}n1"),
                writes: rate,
                reads: rate,
                write_ms,
                read_ms,
                ..DiskSecond::default()
            }
        };
        let load = |host: &str| HostLoad {
            host: host.into(),
            step: StepId(0),
            layer: testing::pools(),
            target: "pool".into(),
            pattern: Pattern::WriteParallel,
            mean: HostSecond { disks: vec![disk(host, 0), disk(host, 1)], ..HostSecond::default() },
        };
        let host_loads = ["a", "b", "c"].map(load);
        let case =
            Case { record: &record, entries: &[], tests: &[], outliers: &[], host_loads: &host_loads, positions: None };
        suspect(&case).iter().map(|one| (one.subject.to_string(), text(&one.evidence[0]))).collect()
    }

    #[test]
    fn a_disk_that_waits_in_writes_alone_is_told() {
        let one = told(healthy(), |host, disk| (if (host, disk) == ("c", 1) { 4.0 } else { 0.1 }, 0.1, 5000.0));
        assert_eq!(one.len(), 1);
        assert!(one[0].0.contains("c:/dev/nvme1n1"), "{one:?}");
        assert!(one[0].1.starts_with("rados pool write-parallel: its writes wait 4"), "{one:?}");
    }

    #[test]
    fn disks_alike_a_busier_one_and_small_differences_are_not() {
        assert!(told(healthy(), |_, disk| (0.2 + 0.1 * disk as f64, 0.1, 5000.0)).is_empty());
        let busy = |host: &str| if host == "c" { 9000.0 } else { 5000.0 };
        assert!(told(healthy(), |host, _| (if host == "c" { 4.0 } else { 0.1 }, 0.1, busy(host))).is_empty());
        assert!(told(healthy(), |host, _| (if host == "c" { 0.4 } else { 0.1 }, 0.1, 5000.0)).is_empty());
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known_on_which_disks_osds_lie() {
        assert!(told(model::Facts::default(), |host, _| (if host == "c" { 4.0 } else { 0.1 }, 0.1, 5000.0)).is_empty());
    }
}
