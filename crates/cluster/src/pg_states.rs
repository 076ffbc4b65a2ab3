//! In which states placement groups are: how many are not simply active and clean, and waiting until nothing goes on in them.

use crate::admin::Cluster;
use crate::errors::ClusterError;
use model::PgStates;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::thread::sleep;
use std::time::{Duration, Instant};

const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// OSDs tell the manager every five seconds in which states their placement groups are (`mgr_stats_period`): between one step of a
/// recovery, or of a pool that is resized, and the next one it may look as if all were over.
const CALM_FOR: Duration = Duration::from_secs(7);

/// Words in the state of a placement group in which something goes on that takes from the OSDs and comes to an end (Ceph's
/// documentation, "Placement Group States"). What only lacks an OSD (`undersized`), or waits for somebody (`toofull`), stays.
const PASSING: [&str; 15] = [
    "activating",
    "backfill_wait",
    "backfilling",
    "creating",
    "deep",
    "laggy",
    "peering",
    "recovering",
    "recovery_wait",
    "repair",
    "scrubbing",
    "snaptrim",
    "snaptrim_wait",
    "unknown",
    "wait",
];

/// All placement groups of the cluster that are anything but `active+clean`; and how many there are at all.
pub fn look(cluster: &Cluster) -> Result<(PgStates, u32), ClusterError> {
    read(&cluster.ask_manager(json!({"prefix": "pg stat"}))?)
        .ok_or_else(|| ClusterError::answer("pg stat", "it names no states"))
}

/// Newer releases put the summary into a field of its own.
fn read(answer: &Value) -> Option<(PgStates, u32)> {
    let summary = answer.get("pg_summary").unwrap_or(answer);
    let number = |value: &Value, key: &str| Some(value.get(key)?.as_u64()? as u32);
    let states = summary.get("num_pg_by_state")?.as_array()?.iter();
    let other = states.filter_map(|one| Some((one.get("name")?.as_str()?.to_string(), number(one, "num")?)));
    Some((other.filter(|(name, _)| name != "active+clean").collect(), number(summary, "num_pgs")?))
}

/// Words in the state of a placement group that serves nothing for a moment only, while its OSDs agree on it, or while it becomes one with another.
const FOR_A_MOMENT: [&str; 5] = ["activating", "creating", "peering", "premerge", "unknown"];

/// Those of the states in which placement groups serve nothing, and that last: `down`, `incomplete`, `undersized+peered`.
pub(crate) fn inactive(states: &PgStates) -> PgStates {
    let lasts = |name: &str| !name.split('+').any(|word| word == "active" || FOR_A_MOMENT.contains(&word));
    states.iter().filter(|(name, _)| lasts(name)).map(|(name, number)| (name.clone(), *number)).collect()
}

/// Those of the states in which something goes on.
fn passing(states: &PgStates) -> PgStates {
    let passes = |name: &str| name.split('+').any(|word| PASSING.contains(&word));
    states.iter().filter(|(name, _)| passes(name)).map(|(name, number)| (name.clone(), *number)).collect()
}

/// Waits, no longer than `most`, until for some seconds nothing has gone on in any placement group. What still does then. `progress` gets the share of
/// placement groups in which nothing does, and says whether to go on.
pub fn wait_calm(
    cluster: &Cluster,
    most: Duration,
    progress: &mut dyn FnMut(f64) -> bool,
) -> Result<PgStates, ClusterError> {
    let deadline = Instant::now() + most;
    let mut calm_since = None;
    loop {
        let (states, all) = look(cluster)?;
        let busy = passing(&states);
        let calm = all.saturating_sub(busy.values().sum());
        calm_since = if busy.is_empty() { calm_since.or(Some(Instant::now())) } else { None };
        let settled = calm_since.is_some_and(|since| since.elapsed() >= CALM_FOR);
        if settled || Instant::now() >= deadline || !progress(f64::from(calm) / f64::from(all.max(1))) {
            return Ok(busy);
        }
        sleep(LOOK_AGAIN);
    }
}

/// Words in the state of a placement group for which its OSDs read or write much beside what clients ask.
const LABOUR: [&str; 5] = ["backfilling", "deep", "recovering", "repair", "snaptrim"];
/// Where more placement groups are in such states, their list is too long to be asked for every second, and any OSD may have part in it.
const LISTED_MOST: u32 = 100;

