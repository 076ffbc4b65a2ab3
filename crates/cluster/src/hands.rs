//! How each change is made and undone. Called by the journal alone.

use crate::admin::Cluster;
use crate::errors::ClusterError;
use crate::{option_values, pools, quiet};
use ceph::CephError;
use model::{Change, Undo};
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::path::Path;
use std::time::{Duration, Instant};

/// A killed client's watch on an image ends after osd_client_watch_timeout, 30 s by default; until then the image counts as
/// in use.
const WATCHERS_GONE: Duration = Duration::from_secs(60);

/// The state that undoing the change has to bring back, read before it is made.
pub fn before(cluster: Option<&Cluster>, change: &Change) -> Result<Option<String>, ClusterError> {
    match (change, cluster) {
        (Change::Option { who, name, .. }, Some(cluster)) => option_value(cluster, who, name),
        (Change::Flag { name }, Some(cluster)) => Ok(flags(cluster)?.contains(name).then(|| "set".to_string())),
        (Change::PoolSetting { pool, name, .. }, Some(cluster)) => quiet::pool_setting(cluster, pool, name),
        (Change::BalancerOff, Some(cluster)) => quiet::balancer(cluster),
        _ => Ok(None),
    }
}

pub fn make(cluster: Option<&Cluster>, change: &Change) -> Result<(), ClusterError> {
    match (change, cluster) {
        (Change::File { path, .. }, _) => make_file(path, change),
        (_, None) => Err(no_cluster(change)),
        (Change::Pool { name, pg_num, size, on }, Some(cluster)) => pools::make(cluster, name, *pg_num, *size, on),
        (Change::Image { pool, name, bytes }, Some(cluster)) => {
            let made = open_pool(cluster, pool).and_then(|pool| pool.create_image(name, *bytes));
            made.map_err(|error| failed(change, error))
        }
        // The objects come with the load; the entry is there so that they go.
        (Change::Objects { .. }, Some(_)) => Ok(()),
        (Change::Option { who, name, value }, Some(cluster)) => make_option(cluster, who, name, value, change),
        (Change::Flag { name }, Some(cluster)) => cluster.tell(json!({"prefix": "osd set", "key": name})).map(drop),
        (Change::PoolSetting { pool, name, value }, Some(cluster)) => {
            quiet::set_pool_setting(cluster, pool, name, value)
        }
        (Change::BalancerOff, Some(cluster)) => quiet::balancer_off(cluster),
    }
}

/// What is stored in another form than it was set in could not be told from somebody else's value when it is undone.
fn make_option(cluster: &Cluster, who: &str, name: &str, value: &str, change: &Change) -> Result<(), ClusterError> {
    let before = option_value(cluster, who, name)?;
    set_option(cluster, who, name, Some(value))?;
    match option_value(cluster, who, name)? {
        Some(now) if !option_values::same(&now, value) => {
            set_option(cluster, who, name, before.as_deref())?;
            let why = format!("the monitors keep `{value}` as `{now}`; write it like that");
            Err(ClusterError::Make { what: change.what(), why })
        }
        _ => Ok(()),
    }
}

/// Is the option set to this value already?
pub fn holds(cluster: Option<&Cluster>, change: &Change) -> Result<bool, ClusterError> {
    let Change::Option { value, .. } = change else { return Ok(false) };
    Ok(before(cluster, change)?.is_some_and(|now| option_values::same(&now, value)))
}

/// Undoing what was never made, or is gone already, is done at once.
pub fn unmake(cluster: Option<&Cluster>, undo: &Undo) -> Result<(), ClusterError> {
    match (&undo.change, cluster) {
        (Change::File { path, .. }, _) => unmake_file(path, &undo.change),
        (change, None) => Err(no_cluster(change)),
        (Change::Pool { name, .. }, Some(cluster)) => pools::unmake(cluster, name),
        (Change::Image { pool, name, .. }, Some(cluster)) => unmake_image(cluster, pool, name, &undo.change),
        (Change::Objects { pool, prefix }, Some(cluster)) => unmake_objects(cluster, pool, prefix, &undo.change),
        (Change::Option { who, name, value }, Some(cluster)) => {
            // Somebody else may have set it since: then it is theirs.
            if option_value(cluster, who, name)?.is_some_and(|now| option_values::same(&now, value)) {
                set_option(cluster, who, name, undo.before.as_deref())?;
            }
            Ok(())
        }
        (Change::Flag { name }, Some(cluster)) => match undo.before {
            Some(_) => Ok(()),
            None => cluster.tell(json!({"prefix": "osd unset", "key": name})).map(drop),
        },
        (Change::PoolSetting { pool, name, value }, Some(cluster)) => match &undo.before {
            // Somebody else may have set it since: then it is theirs.
            Some(before) if quiet::pool_setting(cluster, pool, name)?.as_ref() == Some(value) => {
                quiet::set_pool_setting(cluster, pool, name, before)
            }
            _ => Ok(()),
        },
        (Change::BalancerOff, Some(cluster)) => quiet::balancer_back(cluster, undo.before.as_deref()),
    }
}

