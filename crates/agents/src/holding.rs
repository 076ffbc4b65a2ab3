//! Paths that are to be written to: proven to be free, and held until the run ends.

use cluster::devices::{Refusal, disks_of, overlap, prove};
use cluster::drive_cache;
use engines::disk::Holds;
use std::collections::BTreeSet;
use std::io::{IsTerminal, Write, stderr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Of this process; all copies are the same one.
#[derive(Clone, Debug, Default)]
pub struct Held {
    pub holds: Holds,
    unseen: Arc<Mutex<Vec<String>>>,
}

impl Held {
    /// Proves that a path may be written to, once. `given_up`: the user said that its data may be destroyed.
    ///
    /// # Errors
    /// It may not.
    pub fn take(&self, path: &Path, given_up: bool) -> Result<(), Refusal> {
        if self.holds.of(path).is_some() {
            return Ok(());
        }
        let progress = Mutex::new((Instant::now(), false));
        let proven = prove(path, given_up, &|share| show(path, share, &progress));
        if progress.into_inner().unwrap_or_else(PoisonError::into_inner).1 {
            let _ = writeln!(stderr(), "\r\x1b[K");
        }
        let Some(proven) = proven? else { return Ok(()) };
        self.unseen.lock().unwrap_or_else(PoisonError::into_inner).extend(proven.unseen);
        let kept = self.holds.keep(path, proven.file, proven.beneath);
        kept.map_err(|error| Refusal::Unusable { path: path.to_path_buf(), what: error.to_string() })
    }

    /// Something else to be known of a path.
    pub fn note(&self, what: Vec<String>) {
        let mut unseen = self.unseen.lock().unwrap_or_else(PoisonError::into_inner);
        what.into_iter().for_each(|one| {
            if !unseen.contains(&one) {
                unseen.push(one)
            }
        });
    }

    /// What could not be looked at, in words; told once.
    pub fn unseen(&self) -> Vec<String> {
        std::mem::take(&mut *self.unseen.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Shows how far the proof is that a disk is empty: for a large hard disk it takes half a minute.
fn show(path: &Path, share: f64, progress: &Mutex<(Instant, bool)>) {
    let mut progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
    if progress.0.elapsed() > Duration::from_secs(1) && stderr().is_terminal() {
        *progress = (Instant::now(), true);
        let percent = (share * 100.0).round();
        let _ = write!(stderr(), "\r\x1b[Kfathom: looking whether {} is empty: {percent} %", path.display());
    }
}

/// Two paths that are one and the same, or overlap, or lead to one drive: it would be loaded twice, and each would be said to be slower.
pub fn named_twice(paths: &[PathBuf]) -> Option<String> {
    let mut pairs = paths.iter().enumerate().flat_map(|(at, one)| paths[..at].iter().map(move |other| (one, other)));
    pairs.find_map(|(one, other)| {
        let (one_shown, other_shown) = (one.display(), other.display());
        if overlap(one, other) {
            return Some(format!(
                "{other_shown} and {one_shown} are the same, or one is a part of the other; name one of them"
            ));
        }
        let drive = one_drive(&disks_of(one), &disks_of(other), drive_cache::identity)?;
        Some(format!("{other_shown} and {one_shown} are two ways to one drive ({drive}); name one of them"))
    })
}

/// The own name of a drive that is among both as another disk: it has two ways to this host, which nobody joined (multipathd). What lies
/// on all of its ways, or both on the same disk, is joined.
fn one_drive(
    one: &BTreeSet<String>,
    other: &BTreeSet<String>,
    name: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    let names: BTreeSet<String> = one.difference(other).filter_map(|disk| name(disk)).collect();
    other.difference(one).filter_map(|disk| name(disk)).find(|own| names.contains(own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_with_two_ways_to_this_host_is_one_drive() {
        let disks = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<BTreeSet<String>>();
        let name = |disk: &str| match disk {
            "sda" | "sdc" => Some("naa.5".to_string()),
            "sdb" => Some("naa.6".to_string()),
            _ => None,
        };
        let found = |one: &[&str], other: &[&str]| one_drive(&disks(one), &disks(other), name);
        assert_eq!(found(&["sda"], &["sdc"]).as_deref(), Some("naa.5"));
        assert_eq!(found(&["vda", "sda"], &["sdb", "sdc"]).as_deref(), Some("naa.5"), "below volumes");
        assert_eq!(found(&["sda"], &["sdb"]), None);
        assert_eq!(found(&["sda"], &["sda"]), None, "two partitions");
        assert_eq!(found(&["sda", "sdc"], &["sda", "sdc"]), None, "two volumes above multipathd");
        assert_eq!(found(&["vda"], &["vdb"]), None, "drives without a name");
    }

    #[test]
    fn a_link_a_hard_link_and_the_same_name_are_named_twice() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("a"), "x").unwrap();
        std::fs::write(path("b"), "x").unwrap();
        std::os::unix::fs::symlink(path("a"), path("link")).unwrap();
        std::fs::hard_link(path("a"), path("hard")).unwrap();
        for other in ["a", "link", "hard"] {
            let said = named_twice(&[path("b"), path("a"), path(other)]).unwrap();
            assert!(said.contains("name one of them"), "{said}");
        }
        assert_eq!(named_twice(&[path("a"), path("b"), path("missing")]), None);
        assert!(named_twice(&[path("missing"), path("missing")]).is_some());
    }
}
