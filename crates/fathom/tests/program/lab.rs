//! `fathom lab` with real Ceph: what comes up, what it says, and that nothing of it is left, however it ends.

use crate::common::{Home, Ran, eventually};
use nix::fcntl::{FallocateFlags, fallocate};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Clusters side by side on a small machine only wait for each other.
static ALONE: Mutex<()> = Mutex::new(());

/// One test's place for labs. What is left of them is looked for when the test says so, and removed when it fails.
struct Place {
    home: Home,
    before: BTreeSet<String>,
    _alone: MutexGuard<'static, ()>,
}

impl Place {
    fn new() -> Place {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        Place { home: Home::new(), before: ceph_files(), _alone: alone }
    }

    fn lab(&self, arguments: &[&str]) -> Ran {
        self.home.run(&[&["lab"], arguments].concat())
    }

    fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.home.fathom(&[&["lab"], arguments].concat());
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    fn status(&self, name: &str) -> Value {
        self.lab(&["status", "--name", name, "--format", "json"]).ends(0, &[]).json()
    }

    fn dir(&self, name: &str) -> PathBuf {
        self.home.path().join("fathom/labs").join(name)
    }

    /// What is still there of this place's labs: processes, loop devices, namespaces, links, files.
    fn left(&self) -> Vec<String> {
        let home = self.home.path().to_str().unwrap();
        let names = entries("/proc").into_iter().filter(|name| name.parse::<u32>().is_ok());
        let processes = names.filter(|pid| {
            let said = |file: &str| fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
            let lab_words = String::from_utf8_lossy(&said("cmdline")).contains("lab\0supervisor");
            let ours = String::from_utf8_lossy(&said("environ")).contains(home);
            ours && (lab_words || String::from_utf8_lossy(&said("environ")).contains("FATHOM_LAB_DIR="))
        });
        let mut left: Vec<String> = processes.map(|pid| format!("process {pid}")).collect();
        for device in entries("/sys/block") {
            let backing = fs::read_to_string(format!("/sys/block/{device}/loop/backing_file")).unwrap_or_default();
            left.extend(backing.starts_with(home).then(|| format!("{device} on {backing}")));
        }
        left.extend(entries("/run/netns").into_iter().filter(|name| name.contains(OWN)));
        for link in entries("/sys/class/net") {
            let alias = fs::read_to_string(format!("/sys/class/net/{link}/ifalias")).unwrap_or_default();
            left.extend(alias.contains(OWN).then(|| format!("link {link}")));
        }
        left.extend(entries(self.dir("").to_str().unwrap()));
        left.extend(ceph_files().difference(&self.before).cloned());
        left
    }

    #[track_caller]
    fn nothing_is_left(&self) {
        assert_eq!(self.left(), Vec::<String>::new());
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        for name in entries(self.dir("").to_str().unwrap()) {
            let _ = self.home.fathom(&["lab", "down", "--name", &name]).output();
        }
    }
}

/// In the names of labs whose namespaces and links are looked for.
const OWN: &str = "owntest";

fn entries(dir: &str) -> Vec<String> {
    fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.file_name().into_string().unwrap()).collect()
}

/// What daemons would leave behind outside of a lab, by default.
fn ceph_files() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders: Vec<PathBuf> =
        ["/var/lib/ceph", "/var/log/ceph", "/run/ceph", "/usr/share/ceph"].map(PathBuf::from).to_vec();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            found.insert(entry.path().display().to_string());
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            }
        }
    }
    let temporary = ["/tmp", "/var/tmp", "/dev/shm"].map(|dir| (dir, entries(dir)));
    for (dir, names) in temporary {
        let ours = names.into_iter().filter(|name| name.starts_with("ceph-") || name.contains(OWN));
        found.extend(ours.map(|name| format!("{dir}/{name}")));
    }
    found
}

/// Root alone can make loop devices, namespaces, mounts.
fn is_root() -> bool {
    let root = nix::unistd::geteuid().is_root();
    if !root {
        eprintln!("not root: the parts that need it are left out");
    }
    root
}

fn osd_is(place: &Place, name: &str, osd: usize, up: bool) -> bool {
    place.status(name)["osds"][osd]["up"] == up
}

