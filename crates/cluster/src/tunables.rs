//! What the kernel sets anew when it switches a disk's scheduler or the processors' governor: whoever puts back the one has to put back
//! the others as well.

use model::host_setting::HostSetting;
use std::collections::BTreeMap;
use std::fs::{read_dir, read_to_string, write};
use std::path::{Path, PathBuf};

/// By their names below the folder of all; none of a setting that resets nothing. What can't be read is left out.
pub fn read(root: &Path, setting: &HostSetting) -> BTreeMap<String, String> {
    let value = |(name, path): (String, PathBuf)| Some((name, read_to_string(path).ok()?.trim().to_string()));
    files(root, setting).into_iter().filter_map(value).collect()
}

/// Is one of them other than it was? Those that are not there now belong to another scheduler or governor.
pub fn differ(root: &Path, setting: &HostSetting, before: &BTreeMap<String, String>) -> bool {
    read(root, setting).iter().any(|(name, now)| before.get(name).is_some_and(|before| before != now))
}

/// After the setting itself. Paths come from what is there, never from a journal.
///
/// # Errors
/// One could not be written, or is not what was written; all were tried.
pub fn put_back(root: &Path, setting: &HostSetting, before: &BTreeMap<String, String>) -> Result<(), String> {
    let wrong = files(root, setting).into_iter().filter_map(|(name, path)| {
        let (before, now) = (before.get(&name)?, || read_to_string(&path).unwrap_or_default());
        if now().trim() == before {
            return None;
        }
        match write(&path, before) {
            Ok(()) if now().trim() == before => None,
            Ok(()) => Some(format!("{}: was {before}, and the kernel keeps {}", path.display(), now().trim())),
            Err(error) => Some(format!("{}: was {before}: {error}", path.display())),
        }
    });
    let wrong: Vec<String> = wrong.collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ")) }
}

/// In the order in which they are put back: with `nr_requests` the kernel sets some of the scheduler's own anew.
fn files(root: &Path, setting: &HostSetting) -> Vec<(String, PathBuf)> {
    match setting {
        HostSetting::Scheduler(disk) => {
            let queue = root.join("sys/block").join(disk).join("queue");
            let first = queue.join("nr_requests");
            let depth = first.exists().then(|| ("nr_requests".to_string(), first));
            depth.into_iter().chain(below(&queue, "iosched")).collect()
        }
        HostSetting::Governor => {
            let cpus = root.join("sys/devices/system/cpu");
            let policies = names(&cpus).into_iter().map(|name| format!("{name}/cpufreq"));
            // One folder for all processors, or one for each, named after the governor.
            let folders = std::iter::once("cpufreq".to_string()).chain(policies.filter(|name| name.starts_with("cpu")));
            let of = |folder: String| GOVERNORS.map(|governor| format!("{folder}/{governor}"));
            folders.flat_map(of).flat_map(|folder| below(&cpus, &folder)).collect()
        }
        _ => Vec::new(),
    }
}

/// Those that can be tuned.
const GOVERNORS: [&str; 4] = ["ondemand", "conservative", "schedutil", "interactive"];

fn below(root: &Path, folder: &str) -> Vec<(String, PathBuf)> {
    let path = root.join(folder);
    names(&path).into_iter().map(|name| (format!("{folder}/{name}"), path.join(name))).collect()
}

fn names(folder: &Path) -> Vec<String> {
    let found = read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<String> = found.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::create_dir_all;

    fn put(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        create_dir_all(path.parent().unwrap()).unwrap();
        write(path, text).unwrap();
    }

    #[test]
    fn what_a_switch_of_the_scheduler_resets_is_put_back_after_it() {
        let (root, sda) = (tempfile::tempdir().unwrap(), HostSetting::Scheduler("sda".into()));
        let queue = |name: &str| format!("sys/block/sda/queue/{name}");
        let set = |values: [&str; 2]| {
            put(root.path(), &queue("nr_requests"), values[0]);
            put(root.path(), &queue("iosched/read_expire"), values[1]);
        };
        set(["1024\n", "100\n"]);
        let before = read(root.path(), &sda);
        assert_eq!(before.len(), 2);
        assert!(!differ(root.path(), &sda, &before));
        set(["64\n", "500\n"]);
        put(root.path(), &queue("iosched/of_another_scheduler"), "1\n");
        assert!(differ(root.path(), &sda, &before));
        put_back(root.path(), &sda, &before).unwrap();
        assert!(!differ(root.path(), &sda, &before));
        // A journal names nothing that is not there.
        let forged = [("../../../x".to_string(), "1".to_string())].into();
        put_back(root.path(), &sda, &forged).unwrap();
        assert!(!root.path().join("sys/x").exists());
        assert!(read(root.path(), &HostSetting::ReadAhead("sda".into())).is_empty());
    }

    #[test]
    fn a_governors_own_values_are_those_of_all_processors_or_of_each() {
        let (root, cpus) = (tempfile::tempdir().unwrap(), "sys/devices/system/cpu");
        put(root.path(), &format!("{cpus}/cpufreq/ondemand/up_threshold"), "80\n");
        put(root.path(), &format!("{cpus}/cpu1/cpufreq/schedutil/rate_limit_us"), "1000\n");
        put(root.path(), &format!("{cpus}/cpu1/cpufreq/scaling_governor"), "schedutil\n");
        let all = read(root.path(), &HostSetting::Governor);
        assert_eq!(
            all.keys().collect::<Vec<_>>(),
            ["cpu1/cpufreq/schedutil/rate_limit_us", "cpufreq/ondemand/up_threshold"]
        );
        put(root.path(), &format!("{cpus}/cpufreq/ondemand/up_threshold"), "95\n");
        put_back(root.path(), &HostSetting::Governor, &all).unwrap();
        assert_eq!(read(root.path(), &HostSetting::Governor), all);
    }
}
