//! Settings of this host's kernel, read, written and read back. Each name was checked before it becomes a path, also that of a journal.

use crate::apply::{Trust, Unmade, not_ours};
use crate::coalescing;
use crate::drive_cache;
use crate::entry::{JournalEntry, SettingOf};
use crate::errors::ClusterError;
use crate::setting_locks;
use crate::tunables;
use model::host_setting::{HostSetting, same_value, twin};
use std::fs::{File, OpenOptions, read_dir, read_to_string};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

const LATENCY: &str = "/dev/cpu_dma_latency";
const CPUS: &str = "/sys/devices/system/cpu";

/// # Errors
/// This host does not have it, or it may not be read.
pub fn read(name: &str) -> Result<String, String> {
    let setting = HostSetting::parse(name)?;
    refuse_twin(Path::new("/"), &setting)?;
    read_below(Path::new("/"), &setting)
}

/// Setting one would clear the other for good.
fn refuse_twin(root: &Path, setting: &HostSetting) -> Result<(), String> {
    let HostSetting::Sysctl(name) = setting else { return Ok(()) };
    let Some(twin) = twin(name) else { return Ok(()) };
    let now = text(&file(root, &HostSetting::Sysctl(twin.to_string()))).unwrap_or_default();
    match now.parse::<u64>() {
        Ok(0) | Err(_) => Ok(()),
        Ok(_) => Err(format!("{twin} is {now}, which the kernel would clear for {name}, and it could not be put back")),
    }
}

/// Sets it, and reads it back.
///
/// # Errors
/// This host does not have it, may not write it, or keeps another value.
pub fn write(name: &str, value: &str) -> Result<(), String> {
    let setting = HostSetting::parse(name)?;
    refuse_twin(Path::new("/"), &setting)?;
    let HostSetting::DriveCache(disk) = &setting else { return write_below(Path::new("/"), &setting, value) };
    drive_cache::refuse(disk, value)?;
    write_below(Path::new("/"), &setting, value)?;
    drive_cache::prove_known(disk, value)
}

/// The longest that processors may take to wake up, for as long as the file is open.
pub fn hold_latency(value: &str) -> Result<File, String> {
    let microseconds: i32 = value.parse().map_err(|_| format!("{LATENCY}: `{value}` is no number"))?;
    let mut file = OpenOptions::new().read(true).write(true).open(LATENCY).map_err(|error| said(LATENCY, &error))?;
    file.write_all(&microseconds.to_ne_bytes()).map_err(|error| said(LATENCY, &error))?;
    let now = latency(Path::new("/"))?;
    let kept = now.parse::<i32>().is_ok_and(|now| now <= microseconds);
    if kept { Ok(file) } else { Err(format!("{LATENCY}: {value} was written, and it is {now}")) }
}

fn said(path: impl AsRef<Path>, error: &std::io::Error) -> String {
    let path = path.as_ref().display();
    match error.kind() {
        std::io::ErrorKind::NotFound => format!("{path} is not there: this host does not have it"),
        std::io::ErrorKind::PermissionDenied => {
            format!("{path}: {error}; it wants root's rights (of an agent: --sudo)")
        }
        _ => format!("{path}: {error}"),
    }
}

fn text(path: &Path) -> Result<String, String> {
    read_to_string(path).map(|text| text.trim().to_string()).map_err(|error| said(path, &error))
}

fn latency(root: &Path) -> Result<String, String> {
    let (path, mut value) = (below(root, LATENCY), [0; 4]);
    let read = File::open(&path).and_then(|mut file| file.read_exact(&mut value));
    read.map(|()| i32::from_ne_bytes(value).to_string()).map_err(|error| said(&path, &error))
}

fn below(root: &Path, path: &str) -> PathBuf {
    root.join(path.trim_start_matches('/'))
}

fn read_below(root: &Path, setting: &HostSetting) -> Result<String, String> {
    match setting {
        HostSetting::CpuDmaLatency => latency(root),
        HostSetting::Governor => {
            let all = governors(root)?.iter().map(|path| text(path)).collect::<Result<Vec<_>, _>>()?;
            // Of processors that differ each one's, in their order.
            let same = all.iter().all(|one| *one == all[0]);
            Ok(if same { all[0].clone() } else { all.join(" ") })
        }
        HostSetting::Scheduler(_) => {
            let (path, all) = (file(root, setting), text(&file(root, setting))?);
            let chosen = all.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(chosen, _)| chosen);
            // A disk with one possibility has no brackets.
            let only = || (!all.contains(' ')).then_some(all.as_str());
            let found = chosen.or_else(only).ok_or_else(|| format!("{}: `{all}` is not understood", path.display()))?;
            Ok(found.to_string())
        }
        HostSetting::Coalescing { nic, what } => coalescing::read(nic, what),
        HostSetting::DriveCache(disk) => drive_cache::read(disk),
        HostSetting::Sysctl(_) | HostSetting::ReadAhead(_) => text(&file(root, setting)),
    }
}