#[test]
fn labs_come_up_side_by_side_and_go_without_a_trace() {
    let place = Place::new();
    let first = place.lab(&["up", "--format", "json"]);
    let made = first.ends(0, &["placement groups", "ready"]).json();
    assert_eq!((&made["name"], &made["state"], &made["backing"]), (&"default".into(), &"ready".into(), &"file".into()));
    assert_eq!(made["osds"].as_array().unwrap().len(), 3);

    place.lab(&["up"]).ends(3, &["default", "there already", "fathom lab down"]);
    let port = fs::read_to_string(made["conf"].as_str().unwrap()).unwrap();
    let port = port.split("v2:127.0.0.1:").nth(1).unwrap().split(',').next().unwrap();
    place.lab(&["up", "--name", "second", "--port", port]).ends(1, &["port", port, "taken"]);
    place.lab(&["up", "--name", "second", "--osds", "1"]).ends(0, &[]);

    let list = place.lab(&["list", "--format", "json"]).ends(0, &[]).json();
    let labs: Vec<_> = list["labs"].as_array().unwrap().iter().map(|lab| (&lab["name"], &lab["state"])).collect();
    assert_eq!(labs, [(&"default".into(), &"ready".into()), (&"second".into(), &"ready".into())]);
    daemons_are_killed_and_started(&place);

    place.lab(&["down"]).ends(0, &[]);
    assert!(osd_is(&place, "second", 0, true), "the other lab was harmed");
    place.lab(&["down", "--name", "second"]).ends(0, &[]);
    place.nothing_is_left();
    place.lab(&["down"]).ends(2, &["no lab called default"]);
    place.lab(&["status"]).ends(2, &["no lab called default"]);
    assert_eq!(place.lab(&["list"]).ends(0, &[]).out.lines().count(), 1);
}

fn daemons_are_killed_and_started(place: &Place) {
    let status = place.status("default");
    let ours = Path::new(status["dir"].as_str().unwrap());
    for osd in status["osds"].as_array().unwrap() {
        assert!(osd["up"] == true && osd["in"] == true && osd["host"] == status["hosts"][0]["name"], "{osd}");
        assert!(Path::new(osd["device"].as_str().unwrap()).starts_with(ours), "{osd}");
        assert!(Path::new(osd["probe"].as_str().unwrap()).starts_with(ours), "{osd}");
    }
    for daemon in status["daemons"].as_array().unwrap() {
        writes_only_below(daemon["pid"].as_u64().unwrap(), ours);
    }
    place.lab(&["daemon", "start", "osd.1"]).ends(3, &["osd.1 is running"]);
    place.lab(&["daemon", "kill", "osd.9"]).ends(2, &["osd.9", "mon.a, mgr.x, osd.0"]);
    place.lab(&["daemon", "kill", "osd.1"]).ends(0, &[]);
    eventually("the cluster to see that osd.1 is down", 60, || osd_is(place, "default", 1, false));
    place.lab(&["daemon", "kill", "osd.1"]).ends(3, &["osd.1 is not running"]);
    place.lab(&["daemon", "start", "osd.1"]).ends(0, &[]);
    eventually("osd.1 to come back", 60, || osd_is(place, "default", 1, true));
    place.lab(&["daemon", "stop", "mon.a"]).ends(0, &[]);
    assert_eq!(place.status("default")["osds"][0]["up"], Value::Null, "a stopped monitor answered");
    place.lab(&["daemon", "cont", "mon.a"]).ends(0, &[]);
    eventually("the monitor to answer again", 60, || osd_is(place, "default", 0, true));
}

/// No daemon has a file open for writing outside of its lab.
fn writes_only_below(pid: u64, dir: &Path) {
    for entry in fs::read_dir(format!("/proc/{pid}/fd")).unwrap().flatten() {
        let Ok(file) = fs::read_link(entry.path()) else { continue };
        let flags = fs::read_to_string(format!("/proc/{pid}/fdinfo/{}", entry.file_name().to_str().unwrap()))
            .unwrap_or_default();
        let flags = flags.split("flags:\t").nth(1).and_then(|rest| rest.lines().next()).unwrap_or("0");
        let writes = u32::from_str_radix(flags, 8).unwrap() & 3 != 0;
        let plain = file.starts_with("/")
            && !file.starts_with("/dev")
            && !file.starts_with("/proc")
            && !file.starts_with("/memfd:");
        assert!(!plain || !writes || file.starts_with(dir), "process {pid} writes {}", file.display());
    }
}

