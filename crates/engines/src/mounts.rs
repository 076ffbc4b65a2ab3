//! File systems of the cluster that were mounted by its library.

use ceph::{CephError, FileSystem, Rados};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Each file system is mounted once, by all lanes together: that is one client to its metadata server.
#[derive(Default)]
pub struct Mounts(Mutex<BTreeMap<String, Arc<FileSystem>>>);

impl Mounts {
    /// # Errors
    /// It can't be mounted.
    pub fn of(&self, rados: &Arc<Rados>, name: &str) -> Result<Arc<FileSystem>, CephError> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mounted) = known.get(name) {
            return Ok(mounted.clone());
        }
        let mounted = FileSystem::mount(rados, name)?;
        Ok(known.entry(name.to_string()).or_insert_with(|| Arc::new(mounted)).clone())
    }
}
