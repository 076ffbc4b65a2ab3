//! Steps of the osd layer: each OSD through a pool of size 1, in objects that map to it.

use crate::planner::draft::Draft;
use crate::planner::groups;
use model::pattern::Family;
use model::workload::{GIB, MIB};
use model::{Bytes, Change, Failure, Inventory, Layer, Pattern, Place, Plan, Target, Workload};
use std::collections::BTreeSet;

pub(super) const LAYER: Layer = Layer::Osd;
const SPAN: Bytes = GIB;
const LAB_SPAN: Bytes = 64 * MIB;

pub fn add(draft: &mut Draft) -> Result<(), Failure> {
    check_wished(draft, Layer::Osd)?;
    let pool = draft.name("osd");
    let pg_num = groups::of_one_copy(draft, &pool)?;
    draft.change(Change::Pool { name: pool.clone(), pg_num, size: Some(1), on: Vec::new(), like: None });
    if groups::spreads(draft) {
        draft.change(Change::Spread { pool: pool.clone() });
    }
    let span = draft.fitting(if draft.small() { LAB_SPAN } else { SPAN });
    for (pattern, workload) in draft.workloads(Layer::Osd, span) {
        group(draft, Layer::Osd, |osd| Place::Osd { osd, pool: pool.clone(), replicas: Vec::new() }, pattern, workload);
    }
    Ok(())
}

/// Each OSD alone, all at once, or both (see [`crate::Request::thorough`]).
pub fn group(draft: &mut Draft, layer: Layer, place: impl Fn(u32) -> Place, pattern: Pattern, workload: Workload) {
    let targets: Vec<Target> = draft
        .osds()
        .iter()
        .filter(|osd| layer != Layer::Osd || osd.takes_data())
        .map(|osd| Target {
            host: Some(osd.host.clone()),
            ..Target::new(layer, format!("osd.{}", osd.id), place(osd.id))
        })
        .collect();
    let request = draft.request;
    let swept = request.experiment.is_sweep();
    let alone = match swept {
        // A point of a sweep is one figure: all at once, unless each is asked for.
        true => request.targets.each_alone || targets.len() == 1,
        false => request.thorough || pattern.family() == Family::Latency || targets.len() == 1,
    };
    if alone {
        for round in rounds(draft, &targets, pattern) {
            draft.step_apart(pattern, round, workload.clone());
        }
    }
    let both = request.thorough && !swept;
    if targets.len() > 1 && !request.targets.each_alone && (both || !alone) {
        draft.step(pattern, targets, workload, !alone);
    }
}

/// One operation in flight at each of some OSDs: they share nothing if each lies on a machine of its own, and this host has two
/// processors for each. What fills an OSD, is compared with itself or searched has its turn alone; and a lab is one machine.
fn rounds(draft: &Draft, targets: &[Target], pattern: Pattern) -> Vec<Vec<Target>> {
    let request = draft.request;
    let own_machines = draft.inventory.lab.is_none() && several_machines(draft);
    let plain = !request.experiment.compares_steps();
    let processors = std::thread::available_parallelism().map_or(1, |number| number.get());
    let most = if own_machines && plain && pattern.family() == Family::Latency { processors / 2 } else { 1 };
    of_different_hosts(targets, most.max(1))
}

/// Do agents know of hosts that they run on one and the same kernel?
fn several_machines(draft: &Draft) -> bool {
    let boots: Vec<&String> = draft.inventory.hosts.iter().map(|host| &host.boot).collect();
    boots.iter().collect::<BTreeSet<_>>().len() == boots.len()
}

/// Every target once, in rounds of at most `most` targets, no two of them on one host.
fn of_different_hosts(targets: &[Target], most: usize) -> Vec<Vec<Target>> {
    let mut rounds: Vec<Vec<Target>> = Vec::new();
    for target in targets {
        let fits = |round: &&mut Vec<Target>| round.len() < most && round.iter().all(|other| other.host != target.host);
        match rounds.iter_mut().find(fits) {
            Some(round) => round.push(target.clone()),
            None => rounds.push(vec![target.clone()]),
        }
    }
    rounds
}

