//! `fathom lab fault` with real Ceph: every fault is made, is seen where it acts, and leaves nothing, however it ends.

use crate::common::{Home, Lab, Ran, eventually, tool};
use ceph::{ClusterAccess, Rados};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Clusters side by side on a small machine only wait for each other.
static ALONE: Mutex<()> = Mutex::new(());

/// A lab of three hosts, and what may be asked of it without starting a program.
struct Site {
    rados: Arc<Rados>,
    lab: Lab,
    /// `fathom-NAME-TAG`, in the names of its namespaces and control groups.
    mark: String,
    dir: PathBuf,
}

impl Site {
    fn up() -> Site {
        let lab = Lab::up(&["--hosts", "3", "--backing", "loop", "--size", "2G"]);
        let conf = PathBuf::from(lab.conf());
        let dir = conf.parent().unwrap().to_path_buf();
        let access = ClusterAccess { conf: Some(conf), ..ClusterAccess::default() };
        let rados = Arc::new(Rados::connect(&access).unwrap());
        let namespaces = entries("/run/netns").into_iter();
        let mark = namespaces.into_iter().find_map(|name| {
            name.strip_suffix("-host1")
                .filter(|mark| mark.starts_with(&format!("fathom-{}-", lab.name)))
                .map(str::to_owned)
        });
        Site { rados, mark: mark.unwrap(), dir, lab }
    }

    fn fault(&self, words: &[&str]) -> Ran {
        fault(&self.lab.home, &self.lab.name, words)
    }

    fn tell(&self, prefix: &str) -> Value {
        self.rados.mon_command(&json!({"prefix": prefix, "format": "json"})).unwrap().json().unwrap()
    }

    fn osd(&self, id: usize) -> Value {
        self.tell("osd dump")["osds"][id].clone()
    }

    fn pid(&self, daemon: &str) -> String {
        fs::read_to_string(self.dir.join(format!("run/{daemon}.pid"))).unwrap_or_default()
    }

    /// What a daemon says itself, over its admin socket.
    fn option(&self, daemon: &str, name: &str) -> String {
        let Ok(mut socket) = UnixStream::connect(self.dir.join(format!("run/{daemon}.asok"))) else {
            return String::new();
        };
        let ask = format!("{}\0", json!({"prefix": "config get", "var": name}));
        let mut answer = Vec::new();
        let asked = socket.write_all(ask.as_bytes()).and_then(|()| socket.read_to_end(&mut answer));
        let answer: Value = asked.ok().and_then(|_| serde_json::from_slice(answer.get(4..)?).ok()).unwrap_or_default();
        answer[name].as_str().unwrap_or_default().to_owned()
    }

    /// A limit of osd.1, if osd.1 is in the group that has it.
    fn limit(&self, file: &str) -> String {
        let controller = if file.starts_with("cpu") { "cpu" } else { "blkio" };
        let group = Path::new("/sys/fs/cgroup").join(controller).join(&self.mark).join("osd.1");
        let read = |file: &str| fs::read_to_string(group.join(file)).unwrap_or_default();
        assert_eq!(read("cgroup.procs").trim(), self.pid("osd.1"));
        read(file)
    }

    fn inside(&self, program: &str, words: &[&str]) -> String {
        tool(program, &[&["-n", &format!("{}-host2", self.mark)], words].concat())
    }

    /// The qdisc at the bridge's end of the link of host2.
    fn towards(&self) -> String {
        let port = format!("fl{}-2", self.mark.rsplit('-').next().unwrap());
        tool("tc", &["qdisc", "show", "dev", &port])
    }

    fn has_objects(&self, pool: &str) -> bool {
        self.rados.open_pool(pool).and_then(|pool| pool.objects("object.")).is_ok_and(|objects| !objects.is_empty())
    }

    fn scrubbed(&self) -> String {
        let ask = json!({"prefix": "pg dump", "dumpcontents": ["pgs"], "format": "json"});
        let dump = self.rados.mgr_command(&ask).unwrap().json().unwrap();
        let stamps = dump["pg_stats"].as_array().unwrap().iter().map(|pg| pg["last_deep_scrub_stamp"].to_string());
        stamps.max().unwrap()
    }

