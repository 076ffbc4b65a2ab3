//! Folders of our own in file systems of the cluster, made and emptied by libcephfs.

use crate::admin::Cluster;
use crate::apply::Unmade;
use crate::emptied::{NO_FOLDER, Named, OpenFolder, emptied, not_empty};
use crate::entry::JournalEntry;
use crate::errors::ClusterError;
use crate::own_folders::{NOT_FOUND, patiently, refuses};
use ceph::{CephError, FileSystem, Folder, Kind};
use model::Change;
use model::inventory::CephfsSeen;
use serde_json::{Value, json};
use std::ffi::CString;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// What a killed client held, others wait for until its session ends (`session_timeout` of a file system, 60 s).
const STALL: Duration = Duration::from_secs(100);
/// So long a folder whose making was not confirmed may still come: it waits for such a client as well.
const SETTLED_SECONDS: i64 = 75;
pub(crate) const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// Until when to look for a folder that is not there.
pub(crate) fn settled(entry: &JournalEntry) -> Instant {
    let since = entry.written.map_or(SETTLED_SECONDS, |written| jiff::Timestamp::now().as_second() - written);
    Instant::now() + Duration::from_secs((SETTLED_SECONDS - since).clamp(0, SETTLED_SECONDS).unsigned_abs())
}

/// The file system of this name, which may be used. Asked before anything is changed.
///
/// # Errors
/// There is none of this name, and which there are; or it can't be mounted.
pub fn look(cluster: &Cluster, name: &str) -> Result<CephfsSeen, ClusterError> {
    let listed = cluster.ask(json!({"prefix": "fs ls"}))?;
    let listed: Vec<&Value> = listed.as_array().into_iter().flatten().collect();
    let Some(found) = listed.iter().find(|one| one["name"] == name) else {
        let names: Vec<&str> = listed.iter().filter_map(|one| one["name"].as_str()).collect();
        let there = if names.is_empty() { "none".to_string() } else { names.join(", ") };
        return Err(ClusterError::NoFileSystem { name: name.to_string(), there });
    };
    let mounted = FileSystem::mount(&cluster.rados, name).map_err(|error| explained(error, RIGHTS))?;
    let data_pools = found["data_pools"].as_array().into_iter().flatten();
    let data_pools = data_pools.filter_map(|pool| pool.as_str().map(str::to_string)).collect();
    Ok(CephfsSeen { name: name.to_string(), data_pools, root_pool: mounted.data_pool("/").ok() })
}

const RIGHTS: &str = "has no right to its files; give it mds 'allow rw'";
const RIGHTS_TO_LAYOUTS: &str = "may not say in which pool files lie; give it mds 'allow rwp'";

/// A user needs capabilities of its own for files. `rights`: which it lacks.
fn explained(error: CephError, rights: &str) -> ClusterError {
    match error {
        CephError::NotPermitted { what, entity, .. } => ClusterError::NotPermitted(format!(
            "{what}: the user {entity} {rights} (`ceph auth get {entity}` shows what it has, and `ceph auth caps` replaces all of it)"
        )),
        error => ClusterError::Ceph(error),
    }
}

/// `data_pool`: where the bytes of its files are to lie, if not where the file system puts them.
///
/// # Errors
/// [`ClusterError::NotMade`]: there is one already, or it was refused. Else it may be there.
pub(crate) fn make(
    cluster: &Cluster,
    (file_system, path): (&str, &str),
    data_pool: Option<&str>,
    change: &Change,
) -> Result<(), ClusterError> {
    let (rados, name, own) = (cluster.rados.clone(), file_system.to_string(), path.to_string());
    let data_pool = data_pool.map(str::to_string);
    let made = patiently(STALL, move |_| {
        let made = FileSystem::mount(&rados, &name).and_then(|mounted| {
            mounted.make_folder(&own)?;
            Ok((mounted, own))
        });
        let (mounted, own) = match made {
            Ok(made) => made,
            Err(error) => return Ok(Err((error, RIGHTS))),
        };
        let Some(Err(error)) = data_pool.map(|pool| mounted.set_data_pool(&own, &pool)) else { return Ok(Ok(())) };
        mounted.remove_folder(&own).map_err(|left| format!("{error}; and it can't be removed again: {left}"))?;
        Ok(Err((error, RIGHTS_TO_LAYOUTS)))
    });
    match made.map_err(|why| ClusterError::Make { what: change.what(), why })? {
        Ok(()) => Ok(()),
        Err((error @ CephError::Exists { .. }, _)) => {
            Err(ClusterError::NotMade { what: change.what(), why: error.to_string() })
        }
        // What is no refusal for certain may be made all the same.
        Err((error, rights)) if !refuses(error.errno()) => Err(explained(error, rights)),
        // Whoever says no has made nothing: nobody need look for it later.
        Err((error, rights)) => {
            Err(ClusterError::NotMade { what: change.what(), why: explained(error, rights).to_string() })
        }
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
    let (change, confirmed, settled) = (&entry.change, entry.made.is_some(), settled(entry));
    let (rados, name, own) = (cluster.rados.clone(), file_system.to_string(), path.to_string());
    let listed = cluster.ask(json!({"prefix": "fs ls"}))?;
    if !listed.as_array().into_iter().flatten().any(|one| one["name"] == file_system) {
        return Ok(Unmade::Left("its file system is not there any more by that name; see `ceph fs ls`".to_string()));
    }
    let undone = patiently(STALL, move |deleted| {
        let mounted = Arc::new(FileSystem::mount(&rados, &name).map_err(|error| error.to_string())?);
        let look = || mounted.folder(&own);
        let mut found = look();
        while matches!(found, Err(CephError::NotFound { .. })) && !confirmed && Instant::now() < settled {
            sleep(LOOK_AGAIN);
            found = look();
        }
        let folder = match found {
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
