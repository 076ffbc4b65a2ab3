//! Who made a thing that a run may have made before it was killed? It is undone only if the cluster's own records prove that the run did.

use crate::admin::Cluster;
use crate::errors::ClusterError;
use crate::{option_values, pools};
use ceph::{CephError, Pool};
use serde_json::{Value, json};

/// Seconds that may lie between the entry in the journal and the cluster's own record of the change. A command takes seconds at most, and
/// somebody else who sets the very same value does it later.
const SECONDS: i64 = 60;
/// At most this many changes of the configuration are looked through.
const LOG: usize = 200;
/// At most this many OSD maps are looked through: each may have megabytes.
const MAPS: u64 = 50;

/// When an entry was written, and what was the newest then.
#[derive(Clone, Copy, Debug)]
pub struct Fence {
    pub written: i64,
    pub since: u64,
}

/// Has the pool no label, since its run was killed right after it made it? Then it is newer than the entry, and empty.
pub fn unlabelled_pool(
    cluster: &Cluster,
    name: &str,
    pool: &pools::Known,
    since: Option<u64>,
) -> Result<bool, ClusterError> {
    if !pool.applications.is_empty() || since.is_none_or(|since| pool.id <= since) {
        return Ok(false);
    }
    cluster.rados.refresh()?;
    Ok(cluster.rados.open_pool(name)?.objects("")?.is_empty())
}

