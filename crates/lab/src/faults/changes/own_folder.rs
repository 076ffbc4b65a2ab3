//! A folder of the fault's own in the lab's file system, with a file that others hold something of.

use crate::cephfs::{FILE_SYSTEM, SPEC};
use crate::errors::LabError;
use crate::faults::access::{LabAccess, found};
use ceph::FileSystem;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Duration;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct OwnFolder {
    /// `/fault.caps-held`
    pub path: String,
}

/// The one file in it, as whoever mounts the folder sees it.
pub(crate) const FILE: &str = "/file";

const LIMIT: Duration = Duration::from_secs(30);

impl OwnFolder {
    pub fn new(fault: &str) -> OwnFolder {
        OwnFolder { path: format!("/fault.{fault}") }
    }

    pub fn make(&self, access: &LabAccess) -> Result<(), LabError> {
        Ok(FileSystem::mount(access.rados()?, FILE_SYSTEM)?.make_folder(&self.path)?)
    }

    /// Its clients were killed, and the metadata server would wait for what they hold until it takes them for dead: it is told.
    pub fn undo(&self, access: &LabAccess) -> Result<(), LabError> {
        let sessions = self.ask(access, json!({"prefix": "session ls", "format": "json"}))?;
        for session in sessions.as_array().into_iter().flatten() {
            if session["client_metadata"]["root"] != self.path.as_str() {
                continue;
            }
            self.ask(access, json!({"prefix": "session evict", "filters": [format!("id={}", session["id"])]}))?;
            let address = &session["entity"]["addr"];
            if let (Some(host), Some(nonce)) = (address["addr"].as_str(), address["nonce"].as_u64()) {
                let address = format!("{host}/{nonce}");
                access.tell(&json!({"prefix": "osd blocklist", "blocklistop": "rm", "addr": address}))?;
            }
        }
        let file_system = FileSystem::mount(access.rados()?, FILE_SYSTEM)?;
        found(file_system.remove(&format!("{}{FILE}", self.path)))?;
        found(file_system.remove_folder(&self.path)).map(drop)
    }

    fn ask(&self, access: &LabAccess, command: Value) -> Result<Value, LabError> {
        let server = SPEC.daemon.trim_start_matches("mds.").to_owned();
        let seconds = LIMIT.as_secs();
        let late = LabError::TooSlow { what: "an answer of the metadata server", seconds, seen: "none".to_owned() };
        let reply = ceph::ask_mds(access.rados()?, vec![(server, command)], LIMIT).pop().ok_or(late)??;
        Ok(reply.json().unwrap_or(Value::Null))
    }
}