#[test]
fn osds_can_be_in_memory_and_on_loop_devices() {
    let place = Place::new();
    let memory =
        place.lab(&["up", "--name", OWN, "--backing", "memory", "--osds", "2", "--format", "json"]).ends(0, &[]).json();
    for osd in memory["osds"].as_array().unwrap() {
        assert!(osd["device"].as_str().unwrap().starts_with("/dev/shm/"), "{osd}");
        assert!(Path::new(osd["probe"].as_str().unwrap()).parent().unwrap().is_dir(), "{osd}");
    }
    place.lab(&["down", "--name", OWN]).ends(0, &[]);
    if is_root() {
        // The kernel names the files below its devices without links.
        let link = place.home.path().join("link");
        symlink(place.home.path(), &link).unwrap();
        let by_link = |words: &[&str]| {
            place.home.run_with(&[&["lab"], words].concat(), &[("XDG_DATA_HOME", link.to_str().unwrap())])
        };
        let looped = by_link(&["up", "--backing", "loop", "--osds", "1", "--format", "json"]).ends(0, &[]).json();
        let osd = &looped["osds"][0];
        for device in [&osd["device"], &osd["probe"]].map(|path| path.as_str().unwrap()) {
            let backing = format!("/sys/block/{}/loop/backing_file", device.trim_start_matches("/dev/"));
            assert!(Path::new(&fs::read_to_string(backing).unwrap()).starts_with(place.dir("default")), "{device}");
        }
        let probe = File::open(osd["probe"].as_str().unwrap()).unwrap();
        let size = fs::read_to_string(format!(
            "/sys/block/{}/size",
            osd["probe"].as_str().unwrap().trim_start_matches("/dev/")
        ));
        assert_eq!(size.unwrap().trim().parse::<u64>().unwrap() * 512, osd["probe_bytes"].as_u64().unwrap());
        drop(probe);
        by_link(&["down"]).ends(0, &[]);
    }
    place.nothing_is_left();
}

#[test]
fn hosts_are_namespaces_with_addresses_and_crush_buckets() {
    if !is_root() {
        return;
    }
    let place = Place::new();
    let lab = place.lab(&["up", "--name", OWN, "--hosts", "3", "--format", "json"]).ends(0, &[]).json();
    let hosts = lab["hosts"].as_array().unwrap();
    let addresses: BTreeSet<&str> = hosts.iter().map(|host| host["address"].as_str().unwrap()).collect();
    assert!(addresses.len() == 3 && !addresses.contains(lab["client_address"].as_str().unwrap()), "{lab:#}");
    for host in hosts {
        assert!(entries("/run/netns").contains(&host["namespace"].as_str().unwrap().to_string()), "{host}");
    }
    let ceph = |arguments: &[&str]| -> Value {
        let mut command = Command::new("ceph");
        command.args(["--conf", lab["conf"].as_str().unwrap(), "--format", "json"]).args(arguments);
        serde_json::from_slice(&command.output().unwrap().stdout).unwrap()
    };
    for (id, host) in ["host1", "host2", "host3"].iter().enumerate() {
        let found = ceph(&["osd", "find", &id.to_string()]);
        assert_eq!((&found["crush_location"]["host"], &found["host"]), (&(*host).into(), &(*host).into()));
        let address = found["addrs"]["addrvec"][0]["addr"].as_str().unwrap();
        assert!(address.starts_with(&format!("{}:", hosts[id]["address"].as_str().unwrap())), "{address}");
    }
    assert_eq!(ceph(&["health"])["status"], "HEALTH_OK");
    assert_eq!(ceph(&["osd", "crush", "rule", "dump"])[0]["steps"][1]["type"], "host");
    place.lab(&["down", "--name", OWN]).ends(0, &[]);
    place.nothing_is_left();
}

#[test]
fn kill_9_of_up_at_any_instant_leaves_nothing() {
    let place = Place::new();
    let mut arguments = vec!["up", "--name", OWN];
    if is_root() {
        arguments.extend(["--hosts", "3", "--backing", "loop", "--db"]);
    }
    for milliseconds in [0, 5, 40, 120, 300, 700, 1500, 2500, 3500] {
        let mut up = place.start(&arguments);
        thread::sleep(Duration::from_millis(milliseconds));
        up.kill().unwrap();
        up.wait().unwrap();
        if place.home.run(&["lab", "status", "--name", OWN]).out.contains("state    ready") {
            // This host was quicker than the blow: the lab was ready, and stays.
            place.lab(&["down", "--name", OWN]).ends(0, &[]);
        }
        eventually(&format!("nothing to be left of a start killed after {milliseconds} ms"), 60, || {
            place.left().is_empty()
        });
    }
    // A supervisor that was slow to begin is seen by now, too.
    place.nothing_is_left();
}

