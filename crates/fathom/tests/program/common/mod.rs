//! What the tests against a real Ceph share: the program with a home of its own, a lab that goes when it is dropped.
#![allow(dead_code)] // Each test file uses its own part of it.

mod asked;
pub mod gateway;
pub mod guest;
pub mod hosts;
mod lent;
pub mod mount;
pub mod throttle;

use asked::Asked;
pub use lent::{Kind, Lent};

use serde_json::Value;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A folder of its own for everything that Fathom keeps on a host.
pub struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    pub fn new() -> Home {
        Home { folder: tempfile::Builder::new().prefix("fathom-test-").tempdir().unwrap() }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The program, not connected to a terminal or to any configuration of this host.
    pub fn fathom(&self, arguments: &[&str]) -> Command {
        // A shell that starts the tests in the background has them ignore SIGINT and SIGQUIT, and a run would then ignore them as well.
        let mut command = Command::new("/usr/bin/env");
        command
            .args(["--default-signal", env!("CARGO_BIN_EXE_fathom")])
            .args(arguments)
            .env("XDG_DATA_HOME", self.path())
            .env_remove("CEPH_CONF")
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, &[])
    }

    /// In this environment.
    pub fn run_with(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Ran {
        Ran::from(self.fathom(arguments).envs(environment.iter().copied()).output().unwrap(), arguments)
    }
}

/// What a command said and how it ended.
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
    what: String,
}

impl Ran {
    /// A command of one's own making.
    pub fn of(command: &mut Command) -> Ran {
        Ran::from(command.output().unwrap(), &[])
    }

    fn from(output: Output, arguments: &[&str]) -> Ran {
        Ran {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
            what: format!("fathom {}", arguments.join(" ")),
        }
    }

    /// The exit code is this one, and standard error has all these words.
    #[track_caller]
    pub fn ends(&self, code: i32, words: &[&str]) -> &Ran {
        assert_eq!(self.code, code, "{}\n--- out\n{}\n--- err\n{}", self.what, self.out, self.err);
        for word in words {
            assert!(self.err.contains(word), "{}: `{word}` is not in\n{}", self.what, self.err);
        }
        assert!(!self.err.contains("panicked"), "{}", self.err);
        self
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("{}: {error} in\n{}\n{}", self.what, self.out, self.err))
    }
}

static NUMBER: AtomicU32 = AtomicU32::new(0);

/// A real cluster, for one test.
pub struct Lab {
    pub home: Home,
    pub name: String,
    status: Value,
    asked: Asked,
}

impl Lab {
    pub fn up(arguments: &[&str]) -> Lab {
        Lab::up_with(arguments, &[])
    }

    /// In this environment.
    pub fn up_with(arguments: &[&str], environment: &[(&str, &str)]) -> Lab {
        Lab::started("up", arguments, environment)
    }

    /// With a guest, by its own command.
    pub fn guest(arguments: &[&str], environment: &[(&str, &str)]) -> Lab {
        Lab::started("guest", arguments, environment)
    }