pub(crate) fn file(root: &Path, setting: &HostSetting) -> PathBuf {
    match setting {
        HostSetting::Sysctl(name) => below(root, "/proc/sys").join(name.replace('.', "/")),
        HostSetting::ReadAhead(disk) => below(root, "/sys/block").join(disk).join("queue/read_ahead_kb"),
        HostSetting::Scheduler(disk) => below(root, "/sys/block").join(disk).join("queue/scheduler"),
        HostSetting::CpuDmaLatency
        | HostSetting::Governor
        | HostSetting::Coalescing { .. }
        | HostSetting::DriveCache(_) => below(root, LATENCY),
    }
}

/// In the order of their numbers.
pub(crate) fn governors(root: &Path) -> Result<Vec<PathBuf>, String> {
    let folder = below(root, CPUS);
    let number = |path: &PathBuf| path.file_name()?.to_str()?.strip_prefix("cpu")?.parse::<u32>().ok();
    let entries = read_dir(&folder).map_err(|error| said(&folder, &error))?;
    let mut cpus: Vec<(u32, PathBuf)> =
        entries.flatten().map(|entry| entry.path()).filter_map(|path| Some((number(&path)?, path))).collect();
    cpus.sort();
    let files = cpus.into_iter().map(|(_, path)| path.join("cpufreq/scaling_governor"));
    let found: Vec<PathBuf> = files.filter(|path| path.exists()).collect();
    match found.is_empty() {
        true => Err(format!(
            "{}/cpu*/cpufreq is not there: this host does not choose the frequency of its processors",
            folder.display()
        )),
        false => Ok(found),
    }
}

fn write_below(root: &Path, setting: &HostSetting, value: &str) -> Result<(), String> {
    let put = |path: &Path, value: &str| {
        let written = OpenOptions::new().write(true).open(path).and_then(|mut file| file.write_all(value.as_bytes()));
        written.map_err(|error| match error.raw_os_error() {
            Some(libc::EINVAL) => format!("{}: the kernel does not take `{value}`", path.display()),
            _ => said(path, &error),
        })
    };
    match setting {
        HostSetting::CpuDmaLatency => return Err(format!("{LATENCY} is held open, and not written")),
        HostSetting::Governor => {
            let (files, words) = (governors(root)?, value.split_whitespace().collect::<Vec<_>>());
            let of = |cpu: usize| words.get(cpu).or(words.first()).copied().unwrap_or_default();
            files.iter().enumerate().try_for_each(|(cpu, path)| put(path, of(cpu)))?;
        }
        HostSetting::Coalescing { nic, what } => coalescing::write(nic, what, value)?,
        HostSetting::DriveCache(disk) => drive_cache::write(disk, value)?,
        other => put(&file(root, other), value)?,
    }
    let now = read_below(root, setting)?;
    match same_value(&now, value) {
        true => Ok(()),
        false => Err(format!("`{value}` was written, and the kernel keeps `{now}`; write it like that")),
    }
}

/// By what a setting is known again when it has to be put back.
pub(crate) fn of(name: &str) -> SettingOf {
    let of_kernel = SettingOf { boot: boot(), ..SettingOf::default() };
    match HostSetting::parse(name) {
        Ok(HostSetting::DriveCache(disk)) => {
            let (drive, number) = (drive_cache::identity(&disk), drive_cache::number(&disk));
            SettingOf { drive, number, flushed: drive_cache::is_flushed(&disk), ..of_kernel }
        }
        Ok(setting) => SettingOf { tunables: tunables::read(Path::new("/"), &setting), ..of_kernel },
        Err(_) => of_kernel,
    }
}

fn boot() -> String {
    read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_string()
}

/// Why a setting is not found again.
#[derive(Debug, PartialEq, thiserror::Error)]
enum Gone {
    #[error("the drive {0} is not in this host; bring it back and try again, or give it up: fathom restore --run RUN")]
    Drive(String),
    #[error(
        "{0} may be another drive by now, and the one whose cache was switched has no name of its own; look at its cache yourself (hdparm -W, \
         sdparm --get=WCE, nvme get-feature -f 6), then: fathom restore --run RUN"
    )]
    Nameless(String),
    #[error("this host was started anew since, and has forgotten it")]
    Forgotten,
}

