//! Every process that a lab starts, so that none outlives it.

use crate::cgroups;
use crate::dirs::Dirs;
use crate::errors::LabError;
use crate::lab::{Daemon, Host};
use nix::errno::Errno;
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, setns, unshare};
use nix::sys::prctl;
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, getppid};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// Set in the environment of each process of a lab, to the lab's directory.
pub(crate) const MARK: &str = "FATHOM_LAB_DIR";

/// What the caller's environment would change of a daemon: its conf, and where the manager's Python looks and writes.
pub(crate) const FOREIGN: [&str; 8] = [
    "CEPH_ARGS",
    "CEPH_CONF",
    "CEPH_KEYRING",
    "CEPH_LIB",
    "PYTHONPATH",
    "PYTHONHOME",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONPYCACHEPREFIX",
];

/// While a child is asked to end.
const LOOK_AGAIN: Duration = Duration::from_millis(20);
const STOPS_WITHIN: Duration = Duration::from_secs(5);

/// Children by name. Once closed, nothing starts any more.
///
/// A child is killed when the thread that started it ends: start them from threads that live as long as the lab.
pub(crate) struct ProcessGroup {
    dirs: Dirs,
    /// Apart from the children, so that it can be set while a command runs.
    closed: AtomicBool,
    children: Mutex<Children>,
}

type Children = BTreeMap<String, Child>;

impl ProcessGroup {
    pub fn new(dirs: Dirs) -> ProcessGroup {
        ProcessGroup { dirs, closed: AtomicBool::new(false), children: Mutex::default() }
    }

