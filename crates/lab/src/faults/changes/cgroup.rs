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
        if others.iter().any(|other| self.shares_group_with(other)) {
            return Ok(());
        }
        cgroups::remove(&access.dirs, &self.mount, &self.daemon, &self.back)
    }

    /// Another change that sets a limit of the same group.
    fn shares_group_with(&self, other: &Change) -> bool {
        let same = |limit: &Cgroup| limit.daemon == self.daemon && limit.controller == self.controller;
        match other {
            Change::Cgroup(limit) => same(limit),
            Change::DbDevice(db) => db.limits.iter().any(same),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::changes::DbDevice;

    fn limit(mount: &Path, daemon: &str, controller: &str, file: &str) -> Cgroup {
        Cgroup {
            daemon: daemon.to_owned(),
            controller: controller.to_owned(),
            mount: mount.to_owned(),
            file: file.to_owned(),
            device: Some("7:0".to_owned()),
            value: "100".to_owned(),
            without: "0".to_owned(),
            back: mount.to_owned(),
        }
    }

    #[test]
    fn a_group_stays_as_long_as_another_fault_limits_something_in_it() -> Result<(), LabError> {
        let place = tempfile::tempdir().map_err(LabError::io("cannot make", Path::new("a temporary directory")))?;
        let access = LabAccess::without_cluster(place.path());
        let mine = limit(place.path(), "osd.1", "blkio", "write_iops");
        let group = mine.group(&access);
        let database = |daemon: &str, controller| {
            let limits = vec![limit(place.path(), daemon, controller, "read_iops")];
            Change::DbDevice(DbDevice { daemon: daemon.to_owned(), dir: PathBuf::new(), limits })
        };
        let other = |daemon, controller| Change::Cgroup(limit(place.path(), daemon, controller, "read_bps"));
        for same in [database("osd.1", "blkio"), other("osd.1", "blkio")] {
            fs::create_dir_all(&group).map_err(LabError::io("cannot make", &group))?;
            mine.undo(&access, &[same])?;
            assert!(group.is_dir());
        }
        for another in [database("osd.2", "blkio"), database("osd.1", "cpu"), other("osd.2", "blkio")] {
            assert!(!mine.shares_group_with(&another));
        }
        Ok(())
    }
}
