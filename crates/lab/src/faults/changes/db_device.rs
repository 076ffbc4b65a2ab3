//! A device of its own for the database of an OSD that has none, which the OSD's control group limits.

use super::{Cgroup, Change};
use crate::errors::LabError;
use crate::faults::access::LabAccess;
use crate::wire::Act;
use crate::{db, leftovers, loopdev, process_group};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

const TOOL: &str = "ceph-bluestore-tool";

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct DbDevice {
    pub daemon: String,
    /// The OSD's directory.
    pub dir: PathBuf,
    /// Without a device, which is known when it is made.
    pub limits: Vec<Cgroup>,
}

impl DbDevice {
    pub fn resource(&self) -> String {
        format!("block.db of {}", self.daemon)
    }

    /// Of the loop device over the file.
    fn limits(&self, device: &Path) -> Result<Vec<Cgroup>, LabError> {
        let number = crate::faults::device_number::number_of(device)?;
        Ok(self.limits.iter().map(|limit| limit.of_device(number.clone())).collect())
    }

    pub fn make(&self, access: &LabAccess) -> Result<(), LabError> {
        let device = db::make_device(&self.dir, db::DB_BYTES, process_group::run)?;
        access.act(&self.daemon, Act::Kill)?;
        self.tool(access, "bluefs-bdev-new-db", &[("--dev-target", &device)])?;
        self.start(access)?;
        self.limits(&device)?.iter().try_for_each(|limit| limit.make(access))
    }

    pub fn undo(&self, access: &LabAccess, others: &[Change]) -> Result<(), LabError> {
        wait_for_tool(access);
        let (file, link) = (db::file(&self.dir), db::link(&self.dir));
        let device = loopdev::over(&file);
        if let Some(device) = &device {
            // A slow device would be read slowly.
            self.limits(device)?.iter().try_for_each(|limit| limit.undo(access, others))?;
        }
        if fs::symlink_metadata(&link).is_ok() {
            let _ = access.act(&self.daemon, Act::Kill);
            let to = self.dir.join("block");
            self.tool(access, "bluefs-bdev-migrate", &[("--devs-source", &link), ("--dev-target", &to)])?;
        }
        if access.pid(&self.daemon).is_none() {
            self.start(access)?;
        }
        if let Some(device) = &device {
            process_group::run(Command::new(crate::preflight::system("losetup")).arg("--detach").arg(device))?;
        }
        match fs::remove_file(&file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(LabError::io("cannot remove", &file)(error))
            }
            _ => Ok(()),
        }
    }

    fn start(&self, access: &LabAccess) -> Result<(), LabError> {
        access.act(&self.daemon, Act::Start)?;
        access.wait("the start of the OSD", || Ok(access.up_from(&self.daemon)?.is_some()))?;
        access.wait_active()
    }

    /// Not ended with this program: half of its work would leave a store that no OSD can open.
    fn tool(&self, access: &LabAccess, what: &str, devices: &[(&str, &Path)]) -> Result<(), LabError> {
        let mut command = Command::new(TOOL);
        command.arg(what).arg("--path").arg(&self.dir).env(process_group::MARK, &access.dirs.dir);
        for (word, device) in devices {
            command.arg(word).arg(device);
        }
        let failed = |why: String| LabError::Tool { command: format!("{TOOL} {what}"), why };
        let output = command.output().map_err(|error| failed(error.to_string()))?;
        let said = || String::from_utf8_lossy(&output.stderr).trim().to_owned();
        if output.status.success() { Ok(()) } else { Err(failed(said())) }
    }
}

/// Until the tool of an `on` that was killed has ended.
fn wait_for_tool(access: &LabAccess) {
    let is_tool = |pid: &nix::unistd::Pid| {
        fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|words| words.starts_with(TOOL.as_bytes()))
    };
    while leftovers::marked(&access.dirs).iter().any(is_tool) {
        thread::sleep(Duration::from_millis(50));
    }
}
