//! Steps of the file layer: blocks of a file, and files by their names, in folders of mounted file systems.

use super::device::{name_on, on_host};
use super::file_library;
use crate::Request;
use crate::planner::draft::Draft;
use model::workload::{GIB, MARK, MIB, OBJECT_MOST, PAGE_CACHE};
use model::{
    Bytes, Change, Client, ClientHost, Durability, Failure, FileSystemSeen, Inventory, Layer, OpClass, PathKind,
    Pattern, Place, Plan, Site, SiteWish, Sizes, Step, Target, Tree, Workload, units,
};
use std::path::Path;

/// Of the file whose blocks are loaded.
pub(super) const SPAN: Bytes = GIB;
pub(super) const LAB_SPAN: Bytes = 64 * MIB;
/// For each of 16 jobs: as many folders as several servers of metadata could share, each with as many files as users keep in one.
const TREE: Tree = Tree { levels: 1, folders: 8, files: 128, shared: false };
const LAB_TREE: Tree = Tree { levels: 1, folders: 4, files: 32, shared: false };
/// Blocks that go past the page cache are multiples of it.
const SECTOR: Bytes = 512;
/// Of the room of a file system, what may be taken.
pub(super) const MOST: f64 = 0.9;

/// The folders that are to be looked at, and on which hosts (`None`: this one).
pub fn wanted(inventory: &Inventory, request: &Request) -> Vec<(Option<ClientHost>, SiteWish)> {
    if !request.layers.contains(&Layer::File) {
        return Vec::new();
    }
    let hosts: Vec<Option<ClientHost>> = match inventory.hosts.is_empty() {
        true => vec![None],
        false => inventory.clients().cloned().map(Some).collect(),
    };
    let folders = &request.targets.folders;
    let wish = |path: &Path| SiteWish { path: path.to_path_buf(), writes: false, given_up: false };
    let of = |path| hosts.iter().map(move |host| (host.clone(), wish(path)));
    folders.iter().flat_map(|path| of(path)).collect()
}

pub fn add(draft: &mut Draft) -> Result<(), Failure> {
    let folders = draft.request.targets.folders.clone();
    let none = draft.inventory.cephfs.is_none() && draft.inventory.exports.is_empty();
    if folders.is_empty() && none && !draft.request.all_layers {
        let text = "no file system is named: fathom file FOLDER (fathom run --folder FOLDER), of a mounted one or of an NFS server \
                    (nfs://HOST/FOLDER); --cephfs NAME, of the cluster; or a lab with one (--lab --with cephfs)";
        return Err(Failure::Usage(text.to_string()));
    }
    for (at, folder) in folders.iter().enumerate() {
        if folders[..at].contains(folder) {
            return Err(Failure::Usage(format!("{} is named twice; name it once", folder.display())));
        }
        let inventory = draft.inventory;
        let sites: Vec<&Site> = inventory.folders.iter().filter(|site| site.wish.path == *folder).collect();
        sites.iter().try_for_each(|site| refuse(site).map_err(|failure| on_host(site, failure)))?;
        add_folder(draft, &sites, at)?;
    }
    file_library::add(draft)
}

pub(super) fn refuse_too_many(load: &Workload) -> Result<(), Failure> {
    let Some(tree) = load.tree.filter(|tree| tree.files(load.jobs) > Tree::FILES_MOST) else { return Ok(()) };
    Err(Failure::Usage(format!(
        "--tree {tree}: {} would need too many files (at most {}); choose a smaller tree, or fewer --jobs",
        units::counted(load.jobs.into(), "job", "jobs"),
        units::separated(&Tree::FILES_MOST.to_string())
    )))
}

