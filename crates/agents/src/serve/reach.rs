//! An agent's own connections to the cluster, made of texts that came over the line and never touch a disk; and its keys.

use crate::memory_file::MemoryFile;
use crate::{AgentAccess, ClusterTexts, S3Texts};
use engines::Context;
use model::Failure;
use std::sync::Arc;

/// # Errors
/// The libraries are missing, or the cluster can't be reached from this host.
pub fn reach(access: AgentAccess) -> Result<Context, Failure> {
    let s3 = access.s3.into_iter().map(|(url, S3Texts { access, secret, token, authorities })| {
        let keys = match token {
            Some(token) => s3::Keys::new_with_token(access, secret, token),
            None => s3::Keys::new(access, secret),
        };
        (url, s3::Access { keys, authorities })
    });
    let s3: s3::AccessByUrl = s3.collect();
    let Some(ClusterTexts { conf, keyring, id, clients }) = access.cluster else {
        return Ok(Context { s3, ..Context::default() });
    };
    let (conf, keyring) = (MemoryFile::of("conf", &conf)?, MemoryFile::of("keyring", &keyring)?);
    let access_here = ceph::ClusterAccess {
        conf: Some(conf.path()),
        keyring: Some(keyring.path()),
        id: Some(id),
        ..ceph::ClusterAccess::default()
    };
    let connect = || Ok(Arc::new(ceph::Rados::connect(&access_here)?));
    let rados = Some(connect()?);
    let more_clients = (1..clients).map(|_| connect()).collect::<Result<Vec<_>, Failure>>()?;
    // Mounting a file system of the cluster is a connection of its own.
    let keyring: Arc<dyn std::any::Any + Send + Sync> = Arc::new(keyring);
    Ok(Context { rados, more_clients, keyring: Some(keyring), s3, ..Context::default() })
}