#[test]
fn what_a_killed_supervisor_leaves_is_found_and_removed() {
    let place = Place::new();
    place.lab(&["up", "--name", OWN, "--osds", "1"]).ends(0, &[]);
    let kill_supervisor = || {
        let pid: i32 = fs::read_to_string(place.dir(OWN).join("lock")).unwrap().parse().unwrap();
        nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::SIGKILL).unwrap();
    };
    let is_broken = || place.status(OWN)["state"] == "broken";
    kill_supervisor();
    eventually("the daemons to die with their supervisor", 60, || {
        !place.left().iter().any(|left| left.starts_with("process"))
    });
    // A process that dies has no words any more before it has closed its files, the lock among them.
    eventually("the lab to be told as broken", 60, is_broken);
    place.lab(&["down", "--name", OWN]).ends(0, &[]);
    place.nothing_is_left();

    let mut arguments = vec!["up", "--name", OWN];
    if is_root() {
        arguments.extend(["--hosts", "2", "--backing", "loop", "--db"]);
    }
    let mut up = place.start(&arguments);
    eventually("the lab to have begun", 60, || place.dir(OWN).join("lab.json").exists());
    up.kill().unwrap();
    kill_supervisor();
    up.wait().unwrap();
    eventually("the lab to be broken or gone", 60, || place.left().is_empty() || is_broken());
    place.lab(&["up", "--name", OWN, "--osds", "1"]).ends(0, &[]);
    assert_eq!(place.status(OWN)["state"], "ready");
    place.lab(&["down", "--name", OWN]).ends(0, &[]);
    place.nothing_is_left();
}

/// The program and a home, for the user nobody.
fn as_nobody(place: &Place) -> impl Fn(&[&str]) -> (i32, String) {
    let (binary, home) = (place.home.path().join("fathom-binary"), place.home.path().to_owned());
    fs::copy(env!("CARGO_BIN_EXE_fathom"), &binary).unwrap();
    fs::set_permissions(&home, fs::Permissions::from_mode(0o777)).unwrap();
    move |arguments| {
        let mut command = Command::new("setpriv");
        command
            .args(["--reuid", "65534", "--regid", "65534", "--clear-groups"])
            .arg(&binary)
            .arg("lab")
            .args(arguments);
        let output = command.env("XDG_DATA_HOME", &home).env("HOME", "/nonexistent").output().unwrap();
        (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

#[test]
fn without_root_a_lab_is_on_the_loopback_address() {
    if !is_root() {
        return; // All other tests are that already.
    }
    let place = Place::new();
    let lab = as_nobody(&place);
    let (code, said) = lab(&["up", "--osds", "1"]);
    assert_eq!(code, 0, "{said}");
    let (code, said) = lab(&["down"]);
    assert_eq!(code, 0, "{said}");
    for refused in [&["up", "--hosts", "2"], &["up", "--backing", "loop"]] {
        let (code, said) = lab(refused);
        assert!(code == 3 && said.contains("needs root"), "{code} {said}");
    }
    place.nothing_is_left();
}

#[test]
fn wrong_words_are_refused_before_anything_is_made() {
    let place = Place::new();
    for name in ["", "..", "a/b", "A", "-x", "a b", &"a".repeat(33)] {
        place.lab(&["up", &format!("--name={name}")]).ends(2, &["is no name for a lab"]);
        place.lab(&["down", &format!("--name={name}")]).ends(2, &["is no name for a lab"]);
    }
    place.lab(&["up", "--osds", "0"]).ends(2, &["--osds", "from 1 to 200"]);
    place.lab(&["up", "--size", "1M"]).ends(2, &["at least 1 GiB"]);
    place.lab(&["up", "--size", "9P"]).ends(2, &["at most 15 TiB"]);
    place.lab(&["up", "--size", "much"]).ends(2, &["much"]);
    place.lab(&["up", "--hosts", "4"]).ends(2, &["at most 3 hosts"]);
    place.lab(&["up", "--port", "65535"]).ends(2, &["--port 65535"]);
    place.lab(&["up", "--backing", "paper"]).ends(2, &["paper"]);
    place.lab(&["up", "--db"]).ends(2, &["--db", "--backing loop"]);
    place.lab(&["up", "--backing", "loop", "--db=1M"]).ends(2, &["at least 64 MiB"]);
    let long = place.home.path().join("l".repeat(90));
    let output = place.home.fathom(&["lab", "up"]).env("XDG_DATA_HOME", long).output().unwrap();
    assert!(output.status.code() == Some(1) && String::from_utf8_lossy(&output.stderr).contains("too long a path"));
    place.nothing_is_left();
}

#[test]
fn a_missing_package_is_named() {
    let place = Place::new();
    for (program, package) in [("ceph-mon", "ceph-mon"), ("ceph-mgr", "ceph-mgr"), ("ceph-osd", "ceph-osd")] {
        let path =
            path_with(&place, &["ceph-mon", "ceph-mgr", "ceph-osd"].map(|name| (name != program).then_some(name)));
        let output = place.home.fathom(&["lab", "up"]).env("PATH", path).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1) && said.contains(&format!("install the package {package}")), "{said}");
    }
    place.nothing_is_left();
}

/// A folder for PATH with only these of the system's programs.
fn path_with(place: &Place, programs: &[Option<&str>]) -> PathBuf {
    let folder = place.home.path().join("bin");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).unwrap();
    for program in programs.iter().flatten() {
        symlink(Path::new("/usr/bin").join(program), folder.join(program)).unwrap();
    }
    folder
}

