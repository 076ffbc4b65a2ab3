//! Pools of a sweep whose data lie on a given number of a lab's OSDs: which those are, and where each placement group goes.

use super::draft::Draft;
use model::{Failure, OsdScope, Setting, SweepAxis};
use std::collections::BTreeMap;

/// The most replicas, as a cluster has them by default.
const REPLICAS: u32 = 3;

/// Where the data of a pool lie.
pub struct Subset {
    /// The same for all points, so that their pools differ by nothing but the number of OSDs: as many as the smallest can have.
    pub size: u32,
    /// OSDs of a placement group, in turns.
    pub sets: Vec<Vec<u32>>,
    /// Enough groups for the point with the most OSDs.
    pub pg_num: u32,
}

fn axis<'a>(draft: &Draft<'a>) -> Option<&'a SweepAxis> {
    draft.request.experiment.axes().iter().find(|axis| axis.name == "osds")
}

fn numbers(axis: &SweepAxis) -> impl Iterator<Item = u32> + '_ {
    axis.values.iter().filter_map(Setting::number).map(|number| number as u32)
}

fn usable<'a>(draft: &Draft<'a>) -> Vec<&'a OsdScope> {
    draft.inventory.scope.osds.iter().filter(|osd| osd.up && osd.inside).collect()
}

/// Placement by hand is for a cluster that carries nobody's data.
pub fn refuse(draft: &Draft) -> Result<(), Failure> {
    let Some(axis) = axis(draft) else { return Ok(()) };
    if draft.inventory.lab.is_none() {
        return Err(Failure::Refused(
            "--axis osds: pools are put on chosen OSDs only in a lab; name one with --lab (fathom lab up --osds 6)"
                .to_string(),
        ));
    }
    if draft.request.targets.pool.is_some() {
        return Err(Failure::Usage("--axis osds: --pool lies where it lies; leave one of them out".to_string()));
    }
    let groups =
        draft.request.experiment.axes().iter().find(|axis| axis.name == "pgs").and_then(|axis| numbers(axis).min());
    let groups = groups.or(draft.request.workload.pgs);
    if let Some(few) = groups.filter(|groups| numbers(axis).any(|osds| osds > *groups)) {
        let text = format!("--axis osds: a pool of {few} placement groups can't lie on more than {few} OSDs");
        return Err(Failure::Usage(text));
    }
    let (most, there) = (numbers(axis).max().unwrap_or(0) as usize, usable(draft).len());
    if most > there {
        let text = format!(
            "--axis osds: {most} is more than the {there} OSDs that are up in this lab (fathom lab up --osds N)"
        );
        return Err(Failure::Usage(text));
    }
    Ok(())
}

/// The OSDs of the point that is planned for now; `None`: the sweep is not over OSDs.
pub fn subset(draft: &Draft) -> Option<Subset> {
    let (axis, count) = (axis(draft)?, draft.options.osds?);
    let size = REPLICAS.min(numbers(axis).min()?);
    let most = numbers(axis).max()?;
    let chosen = in_turns(&usable(draft));
    let pg_num = (most * 11).next_power_of_two().clamp(16, 256);
    Some(Subset { size, sets: sets(&chosen[..count as usize], size), pg_num })
}

/// One OSD of each host, then the next of each: the first of them lie on as many hosts as can be.
fn in_turns(osds: &[&OsdScope]) -> Vec<(u32, String)> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut turns: Vec<(usize, u32, String)> = Vec::new();
    for osd in osds {
        let turn = seen.entry(&osd.host).or_default();
        turns.push((*turn, osd.id, osd.host.clone()));
        *turn += 1;
    }
    turns.sort();
    turns.into_iter().map(|(_, id, host)| (id, host)).collect()
}

/// A set that begins with each of the OSDs, so that each is as often the first. The others lie on different hosts, as far as there
/// are enough, and are those that are used least.
fn sets(osds: &[(u32, String)], size: u32) -> Vec<Vec<u32>> {
    let mut used = vec![1; osds.len()];
    let mut set = |first: usize| {
        let mut own = vec![first];
        while own.len() < (size as usize).min(osds.len()) {
            let beside = |at: &usize| own.iter().any(|other| osds[*other].1 == osds[*at].1);
            let round = (1..osds.len()).map(|on| (first + on) % osds.len()).filter(|at| !own.contains(at));
            let Some(next) = round.min_by_key(|at| (beside(at), used[*at])) else { break };
            used[next] += 1;
            own.push(next);
        }
        own.into_iter().map(|at| osds[at].0).collect()
    };
    (0..osds.len()).map(&mut set).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn osds(hosts: &[&str]) -> Vec<(u32, String)> {
        let all: Vec<OsdScope> = hosts
            .iter()
            .zip(0..)
            .map(|(host, id)| OsdScope { id, host: host.to_string(), up: true, inside: true, ..OsdScope::default() })
            .collect();
        in_turns(&all.iter().collect::<Vec<_>>())
    }

    #[test]
    fn every_osd_of_the_subset_is_used_and_no_other() {
        assert_eq!(sets(&osds(&["a"]), 1), [[0]]);
        assert_eq!(sets(&osds(&["a", "a", "a"])[..2], 1), [[0], [1]]);
        assert_eq!(sets(&osds(&["a", "a", "a"]), 2), [[0, 1], [1, 2], [2, 0]]);
    }

    #[test]
    fn replicas_lie_on_different_hosts_where_there_are_enough() {
        let four = osds(&["a", "a", "b", "c"]);
        assert_eq!(four.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [0, 2, 3, 1]);
        for set in sets(&four, 3) {
            let hosts: BTreeSet<&str> =
                set.iter().map(|id| four.iter().find(|osd| osd.0 == *id).unwrap().1.as_str()).collect();
            assert_eq!((set.len(), hosts.len()), (3, 3), "{set:?}");
        }
        let shares = [0, 1, 2, 3].map(|osd| sets(&four, 3).iter().flatten().filter(|id| **id == osd).count());
        assert_eq!(shares, [2, 2, 4, 4], "two OSDs of one host share what each of the others has");
        assert_eq!(sets(&osds(&["a", "a"]), 2), [[0, 1], [1, 0]], "else on different OSDs");
    }
}
