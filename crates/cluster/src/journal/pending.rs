//! What runs left that did not end: their journals, on this host and in the cluster.

use super::book::{Book, Head};
use super::keys;
use crate::admin::Cluster;
use crate::errors::ClusterError;
use model::Undo;
use std::path::{Path, PathBuf};

/// A journal whose run is dead, or, from another host, whose run can't be asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Pending {
    pub head: Head,
    pub left: Vec<Undo>,
    /// The file on this host; `None`: only the cluster has it.
    pub path: Option<PathBuf>,
}

impl Pending {
    /// The open journal; the cluster's copy is first written down here.
    pub fn book(&self, folder: &Path) -> Result<Book, ClusterError> {
        match &self.path {
            Some(path) => Book::open(path),
            None => Book::copy_of(folder, self.head.clone(), self.left.clone()),
        }
    }
}

/// Dead runs' journals in `folder`. Those of live runs are left out; unreadable ones are told in the second list.
pub fn on_this_host(folder: &Path) -> (Vec<Pending>, Vec<ClusterError>) {
    let mut found = Vec::new();
    let mut errors = Vec::new();
    for path in journal_files(folder) {
        match Book::open(&path) {
            Ok(book) => {
                let left = book.entries().iter().filter(|entry| !entry.undone).cloned().collect();
                found.push(Pending { head: book.head().clone(), left, path: Some(path) });
            }
            Err(ClusterError::Journal { what, .. }) if what.contains("still going on") => {}
            Err(error) => errors.push(error),
        }
    }
    (found, errors)
}

/// Journals that the cluster holds and this host does not: those of other hosts, or of a lost disk.
pub fn in_cluster(cluster: &Cluster, folder: &Path) -> Result<Vec<Pending>, ClusterError> {
    let here: Vec<String> = journal_files(folder)
        .iter()
        .filter_map(|path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()))
        .collect();
    let copies = keys::all(cluster)?.into_iter().filter(|copy| !here.contains(&copy.head.run));
    Ok(copies
        .map(|copy| {
            let left = copy.changes.into_iter().filter(|entry| !entry.undone).collect();
            Pending { head: copy.head, left, path: None }
        })
        .collect())
}

fn journal_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "journal"))
        .collect();
    paths.sort();
    paths
}
