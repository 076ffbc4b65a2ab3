//! Facts for the tests of rules: a healthy cluster, and ways to make one thing of it different.

use super::{Case, Rule, Suspect, facts};
use judge::assess;
pub use model::facts::ClusterFacts;
use model::facts::{
    Balancer, BlockQueue, Bucket, ClientRelease, CrushRule, DaemonProcess, Facts, FileClient, FileClientKind,
    FileMount, FileSystem, Guest, HealthCheck, HostSetup, IdleState, ImageFacts, MetadataServer, MonitorFacts,
    NicSetup, OsdFacts, PoolFacts, SetOption, Tunables, Version,
};
use model::{Observation, Record};
use std::collections::BTreeMap;

pub const NOBODY: [&str; 0] = [];

const GIB: u64 = 1 << 30;
const TIB: u64 = 1 << 40;

/// Who is suspected by the rule, in the healthy cluster of which this was changed.
pub fn told(rule: &Rule, change: impl FnOnce(&mut Facts)) -> Vec<String> {
    suspects(rule, change).into_iter().map(|suspect| suspect.subject.to_string()).collect()
}

/// The same, with all that is said of them.
pub fn suspects(rule: &Rule, change: impl FnOnce(&mut Facts)) -> Vec<Suspect> {
    let mut facts = healthy();
    change(&mut facts);
    let record = Record::default().with(Observation::Facts(Box::new(facts)));
    let assessed = assess(&record);
    let case = &Case::of(&assessed);
    if !facts::holds(rule, case) {
        return Vec::new();
    }
    (rule.suspect)(case)
}

/// Whom the rule suspects by this record.
pub fn told_of(rule: &Rule, record: Record) -> Vec<String> {
    let assessed = assess(&record);
    (rule.suspect)(&Case::of(&assessed)).into_iter().map(|suspect| suspect.subject.to_string()).collect()
}

/// Three hosts with two OSDs on NVMe each, a pool of images, and nothing going on; all that rules read is known.
pub fn healthy() -> Facts {
    let hosts = ["a", "b", "c"];
    let osds = (0..6).map(|id| osd(id, hosts[id as usize / 2]));
    let states = BTreeMap::from([("active+clean".to_string(), 256)]);
    let rule = CrushRule {
        name: "replicated_rule".into(),
        classes: vec![String::new()],
        root: Some("default".into()),
        domain: Some("host".into()),
        reaches: Some(BTreeMap::from([("ssd".to_string(), 6)])),
        ..CrushRule::default()
    };
    let bucket =
        |name: &str| Bucket { name: name.into(), kind: "host".into(), weight: 7.0, algorithm: "straw2".into() };
    let versions = ["mon", "mgr", "osd"].map(|kind| (kind.to_string(), vec![(Version(18, 2, 4), 3)]));
    let cluster = ClusterFacts {
        fsid: Some("f".into()),
        lab: false,
        versions: Some(BTreeMap::from(versions)),
        require_osd_release: Some("reef".into()),
        require_min_client: Some("luminous".into()),
        nearfull: Some(0.85),
        osds: Some(osds.collect()),
        pools: Some(vec![pool("vms")]),
        images: Some(vec![image()]),
        options: Some(vec![]),
        flags: Some(vec![]),
        part_flags: Some(vec![]),
        health: Some(vec![]),
        groups: Some(states),
        misplaced: Some(0),
        degraded: Some(0),
        recovering_bytes_per_second: Some(0),
        balancer: Some(Balancer { active: true, mode: "upmap".into() }),
        autoscaling: Some(vec![]),
        progress: Some(vec![]),
        monitors: Some(MonitorFacts { known: 3, in_quorum: 3, clock_skew: Some(0.001), on_rotating: Some(vec![]) }),
        manager_modules: Some(vec![]),
        crush_rules: Some(vec![rule]),
        buckets: Some(hosts.map(bucket).to_vec()),
        tunables: Some(Tunables { profile: Some("jewel".into()), optimal: Some(true), legacy: Some(false) }),
        file_systems: Some(vec![]),
        gateways: Some(BTreeMap::new()),
        clients: Some(vec![ClientRelease { release: "luminous".into(), number: 3 }]),
        metadata_servers: Some(vec![]),
        bucket_indexes: Some(vec![]),
    };
    Facts { cluster, hosts: hosts.map(host).to_vec(), left_out: vec![] }
}