/// An OSD that was asked for must be there and up, and for the osd layer take data.
pub fn check_wished(draft: &Draft, layer: Layer) -> Result<(), Failure> {
    let known = &draft.inventory.scope.osds;
    for id in &draft.request.targets.osds {
        match known.iter().find(|osd| osd.id == *id) {
            None => {
                let ids: Vec<String> = known.iter().map(|osd| format!("osd.{}", osd.id)).collect();
                return Err(Failure::Usage(format!("osd.{id} does not exist; there are: {}", ids.join(", "))));
            }
            Some(osd) if !osd.up => return Err(Failure::Failed(format!("osd.{id} on host {} is down", osd.host))),
            Some(osd) if layer == Layer::Osd && !osd.takes_data() => {
                let why = if osd.inside { "has no weight in the CRUSH map" } else { "is out" };
                return Err(Failure::Failed(format!(
                    "osd.{id} on host {} {why}: the cluster puts no data on it; see `ceph osd tree`",
                    osd.host
                )));
            }
            Some(_) => {}
        }
    }
    if draft.osds().iter().all(|osd| layer == Layer::Osd && !osd.takes_data()) {
        return Err(Failure::Failed("the cluster has no OSD that is up".to_string()));
    }
    Ok(())
}

/// OSDs that get no placement group of the osd layer's pool, or may get none.
pub fn without_groups(inventory: &Inventory, plan: &Plan) -> Vec<String> {
    if !plan.steps.iter().any(|step| step.layer == Layer::Osd) {
        return Vec::new();
    }
    let without = inventory.scope.osds.iter().filter(|osd| osd.up && !osd.takes_data());
    let without: Vec<String> = without.map(|osd| format!("osd.{}", osd.id)).collect();
    let without = (!without.is_empty()).then(|| {
        format!(
            "the cluster puts no data on {} (out, or without weight in the CRUSH map): the osd layer leaves them out",
            without.join(", ")
        )
    });
    let by_chance = (inventory.scope.pg_upmap == Some(false)).then(|| {
        "placement groups can't be bound to OSDs here (`ceph osd set-require-min-compat-client luminous` would allow it, once \
         all clients are that new): the pool of the osd layer has twice as many of them instead, and an OSD that gets none all \
         the same is not measured"
            .to_string()
    });
    without.into_iter().chain(by_chance).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn osds_that_take_no_data_are_left_out_and_told() {
        let mut inventory = crate::planner::testing::inventory(4);
        inventory.scope.osds[1].crush_weight = Some(0.0);
        inventory.scope.osds[2].inside = false;
        let mut request = crate::planner::testing::request(&[Layer::Osd]);
        let plan = crate::planner::plan(&inventory, &request).unwrap();
        let names: BTreeSet<&str> =
            plan.steps.iter().flat_map(|step| &step.targets).map(|target| target.name.as_str()).collect();
        assert_eq!(names, BTreeSet::from(["osd.0", "osd.3"]));
        let told = without_groups(&inventory, &plan);
        assert!(told.len() == 1 && told[0].contains("osd.1, osd.2"), "{told:?}");
        for (osd, why) in [(1, "no weight"), (2, "is out")] {
            request.targets.osds = vec![osd];
            let failure = crate::planner::plan(&inventory, &request).unwrap_err().to_string();
            assert!(failure.contains(why), "{failure}");
        }
    }

    #[test]
    fn no_two_osds_of_a_host_are_loaded_at_once() {
        let osd = |id: u32| Target {
            host: Some(format!("host{}", id / 2)),
            ..Target::new(Layer::Osd, format!("osd.{id}"), Place::Store { osd: id })
        };
        let targets: Vec<Target> = (0..10).map(osd).collect();
        assert_eq!(of_different_hosts(&targets, 1).len(), 10);
        let rounds = of_different_hosts(&targets, 3);
        assert_eq!(rounds.iter().map(Vec::len).sum::<usize>(), 10);
        for round in &rounds {
            let hosts: BTreeSet<_> = round.iter().map(|target| target.host.clone()).collect();
            assert!(hosts.len() == round.len() && round.len() <= 3, "{round:?}");
        }
        assert!(rounds.len() <= 4, "{}", rounds.len());
    }
}