#[test]
fn a_daemon_that_dies_is_shown_with_its_last_words() {
    let place = Place::new();
    let path = path_with(&place, &[Some("ceph-mon"), Some("ceph-mgr")]);
    let program = path.join("ceph-osd");
    fs::write(&program, "#!/bin/sh\necho these are the last words\nexit 7\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let output = place.home.fathom(&["lab", "up"]).env("PATH", path).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    for word in ["osd.0", "exit status: 7", "these are the last words"] {
        assert!(output.status.code() == Some(1) && said.contains(word), "{word} is not in {said}");
    }
    place.nothing_is_left();
}

#[test]
fn a_lab_whose_start_hangs_can_be_taken_down() {
    let place = Place::new();
    let path = path_with(&place, &["ceph-mon", "ceph-mgr", "ceph-osd", "radosgw"].map(Some));
    let (program, hangs) = (path.join("radosgw-admin"), place.home.path().join("hangs"));
    fs::write(&program, format!("#!/bin/sh\n: > {}\nexec /bin/sleep 600\n", hangs.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let mut up = place.home.fathom(&["lab", "up", "--osds", "1", "--with", "rgw"]);
    let mut up = up.env("PATH", path).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    eventually("the start to hang", 120, || hangs.exists());
    place.lab(&["down"]).ends(0, &[]);
    assert!(!up.wait().unwrap().success());
    place.nothing_is_left();
}

#[test]
fn too_little_memory_is_refused() {
    let place = Place::new();
    let text = fs::read_to_string("/proc/meminfo").unwrap();
    let free = text.lines().find_map(|line| line.strip_prefix("MemAvailable:")).unwrap();
    let osds = free.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024 / 300 + 1;
    if osds <= 200 {
        place.lab(&["up", "--osds", &osds.to_string()]).ends(3, &["MB of memory are needed"]);
    }
    place.nothing_is_left();
}

/// A file system of its own at the place of the labs.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(place: &Place, size: &str) -> SmallDisk {
        let disk = SmallDisk(place.home.path().to_owned());
        let options = format!("size={size}");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(&disk.0).status();
        assert!(mounted.unwrap().success());
        disk
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

/// What is taken of a disk at once, at first.
const PIECE: i64 = 64 << 20;

#[test]
fn a_full_disk_is_named_before_and_while_a_lab_comes_up() {
    if !is_root() {
        return;
    }
    let place = Place::new();
    let small = SmallDisk::mount(&place, "64m");
    place.lab(&["up"]).ends(3, &["MB free", "XDG_DATA_HOME"]);
    place.nothing_is_left();
    drop(small);
    let _larger = SmallDisk::mount(&place, "600m");
    let mut command = place.home.fathom(&["lab", "up"]);
    let mut up = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    eventually("the lab to have begun", 60, || place.dir("default").join("lab.json").exists());
    // Takes all that is left, and what the daemons give back, until they are gone: reserved and not written, since a lab is soon ready.
    let hog = File::create(place.home.path().join("hog")).unwrap();
    let (mut end, mut piece) = (0, PIECE);
    while up.try_wait().unwrap().is_none() {
        match fallocate(&hog, FallocateFlags::empty(), end, piece) {
            Ok(()) => end += piece,
            Err(_) if piece > 1 << 16 => piece /= 2,
            Err(_) => {
                piece = PIECE;
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }
    let output = up.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(1) && said.contains("disk is full"), "{said}");
    place.nothing_is_left();
}
