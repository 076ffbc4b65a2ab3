//! One run at a time changes a setting of a host, whoever started it and wherever it keeps its journals: it holds the lock of the kernel's own
//! file of that setting, which is the same one for all of them and leaves nothing behind.

use crate::drive_cache;
use crate::host_settings::{file, governors};
use model::host_setting::HostSetting;
use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Of the settings that this process changes, until it ends.
static HELD: Mutex<BTreeMap<PathBuf, Flock<File>>> = Mutex::new(BTreeMap::new());

/// From now on no other run on this host changes it, whoever started that and wherever it keeps its journals: each would put back the
/// other's value.
///
/// # Errors
/// Another one does.
pub fn hold(name: &str) -> Result<(), String> {
    hold_setting(&HostSetting::parse(name)?)
}

/// The same, also for putting it back: another run may have begun meanwhile.
///
/// # Errors
/// Another one changes it.
pub fn hold_setting(setting: &HostSetting) -> Result<(), String> {
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    for path in locks(setting) {
        if held.contains_key(&path) {
            continue;
        }
        // What is not there is told by whoever reads it.
        let Ok(file) = File::open(&path) else { continue };
        match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(lock) => drop(held.insert(path, lock)),
            Err((_, Errno::EWOULDBLOCK)) => {
                return Err("another run of Fathom on this host changes it; wait until that has ended".to_string());
            }
            Err((_, error)) => return Err(format!("{}: can't be locked: {error}", path.display())),
        }
    }
    Ok(())
}

fn locks(setting: &HostSetting) -> Vec<PathBuf> {
    let root = Path::new("/");
    match setting {
        // Held open by each run for itself: the lowest counts.
        HostSetting::CpuDmaLatency => Vec::new(),
        HostSetting::Governor => governors(root).unwrap_or_default().into_iter().take(1).collect(),
        HostSetting::Coalescing { nic, .. } => vec![Path::new("/sys/class/net").join(nic).join("mtu")],
        HostSetting::DriveCache(disk) => {
            let of = |disk: &String| Path::new("/sys/block").join(disk).join("queue/write_cache");
            drive_cache::sharing(disk).iter().map(of).collect()
        }
        HostSetting::Sysctl(_) | HostSetting::ReadAhead(_) | HostSetting::Scheduler(_) => vec![file(root, setting)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_process_that_holds_it_is_told_and_this_one_may_hold_it_twice() {
        let name = "sysctl.vm.page-cluster";
        let path = locks(&HostSetting::parse(name).unwrap()).remove(0);
        // Another open file is another holder, as in another process.
        let other = Flock::lock(File::open(&path).unwrap(), FlockArg::LockExclusiveNonblock).unwrap();
        assert!(hold(name).unwrap_err().contains("another run of Fathom"));
        drop(other);
        hold(name).unwrap();
        hold(name).unwrap();
        let late = Flock::lock(File::open(&path).unwrap(), FlockArg::LockExclusiveNonblock);
        assert!(late.is_err(), "it is held until this process ends");
    }

    #[test]
    fn what_is_not_there_is_told_by_whoever_reads_it() {
        assert_eq!(hold("read_ahead_kb.none0"), Ok(()));
        assert!(hold("no-such-setting").is_err());
        assert!(locks(&HostSetting::CpuDmaLatency).is_empty());
    }
}
