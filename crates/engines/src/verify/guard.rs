//! One lane's watch over its data: stamps what it writes, checks what it reads, keeps apart what must not meet.

use super::Region;
use super::board::Board;
use super::known::{Account, Verify, Written, locked};
use super::look::{BadStretch, Instead, look};
use super::stamp::Unstamped;
use crate::api::{Op, OpError};
use crate::clock::RealClock;
use crate::rados::LaneObjects;
use model::{Bytes, Checked, Clock, Flaw, OpClass, Workload};
use std::collections::HashMap;
use std::sync::Arc;

/// How a place of the board is called, and where in it an offset lies.
pub enum PlaceNames {
    /// The place is one thing.
    Whole,
    /// A lane's objects, of which the first is the `first` of the working set.
    Objects { objects: LaneObjects, first: u64 },
}

pub struct Guard {
    verify: Arc<Verify>,
    board: Arc<Board>,
    account: Arc<Account>,
    names: PlaceNames,
    lane: u32,
    base: Bytes,
    block: Bytes,
    /// By slot.
    flights: Vec<Flight>,
    /// By block: what is in flight on it.
    busy: HashMap<Bytes, Busy>,
    /// A bit for each block that was written.
    written: Vec<u64>,
    /// Nothing is read in the slice: what was written is noted, to be read back.
    blind: bool,
}

#[derive(Clone, Copy)]
struct Flight {
    kind: OpClass,
    offset: Bytes,
    len: u32,
    generation: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Busy {
    Reads(u32),
    Write,
}

impl Guard {
    pub fn new(verify: &Arc<Verify>, target: &str, workload: &Workload, lane: u32, region: Region) -> Guard {
        let nothing = Flight { kind: OpClass::Read, offset: 0, len: 0, generation: 0 };
        Guard {
            board: verify.board(&region.place, region.bytes, workload.block),
            account: verify.account(target),
            verify: verify.clone(),
            names: region.names,
            lane,
            base: region.base,
            block: workload.block.max(1),
            flights: vec![nothing; workload.lane_depth(lane).max(1) as usize],
            busy: HashMap::new(),
            written: Vec::new(),
            blind: !workload.reads(),
        }
    }

    pub fn begin(&mut self, op: &Op) -> bool {
        let offset = self.base + op.offset;
        let now = match (self.busy.get(&(offset / self.block)), op.kind) {
            (None, OpClass::Write) => Busy::Write,
            (Some(Busy::Write), _) | (Some(_), OpClass::Write) => return false,
            (None, _) => Busy::Reads(1),
            (Some(Busy::Reads(n)), _) => Busy::Reads(n + 1),
        };
        self.busy.insert(offset / self.block, now);
        let slot = op.slot as usize;
        if self.flights.len() <= slot {
            self.flights.resize(slot + 1, self.flights[0]);
        }
        self.flights[slot] = Flight { kind: op.kind, offset, len: op.len, generation: 0 };
        true
    }

    pub fn stamp(&mut self, op: &Op, block: &mut [u8]) {
        let flight = &mut self.flights[op.slot as usize];
        flight.generation = self.board.draw();
        self.board.stamp(self.verify.run, flight.offset, flight.generation, block);
    }

    /// The slot's operation ended; `read` is what a read has read. Of a write that failed, nothing is known.
    pub fn ended(&mut self, slot: u32, result: Result<u32, OpError>, read: &[u8]) {
        let Flight { kind, offset, len, generation } = self.flights[slot as usize];
        match self.busy.get_mut(&(offset / self.block)) {
            Some(Busy::Reads(n)) if *n > 1 => *n -= 1,
            _ => {
                self.busy.remove(&(offset / self.block));
            }
        }
        match kind {
            _ if result != Ok(len) => {}
            OpClass::Write => {
                self.board.acknowledged(offset, len.into(), generation);
                self.note_written(offset);
            }
            _ => self.check(offset, &read[..len as usize]),
        }
    }

    fn note_written(&mut self, offset: Bytes) {
        if !self.blind {
            return;
        }
        let block = (offset - self.base) / self.block;
        let word = (block / 64) as usize;
        if self.written.len() <= word {
            self.written.resize(word + 1, 0);
        }
        self.written[word] |= 1 << (block % 64);
    }

    fn check(&self, offset: Bytes, bytes: &[u8]) {
        let seen = look(&self.board, self.verify.run, offset, bytes);
        let mut checked = Checked { bytes: seen.checked, unknown: seen.unknown, ..Checked::default() };
        for found in &seen.found {
            if self.board.first_seen(found.kind, found.range.start, found.expected) {
                checked.note(self.flaw(found));
            }
        }
        locked(&self.account.checked).add(&checked);
    }

    #[cold]
    fn flaw(&self, found: &BadStretch) -> Flaw {
        let (place, offset) = self.place(found.range.start);
        Flaw {
            kind: found.kind,
            place,
            offset,
            bytes: found.range.end - found.range.start,
            seconds: RealClock.now().saturating_sub(self.verify.started()) as f64 / model::clock::SECOND as f64,
            says: self.says(found),
        }
    }

    fn says(&self, found: &BadStretch) -> String {
        let expected = found.expected;
        match found.instead {
            Instead::Nothing(Unstamped::Zero) => "no stamp, its bytes are zero".into(),
            Instead::Nothing(Unstamped::Foreign) => "no stamp, bytes that Fathom did not write".into(),
            Instead::Nothing(Unstamped::Damaged) => "bytes are damaged, the checksum is another".into(),
            Instead::Generation(found) => {
                format!("write {found} of this place, where write {expected} was acknowledged")
            }
            Instead::EarlierRun => format!("a write of an earlier run, where write {expected} was acknowledged"),
            Instead::Elsewhere { place, offset } if place == self.board.place => {
                let (name, inside) = self.place(offset);
                format!("what belongs to {name} at {inside}")
            }
            Instead::Elsewhere { place, offset } => match self.verify.name_of(place) {
                Some(name) => format!("what belongs to {name} at {offset}"),
                None => format!("what belongs to another place of another run, at {offset}"),
            },
        }
    }

    /// The name of what lies at an offset of the board, and the offset inside it.
    fn place(&self, offset: Bytes) -> (String, Bytes) {
        match &self.names {
            PlaceNames::Whole => (self.board.name.clone(), offset),
            PlaceNames::Objects { objects, first } => {
                let (number, inside) = (offset / objects.size(), offset % objects.size());
                let own = number.checked_sub(*first).filter(|own| own * objects.size() < objects.bytes());
                let name = own.map(|own| objects.at(own * objects.size()).0.to_string_lossy().into_owned());
                (
                    name.map_or_else(|| format!("object {number} of the working set"), |name| format!("object {name}")),
                    inside,
                )
            }
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if !self.written.is_empty() {
            let blocks = std::mem::take(&mut self.written);
            locked(&self.account.written).push(Written { lane: self.lane, blocks });
        }
    }
}
