//! Pools of our own: made, labelled, waited for, deleted.

use crate::admin::Cluster;
use crate::errors::ClusterError;
use crate::pool_like;
use ceph::CephError;
use model::change::PoolLike;
use model::inventory::ImageSeen;
use serde_json::{Value, json};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Every pool that Fathom makes carries this application, so that anybody can see whose it is.
pub const APPLICATION: &str = "fathom";
const LOOK_AGAIN: Duration = Duration::from_millis(200);
/// After this time every monitor has heard of a new pool.
const HEARD: Duration = Duration::from_secs(5);
/// Placement groups of a new pool peer within seconds; on a busy cluster one after the other. After this many seconds
/// without another one the wait ends.
const CLEAN_SECONDS: u64 = 90;

/// Replicated, whatever `osd_pool_default_type` says: an erasure-coded pool of one's own making would be no measure of anything that is
/// planned, and takes no writes into objects.
///
/// `on`: sets of OSDs to which its placement groups are bound in turns, by name, so that nothing else in the cluster's map of
/// placement changes; they go with the pool.
pub fn make(
    cluster: &Cluster,
    name: &str,
    pg_num: u32,
    size: Option<u32>,
    on: &[Vec<u32>],
    like: Option<&PoolLike>,
) -> Result<(), ClusterError> {
    let like = like.map(|like| pool_like::Settings::of(cluster, like)).transpose()?;
    let mut create = json!({"prefix": "osd pool create", "pool": name, "pg_num": pg_num, "pgp_num": pg_num,
        "pool_type": "replicated"});
    // The monitors count all copies at once.
    if let (Some(size), Some(fields)) = (size, create.as_object_mut()) {
        fields.insert("size".to_string(), json!(size));
    }
    if let (Some(rule), Some(fields)) = (like.as_ref().and_then(|like| like.rule.clone()), create.as_object_mut()) {
        fields.insert("rule".to_string(), json!(rule));
    }
    cluster.tell(create)?;
    // The name marks the pool until the label does; nobody else may resize its placement groups while it is measured.
    cluster.tell(json!({"prefix": "osd pool application enable", "pool": name, "app": APPLICATION,
        "yes_i_really_mean_it": true}))?;
    let autoscale = json!({"prefix": "osd pool set", "pool": name, "var": "pg_autoscale_mode", "val": "off"});
    match cluster.tell(autoscale) {
        Err(ClusterError::Ceph(CephError::Refused { .. } | CephError::Errno { .. } | CephError::NotFound { .. })) => {}
        other => drop(other?),
    }
    // Releases that do not take it above; where they do, a cluster may forbid to set it (osd_pool_default_flag_nosizechange).
    if let Some(wanted) = size
        && self::size(cluster, name)? != Some(wanted)
    {
        set_size(cluster, name, wanted)?;
    }
    like.map_or(Ok(()), |like| like.set(cluster, name))?;
    if on.is_empty() { Ok(()) } else { bind(cluster, name, pg_num, on) }
}

/// Commands at the same time: each waits until the monitors have agreed, and they agree on many together.
const AT_ONCE: usize = 32;

fn bind(cluster: &Cluster, name: &str, pg_num: u32, on: &[Vec<u32>]) -> Result<(), ClusterError> {
    cluster.rados.refresh()?;
    let pool = cluster.rados.pool_id(name)?;
    upmap(cluster, pool, (0..pg_num).zip(on.iter().cloned().cycle()))
}

/// Binds placement groups of a pool to OSDs.
pub(crate) fn upmap(
    cluster: &Cluster,
    pool: i64,
    groups: impl Iterator<Item = (u32, Vec<u32>)>,
) -> Result<(), ClusterError> {
    let commands: Vec<Value> = groups
        .map(|(group, set)| json!({"prefix": "osd pg-upmap", "pgid": format!("{pool}.{group:x}"), "id": set}))
        .collect();
    for some in commands.chunks(AT_ONCE) {
        let told: Vec<Result<(), ClusterError>> = std::thread::scope(|scope| {
            let tell = |command: &Value| cluster.tell(command.clone()).map(drop);
            let threads: Vec<_> = some.iter().map(|command| scope.spawn(move || tell(command))).collect();
            let gone = || Err(ClusterError::answer("osd pg-upmap", "its thread ended early"));
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| gone())).collect()
        });
        told.into_iter().collect::<Result<(), _>>()?;
    }
    Ok(())
}

fn set_size(cluster: &Cluster, name: &str, size: u32) -> Result<(), ClusterError> {
    let size_command = json!({"prefix": "osd pool set", "pool": name, "var": "size", "val": size.to_string(),
        "yes_i_really_mean_it": true});
    cluster.tell(size_command).map(drop)
}

/// A pool of the OSD map, as far as it tells whose it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    pub id: u64,
    pub applications: Vec<String>,
}

