//! The journal's copy in the cluster's config-key store: any host with the rights can undo from there.
//!
//! Whoever may write those keys writes what an administrator's program reads: it is believed only as far as names prove it.

use super::book::{Head, Told};
use super::entry::{Entry, is_run, own_prefix};
use crate::admin::Cluster;
use crate::errors::ClusterError;
use model::Change;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const FOLDER: &str = "fathom/journal/";

#[derive(Serialize, Deserialize)]
struct Copy {
    head: Head,
    changes: Vec<Entry>,
}

pub fn write(cluster: &Cluster, told: &Told) -> Result<(), ClusterError> {
    // What is undone is left out: a value of the store has a limit, which a long run's settings would reach.
    let copy = Copy { head: told.head.clone(), changes: told.left().cloned().collect() };
    let text =
        serde_json::to_string(&copy).map_err(|error| ClusterError::answer("config-key set", error.to_string()))?;
    cluster.tell(json!({"prefix": "config-key set", "key": key(&told.head.run), "val": text})).map(drop)
}

pub fn remove(cluster: &Cluster, run: &str) -> Result<(), ClusterError> {
    cluster.tell(json!({"prefix": "config-key rm", "key": key(run)})).map(drop)
}

/// All journals that the cluster holds; and what is wrong with those that are not believed, which must not hide the others.
pub fn all(cluster: &Cluster) -> Result<(Vec<Told>, Vec<ClusterError>), ClusterError> {
    let fsid = cluster.rados.fsid()?;
    let names = cluster.ask(json!({"prefix": "config-key ls"}))?;
    let names = names.as_array().cloned().unwrap_or_default();
    let (mut found, mut wrong) = (Vec::new(), Vec::new());
    for name in names.iter().filter_map(Value::as_str).filter(|name| name.starts_with(FOLDER)) {
        let refused = |why: String| ClusterError::Copy { key: name.escape_debug().to_string(), why };
        match cluster.tell(json!({"prefix": "config-key get", "key": name})) {
            Ok(text) => match believed(name, &text, &fsid) {
                Ok(told) => found.push(told),
                Err(why) => wrong.push(refused(why)),
            },
            // Its run has just ended.
            Err(ClusterError::Ceph(ceph::CephError::NotFound { .. })) => {}
            Err(error) => wrong.push(refused(error.to_string())),
        }
    }
    Ok((found, wrong))
}

/// What a key says, if it may be a run's of this cluster and names nothing but what such a run makes.
fn believed(key: &str, text: &[u8], fsid: &str) -> Result<Told, String> {
    let run = key.strip_prefix(FOLDER).filter(|run| is_run(run)).ok_or("its key is no name of a run")?;
    let unknown = |error: serde_json::Error| format!("is not a journal of this release: {error}");
    let value: Value = serde_json::from_slice(text).map_err(unknown)?;
    if has_control(&value) {
        return Err("it has control characters".to_string());
    }
    let copy: Copy = serde_json::from_value(value).map_err(unknown)?;
    if copy.head.run != run {
        return Err(format!("it says that it is of run {:?}", copy.head.run));
    }
    if copy.head.fsid.as_deref() != Some(fsid) {
        return Err("it is of another cluster".to_string());
    }
    match copy.changes.iter().find(|entry| !may_be_ours(run, &entry.change)) {
        Some(entry) => Err(format!("it names {:?}, which no run makes", entry.change.what())),
        None => Ok(Told { head: copy.head, entries: copy.changes }),
    }
}

/// Would a terminal obey it?
fn has_control(value: &Value) -> bool {
    match value {
        Value::String(text) => text.chars().any(char::is_control),
        Value::Array(all) => all.iter().any(has_control),
        Value::Object(fields) => {
            fields.iter().any(|(key, value)| key.chars().any(char::is_control) || has_control(value))
        }
        _ => false,
    }
}

/// Could this run have made that? Options are proven when they are undone.
pub fn may_be_ours(run: &str, change: &Change) -> bool {
    let own = own_prefix(run);
    match change {
        Change::Pool { name, .. } | Change::Spread { pool: name } | Change::Image { name, .. } => {
            name.starts_with(&own)
        }
        Change::Objects { prefix, .. } => prefix.starts_with(&own),
        Change::Flag { name } => FLAGS.contains(&name.as_str()),
        Change::Option { .. } | Change::BalancerOff => true,
        Change::PoolSetting { name, value, .. } => (name.as_str(), value.as_str()) == ("pg_autoscale_mode", "off"),
        Change::File { path, .. } => path.is_absolute(),
    }
}

/// The flags that runs set.
pub const FLAGS: [&str; 2] = ["noscrub", "nodeep-scrub"];

fn key(run: &str) -> String {
    format!("{FOLDER}{run}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::testing::{RUN, head};

    const FSID: &str = "20b7637f-1c98-4b98-9a6c-f33d93263fa5";

    fn copy(changes: Vec<Change>) -> Copy {
        let head = Head { fsid: Some(FSID.into()), ..head() };
        Copy { head, changes: changes.into_iter().map(Entry::of).collect() }
    }

    fn said(key: &str, copy: &Copy) -> Result<Told, String> {
        believed(key, &serde_json::to_vec(copy).unwrap(), FSID)
    }

    fn pool(name: &str) -> Change {
        Change::Pool { name: name.into(), pg_num: 8, size: None, on: Vec::new() }
    }

    #[test]
    fn a_copy_is_believed_only_about_what_bears_its_run() {
        let own = key(RUN);
        let mine = || copy(vec![pool(&format!("fathom.{RUN}.rados")), Change::Flag { name: "noscrub".into() }]);
        assert_eq!(said(&own, &mine()).unwrap().entries.len(), 2);
        let image = |name: &str| Change::Image { pool: "rbd".into(), name: name.into(), bytes: 1 };
        let objects = |prefix: &str| Change::Objects { pool: "rbd".into(), prefix: prefix.into() };
        let (other, longer) = ("fathom.20260102-030405-ffff.x", format!("fathom.{RUN}x"));
        for foreign in [
            pool("rbd"),
            pool(other),
            pool(&longer),
            image("vm-1"),
            image(other),
            objects(""),
            objects("fathom."),
            objects(other),
            Change::Flag { name: "pause".into() },
            Change::File { path: "own.img".into(), bytes: 1 },
        ] {
            let why = said(&own, &copy(vec![foreign])).unwrap_err();
            assert!(why.contains("no run makes"), "{why}");
        }
        for key in ["fathom/journal/../../../x", "fathom/journal/", "fathom/journal/20260102-030405-ffff"] {
            assert!(said(key, &mine()).is_err(), "{key}");
        }
        let mut elsewhere = mine();
        elsewhere.head.fsid = Some("another".into());
        assert!(said(&own, &elsewhere).unwrap_err().contains("another cluster"));
        let escape = copy(vec![pool(&format!("fathom.{RUN}.\u{1b}[2J"))]);
        assert!(said(&own, &escape).unwrap_err().contains("control characters"));
        assert!(believed(&own, b"\xff{", FSID).unwrap_err().contains("not a journal"));
    }
}
