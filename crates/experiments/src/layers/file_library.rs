//! Steps of the file layer without a mount: a file system of the cluster by libcephfs, and what NFS servers export.

use super::file::{
    LAB_SPAN, MOST, SPAN, jobs, loads, names_of, of_names, of_tree, refuse_too_many, refuse_without_room,
};
use crate::planner::draft::Draft;
use model::{Bytes, Change, Durability, ExportSeen, Failure, Inventory, Layer, Pattern, Place, Workload, units};

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
    of: &'static str,
}

pub fn add(draft: &mut Draft) -> Result<(), Failure> {
    if let Some(name) = draft.inventory.cephfs.clone() {
        add_library(draft, &libcephfs(draft.inventory, name))?;
    }
    let exports = &draft.inventory.exports;
    for (at, one) in exports.iter().enumerate() {
        if exports[..at].iter().any(|other| other.export == one.export) {
            return Err(Failure::Usage(format!("{} is named twice; name it once", one.export)));
        }
    }
    (1..).zip(&exports.clone()).try_for_each(|(number, seen)| add_library(draft, &nfs(seen, number)))
}

fn libcephfs(inventory: &Inventory, name: String) -> Library {
    let (of_place, of_folder) = (name.clone(), name.clone());
    let why = "libcephfs answers for what it has capabilities for, and can't be told to ask";
    Library {
        name: format!("{name} (libcephfs)"),
        ending: "cephfs".to_string(),
        place: Box::new(move |path| Place::Cephfs { file_system: of_place.clone(), path }),
        folder: Box::new(move |path| Change::CephfsFolder { file_system: of_folder.clone(), path }),
        room: room_of_cluster(inventory).map(|bytes| Room { bytes, of: "the cluster's OSDs, with three copies," }),
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
        room: seen.bytes_free.map(|bytes| Room { bytes, of: "the export" }),
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
    if doors == 1 && draft.options.patterns.contains(&lacking) {
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
        *pattern != lacking && (asked.is_some() || load.durability != Durability::Fdatasync)
    };
    let loads: Vec<(Pattern, Workload)> = loads(draft, span)?.into_iter().filter(once).collect();
    for (pattern, load) in loads {
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
        let needed = if load.of_files() { of_names(&load) } else { load.span }.saturating_mul(hosts);
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

/// How much data OSDs have room for until one is nearly full, if each is written three times and they are filled evenly; `None`: it is
/// not known.
fn room_of_cluster(inventory: &Inventory) -> Option<Bytes> {
    let osds = inventory.scope.osds.iter().filter(|osd| osd.up && osd.inside);
    let rooms = osds.map(|osd| Some(((osd.bytes? as f64 * NEARLY_FULL) as Bytes).saturating_sub(osd.bytes_used?)));
    let rooms: Vec<Bytes> = rooms.collect::<Option<Vec<Bytes>>>()?;
    let tightest = rooms.iter().min()?;
    Some(tightest.saturating_mul(rooms.len() as u64) / COPIES.min(rooms.len() as u64).max(1))
}

/// From here on Ceph warns (mon_osd_nearfull_ratio).
const NEARLY_FULL: f64 = 0.85;
const COPIES: u64 = 3;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::{self, testing};
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
        let inventory = Inventory { exports: vec![seen(GIB)], cephfs: Some("cephfs".into()), ..testing::inventory(3) };
        let plan = planner::plan(&inventory, &both).unwrap();
        assert!(plan.steps.iter().all(|step| matches!(step.targets[0].place, Place::Cephfs { .. })), "{plan:?}");
    }
}