    /// Everything that a fault may have changed.
    fn state(&self) -> String {
        let dump = self.tell("osd dump");
        let osds: Vec<_> = dump["osds"].as_array().unwrap().iter().map(|osd| osd["primary_affinity"].clone()).collect();
        let pools: Vec<_> = dump["pools"].as_array().unwrap().iter().map(|pool| pool["pool_name"].clone()).collect();
        let processes: BTreeSet<_> = entries(&self.dir.join("run").display().to_string()).into_iter().collect();
        let links = |program: &str, words: &[&str]| {
            (1..=3)
                .map(|host| tool(program, &[&["-n", &format!("{}-host{host}", self.mark)], words].concat()))
                .collect::<String>()
        };
        let stores: Vec<_> =
            (0..3).flat_map(|id| entries(&self.dir.join(format!("osd.{id}")).display().to_string())).collect();
        let stores: BTreeSet<_> = stores.into_iter().collect();
        format!(
            "{osds:?} {pools:?} {} {}\n{}\n{processes:?} {stores:?}\n{}\n{}\n{}\n{:?}",
            dump["nearfull_ratio"],
            dump["flags"],
            self.tell("config dump"),
            links("tc", &["qdisc", "show"]),
            links("ip", &["-oneline", "link", "show", "dev", "eth0"]),
            self.towards(),
            groups(&self.mark)
        )
    }
}

fn fault(home: &Home, lab: &str, words: &[&str]) -> Ran {
    home.run(&[&["lab", "fault"], words, &["--name", lab]].concat())
}

fn entries(dir: &str) -> Vec<String> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    // Control sockets of clients come and go.
    entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| !name.starts_with("ceph-client"))
        .collect()
}

fn groups(mark: &str) -> Vec<PathBuf> {
    let all = ["cpu", "blkio"].map(|controller| Path::new("/sys/fs/cgroup").join(controller).join(mark));
    all.into_iter().filter(|group| group.exists()).collect()
}

fn is_root() -> bool {
    let root = nix::unistd::geteuid().is_root();
    if !root {
        eprintln!("skipped: only root has hosts in network namespaces");
    }
    root
}

type Seen<'a> = Box<dyn Fn(&Site) -> bool + 'a>;

fn seen<'a>(look: impl Fn(&Site) -> bool + 'a) -> Seen<'a> {
    Box::new(look)
}

