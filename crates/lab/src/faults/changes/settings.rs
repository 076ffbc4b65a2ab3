//! Options in the monitors' configuration database, for one daemon or for all; daemons that take them only at their start start again.

use crate::errors::LabError;
use crate::faults::access::LabAccess;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Settings {
    /// `osd.1`, `osd`, `global`
    who: String,
    options: Vec<Setting>,
    /// Daemons that are started again after a change.
    restart: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Setting {
    name: String,
    value: String,
    /// `None`: it was not set.
    before: Option<String>,
}

impl Settings {
    /// Notes what is set now. Of the daemons to start again, one that was stopped or killed on purpose stays down.
    pub fn new(
        access: &LabAccess,
        who: &str,
        options: &[(&str, String)],
        mut restart: Vec<String>,
    ) -> Result<Settings, LabError> {
        restart.retain(|daemon| access.pid(daemon).is_some());
        let dump = access.tell(&json!({"prefix": "config dump"}))?;
        let before = |name: &str| {
            let mut all = dump.as_array().into_iter().flatten();
            let set = all.find(|one| one["section"] == who && one["name"] == name && one["mask"] == "");
            set.and_then(|one| one["value"].as_str().map(str::to_owned))
        };
        let setting = |(name, value): &(&str, String)| Setting {
            name: (*name).to_owned(),
            value: value.clone(),
            before: before(name),
        };
        Ok(Settings { who: who.to_owned(), options: options.iter().map(setting).collect(), restart })
    }

    pub fn resources(&self) -> Vec<String> {
        self.options.iter().map(|option| format!("option {} of {}", option.name, self.who)).collect()
    }

    pub fn make(&self, access: &LabAccess) -> Result<(), LabError> {
        for Setting { name, value, .. } in &self.options {
            set(access, &self.who, name, value)?;
        }
        access.restart(&self.restart)
    }

    pub fn undo(&self, access: &LabAccess) -> Result<(), LabError> {
        for Setting { name, before, .. } in &self.options {
            match before {
                Some(value) => set(access, &self.who, name, value)?,
                None => drop(access.tell(&json!({"prefix": "config rm", "who": self.who, "name": name}))?),
            }
        }
        access.restart(&self.restart)
    }
}

fn set(access: &LabAccess, who: &str, name: &str, value: &str) -> Result<(), LabError> {
    let told = access.tell(&json!({"prefix": "config set", "who": who, "name": name, "value": value}));
    match told {
        // The monitor says what is wrong with the value.
        Err(LabError::Ceph(error)) if error.errno() == libc::EINVAL => {
            Err(LabError::Usage(format!("{name} can't be {value:?}: {error}; see `ceph config help {name}`")))
        }
        other => other.map(drop),
    }
}
