//! `noisy-neighbour`: a client writes to another pool.

use super::access::LabAccess;
use super::changes::{Change, OwnPool, Worker};
use super::target::TargetKind;
use super::{Asked, Fault, Value};
use crate::errors::LabError;
use crate::job::Job;
use std::ffi::CString;
use std::time::Duration;

pub static FAULT: Fault = Fault {
    name: "noisy-neighbour",
    what: "A client writes 64 KiB at a time to a pool of its own; the value is how many writes are in flight.",
    target: TargetKind::Nothing,
    value: Some(Value { default: "16", unit: "writes" }),
    plan,
};

const BYTES: usize = 64 << 10;
/// They are written over and over: the pool holds 64 MiB.
const OBJECTS: u32 = 1024;

fn plan(asked: &Asked) -> Result<Vec<Change>, LabError> {
    let in_flight = asked.number(1.0..=1024.0)?.round() as u32;
    let pool = OwnPool::new(asked.fault.name, 32);
    let worker = Worker::new(FAULT.name, "", Job::NoisyNeighbour { pool: pool.name.clone(), in_flight });
    Ok(vec![Change::OwnPool(pool), Change::Worker(worker)])
}

pub(super) fn work(access: &LabAccess, pool: &str, in_flight: u32) -> Result<(), LabError> {
    write_objects(access, pool, (in_flight, BYTES), (0..OBJECTS).cycle())
}

/// Writes whole objects with these numbers, this many at once; ends when all of them are written.
pub(super) fn write_objects(
    access: &LabAccess,
    pool: &str,
    (in_flight, bytes): (u32, usize),
    mut numbers: impl Iterator<Item = u32>,
) -> Result<(), LabError> {
    let pool = access.rados()?.open_pool(pool)?;
    let mut io = pool.io(in_flight, bytes)?;
    let mut free: Vec<u32> = (0..in_flight).collect();
    let mut ended = Vec::new();
    loop {
        while let Some(slot) = free.pop() {
            let Some(number) = numbers.next() else {
                free.push(slot);
                break;
            };
            let object = CString::new(format!("object.{number}")).unwrap_or_default();
            io.write(slot, &object, 0, 0..bytes).map_err(failed)?;
        }
        if free.len() == in_flight as usize {
            return Ok(());
        }
        io.wait(Duration::from_secs(1), &mut ended);
        for one in ended.drain(..) {
            if one.result < 0 {
                return Err(failed(-one.result as i32));
            }
            free.push(one.slot);
        }
    }
}

pub(super) fn failed(errno: i32) -> LabError {
    LabError::io("cannot write to", "the pool or image of the fault".as_ref())(std::io::Error::from_raw_os_error(errno))
}
