//! Settings of a host's kernel that can be tried: which there are, which values they take, and what makes one permanent. Names come from the
//! command line and from journals, and become paths: only plain ones are taken.

use crate::shell::word;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostSetting {
    /// The longest that processors may take to wake up, in µs: /dev/cpu_dma_latency, for as long as it is held open.
    CpuDmaLatency,
    /// Of all processors.
    Governor,
    /// By its name with dots.
    Sysctl(String),
    /// Of a disk, in KiB.
    ReadAhead(String),
    /// Of a disk.
    Scheduler(String),
    /// The volatile write cache of a disk, `on` or `off`, as the drive itself has it.
    DriveCache(String),
    /// How long a network interface waits, or how many packets it waits for, before it interrupts a processor: one of [`COALESCED`].
    Coalescing { nic: String, what: String },
}

/// By the names of `ethtool -C`: µs, packets, and whether the driver chooses them itself (`on`, `off`).
pub const COALESCED: [&str; 6] = ["rx-usecs", "rx-frames", "tx-usecs", "tx-frames", "adaptive-rx", "adaptive-tx"];

/// As they are written after `host:HOST/`.
pub const WAYS: &str = "cpu_dma_latency, governor, sysctl.NAME, read_ahead_kb.DISK, scheduler.DISK, drive-cache.DISK, coalescing.INTERFACE.rx-usecs";

/// What of the kernel's switches only changes how fast it is. All others may cut the host off, fill its memory or run programs.
const SYSCTLS: [&str; 15] = [
    "kernel.numa_balancing",
    "kernel.sched_",
    "net.core.",
    "net.ipv4.tcp_",
    "net.ipv4.udp_",
    "vm.dirty_background_ratio",
    "vm.dirty_expire_centisecs",
    "vm.dirty_ratio",
    "vm.dirty_writeback_centisecs",
    "vm.page-cluster",
    "vm.stat_interval",
    "vm.swappiness",
    "vm.vfs_cache_pressure",
    "vm.zone_reclaim_mode",
    "vm.watermark_scale_factor",
];
/// What can't be read back, or not be put back.
const NOT: [&str; 4] = ["net.ipv4.tcp_fastopen_key", "net.core.bpf", "net.core.rps", "net.ipv4.tcp_reset"];

const VALUE_MOST: usize = 128;

impl HostSetting {
    /// # Errors
    /// There is no such setting, or its name is no plain one.
    pub fn parse(text: &str) -> Result<HostSetting, String> {
        let (kind, of) = text.split_once('.').unwrap_or((text, ""));
        match (kind, of) {
            ("cpu_dma_latency", "") => Ok(HostSetting::CpuDmaLatency),
            ("governor", "") => Ok(HostSetting::Governor),
            ("sysctl", of) if is_sysctl(of) => Ok(HostSetting::Sysctl(of.to_string())),
            ("sysctl", of) => Err(format!(
                "sysctl {of}: is none of those that are tried, which only change how fast a host is: {}…",
                SYSCTLS.join(", ")
            )),
            ("read_ahead_kb", of) if is_disk(of) => Ok(HostSetting::ReadAhead(of.to_string())),
            ("scheduler", of) if is_disk(of) => Ok(HostSetting::Scheduler(of.to_string())),
            ("drive-cache", of) if is_disk(of) => Ok(HostSetting::DriveCache(of.to_string())),
            ("read_ahead_kb" | "scheduler" | "drive-cache", _) => {
                Err(format!("{text}: name a disk as in /sys/block: {kind}.sdb"))
            }
            ("coalescing", of) => match of.rsplit_once('.') {
                Some((nic, what)) if is_nic(nic) && COALESCED.contains(&what) => {
                    Ok(HostSetting::Coalescing { nic: nic.to_string(), what: what.to_string() })
                }
                _ => Err(format!(
                    "{text}: name a network interface and one of {}: coalescing.eth0.rx-usecs",
                    COALESCED.join(", ")
                )),
            },
            _ => Err(format!("`{text}` is no setting of a host; there are: {WAYS}")),
        }
    }

