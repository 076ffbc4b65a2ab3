//! The connection for administration: monitor, manager and OSD commands in JSON, with time-outs.

use crate::errors::ClusterError;
use crate::option_values::OptionValues;
use crate::{own_keys, rights, text_file};
use ceph::{CephError, ClusterAccess, Rados};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// How long a command may take: long enough to outlast an election or a restart of a monitor, short enough to report an error.
const COMMAND_SECONDS: u32 = 40;

/// What monitors know of an option.
#[derive(Clone, Debug, PartialEq)]
pub struct OptionHelp {
    /// Daemons take it up while they run.
    pub at_runtime: bool,
    /// It is for developers of Ceph: among these are all that break something on purpose.
    pub of_developers: bool,
    pub values: OptionValues,
}

#[derive(Clone)]
pub struct Cluster {
    pub rados: Arc<Rados>,
    pub access: ClusterAccess,
}

impl Cluster {
    /// Connects with time-outs on commands; the load gets a connection of its own ([`Cluster::for_load`]).
    pub fn connect(access: &ClusterAccess) -> Result<Cluster, ClusterError> {
        let mut timed = access.clone();
        for option in ["rados_mon_op_timeout", "rados_osd_op_timeout"] {
            timed.options.push((option.to_string(), COMMAND_SECONDS.to_string()));
        }
        let rados = Arc::new(Rados::connect(&timed)?);
        Ok(Cluster { rados, access: access.clone() })
    }

    /// A connection without time-outs on operations of OSDs, whose timers would cost on each of them.
    pub fn for_load(&self) -> Result<Arc<Rados>, ClusterError> {
        let mut timed = self.access.clone();
        timed.options.push(("rados_mon_op_timeout".to_string(), COMMAND_SECONDS.to_string()));
        Ok(Arc::new(Rados::connect(&timed)?))
    }

    /// What another host needs to reach the cluster as this user, and no more: the sections of the configuration that are for it without
    /// what is secret in them, and a keyring with its own key alone.
    ///
    /// # Errors
    /// One of them can't be read here, or no keyring has the user's key.
    pub fn texts(&self) -> Result<(String, String), ClusterError> {
        let conf = text_file::read(&self.access.conf_file()?)?;
        let user = self.user();
        let key = self.own_key()?;
        Ok((own_keys::conf_for(&conf, &user), own_keys::keyring_of(&user, key.as_deref())))
    }

    /// As the library finds it: in the first keyring that is there, in the configuration, or in a file of its own. `None`: it needs none.
    fn own_key(&self) -> Result<Option<String>, ClusterError> {
        let user = self.user();
        let places = self.rados.option("keyring");
        for keyring in places.split([',', ';', ' ']).map(Path::new).filter(|path| path.is_file()) {
            if let Some(key) = own_keys::key_of(&text_file::read(keyring)?, &user) {
                return Ok(Some(key));
            }
        }
        let (key, file) = (self.rados.option("key"), self.rados.option("keyfile"));
        if key.is_empty() && !file.is_empty() {
            return Ok(Some(text_file::read(Path::new(&file))?.trim().to_string()));
        }
        Ok(Some(key).filter(|key| !key.is_empty()))
    }

    /// The user's name as in its keyring: `client.admin`.
    pub fn user(&self) -> String {
        format!("client.{}", self.access.id.as_deref().unwrap_or("admin"))
    }

    /// A monitor command that answers in JSON.
    pub fn ask(&self, command: Value) -> Result<Value, ClusterError> {
        let name = prefix(&command);
        let reply = self.tell(command)?;
        serde_json::from_slice(&reply).map_err(|error| ClusterError::answer(&name, error.to_string()))
    }

    /// A monitor command whose answer is taken as it is.
    pub fn tell(&self, mut command: Value) -> Result<Vec<u8>, ClusterError> {
        with_json(&mut command);
        let name = prefix(&command);
        self.rados.mon_command(&command).map(|reply| reply.out).map_err(|error| self.explain(&name, error))
    }

