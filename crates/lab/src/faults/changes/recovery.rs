//! An OSD that was away while objects were written, and now gets them.

use crate::errors::LabError;
use crate::faults::access::LabAccess;
use crate::wire::Act;
use ceph::Pool;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Size of each object in bytes.
const BYTES: usize = 64 << 10;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Missed {
    pub osd: u32,
    /// Of the fault's own.
    pub pool: String,
    pub objects: u32,
}

impl Missed {
    pub fn make(&self, access: &LabAccess) -> Result<(), LabError> {
        let pool = access.rados()?.open_pool(&self.pool)?;
        self.write(&pool, 1)?;
        let daemon = crate::daemons::osd(self.osd);
        access.act(&daemon, Act::Kill)?;
        access.tell(&json!({"prefix": "osd down", "ids": [self.osd.to_string()]}))?;
        access.wait("the end of the OSD", || Ok(access.up_from(&daemon)?.is_none()))?;
        self.write(&pool, 2)?;
        self.undo(access)
    }

    fn write(&self, pool: &Pool, byte: u8) -> Result<(), LabError> {
        let data = vec![byte; BYTES];
        (0..self.objects).try_for_each(|number| Ok(pool.write(&format!("object.{number}"), 0, &data)?))
    }

    /// Its OSD runs.
    pub fn undo(&self, access: &LabAccess) -> Result<(), LabError> {
        let daemon = crate::daemons::osd(self.osd);
        if access.pid(&daemon).is_none() {
            access.act(&daemon, Act::Start)?;
        }
        access.wait("the start of the OSD", || Ok(access.up_from(&daemon)?.is_some()))
    }
}