/// The image's id, which no other image of the pool ever has; `None`: there is no image of this name.
pub fn image_id(pool: &Pool, image: &str) -> Result<Option<String>, CephError> {
    // A length of four bytes, and as many characters (doc/dev/rbd-layering.rst; cls_rbd's get_id).
    let mut data = [0u8; 256];
    match pool.read(&format!("rbd_id.{image}"), 0, &mut data) {
        Ok(bytes) => Ok(data[..bytes].get(4..).map(|id| String::from_utf8_lossy(id).into_owned())),
        Err(CephError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Is there an image with this id, whatever its name is?
pub fn image_exists(pool: &Pool, id: &str) -> Result<bool, CephError> {
    match pool.read(&format!("rbd_header.{id}"), 0, &mut [0]) {
        Ok(_) => Ok(true),
        Err(CephError::NotFound { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// The version of the configuration database.
pub fn config_version(cluster: &Cluster) -> Result<u64, ClusterError> {
    Ok(config_log(cluster, 1)?.iter().filter_map(version).max().unwrap_or(0))
}

fn config_log(cluster: &Cluster, number: usize) -> Result<Vec<Value>, ClusterError> {
    let log = cluster.ask(json!({"prefix": "config log", "num": number}))?;
    log.as_array().cloned().ok_or_else(|| ClusterError::answer("config log", "not a list"))
}

fn version(entry: &Value) -> Option<u64> {
    entry.get("version")?.as_u64()
}

/// What became of an option since an entry was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Became {
    /// It was set as the entry intended, right after it was written, and never since.
    AsIntended,
    /// It was changed right after the entry was written, to another value.
    Other,
    /// It was not changed, or changed later.
    Unknown,
}

pub fn option_became(
    cluster: &Cluster,
    option: &str,
    before: Option<&str>,
    value: &str,
    fence: Fence,
) -> Result<Became, ClusterError> {
    Ok(became(&config_log(cluster, LOG)?, option, before, value, fence))
}

fn became(log: &[Value], option: &str, before: Option<&str>, value: &str, fence: Fence) -> Became {
    // The log reaches back far enough, or nothing is known.
    if log.iter().filter_map(version).min().is_none_or(|oldest| oldest > fence.since + 1) {
        return Became::Unknown;
    }
    let newer = log.iter().filter(|entry| version(entry).is_some_and(|version| version > fence.since));
    let text = |change: &Value, key: &str| change.get(key).and_then(Value::as_str).map(str::to_string);
    let changes: Vec<(Option<i64>, Value)> = newer
        .flat_map(|entry| {
            let time = entry.get("timestamp").and_then(Value::as_str).and_then(seconds);
            let changes = entry.get("changes").and_then(Value::as_array).cloned().unwrap_or_default();
            changes.into_iter().map(move |change| (time, change))
        })
        .filter(|(_, change)| text(change, "name").as_deref() == Some(option))
        .collect();
    let [(Some(time), change)] = changes.as_slice() else { return Became::Unknown };
    if (time - fence.written).abs() > SECONDS {
        return Became::Unknown;
    }
    let same = |a: Option<&str>, b: Option<&str>| match (a, b) {
        (Some(a), Some(b)) => option_values::same(a, b),
        (a, b) => a.is_none() && b.is_none(),
    };
    let (was, is) = (text(change, "previous_value"), text(change, "new_value"));
    match same(was.as_deref(), before) && same(is.as_deref(), Some(value)) {
        true => Became::AsIntended,
        false => Became::Other,
    }
}

/// Was it set right after the entry was written, and never unset since? As the maps of OSDs tell.
pub fn set_after(cluster: &Cluster, fence: Fence, is_set: impl Fn(&Value) -> bool) -> Result<bool, ClusterError> {
    let newest = cluster.ask(json!({"prefix": "osd dump"}))?;
    let epoch = epoch(&newest)?;
    if epoch - fence.since.min(epoch) > MAPS {
        return Ok(false);
    }
    let maps = (fence.since.max(1)..=epoch).map(|epoch| cluster.ask(json!({"prefix": "osd dump", "epoch": epoch})));
    let maps = maps.collect::<Result<Vec<Value>, ClusterError>>()?;
    Ok(set_in(&maps, fence, is_set))
}

/// `maps`: from the newest that was there when the entry was written on. In that one it was not set.
fn set_in(maps: &[Value], fence: Fence, is_set: impl Fn(&Value) -> bool) -> bool {
    let with: Vec<bool> = maps.iter().map(is_set).collect();
    let Some(first) = with.iter().position(|set| *set).filter(|first| *first > 0) else { return false };
    let time = maps[first].get("modified").and_then(Value::as_str).and_then(seconds);
    let soon = time.is_some_and(|time| (time - fence.written).abs() <= SECONDS);
    soon && with[first..].iter().all(|set| *set)
}

pub fn flags(map: &Value) -> impl Iterator<Item = &str> {
    map.get("flags").and_then(Value::as_str).unwrap_or("").split(',')
}

pub fn epoch(map: &Value) -> Result<u64, ClusterError> {
    map.get("epoch").and_then(Value::as_u64).ok_or_else(|| ClusterError::answer("osd dump", "no epoch"))
}

/// Seconds since 1970 of `2026-11-24T00:30:53.187199+0000`.
fn seconds(text: &str) -> Option<i64> {
    jiff::Timestamp::strptime("%Y-%m-%dT%H:%M:%S%.f%z", text).ok().map(jiff::Timestamp::as_second)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(version: u64, time: &str, name: &str, was: Option<&str>, is: Option<&str>) -> Value {
        let mut change = json!({"name": name});
        for (key, value) in [("previous_value", was), ("new_value", is)] {
            if let Some(value) = value {
                change[key] = json!(value);
            }
        }
        json!({"version": version, "timestamp": format!("2026-11-24T{time}.187199+0000"), "name": "", "changes": [change]})
    }

    const NAME: &str = "osd/osd_max_backfills";

    #[test]
    fn an_option_is_the_runs_only_if_the_log_of_the_configuration_says_so() {
        let fence = Fence { written: seconds("2026-11-24T00:30:53.1+0000").unwrap(), since: 2 };
        let old = change(2, "00:30:00", "mon/x", None, Some("1"));
        let said = |newer: &[Value]| {
            let log: Vec<Value> = newer.iter().rev().cloned().chain([old.clone()]).collect();
            became(&log, NAME, Some("3"), "7", fence)
        };
        let ours = change(3, "00:30:53", NAME, Some("3"), Some("7"));
        assert_eq!(said(std::slice::from_ref(&ours)), Became::AsIntended);
        assert_eq!(said(&[]), Became::Unknown, "it was never set");
        assert_eq!(said(&[change(3, "00:32:53", NAME, Some("3"), Some("7"))]), Became::Unknown, "somebody else, later");
        assert_eq!(said(&[change(3, "00:30:54", NAME, Some("3"), Some("8"))]), Became::Other);
        assert_eq!(said(&[change(3, "00:30:54", NAME, None, Some("7"))]), Became::Other);
        assert_eq!(said(&[change(3, "00:30:54", "osd.1/osd_max_backfills", Some("3"), Some("7"))]), Became::Unknown);
        let (unset, again) =
            (change(4, "00:31:00", NAME, Some("7"), None), change(5, "00:31:01", NAME, None, Some("7")));
        assert_eq!(said(&[ours.clone(), unset, again]), Became::Unknown, "somebody unset it and set it again");
        let too_new = became(
            std::slice::from_ref(&change(9, "00:30:53", NAME, Some("3"), Some("7"))),
            NAME,
            Some("3"),
            "7",
            fence,
        );
        assert_eq!(too_new, Became::Unknown, "the log does not reach back");
    }

    #[test]
    fn a_flag_is_the_runs_only_if_the_maps_show_that_it_was_set_then() {
        let fence = Fence { written: seconds("2026-11-24T00:30:53.1+0000").unwrap(), since: 7 };
        let map =
            |time: &str, flags: &str| json!({"modified": format!("2026-11-24T{time}.187199+0000"), "flags": flags});
        let said = |maps: &[Value]| set_in(maps, fence, |map| flags(map).any(|flag| flag == "noscrub"));
        let (bare, set) = (map("00:30:50", "sortbitwise"), map("00:30:54", "sortbitwise,noscrub"));
        assert!(said(&[bare.clone(), set.clone(), map("01:00:00", "noscrub")]));
        assert!(!said(&[set.clone(), set.clone()]), "it was set before the journal began");
        assert!(!said(&[bare.clone(), map("00:40:00", "noscrub")]), "somebody else, later");
        assert!(!said(&[bare.clone(), set.clone(), bare.clone(), set]), "somebody unset it and set it again");
        assert!(!said(&[bare]) && !said(&[]));
    }

    #[test]
    fn times_of_the_monitors_are_read_in_any_zone() {
        assert_eq!(seconds("2026-11-24T00:30:53.187199+0000"), seconds("2026-11-24T01:30:53.000000+0100"));
        assert_eq!((seconds("0.000000"), seconds("")), (None, None));
    }
}
