//! What can be made wrong with a lab, and undone: slow disks and links, busy neighbours, bad settings.
//!
//! A fault says what it changes ([`Change`]), with what was there before. That is in the lab's journal before the first change is made, so
//! that `off` and `down` undo it whoever was killed meanwhile. A new fault is a file here and a line in [`FAULTS`].

mod access;
mod bucket_few_shards;
mod caps_held;
mod changes;
mod clone;
mod cpu_quota;
mod debug_logging;
mod deep_scrub;
mod device;
mod device_number;
mod disk_bandwidth;
mod disk_iops;
mod few_pgs;
mod flags;
mod flapping;
mod journal;
mod link_latency;
mod link_loss;
mod link_slow_from;
mod link_slow_to;
mod links;
mod mds_cache;
mod messenger_delay;
mod mtu;
mod nearly_full;
mod nfs_few_workers;
mod noisy_neighbour;
mod osd_option;
mod path_slow;
mod primaries_on_one;
mod recovery;
mod rgw_nagle;
mod secure_mode;
mod snapshot;
mod stutter;
mod target;
mod two_writers;
mod value;
mod worker;
mod wrong_db_device;

use crate::active_fault::ActiveFault;
use crate::dirs::Dirs;
use crate::errors::LabError;
use crate::wire::SupervisorCommand;
use access::LabAccess;
use changes::Change;
use journal::{Entry, Journal};
use target::{Target, TargetKind};
pub use worker::worker;

/// Every fault, by what it is of: disks, processors, links, messages, a daemon, load of others, pools and images, the cluster.
static FAULTS: &[&Fault] = &[
    &disk_iops::FAULT,
    &disk_bandwidth::FAULT,
    &wrong_db_device::FAULT,
    &cpu_quota::FAULT,
    &stutter::FAULT,
    &link_slow_to::FAULT,
    &link_slow_from::FAULT,
    &path_slow::FAULT,
    &link_loss::FAULT,
    &link_latency::FAULT,
    &mtu::FAULT,
    &messenger_delay::FAULT,
    &secure_mode::FAULT,
    &debug_logging::FAULT,
    &osd_option::FAULT,
    &rgw_nagle::FAULT,
    &bucket_few_shards::FAULT,
    &mds_cache::FAULT,
    &caps_held::FAULT,
    &nfs_few_workers::FAULT,
    &noisy_neighbour::FAULT,
    &deep_scrub::FAULT,
    &recovery::FAULT,
    &flapping::FAULT,
    &few_pgs::FAULT,
    &primaries_on_one::FAULT,
    &clone::FAULT,
    &snapshot::FAULT,
    &two_writers::FAULT,
    &nearly_full::FAULT,
    &flags::FAULT,
];

pub struct Fault {
    pub name: &'static str,
    /// In one sentence.
    pub what: &'static str,
    target: TargetKind,
    /// What `--value` means, where the fault takes one.
    pub value: Option<Value>,
    /// What it changes. Nothing is changed by finding out.
    plan: fn(&Asked) -> Result<Vec<Change>, LabError>,
}

pub struct Value {
    pub default: &'static str,
    pub unit: &'static str,
}

impl Fault {
    /// What it can be pointed at, in words.
    pub fn targets(&self) -> &'static str {
        self.target.words()
    }
}

/// One wish for a fault.
pub(crate) struct Asked<'a> {
    access: &'a LabAccess,
    fault: &'static Fault,
    target: Target,
    value: String,
}

/// All that there are, by name.
pub fn list() -> impl Iterator<Item = &'static Fault> {
    FAULTS.iter().copied()
}

/// The faults that are on in a lab. One whose making was interrupted is not complete.
pub(crate) fn active(dirs: &Dirs) -> Vec<ActiveFault> {
    let entries = Journal::read(dirs).unwrap_or_default();
    entries.iter().map(|entry| entry.shown(dirs)).collect()
}

/// Makes a fault in a running lab.
///
/// # Errors
/// No such lab, fault, target or value; it is on already, or another one is in its way; this lab or this machine can't. Nothing is left
/// changed then, or the error says so.
pub fn on(lab: &str, name: &str, target: &[String], value: Option<&str>) -> Result<ActiveFault, LabError> {
    let fault = find(name)?;
    let access = LabAccess::of(lab)?;
    let mut journal = Journal::open(&access.dirs)?;
    let target = fault.target.parse(fault, target, &access)?;
    let value = value::chosen(fault, value)?;
    let asked = Asked { access: &access, fault, target, value };
    let changes = (fault.plan)(&asked)?;
    journal.check_free(fault, &asked.target, &changes)?;
    let entry = Entry::new(fault, &asked.target, &asked.value, changes);
    let number = journal.begin(entry)?;
    let made = journal.changes(number).iter().try_for_each(|change| change.make(&access));
    if let Err(error) = made.and_then(|()| journal.set_complete(number, true)) {
        return Err(take_back(&access, &mut journal, number, error));
    }
    Ok(journal.entry(number).shown(&access.dirs))
}

