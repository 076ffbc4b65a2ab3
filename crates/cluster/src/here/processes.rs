//! Processes of OSDs on this host: where they may run, what holds them back, with which allocator.

use super::setup::text;
use crate::kernel::find_osds;
use model::OsdWish;
use model::facts::DaemonProcess;
use std::fs::{read_link, read_to_string};
use std::path::{Path, PathBuf};

/// Those that are found beyond doubt.
pub fn of_osds(wanted: &[OsdWish]) -> Vec<DaemonProcess> {
    find_osds(wanted)
        .iter()
        .map(|osd| one(format!("osd.{}", osd.id), &Path::new("/proc").join(osd.pid().to_string())))
        .collect()
}

fn one(name: String, process: &Path) -> DaemonProcess {
    let status = read_to_string(process.join("status")).unwrap_or_default();
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim);
    let groups = read_to_string(process.join("cgroup")).unwrap_or_default();
    let own = |controller: &str, file: &str| text(folder(&groups, controller)?.join(file));
    let either = |controller: &str, old: &str, new: &str| own("", new).or_else(|| own(controller, old));
    let maps = read_to_string(process.join("maps")).ok().filter(|maps| !maps.is_empty());
    let limits = read_to_string(process.join("limits")).unwrap_or_default();
    let environment = read_to_string(process.join("environ")).ok();
    DaemonProcess {
        name,
        processors: field("Cpus_allowed_list").and_then(count),
        quota: own("", "cpu.max")
            .or_else(|| Some(format!("{} {}", own("cpu", "cpu.cfs_quota_us")?, own("cpu", "cpu.cfs_period_us")?)))
            .and_then(|text| quota(&text)),
        throttled: either("cpu", "cpu.stat", "cpu.stat").and_then(|text| throttled(&text)),
        memory_limit: either("memory", "memory.limit_in_bytes", "memory.max")
            .and_then(|text| text.parse().ok())
            .filter(|bytes| *bytes < NO_LIMIT),
        allocator: maps.as_deref().map(|maps| allocator(maps).to_string()),
        allocator_file: maps.as_deref().and_then(allocator_file),
        thread_cache: environment.and_then(|all| {
            let own = all.split('\0').find_map(|one| one.strip_prefix("TCMALLOC_MAX_TOTAL_THREAD_CACHE_BYTES="));
            own?.parse().ok()
        }),
        open_files: limits
            .lines()
            .find_map(|line| line.strip_prefix("Max open files")?.split_whitespace().next()?.parse().ok()),
        replaced: read_link(process.join("exe")).ok().map(|program| program.to_string_lossy().ends_with(" (deleted)")),
    }
}

/// `0-3,8`: five.
fn count(list: &str) -> Option<u32> {
    let each = list.split(',').map(|part| match part.split_once('-') {
        Some((from, to)) => Some(to.parse::<u32>().ok()?.checked_sub(from.parse().ok()?)? + 1),
        None => part.parse::<u32>().ok().map(|_| 1),
    });
    each.sum()
}

/// Without a limit cgroup v1 has the largest number of whole pages here.
const NO_LIMIT: u64 = 1 << 62;

/// Where the kernel shows the process's group: of the one hierarchy of cgroup v2 (no controller), or of a controller of v1. Lines are
/// `4:cpu,cpuacct:/system.slice/x`, and `0::/system.slice/x` for v2.
fn folder(groups: &str, controller: &str) -> Option<PathBuf> {
    let own = |line: &str| {
        let (_, rest) = line.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        let of_it = if controller.is_empty() {
            controllers.is_empty()
        } else {
            controllers.split(',').any(|one| one == controller)
        };
        of_it.then(|| Path::new("/sys/fs/cgroup").join(controllers).join(path.trim_start_matches('/')))
    };
    groups.lines().find_map(own)
}

/// `200000 100000`: two processors. `max`, and -1 of v1: no limit.
fn quota(text: &str) -> Option<f64> {
    let mut parts = text.split_whitespace();
    let (quota, period) = (parts.next()?.parse::<f64>().ok()?, parts.next()?.parse::<f64>().ok()?);
    (period > 0.0 && quota > 0.0).then_some(quota / period)
}

fn throttled(text: &str) -> Option<f64> {
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<f64>().ok());
    let (periods, held) = (field("nr_periods ")?, field("nr_throttled ")?);
    (periods > 0.0).then_some(held / periods)
}

fn allocator(maps: &str) -> &'static str {
    let has = |library: &str| maps.contains(library);
    match () {
        () if has("/libtcmalloc") => "tcmalloc",
        () if has("/libjemalloc") => "jemalloc",
        () => "glibc",
    }
}

/// `libtcmalloc.so.4.5.9`, also of one that was replaced on disk since.
fn allocator_file(maps: &str) -> Option<String> {
    let paths = maps.lines().filter_map(|line| Some(&line[line.find('/')?..]));
    let mut names = paths.filter_map(|path| path.trim_end_matches(" (deleted)").rsplit('/').next());
    names.find(|name| name.starts_with("libtcmalloc") || name.starts_with("libjemalloc")).map(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_a_process_back_is_read() {
        assert_eq!((count("0-3,8"), count("5"), count("x")), (Some(5), Some(1), None));
        assert_eq!((quota("200000 100000"), quota("max 100000"), quota("-1 100000")), (Some(2.0), None, None));
        assert_eq!(throttled("usage_usec 5\nnr_periods 200\nnr_throttled 10\n"), Some(0.05));
        assert_eq!(throttled("usage_usec 5\n"), None);
        let groups = "7:memory:/\n1:cpu,cpuacct:/osd.4\n0::/system.slice/x\n";
        let of = |controller| folder(groups, controller).map(|path| path.display().to_string());
        assert_eq!(of("").as_deref(), Some("/sys/fs/cgroup/system.slice/x"));
        assert_eq!(of("cpu").as_deref(), Some("/sys/fs/cgroup/cpu,cpuacct/osd.4"));
        assert_eq!((of("memory").as_deref(), of("blkio")), (Some("/sys/fs/cgroup/memory/"), None));
        assert_eq!(allocator("7f00 r-xp /usr/lib/libtcmalloc.so.4\n"), "tcmalloc");
        let maps = "55 r-xp 0 08:01 7 /usr/bin/ceph-osd\n7f r-xp 0 08:01 9  /usr/lib64/libtcmalloc.so.4.1.2 (deleted)\n7f rw-p 0 0:0 0\n";
        assert_eq!(allocator_file(maps).as_deref(), Some("libtcmalloc.so.4.1.2"));
        assert_eq!(allocator_file("7f r-xp 0 08:01 9 /usr/lib/libc.so.6\n"), None);
    }
}
