//! Images in a pool of the fault's own, which go with it, and snapshots of an image of others, which don't.

use crate::errors::LabError;
use crate::faults::access::{LabAccess, read_json};
use ceph::{Cache, OpenFor};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// An image's objects, by default.
const OBJECT: u64 = 4 << 20;

/// What the names of a fault's snapshots begin with.
pub(crate) const SNAPSHOT: &str = "fathom-fault-";

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct OwnImage {
    pub pool: String,
    pub image: String,
    pub bytes: u64,
    /// A clone of another image, which is written whole before; `None`: an empty image.
    pub parent: Option<String>,
}

impl OwnImage {
    pub fn spec(&self) -> String {
        format!("{}/{}", self.pool, self.image)
    }

    pub fn make(&self, access: &LabAccess) -> Result<(), LabError> {
        let pool = access.rados()?.open_pool(&self.pool)?;
        let Some(parent) = &self.parent else {
            return Ok(pool.create_image(&self.image, self.bytes, None)?);
        };
        pool.create_image(parent, self.bytes, None)?;
        let image = pool.open_image(parent, OpenFor::Writing, Cache::Off)?;
        let mut io = image.io(1, OBJECT as usize)?;
        io.buffer(0).fill(1);
        let failed =
            |errno: i32| LabError::io("cannot write", parent.as_ref())(std::io::Error::from_raw_os_error(errno));
        for offset in (0..self.bytes).step_by(OBJECT as usize) {
            let length = OBJECT.min(self.bytes - offset) as usize;
            io.write(0, offset, 0..length).map_err(failed)?;
            let mut ended = Vec::new();
            while ended.is_empty() {
                io.wait(Duration::from_secs(1), &mut ended);
            }
            if let Some(bad) = ended.iter().find(|one| one.result < 0) {
                return Err(failed(-bad.result as i32));
            }
        }
        drop((io, image));
        let snapshot = format!("{}/{parent}@base", self.pool);
        access.rbd(&["snap", "create", "--no-progress", &snapshot])?;
        access.rbd(&["snap", "protect", &snapshot])?;
        access.rbd(&["clone", &snapshot, &self.spec()]).map(drop)
    }
}

/// The fault's snapshots of an image. Stands before the worker that makes them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Snapshots {
    pub pool: String,
    pub image: String,
}

impl Snapshots {
    pub fn undo(&self, access: &LabAccess) -> Result<(), LabError> {
        let image = format!("{}/{}", self.pool, self.image);
        // Gone with its image, or with its pool.
        if !access.images(&self.pool)?.is_some_and(|images| images.contains(&self.image)) {
            return Ok(());
        }
        let listed = access.rbd(&["snap", "ls", &image, "--format", "json"])?;
        let listed: Vec<serde_json::Value> = read_json("rbd snap ls", &listed)?;
        let names = listed.iter().filter_map(|one| one["name"].as_str());
        for name in names.filter(|name| name.starts_with(SNAPSHOT)) {
            access.rbd(&["snap", "rm", "--no-progress", &format!("{image}@{name}")])?;
        }
        Ok(())
    }
}