/// Of a guest, with a snapshot of last night.
fn image() -> ImageFacts {
    ImageFacts {
        pool: "vms".into(),
        name: "disk".into(),
        overlap: Some(0),
        snapshots: Some(1),
        newest_snapshot_seconds: Some(40_000.0),
        writers: Some(0),
    }
}

/// The image that is measured.
pub fn the_image(facts: &mut Facts, change: impl Fn(&mut ImageFacts)) {
    facts.cluster.images.iter_mut().flatten().for_each(change);
}

fn osd(id: u32, host: &str) -> OsdFacts {
    let disk = format!("nvme{}n1", id % 2);
    OsdFacts {
        id,
        host: host.into(),
        class: Some("ssd".into()),
        up: Some(true),
        inside: Some(true),
        reweight: Some(1.0),
        crush_weight: Some(3.5),
        primary_affinity: Some(1.0),
        used: Some(0.4),
        bytes: Some(3 * TIB),
        groups: Some(128),
        primaries: Some(43),
        laggy: Some(0.0),
        down_before: None,
        public_address: Some(format!("10.0.0.{}", host.as_bytes()[0])),
        cluster_address: Some(format!("10.0.0.{}", host.as_bytes()[0])),
        version: Some(Version(18, 2, 4)),
        created_by: Some(Version(18, 2, 4)),
        store: Some("bluestore".into()),
        rotational: Some(false),
        journal_rotational: Some(false),
        taken_for: Some("ssd".into()),
        devices: vec![disk.clone()],
        data_devices: vec![disk.clone()],
        db_devices: vec![],
        wal_devices: vec![],
        models: vec![(disk, "MODEL".into())],
        min_alloc: Some(4096),
        optimal_io: Some(4096),
        dedicated_db: Some(false),
        dedicated_wal: Some(false),
        db_bytes: None,
        wal_bytes: None,
        db_rotational: None,
        driver: Some("KernelDevice".into()),
        osd_type: Some("classic".into()),
        data: Some(format!("/var/lib/ceph/osd/ceph-{id}")),
        kernel: Some("6.8.0".into()),
        distribution: Some("centos".into()),
        container: Some(true),
        processor: Some("CPU".into()),
        memory: Some(256 * GIB),
        swap: Some(0),
        numa_node: None,
        network_numa_node: None,
        store_numa_node: None,
    }
}

pub fn pool(name: &str) -> PoolFacts {
    PoolFacts {
        id: 1,
        name: name.into(),
        erasure: Some(false),
        size: Some(3),
        min_size: Some(2),
        pg_num: Some(256),
        pgp_num: Some(256),
        pg_num_target: Some(256),
        pgp_num_target: Some(256),
        autoscale: Some("on".into()),
        flags: vec!["hashpspool".into(), "bulk".into()],
        applications: vec!["rbd".into()],
        crush_rule: Some(0),
        fast_read: Some(false),
        stored: Some(TIB),
        objects: Some(262_144),
        used: Some(0.3),
        ..PoolFacts::default()
    }
}

