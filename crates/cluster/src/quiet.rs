//! What a cluster does in the background by itself: switched off for a run, and put back as it was.

use crate::admin::Cluster;
use crate::errors::ClusterError;
use crate::settings::set_option;
use ceph::CephError;
use serde_json::{Value, json};

/// Where the manager keeps whether the balancer is active; where nothing is kept, it is.
const ACTIVE: &str = "mgr/balancer/active";
/// The same in the log of the configuration.
pub(crate) const LOGGED: &str = "mgr/mgr/balancer/active";
/// The balancer's state before: on because that is stored, or on because nothing is.
const STORED: &str = "on, stored";
const BY_DEFAULT: &str = "on by default";

/// `None`: there is no such pool any more, or no such setting.
pub(crate) fn pool_setting(cluster: &Cluster, pool: &str, name: &str) -> Result<Option<String>, ClusterError> {
    match cluster.ask(json!({"prefix": "osd pool get", "pool": pool, "var": name})) {
        Ok(answer) => Ok(answer.get(name).and_then(Value::as_str).map(str::to_string)),
        Err(ClusterError::Ceph(CephError::NotFound { .. })) => Ok(None),
        Err(error) => Err(error),
    }
}

pub(crate) fn set_pool_setting(cluster: &Cluster, pool: &str, name: &str, value: &str) -> Result<(), ClusterError> {
    cluster.tell(json!({"prefix": "osd pool set", "pool": pool, "var": name, "val": value})).map(drop)
}

/// How the balancer is on; `None`: it is off, or the manager has none.
pub(crate) fn balancer(cluster: &Cluster) -> Result<Option<String>, ClusterError> {
    if !is_active(cluster)? {
        return Ok(None);
    }
    let stored = cluster.ask(json!({"prefix": "config dump"}))?;
    let stored = stored.as_array().into_iter().flatten().any(|entry| entry.get("name") == Some(&json!(ACTIVE)));
    Ok(Some(if stored { STORED } else { BY_DEFAULT }.to_string()))
}

/// What the manager kept before, if it kept anything.
pub(crate) fn stored(before: &str) -> Option<&'static str> {
    (before == STORED).then_some("true")
}

pub(crate) fn balancer_off(cluster: &Cluster) -> Result<(), ClusterError> {
    if is_active(cluster)? { cluster.tell_manager(json!({"prefix": "balancer off"})) } else { Ok(()) }
}

/// `before`: as [`balancer`] found it. Its mode was never touched.
pub(crate) fn balancer_back(cluster: &Cluster, before: Option<&str>) -> Result<(), ClusterError> {
    let Some(before) = before else { return Ok(()) };
    if !is_active(cluster)? {
        cluster.tell_manager(json!({"prefix": "balancer on"}))?;
    }
    if before == BY_DEFAULT { set_option(cluster, "mgr", ACTIVE, None) } else { Ok(()) }
}

fn is_active(cluster: &Cluster) -> Result<bool, ClusterError> {
    match cluster.ask_manager(json!({"prefix": "balancer status"})) {
        Ok(status) => Ok(status.get("active").and_then(Value::as_bool).unwrap_or(false)),
        // A manager without the module does not know the command.
        Err(ClusterError::Ceph(CephError::Refused { .. } | CephError::NotFound { .. })) => Ok(false),
        Err(error) => Err(error),
    }
}