/// What was made goes again; if it does not, the journal still has it, and the error says so.
fn take_back(access: &LabAccess, journal: &mut Journal, number: usize, error: LabError) -> LabError {
    let (fault, name) = (journal.entry(number).named(), access.lab.name.clone());
    match undo(access, journal, number) {
        Ok(()) => error,
        Err(why) => LabError::FaultStays { error: error.to_string(), why: why.to_string(), fault, name },
    }
}

/// Undoes a fault, on one target or on all of them; `None`: every fault. Says which.
///
/// # Errors
/// No such lab or fault, it is not on, or it can't be undone: then it stays in the journal.
pub fn off(lab: &str, name: Option<&str>, target: &[String]) -> Result<Vec<ActiveFault>, LabError> {
    let fault = name.map(find).transpose()?;
    let access = LabAccess::of(lab)?;
    let mut journal = Journal::open(&access.dirs)?;
    // What an `on` that was killed has asked for would else be done after it was looked whether it is.
    access.order(&SupervisorCommand::Settle)?;
    let numbers = journal.matching(fault, target)?;
    let mut gone = Vec::new();
    let mut failed = None;
    // The newest first, and all of them even if one fails.
    for number in numbers.into_iter().rev() {
        let shown = journal.entry(number).shown(&access.dirs);
        match undo(&access, &mut journal, number) {
            Ok(()) => gone.push(shown),
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    failed.map_or(Ok(gone), Err)
}

fn undo(access: &LabAccess, journal: &mut Journal, number: usize) -> Result<(), LabError> {
    // A disk that is full is no reason to leave what may have filled it: the entry that is on disk has all that undoing needs.
    let _ = journal.set_complete(number, false);
    let others = journal.others(number);
    let changes = journal.changes(number);
    changes.iter().rev().try_for_each(|change| change.undo(access, &others))?;
    journal.end(number)
}

fn find(name: &str) -> Result<&'static Fault, LabError> {
    list().find(|fault| fault.name == name).ok_or_else(|| {
        let near = model::nearest(name, list().map(|fault| fault.name)).join(", ");
        LabError::NoSuchFault { fault: name.to_owned(), near }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    #[test]
    fn an_unknown_fault_names_the_nearest() {
        let error = find("cpu-qota").map(|fault| fault.name).map_err(|error| (error.exit_code(), error.to_string()));
        assert!(error.is_err_and(|(code, text)| code == 2 && text.contains("nearest: cpu-quota")));
    }

    /// One whose undoing is seen in a file, and that fails once that is written.
    const LIMIT: &str = r#"{"cgroup": {"daemon": "osd.1", "controller": "cpu", "mount": "PLACE", "file": "quota", "device": null,
                            "value": "10", "without": "-1", "back": "PLACE"}}"#;

    #[test]
    fn what_cannot_be_written_down_is_undone_for_all_that() -> Result<(), Box<dyn std::error::Error>> {
        let place = tempfile::tempdir()?;
        let access = LabAccess::without_cluster(place.path());
        let group = place.path().join(access.dirs.namespace_prefix().trim_end_matches('-')).join("osd.1");
        fs::create_dir_all(&group)?;
        fs::create_dir_all(&access.dirs.dir)?;
        let change = serde_json::from_str(&LIMIT.replace("PLACE", &place.path().display().to_string()))?;
        let mut journal = Journal::open(&access.dirs)?;
        let number = journal.begin(Entry::new(&cpu_quota::FAULT, &Target::Osd(1), "10%", vec![change]))?;
        // As little can be written there as on a full disk.
        fs::create_dir(access.dirs.faults().with_extension("new"))?;
        let error = take_back(&access, &mut journal, number, LabError::SupervisorLost);
        assert_eq!(fs::read_to_string(group.join("quota"))?, "-1");
        let text = error.to_string();
        assert!(text.contains("the lab's supervisor has ended") && text.contains("cannot remove"), "{text}");
        assert!(text.contains("fathom lab fault off cpu-quota osd.1 --name x"), "{text}");
        Ok(())
    }

    #[test]
    fn an_osd_that_does_not_run_is_not_started_by_a_fault() -> Result<(), LabError> {
        let place = tempfile::tempdir().map_err(LabError::io("cannot make", Path::new("a temporary directory")))?;
        let access = LabAccess::without_cluster(place.path());
        for (fault, value) in [(&recovery::FAULT, "120"), (&wrong_db_device::FAULT, "100"), (&flapping::FAULT, "10")] {
            let asked = Asked { access: &access, fault, target: Target::Osd(1), value: value.to_owned() };
            let planned = (fault.plan)(&asked);
            assert!(matches!(planned, Err(LabError::WrongState { daemon, .. }) if daemon == "osd.1"), "{}", fault.name);
        }
        Ok(())
    }

    #[test]
    fn names_differ_and_each_says_what_it_does_in_one_sentence() {
        let names: BTreeSet<&str> = list().map(|fault| fault.name).collect();
        assert_eq!(names.len(), FAULTS.len());
        for fault in list() {
            assert!(fault.what.ends_with('.') && fault.what.matches(". ").count() == 0, "{}", fault.what);
        }
    }
}
