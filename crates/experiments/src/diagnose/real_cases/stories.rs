//! The stories: what each tells of its site, and what a rule should tell there.

use super::sites::{Media, for_benchmarks, packages, release, site, under_load};
use super::{Cause, Claim, Site, Story};
use crate::diagnose::testing_facts::{check, each_daemon, each_disk, each_osd, gateway, groups, set, the_pool};
use model::facts::{DaemonProcess, Facts, Guest, HostSetup, IdleState, Version};
use model::{DiskSecond, HostSecond};

const CLYSO: &str = "Clyso, \"Ceph: A Journey to 1 TiB/s\" (ceph.io blog, 2024: ceph-a-journey-to-1tibps)";

pub static ALL: &[Story] = &[
    Story {
        name: "IOMMU: eight OSDs of a host slower than one",
        published: "a lock of the IOMMU; without it 5,716 MB/s of one OSD no longer fell to 523, and 68 hosts did 1 TiB/s",
        source: CLYSO,
        read: "AMD EPYC, eight NVMe drives a host in IOMMU groups of the kind DMA, no iommu= on the kernel's command line",
        site: |cause| Site::Facts(clyso(cause == Cause::There, true)),
        rules: &["kern-iommu"],
        claim: Claim::First,
    },
    Story {
        name: "Idle states on the same cluster",
        published: "the BIOS was not in its profile for performance: 10 to 20 %",
        source: CLYSO,
        read: "an idle state that takes 800 µs to leave; the IOMMU and the packages of the cases before and after this one as well, since all three were there at once",
        site: |cause| Site::Facts(clyso(true, cause == Cause::There)),
        rules: &["cpu-cstate-wakeup"],
        claim: Claim::Later(
            "it is told after `kern-iommu` and `osd-rocksdb-debug-build`, which were there too and cost more",
        ),
    },
    Story {
        name: "RocksDB built without optimisation",
        published: "packages for Ubuntu whose build left it out: with a rebuilt one compaction takes a third of the time, and there are twice the small writes",
        source: "Clyso, as before; ceph.io blog, 2024: silver-bullet-rocksdb-performance",
        read: "17.2.7 on Ubuntu outside of containers (the two causes before it mended)",
        site: |cause| {
            let mut facts = clyso(false, false);
            if cause == Cause::Mended {
                release(&mut facts, Version(17, 2, 8), "quincy");
            }
            Site::Facts(facts)
        },
        rules: &["osd-rocksdb-debug-build"],
        claim: Claim::First,
    },
    Story {
        name: "Laggy placement groups at 504 writers",
        published: "acknowledgements of leases starved in the messenger's threads: writes fell from 270 to 1.7 GiB/s until the load ended",
        source: CLYSO,
        read: "1,651 placement groups laggy, operations that wait; scrubs switched off by flags. That the packages were rebuilt meanwhile is not told by their version",
        site: |cause| {
            let mut facts = clyso(false, false);
            if cause == Cause::There {
                facts.cluster.groups.get_or_insert_default().insert("active+clean+laggy".into(), 1651);
                groups(&mut facts, "active+clean+wait");
                check(&mut facts, "SLOW_OPS");
            }
            Site::Facts(facts)
        },
        rules: &["st-laggy"],
        claim: Claim::First,
    },
    Story {
        name: "Old firmware of NVMe drives",
        published: "one drive of 60 with high waits in writes, others with some; the maker's new firmware brought small random writes back to what was expected",
        source: "ceph.io blog, 2023: reef-freeze-rbd-performance",
        read: "under load: waits and queues of every drive, in writes and in reads",
        site: |cause| Site::UnderLoad(under_load(mako(), move |host| drives(host, cause))),
        rules: &["disk-outlier"],
        claim: Claim::InPart("the drive is named, but not that its firmware is why: all had the same"),
    },
    Story {
        name: "Write caches in a cluster with journals on flash",
        published: "hard disks that use their cache on the platter only with the volatile one off: 59 durable writes a second of a virtual machine became 405; that of the flash made no difference",
        source: "Vitaliy Filippov, \"Ceph performance\" (yourcmc wiki)",
        read: "the kernel takes the caches of hard disks and of flash for write back",
        site: |cause| Site::Facts(caches(site(4, 6, Media::HardDiskAndFlash), cause)),
        rules: &["disk-hdd-cache-on"],
        claim: Claim::First,
    },
    Story {
        name: "Flash with capacitors behind SATA, its cache on",
        published: "each flush went to the flash: 288 durable writes a second became 18,100; of another model 659 became 25,100",
        source: "Vitaliy Filippov, \"Ceph performance\" (yourcmc wiki)",
        read: "the kernel takes the cache of flash behind SATA for write back",
        site: |cause| Site::Facts(caches(site(4, 6, Media::SataFlash), cause)),
        rules: &["disk-cache-on-plp"],
        claim: Claim::First,
    },
    Story {
        name: "A faulty QSFP",
        published: "an optic lost packets: one of ten writes took 10 s and more, and nothing raised an alarm",
        source: "GRNET, \"A performance story: How a faulty QSFP crippled a Ceph cluster\" (blog.noc.grnet.gr, 2018)",
        read: "under load: some of 16 hosts send one in a hundred TCP segments again; OSDs with FileStore of 12.2.4",
        site: |cause| Site::UnderLoad(under_load(grnet(), move |host| loses(host, cause))),
        rules: &["segments-sent-again"],
        claim: Claim::First,
    },
    Story {
        name: "Jumbo frames with flow control",
        published: "switch ports that were set to both lost packets as the first of new hosts was added: all stood still for 20 minutes",
        source: "gocept, \"Short outage during storage server roll-out\" (gocepthosting.blogspot.com, 2014)",
        read: "under load: the new host and one more send segments again; placement groups peer, operations wait",
        site: |_| Site::UnderLoad(under_load(gocept(), |host| loses(host, Cause::There))),
        rules: &["net-pause"],
        claim: Claim::NotTold(
            "that packets are lost is told, but not that flow control is why: it is set in the switch, and pause frames stand in counters of drivers that Fathom does not read",
        ),
    },
    Story {
        name: "Gateways in virtual machines",
        published: "processors and network of the hypervisors: PUT of less than 2 GiB/s became seven times as much with the gateways on the OSDs' hosts",
        source: "ceph.io blog, 2024: pawsey-reef-s3-performance-part-1",
        read: "gateways on hosts without OSDs that are virtual machines; 60 hard disks a host with 60 GB of database each, 18.2.1",
        site: |cause| Site::Facts(pawsey(cause)),
        rules: &["rgw-in-small-vm"],
        claim: Claim::First,
    },
    Story {
        name: "QEMU's default disk",
        published: "IDE: 2,500 random reads a second became 24,900 with virtio, and 126,000 with cache=none, tcmalloc and a newer librbd",
        source: "ceph.io blog, 2022: qemu-kvm-tuning",
        read: "on the virtual machine's host: QEMU has an image as a drive without a device; the cluster without authentication, 16.2.9",
        site: |cause| Site::Facts(guest(cause)),
        rules: &["vm-emulated-disk"],
        claim: Claim::First,
    },
    Story {
        name: "Capacities that mClock did not measure",
        published: "values absurd or missing on some OSDs: rebalancing and scrubs took far longer than expected",
        source: "mcgarrah.org, \"Optimizing Ceph Performance in Proxmox Homelab\" (2025); ceph/ceph pull request 59743",
        read: "osd_mclock_max_capacity_iops_hdd of three OSDs, and none of nine others on the same kind of disk; data are moving",
        site: |cause| Site::Facts(home_lab(cause)),
        rules: &["osd-mclock-capacity"],
        claim: Claim::First,
    },
    Story {
        name: "mClock with five queues on hard disks",
        published: "clients' rates erratic and requests slow as a host failed, of 192 OSDs; with one queue of five threads steady, the default since 19.2.1",
        source: "Ceph's release notes, v19.2.1 Squid; tracker.ceph.com issue 66289",
        read: "looked at before the host fails: 192 OSDs on hard disks, 19.2.0, no option of queues set",
        site: |cause| {
            let mut facts = site(8, 24, Media::HardDiskAndFlash);
            release(&mut facts, Version(19, 2, 0), "squid");
            if cause == Cause::Mended {
                set(&mut facts, "osd", "osd_op_num_shards_hdd", "1");
                set(&mut facts, "osd", "osd_op_num_threads_per_shard_hdd", "5");
            }
            Site::Facts(facts)
        },
        rules: &["osd-mclock-hdd-shards"],
        claim: Claim::First,
    },
    Story {
        name: "An old tcmalloc",
        published: "caches of threads of 32 MiB, whatever is set: with jemalloc 4.2 times the small random writes, 4.7 times in another lab",
        source: "ceph.io blog, 2015: the-ceph-and-tcmalloc-performance-story",
        read: "libtcmalloc.so.4.1.2 (gperftools 2.1) in OSDs of 0.94 with FileStore, 16 on the NVMe drives of each of eight hosts; OSDs of then do not tell on what they lie",
        site: |cause| Site::Facts(hackathon(cause)),
        rules: &["osd-tcmalloc-cache"],
        claim: Claim::First,
    },
    Story {
        name: "A design with few processors",
        published: "two cores for each NVMe drive once all bays are filled: more room and no more small operations; from two to four cores they double",
        source: "ceph.io blog, 2022: ceph-osd-cpu-scaling",
        read: "48 processors for 24 OSDs on NVMe; half filled, as it was bought, nothing is hinted at",
        site: |cause| {
            let mut facts = site(4, if cause == Cause::There { 24 } else { 12 }, Media::Nvme);
            facts.hosts.iter_mut().for_each(|host| host.cores = Some(48));
            Site::Facts(facts)
        },
        rules: &["cpu-cores-per-nvme"],
        claim: Claim::First,
    },
];

