//! Pools of our own: made, labelled, waited for, deleted.

use crate::admin::Cluster;
use crate::errors::ClusterError;
use ceph::CephError;
use serde_json::{Value, json};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Every pool that Fathom makes carries this application, so that anybody can see whose it is.
pub const APPLICATION: &str = "fathom";
const LOOK_AGAIN: Duration = Duration::from_millis(200);
/// Placement groups of a new pool peer within seconds; on a large or busy cluster within a minute.
const CLEAN_SECONDS: u64 = 90;

/// `on`: sets of OSDs to which its placement groups are bound in turns, by name, so that nothing else in the cluster's map of
/// placement changes; they go with the pool.
pub fn make(
    cluster: &Cluster,
    name: &str,
    pg_num: u32,
    size: Option<u32>,
    on: &[Vec<u32>],
) -> Result<(), ClusterError> {
    cluster.tell(json!({"prefix": "osd pool create", "pool": name, "pg_num": pg_num, "pgp_num": pg_num}))?;
    // The name marks the pool until the label does; nobody else may resize its placement groups while it is measured.
    cluster.tell(json!({"prefix": "osd pool application enable", "pool": name, "app": APPLICATION,
        "yes_i_really_mean_it": true}))?;
    let autoscale = json!({"prefix": "osd pool set", "pool": name, "var": "pg_autoscale_mode", "val": "off"});
    match cluster.tell(autoscale) {
        Err(ClusterError::Ceph(CephError::Refused { .. } | CephError::Errno { .. } | CephError::NotFound { .. })) => {}
        other => drop(other?),
    }
    if let Some(size) = size {
        set_size(cluster, name, size)?;
    }
    if on.is_empty() { Ok(()) } else { bind(cluster, name, pg_num, on) }
}

/// So many at once: each waits until the monitors have agreed, and they agree on many together.
const AT_ONCE: usize = 16;

fn bind(cluster: &Cluster, name: &str, pg_num: u32, on: &[Vec<u32>]) -> Result<(), ClusterError> {
    cluster.rados.refresh()?;
    let pool = cluster.rados.pool_id(name)?;
    let commands = (0..pg_num).zip(on.iter().cycle());
    let commands: Vec<Value> = commands
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

/// Whose it is was proven before.
pub fn delete(cluster: &Cluster, name: &str) -> Result<(), ClusterError> {
    let command = || {
        json!({"prefix": "osd pool delete", "pool": name, "pool2": name,
        "yes_i_really_really_mean_it": true})
    };
    match cluster.tell(command()) {
        // Clusters may protect every new pool (osd_pool_default_flag_nodelete).
        Err(error) if error.to_string().contains("nodelete") => {
            cluster.tell(json!({"prefix": "osd pool set", "pool": name, "var": "nodelete", "val": "false"}))?;
            cluster.tell(command()).map(drop)
        }
        other => other.map(drop),
    }
}

/// Replicas (or chunks) of a pool; `None`: it is gone, or the answer is not understood.
pub fn size(cluster: &Cluster, name: &str) -> Result<Option<u32>, ClusterError> {
    let answer = cluster.ask(json!({"prefix": "osd pool get", "pool": name, "var": "size"}))?;
    Ok(answer.get("size").and_then(Value::as_u64).map(|size| size as u32))
}

/// Bytes of an image that somebody else made; `None`: there is no such image (or no such pool).
pub fn image_bytes(cluster: &Cluster, pool: &str, image: &str) -> Result<Option<u64>, ClusterError> {
    let open =
        cluster.rados.open_pool(pool).and_then(|pool| pool.open_image(image, ceph::OpenFor::Reading, ceph::Cache::Off));
    match open.and_then(|image| image.size()) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(CephError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Waits until every placement group of the pool is active and clean, and lies on one of the sets `on`, unless there are none.
/// `progress` gets the share that is, and says whether to go on.
pub fn wait_clean(
    cluster: &Cluster,
    name: &str,
    on: &[Vec<u32>],
    progress: &mut dyn FnMut(f64) -> bool,
) -> Result<(), ClusterError> {
    let deadline = Instant::now() + Duration::from_secs(CLEAN_SECONDS);
    loop {
        let (clean, all) = clean_groups(cluster, name, on)?;
        let share = if all == 0 { 0.0 } else { clean as f64 / all as f64 };
        if all > 0 && clean == all {
            return Ok(());
        }
        if !progress(share) {
            return Ok(());
        }
        if Instant::now() > deadline {
            let place = if on.is_empty() { "" } else { " where they shall be" };
            let what = format!("pool {name} with all placement groups active+clean{place} ({clean} of {all})");
            return Err(ClusterError::TooSlow { what, seconds: CLEAN_SECONDS });
        }
        sleep(LOOK_AGAIN);
    }
}

fn clean_groups(cluster: &Cluster, name: &str, on: &[Vec<u32>]) -> Result<(usize, usize), ClusterError> {
    // The manager learns of a new pool a moment after the monitor made it.
    let answer = match cluster.ask_manager(json!({"prefix": "pg ls-by-pool", "poolstr": name})) {
        Err(ClusterError::Ceph(CephError::NotFound { .. } | CephError::Refused { .. })) => return Ok((0, 0)),
        other => other?,
    };
    let groups = answer.get("pg_stats").unwrap_or(&answer).as_array().cloned().unwrap_or_default();
    let state = |group: &Value| group.get("state").and_then(Value::as_str).unwrap_or("").to_string();
    let placed = |group: &Value| on.is_empty() || on.iter().any(|set| group.get("acting") == Some(&json!(set)));
    let clean = groups.iter().filter(|group| state(group).starts_with("active+clean") && placed(group));
    Ok((clean.count(), groups.len()))
}
