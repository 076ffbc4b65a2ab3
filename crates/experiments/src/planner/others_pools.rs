//! What a run makes in pools that were there before: images only where those of RBD are, and no more than the pool's quota has room for.

use super::osd_room::PART;
use crate::layers::file;
use model::shell::word;
use model::units::bytes as shown;
use model::workload::MIB;
use model::{Bytes, Change, Failure, ImageState, ImageStates, Place, Plan, PoolScope, Quota, Scope, Step};
use std::collections::BTreeMap;

/// Size of the objects with an image's data, unless the cluster says otherwise.
const IMAGE_OBJECT: Bytes = 4 * MIB;
/// Size of the objects with a file's data, unless its layout says otherwise.
const FILE_OBJECT: Bytes = 4 * MIB;
/// Beside its data an image has a name, a header and an object map; its pool has three objects with all of its images.
const IMAGE_FURTHER: u64 = 3;
const INDEX: u64 = 3;

/// Before anything is made.
pub fn refuse(scope: &Scope, plan: &Plan) -> Result<(), Failure> {
    let later = plan.experiment.image_states().map(of_rounds).unwrap_or_default();
    let changes = &[plan.changes.as_slice(), &later].concat();
    for pool in used(scope, changes, &plan.steps) {
        refuse_without_images(pool, changes)?;
        refuse_full(pool)?;
        refuse_beyond_quota(pool, changes, &plan.steps)?;
    }
    Ok(())
}

/// Images that are made while the run goes on.
fn of_rounds(states: &ImageStates) -> Vec<Change> {
    let image = |state: ImageState| states.made(states.image(state));
    // And what a snapshot keeps.
    [ImageState::Fresh, ImageState::Clone, ImageState::Flattened, ImageState::Snapshot].map(image).into()
}

/// Those that were there and get something.
fn used<'s>(scope: &'s Scope, changes: &[Change], steps: &[Step]) -> Vec<&'s PoolScope> {
    let places: Vec<&Place> = steps.iter().flat_map(|step| &step.targets).map(|target| &target.place).collect();
    let of_files = |known: &PoolScope| {
        places.iter().any(|place| matches!(place, Place::Cephfs { data_pool: Some(pool), .. } if *pool == known.name))
    };
    let gets = |known: &&PoolScope| {
        of_files(known)
            || changes.iter().any(|change| match change {
                Change::Image { pool, data_pool, .. } => *pool == known.name || data_pool.as_ref() == Some(&known.name),
                Change::Objects { pool, .. } => *pool == known.name,
                _ => false,
            })
    };
    scope.pools.iter().filter(gets).collect()
}

/// RBD would leave its lists of images there, in a pool of CephFS or of the gateway.
fn refuse_without_images(pool: &PoolScope, changes: &[Change]) -> Result<(), Failure> {
    let (name, word) = (&pool.name, word(&pool.name));
    let images = changes.iter().any(|change| matches!(change, Change::Image { pool: of, .. } if of == name));
    let of_data = |change: &Change| matches!(change, Change::Image { data_pool: Some(of), .. } if of == name);
    let data = changes.iter().any(of_data);
    if !images && !data {
        return Ok(());
    }
    if images && pool.erasure_k.is_some() {
        return Err(Failure::Refused(format!(
            "pool {name} is erasure-coded: RBD keeps no images in such pools, only their data; give --data-pool {word}, \
             and by --pool a replicated one that keeps their names; or leave the pool out, so that Fathom makes one of its own"
        )));
    }
    if data && pool.overwrites == Some(false) {
        return Err(Failure::Refused(format!(
            "--data-pool {word}: the pool is erasure-coded and takes no writes to parts of objects, as images need them; \
             `ceph osd pool set {word} allow_ec_overwrites true` allows them, for good; or name another pool"
        )));
    }
    if pool.applications.is_empty() || pool.applications.iter().any(|of| of == "rbd") {
        return Ok(());
    }
    Err(Failure::Refused(format!(
        "pool {name} is of application {}, not of rbd: images would leave RBD's lists (rbd_directory, rbd_info, rbd_trash) in it; name a pool of \
         rbd, or leave the pool out, so that Fathom makes one of its own",
        pool.applications.join(", ")
    )))
}

