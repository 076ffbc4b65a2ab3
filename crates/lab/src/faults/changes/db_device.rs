//! A slow device of its own for an OSD's database (block.db): a loop device that its control group limits.

use super::{Cgroup, Change};
use crate::errors::LabError;
use crate::faults::access::LabAccess;
use crate::wire::Act;
use crate::{leftovers, loopdev, process_group};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

/// BlueStore wants more than a gigabyte; the file is sparse.
const BYTES: u64 = 1200 << 20;
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

    fn file(&self) -> PathBuf {
        self.dir.join("slow-db.file")
    }

    fn link(&self) -> PathBuf {
        self.dir.join("block.db")
    }

    /// Of the loop device over the file.
    fn limits(&self, device: &Path) -> Result<Vec<Cgroup>, LabError> {
        let number = crate::faults::device_number::number_of(device)?;
        Ok(self.limits.iter().map(|limit| limit.of_device(number.clone())).collect())
    }

    pub fn make(&self, access: &LabAccess) -> Result<(), LabError> {
        let file = self.file();
        let made = File::create(&file).and_then(|file| file.set_len(BYTES));
        made.map_err(LabError::io("cannot make the file", &file))?;
        let device = loopdev::attach_with(&file, process_group::run)?;
        access.act(&self.daemon, Act::Kill)?;
        self.tool(access, "bluefs-bdev-new-db", &[("--dev-target", &device)])?;
        self.start(access)?;
        self.limits(&device)?.iter().try_for_each(|limit| limit.make(access))
    }

    pub fn undo(&self, access: &LabAccess, others: &[Change]) -> Result<(), LabError> {
        wait_for_tool(access);
        let device = loopdev::over(&self.file());
        if let Some(device) = &device {
            // A slow device would be read slowly.
            self.limits(device)?.iter().try_for_each(|limit| limit.undo(access, others))?;
        }
        if fs::symlink_metadata(self.link()).is_ok() {
            let _ = access.act(&self.daemon, Act::Kill);
            let (from, to) = (self.link(), self.dir.join("block"));
            self.tool(access, "bluefs-bdev-migrate", &[("--devs-source", &from), ("--dev-target", &to)])?;
        }
        if access.pid(&self.daemon).is_none() {
            self.start(access)?;
        }
        if let Some(device) = &device {
            process_group::run(Command::new(crate::preflight::system("losetup")).arg("--detach").arg(device))?;
        }
        match fs::remove_file(self.file()) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(LabError::io("cannot remove", &self.file())(error))
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