    /// # Errors
    /// It can't be a value of this setting.
    pub fn prove_value(&self, value: &str) -> Result<(), String> {
        let number = || value.parse::<i32>().is_ok_and(|number| number >= 0 && number.to_string() == value);
        // The kernel would keep 0x20 or 010 as another text.
        let as_kept = |word: &str| {
            let digits = word.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
            !digits || word.parse::<i64>().is_ok_and(|number| number.to_string() == word)
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
        let right = match self {
            HostSetting::CpuDmaLatency | HostSetting::ReadAhead(_) => number(),
            HostSetting::Coalescing { what, .. } if what.starts_with("adaptive") => ["on", "off"].contains(&value),
            HostSetting::Coalescing { .. } => number(),
            HostSetting::DriveCache(_) => ["on", "off"].contains(&value),
            HostSetting::Governor | HostSetting::Scheduler(_) => value.chars().all(plain),
            HostSetting::Sysctl(_) => {
                value.chars().all(|c| plain(c) || c == ' ') && value.split_whitespace().all(as_kept)
            }
        };
        match right && !value.trim().is_empty() && value.len() <= VALUE_MOST {
            true => Ok(()),
            false => Err(format!("`{value}` can't be a value of it")),
        }
    }

    /// What makes it permanent. `drive`: of a drive's cache the drive's own name, if that is known.
    pub fn permanent(&self, value: &str, drive: Option<&str>) -> String {
        let udev = |disk: &str, file: &str| {
            let rule = format!("ACTION==\"add|change\", KERNEL==\"{disk}\", ATTR{{queue/{file}}}=\"{value}\"");
            format!("echo {} > /etc/udev/rules.d/90-{disk}-{file}.rules", word(&rule))
        };
        match self {
            HostSetting::CpuDmaLatency => format!(
                "mkdir -p /etc/tuned/wake-up && printf '[main]\\ninclude=latency-performance\\n[cpu]\\nforce_latency={value}\\n' > \
                 /etc/tuned/wake-up/tuned.conf && tuned-adm profile wake-up"
            ),
            HostSetting::Governor => format!(
                "mkdir -p /etc/tuned/governor && printf '[cpu]\\ngovernor={value}\\n' > /etc/tuned/governor/tuned.conf && tuned-adm profile governor"
            ),
            HostSetting::Sysctl(name) => {
                format!("echo {} > /etc/sysctl.d/90-{name}.conf && sysctl --system", word(&format!("{name} = {value}")))
            }
            HostSetting::ReadAhead(disk) => udev(disk, "read_ahead_kb"),
            HostSetting::Scheduler(disk) => udev(disk, "scheduler"),
            HostSetting::DriveCache(disk) => drive_cache(disk, value, drive),
            HostSetting::Coalescing { nic, what } => {
                let set = format!("/usr/sbin/ethtool -C {nic} {what} {value}");
                let rule = format!("ACTION==\"add\", SUBSYSTEM==\"net\", KERNEL==\"{nic}\", RUN+=\"{set}\"");
                format!("{set} && echo {} > /etc/udev/rules.d/90-{nic}-{what}.rules", word(&rule))
            }
        }
    }
}

/// By the tool of its kind, at each start: a drive may forget it with its power. `sdb` may be another drive by then, so that the rule of udev
/// is for the drive's own name.
fn drive_cache(disk: &str, value: &str, drive: Option<&str>) -> String {
    let (nvme, on) = (disk.starts_with("nvme"), value == "on");
    let set = |node: &str| match (nvme, on) {
        // The feature is the controller's: of no namespace (`-n 0`).
        (true, _) => format!("/usr/sbin/nvme set-feature {node} -n 0 -f 6 -v {}", u8::from(on)),
        (false, true) => format!("/usr/bin/sdparm --set=WCE --quiet {node}"),
        (false, false) => format!("/usr/bin/sdparm --clear=WCE --quiet {node}"),
    };
    // Of all but NVMe the kernel has to look again, so that it flushes what there is to be flushed.
    let look = |disk: &str| (!nvme).then(|| format!("/bin/sh -c 'echo 1 > /sys/block/{disk}/device/rescan'"));
    let then = look(disk).map_or(String::new(), |look| format!(" && {look}"));
    let now = format!("{}{then}", set(&format!("/dev/{}", disk.replace('!', "/"))));
    let Some(drive) = drive else {
        return format!(
            "{now} # until it starts again: for good by a rule of udev for the drive's serial number, since {disk} may be another drive then"
        );
    };
    let too = look("%k").map_or(String::new(), |look| format!(", RUN+=\"{look}\""));
    let rule = format!(
        "ACTION==\"add\", SUBSYSTEM==\"block\", ENV{{DEVTYPE}}==\"disk\", ATTRS{{wwid}}==\"{}\", RUN+=\"{}\"{too}",
        joined(drive, "*"),
        set("$devnode")
    );
    format!("{now} && echo {} > /etc/udev/rules.d/90-{}-write-cache.rules", word(&rule), joined(drive, "-"))
}

/// The plain parts of a drive's name: it may have blanks, whose number is not kept, and what means something else to udev.
fn joined(drive: &str, by: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-:".contains(c);
    drive.split(|c| !plain(c)).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(by)
}

/// The kernel puts tabs between numbers.
pub fn same_value(a: &str, b: &str) -> bool {
    a.split_whitespace().eq(b.split_whitespace())
}

/// The kernel keeps either of these two and clears the other one, which could not be put back.
pub fn twin(sysctl: &str) -> Option<&'static str> {
    match sysctl {
        "vm.dirty_ratio" => Some("vm.dirty_bytes"),
        "vm.dirty_background_ratio" => Some("vm.dirty_background_bytes"),
        _ => None,
    }
}

