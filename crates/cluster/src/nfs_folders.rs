//! Folders of our own in what NFS servers export, made and emptied without a mount.

use crate::apply::Unmade;
use crate::cephfs::{LOOK_AGAIN, settled};
use crate::emptied::{NO_FOLDER, Named, OpenFolder, emptied, not_empty};
use crate::entry::JournalEntry;
use crate::errors::ClusterError;
use crate::own_folders::{NOT_FOUND, patiently, refuses};
use model::{Change, ExportSeen, NfsExport};
use nfs4::{Client, Folder, Kind, NfsError};
use std::cell::RefCell;
use std::rc::Rc;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A server that has been started anew lets nobody open a file for as long as a lease of its clients lasts: 90 s by default.
const ANSWER: Duration = Duration::from_secs(100);
/// Before anything is made.
const FIRST_ANSWER: Duration = Duration::from_secs(10);

/// Is it there, and may this client use it? Asked before anything is changed.
///
/// # Errors
/// Nobody answers there, or not with NFS 4.1 or 4.2; there is no such export, or it is none for this client.
pub fn look(export: &NfsExport, of_cluster: bool) -> Result<ExportSeen, ClusterError> {
    let mut client = Client::connect(export, FIRST_ANSWER).map_err(|error| not_reached(export, &error))?;
    let room = client.room().map_err(|error| not_reached(export, &error))?;
    // The root of a server is no export, where that has no room at all: a folder that it makes up, to hold those.
    if export.path == "/" && room.bytes == Some(0) {
        let (root, mut names) = (client.root(), Vec::new());
        let listed = root.each_name(&mut client, |name, _| names.push(format!("{}{name}", export)));
        listed.map_err(|error| not_reached(export, &error))?;
        let (why, mend) = ("nothing can be written above what a server exports", "name what it exports");
        return Err(ClusterError::NoExport {
            export: export.to_string(),
            why: format!("{why} ({})", names.join(", ")),
            mend,
        });
    }
    Ok(ExportSeen { export: export.clone(), of_cluster, bytes_free: room.bytes, files_free: room.files })
}

fn not_reached(export: &NfsExport, error: &NfsError) -> ClusterError {
    let mend = match error {
        NfsError::Connection { .. } => {
            "look whether the name is right, and the NFS server runs there and is reached from here"
        }
        _ if error.is_not_permitted() => "let the server export it to this host, for writing (and with sec=sys)",
        _ if error.is_of_version() => "let the server speak NFS 4.1 or 4.2 (in NFS-Ganesha: Minor_Versions = 1, 2)",
        NfsError::Refused { .. } => "look at what the server exports: `nfs://HOST/FOLDER` begins at its root (`/`)",
        NfsError::Answer { .. } => "look at what listens there: NFS 4.1 or 4.2 is asked for",
    };
    ClusterError::NoExport { export: export.to_string(), why: error.to_string(), mend }
}

/// # Errors
/// [`ClusterError::NotMade`]: there is one already, or the server refuses. Else it may be there.
pub(crate) fn make(export: &NfsExport, path: &str, change: &Change) -> Result<(), ClusterError> {
    let (export, own) = (export.clone(), path.to_string());
    let made = patiently(ANSWER, move |_| {
        let mut client = Client::connect(&export, FIRST_ANSWER).map_err(|error| error.to_string())?;
        let root = client.root();
        Ok(root.make_folder(&mut client, own.trim_start_matches('/')))
    });
    match made.map_err(|why| ClusterError::Make { what: change.what(), why })? {
        Ok(()) => Ok(()),
        // What is no refusal for certain (EIO of a server) may be made all the same.
        Err(error @ NfsError::Refused { .. }) if refuses(error.errno()) => {
            Err(ClusterError::NotMade { what: change.what(), why: error.to_string() })
        }
        Err(error) => Err(ClusterError::Make { what: change.what(), why: error.to_string() }),
    }
}

/// Deletes what is ours in it, and it, if nothing else is in it.
///
/// # Errors
/// It can't be undone now: the server does not answer, or refuses.
pub(crate) fn unmake(export: &NfsExport, path: &str, entry: &JournalEntry) -> Result<Unmade, ClusterError> {
    // What is exported may be a CephFS, where a request waits for what a killed client held.
    let (change, confirmed, settled) = (&entry.change, entry.made.is_some(), settled(entry));
    let (export, own) = (export.clone(), path.trim_start_matches('/').to_string());
    let undone = patiently(ANSWER, move |deleted| {
        let mut client = Client::connect(&export, ANSWER).map_err(|error| error.to_string())?;
        let root = client.root();
        let mut found = root.folder(&mut client, &own);
        while found.as_ref().is_err_and(OnExport::is_gone) && !confirmed && Instant::now() < settled {
            sleep(LOOK_AGAIN);
            found = root.folder(&mut client, &own);
        }
        let client = Rc::new(RefCell::new(client));
        let folder = match found {
            Ok(folder) => OnExport { client: client.clone(), folder },
            Err(error) if OnExport::is_gone(&error) && confirmed => return Ok(Unmade::Left(NOT_FOUND.to_string())),
            Err(error) if OnExport::is_gone(&error) => return Ok(Unmade::Undone),
            Err(error) if matches!(error.errno(), nix::libc::ENOTDIR | nix::libc::ELOOP) => {
                return Ok(Unmade::Left(NO_FOLDER.to_string()));
            }
            Err(error) => return Err(error.to_string()),
        };
        if let Some(other) = emptied(&folder, deleted).map_err(|error| error.to_string())? {
            return Ok(Unmade::Left(not_empty(&other)));
        }
        match root.remove(&mut client.borrow_mut(), &own) {
            Err(error) if !OnExport::is_gone(&error) => Err(error.to_string()),
            _ => Ok(Unmade::Undone),
        }
    });
    undone.map_err(|why| ClusterError::Undo { what: change.what(), why })
}

struct OnExport {
    client: Rc<RefCell<Client>>,
    folder: Folder,
}

impl OpenFolder for OnExport {
    type Error = NfsError;
    type Name = String;

    fn names(&self) -> Result<Vec<(String, Named)>, NfsError> {
        let mut names = Vec::new();
        let named = |kind| match kind {
            Kind::File => Named::File,
            Kind::Folder => Named::Folder,
            Kind::Other => Named::Other,
        };
        let tell = |name: &str, kind| names.push((name.to_string(), named(kind)));
        self.folder.each_name(&mut self.client.borrow_mut(), tell)?;
        Ok(names)
    }

    fn shown(name: &String) -> String {
        name.clone()
    }

    fn folder(&self, name: &String) -> Result<OnExport, NfsError> {
        let folder = self.folder.folder(&mut self.client.borrow_mut(), name)?;
        Ok(OnExport { client: self.client.clone(), folder })
    }

    fn remove(&self, name: &String, _folder: bool) -> Result<(), NfsError> {
        self.folder.remove(&mut self.client.borrow_mut(), name)
    }

    fn is_gone(error: &NfsError) -> bool {
        error.errno() == nix::libc::ENOENT
    }
}