    fn children(&self) -> MutexGuard<'_, Children> {
        self.children.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self) -> Result<MutexGuard<'_, Children>, LabError> {
        let children = self.children();
        if self.closed.load(Ordering::SeqCst) { Err(LabError::Cancelled) } else { Ok(children) }
    }

    /// Starts a program of Ceph on one of the lab's hosts. What it says goes to its log.
    pub fn start(&self, name: &str, host: &Host, program: &Path, arguments: &[&str]) -> Result<(), LabError> {
        let conf = self.dirs.conf();
        let conf = conf.to_string_lossy();
        self.start_other(name, host, program, &[arguments, &["-c", &conf]].concat())
    }

    /// Starts any program there.
    pub fn start_other(&self, name: &str, host: &Host, program: &Path, arguments: &[&str]) -> Result<(), LabError> {
        self.start_without((name, host), program, arguments, &[])
    }

    /// The same, where the program reaches none of these files of this host, which are there for the host's own services.
    pub fn start_without(
        &self,
        (name, host): (&str, &Host),
        program: &Path,
        arguments: &[&str],
        hidden: &'static [&'static str],
    ) -> Result<(), LabError> {
        let log = self.dirs.log(name);
        let out =
            OpenOptions::new().create(true).append(true).open(&log).map_err(LabError::io("cannot write", &log))?;
        let also = out.try_clone().map_err(LabError::io("cannot write", &log))?;
        let mut command = Command::new(program);
        command.args(arguments).env(MARK, &self.dirs.dir);
        for name in FOREIGN {
            command.env_remove(name);
        }
        command.stdin(Stdio::null()).stdout(out).stderr(also).current_dir(&self.dirs.dir);
        tie(&mut command);
        if let Some(namespace) = &host.namespace {
            move_to(&mut command, namespace, &host.name)?;
        }
        if !hidden.is_empty() {
            hide(&mut command, hidden);
        }
        let mut children = self.open()?;
        let child = command.spawn().map_err(LabError::io("cannot start", program))?;
        let pid = self.dirs.pid(name);
        let written = fs::write(&pid, child.id().to_string());
        let joined = cgroups::join(&self.dirs, name, child.id() as i32);
        children.insert(name.to_owned(), child);
        written.map_err(LabError::io("cannot write", &pid)).and(joined)
    }

    /// Runs a command to its end. Nothing else starts meanwhile; to close the group ends it.
    pub fn run(&self, command: &mut Command) -> Result<Output, LabError> {
        let _open = self.open()?;
        run(command.env(MARK, &self.dirs.dir))
    }

    /// How a child ended, once; `None`: it runs, or is not there.
    pub fn ended(&self, name: &str) -> Option<ExitStatus> {
        let mut children = self.children();
        let status = children.get_mut(name)?.try_wait().ok()??;
        self.forget(&mut children, name);
        Some(status)
    }

    /// A child that has ended, with its status.
    pub fn any_ended(&self) -> Option<(String, ExitStatus)> {
        let names: Vec<String> = self.children().keys().cloned().collect();
        names.into_iter().find_map(|name| self.ended(&name).map(|status| (name, status)))
    }

    pub fn runs(&self, name: &str) -> bool {
        self.children().contains_key(name)
    }

    pub fn signal(&self, name: &str, signal: Signal) -> bool {
        let children = self.children();
        children.get(name).is_some_and(|child| kill(Pid::from_raw(child.id() as i32), signal).is_ok())
    }

    /// Stops a child; returns when all of its threads stand still, which on a busy machine takes a moment. False: it did not run.
    pub fn stop(&self, name: &str) -> bool {
        let pid = self.children().get(name).map(|child| child.id());
        let Some(pid) = pid.filter(|_| self.signal(name, Signal::SIGSTOP)) else { return false };
        let until = Instant::now() + STOPS_WITHIN;
        while !stands_still(pid) && Instant::now() < until {
            std::thread::sleep(LOOK_AGAIN);
        }
        true
    }

    /// Kills a child; returns when it is gone. False: it did not run.
    pub fn kill(&self, name: &str) -> bool {
        let mut children = self.children();
        let Some(child) = children.get_mut(name) else { return false };
        // An error of either means that it is gone already.
        let _ = child.kill().and_then(|()| child.wait());
        self.forget(&mut children, name);
        true
    }

    /// Asks a child to end, kills it if it has not within this time, and returns when it is gone. Nothing if it did not run.
    pub fn end(&self, name: &str, within: Duration) {
        let until = Instant::now() + within;
        let asked = self.signal(name, Signal::SIGTERM);
        while asked && self.runs(name) && self.ended(name).is_none() && Instant::now() < until {
            std::thread::sleep(LOOK_AGAIN);
        }
        self.kill(name);
    }

    /// Kills all children, returns when they are gone, and lets none start any more. `kill_commands` kills what bears the lab's mark: a
    /// command that is just run may wait for daemons for ever.
    pub fn close(&self, kill_commands: impl Fn()) {
        self.closed.store(true, Ordering::SeqCst);
        let mut children = loop {
            match self.children.try_lock() {
                Ok(children) => break children,
                Err(TryLockError::Poisoned(poisoned)) => break poisoned.into_inner(),
                // Again and again: one may begin at this moment.
                Err(TryLockError::WouldBlock) => kill_commands(),
            }
            std::thread::sleep(LOOK_AGAIN);
        };
        for child in children.values_mut() {
            let _ = child.kill();
        }
        for (name, mut child) in std::mem::take(&mut *children) {
            let _ = child.wait();
            let _ = fs::remove_file(self.dirs.pid(&name));
        }
    }

    fn forget(&self, children: &mut Children, name: &str) {
        children.remove(name);
        let _ = fs::remove_file(self.dirs.pid(name));
    }
}

/// A program of Ceph's that talks to the lab.
pub(crate) fn tool(program: &Path, conf: &Path, dirs: &Dirs) -> Command {
    let mut command = Command::new(program);
    command.arg("--conf").arg(conf).env(MARK, &dirs.dir);
    for name in FOREIGN {
        command.env_remove(name);
    }
    command
}

/// Runs a command of the system to its end.
pub(crate) fn run(command: &mut Command) -> Result<Output, LabError> {
    let words = |command: &Command| {
        let all = std::iter::once(command.get_program()).chain(command.get_args());
        all.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
    };
    let failed = |command: &Command, why: String| LabError::Tool { command: words(command), why };
    tie(command);
    let output = command.output().map_err(|why| failed(command, why.to_string()))?;
    if output.status.success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(failed(command, if said.is_empty() { output.status.to_string() } else { said }))
}