/// The pool of this name, if there is one, and the highest id that any pool ever had.
pub fn find(cluster: &Cluster, name: &str) -> Result<(Option<Known>, u64), ClusterError> {
    let dump = cluster.ask(json!({"prefix": "osd dump"}))?;
    let unknown = |what: &str| ClusterError::answer("osd dump", what);
    let pools = dump.get("pools").and_then(Value::as_array).ok_or_else(|| unknown("no pools"))?;
    let highest = dump.get("pool_max").and_then(Value::as_i64).ok_or_else(|| unknown("no pool_max"))?;
    let pool = pools.iter().find(|pool| pool.get("pool_name").and_then(Value::as_str) == Some(name));
    let known = |pool: &Value| {
        let applications = pool.get("application_metadata")?.as_object()?.keys().cloned().collect();
        Some(Known { id: pool.get("pool")?.as_u64()?, applications })
    };
    let pool = pool.map(|pool| known(pool).ok_or_else(|| unknown("a pool without id or applications"))).transpose()?;
    Ok((pool, highest.max(0) as u64))
}

/// What the pool of this id is called now; `None`: there is none.
pub fn name_of(cluster: &Cluster, id: u64) -> Result<Option<String>, ClusterError> {
    name_in(&cluster.ask(json!({"prefix": "osd dump"}))?, id)
}

/// An answer without a list of pools, or with a pool without a name, does not say that the pool is gone.
fn name_in(dump: &Value, id: u64) -> Result<Option<String>, ClusterError> {
    let unknown = |what: &str| ClusterError::answer("osd dump", what);
    let pools = dump.get("pools").and_then(Value::as_array).ok_or_else(|| unknown("no pools"))?;
    let own = pools.iter().find(|pool| pool.get("pool").and_then(Value::as_u64) == Some(id));
    let name = |pool: &Value| pool.get("pool_name").and_then(Value::as_str).map(str::to_string);
    own.map(|pool| name(pool).ok_or_else(|| unknown("a pool without a name"))).transpose()
}

/// Has the monitors publish one more map of the OSDs, by a note on a pool of ours that changes nothing.
///
/// A placement group that just came to an OSD takes the length of its read lease from the next map only, and has a lease of 0 s
/// until then (Ceph since 15: `PeeringState::advance_map` alone sets `readable_interval`): it renews the lease without a pause, which
/// takes a processor, and its first operation gets stuck (`active+clean+laggy`, "waiting for readable"). Where nothing else changes, no
/// map would come for hours. A client that opens the pool after this has that map, and OSDs serve no client before they have it, too.
pub fn publish_map(cluster: &Cluster, name: &str) -> Result<(), ClusterError> {
    let note = json!({"prefix": "osd pool application set", "pool": name, "app": APPLICATION, "key": "placed", "value": "yes"});
    cluster.tell(note).map(drop)
}

/// The caller has proven that the pool is ours.
pub fn delete(cluster: &Cluster, name: &str) -> Result<(), ClusterError> {
    let command = || {
        json!({"prefix": "osd pool delete", "pool": name, "pool2": name,
        "yes_i_really_really_mean_it": true})
    };
    let Err(refused) = cluster.tell(command()) else { return Ok(()) };
    // Clusters may protect every new pool (osd_pool_default_flag_nodelete); the monitors refuse that as they refuse missing rights.
    if !protected(cluster, name) {
        return Err(refused);
    }
    cluster.tell(json!({"prefix": "osd pool set", "pool": name, "var": "nodelete", "val": "false"}))?;
    cluster.tell(command()).map(drop)
}

fn protected(cluster: &Cluster, name: &str) -> bool {
    let answer = cluster.ask(json!({"prefix": "osd pool get", "pool": name, "var": "nodelete"}));
    answer.is_ok_and(|answer| answer.get("nodelete").and_then(Value::as_bool) == Some(true))
}

/// Replicas (or chunks) of a pool; `None`: it is gone, or the answer is not understood.
pub fn size(cluster: &Cluster, name: &str) -> Result<Option<u32>, ClusterError> {
    let answer = cluster.ask(json!({"prefix": "osd pool get", "pool": name, "var": "size"}))?;
    Ok(answer.get("size").and_then(Value::as_u64).map(|size| size as u32))
}

