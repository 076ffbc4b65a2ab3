//! How this host is set up: processors, memory, clock, and what else rules read. Files of the kernel only; nothing is changed.

use super::{addresses, block_queues, guests, host, mounts, nic_setup, processes};
use model::facts::{HostSetup, IdleState};
use model::{OsdWish, secrets};
use std::collections::BTreeMap;
use std::fs::{read_dir, read_to_string};
use std::net::IpAddr;
use std::path::Path;

/// Those that a rule reads.
const SYSCTLS: [&str; 9] = [
    "fs.aio-max-nr",
    "fs.aio-nr",
    "fs.file-max",
    "kernel.pid_max",
    "net.core.rmem_max",
    "net.netfilter.nf_conntrack_count",
    "net.netfilter.nf_conntrack_max",
    "vm.min_free_kbytes",
    "vm.swappiness",
];

/// `osds`: those of the cluster, of which this host's own are looked for.
pub fn setup(osds: &[OsdWish]) -> HostSetup {
    let known = host();
    let cpu = Path::new("/sys/devices/system/cpu");
    let own = addresses();
    let here = |wish: &&OsdWish| {
        let address: Option<IpAddr> = wish.address.as_ref().and_then(|address| address.parse().ok());
        address.is_some_and(|address| own.contains(&address))
    };
    let osds: Vec<OsdWish> = osds.iter().filter(here).cloned().collect();
    HostSetup {
        name: known.name,
        kernel: known.kernel,
        command_line: text("/proc/cmdline").map(|line| secrets::cleaned(&line)),
        virtual_machine: virtual_machine(),
        processor: known.cpu,
        cores: known.cores,
        threads_per_core: text(cpu.join("smt/control")),
        governors: of_processors(cpu, "cpufreq/scaling_governor"),
        frequency_driver: of_processors(cpu, "cpufreq/scaling_driver").pop(),
        energy_preferences: of_processors(cpu, "cpufreq/energy_performance_preference"),
        idle_states: idle_states(&cpu.join("cpu0/cpuidle")),
        numa_nodes: nodes(Path::new("/sys/devices/system/node")),
        memory: known.memory,
        swap: meminfo("SwapTotal"),
        huge_pages: text("/sys/kernel/mm/transparent_hugepage/enabled").and_then(|text| chosen(&text)),
        clock_source: text("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        clock_sources: text("/sys/devices/system/clocksource/clocksource0/available_clocksource")
            .map(|all| all.split_whitespace().map(str::to_string).collect())
            .unwrap_or_default(),
        sysctls: SYSCTLS.iter().filter_map(|name| Some((name.to_string(), sysctl(name)?))).collect::<BTreeMap<_, _>>(),
        tuned: text("/etc/tuned/active_profile"),
        raid_controllers: raid_controllers(Path::new("/sys/bus/pci/devices")),
        disks: block_queues::with_health(block_queues::all(Path::new("/sys/block"))),
        nics: nic_setup::all(),
        daemons: processes::of_osds(&osds),
        stolen: virtual_machine().filter(|is| *is).and_then(|_| stolen(&text("/proc/stat")?)),
        guests: guests::all(Path::new("/proc")),
        file_mounts: mounts::of_cephfs(),
    }
}

/// Of all time since the kernel started (proc_stat(5)): user, nice, system, idle, iowait, irq, softirq, steal.
fn stolen(stat: &str) -> Option<f64> {
    let all: Vec<u64> =
        stat.lines().next()?.strip_prefix("cpu ")?.split_whitespace().take(8).filter_map(|n| n.parse().ok()).collect();
    let sum: u64 = all.iter().sum();
    all.get(7).filter(|_| sum > 0).map(|stolen| *stolen as f64 / sum as f64)
}

pub(super) fn text(path: impl AsRef<Path>) -> Option<String> {
    read_to_string(path).ok().map(|text| text.trim().to_string()).filter(|text| !text.is_empty())
}

/// `always [madvise] never`: the one in brackets.
pub(super) fn chosen(text: &str) -> Option<String> {
    let word = text.split_whitespace().find_map(|word| word.strip_prefix('[')?.strip_suffix(']'));
    word.map(str::to_string)
}

fn sysctl(name: &str) -> Option<String> {
    text(Path::new("/proc/sys").join(name.replace('.', "/")))
}

fn meminfo(field: &str) -> Option<u64> {
    let all = text("/proc/meminfo")?;
    let line = all.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib * 1024)
}

