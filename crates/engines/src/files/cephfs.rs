//! A file system of the cluster, by libcephfs: no kernel and no FUSE between this program and the metadata server.

use super::api::{AskedOf, FileSystem, WrittenTo};
use super::blocks::BlockFile;
use crate::api::OpError;
use ceph::{CephError, Folder};
use model::{Durability, Tree};
use std::collections::HashMap;
use std::ffi::CString;
use std::sync::Arc;

/// A folder of it.
pub struct Cephfs {
    mounted: Arc<ceph::FileSystem>,
    folder: String,
    /// The folders into which something was written, by their paths, and opened without following links: what has their names later is not
    /// written into.
    open: HashMap<String, Folder>,
}

impl Cephfs {
    pub fn new(mounted: Arc<ceph::FileSystem>, folder: &str) -> Cephfs {
        Cephfs { mounted, folder: folder.to_string(), open: HashMap::new() }
    }

    fn at(&self, path: &str) -> String {
        format!("{}/{path}", self.folder)
    }

    /// The folder in which a file lies, and its name there.
    fn within(&mut self, path: &str) -> Result<(&Folder, CString), OpError> {
        let (outer, name) = path.rsplit_once('/').unwrap_or(("", path));
        if !self.open.contains_key(outer) {
            let found = walked(&self.mounted, &format!("{}/{outer}", self.folder))?;
            self.open.insert(outer.to_string(), found);
        }
        let name = named(name)?;
        self.open.get(outer).map(|folder| (folder, name)).ok_or_else(|| OpError::of(libc::ENOENT))
    }
}

/// From the root on, part by part: what is a link is no folder.
fn walked(mounted: &Arc<ceph::FileSystem>, path: &str) -> Result<Folder, OpError> {
    let mut found = mounted.folder("/").map_err(failed)?;
    for part in path.split('/').filter(|part| !part.is_empty()) {
        found = found.folder(&named(part)?).map_err(failed)?;
    }
    Ok(found)
}

fn named(part: &str) -> Result<CString, OpError> {
    CString::new(part).map_err(|_| OpError::of(libc::EINVAL))
}

fn failed(error: CephError) -> OpError {
    match error.errno() {
        libc::EMLINK => OpError::saying(libc::EMLINK, super::NOT_OURS),
        errno => OpError::of(errno),
    }
}

impl FileSystem for Cephfs {
    fn enter(&mut self, path: &str) -> Result<(), OpError> {
        let (entered, begin) = (self.at(path), String::new());
        self.open = HashMap::from([(begin, walked(&self.mounted, &entered)?)]);
        self.folder = entered;
        Ok(())
    }

    fn make_folder(&mut self, path: &str) -> Result<(), OpError> {
        let (folder, name) = self.within(path)?;
        folder.make_folder(&name).map_err(failed)
    }

    fn create(&mut self, path: &str, content: &[u8], durable: bool) -> Result<(), OpError> {
        let (folder, name) = self.within(path)?;
        folder.create(&name, content, durable).map_err(failed)
    }

    fn write(&mut self, path: &str, content: &[u8], to: WrittenTo, durable: bool) -> Result<(), OpError> {
        let (folder, name) = self.within(path)?;
        folder.write(&name, content, to == WrittenTo::End, durable).map_err(failed)
    }

    /// The library answers from what it holds capabilities for, whoever is asked.
    fn stat(&mut self, path: &str, _of: AskedOf) -> Result<u64, OpError> {
        self.mounted.size(&self.at(path)).map_err(failed)
    }

    fn read(&mut self, path: &str, into: &mut [u8]) -> Result<usize, OpError> {
        self.mounted.read(&self.at(path), into).map_err(failed)
    }

    fn list(&mut self, path: &str) -> Result<u64, OpError> {
        let mut own = 0;
        let count = |name: &std::ffi::CStr, _| own += u64::from(name.to_bytes().ends_with(Tree::OWN_ENDING.as_bytes()));
        self.mounted.each_name(self.at(path).trim_end_matches('/'), count).map_err(failed)?;
        Ok(own)
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<(), OpError> {
        self.mounted.rename(&self.at(from), &self.at(to)).map_err(failed)
    }

    fn delete(&mut self, path: &str) -> Result<(), OpError> {
        let (folder, name) = self.within(path)?;
        folder.remove(&name, false).map_err(failed)
    }
}

/// A file of a lane's own, whose blocks are loaded.
pub struct CephfsBlocks {
    file: ceph::File,
    size: u64,
}

impl CephfsBlocks {
    pub fn open(mounted: &Arc<ceph::FileSystem>, folder: &str, name: &str) -> Result<CephfsBlocks, OpError> {
        let file = walked(mounted, folder)?.open(&named(name)?).map_err(failed)?;
        let size = mounted.size(&format!("{folder}/{name}")).map_err(failed)?;
        Ok(CephfsBlocks { file, size })
    }
}

impl BlockFile for CephfsBlocks {
    fn size(&mut self) -> Result<u64, OpError> {
        Ok(self.size)
    }

    fn read_at(&mut self, into: &mut [u8], offset: u64) -> Result<usize, OpError> {
        self.file.read_at(into, offset).map_err(failed)
    }

    fn write_at(&mut self, from: &[u8], offset: u64, durability: Durability) -> Result<usize, OpError> {
        let done = self.file.write_at(from, offset).map_err(failed)?;
        match durability {
            Durability::None | Durability::GroupCommit => {}
            Durability::Fsync | Durability::Sync => self.file.sync(false).map_err(failed)?,
            Durability::Fdatasync | Durability::Dsync => self.file.sync(true).map_err(failed)?,
        }
        Ok(done)
    }
}
