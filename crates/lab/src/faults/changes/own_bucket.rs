//! A bucket of the fault's own, whose index is one part, with objects in it.

use crate::errors::LabError;
use crate::faults::access::{LabAccess, read_json};
use crate::rgw;
use crate::swift::Swift;
use serde::{Deserialize, Serialize};
use std::thread;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct OwnBucket {
    pub name: String,
    objects: u32,
}

/// Connections that put objects side by side.
const SIDE_BY_SIDE: u32 = 4;

impl OwnBucket {
    pub fn new(fault: &str, objects: u32) -> OwnBucket {
        OwnBucket { name: format!("fault-{fault}"), objects }
    }

    pub fn make(&self, access: &LabAccess) -> Result<(), LabError> {
        let connect = || Swift::connect(&rgw::address(&access.lab), &access.dirs.s3_credentials());
        let failed = LabError::io("cannot put to the bucket", self.name.as_ref());
        connect()?.put(&self.name).map_err(failed)?;
        // The bucket has as many parts as the zone gives it; before there is anything in it, making them one takes no time.
        let words = ["bucket", "reshard", "--bucket", &self.name, "--num-shards", "1", "--yes-i-really-mean-it"];
        access.radosgw_admin(&words)?;
        let connections = (0..SIDE_BY_SIDE).map(|_| connect()).collect::<Result<Vec<_>, _>>()?;
        thread::scope(|scope| {
            let each = connections.into_iter().enumerate().map(|(first, mut swift)| {
                scope.spawn(move || {
                    (first as u32..self.objects)
                        .step_by(SIDE_BY_SIDE as usize)
                        .try_for_each(|number| swift.put(&format!("{}/object.{number}", self.name)))
                })
            });
            let each: Vec<_> = each.collect();
            each.into_iter().try_for_each(|one| one.join().unwrap_or_else(|_| Err(std::io::ErrorKind::Other.into())))
        })
        .map_err(LabError::io("cannot put to the bucket", self.name.as_ref()))
    }

    /// With all that is in it.
    pub fn undo(&self, access: &LabAccess) -> Result<(), LabError> {
        let listed = access.radosgw_admin(&["bucket", "list"])?;
        let all: Vec<String> = read_json("radosgw-admin bucket list", &listed)?;
        if !all.contains(&self.name) {
            return Ok(());
        }
        access.radosgw_admin(&["bucket", "rm", "--bucket", &self.name, "--purge-objects", "--bypass-gc"]).map(drop)
    }
}
