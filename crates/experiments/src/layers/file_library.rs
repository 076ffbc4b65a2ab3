//! Steps of the file layer without a mount: a file system of the cluster by libcephfs, and what NFS servers export.

use super::file::{
    LAB_SPAN, MOST, SPAN, jobs, loads, mixes_stat, names_of, of_names, of_tree, refuse_too_many, refuse_without_room,
    sync_by_name,
};
use crate::planner::draft::Draft;
use crate::planner::osd_room::tightest;
use crate::planner::redundancy::Redundancy;
use model::change::data_in;
use model::inventory::CephfsSeen;
use model::shell::word;
use model::{
    Bytes, Change, Durability, ExportSeen, Failure, Inventory, Layer, Pattern, Place, PoolScope, Workload, units,
};

/// Blocks of each job's file, at least.
pub(super) const BLOCKS_LEAST: Bytes = 2;

/// Who is called, and what it can't be asked.
struct Library {
    /// As its targets are called.
    name: String,
    /// What its folder's name ends with: several may lead to the same file system.
    ending: String,
    place: Box<dyn Fn(String) -> Place>,
    folder: Box<dyn Fn(String) -> Change>,
    room: Option<Room>,
    /// What a small file takes beside its bytes: in an erasure-coded pool a chunk of each, however few they are.
    padding: Bytes,
    /// Files that can still be made; `None`: it does not tell.
    files_free: Option<u64>,
    /// How durable a write of a block is that has ended, where nothing else is asked for.
    durability: Durability,
    /// The pattern that says nothing of it, why, and which one is to be taken instead.
    lacks: (Pattern, &'static str, Pattern),
}

/// What it has room for.
struct Room {
    bytes: Bytes,
    of: String,
}

pub fn add(draft: &mut Draft) -> Result<(), Failure> {
    let data_pool = data_pool(draft)?;
    if let Some(seen) = &draft.inventory.cephfs {
        add_library(draft, &libcephfs(draft.inventory, seen, data_pool))?;
    }
    let exports = &draft.inventory.exports;
    for (at, one) in exports.iter().enumerate() {
        if exports[..at].iter().any(|other| other.export == one.export) {
            return Err(Failure::Usage(format!("{} is named twice; name it once", one.export)));
        }
    }
    (1..).zip(&exports.clone()).try_for_each(|(number, seen)| add_library(draft, &nfs(seen, number)))
}

/// The pool that is named for the bytes of files.
///
/// # Errors
/// The file system has no such data pool; or none is loaded of which this could be said.
fn data_pool<'d>(draft: &Draft<'d>) -> Result<Option<&'d PoolScope>, Failure> {
    let Some(named) = &draft.request.targets.data_pool else { return Ok(None) };
    let Some(seen) = &draft.inventory.cephfs else {
        return Err(Failure::Usage(format!(
            "data pool {named}: is of a file system that libcephfs loads (--cephfs NAME); in which pool the files of a mounted folder lie \
             that folder says: setfattr -n ceph.dir.layout.pool -v {} FOLDER",
            word(named)
        )));
    };
    let found = draft.inventory.scope.pools.iter().find(|pool| pool.name == *named);
    if let Some(found) = found.filter(|_| seen.data_pools.contains(named)) {
        return Ok(Some(found));
    }
    let allowed = match found.and_then(|pool| pool.overwrites) {
        Some(false) => format!("first `ceph osd pool set {} allow_ec_overwrites true`, then ", word(named)),
        _ => String::new(),
    };
    let mend = match found {
        None => format!("there is no pool of this name (there are: {})", draft.inventory.scope.pools_to_name()),
        Some(_) => {
            format!(
                "{allowed}`ceph fs add_data_pool {} {}` gives it this pool, for good",
                word(&seen.name),
                word(named)
            )
        }
    };
    let (system, pools) = (&seen.name, seen.data_pools.join(", "));
    Err(Failure::Usage(format!(
        "data pool {named}: file system {system} has {pools} for data, and not this one; {mend}"
    )))
}

