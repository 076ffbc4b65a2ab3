//! Is the process that keeps a journal still there? Told only by the same boot of the same machine.

use super::Head;
use serde::{Deserialize, Serialize};
use std::fs;

/// What identifies a process, also for one with another data home, in another container or on another host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Process {
    /// Of the machine: a digest of its machine-id, which itself is to stay on the machine (machine-id(5)); empty: it has none.
    pub machine: String,
    pub boot: String,
    /// Numbers of processes mean the same within one namespace only.
    pub namespace: String,
    /// In clock ticks since the boot: numbers of processes are used again.
    pub began: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    Alive,
    Dead,
    /// It runs, or ran, where this process can't look.
    Unknown,
}

impl Process {
    pub fn this() -> Process {
        let text = |path: &str| fs::read_to_string(path).unwrap_or_default().trim().to_string();
        let machine = text("/etc/machine-id");
        let namespace = fs::read_link("/proc/self/ns/pid").unwrap_or_default().to_string_lossy().into_owned();
        Process {
            machine: if machine.is_empty() { machine } else { digest(&machine) },
            boot: text("/proc/sys/kernel/random/boot_id"),
            namespace,
            began: stat(std::process::id()).map_or(0, |(_, began)| began),
        }
    }
}

/// FNV-1a (Fowler, Noll, Vo; 64 bits): fewer bits than the machine-id, so that it can't be had back.
fn digest(text: &str) -> String {
    let bytes = b"fathom journal".iter().chain(text.as_bytes());
    let hash =
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{hash:016x}")
}

/// Was the journal written on this host? The first release wrote the host's name alone. A host may get another name while it runs; after a
/// start the name has to be the same, since copies of a machine may share the folder of journals.
pub fn of_this_host(head: &Head) -> bool {
    let own = Process::this();
    let named = || head.host == crate::here::host_name();
    match &head.process {
        Some(process) if !process.machine.is_empty() && process.machine != own.machine => false,
        Some(process) if !process.machine.is_empty() && !own.boot.is_empty() && process.boot == own.boot => true,
        _ => named(),
    }
}

pub fn life(head: &Head) -> Life {
    let (Some(process), own) = (&head.process, Process::this()) else { return Life::Unknown };
    let same = !own.boot.is_empty() && (&process.boot, &process.namespace) == (&own.boot, &own.namespace);
    match stat(head.pid) {
        _ if !same => Life::Unknown,
        // Ended, and not yet taken note of by its parent.
        Some(('Z' | 'X', _)) => Life::Dead,
        Some((_, began)) => {
            if began == process.began {
                Life::Alive
            } else {
                Life::Dead
            }
        }
        // /proc may hide processes of others (hidepid).
        None if exists(head.pid) => Life::Unknown,
        None => Life::Dead,
    }
}

fn exists(pid: u32) -> bool {
    let pid = nix::unistd::Pid::from_raw(pid as i32);
    nix::sys::signal::kill(pid, None) != Err(nix::Error::ESRCH)
}

/// State and beginning of a process.
fn stat(pid: u32) -> Option<(char, u64)> {
    let stat = procfs::process::Process::new(pid as i32).and_then(|process| process.stat()).ok()?;
    Some((stat.state, stat.starttime))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::testing::head;

    #[test]
    fn a_process_is_known_again() {
        let mut own = head();
        assert_eq!((life(&own), of_this_host(&own)), (Life::Alive, true));
        let mut later = own.clone();
        later.process.as_mut().unwrap().began += 1;
        assert_eq!(life(&later), Life::Dead, "another process of its number");
        own.process.as_mut().unwrap().boot = "another".into();
        assert_eq!(life(&own), Life::Unknown);
        own.process.as_mut().unwrap().machine = "another".into();
        assert!(!of_this_host(&own));
    }

    #[test]
    fn an_ended_child_is_dead_also_before_its_parent_notes_it() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let mut of_child = head();
        of_child.pid = child.id();
        of_child.process.as_mut().unwrap().began = stat(child.id()).unwrap().1;
        while !matches!(stat(child.id()), Some(('Z', _))) {
            std::thread::yield_now();
        }
        assert_eq!(life(&of_child), Life::Dead);
        child.wait().unwrap();
        assert_eq!(life(&of_child), Life::Dead);
    }

    #[test]
    fn the_first_release_told_no_process() {
        let old = Head { process: None, ..head() };
        assert_eq!((life(&old), of_this_host(&old)), (Life::Unknown, true));
        assert!(!of_this_host(&Head { host: "elsewhere".into(), ..old }));
    }
}