/// Each fault, and where it is seen.
fn cases(site: &Site) -> Vec<(&'static str, Seen<'_>)> {
    let (pid, scrubbed) = (site.pid("osd.1"), site.scrubbed());
    let affinity = |site: &Site, id: usize| site.osd(id)["primary_affinity"].as_f64().unwrap();
    vec![
        ("disk-iops osd.1 --value 300", seen(|site| site.limit("blkio.throttle.write_iops_device").contains(" 300"))),
        ("disk-bandwidth osd.1", seen(|site| site.limit("blkio.throttle.read_bps_device").contains(" 1000000"))),
        ("cpu-quota osd.1 --value 30%", seen(|site| site.limit("cpu.cfs_quota_us").trim() == "30000")),
        (
            "stutter osd.1",
            seen(move |site| {
                assert_eq!(site.pid("osd.1"), pid);
                fs::read_to_string(format!("/proc/{pid}/stat")).unwrap().contains(") T ")
            }),
        ),
        ("link-slow-to host2", seen(|site| site.towards().contains("tbf") && site.towards().contains("10Mbit"))),
        ("link-slow-from host2 --value 5", seen(|site| site.inside("tc", &["qdisc", "show"]).contains("rate 5Mbit"))),
        (
            "path-slow host2 host1",
            seen(|site| {
                site.inside("tc", &["class", "show", "dev", "eth0"]).contains("rate 10Mbit")
                    && site.inside("tc", &["filter", "show", "dev", "eth0"]).contains("match")
            }),
        ),
        (
            "link-loss host2 --value 20",
            seen(|site| {
                let statistics = site.inside("tc", &["-s", "qdisc", "show", "dev", "eth0"]);
                statistics.split("clsact").nth(1).is_some_and(|part| !part.contains("(dropped 0,"))
            }),
        ),
        ("mtu host2", seen(|site| site.inside("ip", &["link", "show", "dev", "eth0"]).contains("mtu 9000"))),
        ("messenger-delay osd.1", seen(|site| site.option("osd.1", "ms_inject_delay_max") == "0.005000")),
        (
            "secure-mode",
            seen(|site| ["osd.0", "osd.2"].iter().all(|osd| site.option(osd, "ms_cluster_mode") == "secure")),
        ),
        ("debug-logging osd.1", seen(|site| site.option("osd.1", "debug_osd") == "20/20")),
        (
            "osd-option osd.2 --value ms_tcp_nodelay=false",
            seen(|site| site.option("osd.2", "ms_tcp_nodelay") == "false"),
        ),
        ("noisy-neighbour", seen(|site| site.has_objects("fault.noisy-neighbour"))),
        ("deep-scrub", seen(move |site| site.scrubbed() > scrubbed)),
        (
            "flapping osd.1 --value 1",
            seen(|site| {
                let osd = site.osd(1);
                osd["down_at"].as_u64() > Some(0) && osd["up"] == 0
            }),
        ),
        (
            "few-pgs",
            seen(|site| {
                let pools = site.tell("osd dump")["pools"].clone();
                pools.as_array().unwrap().iter().any(|pool| pool["pool_name"] == "fault.few-pgs" && pool["pg_num"] == 1)
            }),
        ),
        ("primaries-on-one osd.1", seen(move |site| [0, 1, 2].map(|id| affinity(site, id)) == [0.0, 1.0, 0.0])),
        (
            "clone --value 8",
            seen(|site| site.lab.rbd(&["info", "fault.clone/image"]).contains("parent: fault.clone/parent@base")),
        ),
        ("snapshot", seen(|site| site.lab.rbd(&["snap", "ls", "fault.snapshot/image"]).contains("fathom-fault-"))),
        (
            "two-writers",
            seen(|site| site.lab.rbd(&["lock", "ls", "fault.two-writers/image"]).contains("exclusive lock")),
        ),
        ("nearly-full", seen(|site| site.tell("health")["checks"]["OSD_NEARFULL"].is_object())),
        ("flags", seen(|site| site.tell("osd dump")["flags"].as_str().unwrap().contains("noout,noscrub,nodeep-scrub"))),
        ("recovery osd.1", seen(|site| site.tell("status")["pgmap"]["pgs_by_state"].to_string().contains("recover"))),
        (
            "wrong-db-device osd.1",
            seen(|site| {
                let ask = json!({"prefix": "osd metadata", "id": 1, "format": "json"});
                let metadata = site.rados.mon_command(&ask).unwrap().json().unwrap();
                metadata["bluefs_dedicated_db"] == "1"
                    && site.limit("blkio.throttle.write_iops_device").contains(" 100")
            }),
        ),
    ]
}

