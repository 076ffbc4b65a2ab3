//! An sshd on each of the lab's hosts, with keys of its own, so that they are reached as real hosts are.

use crate::dirs::Dirs;
use crate::errors::LabError;
use crate::guest;
use crate::lab::LabCluster;
use crate::preflight;
use crate::process_group::{MARK, ProcessGroup};
use crate::services::Service;
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
    let daemon = write("sshd_config", daemon_config(&folder) + &environment(&folder, dirs))?;
    let daemon = daemon.to_string_lossy().into_owned();
    for host in &lab.hosts {
        process_group.start_other(&format!("sshd.{}", host.name), host, &program, &["-D", "-e", "-f", &daemon])?;
    }
    write("config", client_config(lab, &folder)).map(Some)
}

/// The keys with which an sshd knows the lab's client, and is known by it.
pub(crate) fn give_keys(dirs: &Dirs, to: &Path) -> Result<(), LabError> {
    for name in [HOST_KEY, CLIENT_PUBLIC] {
        let from = dirs.dir.join("ssh").join(name);
        fs::copy(&from, to.join(name)).map_err(LabError::io("cannot copy", &from))?;
    }
    Ok(())
}

const HOST_KEY: &str = "host";
const CLIENT_PUBLIC: &str = "client.pub";

/// Agents are marked as the lab's own, and what they keep goes with the lab.
fn environment(folder: &Path, dirs: &Dirs) -> String {
    format!("SetEnv XDG_CACHE_HOME={}/cache {MARK}={}\n", folder.display(), dirs.dir.display())
}

/// Of an sshd with its keys in this folder.
pub(crate) fn daemon_config(folder: &Path) -> String {
    let folder = folder.display();
    format!(
        "Port 22\nHostKey {folder}/{HOST_KEY}\nAuthorizedKeysFile {folder}/{CLIENT_PUBLIC}\nPidFile none\nStrictModes no\nUsePAM no\n\
         PermitRootLogin prohibit-password\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n\
         ClientAliveInterval 5\nClientAliveCountMax 2\nMaxStartups 100\n"
    )
}

fn client_config(lab: &LabCluster, folder: &Path) -> String {
    let folder = folder.display();
    let mut text = format!(
        "IdentityFile {folder}/client\nIdentitiesOnly yes\nUserKnownHostsFile {folder}/known\n\
         StrictHostKeyChecking accept-new\nLogLevel ERROR\nUser root\n"
    );
    let hosts = lab.hosts.iter().map(|host| (host.name.as_str(), host.address.clone()));
    let guest = lab.services.iter().filter(|own| own.service == Service::Guest);
    for (name, address) in hosts.chain(guest.map(|_| (guest::GUEST, guest::address(lab)))) {
        text += &format!("Host {name}\n  HostName {address}\n");
    }
    text
}
