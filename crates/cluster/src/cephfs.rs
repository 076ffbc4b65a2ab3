//! Folders of our own in file systems of the cluster, made and emptied by libcephfs.

use crate::admin::Cluster;
use crate::apply::Unmade;
use crate::emptied::{NO_FOLDER, Named, OpenFolder, emptied, not_empty};
use crate::entry::JournalEntry;
use crate::errors::ClusterError;
use crate::own_folders::{NOT_FOUND, patiently};
use ceph::{CephError, FileSystem, Folder, Kind};
use model::Change;
use serde_json::json;
use std::ffi::CString;
use std::sync::Arc;
use std::time::Duration;

/// What a killed client held, others wait for until its session ends (`session_timeout` of a file system, 60 s).
const STALL: Duration = Duration::from_secs(100);

/// Is there such a file system, and may it be used? Asked before anything is changed.
///
/// # Errors
/// There is none of this name, and which there are; or it can't be mounted.
pub fn prove(cluster: &Cluster, name: &str) -> Result<(), ClusterError> {
    let listed = cluster.ask(json!({"prefix": "fs ls"}))?;
    let names: Vec<&str> = listed.as_array().into_iter().flatten().filter_map(|one| one["name"].as_str()).collect();
    if names.contains(&name) {
        return FileSystem::mount(&cluster.rados, name).map(drop).map_err(explained);
    }
    let there = if names.is_empty() { "none".to_string() } else { names.join(", ") };
    Err(ClusterError::NoFileSystem { name: name.to_string(), there })
}

/// A user needs capabilities of its own for files.
fn explained(error: CephError) -> ClusterError {
    match error {
        CephError::NotPermitted { what, entity, .. } => ClusterError::NotPermitted(format!(
            "{what}: the user {entity} has no right to its files; give it mds 'allow rw' (`ceph auth get {entity}` shows what it has, and \
             `ceph auth caps` replaces all of it)"
        )),
        error => ClusterError::Ceph(error),
    }
}

/// # Errors
/// [`ClusterError::NotMade`]: there is one already. Else it may be there.
pub(crate) fn make(cluster: &Cluster, file_system: &str, path: &str, change: &Change) -> Result<(), ClusterError> {
    let (rados, name, own) = (cluster.rados.clone(), file_system.to_string(), path.to_string());
    let made = patiently(STALL, move |_| {
        let made = FileSystem::mount(&rados, &name).and_then(|mounted| mounted.make_folder(&own));
        Ok(made)
    });
    match made.map_err(|why| ClusterError::Make { what: change.what(), why })? {
        Ok(()) => Ok(()),
        Err(error @ CephError::Exists { .. }) => {
            Err(ClusterError::NotMade { what: change.what(), why: error.to_string() })
        }
        Err(error) => Err(explained(error)),
    }
}

/// Deletes what is ours in it, and it, if nothing else is in it.
///
/// # Errors
/// It can't be undone now: no metadata server answers, or it refuses.
pub(crate) fn unmake(
    cluster: &Cluster,
    file_system: &str,
    path: &str,
    entry: &JournalEntry,
) -> Result<Unmade, ClusterError> {
    let (change, confirmed) = (&entry.change, entry.made.is_some());
    let (rados, name, own) = (cluster.rados.clone(), file_system.to_string(), path.to_string());
    let listed = cluster.ask(json!({"prefix": "fs ls"}))?;
    if !listed.as_array().into_iter().flatten().any(|one| one["name"] == file_system) {
        return Ok(Unmade::Left("its file system is not there any more by that name; see `ceph fs ls`".to_string()));
    }
    let undone = patiently(STALL, move |deleted| {
        let mounted = Arc::new(FileSystem::mount(&rados, &name).map_err(|error| error.to_string())?);
        let folder = match mounted.folder(&own) {
            Ok(folder) => folder,
            Err(CephError::NotFound { .. }) if confirmed => return Ok(Unmade::Left(NOT_FOUND.to_string())),
            Err(CephError::NotFound { .. }) => return Ok(Unmade::Undone),
            Err(error) if matches!(error.errno(), libc::ELOOP | libc::ENOTDIR) => {
                return Ok(Unmade::Left(NO_FOLDER.to_string()));
            }
            Err(error) => return Err(error.to_string()),
        };
        if let Some(other) = emptied(&folder, deleted).map_err(|error| error.to_string())? {
            return Ok(Unmade::Left(not_empty(&other)));
        }
        match mounted.remove_folder(&own) {
            Ok(()) | Err(CephError::NotFound { .. }) => Ok(Unmade::Undone),
            Err(error) => Err(error.to_string()),
        }
    });
    undone.map_err(|why| ClusterError::Undo { what: change.what(), why })
}

impl OpenFolder for Folder {
    type Error = CephError;
    type Name = CString;

    fn names(&self) -> Result<Vec<(CString, Named)>, CephError> {
        let named = |kind| match kind {
            Kind::File => Named::File,
            Kind::Folder => Named::Folder,
            Kind::Other => Named::Other,
        };
        Ok(Folder::names(self)?.into_iter().map(|(name, kind)| (name, named(kind))).collect())
    }

    fn shown(name: &CString) -> String {
        name.to_string_lossy().into_owned()
    }

    fn folder(&self, name: &CString) -> Result<Folder, CephError> {
        Folder::folder(self, name)
    }

    fn remove(&self, name: &CString, folder: bool) -> Result<(), CephError> {
        Folder::remove(self, name, folder)
    }

    fn is_gone(error: &CephError) -> bool {
        matches!(error, CephError::NotFound { .. })
    }
}
