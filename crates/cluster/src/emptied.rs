//! Empties a folder of our own by a library: of what is ours, and of nothing else.

use crate::own_folders::OWN_ENDING;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a name in a folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    File,
    Folder,
    /// A link, a pipe, and the like.
    Other,
}

/// An open folder: it stays the same whatever has its name later, and no link is followed.
pub(crate) trait OpenFolder: Sized {
    type Error;
    /// A name as the library has it.
    type Name;

    fn names(&self) -> Result<Vec<(Self::Name, Named)>, Self::Error>;
    fn shown(name: &Self::Name) -> String;
    fn folder(&self, name: &Self::Name) -> Result<Self, Self::Error>;
    fn remove(&self, name: &Self::Name, folder: bool) -> Result<(), Self::Error>;
    /// Somebody was faster.
    fn is_gone(error: &Self::Error) -> bool;
}

/// Says what else is there. Links are not followed, and are not ours. Counts what it deletes.
pub(crate) fn emptied<F: OpenFolder>(folder: &F, deleted: &AtomicU64) -> Result<Option<String>, F::Error> {
    let mut other = None;
    for (name, kind) in folder.names()? {
        let shown = F::shown(&name);
        if !shown.ends_with(OWN_ENDING) || kind == Named::Other {
            other = other.or(Some(shown));
            continue;
        }
        if kind == Named::Folder {
            match folder.folder(&name) {
                Ok(below) => {
                    if let Some(found) = emptied(&below, deleted)? {
                        other = other.or(Some(format!("{shown}/{found}")));
                        continue;
                    }
                }
                Err(error) if F::is_gone(&error) => continue,
                Err(error) => return Err(error),
            }
        }
        match folder.remove(&name, kind == Named::Folder) {
            Err(error) if !F::is_gone(&error) => return Err(error),
            _ => {
                deleted.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
    Ok(other)
}

/// Of a folder in which something else is.
pub(crate) fn not_empty(other: &str) -> String {
    format!("it holds what is not Fathom's ({other} and maybe others); move that away, and delete the folder")
}

/// Of what is no folder any more.
pub(crate) const NO_FOLDER: &str =
    "what has its name now is no folder; if the run's own was given another name, delete it by hand";