/// An image that somebody else made; `None`: there is no such image (or no such pool).
pub fn image(cluster: &Cluster, pool: &str, image: &str) -> Result<Option<ImageSeen>, ClusterError> {
    let open =
        cluster.rados.open_pool(pool).and_then(|pool| pool.open_image(image, ceph::OpenFor::Reading, ceph::Cache::Off));
    match open.and_then(|image| Ok((image.size()?, image.data_pool_id()?))) {
        Ok((bytes, id)) => {
            let data_pool = name_of(cluster, id)?.filter(|name| name != pool);
            Ok(Some(ImageSeen { bytes, data_pool }))
        }
        Err(CephError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Waits until the pool has all its placement groups (monitors make a large pool with 1,024 and let it grow:
/// `mon_osd_max_initial_pgs`), each of them active and clean, and on one of the sets `on`, unless there are none. `progress` gets the
/// share that is, and says whether to go on.
pub fn wait_clean(
    cluster: &Cluster,
    name: &str,
    on: &[Vec<u32>],
    progress: &mut dyn FnMut(f64) -> bool,
) -> Result<(), ClusterError> {
    let (mut best, mut since) = (0, Instant::now());
    loop {
        let asked = Instant::now();
        let Some(all) = groups_wanted(cluster, name)? else {
            // A monitor may not have heard of a new one yet.
            if since.elapsed() > HEARD {
                return Err(ClusterError::answer(
                    "osd pool ls",
                    format!("pool {name} is not there any more: somebody deleted or renamed it"),
                ));
            }
            if !progress(0.0) {
                return Ok(());
            }
            pause(asked);
            continue;
        };
        let groups = groups(cluster, name)?;
        let clean = groups.iter().filter(|group| group.clean && (on.is_empty() || on.contains(&group.acting))).count();
        if all > 0 && clean == all && groups.len() == all {
            return Ok(());
        }
        if !progress(if all > 0 { clean as f64 / all as f64 } else { 0.0 }) {
            return Ok(());
        }
        if clean > best {
            (best, since) = (clean, Instant::now());
        }
        if since.elapsed() > Duration::from_secs(CLEAN_SECONDS) {
            let place = if on.is_empty() { "" } else { " where they shall be" };
            let what =
                format!("pool {name} with all placement groups active+clean{place} ({clean} of {all}, and no more)");
            return Err(ClusterError::TooSlow { what, seconds: CLEAN_SECONDS });
        }
        pause(asked);
    }
}

/// The table of a large pool is megabytes: the manager has four fifths of the time for others.
pub(crate) fn pause(asked: Instant) {
    sleep(LOOK_AGAIN.max(asked.elapsed() * 4));
}

/// A placement group, as the manager knows it.
pub(crate) struct Group {
    pub number: u32,
    pub acting: Vec<u32>,
    pub clean: bool,
}

/// All placement groups that the manager knows of a pool.
pub(crate) fn groups(cluster: &Cluster, name: &str) -> Result<Vec<Group>, ClusterError> {
    // It learns of a new pool a moment after the monitor made it.
    let answer = match cluster.ask_manager(json!({"prefix": "pg ls-by-pool", "poolstr": name})) {
        Err(ClusterError::Ceph(CephError::NotFound { .. } | CephError::Refused { .. })) => return Ok(Vec::new()),
        other => other?,
    };
    let rows = answer.get("pg_stats").unwrap_or(&answer).as_array().map_or(&[][..], Vec::as_slice);
    Ok(rows.iter().filter_map(group).collect())
}

fn group(row: &Value) -> Option<Group> {
    let (_, number) = row.get("pgid")?.as_str()?.split_once('.')?;
    let acting = row.get("acting")?.as_array()?.iter().filter_map(Value::as_u64).map(|osd| osd as u32).collect();
    let clean = row.get("state").and_then(Value::as_str).is_some_and(|state| state.starts_with("active+clean"));
    Some(Group { number: u32::from_str_radix(number, 16).ok()?, acting, clean })
}

/// How many the pool shall have; `None`: there is no such pool; 0: not known, or they are not all placed yet. They wait for other pools'
/// recovery to be placed by themselves, which ours, that are empty, need not.
fn groups_wanted(cluster: &Cluster, name: &str) -> Result<Option<usize>, ClusterError> {
    let pools = cluster.ask(json!({"prefix": "osd pool ls", "detail": "detail"}))?;
    let own = |pool: &&Value| pool.get("pool_name").and_then(Value::as_str) == Some(name);
    let Some(pool) = pools.as_array().into_iter().flatten().find(own) else { return Ok(None) };
    let number = |key: &str| pool.get(key).and_then(Value::as_u64);
    let wanted = number("pg_num_target").or(number("pg_num")).unwrap_or(0);
    let placed = number("pg_placement_num").is_none_or(|placed| placed == wanted);
    if !placed && number("pg_num") == Some(wanted) {
        let place = json!({"prefix": "osd pool set", "pool": name, "var": "pgp_num_actual", "val": wanted.to_string()});
        // A release that does not know it places them by itself.
        let _ = cluster.tell(place);
    }
    Ok(Some(if placed { wanted as usize } else { 0 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_list_of_pools_says_that_a_pool_is_gone() {
        let dump = json!({"pools": [{"pool": 3, "pool_name": "moved"}, {"pool": 4}]});
        assert_eq!(name_in(&dump, 3).unwrap().as_deref(), Some("moved"));
        assert_eq!(name_in(&dump, 7).unwrap(), None);
        assert!(name_in(&dump, 4).is_err() && name_in(&json!({}), 3).is_err());
    }
}
