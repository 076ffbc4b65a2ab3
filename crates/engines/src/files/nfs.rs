//! Files of what an NFS server exports: each lane is a client of its own, with a connection of its own, and keeps nothing.

use super::api::{AskedOf, FileSystem, WrittenTo};
use super::blocks::BlockFile;
use crate::api::OpError;
use model::{Durability, NfsExport, Tree};
use nfs4::{Client, File, Folder, NfsError, Stable};
use std::collections::HashMap;
use std::time::Duration;

/// A server that answers later than this does not answer.
const ANSWER: Duration = Duration::from_secs(10);

fn failed(error: NfsError) -> OpError {
    match error.errno() {
        libc::EMLINK => OpError::saying(libc::EMLINK, super::NOT_OURS),
        errno => OpError::of(errno),
    }
}

/// A connection, and a folder below what is exported.
fn opened(export: &NfsExport, folder: &str) -> Result<(Client, Folder), NfsError> {
    let mut client = Client::connect(export, ANSWER)?;
    let mut found = client.root();
    for part in folder.split('/').filter(|part| !part.is_empty()) {
        found = found.folder(&mut client, part)?;
    }
    Ok((client, found))
}

pub struct NfsFiles {
    client: Client,
    begin: Folder,
    /// Folders by their paths from there on: looked up once, as a kernel's client knows them.
    known: HashMap<String, Folder>,
}

impl NfsFiles {
    pub fn open(export: &NfsExport, folder: &str) -> Result<NfsFiles, NfsError> {
        opened(export, folder).map(|(client, begin)| NfsFiles { client, begin, known: HashMap::new() })
    }

    fn folder(&mut self, path: &str) -> Result<Folder, OpError> {
        if let Some(known) = self.known.get(path) {
            return Ok(known.clone());
        }
        let mut found = self.begin.clone();
        for part in path.split('/').filter(|part| !part.is_empty()) {
            found = found.folder(&mut self.client, part).map_err(failed)?;
        }
        self.known.insert(path.to_string(), found.clone());
        Ok(found)
    }

    /// The folder in which a file lies, and its name there.
    fn within<'p>(&mut self, path: &'p str) -> Result<(Folder, &'p str), OpError> {
        let (outer, name) = path.rsplit_once('/').unwrap_or(("", path));
        Ok((self.folder(outer)?, name))
    }

    /// Whoever closes a file finds it stable at the server, as with the kernel's client.
    fn written_and_closed(&mut self, file: File, offset: u64, content: &[u8]) -> Result<(), OpError> {
        let written = file.write(&mut self.client, offset, content, Stable::File);
        let closed = file.close(&mut self.client);
        written.and(closed).map_err(failed)
    }
}

impl FileSystem for NfsFiles {
    fn enter(&mut self, path: &str) -> Result<(), OpError> {
        self.begin = self.folder(path)?;
        self.known.clear();
        Ok(())
    }

    fn make_folder(&mut self, path: &str) -> Result<(), OpError> {
        let (folder, name) = self.within(path)?;
        folder.make_folder(&mut self.client, name).map_err(failed)
    }

    fn create(&mut self, path: &str, content: &[u8], _durable: bool) -> Result<(), OpError> {
        let (folder, name) = self.within(path)?;
        let file = File::make(&mut self.client, &folder, name).map_err(failed)?;
        self.written_and_closed(file, 0, content)
    }

    fn write(&mut self, path: &str, content: &[u8], to: WrittenTo, _durable: bool) -> Result<(), OpError> {
        let (folder, name) = self.within(path)?;
        let file = File::open_own(&mut self.client, &folder, name).map_err(failed)?;
        let (end, emptied) = match to {
            WrittenTo::End => (file.size(), Ok(())),
            WrittenTo::Nothing => (0, file.empty(&mut self.client)),
        };
        match emptied {
            Ok(()) => self.written_and_closed(file, end, content),
            Err(error) => {
                // What failed first is told.
                let _closed = file.close(&mut self.client);
                Err(failed(error))
            }
        }
    }

    /// Of the server in any case: this client keeps nothing.
    fn stat(&mut self, path: &str, _of: AskedOf) -> Result<u64, OpError> {
        let (folder, name) = self.within(path)?;
        folder.size(&mut self.client, name).map_err(failed)
    }

    fn read(&mut self, path: &str, into: &mut [u8]) -> Result<usize, OpError> {
        let (folder, name) = self.within(path)?;
        let file = File::open(&mut self.client, &folder, name).map_err(failed)?;
        let read = file.read(&mut self.client, 0, into);
        let closed = file.close(&mut self.client);
        read.and_then(|bytes| closed.map(|()| bytes)).map_err(failed)
    }

    fn list(&mut self, path: &str) -> Result<u64, OpError> {
        let (folder, mut own) = (self.folder(path)?, 0);
        let count = |name: &str, _| own += u64::from(name.ends_with(Tree::OWN_ENDING));
        folder.each_name(&mut self.client, count).map_err(failed)?;
        Ok(own)
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<(), OpError> {
        let ((folder, from), (into, to)) = (self.within(from)?, self.within(to)?);
        folder.rename(&mut self.client, from, &into, to).map_err(failed)
    }

    fn delete(&mut self, path: &str) -> Result<(), OpError> {
        let (folder, name) = self.within(path)?;
        folder.remove(&mut self.client, name).map_err(failed)
    }

    fn is_lost(&self) -> bool {
        self.client.is_lost()
    }
}

/// A file of a lane's own, whose blocks are loaded; open as long as this is.
pub struct NfsBlocks {
    client: Client,
    file: Option<File>,
}

impl NfsBlocks {
    pub fn open(export: &NfsExport, folder: &str, name: &str) -> Result<NfsBlocks, NfsError> {
        let (mut client, folder) = opened(export, folder)?;
        let file = File::open_or_make(&mut client, &folder, name)?;
        Ok(NfsBlocks { client, file: Some(file) })
    }

    fn with<T>(&mut self, call: impl FnOnce(&File, &mut Client) -> Result<T, NfsError>) -> Result<T, OpError> {
        let file = self.file.as_ref().ok_or_else(|| OpError::of(libc::EBADF))?;
        call(file, &mut self.client).map_err(failed)
    }
}

impl BlockFile for NfsBlocks {
    fn size(&mut self) -> Result<u64, OpError> {
        self.with(|file, _| Ok(file.size()))
    }

    fn is_lost(&self) -> bool {
        self.client.is_lost()
    }

    fn read_at(&mut self, into: &mut [u8], offset: u64) -> Result<usize, OpError> {
        self.with(|file, client| file.read(client, offset, into))
    }

    /// Stable when it has ended: by FILE_SYNC, or, where it takes several requests or a sync was asked for by its name, by a COMMIT after
    /// them.
    fn write_at(&mut self, from: &[u8], offset: u64, durability: Durability) -> Result<usize, OpError> {
        let by_commit = matches!(durability, Durability::Fsync | Durability::Fdatasync);
        let stable = if by_commit { Stable::Server } else { Stable::File };
        self.with(|file, client| {
            let written = file.write(client, offset, from, stable)?;
            if by_commit { file.commit(client, &written) } else { Ok(()) }
        })?;
        Ok(from.len())
    }
}

impl Drop for NfsBlocks {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            // The server forgets it with its client.
            let _closed = file.close(&mut self.client);
        }
    }
}