/// The OSDs of placement groups in such states, each with the words; where more are than are listed, all OSDs.
pub(crate) fn osds_at_work(
    cluster: &Cluster,
    states: &PgStates,
) -> Result<BTreeMap<u32, BTreeSet<String>>, ClusterError> {
    let in_state = |word: &str| -> u32 {
        let own = states.iter().filter(|(name, _)| name.split('+').any(|one| one == word));
        own.map(|(_, number)| number).sum()
    };
    let words: Vec<&str> = LABOUR.into_iter().filter(|word| in_state(word) > 0).collect();
    let groups: u32 = words.iter().map(|word| in_state(word)).sum();
    if words.is_empty() {
        return Ok(BTreeMap::new());
    }
    if groups > LISTED_MOST {
        return Ok(all_at_work(&cluster.ask(json!({"prefix": "osd ls"}))?, &words));
    }
    Ok(at_work(&cluster.ask_manager(json!({"prefix": "pg ls", "states": words}))?))
}

fn all_at_work(osds: &Value, words: &[&str]) -> BTreeMap<u32, BTreeSet<String>> {
    let words: BTreeSet<String> = words.iter().map(ToString::to_string).collect();
    let osds = osds.as_array().into_iter().flatten().filter_map(Value::as_u64);
    osds.map(|osd| (osd as u32, words.clone())).collect()
}

fn at_work(listed: &Value) -> BTreeMap<u32, BTreeSet<String>> {
    let groups = listed.get("pg_stats").unwrap_or(listed).as_array().into_iter().flatten();
    let mut found: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
    for group in groups {
        let words: BTreeSet<String> =
            group["state"].as_str().unwrap_or_default().split('+').map(String::from).collect();
        let words: BTreeSet<String> = words.into_iter().filter(|word| LABOUR.contains(&word.as_str())).collect();
        let osds = ["acting", "up"].into_iter().flat_map(|set| group[set].as_array().into_iter().flatten());
        // In place of an OSD that is missing stands the largest number.
        let osds = osds.filter_map(Value::as_u64).filter(|osd| *osd < i32::MAX as u64);
        osds.for_each(|osd| found.entry(osd as u32).or_default().extend(words.iter().cloned()));
    }
    found
}

/// What goes on in the placement groups of all pools but these.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct OfOthers {
    pub states: PgStates,
    pub degraded_objects: u64,
    pub misplaced_objects: u64,
}

/// The placement groups of `busy` states, without those of the pools of these names: a pool that was just made peers, and recovers what was
/// written meanwhile.
pub fn without_pools(cluster: &Cluster, busy: &PgStates, pools: &[&str]) -> Result<OfOthers, ClusterError> {
    let words: BTreeSet<&str> = busy.keys().flat_map(|name| name.split('+')).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !["active", "clean"].contains(word)).collect();
    if words.is_empty() {
        return Ok(OfOthers { states: busy.clone(), ..OfOthers::default() });
    }
    let known = cluster.ask(json!({"prefix": "osd lspools"}))?;
    let named = |pool: &&Value| pool["poolname"].as_str().is_some_and(|name| pools.contains(&name));
    let own: Vec<u64> =
        known.as_array().into_iter().flatten().filter(named).filter_map(|pool| pool["poolnum"].as_u64()).collect();
    let listed = cluster.ask_manager(json!({"prefix": "pg ls", "states": words}))?;
    Ok(of_others(&listed, &own))
}