fn refuse_full(pool: &PoolScope) -> Result<(), Failure> {
    let spent = |quota: Option<Quota>| quota.is_some_and(|quota| quota.left() == 0);
    if !pool.full && !spent(pool.quota_bytes) && !spent(pool.quota_objects) {
        return Ok(());
    }
    Err(Failure::Refused(format!(
        "pool {} is full: writes to it wait, the run's as well; make room in it, raise its quota (ceph osd pool set-quota), or name another pool",
        pool.name
    )))
}

fn refuse_beyond_quota(pool: &PoolScope, changes: &[Change], steps: &[Step]) -> Result<(), Failure> {
    let needed = needed(pool, changes, steps);
    let Some((limit, needed)) = too_small(pool, needed) else { return Ok(()) };
    Err(Failure::Refused(format!(
        "pool {} has {}; the run would put {needed} into it, and takes at most half of what is left, so that its users can go on writing: \
         give a smaller --working-set (of a job file: size), or name another pool",
        pool.name, limit
    )))
}

/// Where a quota of a pool has too little room for what is planned: which.
pub fn short(scope: &Scope, changes: &[Change], steps: &[Step]) -> Option<String> {
    let limit = |pool: &PoolScope| Some((too_small(pool, needed(pool, changes, steps))?.0, pool.name.clone()));
    used(scope, changes, steps).into_iter().find_map(limit).map(|(limit, pool)| format!("pool {pool} has {limit}"))
}

/// Bytes and objects.
type Amount = (Bytes, u64);

/// The quota, and what it has too little room for.
fn too_small(pool: &PoolScope, (bytes, objects): Amount) -> Option<(String, String)> {
    let beyond = |quota: &Quota, needed: u64| needed as f64 > quota.left() as f64 * PART;
    if let Some(quota) = pool.quota_bytes.filter(|quota| beyond(quota, bytes)) {
        return Some((
            format!("a quota of {}, of which {} are left", shown(quota.most), shown(quota.left())),
            shown(bytes),
        ));
    }
    let quota = pool.quota_objects.filter(|quota| beyond(quota, objects))?;
    let limit = format!("a quota of {} objects, of which {} are left", quota.most, quota.left());
    Some((limit, format!("{objects} objects")))
}

/// Without replicas, as quotas count.
fn needed(pool: &PoolScope, changes: &[Change], steps: &[Step]) -> Amount {
    let [(mut bytes, mut objects), of_files] = [of_objects(pool, steps), of_files(pool, steps)];
    (bytes, objects) = (bytes + of_files.0, objects + of_files.1);
    let mut index = 0;
    for change in changes {
        let Change::Image { pool: of, data_pool, bytes: own, .. } = change else { continue };
        if *of == pool.name {
            objects += IMAGE_FURTHER;
            index = INDEX;
        }
        if *data_pool.as_ref().unwrap_or(of) == pool.name {
            bytes += own;
            objects += own.div_ceil(IMAGE_OBJECT);
        }
    }
    (bytes, objects + index)
}

/// Of a folder the blocks of all its steps are in the same files, and each tree is made in the place of the one before.
fn of_files(pool: &PoolScope, steps: &[Step]) -> Amount {
    let mut folders: BTreeMap<(&str, bool), Amount> = BTreeMap::new();
    for (step, target) in steps.iter().flat_map(|step| step.targets.iter().map(move |target| (step, target))) {
        let Place::Cephfs { path, data_pool, .. } = &target.place else { continue };
        if data_pool.as_ref() != Some(&pool.name) {
            continue;
        }
        let load = &step.workload;
        let (bytes, files) = match load.of_files() {
            true => (file::of_names(load), file::names_of(load)),
            false => (load.span, u64::from(load.jobs)),
        };
        let most = folders.entry((path, load.of_files())).or_default();
        *most = (bytes.max(most.0), (bytes / FILE_OBJECT + files).max(most.1));
    }
    folders.values().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
}

