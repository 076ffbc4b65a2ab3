//! `two-writers`: another client writes to an image, so that its exclusive lock goes to and fro.

use super::access::LabAccess;
use super::changes::{Change, Worker};
use super::noisy_neighbour::failed;
use super::target::TargetKind;
use super::{Asked, Fault};
use crate::errors::LabError;
use crate::job::Job;
use ceph::{Cache, OpenFor};
use std::time::Duration;

pub static FAULT: Fault = Fault {
    name: "two-writers",
    what: "A client writes to the first megabyte of the image, whose lock two writers then take from each other; without POOL/IMAGE an image is made.",
    target: TargetKind::Image,
    value: None,
    plan,
};

const BYTES: u64 = 4 << 10;
const RANGE: u64 = 1 << 20;

fn plan(asked: &Asked) -> Result<Vec<Change>, LabError> {
    let (mut changes, pool, image) = asked.image()?;
    let name = asked.target.to_string();
    changes.push(Change::Worker(Worker::new(FAULT.name, &name, Job::TwoWriters { pool, image })));
    Ok(changes)
}

pub(super) fn work(access: &LabAccess, pool: &str, image: &str) -> Result<(), LabError> {
    let pool = access.rados()?.open_pool(pool)?;
    let image = pool.open_image(image, OpenFor::Writing, Cache::Off)?;
    let mut io = image.io(1, BYTES as usize)?;
    let mut ended = Vec::new();
    for offset in (0..RANGE).step_by(BYTES as usize).cycle() {
        io.write(0, offset, 0..BYTES as usize).map_err(failed)?;
        while ended.is_empty() {
            io.wait(Duration::from_secs(1), &mut ended);
        }
        if let Some(bad) = ended.iter().find(|one| one.result < 0) {
            return Err(failed(-bad.result as i32));
        }
        ended.clear();
    }
    Ok(())
}
