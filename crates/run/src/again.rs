//! A sweep that was stopped or killed goes on: its paths are looked at again before they are written to.

use super::resolved::Resolved;
use experiments::planner;
use model::{Failure, Gateway, Inventory, Layer, PathKind, Place, Plan, PoolScope, Scope, SiteWish};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Those that load its steps, as they stand in the list of hosts; none: this one does.
pub fn hosts(plan: &Plan) -> BTreeSet<&str> {
    loading(plan, |_| true)
}

/// Those of them that are guests.
pub fn guests(plan: &Plan) -> BTreeSet<&str> {
    loading(plan, |layer| layer.of_guests())
}

fn loading(plan: &Plan, of: fn(Layer) -> bool) -> BTreeSet<&str> {
    let targets = plan.steps.iter().filter(|step| of(step.layer)).flat_map(|step| &step.targets);
    targets.filter_map(|target| Some(target.client.as_ref()?.host.as_str())).collect()
}

/// Connections to the cluster that a host needs for it.
pub fn connections(plan: &Plan) -> u32 {
    plan.steps.iter().map(|step| step.workload.clients).max().unwrap_or(1)
}

/// The gateways that its steps load, some of them more than once.
pub fn gateways(plan: &Plan) -> impl Iterator<Item = &Gateway> {
    plan.steps.iter().flat_map(|step| &step.targets).filter_map(|target| match &target.place {
        Place::Bucket { gateway, .. } => Some(gateway),
        _ => None,
    })
}

/// Is there room yet, and is the cluster what it was? What differs, to be told beside the run's figures.
///
/// # Errors
/// It can't be asked, or the quota of a pool has no room for the run's data any more.
pub fn prove_cluster(resolved: &Resolved, before: &Scope, plan: &Plan) -> Result<Vec<String>, Failure> {
    let Some(cluster) = &resolved.cluster else { return Ok(Vec::new()) };
    let now = cluster::scope::look(cluster)?;
    let mut found = differences(before, &now, plan);
    found.extend(planner::look_again(&Inventory { scope: now, ..Inventory::default() }, plan)?);
    Ok(found)
}

/// What the cluster is now that it was not when the run began: figures of both are joined in one.
fn differences(before: &Scope, now: &Scope, plan: &Plan) -> Vec<String> {
    let osds = |scope: &Scope| -> BTreeSet<u32> {
        scope.osds.iter().filter(|osd| osd.up && osd.inside).map(|osd| osd.id).collect()
    };
    let named = |ids: BTreeSet<&u32>| ids.iter().map(|id| format!("osd.{id}")).collect::<Vec<_>>().join(", ");
    let (old, new) = (osds(before), osds(now));
    let gone = named(old.difference(&new).collect());
    let come = named(new.difference(&old).collect());
    let mut found = Vec::new();
    found.extend((!gone.is_empty()).then(|| format!("{gone} held data then, and does not now")));
    found.extend((!come.is_empty()).then(|| format!("{come} holds data now, and did not then")));
    if before.versions.get("osd") != now.versions.get("osd") {
        let of = |scope: &Scope| scope.versions.get("osd").map_or("unknown".to_string(), |all| all.join(", "));
        found.push(format!("OSDs were of version {}, and are of {}", of(before), of(now)));
    }
    let used = |pool: &&PoolScope| {
        let places = plan.steps.iter().flat_map(|step| &step.targets);
        places.clone().any(|target| target.place.pools().contains(&pool.name.as_str()))
    };
    for pool in before.pools.iter().filter(used) {
        let same = |other: &&PoolScope| other.id == pool.id && other.name == pool.name;
        match now.pools.iter().find(same) {
            None => found.push(format!("pool {} is gone", pool.name)),
            Some(other) if (other.size, other.pg_num, &other.osds) != (pool.size, pool.pg_num, &pool.osds) => {
                found.push(format!("pool {} has another size, number of placement groups or rule", pool.name));
            }
            Some(_) => {}
        }
    }
    found
        .into_iter()
        .map(|what| {
            format!("{what}: this run's figures are of the cluster before and after that (a new run is of one)")
        })
        .collect()
}

/// Minutes or months lie between. `destroy`: a device that may be written to although it is not empty any more.
pub fn prove_paths(plan: &Plan, destroy: &[PathBuf], resolved: &mut Resolved) -> Result<(), Failure> {
    prove(plan, destroy, &mut |host, wish| resolved.look_in_turn(host, wish))
}

/// What is a path of a host (`None`: this one), and may it be loaded?
type Look<'a> = &'a mut dyn FnMut(Option<&str>, &SiteWish) -> Result<PathKind, Failure>;