/// One folder, as all hosts that load see it, or this one; `at`: how many come before it. Several may be the same folder of one file system,
/// mounted in several ways, so that each has names of its own.
fn add_folder(draft: &mut Draft, sites: &[&Site], at: usize) -> Result<(), Failure> {
    let span = if draft.small() { LAB_SPAN } else { SPAN };
    let fuse = sites.iter().any(|site| file_system(site).is_some_and(FileSystemSeen::of_fuse));
    if fuse && (draft.options.patterns.contains(&Pattern::Stat) || mixes_stat(draft)) {
        return Err(Failure::Usage(format!(
            "{}: a program answers for it (FUSE), from a cache of its own too, so that nobody can be sure to ask who keeps the files; take \
             stat-cached instead of stat",
            sites.first().map_or_else(String::new, |site| site.wish.path.display().to_string())
        )));
    }
    let can = |pattern: Pattern| !fuse || pattern != Pattern::Stat;
    let loads = loads(draft, span)?.into_iter().filter(|(pattern, _)| can(*pattern));
    let mut steps: Vec<(Pattern, Workload)> = loads.map(|(pattern, load)| (pattern, of_tree(draft, load))).collect();
    // Options are of the engines of blocks; where there are no blocks, the engine of names refuses them.
    if steps.iter().any(|(_, load)| !load.of_files()) {
        steps.iter_mut().filter(|(_, load)| load.of_files()).for_each(|(_, load)| {
            load.options.clear();
            sync_by_name(load);
        });
    }
    steps.iter().try_for_each(|(_, load)| refuse_memory_alone(load, sites))?;
    let data = steps.iter().filter(|(_, load)| !load.of_files()).map(|(_, load)| load.span).max();
    let tree = steps.iter().filter(|(_, load)| load.of_files()).map(|(_, load)| of_names(load)).max();
    for site in sites {
        let needed = data.unwrap_or(0).saturating_add(tree.unwrap_or(0));
        refuse_too_large(site, &steps, needed).map_err(|failure| on_host(site, failure))?;
    }
    let parts = draft.clients_parts();
    let mut of_data = Vec::new();
    let mut of_names = Vec::new();
    for (site, part) in sites.iter().zip(&parts) {
        let host = site.host.as_ref();
        let number = if at == 0 { String::new() } else { (at + 1).to_string() };
        let own = |what: &str| site.wish.path.join(draft.name(&format!("{part}{what}{number}")));
        let (file, folder) = (own("data"), own("files"));
        if let Some(bytes) = data {
            draft.own_file(host, file.clone(), bytes);
        }
        if tree.is_some() {
            draft.change(Change::folder(host.map(|host| host.end.host.as_str()), folder.clone()));
        }
        of_data.push(target(site, Place::Path { path: file, writable: true }));
        of_names.push(target(site, Place::Tree { path: folder }));
    }
    for (pattern, workload) in steps {
        let targets = if workload.of_files() { &of_names } else { &of_data };
        draft.step(pattern, targets.clone(), workload, !pattern.is_metadata());
    }
    Ok(())
}

/// Is it one of the operations of a mix that is named?
pub(super) fn mixes_stat(draft: &Draft) -> bool {
    draft.options.mix.is_some_and(|mix| mix.has(OpClass::Stat))
}

/// What is written into the page cache and not flushed has reached no file system.
fn refuse_memory_alone(load: &Workload, sites: &[&Site]) -> Result<(), Failure> {
    if !load.through_page_cache() {
        return Ok(());
    }
    let in_memory = |site: &&&Site| site.seen.as_ref().is_ok_and(|seen| seen.in_memory);
    if let Some(site) = sites.iter().find(in_memory) {
        let path = site.wish.path.display();
        let text = format!(
            "{path}: it lies in memory, so that nothing is behind its page cache; leave --option {PAGE_CACHE} out"
        );
        return Err(Failure::Usage(text));
    }
    if !load.writes() || load.durability != Durability::None {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "--option {PAGE_CACHE}=on: with --sync none only this host's memory would be measured; leave --sync out, or choose fsync or fdatasync"
    )))
}

/// Bytes of its files.
pub fn of_names(load: &Workload) -> Bytes {
    load.bytes().saturating_add(Tree::beside(load.jobs, load.mix, load.block))
}

/// Files and folders that are made.
pub fn names_of(load: &Workload) -> u64 {
    load.tree.map_or(0, |tree| tree.names(load.jobs))
}