#[test]
fn every_fault_is_seen_where_it_acts_and_is_undone() {
    if !is_root() {
        return;
    }
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let site = Site::up();
    let before = site.state();
    let cases = cases(&site);
    for (words, seen) in &cases {
        let words: Vec<&str> = words.split(' ').collect();
        let pid = site.pid("osd.1");
        let made = site.fault(&[&["on"], &words[..], &["--format", "json"]].concat()).ends(0, &[]).json();
        assert_eq!((&made["faults"][0]["name"], &made["faults"][0]["complete"]), (&words[0].into(), &true.into()));
        eventually(&format!("{words:?}"), 60, || seen(&site));
        site.fault(&[&["on"], &words[..]].concat()).ends(3, &["is on already", "fault off", &site.lab.name]);
        site.fault(&["off", words[0]]).ends(0, &[]);
        assert_eq!(site.state(), before, "{words:?} left something");
        // It has forgotten how often it was marked down.
        let started_again = || site.osd(1)["up"] == 1 && site.pid("osd.1") != pid;
        assert!(words[0] != "flapping" || started_again(), "osd.1 is down, or was not started again");
    }
    link_latency_works_or_says_why_not(&site);
    assert_eq!(site.state(), before);
    let list = site.lab.home.run(&["lab", "fault", "list", "--format", "json"]).ends(0, &[]).json();
    let all: BTreeSet<&str> =
        list["faults"].as_array().unwrap().iter().filter_map(|one| one["name"].as_str()).collect();
    let tried = cases.iter().filter_map(|(words, _)| words.split(' ').next());
    // Those of services are tried with these (object::several, lab_services).
    let elsewhere = ["link-latency", "rgw-nagle", "mds-cache", "nfs-few-workers", "bucket-few-shards", "caps-held"];
    assert_eq!(all, tried.chain(elsewhere).collect(), "a fault is not tried");
    two_at_once_are_turned_off_in_any_order(&site, &before);
    what_cannot_be_meant_is_refused(&site);
    an_osd_that_will_not_do_is_refused(&site);
    assert_eq!(site.state(), before);
}

/// netem is not in every kernel.
fn link_latency_works_or_says_why_not(site: &Site) {
    let on = site.fault(&["on", "link-latency", "host2"]);
    if on.code != 0 {
        on.ends(3, &["link-latency can't be had here", "kernel", "netem"]);
        return;
    }
    assert!(site.towards().contains("netem") && site.inside("tc", &["qdisc", "show"]).contains("netem"));
    site.fault(&["off", "link-latency"]).ends(0, &[]);
}

fn two_at_once_are_turned_off_in_any_order(site: &Site, before: &str) {
    let pairs = [
        ["disk-iops osd.1", "disk-bandwidth osd.1"],
        ["link-slow-to host2", "link-slow-from host2"],
        ["disk-iops osd.1", "wrong-db-device osd.1"],
    ];
    let limits = [("disk-iops osd.1", " 200"), ("wrong-db-device osd.1", " 100")];
    for pair in pairs {
        for [first, second] in [pair, [pair[1], pair[0]]] {
            for one in pair {
                site.fault(&[&["on"], &one.split(' ').collect::<Vec<_>>()[..]].concat()).ends(0, &[]);
            }
            let status = site.lab.home.run(&["lab", "status", "--name", &site.lab.name]);
            assert!(pair.iter().all(|one| status.out.contains(&format!("fault    {one}"))), "{}", status.out);
            site.fault(&[&["off"], &first.split(' ').collect::<Vec<_>>()[..]].concat()).ends(0, &[]);
            if let Some((_, limit)) = limits.iter().find(|(fault, _)| *fault == second) {
                assert!(site.limit("blkio.throttle.write_iops_device").contains(limit), "{second} ended with {first}");
            }
            site.fault(&[&["off"], &second.split(' ').collect::<Vec<_>>()[..]].concat()).ends(0, &[]);
            assert_eq!(site.state(), before, "{pair:?}");
        }
    }
    // A daemon that is started again is limited as before.
    site.fault(&["on", "cpu-quota", "osd.1"]).ends(0, &[]);
    site.lab.daemon("kill", "osd.1");
    site.lab.daemon("start", "osd.1");
    assert_eq!(site.limit("cpu.cfs_quota_us").trim(), "10000");
    site.fault(&["off"]).ends(0, &[]);
}

