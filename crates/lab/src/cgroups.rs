//! Control groups (version 1) of a lab's daemons, found again by the lab's name.
//!
//! A group holds one daemon: `CONTROLLER/fathom-LAB-TAG/osd.1`. A daemon that is started again joins the groups of its name.

use crate::dirs::Dirs;
use crate::errors::LabError;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// Which a fault may need.
pub(crate) const CONTROLLERS: [&str; 2] = ["cpu", "blkio"];

/// How long a group may be busy with processes that have just ended.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Where a controller is mounted.
#[derive(Debug, PartialEq, Eq)]
struct Mounted {
    /// The group that is seen there: not `/` in a container, which sees its own group and what is below.
    root: PathBuf,
    at: PathBuf,
}

/// Where this controller is mounted; `None`: this machine has none of version 1.
pub(crate) fn mount(controller: &str) -> Option<PathBuf> {
    find_mount(controller).map(|mounted| mounted.at)
}

fn find_mount(controller: &str) -> Option<Mounted> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    mounts.lines().find_map(|line| mounted(line, controller))
}

/// A line of mountinfo: "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu".
fn mounted(line: &str, controller: &str) -> Option<Mounted> {
    let (place, what) = line.split_once(" - ")?;
    let mut what = what.split(' ');
    let is_version_1 = what.next() == Some("cgroup");
    let options = what.nth(1)?;
    let found = is_version_1 && options.split(',').any(|option| option == controller);
    let mut place = place.split(' ').skip(3).map(PathBuf::from);
    found.then(|| Some(Mounted { root: place.next()?, at: place.next()? }))?
}

/// All groups of a lab, of one controller.
fn of_lab(dirs: &Dirs, mount: &Path) -> PathBuf {
    mount.join(dirs.namespace_prefix().trim_end_matches('-'))
}

pub(crate) fn of_daemon(dirs: &Dirs, mount: &Path, daemon: &str) -> PathBuf {
    of_lab(dirs, mount).join(daemon)
}

/// Puts a process that was just started, or is to be limited, into the groups of its daemon.
pub(crate) fn join(dirs: &Dirs, daemon: &str, pid: i32) -> Result<(), LabError> {
    for mount in CONTROLLERS.iter().filter_map(|controller| mount(controller)) {
        let group = of_daemon(dirs, &mount, daemon);
        if group.is_dir() {
            enter(&group, pid)?;
        }
    }
    Ok(())
}

/// With all its threads.
pub(crate) fn enter(group: &Path, pid: i32) -> Result<(), LabError> {
    let file = group.join("cgroup.procs");
    match fs::write(&file, pid.to_string()) {
        // It has ended meanwhile.
        Err(error) if error.raw_os_error() == Some(libc::ESRCH) => Ok(()),
        other => other.map_err(LabError::io("cannot write", &file)),
    }
}

/// The group of this controller in which a process is, as a path below the mount; `None`: it is not to be seen there.
pub(crate) fn group_of(pid: i32, controller: &str) -> Option<PathBuf> {
    let groups = fs::read_to_string(format!("/proc/{pid}/cgroup")).ok()?;
    let root = find_mount(controller)?.root;
    groups.lines().find_map(|line| below(line, controller, &root))
}

/// A line of a process's groups: "4:cpu,cpuacct:/docker/4a5b".
fn below(line: &str, controller: &str, root: &Path) -> Option<PathBuf> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (controllers, path) = (parts.next()?, parts.next()?);
    let found = controllers.split(',').any(|name| name == controller);
    found.then(|| Path::new(path).strip_prefix(root).ok().map(Path::to_path_buf))?
}

/// Removes the group of a daemon; its processes go to the group `back`, and that of the lab goes with the last one.
pub(crate) fn remove(dirs: &Dirs, mount: &Path, daemon: &str, back: &Path) -> Result<(), LabError> {
    let group = of_daemon(dirs, mount, daemon);
    let processes = fs::read_to_string(group.join("cgroup.procs")).unwrap_or_default();
    for pid in processes.lines().filter_map(|line| line.parse().ok()) {
        enter(back, pid)?;
    }
    remove_group(&group)?;
    // Other daemons may have groups in it.
    let _ = fs::remove_dir(of_lab(dirs, mount));
    Ok(())
}

/// Removes all groups of a lab whose processes have ended.
pub(crate) fn remove_all(dirs: &Dirs) -> Result<(), LabError> {
    for mount in CONTROLLERS.iter().filter_map(|controller| mount(controller)) {
        let all = of_lab(dirs, &mount);
        let entries = fs::read_dir(&all).into_iter().flatten().flatten().map(|entry| entry.path());
        for group in entries.filter(|path| path.is_dir()) {
            remove_group(&group)?;
        }
        remove_group(&all)?;
    }
    Ok(())
}

fn remove_group(group: &Path) -> Result<(), LabError> {
    let until = Instant::now() + TIMEOUT;
    loop {
        match fs::remove_dir(group) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) if error.raw_os_error() != Some(libc::EBUSY) || Instant::now() > until => {
                return Err(LabError::io("cannot remove the control group", group)(error));
            }
            Err(_) => thread::sleep(Duration::from_millis(5)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_controller_is_found_where_it_is_mounted() {
        let line = "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct";
        assert_eq!(mounted(line, "cpu").map(|found| found.at), Some(PathBuf::from("/sys/fs/cgroup/cpu,cpuacct")));
        assert_eq!(mounted(line, "blkio"), None);
        let second = "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw,cpu";
        assert_eq!(mounted(second, "cpu"), None);
    }

    #[test]
    fn in_a_container_a_group_is_below_the_one_that_is_mounted() {
        let line = "812 807 0:33 /docker/4a5b /sys/fs/cgroup/blkio ro,nosuid master:15 - cgroup cgroup rw,blkio";
        let Some(Mounted { root, at }) = mounted(line, "blkio") else { panic!("it is mounted") };
        assert_eq!(at, Path::new("/sys/fs/cgroup/blkio"));
        let below_root = |path: &str| below(&format!("7:blkio:{path}"), "blkio", &root);
        assert_eq!(below_root("/docker/4a5b"), Some(PathBuf::new()));
        assert_eq!(below_root("/docker/4a5b/user"), Some(PathBuf::from("user")));
        assert_eq!(below_root("/system.slice"), None);
        assert_eq!(below("4:cpu,cpuacct:/user.slice", "cpu", Path::new("/")), Some(PathBuf::from("user.slice")));
        assert_eq!(below("4:cpu,cpuacct:/user.slice", "blkio", Path::new("/")), None);
    }
}
