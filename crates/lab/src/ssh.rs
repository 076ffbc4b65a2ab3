//! An sshd on each of the lab's hosts, with keys of its own, so that they are reached as real hosts are.

use crate::dirs::Dirs;
use crate::errors::LabError;
use crate::lab::LabCluster;
use crate::preflight;
use crate::process_group::{MARK, ProcessGroup};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where sshd goes when it gives up its rights; its package makes it when its service starts, which need not be.
const EMPTY: &str = "/run/sshd";

/// Starts them. `None`: this machine has no sshd, and hosts are reached through their network namespaces alone.
///
/// # Errors
/// Keys can't be made, or a daemon can't be started.
pub(crate) fn start(lab: &LabCluster, dirs: &Dirs, process_group: &ProcessGroup) -> Result<Option<PathBuf>, LabError> {
    let Some(program) = preflight::sshd() else { return Ok(None) };
    let folder = dirs.dir.join("ssh");
    for made in [folder.as_path(), Path::new(EMPTY)] {
        fs::create_dir_all(made).map_err(LabError::io("cannot make the directory", made))?;
    }
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700))
        .map_err(LabError::io("cannot protect the directory", &folder))?;
    for key in ["host", "client"] {
        let mut keygen = Command::new("ssh-keygen");
        process_group.run(keygen.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(folder.join(key)))?;
    }
    let write = |name: &str, text: String| {
        let path = folder.join(name);
        fs::write(&path, text).map_err(LabError::io("cannot write", &path)).map(|()| path)
    };
    let daemon = write("sshd_config", daemon_config(&folder, dirs))?;
    let daemon = daemon.to_string_lossy().into_owned();
    for host in &lab.hosts {
        process_group.start_other(&format!("sshd.{}", host.name), host, &program, &["-D", "-e", "-f", &daemon])?;
    }
    write("config", client_config(lab, &folder)).map(Some)
}

/// Agents are marked as the lab's own, and what they keep goes with the lab.
fn daemon_config(folder: &Path, dirs: &Dirs) -> String {
    let folder = folder.display();
    format!(
        "Port 22\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/client.pub\nPidFile none\nStrictModes no\nUsePAM no\n\
         PermitRootLogin prohibit-password\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n\
         ClientAliveInterval 5\nClientAliveCountMax 2\nMaxStartups 100\n\
         SetEnv XDG_CACHE_HOME={folder}/cache {MARK}={}\n",
        dirs.dir.display()
    )
}

fn client_config(lab: &LabCluster, folder: &Path) -> String {
    let folder = folder.display();
    let mut text = format!(
        "IdentityFile {folder}/client\nIdentitiesOnly yes\nUserKnownHostsFile {folder}/known\n\
         StrictHostKeyChecking accept-new\nLogLevel ERROR\nUser root\n"
    );
    for host in &lab.hosts {
        text += &format!("Host {}\n  HostName {}\n", host.name, host.address);
    }
    text
}