/// `free`: files that can still be made where `what` is.
pub(super) fn refuse_without_room(what: &str, names: u64, free: Option<u64>) -> Result<(), Failure> {
    match free.filter(|free| names as f64 > *free as f64 * MOST) {
        Some(free) => Err(Failure::Usage(format!(
            "{what}: {} files and folders would be made, and there is room for {} (inodes, or what a quota leaves), of which nine tenths may be taken; make room \
             there, or make fewer: --tree LEVELSxFOLDERSxFILES, --jobs",
            units::count(names),
            units::count(free)
        ))),
        None => Ok(()),
    }
}

/// A job for each operation in flight; where both are given and differ the engine says what is wrong.
pub(super) fn jobs(draft: &Draft, workload: &Workload) -> (u32, u32) {
    let jobs = draft.options.jobs.unwrap_or(workload.depth).max(1);
    let depth = draft.options.depth.unwrap_or(jobs);
    (jobs.min(depth), depth)
}

/// Of whole files, and objects.
pub(super) fn refuse_sizes(sizes: &Sizes) -> Result<(), Failure> {
    let why = match (sizes.least(), sizes.most()) {
        (least, _) if least < MARK => {
            format!(
                "{least} bytes have no room for what tells whether they are whole (at least {MARK}); choose larger ones"
            )
        }
        (_, most) if most > OBJECT_MOST => {
            format!(
                "{} are too large to be measured as one operation (at most {}); choose smaller ones",
                units::bytes(most),
                units::bytes(OBJECT_MOST)
            )
        }
        _ => return Ok(()),
    };
    Err(Failure::Usage(format!("--sizes: {why}")))
}

/// Where sizes differ, it is of whole files alone, unless patterns are named.
pub(super) fn loads(draft: &Draft, span: Bytes) -> Result<Vec<(Pattern, Workload)>, Failure> {
    let options = &draft.options;
    if options.sizes.is_some() && options.block_size.is_some() {
        let text = "--sizes: files of different sizes have no one size; leave --block-size out";
        return Err(Failure::Usage(text.to_string()));
    }
    options.sizes.as_ref().map_or(Ok(()), refuse_sizes)?;
    let whole =
        |(_, load): &(Pattern, Workload)| options.sizes.is_none() || !options.patterns.is_empty() || load.of_files();
    Ok(draft.workloads(Layer::File, span).into_iter().filter(whole).collect())
}

/// Of files by their names: each job one operation at a time, over all files of its tree.
pub(super) fn of_tree(draft: &Draft, workload: Workload) -> Workload {
    if !workload.of_files() {
        return workload;
    }
    let tree = draft.options.tree.unwrap_or(if draft.small() { LAB_TREE } else { TREE });
    let (jobs, depth) = jobs(draft, &workload);
    let sizes = draft.options.sizes.clone();
    let block = sizes.as_ref().map_or(workload.block, Sizes::most);
    Workload { jobs, depth, block, sizes, span: tree.bytes(jobs, block), tree: Some(tree), ..workload }
}

/// A way of making blocks durable that is asked for with files by their names beside them: these are synced before they are closed, or not.
pub(super) fn sync_by_name(load: &mut Workload) {
    if load.durability != Durability::None {
        load.durability = Durability::Fsync;
    }
}

/// With the kind of its file system: `/mnt/x (ceph)`.
fn target(site: &Site, place: Place) -> Target {
    let kind = file_system(site).map_or(String::new(), |seen| format!(" ({})", seen.kind));
    let of = format!("{}{kind}", site.wish.path.display());
    let name = name_on(site, &of);
    let client = site.host.as_ref().map(|host| Client { host: host.end.host.clone(), of });
    let on_cephfs = file_system(site).is_some_and(FileSystemSeen::of_ceph);
    Target { client, on_cephfs, ..Target::new(Layer::File, name, place) }
}

fn file_system(site: &Site) -> Option<&FileSystemSeen> {
    site.seen.as_ref().ok()?.file_system.as_ref()
}

