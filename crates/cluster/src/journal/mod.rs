//! The journal: every change is written down, on disk and in the cluster, before it is made, with what undoes it.

mod book;
mod keys;
pub mod pending;

pub use book::{Book, Head};

use crate::admin::Cluster;
use crate::errors::ClusterError;
use crate::hands;
use model::{Change, Undo};
use std::path::Path;

/// Options that a monitor may want to be set before it obeys; set for that one command only, as changes of their own.
const PERMISSIONS: [&str; 2] = ["mon_allow_pool_size_one", "mon_allow_pool_delete"];

pub struct Journal {
    book: Book,
    cluster: Option<Cluster>,
}

impl Journal {
    /// Begins the journal of a run: an empty book in `folder`, locked for as long as this process lives.
    pub fn begin(folder: &Path, head: Head, cluster: Option<Cluster>) -> Result<Journal, ClusterError> {
        Ok(Journal { book: Book::create(folder, head)?, cluster })
    }

    /// Takes up what a dead run left. `cluster`: the one that the run worked on.
    pub fn resume(book: Book, cluster: Option<Cluster>) -> Journal {
        Journal { book, cluster }
    }

    pub fn changes(&self) -> &[Undo] {
        self.book.entries()
    }

    /// Writes the change down, then makes it.
    pub fn make(&mut self, change: Change) -> Result<Undo, ClusterError> {
        let index = self.write_down(change.clone())?;
        match hands::make(self.cluster.as_ref(), &change) {
            Err(error) if permission_wanted(&error).is_some() => {
                self.with_permission(&error, |cluster| hands::make(cluster, &change))?;
            }
            other => other?,
        }
        Ok(self.book.entries()[index].clone())
    }

    /// Is this change made, or about to be, and not undone?
    pub fn stands(&self, change: &Change) -> bool {
        self.standing(change).is_some()
    }

    /// Is the option that this would set so already, whoever set it?
    pub fn holds(&self, change: &Change) -> Result<bool, ClusterError> {
        hands::holds(self.cluster.as_ref(), change)
    }

    /// Undoes the latest such change; `None`: there is none that stands.
    pub fn undo_one(&mut self, change: &Change) -> Result<Option<Undo>, ClusterError> {
        self.standing(change).map_or(Ok(None), |index| self.undo(index))
    }

    fn standing(&self, change: &Change) -> Option<usize> {
        self.book.entries().iter().rposition(|undo| undo.change == *change && !undo.undone)
    }

    /// Undoes everything, the newest first. What can't be undone stays in the journal; the errors tell.
    pub fn roll_back(&mut self) -> (Vec<Undo>, Vec<ClusterError>) {
        let (mut undone, mut errors) = (Vec::new(), Vec::new());
        for index in (0..self.book.entries().len()).rev() {
            match self.undo(index) {
                Ok(Some(undo)) => undone.push(undo),
                Ok(None) => {}
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() {
            errors.extend(self.close().err());
        }
        (undone, errors)
    }

    fn undo(&mut self, index: usize) -> Result<Option<Undo>, ClusterError> {
        let undo = self.book.entries()[index].clone();
        if undo.undone {
            return Ok(None);
        }
        match hands::unmake(self.cluster.as_ref(), &undo) {
            Err(error) if permission_wanted(&error).is_some() => {
                self.with_permission(&error, |cluster| hands::unmake(cluster, &undo))?;
            }
            other => other?,
        }
        self.book.mark_undone(index)?;
        self.write_keys()?;
        Ok(Some(Undo { undone: true, ..undo }))
    }

    fn write_down(&mut self, change: Change) -> Result<usize, ClusterError> {
        let before = hands::before(self.cluster.as_ref(), &change)?;
        let index = self.book.add(Undo { change, before, undone: false })?;
        self.write_keys()?;
        Ok(index)
    }

    /// What is undone is left out: a value of the store has a limit, which a long run's settings would reach.
    fn write_keys(&self) -> Result<(), ClusterError> {
        let Some(cluster) = &self.cluster else { return Ok(()) };
        let left: Vec<Undo> = self.book.entries().iter().filter(|entry| !entry.undone).cloned().collect();
        keys::write(cluster, self.book.head(), &left)
    }

    /// Sets the option that the monitor named, does the thing, and puts the option back.
    fn with_permission(
        &mut self,
        refused: &ClusterError,
        thing: impl Fn(Option<&Cluster>) -> Result<(), ClusterError>,
    ) -> Result<(), ClusterError> {
        let Some(name) = permission_wanted(refused) else { return Ok(()) };
        let option = Change::Option { who: "mon".to_string(), name: name.to_string(), value: "true".to_string() };
        let index = self.write_down(option.clone())?;
        hands::make(self.cluster.as_ref(), &option)?;
        let done = patiently(|| thing(self.cluster.as_ref()));
        self.undo(index)?;
        done
    }

    /// Nothing is left to undo: the journal goes, from the cluster first.
    fn close(&self) -> Result<(), ClusterError> {
        if let Some(cluster) = &self.cluster {
            keys::remove(cluster, &self.book.head().run)?;
        }
        self.book.remove()
    }
}

fn permission_wanted(error: &ClusterError) -> Option<&'static str> {
    let text = error.to_string();
    PERMISSIONS.into_iter().find(|name| text.contains(name))
}

/// A monitor takes a moment to see a new option.
fn patiently(thing: impl Fn() -> Result<(), ClusterError>) -> Result<(), ClusterError> {
    const TRIES: u32 = 25;
    for _ in 1..TRIES {
        match thing() {
            Err(error) if permission_wanted(&error).is_some() => {
                std::thread::sleep(std::time::Duration::from_millis(200));
            }
            other => return other,
        }
    }
    thing()
}