fn host(name: &str) -> HostSetup {
    let disk = |number: u32| BlockQueue {
        name: format!("nvme{number}n1"),
        model: Some("MODEL".into()),
        firmware: Some("1.0".into()),
        rotational: Some(false),
        scheduler: Some("none".into()),
        write_cache: Some("write through".into()),
        optimal_io: Some(4096),
        physical_block: Some(4096),
        zoned: Some("none".into()),
        bytes: Some(3 * TIB),
        link: Some((16.0, 4)),
        link_most: Some((16.0, 4)),
        ..BlockQueue::default()
    };
    let nic = NicSetup {
        name: "eth0".into(),
        physical: true,
        up: Some(true),
        megabits: Some(25_000),
        duplex: Some("full".into()),
        mtu: Some(9000),
        link: Some((8.0, 8)),
        link_most: Some((8.0, 8)),
        addresses: vec![format!("10.0.0.{}", name.as_bytes()[0])],
        ..NicSetup::default()
    };
    let first = 2 * u32::from(name.as_bytes()[0] - b'a');
    let daemon = |id: u32| DaemonProcess {
        name: format!("osd.{id}"),
        processors: Some(32),
        allocator: Some("tcmalloc".into()),
        thread_cache: Some(128 << 20),
        open_files: Some(1_048_576),
        replaced: Some(false),
        ..DaemonProcess::default()
    };
    HostSetup {
        name: name.into(),
        kernel: Some("6.8.0".into()),
        command_line: Some("root=/dev/sda quiet iommu=pt".into()),
        virtual_machine: Some(false),
        processor: Some("CPU".into()),
        cores: Some(32),
        threads_per_core: Some("on".into()),
        governors: vec!["performance".into()],
        frequency_driver: Some("acpi-cpufreq".into()),
        energy_preferences: vec!["performance".into()],
        idle_states: vec![IdleState { name: "C1".into(), exit_us: Some(1), disabled: Some(false) }],
        numa_nodes: Some(1),
        memory: Some(256 * GIB),
        swap: Some(0),
        huge_pages: Some("madvise".into()),
        clock_source: Some("tsc".into()),
        clock_sources: vec!["tsc".into(), "hpet".into()],
        sysctls: [
            ("fs.aio-max-nr", "1048576"),
            ("fs.aio-nr", "2048"),
            ("kernel.pid_max", "4194304"),
            ("vm.swappiness", "10"),
        ]
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .into(),
        tuned: Some("network-latency".into()),
        raid_controllers: Some(vec![]),
        disks: vec![disk(0), disk(1)],
        nics: vec![nic],
        daemons: vec![daemon(first), daemon(first + 1)],
        stolen: None,
        guests: Some(vec![]),
        file_mounts: Some(vec![]),
    }
}

// What a test makes different.

/// Somebody set it in the monitors' database.
pub fn set(facts: &mut Facts, who: &str, name: &str, value: &str) {
    let option = SetOption { who: who.into(), name: name.into(), value: value.into(), ..SetOption::default() };
    facts.cluster.options.get_or_insert_default().push(option);
}

/// Somebody set it closer to the daemon: `file`, `env`, `cmdline`, `override`.
pub fn set_closer(facts: &mut Facts, who: &str, name: &str, value: &str, origin: &str) {
    set(facts, who, name, value);
    facts.cluster.options.iter_mut().flatten().last().into_iter().for_each(|own| own.origin = Some(origin.into()));
}

pub fn check(facts: &mut Facts, id: &str) {
    let check = HealthCheck { id: id.into(), severity: "HEALTH_WARN".into(), says: "1 of it".into(), muted: false };
    facts.cluster.health.get_or_insert_default().push(check);
}

pub fn groups(facts: &mut Facts, state: &str) {
    facts.cluster.groups.get_or_insert_default().insert(state.into(), 3);
}

pub fn flag(facts: &mut Facts, name: &str) {
    facts.cluster.flags.get_or_insert_default().push(name.into());
}

pub fn each_osd(facts: &mut Facts, change: impl Fn(&mut OsdFacts)) {
    facts.cluster.osds.iter_mut().flatten().for_each(change);
}

/// osd.1 alone.
pub fn one_osd(facts: &mut Facts, change: impl Fn(&mut OsdFacts)) {
    facts.cluster.osds.iter_mut().flatten().filter(|osd| osd.id == 1).for_each(change);
}

/// Hard disks in place of NVMe.
pub fn hard_disks(facts: &mut Facts) {
    each_osd(facts, |osd| {
        osd.data_devices = vec![format!("sd{}", if osd.id % 2 == 0 { "a" } else { "b" })];
        osd.devices = osd.data_devices.clone();
        (osd.rotational, osd.journal_rotational) = (Some(true), Some(true));
        (osd.class, osd.taken_for) = (Some("hdd".into()), Some("hdd".into()));
        osd.models = vec![(osd.devices[0].clone(), "MODEL".into())];
    });
    each_disk(facts, |disk| {
        disk.name = if disk.name == "nvme0n1" { "sda".into() } else { "sdb".into() };
        (disk.rotational, disk.scheduler, disk.link, disk.link_most) =
            (Some(true), Some("mq-deadline".into()), None, None);
        disk.queue_depth = Some(32);
    });
}

