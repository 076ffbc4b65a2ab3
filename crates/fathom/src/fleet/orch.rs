//! The hosts of a cluster that cephadm manages, by cephadm's own ssh user and key, which stay in memory.

use super::sources::Wanted;
use crate::cli::hosts::HostArgs;
use crate::failure::Failure;
use cluster::Cluster;
use nix::sys::memfd::{MFdFlags, memfd_create};
use remote::{NamesError, SshOptions, Transport};
use std::fs::{File, Permissions};
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// All of them, or those with a label.
///
/// # Errors
/// There is no cephadm, none has the label, or the key may not be read.
pub fn hosts(cluster: &Cluster, label: Option<&str>, args: &HostArgs) -> Result<Wanted, Failure> {
    let known = cluster.orch_hosts()?;
    let hosts: Vec<_> =
        known.iter().filter(|host| label.is_none_or(|label| host.labels.iter().any(|own| own == label))).collect();
    if hosts.is_empty() {
        let labels: Vec<&str> = known.iter().flat_map(|host| &host.labels).map(String::as_str).collect();
        return Err(Failure::Usage(format!("orch: no host has that label; there are: {}", labels.join(", "))));
    }
    let access = cluster.orch_access()?;
    let options = SshOptions {
        config: Some(kept("config", &access.config)?),
        identity: Some(kept("key", &access.key)?),
        options: args.ssh_option.clone(),
    };
    let way = |host: &&cluster::orch::OrchHost| {
        let transport = Transport::of(&format!("{}@{}", access.user, host.addr), &options)?;
        Ok((host.hostname.clone(), transport))
    };
    let hosts = hosts.iter().map(way).collect::<Result<Vec<_>, NamesError>>()?;
    Ok(Wanted { hosts, program: super::sources::program(args)? })
}

/// In memory for the rest of this process's life; only this user may read it, which ssh insists on.
fn kept(name: &str, text: &str) -> Result<PathBuf, Failure> {
    let handle = memfd_create(name, MFdFlags::empty()).map_err(std::io::Error::from)?;
    let mut file = File::from(handle);
    file.set_permissions(Permissions::from_mode(0o600))?;
    file.write_all(text.as_bytes())?;
    let path = PathBuf::from(format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd()));
    std::mem::forget(file);
    Ok(path)
}