/// `named`: the pool that its folder is told to have its bytes in; else they lie where the file system puts them.
fn libcephfs(inventory: &Inventory, seen: &CephfsSeen, named: Option<&PoolScope>) -> Library {
    let why = "libcephfs answers for what it has capabilities for, and can't be told to ask";
    let usual = inventory.scope.pools.iter().find(|pool| Some(&pool.name) == seen.root_pool.as_ref());
    let data_pool = named.or(usual);
    let own = |pool: Option<&PoolScope>| (seen.name.clone(), pool.map(|pool| pool.name.clone()));
    let ((of_place, data_of_place), (of_folder, data_of_folder)) = (own(data_pool), own(named));
    let room = |bytes| Room { bytes, of: format!("the cluster's OSDs, with {},", Redundancy::of(data_pool).words()) };
    Library {
        name: format!("{} (libcephfs{})", seen.name, data_in(named.map(|pool| pool.name.as_str()))),
        // Both sides of a comparison may be of one file system.
        ending: named.map_or(String::new(), |pool| format!("data{}.", pool.id)) + "cephfs",
        place: Box::new(move |path| {
            let (file_system, data_pool) = (of_place.clone(), data_of_place.clone());
            Place::Cephfs { file_system, path, data_pool }
        }),
        folder: Box::new(move |path| {
            let (file_system, data_pool) = (of_folder.clone(), data_of_folder.clone());
            Change::CephfsFolder { file_system, path, data_pool }
        }),
        padding: data_pool.and_then(|pool| pool.erasure_k).map_or(0, |k| CHUNK * Bytes::from(k.saturating_sub(1))),
        room: room_of_cluster(inventory, data_pool).map(room),
        files_free: None,
        durability: Durability::None,
        lacks: (Pattern::Stat, why, Pattern::StatCached),
    }
}

fn nfs(seen: &ExportSeen, number: u32) -> Library {
    let (of_place, of_folder, of_cluster) = (seen.export.clone(), seen.export.clone(), seen.of_cluster);
    let why = "Fathom's own client of NFS keeps nothing that could answer";
    Library {
        name: seen.export.to_string(),
        ending: format!("nfs{number}"),
        place: Box::new(move |path| Place::Nfs { export: of_place.clone(), path, of_cluster }),
        folder: Box::new(move |path| Change::NfsFolder { export: of_folder.clone(), path }),
        padding: 0,
        room: seen.bytes_free.map(|bytes| Room { bytes, of: "the export".to_string() }),
        // One that has no number for it says none as well.
        files_free: seen.files_free.filter(|files| *files > 0),
        durability: Durability::Sync,
        lacks: (Pattern::StatCached, why, Pattern::Stat),
    }
}

/// Each job has one operation in flight, and a file of its own for blocks.
fn add_library(draft: &mut Draft, library: &Library) -> Result<(), Failure> {
    let (lacking, why, instead) = library.lacks;
    // Where there are others, those have it.
    let doors = draft.request.targets.folders.len()
        + usize::from(draft.inventory.cephfs.is_some())
        + draft.inventory.exports.len();
    let mixed = lacking == Pattern::Stat && mixes_stat(draft);
    if doors == 1 && (mixed || draft.options.patterns.contains(&lacking)) {
        return Err(Failure::Usage(format!("{}: {why}; take {} instead", lacking.name(), instead.name())));
    }
    let folder = |part: &str| format!("/fathom.{}.{part}{}", draft.inventory.run, library.ending);
    let targets = draft.by_clients(Layer::File, &library.name, |part| (library.place)(folder(part)));
    let folders: Vec<String> = draft.clients_parts().iter().map(|part| folder(part)).collect();
    for path in folders {
        draft.change((library.folder)(path));
    }
    let span = draft.fitting(if draft.small() { LAB_SPAN } else { SPAN });
    let asked = draft.options.durability;
    // A write has ended when it is durable: there is one way.
    let once = |(pattern, load): &(Pattern, Workload)| {
        *pattern != lacking && !mixed && (asked.is_some() || load.durability != Durability::Fdatasync)
    };
    let loads: Vec<(Pattern, Workload)> = loads(draft, span)?.into_iter().filter(once).collect();
    let blocks_too = loads.iter().any(|(_, load)| !load.of_files());
    for (pattern, mut load) in loads {
        if blocks_too && load.of_files() {
            sync_by_name(&mut load);
        }
        let load = match load.of_files() {
            true => of_tree(draft, load),
            false => {
                let (jobs, depth) = jobs(draft, &load);
                let least = load.block.saturating_mul(jobs.into()).saturating_mul(BLOCKS_LEAST);
                let span = draft.options.working_set.unwrap_or(load.span.max(least));
                let usual = if load.writes() { library.durability } else { Durability::None };
                Workload { jobs, depth, span, durability: asked.unwrap_or(usual), ..load }
            }
        };
        if load.of_files() {
            refuse_too_many(&load)?;
        }
        let hosts = targets.len() as u64;
        refuse_without_room(&library.name, names_of(&load).saturating_mul(hosts), library.files_free)?;
        let padded = || of_names(&load).saturating_add(names_of(&load).saturating_mul(library.padding));
        let needed = if load.of_files() { padded() } else { load.span }.saturating_mul(hosts);
        if let Some(room) = library.room.as_ref().filter(|room| needed as f64 > room.bytes as f64 * MOST) {
            return Err(Failure::Usage(format!(
                "{}: {} would be written, and {} has room for {}, of which nine tenths may be taken; write less: --working-set SIZE, \
                 --tree LEVELSxFOLDERSxFILES, --jobs",
                library.name,
                units::bytes(needed),
                room.of,
                units::bytes(room.bytes)
            )));
        }
        draft.step(pattern, targets.clone(), load, !pattern.is_metadata());
    }
    Ok(())
}

