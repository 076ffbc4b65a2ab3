//! The faults that are on in a lab, with what undoes each: on disk before anything is changed.

use super::Fault;
use super::changes::Change;
use super::target::Target;
use crate::active_fault::ActiveFault;
use crate::dirs::Dirs;
use crate::errors::LabError;
use crate::process_group;
use nix::fcntl::{Flock, FlockArg};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Write};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    number: usize,
    fault: String,
    target: String,
    value: String,
    complete: bool,
    changes: Vec<Change>,
}

impl Entry {
    pub fn new(fault: &Fault, target: &Target, value: &str, changes: Vec<Change>) -> Entry {
        let unit = fault.value.as_ref().map_or("", |value| value.unit);
        let has_unit = value.ends_with(unit) || value.is_empty();
        let value = if has_unit { value.to_owned() } else { format!("{value} {unit}") };
        Entry { number: 0, fault: fault.name.to_owned(), target: target.to_string(), value, complete: false, changes }
    }

    pub fn shown(&self, dirs: &Dirs) -> ActiveFault {
        let running = process_group::daemons(dirs);
        let runs = |name: &String| running.iter().any(|daemon| daemon.name == *name);
        let processes = self.changes.iter().filter_map(Change::process);
        ActiveFault {
            name: self.fault.clone(),
            target: self.target.clone(),
            value: self.value.clone(),
            complete: self.complete,
            ended: processes.filter(|name| self.complete && !runs(name)).collect(),
            made: self.changes.iter().filter_map(Change::made).collect(),
        }
    }

    pub fn named(&self) -> String {
        format!("{} {}", self.fault, self.target).trim_end().to_owned()
    }
}

/// Held by one program at a time: two `on` come one after the other.
pub(super) struct Journal {
    dirs: Dirs,
    entries: Vec<Entry>,
    _lock: Flock<File>,
}

impl Journal {
    pub fn open(dirs: &Dirs) -> Result<Journal, LabError> {
        let path = dirs.dir.join("faults.lock");
        let file = File::create(&path).map_err(LabError::io("cannot write", &path))?;
        let locked = Flock::lock(file, FlockArg::LockExclusive);
        let _lock = locked.map_err(|(_, errno)| LabError::io("cannot lock", &path)(errno.into()))?;
        Ok(Journal { dirs: dirs.clone(), entries: Journal::read(dirs)?, _lock })
    }

    /// Without the lock: it is written whole or not at all.
    pub fn read(dirs: &Dirs) -> Result<Vec<Entry>, LabError> {
        let path = dirs.faults();
        let failed = LabError::io("cannot read", &path);
        match fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text).map_err(|error| failed(io::Error::other(error))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(failed(error)),
        }
    }

    fn save(&self) -> Result<(), LabError> {
        let path = self.dirs.faults();
        let new = path.with_extension("new");
        let text = serde_json::to_vec_pretty(&self.entries).unwrap_or_default();
        let written = File::create(&new).and_then(|mut file| file.write_all(&text).and_then(|()| file.sync_all()));
        let renamed = written.and_then(|()| fs::rename(&new, &path));
        renamed.and_then(|()| File::open(&self.dirs.dir)?.sync_all()).map_err(LabError::io("cannot write", &path))
    }

    /// Two faults that set the same thing would undo each other.
    pub fn check_free(&self, fault: &Fault, target: &Target, changes: &[Change]) -> Result<(), LabError> {
        let wanted: Vec<String> = changes.iter().flat_map(Change::resources).collect();
        let held = |entry: &&Entry| {
            entry.changes.iter().flat_map(Change::resources).any(|resource| wanted.contains(&resource))
        };
        let Some(other) = self.entries.iter().find(held) else { return Ok(()) };
        let fault = format!("{} {target}", fault.name).trim_end().to_owned();
        let (other, name) = (other.named(), self.dirs.name.clone());
        Err(match fault == other {
            true => LabError::FaultOn { fault, name },
            false => LabError::FaultInTheWay { fault, other, name },
        })
    }

    /// Writes the entry down; what it says may be made then.
    pub fn begin(&mut self, entry: Entry) -> Result<usize, LabError> {
        let number = self.entries.iter().map(|entry| entry.number + 1).max().unwrap_or(0);
        self.entries.push(Entry { number, ..entry });
        self.save().map(|()| number)
    }

    /// All that an entry says is made; or no more, since its undoing has begun.
    pub fn set_complete(&mut self, number: usize, complete: bool) -> Result<(), LabError> {
        self.entries.iter_mut().filter(|entry| entry.number == number).for_each(|entry| entry.complete = complete);
        self.save()
    }

    pub fn end(&mut self, number: usize) -> Result<(), LabError> {
        self.entries.retain(|entry| entry.number != number);
        self.save()
    }

    pub fn entry(&self, number: usize) -> &Entry {
        match self.entries.iter().find(|entry| entry.number == number) {
            Some(entry) => entry,
            None => unreachable!("numbers come from this journal, which is locked"),
        }
    }

    pub fn changes(&self, number: usize) -> Vec<Change> {
        self.entry(number).changes.clone()
    }

    /// The changes of all other faults.
    pub fn others(&self, number: usize) -> Vec<Change> {
        self.entries.iter().filter(|entry| entry.number != number).flat_map(|entry| entry.changes.clone()).collect()
    }

    /// The entries that `off` means. Without a fault: all, of which there may be none.
    pub fn matching(&self, fault: Option<&Fault>, target: &[String]) -> Result<Vec<usize>, LabError> {
        let target = target.join(" ");
        let meant = |entry: &&Entry| {
            fault.is_none_or(|fault| fault.name == entry.fault) && (target.is_empty() || target == entry.target)
        };
        let numbers: Vec<usize> = self.entries.iter().filter(meant).map(|entry| entry.number).collect();
        match fault {
            Some(fault) if numbers.is_empty() => {
                let on = self.entries.iter().map(Entry::named).collect::<Vec<_>>().join(", ");
                let fault = format!("{} {target}", fault.name).trim_end().to_owned();
                Err(LabError::FaultNotOn { fault, name: self.dirs.name.clone(), on })
            }
            _ => Ok(numbers),
        }
    }
}
