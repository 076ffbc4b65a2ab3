//! Blocks of a file through this host's page cache, as programs without O_DIRECT use it. Reads begin with nothing of the file in it, and what
//! is written counts when it has been flushed: what the cache alone does says nothing of the file system.

use super::site::DiskSite;
use model::workload::PAGE_CACHE as OPTION;
use model::{Durability, Workload};
use nix::fcntl::{PosixFadviseAdvice, posix_fadvise};
use std::fs::File;

/// Why these options can't be had.
pub fn refusal(site: &DiskSite, workload: &Workload) -> Option<String> {
    if let Some(option) = workload.options.keys().find(|name| *name != OPTION) {
        return Some(format!("the engines of files and devices have no option {option:?}, only {OPTION}"));
    }
    match workload.options.get(OPTION)?.as_str() {
        "off" => None,
        "on" if site.device => Some(format!("{OPTION}=on is of files alone; a device is loaded past the page cache")),
        "on" if workload.writes() && workload.durability == Durability::None => Some(format!(
            "with {OPTION}=on and --sync none only this host's memory would be measured; leave --sync out, or choose fsync or fdatasync"
        )),
        "on" => None,
        other => Some(format!("{OPTION}={other}: choose on or off")),
    }
}

/// Nothing of the file is in the cache afterwards, but for what the kernel can't let go.
pub fn empty(file: &File) {
    // What is dirty stays: it was flushed before, or is so now.
    let _ = file.sync_data();
    let _ = posix_fadvise(file, 0, 0, PosixFadviseAdvice::POSIX_FADV_DONTNEED);
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Pattern, Place};
    use std::path::Path;

    fn why(path: &Path, pattern: Pattern, durability: Durability, option: (&str, &str)) -> Option<String> {
        let site = DiskSite::look(&Place::Path { path: path.into(), writable: true }).unwrap();
        let options = [(option.0.to_string(), option.1.to_string())].into();
        refusal(&site, &Workload { durability, options, ..Workload::canonical(pattern, 1 << 20, 1) })
    }

    #[test]
    fn what_would_measure_memory_alone_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let of = |pattern, durability, value| why(file.path(), pattern, durability, (OPTION, value));
        for durability in [Durability::Fdatasync, Durability::Dsync, Durability::GroupCommit] {
            assert_eq!(of(Pattern::WriteParallel, durability, "on"), None, "{durability:?}");
        }
        assert_eq!(of(Pattern::ReadParallel, Durability::None, "on"), None);
        assert_eq!(of(Pattern::WriteParallel, Durability::None, "off"), None);
        assert!(of(Pattern::WriteParallel, Durability::None, "on").unwrap().contains("only this host's memory"));
        assert!(of(Pattern::ReadParallel, Durability::None, "yes").unwrap().contains("choose on or off"));
        let other = why(file.path(), Pattern::ReadParallel, Durability::None, ("direct", "0"));
        assert!(other.unwrap().contains("no option \"direct\""));
    }
}