/// Hosts with eight drives in use, and which of its faults are there yet beside its packages. Of its 68 hosts ten, since one is as the other.
fn clyso(iommu: bool, idle: bool) -> Facts {
    let mut facts = site(10, 8, Media::Nvme);
    release(&mut facts, Version(17, 2, 7), "quincy");
    packages(&mut facts, "ubuntu");
    for_benchmarks(&mut facts);
    each_osd(&mut facts, |osd| osd.memory = Some(192 << 30));
    let state = |name: &str, us, disabled| IdleState { name: name.into(), exit_us: Some(us), disabled: Some(disabled) };
    for host in &mut facts.hosts {
        host.processor = Some("AMD EPYC 9454P 48-Core Processor".into());
        (host.cores, host.memory, host.tuned) = (Some(96), Some(192 << 30), None);
        host.command_line = Some(if iommu { "quiet" } else { "quiet iommu=off" }.into());
        host.idle_states = vec![state("POLL", 0, false), state("C1", 1, false)];
        if idle {
            host.idle_states.push(state("C2", 800, false));
        }
    }
    each_disk(&mut facts, |disk| disk.iommu = Some(if iommu { "DMA" } else { "off" }.into()));
    facts
}

/// The project's own lab of then: ten hosts with six drives.
fn mako() -> Facts {
    let mut facts = site(10, 6, Media::Nvme);
    release(&mut facts, Version(17, 2, 5), "quincy");
    packages(&mut facts, "centos");
    for_benchmarks(&mut facts);
    without_authentication(&mut facts);
    for host in &mut facts.hosts {
        host.processor = Some("AMD EPYC 7742 64-Core Processor".into());
        host.cores = Some(128);
    }
    facts
}