    fn started(command: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Lab {
        let home = Home::new();
        let name = format!("t{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let mut all = vec!["lab", command, "--name", &name];
        all.extend(arguments);
        home.run_with(&all, environment).ends(0, &[]);
        let status = home.run(&["lab", "status", "--name", &name, "--format", "json"]);
        let status = status.ends(0, &[]).json();
        Lab { home, name, status, asked: Asked::default() }
    }

    pub fn conf(&self) -> &str {
        self.status["conf"].as_str().unwrap()
    }

    /// What `lab status` told when it was ready.
    pub fn status(&self) -> &Value {
        &self.status
    }

    /// The program against this lab as if it were any cluster.
    pub fn fathom(&self, arguments: &[&str]) -> Command {
        let mut command = self.home.fathom(arguments);
        command.args(["--conf", self.conf()]);
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        Ran::from(self.fathom(arguments).output().unwrap(), arguments)
    }

    /// Its agents do not wait for the tests beside this one.
    pub fn run_ahead(&self, arguments: &[&str]) -> Ran {
        let own = self.fathom(arguments);
        let mut command = Command::new("nice");
        command.args(["-n", "-10"]).arg(own.get_program()).args(own.get_args()).stdin(Stdio::null());
        let set = |(name, value): (&OsStr, Option<&OsStr>)| {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        };
        own.get_envs().for_each(set);
        Ran::from(command.output().unwrap(), arguments)
    }

    /// Ceph's own program, or what it would say.
    pub fn ceph(&self, arguments: &[&str]) -> String {
        if let Some(answer) = self.asked.ask(self.conf(), arguments) {
            return answer;
        }
        let output = Command::new("ceph").args(["--conf", self.conf()]).args(arguments).output().unwrap();
        assert!(output.status.success(), "ceph {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Its answer as a document.
    pub fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.ceph(&[arguments, &["--format", "json"]].concat())).unwrap()
    }

    /// Reads and writes of clients that the first three OSDs have done.
    pub fn done_by_osds(&self) -> (u64, u64) {
        let all = [0, 1, 2].map(|osd| self.json(&["tell", &format!("osd.{osd}"), "perf", "dump", "osd"]));
        let sum = |what: &str| all.iter().map(|one| one["osd"][what].as_u64().unwrap()).sum();
        (sum("op_r"), sum("op_w"))
    }

    pub fn rbd(&self, arguments: &[&str]) -> String {
        let output = Command::new("rbd").args(["--conf", self.conf()]).args(arguments).output().unwrap();
        assert!(output.status.success(), "rbd {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    pub fn rados(&self, arguments: &[&str]) -> String {
        let output = Command::new("rados").args(["--conf", self.conf()]).args(arguments).output().unwrap();
        assert!(output.status.success(), "rados {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    pub fn daemon(&self, what: &str, daemon: &str) {
        self.home.run(&["lab", "daemon", what, daemon, "--name", &self.name]).ends(0, &[]);
    }

    /// All three OSDs stop for that long, which is the fault itself and not a wait for luck.
    pub fn hold_up(&self, time: Duration) {
        let osds = ["osd.0", "osd.1", "osd.2"];
        osds.iter().for_each(|osd| self.daemon("stop", osd));
        std::thread::sleep(time);
        osds.iter().for_each(|osd| self.daemon("cont", osd));
    }

    /// Everything that a run might leave: pools, images, flags, options, config-keys.
    pub fn snapshot(&self) -> String {
        let pools = self.ceph(&["osd", "pool", "ls"]);
        let images: Vec<String> = pools
            .lines()
            .filter(|pool| self.ceph(&["osd", "pool", "application", "get", pool]).contains("rbd"))
            .map(|pool| format!("{pool}: {}", self.rbd(&["ls", pool])))
            .collect();
        let dump = self.json(&["osd", "dump"]);
        let keys = self.ceph(&["config-key", "ls"]);
        // The configuration's history, and what daemons and the manager note for themselves, are not ours.
        let keys: Vec<&str> = keys.lines().filter(|key| key.contains("fathom")).collect();
        let mode = |pool: &Value| format!("{} {}", pool["pool_name"], pool["pg_autoscale_mode"]);
        let modes: Vec<String> = dump["pools"].as_array().unwrap().iter().map(mode).collect();
        let balancer = self.json(&["balancer", "status"]);
        let quiet = format!("{} {modes:?} {} {}", dump["flags"], balancer["active"], balancer["mode"]);
        format!("{pools}\n{images:?}\n{quiet}\n{}\n{keys:?}", self.ceph(&["config", "dump"]))
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        let _ = self.home.fathom(&["lab", "down", "--name", &self.name]).output();
    }
}

/// Waits for something that is bound to happen; a test that waits in vain says for what.
#[track_caller]
pub fn eventually(what: &str, seconds: u64, mut happened: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(seconds);
    while !happened() {
        assert!(Instant::now() < deadline, "{what} did not happen within {seconds} s");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A tool that needs root, such as `losetup`; its output.
#[track_caller]
pub fn tool(program: &str, arguments: &[&str]) -> String {
    let path = format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default());
    let output = Command::new(program).args(arguments).env("PATH", path).output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_string()
}

/// A loop device over a sparse file, detached when dropped.
pub struct LoopDevice {
    pub path: String,
    _file: tempfile::NamedTempFile,
}

impl LoopDevice {
    pub fn of(bytes: u64) -> LoopDevice {
        LoopDevice::over(tempfile::NamedTempFile::new().unwrap(), bytes)
    }

    /// Over a sparse file.
    pub fn over(file: tempfile::NamedTempFile, bytes: u64) -> LoopDevice {
        file.as_file().set_len(bytes).unwrap();
        let path = tool("losetup", &["--find", "--show", &file.path().display().to_string()]);
        LoopDevice { path, _file: file }
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let _ = Command::new("/usr/sbin/losetup").args(["-d", &self.path]).output();
    }
}

/// A mounted file system, unmounted when dropped.
pub struct Mount {
    pub folder: PathBuf,
    _parent: tempfile::TempDir,
}

impl Mount {
    pub fn tmpfs(size: &str) -> Mount {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("mount");
        std::fs::create_dir(&folder).unwrap();
        tool("mount", &["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs", &folder.display().to_string()]);
        Mount { folder, _parent: parent }
    }

    pub fn of(device: &str) -> Mount {
        Mount::of_type("auto", device)
    }

    pub fn of_type(file_system: &str, device: &str) -> Mount {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("mount");
        std::fs::create_dir(&folder).unwrap();
        tool("mount", &["-t", file_system, device, &folder.display().to_string()]);
        Mount { folder, _parent: parent }
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.folder).output();
    }
}

/// Processes whose command line has this.
pub fn pgrep(folder: &str) -> String {
    let left = Command::new("pgrep").args(["--full", folder]).output().unwrap();
    String::from_utf8_lossy(&left.stdout).into_owned()
}
