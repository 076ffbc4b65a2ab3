//! An agent's own connections to the cluster, made of texts that came over the line and never touch a disk.

use crate::failure::Failure;
use engines::Context;
use nix::sys::memfd::{MFdFlags, memfd_create};
use remote::Access;
use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::Arc;

/// # Errors
/// The libraries are missing, or the cluster can't be reached from this host.
pub fn reach(access: &Access) -> Result<Context, Failure> {
    let (conf, keyring) = (in_memory("conf", &access.conf)?, in_memory("keyring", &access.keyring)?);
    let access_here = ceph::Access {
        conf: Some(path_of(&conf)),
        keyring: Some(path_of(&keyring)),
        id: Some(access.id.clone()),
        ..ceph::Access::default()
    };
    let connect = || Ok(Arc::new(ceph::Rados::connect(&access_here)?));
    let rados = Some(connect()?);
    let more_clients = (1..access.clients).map(|_| connect()).collect::<Result<Vec<_>, Failure>>()?;
    Ok(Context { rados, more_clients, ..Context::default() })
}

/// A file that only this process can name.
fn in_memory(name: &str, text: &str) -> Result<File, Failure> {
    let handle = memfd_create(name, MFdFlags::MFD_CLOEXEC).map_err(std::io::Error::from)?;
    let mut file = File::from(handle);
    file.write_all(text.as_bytes())?;
    Ok(file)
}

fn path_of(file: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}
