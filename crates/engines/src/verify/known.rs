//! All that is known of a run's data while it is verified.

use super::board::Board;
use model::{Bytes, Checked, Nanos};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// All that is known of a run's data: the generations of each place, and what reading it showed.
#[derive(Default)]
pub struct Verify {
    /// Tells this run's stamps from those of any other.
    pub(super) run: u64,
    /// The clock's time at the run's start.
    started: Nanos,
    boards: Mutex<BTreeMap<String, Arc<Board>>>,
    /// By the target's name.
    accounts: Mutex<BTreeMap<String, Arc<Account>>>,
}

/// What the lanes of one target found, and wrote, since somebody last asked.
#[derive(Default)]
pub(super) struct Account {
    pub(super) checked: Mutex<Checked>,
    pub(super) written: Mutex<Vec<Written>>,
}

/// Which blocks a lane has written in a slice.
pub(super) struct Written {
    pub lane: u32,
    /// A bit for each block of the lane's part of the span.
    pub blocks: Vec<u64>,
}

impl Verify {
    /// `run`: a number that no other run has.
    pub fn new(run: u64, started: Nanos) -> Verify {
        Verify { run, started, ..Verify::default() }
    }

    /// For a run that begins now, by this host's clock.
    pub fn of_this_run(started: Nanos) -> Verify {
        Verify::new(rand::random(), started)
    }

    /// The clock's time at the run's start.
    pub fn started(&self) -> Nanos {
        self.started
    }

    /// What was found on this target since this was last asked.
    pub fn take(&self, target: &str) -> Checked {
        std::mem::take(&mut *locked(&self.account(target).checked))
    }

    /// What was written until now is not to be read back.
    pub fn forget_written(&self, target: &str) {
        locked(&self.account(target).written).clear();
    }

    pub(super) fn account(&self, target: &str) -> Arc<Account> {
        locked(&self.accounts).entry(target.to_string()).or_default().clone()
    }

    /// The place's board, made or grown if need be.
    pub(super) fn board(&self, place: &str, bytes: Bytes, block: Bytes) -> Arc<Board> {
        let mut boards = locked(&self.boards);
        let board = boards.entry(place.to_string()).or_insert_with(|| Arc::new(Board::new(place, bytes, block)));
        if board.bytes() < bytes / board.part() * board.part() {
            *board = Arc::new(board.grown(bytes));
        }
        board.clone()
    }

    /// Is all of the place stamped, as far as `bytes` go?
    pub fn is_filled(&self, place: &str, bytes: Bytes, block: Bytes) -> bool {
        self.board(place, bytes, block).knows(0, bytes)
    }

    pub(super) fn name_of(&self, place: u64) -> Option<String> {
        locked(&self.boards).values().find(|board| board.place == place).map(|board| board.name.clone())
    }
}

pub(super) fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
