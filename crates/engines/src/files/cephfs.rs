//! A file system of the cluster, by libcephfs: no kernel and no FUSE between this program and the metadata server.

use super::api::{AskedOf, FileSystem};
use crate::api::OpError;
use ceph::CephError;
use model::Tree;
use std::sync::Arc;

/// A folder of it.
pub struct Cephfs {
    mounted: Arc<ceph::FileSystem>,
    folder: String,
}

impl Cephfs {
    pub fn new(mounted: Arc<ceph::FileSystem>, folder: &str) -> Cephfs {
        Cephfs { mounted, folder: folder.to_string() }
    }

    fn at(&self, path: &str) -> String {
        format!("{}/{path}", self.folder)
    }
}

pub(super) fn failed(error: CephError) -> OpError {
    OpError::of(error.errno())
}

impl FileSystem for Cephfs {
    fn make_folder(&mut self, path: &str) -> Result<(), OpError> {
        self.mounted.make_folder(&self.at(path)).map_err(failed)
    }

    fn create(&mut self, path: &str, content: &[u8], durable: bool) -> Result<(), OpError> {
        self.mounted.create(&self.at(path), content, durable).map_err(failed)
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
        self.mounted.remove(&self.at(path)).map_err(failed)
    }
}