/// The same setting under its present name. A drive keeps what it was told over a start of its host, under another name as may be; all else
/// is forgotten.
///
/// # Errors
/// It is gone: why.
fn found_again(setting: HostSetting, of: Option<&SettingOf>, boot: &str) -> Result<HostSetting, Gone> {
    let Some(of) = of else { return Ok(setting) };
    match (setting, &of.drive) {
        (HostSetting::DriveCache(disk), Some(drive)) => {
            let now = drive_cache::disk_of(drive, &disk);
            now.map(HostSetting::DriveCache).ok_or_else(|| Gone::Drive(drive.clone()))
        }
        (HostSetting::DriveCache(disk), None) if of.boot != boot || of.number != drive_cache::number(&disk) => {
            Err(Gone::Nameless(disk))
        }
        (setting, _) if of.boot == boot => Ok(setting),
        (_, _) => Err(Gone::Forgotten),
    }
}

/// Puts back what was there, where the run's value still is.
pub(crate) fn unmake((name, value): (&str, &str), entry: &JournalEntry, trust: Trust) -> Result<Unmade, ClusterError> {
    if !trust.here {
        let why =
            "its journal is one of another host or of another user; undo it there, or as that user: fathom restore"
                .to_string();
        return Err(not_ours(&entry.change, why));
    }
    let undo = |why: String| ClusterError::Undo { what: entry.change.what(), why };
    let setting = HostSetting::parse(name).map_err(undo)?;
    let Some(before) = &entry.before else { return Unmade::left("what it was before is not known") };
    if setting == HostSetting::CpuDmaLatency {
        return Ok(Unmade::Undone);
    }
    // Whoever wrote the journal: only what can be a value is written. What the kernel had may be of several words.
    if let HostSetting::DriveCache(_) = setting {
        setting.prove_value(before).map_err(undo)?;
    }
    let setting = match found_again(setting, entry.of.as_ref(), &boot()) {
        Ok(setting) => setting,
        // A drive may come back: it stays in the journal until the user, who has seen this, names the run.
        Err(gone) if gone != Gone::Forgotten && !trust.named => return Err(undo(gone.to_string())),
        Err(gone) => return Unmade::left(&gone.to_string()),
    };
    setting_locks::hold_setting(&setting).map_err(undo)?;
    let now = match read_below(Path::new("/"), &setting) {
        Ok(now) => now,
        Err(why) if why.contains("is not there") => return Unmade::left("it is not there any more"),
        Err(why) if why.contains(drive_cache::NO_CACHE) => return Unmade::left(drive_cache::NO_CACHE),
        Err(why) => return Err(undo(why)),
    };
    match () {
        // Half put back: it is on again, and the kernel has not looked at it yet.
        () if is_unflushed(&setting, before, entry.of.as_ref()) => {
            put_back(&setting, before, entry.of.as_ref()).map(|()| Unmade::Undone).map_err(undo)
        }
        // Whoever set it may have tuned it since.
        () if same_value(&now, before) && lacks_tunables(&setting, entry.of.as_ref()) => {
            let were: Vec<String> =
                entry.of.iter().flat_map(|of| &of.tunables).map(|(name, was)| format!("{name} {was}")).collect();
            Unmade::left(&format!("it is as it was before the run already; what goes with it was {}", were.join(", ")))
        }
        () if same_value(&now, before) => Unmade::left("it is as it was before the run already"),
        // What was never confirmed may have been written, and kept by the kernel as something else.
        () if !same_value(&now, value) && entry.made.is_some() => {
            Unmade::left(&format!("it is {now} now, which the run did not set"))
        }
        () => put_back(&setting, before, entry.of.as_ref()).map(|()| Unmade::Undone).map_err(undo),
    }
}

/// It was on and flushed, it is on now, and the kernel does not flush it.
fn is_unflushed(setting: &HostSetting, before: &str, of: Option<&SettingOf>) -> bool {
    let HostSetting::DriveCache(disk) = setting else { return false };
    let on = || drive_cache::read(disk).is_ok_and(|now| now == "on");
    before == "on" && of.is_some_and(|of| of.flushed) && on() && !drive_cache::is_flushed(disk)
}

fn lacks_tunables(setting: &HostSetting, of: Option<&SettingOf>) -> bool {
    of.is_some_and(|of| tunables::differ(Path::new("/"), setting, &of.tunables))
}

