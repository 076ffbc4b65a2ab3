//! The configuration file of a daemon that takes none of the monitors' options; the daemon starts again after a change.

use crate::errors::LabError;
use crate::faults::access::LabAccess;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::PathBuf;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ServiceConf {
    /// `nfs.a`
    daemon: String,
    /// In the lab's own folder.
    file: PathBuf,
    text: String,
    before: String,
}

impl ServiceConf {
    /// Notes what the file says now. `change`: from that to what it is to say.
    pub fn new(daemon: &str, file: PathBuf, change: impl FnOnce(&str) -> String) -> Result<ServiceConf, LabError> {
        let before = fs::read_to_string(&file).map_err(LabError::io("cannot read", &file))?;
        Ok(ServiceConf { daemon: daemon.to_owned(), file, text: change(&before), before })
    }

    pub fn resource(&self) -> String {
        format!("configuration of {}", self.daemon)
    }

    pub fn make(&self, access: &LabAccess) -> Result<(), LabError> {
        self.write(&self.text)?;
        access.restart(std::slice::from_ref(&self.daemon))
    }

    pub fn undo(&self, access: &LabAccess) -> Result<(), LabError> {
        self.write(&self.before)?;
        access.restart(std::slice::from_ref(&self.daemon))
    }

    /// Whole or not at all: a daemon may start at any time.
    fn write(&self, text: &str) -> Result<(), LabError> {
        let new = self.file.with_extension("new");
        let written = fs::write(&new, text).and_then(|()| fs::rename(&new, &self.file));
        written.map_err(LabError::io("cannot write", &self.file))
    }
}
