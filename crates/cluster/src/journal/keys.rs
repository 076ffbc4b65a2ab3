//! The journal's copy in the cluster's config-key store: any host with the rights can undo from there.

use super::book::Head;
use crate::admin::Cluster;
use crate::errors::ClusterError;
use model::Undo;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const FOLDER: &str = "fathom/journal/";

#[derive(Serialize, Deserialize)]
pub struct Copy {
    pub head: Head,
    pub changes: Vec<Undo>,
}

pub fn write(cluster: &Cluster, head: &Head, changes: &[Undo]) -> Result<(), ClusterError> {
    let copy = Copy { head: head.clone(), changes: changes.to_vec() };
    let text =
        serde_json::to_string(&copy).map_err(|error| ClusterError::answer("config-key set", error.to_string()))?;
    cluster.tell(json!({"prefix": "config-key set", "key": key(&head.run), "val": text})).map(drop)
}

pub fn remove(cluster: &Cluster, run: &str) -> Result<(), ClusterError> {
    cluster.tell(json!({"prefix": "config-key rm", "key": key(run)})).map(drop)
}

/// All journals that the cluster holds. One that can't be read is an error, not a gap: it may hold changes.
pub fn all(cluster: &Cluster) -> Result<Vec<Copy>, ClusterError> {
    let names = cluster.ask(json!({"prefix": "config-key ls"}))?;
    let names = names.as_array().cloned().unwrap_or_default();
    let ours = names.iter().filter_map(Value::as_str).filter(|name| name.starts_with(FOLDER));
    ours.map(|name| read(cluster, name)).collect()
}

fn read(cluster: &Cluster, name: &str) -> Result<Copy, ClusterError> {
    let text = cluster.tell(json!({"prefix": "config-key get", "key": name}))?;
    serde_json::from_slice(&text).map_err(|error| {
        ClusterError::answer("config-key get", format!("{name} is not a journal of this release: {error}"))
    })
}

fn key(run: &str) -> String {
    format!("{FOLDER}{run}")
}