fn put_back(setting: &HostSetting, before: &str, of: Option<&SettingOf>) -> Result<(), String> {
    match setting {
        HostSetting::DriveCache(disk) => {
            drive_cache::put_back(disk, before, of.is_some_and(|of| of.flushed))?;
            let now = drive_cache::read(disk)?;
            if now == before { Ok(()) } else { Err(format!("{disk}: was told `{before}`, and its cache is {now}")) }
        }
        other => {
            write_below(Path::new("/"), other, before)?;
            of.map_or(Ok(()), |of| tunables::put_back(Path::new("/"), other, &of.tunables))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{create_dir_all, write};

    fn host(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            create_dir_all(path.parent().unwrap()).unwrap();
            write(path, text).unwrap();
        }
        root
    }

    fn setting(text: &str) -> HostSetting {
        HostSetting::parse(text).unwrap()
    }

    #[test]
    fn what_a_host_has_is_read_and_what_it_has_not_is_named() {
        let cpu = |number: u32| format!("sys/devices/system/cpu/cpu{number}/cpufreq/scaling_governor");
        let root = host(&[
            ("sys/block/sda/queue/scheduler", "none [mq-deadline] kyber\n"),
            ("sys/block/md0/queue/scheduler", "none\n"),
            ("proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n"),
            (&cpu(0), "powersave\n"),
            (&cpu(10), "performance\n"),
            (&cpu(2), "powersave\n"),
        ]);
        let read = |text: &str| read_below(root.path(), &setting(text));
        assert_eq!(read("scheduler.sda").as_deref(), Ok("mq-deadline"));
        assert_eq!(read("scheduler.md0").as_deref(), Ok("none"));
        assert_eq!(read("sysctl.net.ipv4.tcp_rmem").as_deref(), Ok("4096\t131072\t6291456"));
        assert_eq!(read("governor").as_deref(), Ok("powersave powersave performance"));
        for missing in ["scheduler.sdb", "read_ahead_kb.sda", "sysctl.net.core.nothing", "cpu_dma_latency"] {
            assert!(read(missing).unwrap_err().contains("this host does not have it"), "{missing}");
        }
        assert!(read_below(host(&[("sys/devices/system/cpu/cpu0/x", "")]).path(), &HostSetting::Governor).is_err());
    }

    #[test]
    fn after_a_start_only_a_drive_that_is_the_same_is_put_back() {
        let of = |boot: &str, drive: Option<&str>| SettingOf {
            boot: boot.into(),
            drive: drive.map(str::to_string),
            ..SettingOf::default()
        };
        let (sysctl, cache) = (setting("sysctl.vm.swappiness"), setting("drive-cache.none0"));
        assert_eq!(found_again(sysctl.clone(), None, "b"), Ok(sysctl.clone()), "an entry that does not say");
        assert_eq!(found_again(sysctl.clone(), Some(&of("b", None)), "b"), Ok(sysctl.clone()));
        assert_eq!(found_again(sysctl, Some(&of("a", None)), "b"), Err(Gone::Forgotten));
        assert_eq!(found_again(cache.clone(), Some(&of("b", None)), "b"), Ok(cache.clone()));
        let nameless = Err(Gone::Nameless("none0".to_string()));
        assert_eq!(found_again(cache.clone(), Some(&of("a", None)), "b"), nameless);
        let replaced = SettingOf { number: Some(7), ..of("b", None) };
        assert_eq!(found_again(cache.clone(), Some(&replaced), "b"), nameless);
        assert_eq!(found_again(cache, Some(&of("b", Some("naa.5000"))), "b"), Err(Gone::Drive("naa.5000".to_string())));
    }

    #[test]
    fn what_would_be_cleared_for_it_refuses_a_setting() {
        let of = |bytes: &str| {
            let root = host(&[("proc/sys/vm/dirty_ratio", "0\n"), ("proc/sys/vm/dirty_bytes", bytes)]);
            refuse_twin(root.path(), &setting("sysctl.vm.dirty_ratio"))
        };
        assert!(of("268435456\n").unwrap_err().contains("vm.dirty_bytes is 268435456"));
        assert_eq!(of("0\n"), Ok(()));
    }

    #[test]
    fn what_is_written_is_read_back_and_each_processor_gets_its_own_again() {
        let cpu = |number: u32| format!("sys/devices/system/cpu/cpu{number}/cpufreq/scaling_governor");
        let root =
            host(&[(&cpu(0), "powersave"), (&cpu(1), "performance"), ("sys/block/sda/queue/read_ahead_kb", "128")]);
        let (read, write) = (
            |text: &str| read_below(root.path(), &setting(text)).unwrap(),
            |text: &str, value: &str| write_below(root.path(), &setting(text), value),
        );
        let before = read("governor");
        assert_eq!(before, "powersave performance");
        write("governor", &before).unwrap();
        assert_eq!(read("governor"), before);
        write("read_ahead_kb.sda", "4096").unwrap();
        assert_eq!(read("read_ahead_kb.sda"), "4096");
        assert!(write("read_ahead_kb.sdb", "1").unwrap_err().contains("sdb"));
    }
}