/// Releases before 14 gave the list itself.
fn of_others(listed: &Value, own: &[u64]) -> OfOthers {
    let groups = listed.get("pg_stats").unwrap_or(listed).as_array().into_iter().flatten();
    let mut found = OfOthers::default();
    for group in groups {
        let pool = group["pgid"].as_str().and_then(|id| id.split_once('.')?.0.parse::<u64>().ok());
        let (Some(state), false) = (group["state"].as_str(), pool.is_some_and(|pool| own.contains(&pool))) else {
            continue;
        };
        *found.states.entry(state.to_string()).or_default() += 1;
        let objects = |key: &str| group["stat_sum"][key].as_u64().unwrap_or(0);
        found.degraded_objects += objects("num_objects_degraded");
        found.misplaced_objects += objects("num_objects_misplaced");
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_on_in_pools_of_ones_own_is_not_counted() {
        let group = |id: &str, state: &str, degraded: u64| json!({"pgid": id, "state": state, "stat_sum": {"num_objects_degraded": degraded, "num_objects_misplaced": 0}});
        let listed = [group("3.1f", "active+recovering", 7), group("12.0", "active+recovery_wait+degraded", 2)];
        let of = |own: &[u64]| of_others(&json!({"pg_ready": true, "pg_stats": listed.clone()}), own);
        assert_eq!(of(&[]).states.len(), 2);
        assert_eq!(of(&[3]).degraded_objects, 2);
        assert_eq!(of(&[3]).states, states(&[("active+recovery_wait+degraded", 1)]));
        assert_eq!(of(&[3, 12]), OfOthers::default());
        assert_eq!(of_others(&json!(listed.clone()), &[3]), of(&[3]));
        assert_eq!(of_others(&json!({}), &[]), OfOthers::default());
    }

    #[test]
    fn who_has_part_in_what_goes_on_is_read_of_both_sets() {
        let listed = json!({"pg_stats": [
            {"pgid": "3.1", "state": "active+clean+scrubbing+deep", "acting": [4, 2], "up": [4, 2]},
            {"pgid": "3.2", "state": "active+remapped+backfilling", "acting": [2, 2147483647], "up": [2, 7]},
        ]});
        let words = |words: &[&str]| words.iter().map(|word| word.to_string()).collect::<BTreeSet<_>>();
        let expected = [(2, words(&["backfilling", "deep"])), (4, words(&["deep"])), (7, words(&["backfilling"]))];
        assert_eq!(at_work(&listed), BTreeMap::from(expected));
        assert!(at_work(&json!({})).is_empty());
        let all = all_at_work(&json!([0, 2]), &["backfilling"]);
        assert_eq!(all, BTreeMap::from([(0, words(&["backfilling"])), (2, words(&["backfilling"]))]));
    }

    fn states(of: &[(&str, u32)]) -> PgStates {
        of.iter().map(|(name, number)| (name.to_string(), *number)).collect()
    }

    #[test]
    fn states_are_read_from_both_forms_of_the_answer() {
        let by_state = [json!({"name": "active+clean", "num": 30}), json!({"name": "active+clean+snaptrim", "num": 2})];
        let summary = json!({"num_pg_by_state": by_state, "num_pgs": 32});
        let expected = Some((states(&[("active+clean+snaptrim", 2)]), 32));
        assert_eq!(read(&summary), expected);
        assert_eq!(read(&json!({"pg_ready": true, "pg_summary": summary})), expected);
        assert_eq!(read(&json!({})), None);
    }

    #[test]
    fn what_serves_nothing_and_lasts_is_inactive() {
        let lasting =
            [("down", 1), ("undersized+degraded+peered", 2), ("recovering+undersized+peered", 3), ("incomplete", 4)];
        let others = [
            ("active+undersized+degraded", 5),
            ("remapped+peering", 6),
            ("premerge+peered", 7),
            ("unknown", 8),
            ("stale+active+clean", 9),
        ];
        assert_eq!(inactive(&states(&[&lasting[..], &others].concat())), states(&lasting));
    }

    #[test]
    fn only_what_comes_to_an_end_is_waited_for() {
        let ending = [
            "active+recovering+undersized+degraded+remapped",
            "active+recovery_wait+degraded",
            "active+remapped+backfilling",
            "active+remapped+backfill_wait",
            "active+clean+snaptrim",
            "active+clean+snaptrim_wait",
            "active+clean+scrubbing+deep",
            "active+clean+laggy",
            "active+clean+wait",
            "peering",
            "remapped+peering",
            "activating",
            "creating+peering",
            "unknown",
        ];
        let staying = [
            "active+undersized+degraded",
            "active+clean+remapped",
            "active+remapped+backfill_toofull",
            "active+recovery_toofull+degraded",
            "active+clean+snaptrim_error",
            "active+clean+inconsistent",
            "down",
            "stale+active+clean",
        ];
        let all: PgStates = ending.iter().chain(&staying).map(|name| (name.to_string(), 1)).collect();
        assert_eq!(passing(&all), ending.iter().map(|name| (name.to_string(), 1)).collect());
    }
}