    /// What the monitors know of an option. `None`: there is no such option.
    pub fn option_help(&self, name: &str) -> Result<Option<OptionHelp>, ClusterError> {
        match self.ask(json!({"prefix": "config help", "key": name})) {
            Ok(help) => Ok(Some(OptionHelp {
                at_runtime: help.get("can_update_at_runtime").and_then(Value::as_bool).unwrap_or(false),
                of_developers: help.get("level").and_then(Value::as_str).is_some_and(|level| level.starts_with("dev")),
                values: OptionValues::of(&help),
            })),
            Err(ClusterError::Ceph(CephError::NotFound { .. })) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The names of all options that the monitors know.
    pub fn option_names(&self) -> Result<Vec<String>, ClusterError> {
        let names = self.ask(json!({"prefix": "config ls"}))?;
        let names = names.as_array().into_iter().flatten().filter_map(Value::as_str);
        Ok(names.map(str::to_string).collect())
    }

    /// The value of an option with which this OSD works now, whatever was set; `None`: it does not tell.
    pub fn option_of_osd(&self, osd: u32, name: &str) -> Option<String> {
        let command = json!({"prefix": "config get", "var": name, "format": "json"});
        let answer = self.rados.osd_command(osd, &command).ok()?.json().ok()?;
        answer.get(name)?.as_str().map(str::to_string)
    }

    /// What this OSD was given as it runs (`ceph tell osd.3 config set`), which it forgets when it starts: options that may be changed so, with
    /// their values. What its scheduler sets by itself is none.
    ///
    /// # Errors
    /// It does not tell.
    pub fn given_as_it_runs(&self, osd: u32) -> Result<Vec<(String, String)>, ClusterError> {
        let answer = self.rados.osd_command(osd, &json!({"prefix": "config diff", "format": "json"}))?.json()?;
        let given = answer.get("diff").and_then(Value::as_object).into_iter().flatten();
        let given = given.filter_map(|(name, values)| {
            let value = match values.get("override")? {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            Some((name.clone(), value))
        });
        let queue = self.option_of_osd(osd, "osd_op_queue");
        let mut found = Vec::new();
        for (name, value) in given.filter(|(name, _)| !set_by_scheduler(name, queue.as_deref())) {
            if self.option_help(&name)?.is_some_and(|help| help.at_runtime) {
                found.push((name, value));
            }
        }
        Ok(found)
    }

    /// The name of the host on which the OSD last started, as that host calls itself.
    pub fn host_of_osd(&self, osd: u32) -> Result<String, ClusterError> {
        let told = self.ask(json!({"prefix": "osd metadata", "id": osd}))?;
        let host = told.get("hostname").and_then(Value::as_str).filter(|host| !host.is_empty());
        host.map(str::to_string).ok_or_else(|| ClusterError::answer("osd metadata", "no hostname"))
    }

    /// A command to the manager that answers in JSON (placement-group tables live there).
    pub fn ask_manager(&self, mut command: Value) -> Result<Value, ClusterError> {
        with_json(&mut command);
        let name = prefix(&command);
        let reply = self.rados.mgr_command(&command).map_err(|error| self.explain(&name, error))?;
        serde_json::from_slice(&reply.out).map_err(|error| ClusterError::answer(&name, error.to_string()))
    }

    /// A command to the manager whose answer says nothing.
    pub fn tell_manager(&self, command: Value) -> Result<(), ClusterError> {
        let name = prefix(&command);
        self.rados.mgr_command(&command).map(drop).map_err(|error| self.explain(&name, error))
    }

    /// Adds, to a refusal for lack of rights, what the user has and the least that suffices.
    fn explain(&self, command: &str, error: CephError) -> ClusterError {
        match error {
            // A monitor's own safety option, not a missing right: the journal deals with it.
            CephError::NotPermitted { ref status, .. } if status.contains("mon_allow_pool") => {
                ClusterError::Ceph(error)
            }
            CephError::NotPermitted { .. } => ClusterError::NotPermitted(rights::advice(self, command)),
            other => ClusterError::Ceph(other),
        }
    }

    /// The caps of this user, if it may read them.
    pub(crate) fn own_caps(&self) -> Option<String> {
        let command = json!({"prefix": "auth get", "entity": self.user(), "format": "json"});
        let reply = self.rados.mon_command(&command).ok()?;
        let found: Value = serde_json::from_slice(&reply.out).ok()?;
        let caps = found.get(0)?.get("caps")?.as_object()?;
        Some(caps.iter().map(|(kind, cap)| format!("{kind} {cap}")).collect::<Vec<_>>().join(", "))
    }
}

/// Does mClock set it by itself as the OSD runs? With wpq, what is set so was set by somebody.
fn set_by_scheduler(name: &str, queue: Option<&str>) -> bool {
    let by_mclock = name.starts_with("osd_mclock")
        || name.starts_with("osd_recovery_max_active")
        || name.ends_with("_sleep")
        || name.contains("_sleep_")
        || name == "osd_max_backfills";
    by_mclock && queue != Some("wpq")
}

fn prefix(command: &Value) -> String {
    command.get("prefix").and_then(Value::as_str).unwrap_or("command").to_string()
}

fn with_json(command: &mut Value) {
    if let Some(fields) = command.as_object_mut() {
        fields.entry("format").or_insert_with(|| json!("json"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_wpq_what_was_given_as_an_osd_runs_is_somebodys() {
        let own = ["osd_max_backfills", "osd_snap_trim_sleep", "osd_scrub_sleep", "osd_recovery_sleep_hdd"];
        for name in own {
            assert!(set_by_scheduler(name, Some("mclock_scheduler")) && set_by_scheduler(name, None), "{name}");
            assert!(!set_by_scheduler(name, Some("wpq")), "{name}");
        }
        assert!(!set_by_scheduler("osd_op_num_shards", Some("mclock_scheduler")));
    }
}
