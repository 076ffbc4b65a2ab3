//! A device that is as slow as a test wants it.

use super::LoopDevice;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// What is limited, per second.
#[derive(Clone, Copy)]
pub enum Limit {
    BytesWritten,
    Reads,
    Writes,
}

impl Limit {
    fn name(self) -> &'static str {
        match self {
            Limit::BytesWritten => "write_bps",
            Limit::Reads => "read_iops",
            Limit::Writes => "write_iops",
        }
    }
}

/// A group of processes for which one device is slow (cgroup v1).
pub struct Throttle {
    group: PathBuf,
    number: String,
}

impl Throttle {
    /// `None`: this machine has no such groups.
    pub fn on(device: &LoopDevice) -> Option<Throttle> {
        let name = device.path.rsplit('/').next()?;
        let group = PathBuf::from(format!("/sys/fs/cgroup/blkio/fathom-test-{}-{name}", std::process::id()));
        fs::create_dir(&group).ok()?;
        let number = fs::read_to_string(format!("/sys/block/{name}/dev")).ok()?.trim().to_string();
        let throttle = Throttle { group, number };
        throttle.group.join("blkio.throttle.write_bps_device").exists().then_some(throttle)
    }

    /// Zero: without a limit.
    pub fn to(&self, limit: Limit, per_second: u64) {
        let text = format!("{} {per_second}", self.number);
        fs::write(self.group.join(format!("blkio.throttle.{}_device", limit.name())), text).unwrap();
    }

    /// Waits until `bytes` were written to the device, whoever wrote them.
    pub fn after(&self, bytes: u64) {
        let written = || -> Option<u64> {
            let stat = fs::read_to_string(format!("/sys/dev/block/{}/stat", self.number)).ok()?;
            Some(512 * stat.split_whitespace().nth(6)?.parse::<u64>().ok()?)
        };
        let begin = written().unwrap();
        let until = Instant::now() + Duration::from_secs(120);
        while written().unwrap() - begin < bytes {
            assert!(Instant::now() < until, "{bytes} bytes were not written within two minutes");
            sleep(Duration::from_millis(100));
        }
    }

    /// Starts the command in the group, which a shell enters before it becomes the command.
    pub fn start(&self, command: &Command) -> Child {
        let mut shell = Command::new("sh");
        shell.args(["-c", "echo $$ > \"$0\" && exec \"$@\""]).arg(self.group.join("cgroup.procs"));
        shell.arg(command.get_program()).args(command.get_args());
        shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }
}

impl Drop for Throttle {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.group);
    }
}
