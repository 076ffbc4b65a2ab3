//! Checks that what is read is what was written: each sector that `--verify` writes carries a stamp that says where it
//! belongs and which write it is from, and each one that is read is compared with what was last acknowledged there.

mod board;
mod guard;
mod known;
mod look;
mod read_back;
mod stamp;

pub use guard::{Guard, PlaceNames};
pub use known::Verify;
pub use read_back::read_back;

use crate::api::{Engine, Op};
use crate::buffers;
use crate::rados::LaneObjects;
use board::Board;
use model::working_set::objects_per_lane;
use model::{Bytes, Target, Workload};
use std::sync::Arc;

/// Where the first byte of a lane's part of the span lies.
pub struct Region {
    /// The place's name, the same for all lanes, steps and slices that share its data.
    pub place: String,
    /// Bytes of the whole place.
    pub bytes: Bytes,
    /// Where the lane's part begins in it.
    pub base: Bytes,
    pub names: PlaceNames,
}

impl Region {
    /// A lane's objects, of which the first is the `first` of the working set called `place`.
    pub fn objects(place: String, workload: &Workload, first: u64, objects: &LaneObjects) -> Region {
        let all = objects_per_lane(workload) * u64::from(workload.jobs.max(1)) * objects.size();
        let names = PlaceNames::Objects { objects: objects.clone(), first };
        Region { place, bytes: all, base: first * objects.size(), names }
    }
}

/// Stamps what is filled, piece by piece, under one generation.
pub struct Stamper {
    run: u64,
    board: Arc<Board>,
    generation: u64,
}

impl Stamper {
    /// `None`: the workload does not verify.
    pub fn of(verify: &Verify, workload: &Workload, region: impl FnOnce() -> Region) -> Option<Stamper> {
        let board = |region: Region| verify.board(&region.place, region.bytes, workload.block);
        let board = workload.verify.then(region).map(board)?;
        Some(Stamper { run: verify.run, generation: board.draw(), board })
    }

    /// Is all of this piece (offset, length) stamped and acknowledged?
    pub fn knows(&self, (offset, len): (Bytes, Bytes)) -> bool {
        self.board.knows(offset, len)
    }

    pub fn stamp(&self, offset: Bytes, block: &mut [u8]) {
        self.board.stamp(self.run, offset, self.generation, block);
    }

    pub fn acknowledged(&self, (offset, len): (Bytes, Bytes)) {
        self.board.acknowledged(offset, len, self.generation);
    }
}

/// What makes the blocks that a lane writes unlike each other.
pub enum Marks {
    /// The number of the write, scattered over the block.
    Numbered(u64),
    /// Stamps, which are checked when the block is read.
    Stamped(Box<Guard>),
}

impl Marks {
    pub fn of(
        verify: &Arc<Verify>,
        target: &Target,
        workload: &Workload,
        lane: u32,
        region: impl FnOnce() -> Region,
    ) -> Marks {
        match workload.verify {
            false => Marks::Numbered(0),
            true => Marks::Stamped(Box::new(Guard::new(verify, &target.name, workload, lane, region()))),
        }
    }

    /// May the operation begin now? Not while one is in flight on its block, if one of them writes: either could come last.
    #[inline]
    pub fn begin(&mut self, op: &Op) -> bool {
        match self {
            Marks::Numbered(_) => true,
            Marks::Stamped(guard) => guard.begin(op),
        }
    }

    /// Marks the buffer of a write that begins.
    #[inline]
    pub fn mark(&mut self, op: &Op, block: &mut [u8]) {
        match self {
            Marks::Numbered(writes) => {
                *writes += 1;
                buffers::stamp(block, *writes);
            }
            Marks::Stamped(guard) => guard.stamp(op, block),
        }
    }
}

/// Why this can't be verified; `ours`: did Fathom make what it reads?
pub fn refusal(engine: &dyn Engine, workload: &Workload, ours: bool) -> Option<String> {
    let sector = stamp::SECTOR as Bytes;
    match () {
        () if !workload.verify => None,
        () if engine.unverifiable().is_some() => engine.unverifiable().map(str::to_string),
        () if !ours => Some("--verify checks what Fathom wrote itself, and this it only reads; leave it out".into()),
        () if workload.block == 0 || !workload.block.is_multiple_of(sector) => Some(format!(
            "--verify stamps sectors of {sector} bytes, and blocks of {} bytes are not made of them; choose another block size",
            workload.block
        )),
        () => None,
    }
}
