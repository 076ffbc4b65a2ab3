//! Blocks of a file through this host's page cache, as programs without O_DIRECT use it. Reads begin with nothing of the file in it, and what
//! is written counts when it has been flushed: what the cache alone does says nothing of the file system.

use super::site::DiskSite;
use model::Workload;
use model::workload::PAGE_CACHE as OPTION;
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

    fn why(path: &Path, option: (&str, &str)) -> Option<String> {
        let site = DiskSite::look(&Place::Path { path: path.into(), writable: true }).unwrap();
        let options = [(option.0.to_string(), option.1.to_string())].into();
        refusal(&site, &Workload { options, ..Workload::canonical(Pattern::ReadParallel, 1 << 20, 1) })
    }

    #[test]
    fn it_is_on_or_off_and_there_is_no_other_option() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(["on", "off"].map(|value| why(file.path(), (OPTION, value))), [None, None]);
        assert!(why(file.path(), (OPTION, "yes")).unwrap().contains("choose on or off"));
        assert!(why(file.path(), ("direct", "0")).unwrap().contains("no option \"direct\""));
    }
}