/// Flash behind SATA in place of NVMe.
pub fn sata_flash(facts: &mut Facts) {
    hard_disks(facts);
    each_osd(facts, |osd| {
        (osd.rotational, osd.journal_rotational) = (Some(false), Some(false));
        (osd.class, osd.taken_for) = (Some("ssd".into()), Some("ssd".into()));
    });
    each_disk(facts, |disk| disk.rotational = Some(false));
}

pub fn release(facts: &mut Facts, major: u32, minor: u32, patch: u32) {
    let version = Version(major, minor, patch);
    each_osd(facts, |osd| (osd.version, osd.created_by) = (Some(version), Some(version)));
    facts.cluster.versions.iter_mut().flatten().for_each(|(_, all)| *all = vec![(version, 3)]);
    let names = ["nautilus", "octopus", "pacific", "quincy", "reef", "squid", "tentacle"];
    facts.cluster.require_osd_release = names.get(major as usize - 14).map(|name| name.to_string());
}

pub fn the_pool(facts: &mut Facts, change: impl Fn(&mut PoolFacts)) {
    facts.cluster.pools.iter_mut().flatten().for_each(change);
}

/// The CRUSH rule of all pools.
pub fn the_rule(facts: &mut Facts, change: impl Fn(&mut CrushRule)) {
    facts.cluster.crush_rules.iter_mut().flatten().for_each(change);
}

/// An erasure-coded pool in place of the replicated one.
pub fn coded(facts: &mut Facts, k: u32, m: u32, plugin: &str) {
    the_pool(facts, |pool| {
        (pool.erasure, pool.size, pool.min_size) = (Some(true), Some(k + m), Some(k + 1));
        let fields = [("k", k.to_string()), ("m", m.to_string()), ("plugin", plugin.to_string())];
        pool.profile = fields.map(|(name, value)| (name.to_string(), value)).into();
        pool.stripe_width = Some(u64::from(k) * 4096);
    });
}

/// A second pool.
pub fn and_pool(facts: &mut Facts, name: &str, change: impl Fn(&mut PoolFacts)) {
    let mut more = PoolFacts { id: 2, ..pool(name) };
    change(&mut more);
    facts.cluster.pools.get_or_insert_default().push(more);
}

/// Host b alone.
pub fn one_host(facts: &mut Facts, change: impl Fn(&mut HostSetup)) {
    facts.hosts.iter_mut().filter(|host| host.name == "b").for_each(change);
}

pub fn each_disk(facts: &mut Facts, change: impl Fn(&mut BlockQueue)) {
    facts.hosts.iter_mut().flat_map(|host| &mut host.disks).for_each(change);
}

/// The first disk of host b alone.
pub fn one_disk(facts: &mut Facts, change: impl Fn(&mut BlockQueue)) {
    facts.hosts.iter_mut().filter(|host| host.name == "b").flat_map(|host| host.disks.first_mut()).for_each(change);
}

/// The interface of host b alone.
pub fn one_nic(facts: &mut Facts, change: impl Fn(&mut NicSetup)) {
    facts.hosts.iter_mut().filter(|host| host.name == "b").flat_map(|host| &mut host.nics).for_each(change);
}

pub fn each_nic(facts: &mut Facts, change: impl Fn(&mut NicSetup)) {
    facts.hosts.iter_mut().flat_map(|host| &mut host.nics).for_each(change);
}

pub fn each_daemon(facts: &mut Facts, change: impl Fn(&mut DaemonProcess)) {
    facts.hosts.iter_mut().flat_map(|host| &mut host.daemons).for_each(change);
}

/// Of two legs, of which the second may be down.
pub fn bond(whole: bool) -> model::Bond {
    let leg = |name: &str, up| model::Leg { name: name.into(), up, ..model::Leg::default() };
    let legs = vec![leg("eth1", true), leg("eth2", whole)];
    model::Bond { mode: "802.3ad".into(), spread: Some("layer3+4".into()), legs }
}