fn without_authentication(facts: &mut Facts) {
    ["auth_cluster_required", "auth_service_required", "auth_client_required"]
        .iter()
        .for_each(|name| set(facts, "global", name, "none"));
}

/// nvme4 of the tenth host waits, in writes; some others a little.
fn drives(host: &str, cause: Cause) -> HostSecond {
    let disk = |number: u32| {
        let waits = match (host, number) {
            ("host9", 4) if cause == Cause::There => 7.0,
            ("host2" | "host5", 1) if cause == Cause::There => 0.09,
            _ => 0.04,
        };
        DiskSecond {
            name: format!("nvme{number}n1"),
            writes: 9_000.0,
            reads: 40.0,
            write_ms: Some(waits),
            read_ms: Some(0.1),
            queue: 9.0 * waits,
            ..DiskSecond::default()
        }
    };
    HostSecond {
        cpu: 0.7,
        segments: 200_000,
        retransmitted: 2,
        disks: (0..6).map(disk).collect(),
        ..HostSecond::default()
    }
}

fn caches(mut facts: Facts, cause: Cause) -> Facts {
    let cache = if cause == Cause::There { "write back" } else { "write through" };
    each_disk(&mut facts, |disk| (disk.write_cache, disk.cache_type) = (Some(cache.into()), Some(cache.into())));
    facts
}

/// Sixteen hosts with FileStore.
fn grnet() -> Facts {
    let mut facts = site(16, 6, Media::HardDisk);
    release(&mut facts, Version(12, 2, 4), "luminous");
    packages(&mut facts, "debian");
    each_osd(&mut facts, |osd| {
        (osd.store, osd.min_alloc, osd.dedicated_db, osd.dedicated_wal) = (Some("filestore".into()), None, None, None);
    });
    facts
}

/// What two hosts send goes by the broken part; of others next to nothing is sent again.
fn loses(host: &str, cause: Cause) -> HostSecond {
    let again = if ["host1", "host3"].contains(&host) && cause == Cause::There { 400 } else { 1 };
    HostSecond { cpu: 0.2, segments: 40_000, retransmitted: again, ..HostSecond::default() }
}