/// Steps with the same objects share them.
fn of_objects(pool: &PoolScope, steps: &[Step]) -> Amount {
    let mut sets: BTreeMap<String, Amount> = BTreeMap::new();
    for step in steps {
        let Some(needed) = model::ObjectsNeeded::of(step.layer, &step.workload) else { continue };
        for target in &step.targets {
            let Place::Pool { pool: of, prefix } = &target.place else { continue };
            if *of == pool.name {
                let set = sets.entry(format!("{prefix} {} {}", needed.family, needed.size)).or_default();
                *set = (needed.bytes.max(set.0), needed.count.max(set.1));
            }
        }
    }
    sets.values().fold((0, 0), |sum, set| (sum.0 + set.0, sum.1 + set.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::{notes, plan, testing};
    use crate::{Request, Targets};
    use model::{Layer, Pattern};

    const GIB: Bytes = 1 << 30;

    fn with(pool: PoolScope) -> model::Inventory {
        let mut inventory = testing::inventory(3);
        inventory.scope.pools = vec![PoolScope { name: "theirs".into(), size: 3, ..pool }];
        inventory
    }

    fn request(layer: Layer, working_set: Option<Bytes>) -> Request {
        let mut request = testing::request(&[layer]);
        request.targets = Targets { pool: Some("theirs".into()), ..Targets::default() };
        request.workload.working_set = working_set;
        request.workload.patterns = vec![Pattern::WriteLatency];
        request
    }

    fn quota(most: u64, used: u64) -> Option<Quota> {
        Some(Quota { most, used })
    }

    fn why(pool: PoolScope, layer: Layer, working_set: Option<Bytes>) -> Option<String> {
        match plan(&with(pool), &request(layer, working_set)) {
            Ok(_) => None,
            Err(Failure::Refused(why)) => Some(why),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn a_quota_is_filled_to_half_at_most() {
        let bytes = |most, used| PoolScope { quota_bytes: quota(most, used), ..PoolScope::default() };
        for layer in [testing::images(), testing::pools()] {
            assert_eq!(why(bytes(GIB, 0), layer, Some(GIB / 2)), None, "{layer:?}");
            let said = why(bytes(GIB, GIB / 8), layer, Some(GIB / 2)).unwrap();
            for part in ["pool theirs", "quota of 1 GiB", "896 MiB", "512 MiB", "--working-set"] {
                assert!(said.contains(part), "{said}");
            }
            assert!(why(bytes(GIB, GIB), layer, None).unwrap().contains("is full"));
            assert!(why(PoolScope { full: true, ..PoolScope::default() }, layer, None).unwrap().contains("is full"));
            let objects = PoolScope { quota_objects: quota(300, 200), ..PoolScope::default() };
            let said = why(objects, layer, Some(GIB)).unwrap();
            assert!(said.contains("300 objects, of which 100 are left") && said.contains("--working-set"), "{said}");
        }
    }

    #[test]
    fn the_usual_working_sets_follow_the_quota() {
        let inventory = with(PoolScope { quota_bytes: quota(GIB, 0), ..PoolScope::default() });
        for layer in [testing::images(), testing::pools()] {
            let request = request(layer, None);
            let plan = plan(&inventory, &request).unwrap();
            let (bytes, _) = needed(&inventory.scope.pools[0], &plan.changes, &plan.steps);
            assert!(bytes > GIB / 8 && bytes <= GIB / 2, "{layer:?}: {bytes}");
            let said = notes(&inventory, &request, &plan).join(" ");
            assert!(said.contains("pool theirs has a quota of 1 GiB") && said.contains("of the usual"), "{said}");
        }
    }

    #[test]
    fn images_are_made_only_where_images_may_be() {
        let of = |names: &[&str]| PoolScope {
            applications: names.iter().map(|name| name.to_string()).collect(),
            ..PoolScope::default()
        };
        for (names, layer, refused) in [
            (&[][..], testing::images(), false),
            (&["rbd"], testing::images(), false),
            (&["mine", "rbd"], testing::images(), false),
            (&["cephfs"], testing::images(), true),
            // Its objects go again, and nothing stays.
            (&["cephfs"], testing::pools(), false),
        ] {
            let said = why(of(names), layer, Some(16 * MIB));
            assert_eq!(said.is_some(), refused, "{names:?} {layer:?}: {said:?}");
            assert!(said.is_none_or(|said| said.contains("pool theirs is of application cephfs")));
        }
        let erasure = PoolScope { erasure_k: Some(2), ..of(&["rbd"]) };
        assert!(why(erasure, testing::images(), Some(16 * MIB)).unwrap().contains("erasure-coded"));
    }
}
