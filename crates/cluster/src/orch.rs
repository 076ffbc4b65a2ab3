//! The hosts that cephadm manages, and how it logs in there: its own user, key and configuration of ssh.

use crate::admin::Cluster;
use crate::errors::ClusterError;
use serde::Deserialize;
use serde_json::{Value, json};

/// A host of `ceph orch host ls`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct OrchHost {
    pub hostname: String,
    pub addr: String,
    #[serde(default)]
    pub labels: Vec<String>,
    /// Empty, `offline` or `maintenance`.
    #[serde(default)]
    pub status: String,
}

/// How cephadm reaches its hosts.
#[derive(Clone, PartialEq, Eq)]
pub struct OrchAccess {
    pub user: String,
    /// The private key.
    pub key: String,
    /// As ssh's `-F` takes it.
    pub config: String,
}

impl Cluster {
    /// # Errors
    /// The cluster is not managed by cephadm, or this user may not ask.
    pub fn orch_hosts(&self) -> Result<Vec<OrchHost>, ClusterError> {
        let answer = self.ask_manager(json!({"prefix": "orch host ls"}))?;
        hosts_of(answer).map_err(|why| ClusterError::answer("orch host ls", why))
    }

    /// # Errors
    /// As above; the key wants the rights of `client.admin`.
    pub fn orch_access(&self) -> Result<OrchAccess, ClusterError> {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let ask = |prefix: &str| self.rados.mgr_command(&json!({"prefix": prefix})).map(|reply| text(reply.out));
        let key = self.tell(json!({"prefix": "config-key get", "key": "mgr/cephadm/ssh_identity_key"}))?;
        Ok(OrchAccess {
            user: ask("cephadm get-user")?.trim().to_string(),
            key: text(key),
            config: ask("cephadm get-ssh-config")?,
        })
    }
}

impl Cluster {
    /// Does cephadm run this OSD? A cluster without an orchestrator, or with another one, is not asked further.
    pub fn orch_has_osd(&self, osd: u32) -> bool {
        let backend = self.ask_manager(json!({"prefix": "orch status"})).ok();
        let cephadm = backend.is_some_and(|status| status.get("backend") == Some(&json!("cephadm")));
        cephadm && self.ask_manager(json!({"prefix": "orch ps", "daemon_type": "osd"})).is_ok_and(|all| has(&all, osd))
    }

    /// # Errors
    /// The manager refuses.
    pub fn orch_restart_osd(&self, osd: u32) -> Result<(), ClusterError> {
        self.tell_manager(json!({"prefix": "orch daemon", "action": "restart", "name": format!("osd.{osd}")}))
    }
}

fn has(daemons: &Value, osd: u32) -> bool {
    let id = json!(osd.to_string());
    daemons.as_array().is_some_and(|all| all.iter().any(|one| one.get("daemon_id") == Some(&id)))
}

fn hosts_of(answer: Value) -> Result<Vec<OrchHost>, String> {
    serde_json::from_value(answer).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_osd_of_cephadm_is_known_by_its_number() {
        let daemons = json!([{"daemon_type": "osd", "daemon_id": "3"}, {"daemon_type": "osd", "daemon_id": "31"}]);
        assert!(has(&daemons, 3) && has(&daemons, 31) && !has(&daemons, 1) && !has(&json!({}), 3));
    }

    #[test]
    fn hosts_are_read_with_and_without_labels() {
        let answer = json!([
            {"addr": "10.0.0.1", "hostname": "a", "labels": ["_admin", "osd"], "status": ""},
            {"addr": "10.0.0.2", "hostname": "b", "labels": [], "status": "offline", "service_type": "host"},
            {"addr": "c", "hostname": "c"}
        ]);
        let hosts = hosts_of(answer).unwrap();
        assert_eq!((hosts[0].labels.len(), hosts[1].status.as_str(), hosts[2].addr.as_str()), (2, "offline", "c"));
        assert!(hosts_of(json!({"no": "list"})).is_err());
    }
}