fn what_cannot_be_meant_is_refused(site: &Site) {
    let refused = |words: &str, code, says: &[&str]| {
        site.fault(&words.split(' ').collect::<Vec<_>>()).ends(code, says);
    };
    refused("on cpu-qota osd.1", 2, &["no fault called cpu-qota", "cpu-quota", "fathom lab fault list"]);
    refused("on cpu-quota osd.9", 2, &["osd.9", "osd.0, osd.1, osd.2"]);
    refused("on cpu-quota", 2, &["needs a target", "osd.0, osd.1, osd.2"]);
    refused("on mtu host9", 2, &["host9", "host1, host2, host3"]);
    refused("on path-slow host1 host1", 2, &["two hosts"]);
    refused("on flags osd.1", 2, &["flags", "it takes: none"]);
    refused("on flags --value noout,nothing", 2, &["nothing", "noscrub"]);
    refused("on cpu-quota osd.1 --value lots", 2, &["a number from 1", "lots"]);
    refused("on secure-mode --value 1", 2, &["takes no --value"]);
    refused("on osd-option osd.1 --value nonsense=1", 2, &["nonsense", "ceph config ls"]);
    refused("on osd-option osd.1 --value debug_osd=much", 2, &["debug_osd can't be \"much\""]);
    refused("on snapshot rbd/none", 2, &["rbd/none", "it takes"]);
    refused("off stutter", 3, &["stutter is not on", "on: none"]);
    site.fault(&["on", "link-slow-from", "host2"]).ends(0, &[]);
    refused("on path-slow host2 host1", 3, &["link-slow-from host2", "turn that off first"]);
    refused("off", 0, &[]);
    fault(&site.lab.home, "nolab", &["on", "stutter", "osd.0"]).ends(2, &["no lab called nolab", "fathom lab up"]);
}

/// What a fault needs of its OSD. One that was killed stays down.
fn an_osd_that_will_not_do_is_refused(site: &Site) {
    let refused = |words: &str, says: &[&str]| {
        site.fault(&words.split(' ').collect::<Vec<_>>()).ends(3, says);
    };
    let becomes = |act: &str, up: u32| {
        site.lab.daemon(act, "osd.2");
        eventually(&format!("osd.2 after {act}"), 60, || site.osd(2)["up"] == up);
    };
    let option = |prefix: &str| {
        let command = json!({"prefix": prefix, "who": "osd.2", "name": "osd_op_queue", "value": "mclock_scheduler"});
        site.rados.mon_command(&command).unwrap();
    };
    becomes("kill", 0);
    for fault in ["wrong-db-device", "recovery", "flapping"] {
        refused(&format!("on {fault} osd.2"), &["osd.2 is not running", "start it first"]);
        assert_eq!(site.pid("osd.2"), "");
    }
    option("config set");
    becomes("start", 1);
    refused("on recovery osd.2", &["osd_op_queue=mclock_scheduler", "wpq"]);
    option("config rm");
    becomes("kill", 0);
    becomes("start", 1);
}

#[test]
fn a_killed_fault_is_undone_by_off_and_by_down() {
    if !is_root() {
        return;
    }
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let site = Site::up();
    let before = site.state();
    let moments = [
        ("disk-bandwidth osd.1", [2, 8]),
        ("link-loss host2", [5, 15]),
        ("flags", [10, 60]),
        ("noisy-neighbour", [20, 80]),
        ("clone --value 64", [100, 500]),
        ("messenger-delay osd.1", [50, 400]),
        ("recovery osd.1", [200, 900]),
        ("wrong-db-device osd.1", [100, 1500]),
    ];
    for (words, moments) in moments {
        for moment in moments {
            killed(&site, words, moment);
            site.fault(&["off"]).ends(0, &[]);
            assert_eq!(site.state(), before, "{words} killed after {moment} ms left something");
        }
    }
    let (loops, mark) = (tool("losetup", &["--list"]), site.mark.clone());
    assert!(loops.contains(&site.lab.name), "{loops}");
    for (words, moment) in
        [("noisy-neighbour", 150), ("cpu-quota osd.1", 10), ("wrong-db-device osd.2", 600), ("disk-iops osd.0", 200)]
    {
        killed(&site, words, moment);
    }
    site.lab.home.run(&["lab", "down", "--name", &site.lab.name]).ends(0, &[]);
    assert!(groups(&mark).is_empty() && !site.dir.exists());
    assert!(!tool("losetup", &["--list"]).contains(&site.lab.name));
    assert!(!entries("/run/netns").iter().any(|name| name.starts_with(&mark)));
    let marked = |pid: &String| {
        fs::read(format!("/proc/{pid}/environ"))
            .is_ok_and(|all| String::from_utf8_lossy(&all).contains(&*site.dir.to_string_lossy()))
    };
    assert_eq!(entries("/proc").into_iter().filter(marked).collect::<Vec<_>>(), [""; 0]);
}

