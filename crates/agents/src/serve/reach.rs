//! An agent's own connections to the cluster, made of texts that came over the line and never touch a disk.

use crate::AgentAccess;
use crate::memory_file::MemoryFile;
use engines::Context;
use model::Failure;
use std::sync::Arc;

/// # Errors
/// The libraries are missing, or the cluster can't be reached from this host.
pub fn reach(access: &AgentAccess) -> Result<Context, Failure> {
    let (conf, keyring) = (MemoryFile::of("conf", &access.conf)?, MemoryFile::of("keyring", &access.keyring)?);
    let access_here = ceph::ClusterAccess {
        conf: Some(conf.path()),
        keyring: Some(keyring.path()),
        id: Some(access.id.clone()),
        ..ceph::ClusterAccess::default()
    };
    let connect = || Ok(Arc::new(ceph::Rados::connect(&access_here)?));
    let rados = Some(connect()?);
    let more_clients = (1..access.clients).map(|_| connect()).collect::<Result<Vec<_>, Failure>>()?;
    Ok(Context { rados, more_clients, ..Context::default() })
}