/// The kernel shows a flag to who runs on a hypervisor (x86), or a product's name.
fn virtual_machine() -> Option<bool> {
    let flags = text("/proc/cpuinfo")?;
    let line = flags.lines().find(|line| line.starts_with("flags"))?;
    Some(line.split_whitespace().any(|flag| flag == "hypervisor"))
}

/// Every value that some processor has.
fn of_processors(cpu: &Path, file: &str) -> Vec<String> {
    let processor = |name: &str| name.strip_prefix("cpu").is_some_and(|number| number.parse::<u32>().is_ok());
    let all = names(cpu).into_iter().filter(|name| processor(name));
    let mut found: Vec<String> = all.filter_map(|name| text(cpu.join(name).join(file))).collect();
    found.sort();
    found.dedup();
    found
}

fn idle_states(folder: &Path) -> Vec<IdleState> {
    let state = |name: String| {
        let own = |file: &str| text(folder.join(&name).join(file));
        Some(IdleState {
            name: own("name")?,
            exit_us: own("latency").and_then(|latency| latency.parse().ok()),
            disabled: own("disable").map(|disabled| disabled == "1"),
        })
    };
    names(folder).into_iter().filter(|name| name.starts_with("state")).filter_map(state).collect()
}

fn nodes(folder: &Path) -> Option<u32> {
    let count = names(folder)
        .iter()
        .filter(|name| name.strip_prefix("node").is_some_and(|id| id.parse::<u32>().is_ok()))
        .count();
    (count > 0).then_some(count as u32)
}

/// PCI class 0104. What the controller is called stands in databases outside the kernel: its driver says enough.
fn raid_controllers(devices: &Path) -> Option<Vec<String>> {
    let all = read_dir(devices).ok()?.flatten();
    let raid = all.filter(|device| text(device.path().join("class")).is_some_and(|class| class.starts_with("0x0104")));
    let driver = |device: std::fs::DirEntry| {
        let link = std::fs::read_link(device.path().join("driver")).ok();
        let name = link.and_then(|link| link.file_name().map(|name| name.to_string_lossy().into_owned()));
        format!("{} ({})", device.file_name().to_string_lossy(), name.unwrap_or_else(|| "no driver".to_string()))
    };
    Some(raid.map(driver).collect())
}

pub(super) fn names(folder: &Path) -> Vec<String> {
    let all = read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = all.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn this_host_is_described() {
        let told = setup(&[]);
        assert!(told.kernel.is_some() && told.cores.is_some() && told.memory.is_some());
        assert!(told.daemons.is_empty() && told.sysctls.contains_key("fs.aio-max-nr"));
    }

    #[test]
    fn processors_and_idle_states_are_read() {
        let folder = tempfile::tempdir().unwrap();
        for (file, words) in [
            ("cpu0/cpufreq/scaling_governor", "powersave\n"),
            ("cpu1/cpufreq/scaling_governor", "performance\n"),
            ("cpufreq/scaling_governor", "nobody\n"),
            ("cpu0/cpuidle/state0/name", "POLL\n"),
            ("cpu0/cpuidle/state1/name", "C6\n"),
            ("cpu0/cpuidle/state1/latency", "133\n"),
            ("cpu0/cpuidle/state1/disable", "0\n"),
        ] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, words).unwrap();
        }
        assert_eq!(of_processors(folder.path(), "cpufreq/scaling_governor"), ["performance", "powersave"]);
        let states = idle_states(&folder.path().join("cpu0/cpuidle"));
        assert_eq!(states[1], IdleState { name: "C6".into(), exit_us: Some(133), disabled: Some(false) });
        assert_eq!((states[0].exit_us, chosen("mq-deadline [none]").as_deref()), (None, Some("none")));
    }
}