/// Of these folders: what does not reach who keeps the files, and where else the same file system is mounted.
pub fn notes(inventory: &Inventory, plan: &Plan) -> Vec<String> {
    if !plan.steps.iter().any(|step| step.layer == Layer::File) {
        return Vec::new();
    }
    let of = |site: &Site| {
        let (path, seen) = (name_on(site, &site.wish.path.display().to_string()), file_system(site)?);
        let fuse = format!(
            "{path} is of {}: its program answers as it likes, from a cache of its own too, so that `stat` is measured as `stat-cached` alone",
            seen.kind
        );
        let at = seen.also_at.join(", ");
        let also = match seen.certain {
            true => format!(
                "{path}: the same file system is mounted at {at} as well; what is done there is in these figures"
            ),
            false => format!(
                "{path}: {at} may be mounts of the same file system; if so, what is done there is in these figures"
            ),
        };
        let through = format!(
            "{path}: its blocks go through the page cache of the host that loads them ({PAGE_CACHE}=on): reads begin with nothing of the file \
             in it, and what was read once is answered from there, so that a figure is of both (a large working set: of the first, a small one: of \
             the second); writes count when they have been flushed"
        );
        let unsynced = format!(
            "{path}: files that are made, appended to and rewritten by their names without --sync may lie in this host's page cache alone when \
             they count (by libcephfs and from NFS servers, without a mount, they are stable then); --sync fsync counts them when they have arrived"
        );
        let of_it = |step: &Step| {
            step.targets
                .iter()
                .any(|target| matches!(&target.place, Place::Tree { path } if path.parent() == Some(&site.wish.path)))
        };
        let unsynced_is = plan.steps.iter().any(|step| of_it(step) && writes_unsynced(&step.workload));
        let cached = plan.steps.iter().any(|step| step.layer == Layer::File && step.workload.through_page_cache());
        let notes =
            [(seen.of_fuse(), fuse), (!seen.also_at.is_empty(), also), (cached, through), (unsynced_is, unsynced)];
        Some(notes.into_iter().filter(|(is, _)| *is).map(|(_, says)| says).collect::<Vec<_>>())
    };
    let served = inventory.exports.iter().map(|seen| {
        format!(
            "{}: what its server has in memory it answers from there; reads of less than that say little of the pool",
            seen.export
        )
    });
    inventory.folders.iter().filter_map(of).flatten().chain(served).collect()
}

fn writes_unsynced(load: &Workload) -> bool {
    let writes = [OpClass::Create, OpClass::Append, OpClass::Rewrite].into_iter().any(|class| load.mix.has(class));
    writes && load.durability == Durability::None
}

fn refuse(site: &Site) -> Result<(), Failure> {
    let path = site.wish.path.display();
    let seen = site.seen.as_ref().map_err(|not| Failure::from(not.clone()))?;
    match seen.found {
        PathKind::Folder => Ok(()),
        PathKind::Nothing => Err(Failure::Usage(format!("{path}: there is no such folder; make it, or mount it"))),
        PathKind::File(_) | PathKind::Device(_) => Err(Failure::Usage(format!(
            "{path}: is no folder; name a folder of a mounted file system (a file or device: fathom disk {path})"
        ))),
    }
}