fn gocept() -> Facts {
    let mut facts = site(5, 6, Media::HardDisk);
    release(&mut facts, Version(0, 67, 7), "dumpling");
    packages(&mut facts, "gentoo");
    each_osd(&mut facts, |osd| {
        (osd.store, osd.min_alloc, osd.dedicated_db, osd.dedicated_wal) = (Some("filestore".into()), None, None, None);
    });
    groups(&mut facts, "peering");
    check(&mut facts, "REQUEST_SLOW");
    facts
}

/// Dense hosts, of which four stand for all.
fn pawsey(cause: Cause) -> Facts {
    let mut facts = site(4, 60, Media::HardDiskAndFlash);
    release(&mut facts, Version(18, 2, 1), "reef");
    each_osd(&mut facts, |osd| {
        (osd.bytes, osd.db_bytes) = (Some(22_000_000_000_000), Some(60_000_000_000));
        osd.memory = Some(512 << 30);
    });
    the_pool(&mut facts, |pool| {
        (pool.name, pool.applications) = ("default.rgw.buckets.data".into(), vec!["rgw".into()]);
    });
    for number in 0..4 {
        let host = if cause == Cause::There { format!("rgw{number}") } else { format!("host{number}") };
        gateway(&mut facts, &number.to_string(), &[("hostname", &host), ("frontend_type#0", "beast")]);
        if cause == Cause::There {
            facts.hosts.push(HostSetup { name: host, virtual_machine: Some(true), ..HostSetup::default() });
        }
    }
    facts
}

/// Five hosts with OSDs, and one with the virtual machine.
fn guest(cause: Cause) -> Facts {
    let mut facts = site(5, 6, Media::Nvme);
    release(&mut facts, Version(16, 2, 9), "pacific");
    packages(&mut facts, "centos");
    for_benchmarks(&mut facts);
    without_authentication(&mut facts);
    facts.hosts.iter_mut().for_each(|host| host.cores = Some(128));
    let disk = if cause == Cause::There { "ide" } else { "virtio-blk-pci" };
    let guests = Some(vec![Guest { disks: vec![disk.into()], ..Guest::default() }]);
    facts.hosts.push(HostSetup { name: "host5".into(), cores: Some(128), guests, ..HostSetup::default() });
    facts
}

/// Four small hosts with three disks each, while the fourth is filled.
fn home_lab(cause: Cause) -> Facts {
    let mut facts = site(4, 3, Media::HardDisk);
    packages(&mut facts, "debian");
    let known = [("osd.0", "86.136079"), ("osd.1", "87.204995"), ("osd.4", "89.152214")];
    known.iter().for_each(|(who, value)| set(&mut facts, who, "osd_mclock_max_capacity_iops_hdd", value));
    if cause == Cause::Mended {
        let others = (0..12).map(|id| format!("osd.{id}")).filter(|who| known.iter().all(|(own, _)| own != who));
        others.for_each(|who| set(&mut facts, &who, "osd_mclock_max_capacity_iops_hdd", "88"));
    }
    groups(&mut facts, "active+remapped+backfilling");
    facts.cluster.misplaced = Some(200_000);
    facts
}

/// Eight hosts with four drives of four OSDs each; what OSDs of then did not tell is not known.
fn hackathon(cause: Cause) -> Facts {
    let mut facts = site(8, 16, Media::Nvme);
    release(&mut facts, Version(0, 94, 3), "hammer");
    packages(&mut facts, "centos");
    each_osd(&mut facts, |osd| {
        (osd.store, osd.rotational, osd.journal_rotational) = (Some("filestore".into()), None, None);
        (osd.class, osd.taken_for, osd.created_by, osd.driver) = (None, None, None, None);
        (osd.min_alloc, osd.optimal_io, osd.dedicated_db, osd.dedicated_wal) = (None, None, None, None);
        (osd.devices, osd.data_devices, osd.models) = (vec![], vec![], vec![]);
    });
    (facts.cluster.require_osd_release, facts.cluster.balancer, facts.cluster.autoscaling) = (None, None, None);
    facts.cluster.pools.iter_mut().flatten().for_each(|pool| pool.autoscale = None);
    let (kind, file) = match cause {
        Cause::There => ("tcmalloc", "libtcmalloc.so.4.1.2"),
        Cause::Mended => ("jemalloc", "libjemalloc.so.2"),
    };
    each_daemon(&mut facts, |daemon: &mut DaemonProcess| {
        (daemon.allocator, daemon.allocator_file, daemon.thread_cache) = (Some(kind.into()), Some(file.into()), None);
    });
    facts.hosts.iter_mut().for_each(|host| {
        host.kernel = Some("3.10.0".into());
        host.disks.truncate(4);
    });
    facts
}