/// The client may not have heard of a pool that was just made, nor of the end of one.
fn open_pool(cluster: &Cluster, pool: &str) -> Result<ceph::Pool, CephError> {
    cluster.rados.refresh()?;
    cluster.rados.open_pool(pool)
}

fn no_cluster(change: &Change) -> ClusterError {
    ClusterError::Make { what: change.what(), why: "there is no connection to its cluster".to_string() }
}

fn failed(change: &Change, error: impl std::fmt::Display) -> ClusterError {
    ClusterError::Make { what: change.what(), why: error.to_string() }
}

fn make_file(path: &Path, change: &Change) -> Result<(), ClusterError> {
    OpenOptions::new().write(true).create_new(true).open(path).map(drop).map_err(|error| failed(change, error))
}

fn unmake_file(path: &Path, change: &Change) -> Result<(), ClusterError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(ClusterError::Undo { what: change.what(), why: error.to_string() })
        }
        _ => Ok(()),
    }
}

fn unmake_image(cluster: &Cluster, pool: &str, name: &str, change: &Change) -> Result<(), ClusterError> {
    let open = match open_pool(cluster, pool) {
        Err(CephError::NotFound { .. }) => return Ok(()),
        other => other?,
    };
    let deadline = Instant::now() + WATCHERS_GONE;
    loop {
        match open.remove_image(name) {
            Ok(()) | Err(CephError::NotFound { .. }) => return Ok(()),
            Err(CephError::Busy { .. }) if Instant::now() < deadline => std::thread::sleep(Duration::from_secs(1)),
            Err(error) => return Err(ClusterError::Undo { what: change.what(), why: error.to_string() }),
        }
    }
}

fn unmake_objects(cluster: &Cluster, pool: &str, prefix: &str, change: &Change) -> Result<(), ClusterError> {
    let open = match open_pool(cluster, pool) {
        Err(CephError::NotFound { .. }) => return Ok(()),
        other => other?,
    };
    let undo_failed = |error: CephError| ClusterError::Undo { what: change.what(), why: error.to_string() };
    for name in open.objects(prefix).map_err(undo_failed)? {
        match open.remove(&name) {
            Ok(()) | Err(CephError::NotFound { .. }) => {}
            Err(error) => return Err(undo_failed(error)),
        }
    }
    Ok(())
}

/// The value in the configuration database for exactly this section; `None`: not set there.
fn option_value(cluster: &Cluster, who: &str, name: &str) -> Result<Option<String>, ClusterError> {
    let all = cluster.ask(json!({"prefix": "config dump"}))?;
    let entries = all.as_array().ok_or_else(|| ClusterError::answer("config dump", "not a list"))?;
    let text = |entry: &Value, key: &str| entry.get(key).and_then(Value::as_str).unwrap_or("").to_string();
    let found = entries
        .iter()
        .find(|entry| text(entry, "section") == who && text(entry, "name") == name && text(entry, "mask").is_empty());
    Ok(found.map(|entry| text(entry, "value")))
}

pub fn set_option(cluster: &Cluster, who: &str, name: &str, value: Option<&str>) -> Result<(), ClusterError> {
    let command = match value {
        Some(value) => json!({"prefix": "config set", "who": who, "name": name, "value": value}),
        None => json!({"prefix": "config rm", "who": who, "name": name}),
    };
    cluster.tell(command).map(drop)
}

fn flags(cluster: &Cluster) -> Result<Vec<String>, ClusterError> {
    let dump = cluster.ask(json!({"prefix": "osd dump"}))?;
    let flags = dump.get("flags").and_then(Value::as_str).unwrap_or("");
    Ok(flags.split(',').map(str::to_string).collect())
}