/// The child is killed when its parent ends, however that ends.
#[allow(unsafe_code)]
fn tie(command: &mut Command) {
    let parent = Pid::this();
    let tied = move || {
        prctl::set_pdeathsig(Signal::SIGKILL)?;
        // It may have ended before the line above.
        if getppid() == parent { Ok(()) } else { Err(io::Error::from(io::ErrorKind::BrokenPipe)) }
    };
    // SAFETY: between fork and exec the closure only makes system calls; it neither allocates nor takes a lock.
    unsafe { command.pre_exec(tied) };
}

/// The child lives in a network namespace and has a host name of its own.
#[allow(unsafe_code)]
fn move_to(command: &mut Command, namespace: &str, name: &str) -> Result<(), LabError> {
    let path = Path::new("/run/netns").join(namespace);
    let file = File::open(&path).map_err(LabError::io("cannot enter the network namespace", &path))?;
    let name = name.to_owned();
    let moved = move || {
        setns(&file, CloneFlags::CLONE_NEWNET)?;
        unshare(CloneFlags::CLONE_NEWUTS)?;
        nix::unistd::sethostname(&name)?;
        Ok(())
    };
    // SAFETY: between fork and exec the closure only makes system calls; it neither allocates nor takes a lock.
    unsafe { command.pre_exec(moved) };
    Ok(())
}

/// Root alone could change what is there, and can hide it: `/dev/null` lies over each, for this process.
#[allow(unsafe_code)]
fn hide(command: &mut Command, hidden: &'static [&'static str]) {
    command.env("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/dev/null");
    let covered = move || {
        if !nix::unistd::geteuid().is_root() {
            return Ok(());
        }
        let none: Option<&str> = None;
        unshare(CloneFlags::CLONE_NEWNS)?;
        mount(none, "/", none, MsFlags::MS_REC | MsFlags::MS_PRIVATE, none)?;
        for path in hidden {
            match mount(Some("/dev/null"), *path, none, MsFlags::MS_BIND, none) {
                Ok(()) | Err(Errno::ENOENT) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        Ok(())
    };
    // SAFETY: between fork and exec the closure only makes system calls; paths are short, and it takes no lock.
    unsafe { command.pre_exec(covered) };
}

/// The daemons that run, by the pid files of the process group that started them.
pub(crate) fn daemons(dirs: &Dirs) -> Vec<Daemon> {
    let daemon = |entry: fs::DirEntry| {
        let file = entry.file_name().into_string().ok()?;
        let name = file.strip_suffix(".pid")?;
        let pid = fs::read_to_string(entry.path()).ok()?.trim().parse().ok()?;
        Some(Daemon { name: name.to_owned(), pid })
    };
    let entries = fs::read_dir(dirs.run()).into_iter().flatten().flatten();
    let mut daemons: Vec<Daemon> = entries.filter_map(daemon).collect();
    daemons.sort_by(|one, two| one.name.cmp(&two.name));
    daemons
}

/// By proc(5): stopped, traced, or gone.
fn stands_still(pid: u32) -> bool {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let stats = threads.filter_map(|thread| fs::read_to_string(thread.path().join("stat")).ok());
    let mut states = stats.filter_map(|stat| stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next()));
    states.all(|state| matches!(state, 'T' | 't' | 'Z' | 'X'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leftovers;

    #[test]
    fn closing_ends_a_command_that_would_not_end() -> Result<(), LabError> {
        let place = tempfile::tempdir().map_err(LabError::io("cannot make", Path::new("a temporary directory")))?;
        let dirs = Dirs::in_labs(place.path(), "x");
        let group = ProcessGroup::new(dirs.clone());
        std::thread::scope(|scope| {
            let running = scope.spawn(|| group.run(Command::new("sleep").arg("60")));
            while leftovers::marked(&dirs).is_empty() && !running.is_finished() {
                std::thread::sleep(Duration::from_millis(1));
            }
            group.close(|| leftovers::kill_marked_once(&dirs));
            assert!(running.join().is_ok_and(|ended| matches!(ended, Err(LabError::Tool { .. }))));
        });
        assert!(matches!(group.run(&mut Command::new("true")), Err(LabError::Cancelled)));
        Ok(())
    }
}
