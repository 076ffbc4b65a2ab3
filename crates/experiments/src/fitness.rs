//! Is a drive fit for Ceph? The loads by which that is told, and the drives that can be asked.

use crate::WorkloadOptions;
use model::fitness::{MANY, PAUSES_MS, READ_PERCENT};
use model::host_setting::HostSetting;
use model::workload::{Arrivals, Rate};
use model::{Access, Bytes, Durability, Failure, JudgedDrive, OpMix, PathKind, Pattern, Site, Target, Workload};

/// The ways that stores, databases and file systems use. Drives treat FUA and a flush apart, so that each is measured.
const WAYS: [Durability; 4] = [Durability::Dsync, Durability::Fsync, Durability::Fdatasync, Durability::None];

/// Small random writes in every way with one and with many in flight, reads likewise, a mixed load, and large blocks in order.
pub fn loads(options: &WorkloadOptions, span: Bytes) -> Vec<(Pattern, Workload)> {
    let span = options.working_set.unwrap_or(span);
    let usual = |pattern: Pattern| Workload {
        engine: options.engine.clone(),
        ..Workload::canonical(pattern, span, options.seed)
    };
    let many = |pattern: Pattern| Workload { depth: MANY, ..usual(pattern) };
    let writes = WAYS.into_iter().flat_map(|durability| {
        [usual(Pattern::WriteLatency), many(Pattern::WriteParallel)].map(|load| Workload { durability, ..load })
    });
    let mixed = Workload { mix: OpMix::reads(READ_PERCENT), ..many(Pattern::ReadParallel) };
    let linear = Workload { durability: Durability::None, ..usual(Pattern::WriteLinear) };
    let rested = PAUSES_MS.into_iter().map(|ms| {
        let rate = Some(Rate { per_second: 1e3 / ms, arrivals: Arrivals::Pauses, by_job: false });
        Workload { rate, ..usual(Pattern::ReadLatency) }
    });
    let others = [usual(Pattern::ReadLatency), many(Pattern::ReadParallel), mixed, linear, usual(Pattern::ReadLinear)];
    writes.chain(rested).chain(others).map(|load| (Pattern::nearest(&load), load)).collect()
}

/// Those that a drive's cache matters for.
pub fn small_writes(all: &[(Pattern, Workload)]) -> Vec<(Pattern, Workload)> {
    let small = |load: &Workload| load.writes() && !load.reads() && load.access == Access::Random;
    all.iter().filter(|(_, load)| small(load)).cloned().collect()
}

/// The setting that switches a drive's cache the other way, and its value. Not where the kernel does not flush it: an ATA drive that is
/// switched is one that is flushed afterwards, and what was found would not be left as it was. Nor where something else is on the drive, such
/// as an OSD that serves its cluster. `here`: this host's name.
pub fn other_cache(site: &Site, here: &str) -> Option<(String, String)> {
    let seen = site.seen.as_ref().ok().filter(|seen| matches!(seen.found, PathKind::Device(_)))?;
    let cache = seen.write_cache.as_ref().filter(|cache| cache.flushed && cache.alone)?;
    let name = format!("drive-cache.{}", cache.disk);
    HostSetting::parse(&name).ok()?;
    let host = site.host.as_ref().map_or(here, |host| &host.end.host);
    Some((format!("host:{host}/{name}"), if cache.on { "off" } else { "on" }.to_string()))
}