fn prove(plan: &Plan, destroy: &[PathBuf], look: Look) -> Result<(), Failure> {
    for step in &plan.steps {
        for target in &step.targets {
            let Place::Path { path, writable } = &target.place else { continue };
            let host = target.client.as_ref().map(|client| client.host.as_str());
            if plan.changes.iter().any(|change| change.is_file(host, path)) {
                continue;
            }
            let least = step.workload.span.max(step.workload.spread.unwrap_or(0));
            let wish = SiteWish { path: path.clone(), writes: *writable, given_up: destroy.contains(path) };
            match look(host, &wish)? {
                // Names of devices may be those of others after a start.
                PathKind::Device(bytes) if target.bytes.is_some_and(|before| before != bytes) => {
                    return Err(Failure::Failed(format!(
                        "{}: is another device now: it has {}, and had {}",
                        target.name,
                        model::units::bytes(bytes),
                        model::units::bytes(target.bytes.unwrap_or(0))
                    )));
                }
                PathKind::Device(bytes) | PathKind::File(bytes) if bytes >= least => {}
                _ => return Err(Failure::Failed(format!("{}: is not there any more, or smaller", target.name))),
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::testing;

    #[test]
    fn what_became_of_the_cluster_meanwhile_is_told() {
        let osd = |id| model::OsdScope { id, up: true, inside: true, ..model::OsdScope::default() };
        let pool = PoolScope { id: 7, name: "vms".into(), size: 3, pg_num: 32, ..PoolScope::default() };
        let before = Scope { osds: vec![osd(0), osd(1)], pools: vec![pool.clone()], ..Scope::default() };
        let place = Place::Pool { pool: "vms".into(), prefix: "fathom.".into() };
        let workload = model::Workload::canonical(model::Pattern::ReadParallel, 1 << 20, 1);
        let target = model::Target::new(testing::pools(), "vms", place);
        let step = model::Step::new(0, testing::pools(), model::Pattern::ReadParallel, vec![target], workload);
        let plan = Plan { steps: vec![step], ..Plan::default() };
        assert!(differences(&before, &before, &plan).is_empty());
        let mut now = before.clone();
        (now.osds[1].up, now.pools[0].size) = (false, 2);
        now.osds.push(osd(2));
        let said = differences(&before, &now, &plan).join("\n");
        for what in ["osd.1 held data then", "osd.2 holds data now", "pool vms has another size"] {
            assert!(said.contains(what), "{said}");
        }
        // Pools that the run does not load are not its affair.
        assert!(!differences(&before, &now, &Plan::default()).join("").contains("vms"));
    }

    #[test]
    fn a_path_is_looked_at_again_before_it_is_written_to() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), vec![7u8; 1 << 20]).unwrap();
        let place = |writable| Place::Path { path: file.path().to_path_buf(), writable };
        let plan = |writable, span| {
            let workload = model::Workload::canonical(model::Pattern::ReadParallel, span, 1);
            let target = model::Target::new(testing::disks(), "x", place(writable));
            let step = model::Step {
                chart: false,
                ..model::Step::new(0, testing::disks(), model::Pattern::ReadParallel, vec![target], workload)
            };
            Plan { steps: vec![step], ..Plan::default() }
        };
        let proven = |plan: Plan, destroy: &[PathBuf]| {
            let mut looks = agents::looks::Looks::default();
            prove(&plan, destroy, &mut |_, wish| Ok(looks.look(wish, true)?.found))
        };
        assert!(proven(plan(false, 1 << 20), &[]).is_ok());
        assert!(proven(plan(true, 1 << 20), &[file.path().to_path_buf()]).is_ok());
        assert!(matches!(proven(plan(true, 1 << 20), &[]), Err(Failure::Refused(_))));
        assert!(matches!(proven(plan(false, 2 << 20), &[]), Err(Failure::Failed(_))));
    }

    /// Of a name that is another drive's since the host started anew: it may hold data, and be given up for the one before.
    #[test]
    fn a_device_of_another_size_is_another_one() {
        let place = Place::Path { path: "/dev/vdb".into(), writable: true };
        let target = model::Target { bytes: Some(8 << 20), ..model::Target::new(testing::disks(), "/dev/vdb", place) };
        let workload = model::Workload::canonical(model::Pattern::WriteParallel, 1 << 20, 1);
        let step = model::Step::new(0, testing::disks(), model::Pattern::WriteParallel, vec![target], workload);
        let plan = Plan { steps: vec![step], ..Plan::default() };
        let proven = |bytes| prove(&plan, &["/dev/vdb".into()], &mut |_, _| Ok(PathKind::Device(bytes)));
        assert!(proven(8 << 20).is_ok());
        let why = proven(16 << 20).unwrap_err().to_string();
        assert!(why.contains("another device now: it has 16 MiB, and had 8 MiB"), "{why}");
    }
}
