//! A limit of a daemon's control group.

use super::Change;
use crate::cgroups;
use crate::errors::LabError;
use crate::faults::access::LabAccess;
use crate::registry;
use nix::unistd::geteuid;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Cgroup {
    daemon: String,
    controller: String,
    mount: PathBuf,
    /// `cpu.cfs_quota_us`
    file: String,
    /// The device that a limit is of: `7:0`.
    device: Option<String>,
    value: String,
    /// The value that means "no limit".
    without: String,
    /// The group to which the daemon goes back.
    back: PathBuf,
}

/// Whom a fault is to limit.
pub(crate) struct Limited<'a> {
    pub fault: &'static str,
    pub access: &'a LabAccess,
    pub daemon: String,
}

impl Cgroup {
    pub fn new(
        limited: &Limited,
        controller: &str,
        file: &str,
        device: Option<String>,
        value: &str,
        without: &str,
    ) -> Result<Cgroup, LabError> {
        let not_here = |why: String, mend| LabError::FaultNotHere { fault: limited.fault.to_owned(), why, mend };
        let Some(mount) = cgroups::mount(controller) else {
            let why = format!("this machine has no control groups of version 1 for {controller}");
            let mend = "boot it with systemd.unified_cgroup_hierarchy=0, or take another fault";
            return Err(not_here(why, mend));
        };
        if !geteuid().is_root() {
            let why = "only root may limit a daemon with a control group".to_owned();
            return Err(not_here(why, "start the lab as root, and run this as root"));
        }
        let dirs = &limited.access.dirs;
        let own = registry::supervisor_pid(dirs).and_then(|pid| cgroups::group_of(pid, controller));
        Ok(Cgroup {
            daemon: limited.daemon.clone(),
            controller: controller.to_owned(),
            back: mount.join(own.unwrap_or_default()),
            mount,
            file: file.to_owned(),
            device,
            value: value.to_owned(),
            without: without.to_owned(),
        })
    }

    /// The same limit, of a device that is known only now.
    pub fn of_device(&self, device: String) -> Cgroup {
        Cgroup { device: Some(device), ..self.clone() }
    }

    pub fn resource(&self) -> String {
        format!("{} of {} {}", self.file, self.daemon, self.device.as_deref().unwrap_or(""))
    }

    fn group(&self, access: &LabAccess) -> PathBuf {
        cgroups::of_daemon(&access.dirs, &self.mount, &self.daemon)
    }

    fn set(&self, group: &Path, value: &str) -> Result<(), LabError> {
        let file = group.join(&self.file);
        let line = self.device.as_ref().map_or_else(|| value.to_owned(), |device| format!("{device} {value}"));
        fs::write(&file, line).map_err(LabError::io("cannot write", &file))
    }

    pub fn make(&self, access: &LabAccess) -> Result<(), LabError> {
        let group = self.group(access);
        fs::create_dir_all(&group).map_err(LabError::io("cannot make the control group", &group))?;
        self.set(&group, &self.value)?;
        access.pid(&self.daemon).map_or(Ok(()), |pid| cgroups::enter(&group, pid))
    }

    pub fn undo(&self, access: &LabAccess, others: &[Change]) -> Result<(), LabError> {
        let group = self.group(access);
        if !group.is_dir() {
            return Ok(());
        }
        self.set(&group, &self.without)?;
        let shares = |other: &Change| matches!(other, Change::Cgroup(other) if other.daemon == self.daemon && other.controller == self.controller);
        if others.iter().any(shares) {
            return Ok(());
        }
        cgroups::remove(&access.dirs, &self.mount, &self.daemon, &self.back)
    }
}
