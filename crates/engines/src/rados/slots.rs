//! What objects and images have in common: a span of bytes, read and written in slots.

use super::objects::LaneObjects;
use crate::api::EngineError;
use ceph::{CephError, Finished, Pool, PoolIo};
use std::ops::Range;
use std::time::Duration;

pub trait Slots: Send {
    fn in_flight(&self) -> u32;
    /// The buffer of a slot that has nothing in flight.
    fn buffer(&mut self, slot: u32) -> &mut [u8];
    /// Reads from `offset` of the span into a part of the slot's buffer. `Err`: the errno with which it is refused.
    fn read(&mut self, slot: u32, offset: u64, into: Range<usize>) -> Result<(), i32>;
    /// Writes a part of the slot's buffer to `offset` of the span.
    fn write(&mut self, slot: u32, offset: u64, from: Range<usize>) -> Result<(), i32>;
    /// Appends what has ended; waits for the first one no longer than `timeout`.
    fn wait(&mut self, timeout: Duration, finished: &mut Vec<Finished>);
    /// Where this is: `pool x`, `image x/y`.
    fn place(&self) -> String;
    /// Why no later operation can do better than one that failed with `errno`; `None`: it may.
    fn hopeless(&self, errno: i32) -> Option<String>;
}

/// The objects of one lane.
pub struct ObjectSlots {
    io: PoolIo,
    pool: Pool,
    objects: LaneObjects,
}

impl ObjectSlots {
    pub fn new(pool: Pool, objects: LaneObjects, slots: u32, bytes: usize) -> Result<ObjectSlots, EngineError> {
        let io = pool.io(slots, bytes).map_err(broken)?;
        Ok(ObjectSlots { io, pool, objects })
    }
}

impl Slots for ObjectSlots {
    fn in_flight(&self) -> u32 {
        self.io.in_flight()
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.io.buffer(slot)
    }

    #[inline]
    fn read(&mut self, slot: u32, offset: u64, into: Range<usize>) -> Result<(), i32> {
        let (object, inside) = self.objects.at(offset);
        self.io.read(slot, object, inside, into)
    }

    #[inline]
    fn write(&mut self, slot: u32, offset: u64, from: Range<usize>) -> Result<(), i32> {
        let (object, inside) = self.objects.at(offset);
        self.io.write(slot, object, inside, from)
    }

    fn wait(&mut self, timeout: Duration, finished: &mut Vec<Finished>) {
        self.io.wait(timeout, finished);
    }

    fn place(&self) -> String {
        format!("pool {}", self.pool.name())
    }

    fn hopeless(&self, errno: i32) -> Option<String> {
        let pool = self.pool.name();
        match errno {
            libc::EOPNOTSUPP => Some(format!(
                "pool {pool} refuses to overwrite parts of objects; if it is erasure-coded: \
                 ceph osd pool set {pool} allow_ec_overwrites true"
            )),
            errno => hopeless_anywhere(errno, self.pool.rados().entity(), pool),
        }
    }
}

/// What ends a step wherever it happens.
pub fn hopeless_anywhere(errno: i32, user: &str, pool: &str) -> Option<String> {
    match errno {
        libc::ESHUTDOWN => {
            Some("the cluster has put this connection on its blocklist; see `ceph osd blocklist ls`".to_owned())
        }
        libc::EPERM | libc::EACCES => Some(format!(
            "{user} may not read and write objects of pool {pool}: it needs the cap osd 'allow rwx pool={pool}', or the pool was deleted or \
             renamed meanwhile"
        )),
        _ => None,
    }
}

pub fn broken(error: CephError) -> EngineError {
    EngineError::Broken(error.to_string())
}