/// # Errors
/// It may not be written to, or lies in memory, where no write reaches a drive.
pub fn drive(target: &Target, site: &Site, writable: bool) -> Result<JudgedDrive, Failure> {
    let (target, beside) = (&target.name, &target.beside);
    if !writable {
        return Err(Failure::Usage(format!(
            "{target}: is only read, and whether a drive is fit is told by its writes; name a device that is empty, or a folder on it: \
             fathom disk PATH --fit"
        )));
    }
    let seen = site.seen.as_ref().map_err(|not| Failure::from(not.clone()))?;
    let zoned = seen.drive.as_ref().and_then(|drive| drive.queue.zoned.as_deref()) == Some("host-managed");
    if zoned && matches!(seen.found, PathKind::Device(_)) {
        return Err(Failure::Usage(format!(
            "{target}: is a zoned drive that its host has to manage (host-managed: SMR, ZNS). It refuses writes that are not in order, as those \
             of --fit and of OSDs are; it is for OSDs that were built for zones alone"
        )));
    }
    match seen.in_memory {
        true => Err(Failure::Usage(format!(
            "{target}: lies in memory, where no write reaches a drive; --fit needs a device, or a file on one"
        ))),
        false => Ok(JudgedDrive {
            target: target.clone(),
            device: seen.device.clone(),
            through_file: !matches!(seen.found, PathKind::Device(_)),
            cache: seen.write_cache.clone(),
            about: seen.drive.clone(),
            beside: beside.clone(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::testing;
    use model::WriteCache;
    use model::workload::GIB;

    #[test]
    fn every_way_of_a_write_is_measured_with_one_and_with_many_in_flight() {
        let all = loads(&WorkloadOptions::default(), GIB);
        let small_writes =
            |(_, load): &&(Pattern, Workload)| load.writes() && !load.reads() && load.block == 4096 && load.span == GIB;
        let mut ways: Vec<(u32, Durability)> =
            all.iter().filter(small_writes).map(|(_, load)| (load.depth, load.durability)).collect();
        ways.sort_by_key(|(depth, way)| (*depth, WAYS.iter().position(|one| one == way)));
        let wanted: Vec<(u32, Durability)> =
            [1, MANY].into_iter().flat_map(|depth| WAYS.map(|way| (depth, way))).collect();
        assert_eq!(ways, wanted);
        let others = all.iter().filter(|one| !small_writes(one)).map(|(pattern, _)| *pattern).collect::<Vec<_>>();
        use Pattern::{ReadLatency, ReadLinear, ReadParallel, WriteLinear};
        let [alone, many] = [ReadLatency, ReadParallel];
        assert_eq!(others, [alone, alone, alone, alone, many, many, WriteLinear, ReadLinear]);
        assert!(all.iter().any(|(_, load)| load.mix.is_mixed()));
    }

    #[test]
    fn a_cache_is_switched_the_other_way_and_never_on_where_nobody_flushes_it() {
        let of = |found: PathKind, cache: WriteCache| {
            let mut site = testing::folder("/dev/sdb");
            let seen = site.seen.as_mut().unwrap();
            (seen.found, seen.write_cache) = (found, Some(cache));
            other_cache(&site, "a")
        };
        let cache = |on: bool, flushed: bool, disk: &str| WriteCache {
            disk: disk.into(),
            on,
            flushed,
            alone: true,
            shared: false,
            identity: None,
        };
        let switched = |found: PathKind, on: bool, flushed: bool, disk: &str| of(found, cache(on, flushed, disk));
        let drive = PathKind::Device(GIB);
        let setting = |value: &str| Some(("host:a/drive-cache.sdb".to_string(), value.to_string()));
        assert_eq!(switched(drive, true, true, "sdb"), setting("off"));
        assert_eq!(switched(drive, true, false, "sdb"), None);
        assert_eq!(switched(drive, false, true, "sdb"), setting("on"));
        assert_eq!(switched(drive, false, false, "sdb"), None);
        assert_eq!(switched(PathKind::Folder, true, true, "sdb"), None);
        assert_eq!(switched(drive, true, true, "../sdb"), None);
        let all = loads(&WorkloadOptions::default(), GIB);
        assert_eq!(small_writes(&all).len(), 2 * WAYS.len());
    }

    #[test]
    fn a_drive_that_takes_writes_in_order_alone_is_refused_before_any() {
        let drive = |zoned: &str, found: PathKind| {
            let mut site = testing::folder("/dev/sdb");
            let queue = model::facts::BlockQueue { zoned: Some(zoned.into()), ..Default::default() };
            let seen = site.seen.as_mut().unwrap();
            (seen.found, seen.drive) = (found, Some(model::DriveAbout { queue, health: Err("x".into()) }));
            let place = model::Place::Path { path: "/dev/sdb".into(), writable: true };
            super::drive(&Target::new(testing::disks(), "/dev/sdb", place), &site, true)
        };
        let refused = drive("host-managed", PathKind::Device(GIB)).unwrap_err().to_string();
        assert!(refused.starts_with("/dev/sdb: is a zoned drive"), "{refused}");
        assert!(drive("host-aware", PathKind::Device(GIB)).is_ok());
        assert!(drive("host-managed", PathKind::Folder).is_ok(), "its file system keeps the order");
    }

    #[test]
    fn a_working_set_that_is_given_is_kept() {
        let options = WorkloadOptions { working_set: Some(1 << 24), ..WorkloadOptions::default() };
        assert!(loads(&options, GIB).iter().all(|(_, load)| load.span == 1 << 24));
    }
}
