//! A lab's file system, mounted by Ceph's own FUSE client; unmounted when it is dropped.

use super::{Lab, eventually};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

pub struct Mount {
    folder: tempfile::TempDir,
    client: Child,
}

impl Mount {
    pub fn of(lab: &Lab) -> Mount {
        let folder = tempfile::Builder::new().prefix("fathom-mount-").tempdir().unwrap();
        let client = Command::new("ceph-fuse")
            .args(["-f", "--conf", lab.conf(), "--id", "admin", "--log-file", "/dev/null", "--admin-socket", ""])
            .arg(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mount = Mount { folder, client };
        eventually("the file system to be mounted", 60, || mount.is_mounted());
        mount
    }

    fn is_mounted(&self) -> bool {
        let table = std::fs::read_to_string("/proc/self/mounts").unwrap();
        table.lines().any(|line| line.split(' ').nth(1) == self.path().to_str())
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn text(&self) -> &str {
        self.path().to_str().unwrap()
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// `STOP`: nothing on it is answered any more.
    pub fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([&format!("-{signal}"), &self.client.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    pub fn unmount(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.path()).status();
        let _ = self.client.kill();
        let _ = self.client.wait();
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        self.unmount();
    }
}
