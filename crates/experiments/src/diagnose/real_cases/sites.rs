//! Made sites: healthy clusters of any size and kind of disk, and what was counted on their hosts under load.

use crate::diagnose::testing::made::{Made, pool as loaded_pool};
use crate::diagnose::testing_facts::{each_osd, flag, healthy, set};
use model::facts::{BlockQueue, Bucket, DaemonProcess, Facts, Version};
use model::{Diagnosis, HostSecond, HostSeconds, Observation, Observed, Pattern, PlannedExperiment, Record, StepId};
use std::collections::BTreeMap;

#[derive(Clone, Copy, PartialEq)]
pub enum Media {
    Nvme,
    SataFlash,
    HardDisk,
    /// The database on a flash drive behind SATA, one for each host.
    HardDiskAndFlash,
}

/// A cluster of this many hosts with this many OSDs each, one on each disk; all else as in the healthy cluster.
pub fn site(hosts: u32, disks: u32, media: Media) -> Facts {
    let mut facts = healthy();
    let host = facts.hosts.swap_remove(0);
    let osd = facts.cluster.osds.take().unwrap_or_default().swap_remove(0);
    let bucket = facts.cluster.buckets.take().unwrap_or_default().swap_remove(0);
    let ids = |number: u32| (0..disks).map(move |disk| (number * disks + disk, disk));
    facts.hosts = (0..hosts)
        .map(|number| {
            let mut own = host.clone();
            own.name = format!("host{number}");
            own.nics[0].addresses = vec![address(number)];
            own.daemons = ids(number)
                .map(|(id, _)| DaemonProcess { name: format!("osd.{id}"), ..host.daemons[0].clone() })
                .collect();
            own.disks = (0..disks).map(|disk| block_queue(&host.disks[0], disk, media)).collect();
            if media == Media::HardDiskAndFlash {
                own.disks.push(block_queue(&host.disks[0], disks, Media::SataFlash));
            }
            own
        })
        .collect();
    let osds = (0..hosts).flat_map(|number| ids(number).map(move |(id, disk)| (number, id, disk)));
    let osds = osds.map(|(number, id, disk)| {
        let mut own = osd.clone();
        (own.id, own.host, own.data) = (id, format!("host{number}"), Some(format!("/var/lib/ceph/osd/ceph-{id}")));
        (own.public_address, own.cluster_address) = (Some(address(number)), Some(address(number)));
        own.data_devices = vec![disk_name(disk, media)];
        own.devices = own.data_devices.clone();
        own.models = vec![(disk_name(disk, media), "MODEL".into())];
        let rotates = matches!(media, Media::HardDisk | Media::HardDiskAndFlash);
        (own.rotational, own.journal_rotational) = (Some(rotates), Some(media == Media::HardDisk));
        let class = if rotates { "hdd" } else { "ssd" };
        (own.class, own.taken_for) = (Some(class.into()), Some(class.into()));
        if media == Media::HardDiskAndFlash {
            own.devices.push(disk_name(disks, media));
            (own.dedicated_db, own.db_rotational, own.db_bytes) = (Some(true), Some(false), Some(128 << 30));
        }
        own
    });
    facts.cluster.osds = Some(osds.collect());
    let count = hosts * disks;
    facts.cluster.buckets = Some(
        (0..hosts)
            .map(|number| Bucket { name: format!("host{number}"), weight: 3.5 * f64::from(disks), ..bucket.clone() })
            .collect(),
    );
    let class = if matches!(media, Media::HardDisk | Media::HardDiskAndFlash) { "hdd" } else { "ssd" };
    for rule in facts.cluster.crush_rules.iter_mut().flatten() {
        rule.reaches = Some(BTreeMap::from([(class.to_string(), count)]));
    }
    let groups = (count * 100 / 3).next_power_of_two();
    for pool in facts.cluster.pools.iter_mut().flatten() {
        (pool.pg_num, pool.pgp_num) = (Some(groups), Some(groups));
        (pool.pg_num_target, pool.pgp_num_target) = (Some(groups), Some(groups));
    }
    facts.cluster.groups = Some(BTreeMap::from([("active+clean".to_string(), groups)]));
    facts
}

fn address(host: u32) -> String {
    format!("10.0.{}.{}", host / 200, host % 200 + 1)
}

fn disk_name(disk: u32, media: Media) -> String {
    let letter = |number: u32| char::from(b'a' + number as u8);
    match (media, disk) {
        (Media::Nvme, _) => format!("nvme{disk}n1"),
        (_, 0..26) => format!("sd{}", letter(disk)),
        _ => format!("sd{}{}", letter(disk / 26 - 1), letter(disk % 26)),
    }
}

fn block_queue(like: &BlockQueue, disk: u32, media: Media) -> BlockQueue {
    let mut own = BlockQueue { name: disk_name(disk, media), ..like.clone() };
    if media != Media::Nvme {
        (own.scheduler, own.link, own.link_most) = (Some("mq-deadline".into()), None, None);
        own.queue_depth = Some(32);
        own.rotational = Some(media != Media::SataFlash);
    }
    if matches!(media, Media::HardDisk | Media::HardDiskAndFlash) {
        own.model = Some("DISK".into());
    }
    own
}

pub fn release(facts: &mut Facts, version: Version, name: &str) {
    each_osd(facts, |osd| (osd.version, osd.created_by) = (Some(version), Some(version)));
    facts.cluster.versions.iter_mut().flatten().for_each(|(_, all)| *all = vec![(version, 3)]);
    facts.cluster.require_osd_release = Some(name.into());
}

/// Packages of this distribution, without containers.
pub fn packages(facts: &mut Facts, distribution: &str) {
    each_osd(facts, |osd| (osd.container, osd.distribution) = (Some(false), Some(distribution.into())));
}

/// What CBT does to a cluster before it measures: no scrubs, no autoscaler, no balancer, 8 GiB for each OSD.
pub fn for_benchmarks(facts: &mut Facts) {
    ["noscrub", "nodeep-scrub"].iter().for_each(|name| flag(facts, name));
    facts.cluster.balancer.iter_mut().for_each(|balancer| balancer.active = false);
    facts.cluster.pools.iter_mut().flatten().for_each(|pool| pool.autoscale = Some("off".into()));
    set(facts, "osd", "osd_memory_target", "8589934592");
}

/// A run that looks for causes there: what each host counted, second by second, while a pool was written.
pub fn under_load(facts: Facts, counted: impl Fn(&str) -> HostSecond) -> Record {
    let hosts: Vec<String> = facts.hosts.iter().map(|host| host.name.clone()).collect();
    let mut made = Made::cluster();
    made.record.plan.experiment = PlannedExperiment::Diagnosis(Diagnosis::default());
    made.measured(Pattern::WriteParallel, loaded_pool(), 20.0);
    let step = StepId(made.record.plan.steps.len() as u32 - 1);
    let seconds = |host: &String| HostSeconds {
        host: host.clone(),
        seconds: (1..=8).map(|at| HostSecond { at: f64::from(at), seconds: 1.0, ..counted(host) }).collect(),
        ..HostSeconds::default()
    };
    let observed = Observed { step, pass: 1, hosts: hosts.iter().map(seconds).collect() };
    let record = made.record.with(Observation::Facts(Box::new(facts)));
    record.with(Observation::Hosts(observed))
}