/// A supervisor that is busy does what a killed `on` asked of it later: `off` waits for that before it looks what is to be undone.
#[test]
fn what_a_killed_fault_asked_for_is_done_before_it_is_undone() {
    if !is_root() {
        return;
    }
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let site = Site::up();
    let before = site.state();
    let supervisor = entries("/proc").into_iter().find_map(|pid| {
        let words = fs::read_to_string(format!("/proc/{pid}/cmdline")).ok()?;
        let own = words.contains("\0supervisor\0") && words.contains(&format!("\"{}\"", site.lab.name));
        pid.parse::<i32>().ok().filter(|_| own)
    });
    let supervisor = supervisor.expect("the lab has a supervisor");
    tool("kill", &["-STOP", &supervisor.to_string()]);
    // It has made its device long before, and waits for the end of the OSD.
    killed(&site, "wrong-db-device osd.1", 4000);
    let off = site.lab.home.fathom(&["lab", "fault", "off", "--name", &site.lab.name]).spawn();
    thread::sleep(Duration::from_secs(4));
    tool("kill", &["-CONT", &supervisor.to_string()]);
    assert!(off.unwrap().wait().unwrap().success());
    // Whatever was still to be done is done by then.
    thread::sleep(Duration::from_secs(2));
    assert_eq!(site.state(), before);
}

/// `fault on`, killed after `moment` milliseconds.
fn killed(site: &Site, words: &str, moment: u64) {
    let words: Vec<&str> = words.split(' ').collect();
    let mut command =
        site.lab.home.fathom(&[&["lab", "fault", "on"], &words[..], &["--name", &site.lab.name]].concat());
    let mut on = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // The moment is what is tried, not a wait for something.
    thread::sleep(Duration::from_millis(moment));
    let _ = on.kill();
    let _ = on.wait();
}

#[test]
fn a_lab_without_hosts_says_which_faults_it_cannot_have() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let lab = Lab::up(&["--osds", "1", "--backing", "memory", "--size", "2G"]);
    let on = |words: &str| fault(&lab.home, &lab.name, &[&["on"], &words.split(' ').collect::<Vec<_>>()[..]].concat());
    let snapshot = lab.snapshot();
    on("link-loss here").ends(3, &["link-loss", "no hosts of its own", "fathom lab up --hosts 3"]);
    on("recovery osd.0").ends(3, &["one OSD", "--osds 3"]);
    on("disk-iops osd.0").ends(3, &["memory", "--backing loop"]);
    on("rgw-nagle").ends(3, &["does not offer rgw", "fathom lab up --with rgw"]);
    on("mds-cache").ends(3, &["does not offer cephfs", "fathom lab up --with cephfs"]);
    on("bucket-few-shards").ends(3, &["does not offer rgw", "fathom lab up --with rgw"]);
    on("caps-held").ends(3, &["does not offer cephfs", "fathom lab up --with cephfs"]);
    on("nfs-few-workers").ends(3, &["does not offer nfs", "fathom lab up --with nfs"]);
    on("stutter osd.0").ends(0, &[]);
    on("noisy-neighbour").ends(0, &[]);
    on("debug-logging osd.0").ends(0, &[]);
    fault(&lab.home, &lab.name, &["off"]).ends(0, &[]);
    assert_eq!(lab.snapshot(), snapshot);
    fault(&lab.home, &lab.name, &["off"]).ends(0, &[]);
}