fn refuse_too_large(site: &Site, steps: &[(Pattern, Workload)], needed: Bytes) -> Result<(), Failure> {
    let path = site.wish.path.display();
    steps.iter().try_for_each(|(_, load)| refuse_too_many(load))?;
    if let Some(block) = steps.iter().map(|(_, load)| load).find(|load| !load.of_files() && load.block % SECTOR != 0) {
        return Err(Failure::Usage(format!(
            "{path}: blocks of {} bytes can't be loaded past the page cache; choose a multiple of {SECTOR} bytes, or patterns of files by \
             their names alone",
            block.block
        )));
    }
    let seen = site.seen.as_ref().ok();
    let names = steps.iter().map(|(_, load)| names_of(load)).max().unwrap_or(0);
    refuse_without_room(&path.to_string(), names, seen.and_then(|seen| seen.files_free))?;
    match seen.and_then(|seen| seen.free).filter(|free| needed as f64 > *free as f64 * MOST) {
        Some(free) => Err(Failure::Usage(format!(
            "{path}: {} would be written, and its file system, or a quota there, has {} left, of which nine tenths may be taken; make room there, or write \
             less: --working-set SIZE, --tree LEVELSxFOLDERSxFILES",
            units::bytes(needed),
            units::bytes(free)
        ))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::file_library::BLOCKS_LEAST;
    use super::*;
    use crate::planner::{self, testing};
    use std::collections::BTreeSet;

    fn request(folders: &[&str]) -> Request {
        let mut request = testing::request(&[Layer::File]);
        request.targets.folders = folders.iter().map(Into::into).collect();
        request
    }

    fn plan(request: &Request, sites: Vec<Site>) -> Result<model::Plan, Failure> {
        planner::plan(&Inventory { folders: sites, ..testing::inventory(0) }, request)
    }

    fn of_kind(kind: &str) -> Site {
        let mut site = testing::folder("/mnt");
        let seen = FileSystemSeen { kind: kind.into(), also_at: Vec::new(), certain: true };
        site.seen.iter_mut().for_each(|told| told.file_system = Some(seen.clone()));
        site
    }

    #[test]
    fn blocks_of_a_file_and_files_by_their_names_in_a_folder_of_the_runs_own() {
        let plan = plan(&request(&["/mnt"]), vec![testing::folder("/mnt")]).unwrap();
        let what: Vec<String> = plan.changes.iter().map(Change::what).collect();
        assert!(what.iter().any(|what| what.starts_with("file /mnt/fathom.2026")), "{what:?}");
        assert!(what.iter().any(|what| what.starts_with("folder /mnt/fathom.2026")), "{what:?}");
        let (names, data): (Vec<&Step>, Vec<&Step>) = plan.steps.iter().partition(|step| step.pattern.is_metadata());
        // A durable write in two ways.
        assert_eq!((names.len(), data.len()), (6, 7));
        assert!(data.iter().all(|step| step.chart && matches!(step.targets[0].place, Place::Path { .. })));
        for step in names {
            let load = &step.workload;
            assert!(!step.chart && matches!(step.targets[0].place, Place::Tree { .. }), "{step:?}");
            assert_eq!((load.jobs, load.depth, load.span), (16, 16, TREE.bytes(16, 4096)));
        }
    }

    #[test]
    fn a_rate_makes_no_more_trees_than_there_are_jobs_without_it() {
        let mut request = request(&["/mnt"]);
        request.workload.patterns = vec![Pattern::CreateDelete, Pattern::ReadLatency];
        request.workload.rate =
            Some(model::Rate { per_second: 100.0, arrivals: model::Arrivals::Poisson, by_job: false });
        let depths = |request: &Request| {
            let plan = plan(request, vec![testing::folder("/mnt")]).unwrap();
            let of = |step: &Step| (step.workload.of_files(), step.workload.jobs, step.workload.depth);
            plan.steps.iter().map(of).collect::<BTreeSet<_>>()
        };
        assert_eq!(depths(&request), BTreeSet::from([(true, 16, 16), (false, 1, 256)]));
        request.workload.patterns = vec![Pattern::CreateDelete];
        request.workload.jobs = Some(40);
        assert_eq!(depths(&request), BTreeSet::from([(true, 40, 40)]));
    }

    #[test]
    fn files_by_their_names_are_synced_in_the_one_way_there_is() {
        let mut request = request(&["/mnt"]);
        let of_names = |request: &Request| {
            let plan = plan(request, vec![of_kind("xfs")]).unwrap();
            let notes = notes(&Inventory { folders: vec![of_kind("xfs")], ..testing::inventory(0) }, &plan);
            let names = plan.steps.iter().filter(|step| step.workload.of_files());
            let ways: Vec<Durability> = names.map(|step| step.workload.durability).collect();
            (ways, notes.iter().any(|note| note.contains("page cache alone")))
        };
        let (ways, told) = of_names(&request);
        assert!(ways.iter().all(|way| *way == Durability::None) && told, "{ways:?}");
        request.workload.durability = Some(Durability::Fdatasync);
        let (ways, told) = of_names(&request);
        assert!(!ways.is_empty() && ways.iter().all(|way| *way == Durability::Fsync) && !told, "{ways:?}");
    }

    #[test]
    fn stat_that_a_cache_may_answer_is_in_no_mix() {
        let mut request = request(&["/mnt"]);
        request.workload.mix = Some(model::OpMix::halves(OpClass::Stat, OpClass::Open));
        assert!(plan(&request, vec![testing::folder("/mnt")]).is_ok());
        assert!(
            plan(&request, vec![of_kind("fuse.sshfs")]).unwrap_err().to_string().contains("take stat-cached instead")
        );
        let cephfs = Inventory { cephfs: Some(testing::cephfs()), ..testing::inventory(3) };
        request.targets.folders.clear();
        let told = planner::plan(&cephfs, &request).unwrap_err().to_string();
        assert!(told.contains("take stat-cached instead"), "{told}");
    }

    #[test]
    fn files_are_made_and_deleted_by_halves() {
        let mut request = request(&["/mnt"]);
        request.workload.patterns = vec![Pattern::CreateDelete];
        request.workload.jobs = Some(3);
        let plan = plan(&request, vec![testing::folder("/mnt")]).unwrap();
        assert_eq!(plan.steps.len(), 1);
        let load = &plan.steps[0].workload;
        assert_eq!((load.jobs, load.depth), (3, 3));
        assert_eq!(load.mix.classes().collect::<Vec<_>>(), [OpClass::Create, OpClass::Delete]);
        assert_eq!(plan.changes.len(), 1, "no file for blocks that nobody loads: {:?}", plan.changes);
    }

    #[test]
    fn a_file_system_of_the_cluster_is_loaded_by_its_library() {
        let inventory = Inventory { cephfs: Some(testing::cephfs()), ..testing::inventory(3) };
        let plan = planner::plan(&inventory, &testing::request(&[Layer::File])).unwrap();
        let [Change::CephfsFolder { file_system, path, data_pool: None }] = &plan.changes[..] else {
            panic!("{:?}", plan.changes)
        };
        assert!(file_system == "cephfs" && path.starts_with("/fathom.2026") && path.ends_with(".cephfs"), "{path}");
        assert_eq!(plan.steps.len(), 11);
        for step in &plan.steps {
            let load = &step.workload;
            assert_eq!((load.jobs, load.durability), (load.depth, Durability::None), "{step:?}");
            assert!(load.lane_span() >= load.block * BLOCKS_LEAST && step.loads_ceph(), "{step:?}");
        }
    }

    #[test]
    fn one_folder_that_is_mounted_in_several_ways_gets_names_of_its_own_by_each() {
        let request = request(&["/mnt/kernel", "/mnt/fuse"]);
        let folders = vec![testing::folder("/mnt/kernel"), testing::folder("/mnt/fuse")];
        let inventory = Inventory { folders, cephfs: Some(testing::cephfs()), ..testing::inventory(3) };
        let plan = planner::plan(&inventory, &request).unwrap();
        let what = plan.changes.iter().map(Change::what);
        let names: BTreeSet<String> =
            what.filter_map(|what| Some(what.split("fathom.2026").nth(1)?.split(' ').next()?.to_string())).collect();
        assert_eq!(names.len(), plan.changes.len(), "{:?}", plan.changes);
        assert_eq!(names.len(), 5);
    }

    #[test]
    fn what_is_no_folder_has_no_room_or_is_named_twice_is_told() {
        let seen = |change: fn(&mut model::SiteSeen)| {
            let mut site = testing::folder("/mnt");
            change(site.seen.as_mut().unwrap());
            vec![site]
        };
        let why = |folders: &[&str], sites| plan(&request(folders), sites).unwrap_err().to_string();
        let none = why(&[], Vec::new());
        assert!(none.contains("no file system is named"), "{none}");
        let nothing = why(&["/mnt"], seen(|seen| seen.found = PathKind::Nothing));
        assert!(nothing.contains("/mnt: there is no such folder"), "{nothing}");
        let file = why(&["/mnt"], seen(|seen| seen.found = PathKind::File(7)));
        assert!(file.contains("fathom disk /mnt"), "{file}");
        let no_inodes = why(&["/mnt"], seen(|seen| seen.files_free = Some(16_384)));
        assert!(no_inodes.contains("17,568 files and folders") && no_inodes.contains("room for 16,384"), "{no_inodes}");
        let full = why(&["/mnt"], seen(|seen| seen.free = Some(GIB)));
        assert!(full.contains("1 GiB left") || full.contains("1.0 GiB left"), "{full}");
        let twice = why(&["/mnt", "/mnt"], vec![testing::folder("/mnt")]);
        assert!(twice.contains("named twice"), "{twice}");
    }
}
