//! The hosts of a cluster that cephadm manages, by cephadm's own ssh user and key, which stay in memory.

use super::sources::Wanted;
use crate::cli::hosts::HostArgs;
use crate::failure::Failure;
use crate::memory::MemoryFile;
use cluster::Cluster;
use remote::{NamesError, SshOptions, Transport};

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
    let kept = [MemoryFile::of("config", &access.config)?, MemoryFile::of("key", &access.key)?];
    let options =
        SshOptions { config: Some(kept[0].path()), identity: Some(kept[1].path()), options: args.ssh_option.clone() };
    let way = |host: &&cluster::orch::OrchHost| {
        let transport = Transport::of(&format!("{}@{}", access.user, host.addr), &options)?;
        Ok((host.hostname.clone(), transport))
    };
    let hosts = hosts.iter().map(way).collect::<Result<Vec<_>, NamesError>>()?;
    Ok(Wanted { hosts, program: super::sources::program(args)?, spared: Vec::new(), _kept: kept.into() })
}