/// A file system with its pools: number 1 for data, number 2 for metadata.
pub fn file_system(facts: &mut Facts, change: impl Fn(&mut FileSystem)) {
    and_pool(facts, "meta", |pool| pool.applications = vec!["cephfs".into()]);
    let mut system = FileSystem {
        name: "home".into(),
        metadata_pool: Some(2),
        data_pools: vec![1],
        ranks: Some(1),
        ranks_wanted: Some(1),
        standbys: Some(1),
        flags: vec![],
    };
    change(&mut system);
    facts.cluster.file_systems = Some(vec![system]);
}

/// A file system whose metadata server has room, and one client by the kernel; nothing waits.
pub fn metadata_server(facts: &mut Facts, change: impl Fn(&mut MetadataServer)) {
    file_system(facts, |_| ());
    let client = FileClient {
        name: "client.5".into(),
        host: Some("web".into()),
        caps: Some(2_000),
        kind: FileClientKind::Kernel,
    };
    let mut server = MetadataServer {
        name: "mds.a".into(),
        cache: Some(1 << 30),
        cache_limit: Some(4 << 30),
        clients: Some(vec![client]),
        waiting: Some(vec![]),
    };
    change(&mut server);
    facts.cluster.metadata_servers = Some(vec![server]);
}

/// A virtual machine on host b with two disks by virtio, each with its thread, and four processors.
pub fn guest(facts: &mut Facts, change: impl Fn(&mut Guest)) {
    let mut own = Guest {
        name: "db".into(),
        disks: vec!["virtio-blk-pci".into(), "virtio-blk-pci".into()],
        caches: vec!["none".into(), "none".into()],
        own_threads: 2,
        processors: Some(4),
        ..Guest::default()
    };
    change(&mut own);
    one_host(facts, |host| host.guests = Some(vec![own.clone()]));
}

/// A CephFS that the kernel of host b has mounted with these options.
pub fn file_mount(facts: &mut Facts, at: &str, options: &[&str]) {
    let options: Vec<String> = options.iter().map(|option| option.to_string()).collect();
    one_host(facts, |host| {
        let own = FileMount { at: at.into(), options: options.clone() };
        host.file_mounts.get_or_insert_default().push(own);
    });
}

/// An object gateway that says this of itself.
pub fn gateway(facts: &mut Facts, name: &str, says: &[(&str, &str)]) {
    let says = says.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    facts.cluster.gateways.get_or_insert_default().insert(name.into(), says);
}

/// Nothing is known of the hosts.
pub fn no_hosts(facts: &mut Facts) {
    facts.hosts.clear();
}

#[test]
fn a_healthy_cluster_gives_no_hint_by_any_rule() {
    let found = super::audit(healthy());
    let told: Vec<_> = found.hints.iter().map(|hint| (&hint.finding.id, hint.finding.target())).collect();
    assert_eq!(told, []);
    assert_eq!(found.not_looked, []);
    assert_eq!(found.looked as usize, super::RULES.iter().filter(|rule| rule.of_facts()).count());
}

#[test]
fn where_nothing_is_known_nobody_is_suspected_and_every_rule_says_what_it_lacks() {
    let found = super::audit(Facts::default());
    assert_eq!((found.hints, found.looked), (vec![], 0));
    let lacking: usize = found.not_looked.iter().map(|one| one.rules.len()).sum();
    assert_eq!(lacking, super::RULES.iter().filter(|rule| rule.of_facts()).count());
}

#[test]
fn where_only_names_are_known_nobody_is_suspected() {
    let mut facts = healthy();
    let osds = facts.cluster.osds.iter().flatten();
    facts.cluster.osds =
        Some(osds.map(|osd| OsdFacts { id: osd.id, host: osd.host.clone(), ..OsdFacts::default() }).collect());
    facts.cluster.pools = Some(vec![PoolFacts { id: 1, name: "vms".into(), ..PoolFacts::default() }]);
    facts.hosts = facts
        .hosts
        .iter()
        .map(|host| HostSetup { name: host.name.clone(), daemons: host.daemons.clone(), ..HostSetup::default() })
        .collect();
    let told: Vec<_> = super::audit(facts).hints.into_iter().map(|hint| hint.finding.id).collect();
    assert_eq!(told, [""; 0]);
}