/// Of `host:b7/read_ahead_kb.sdb` the host and the setting; `None`: it is an option of the cluster. Hosts may have a slash in their names.
pub fn host_and_name(key: &str) -> Option<(&str, &str)> {
    key.strip_prefix("host:")?.rsplit_once('/').filter(|(host, name)| !host.is_empty() && !name.is_empty())
}

fn is_sysctl(name: &str) -> bool {
    let plain = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    let known = |own: &&&str| match own.ends_with(['.', '_']) {
        true => name.starts_with(**own),
        false => name == **own,
    };
    name.split('.').all(plain) && SYSCTLS.iter().any(|own| known(&own)) && !NOT.iter().any(|not| name.starts_with(not))
}

fn is_disk(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-!".contains(c))
}

/// The kernel's own limit is 15 bytes; a slash or a space it does not take.
fn is_nic(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    (1..=15).contains(&name.len()) && name.chars().all(plain) && !name.starts_with(['.', '-'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_become_settings() {
        let parse = |text: &str| HostSetting::parse(text);
        assert_eq!(parse("cpu_dma_latency"), Ok(HostSetting::CpuDmaLatency));
        assert_eq!(parse("read_ahead_kb.nvme0n1"), Ok(HostSetting::ReadAhead("nvme0n1".into())));
        assert_eq!(parse("drive-cache.sda"), Ok(HostSetting::DriveCache("sda".into())));
        assert_eq!(parse("scheduler.cciss!c0d0"), Ok(HostSetting::Scheduler("cciss!c0d0".into())));
        assert_eq!(parse("sysctl.net.ipv4.tcp_rmem"), Ok(HostSetting::Sysctl("net.ipv4.tcp_rmem".into())));
        let coalescing = |nic: &str, what: &str| HostSetting::Coalescing { nic: nic.into(), what: what.into() };
        assert_eq!(parse("coalescing.eth0.100.rx-usecs"), Ok(coalescing("eth0.100", "rx-usecs")));
        for wrong in [
            "",
            "coalescing.eth0",
            "coalescing.eth0.pkt-rate-low",
            "coalescing..rx-usecs",
            "coalescing.-C.rx-usecs",
            "coalescing.../eth0.rx-usecs",
            "coalescing.averylongnameofanic.rx-usecs",
            "governor.x",
            "read_ahead_kb.",
            "read_ahead_kb.../sda",
            "read_ahead_kb.sd a",
            "scheduler./dev/sda",
            "sysctl.",
            "sysctl.net.core...x",
            "sysctl.net.core./etc/passwd",
            "sysctl.kernel.core_pattern",
            "sysctl.vm.drop_caches",
            "sysctl.vm.swappiness2",
            "sysctl.net.ipv4.ip_forward",
            "sysctl.net.ipv4.tcp_fastopen_key",
            "turbo",
            "drive-cache.",
            "drive-cache.../sda",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn values_are_numbers_or_words() {
        let proven = |text: &str, value: &str| HostSetting::parse(text).unwrap().prove_value(value).is_ok();
        assert!(proven("cpu_dma_latency", "0") && proven("read_ahead_kb.sda", "4096"));
        assert!(proven("sysctl.net.ipv4.tcp_rmem", "4096 131072 6291456") && proven("scheduler.sda", "mq-deadline"));
        assert!(proven("drive-cache.sda", "off"));
        for (text, value) in [
            ("drive-cache.sda", "0"),
            ("cpu_dma_latency", "-1"),
            ("read_ahead_kb.sda", "4k"),
            ("scheduler.sda", "none\nx"),
            ("sysctl.net.core.rmem_max", ""),
            ("sysctl.net.core.rmem_max", "1;2"),
        ] {
            assert!(!proven(text, value), "{text} {value}");
        }
        assert!(same_value("4096\t131072\t6291456\n", "4096 131072  6291456") && !same_value("1 2", "12"));
    }

    #[test]
    fn a_cache_is_switched_for_good_by_the_drives_own_name() {
        let permanent = |disk: &str, drive: Option<&str>| HostSetting::DriveCache(disk.into()).permanent("off", drive);
        let scsi = permanent("sdb", Some("t10.ATA     Samsung SSD 870  S5\"*"));
        assert!(scsi.starts_with("/usr/bin/sdparm --clear=WCE --quiet /dev/sdb && "), "{scsi}");
        assert!(scsi.contains(
            "ATTRS{wwid}==\"t10.ATA*Samsung*SSD*870*S5\", RUN+=\"/usr/bin/sdparm --clear=WCE --quiet $devnode\""
        ));
        assert!(scsi.contains("/sys/block/%k/device/rescan") && !scsi.contains("KERNEL"), "{scsi}");
        assert!(scsi.ends_with(" > /etc/udev/rules.d/90-t10.ATA-Samsung-SSD-870-S5-write-cache.rules"), "{scsi}");
        let nvme = permanent("nvme0n1", Some("eui.0025"));
        assert!(
            nvme.contains("ATTRS{wwid}==\"eui.0025\", RUN+=\"/usr/sbin/nvme set-feature $devnode -n 0 -f 6 -v 0\"")
        );
        let unnamed = permanent("sdb", None);
        assert!(!unnamed.contains("rules.d") && unnamed.contains("sdb may be another drive then"), "{unnamed}");
    }

    #[test]
    fn a_host_may_have_a_slash_in_its_name() {
        assert_eq!(host_and_name("host:b7/read_ahead_kb.sdb"), Some(("b7", "read_ahead_kb.sdb")));
        assert_eq!(host_and_name("host:kube:ns/pod/governor"), Some(("kube:ns/pod", "governor")));
        assert_eq!(host_and_name("osd.3/x"), None);
    }
}