/// How much data of a pool OSDs have room for until one is nearly full; `None`: it is not known.
fn room_of_cluster(inventory: &Inventory, pool: Option<&PoolScope>) -> Option<Bytes> {
    // So much that rounding up means nothing.
    const MUCH: Bytes = 1 << 50;
    let tightest = tightest(inventory, &Redundancy::of(pool).on_osds(inventory, pool, MUCH))?;
    // One that is nearly full already ends every write, which is told with the figures of all layers.
    if tightest.room == 0 {
        return None;
    }
    Some((MUCH as f64 * (tightest.room as f64 / tightest.needed.max(1) as f64)) as Bytes)
}

/// Of an erasure-coded pool, the least of a chunk (osd_pool_erasure_code_stripe_unit).
const CHUNK: Bytes = 4096;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::{self, testing};
    use crate::{Experiment, PairedSetting, Varied};
    use model::Plan;
    use model::workload::{GIB, MIB};

    fn seen(bytes_free: Bytes) -> ExportSeen {
        let export = "nfs://server/cephfs".parse().unwrap();
        ExportSeen { export, of_cluster: true, bytes_free: Some(bytes_free), files_free: None }
    }

    fn request(patterns: &[Pattern]) -> crate::Request {
        let mut request = testing::request(&[Layer::File]);
        request.workload.patterns = patterns.to_vec();
        request
    }

    fn plan(exports: Vec<ExportSeen>, patterns: &[Pattern]) -> Result<Plan, String> {
        let request = request(patterns);
        let inventory = Inventory { exports, ..testing::inventory(3) };
        planner::plan(&inventory, &request).map_err(|failure| failure.to_string())
    }

    #[test]
    fn what_is_exported_is_loaded_without_a_mount() {
        let plan = plan(vec![seen(100 * GIB)], &[]).unwrap();
        let [Change::NfsFolder { export, path }] = &plan.changes[..] else { panic!("{:?}", plan.changes) };
        assert_eq!(export.to_string(), "nfs://server/cephfs");
        assert!(path.starts_with("/fathom.2026") && path.ends_with(".nfs1"), "{path}");
        assert!(!plan.steps.is_empty());
        for step in &plan.steps {
            let load = &step.workload;
            assert!(load.jobs == load.depth && step.loads_ceph() && step.pattern != Pattern::StatCached, "{step:?}");
            assert_eq!(step.chart, !step.pattern.is_metadata());
            let stable = load.writes() && !load.of_files();
            assert_eq!(load.durability == Durability::Sync, stable, "{step:?}");
        }
        assert!(plan.steps.iter().any(|step| step.pattern == Pattern::Stat));
    }

    /// In a cluster whose OSDs have `bytes` each, with a pool of 2+1 chunks that has these data, and this quota.
    fn in_ec(named: &str, quota: Option<model::Quota>) -> Result<Plan, String> {
        let mut inventory = Inventory { cephfs: Some(testing::cephfs()), ..testing::inventory(3) };
        let ec = PoolScope { id: 7, name: "ec".into(), size: 3, erasure_k: Some(2), ..PoolScope::default() };
        let others = PoolScope { id: 8, name: "others".into(), ..ec.clone() };
        inventory.scope.pools = vec![PoolScope { quota_bytes: quota, ..ec }, others];
        let mut request = request(&[Pattern::WriteLatency]);
        request.targets.data_pool = Some(named.to_string());
        planner::plan(&inventory, &request).map_err(|failure| failure.to_string())
    }

    #[test]
    fn data_of_files_lie_in_the_pool_that_is_named() {
        let plan = in_ec("ec", None).unwrap();
        let [Change::CephfsFolder { path, data_pool, .. }] = &plan.changes[..] else { panic!("{:?}", plan.changes) };
        assert!(data_pool.as_deref() == Some("ec") && path.ends_with(".data7.cephfs"), "{:?}", plan.changes);
        assert_eq!(plan.changes[0].what().split_once(" of ").unwrap().1, "file system cephfs, data in ec");
        for target in plan.steps.iter().flat_map(|step| &step.targets) {
            assert_eq!((target.name.as_str(), target.place.pools()), ("cephfs (libcephfs, data in ec)", vec!["ec"]));
        }
        let other = in_ec("others", None).unwrap_err();
        assert!(
            other.contains("has cephfs_data, ec for data") && other.contains("`ceph fs add_data_pool cephfs others`"),
            "{other}"
        );
        let none = in_ec("nowhere", None).unwrap_err();
        assert!(none.contains("there is no pool of this name (there are: ec, others)"), "{none}");
        let quota = in_ec("ec", Some(model::Quota { most: 100 * MIB, used: 99 * MIB })).unwrap_err();
        assert!(quota.contains("pool ec has a quota of 100 MiB, of which 1 MiB are left"), "{quota}");
        let mut mounted = request(&[]);
        mounted.targets.folders = vec!["/mnt".into()];
        mounted.targets.data_pool = Some("ec".to_string());
        let inventory = Inventory { folders: vec![testing::folder("/mnt")], ..testing::inventory(3) };
        let mounted = planner::plan(&inventory, &mounted).unwrap_err().to_string();
        assert!(mounted.contains("setfattr -n ceph.dir.layout.pool -v ec FOLDER"), "{mounted}");
    }

    /// Where nobody names a pool, the file system's own is meant: its quota counts, and its folder is not told where to lie.
    #[test]
    fn data_of_files_lie_where_the_file_system_puts_them() {
        let planned = |quota| {
            let cephfs = CephfsSeen { root_pool: Some("ec".into()), ..testing::cephfs() };
            let mut inventory = Inventory { cephfs: Some(cephfs), ..testing::inventory(3) };
            let ec = PoolScope { id: 7, name: "ec".into(), size: 3, erasure_k: Some(2), ..PoolScope::default() };
            inventory.scope.pools = vec![PoolScope { quota_bytes: quota, ..ec }];
            planner::plan(&inventory, &request(&[Pattern::WriteLatency])).map_err(|failure| failure.to_string())
        };
        let plan = planned(None).unwrap();
        assert!(matches!(&plan.changes[..], [Change::CephfsFolder { data_pool: None, .. }]), "{:?}", plan.changes);
        let [target] = &plan.steps[0].targets[..] else { panic!("{:?}", plan.steps) };
        assert_eq!((target.name.as_str(), target.place.data_pool()), ("cephfs (libcephfs)", Some("ec")));
        let quota = planned(Some(model::Quota { most: 100 * MIB, used: 99 * MIB })).unwrap_err();
        assert!(quota.contains("pool ec has a quota of 100 MiB, of which 1 MiB are left"), "{quota}");
    }

    #[test]
    fn two_pools_of_one_file_system_have_a_folder_each() {
        let mut inventory = Inventory { cephfs: Some(testing::cephfs()), ..testing::inventory(3) };
        let pool = |id, name: &str| PoolScope { id, name: name.into(), size: 3, ..PoolScope::default() };
        inventory.scope.pools = vec![pool(4, "cephfs_data"), pool(7, "ec")];
        let mut request = request(&[Pattern::WriteLatency]);
        let varied = Varied::DataPool("cephfs_data".into(), "ec".into());
        request.experiment =
            Experiment::PairedComparison(PairedSetting { a: "cephfs_data".into(), b: "ec".into(), varied });
        request.goal = model::Goal::beside(1);
        let plan = planner::plan(&inventory, &request).unwrap();
        let made: Vec<String> = plan.changes.iter().map(Change::what).collect();
        assert_eq!(made.len(), 2, "{made:?}");
        assert!(made[0].contains(".data4.cephfs ") && made[1].contains(".data7.cephfs "), "{made:?}");
    }

    #[test]
    fn an_export_without_room_that_is_named_twice_or_asked_for_what_it_lacks_is_told() {
        let full = plan(vec![seen(MIB)], &[]).unwrap_err();
        assert!(full.contains("nfs://server/cephfs") && full.contains("has room for 1 MiB"), "{full}");
        let twice = plan(vec![seen(GIB), seen(GIB)], &[]).unwrap_err();
        assert!(twice.contains("named twice"), "{twice}");
        let cached = plan(vec![seen(GIB)], &[Pattern::StatCached]).unwrap_err();
        assert!(cached.contains("take stat instead"), "{cached}");
        let mut both = request(&[Pattern::StatCached]);
        both.targets.cephfs = Some("cephfs".into());
        let inventory =
            Inventory { exports: vec![seen(GIB)], cephfs: Some(testing::cephfs()), ..testing::inventory(3) };
        let plan = planner::plan(&inventory, &both).unwrap();
        assert!(plan.steps.iter().all(|step| matches!(step.targets[0].place, Place::Cephfs { .. })), "{plan:?}");
    }
}
