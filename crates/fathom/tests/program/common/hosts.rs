//! Hosts for tests: network namespaces on a bridge, each with an sshd of its own, reached by the real ssh.

use super::Home;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How a host differs from a plain one.
#[derive(Default, Clone)]
pub struct Odd {
    /// Run before sshd, in a mount namespace of its own: a full or read-only file system.
    pub before: String,
    /// Instead of what is asked for; `$SSH_ORIGINAL_COMMAND` is that.
    pub force: Option<String>,
    pub mtu: Option<u32>,
}

/// Two would find the same network free.
static WIRING: Mutex<()> = Mutex::new(());

pub struct Hosts {
    pub home: Home,
    /// Keys, configurations and the hosts' caches: outside of /tmp, which a host may have another one of.
    pub folder: tempfile::TempDir,
    names: Vec<String>,
    bridge: String,
    /// Byte of their network.
    third: u8,
    daemons: Vec<Child>,
}

impl Hosts {
    /// Only root can have them.
    pub fn new(odd: &[Odd]) -> Hosts {
        assert!(
            nix::unistd::geteuid().is_root(),
            "hosts in network namespaces need root; `make test-fast` has no such test"
        );
        assert!(Path::new("/usr/sbin/sshd").exists(), "install openssh-server; make test does");
        // Nowhere that a host may have another file system of its own over.
        let folder = tempfile::Builder::new().prefix("fathom-hosts-").tempdir_in("/root").unwrap();
        let tag: String = folder.path().to_string_lossy().chars().rev().take(6).collect::<String>().to_lowercase();
        let names = (1..=odd.len()).map(|number| format!("ft{tag}h{number}")).collect();
        let home = Home::new();
        let mut hosts = Hosts { home, folder, names, bridge: format!("ft{tag}b"), third: 0, daemons: Vec::new() };
        let one_at_a_time = WIRING.lock().unwrap_or_else(PoisonError::into_inner);
        hosts.third = free_third();
        hosts.wire(odd);
        drop(one_at_a_time);
        hosts.listen(odd);
        hosts
    }

    /// The names, as `--hosts` takes them.
    pub fn list(&self) -> String {
        self.names.join(",")
    }

    pub fn name(&self, index: usize) -> &str {
        &self.names[index]
    }

    pub fn config(&self) -> String {
        self.folder.path().join("ssh_config").to_string_lossy().into_owned()
    }

    /// The process of a host's sshd.
    pub fn daemon(&self, index: usize) -> u32 {
        self.daemons[index].id()
    }

    /// Cuts or joins a host's link.
    pub fn link(&self, index: usize, up: bool) {
        must("ip", &["link", "set", &self.port(index), if up { "up" } else { "down" }]);
    }

    /// A token bucket on the way towards a host.
    pub fn slow_down(&self, index: usize, rate: &str) {
        let words = [
            "qdisc",
            "replace",
            "dev",
            &self.port(index),
            "root",
            "tbf",
            "rate",
            rate,
            "burst",
            "64kb",
            "limit",
            "1mb",
        ];
        must("tc", &words);
    }

    /// Moves these hosts to a second switch, with an uplink of this rate between the two.
    pub fn move_behind(&self, indices: &[usize], rate: &str) {
        let stem = &self.bridge[..self.bridge.len() - 1];
        let (second, near, far) = (format!("{stem}c"), format!("{stem}u"), format!("{stem}v"));
        must("ip", &["link", "add", &second, "type", "bridge"]);
        must("ip", &["link", "add", &near, "type", "veth", "peer", "name", &far]);
        for (end, bridge) in [(&near, &self.bridge), (&far, &second)] {
            must("ip", &["link", "set", end, "master", bridge, "up"]);
            must("tc", &["qdisc", "replace", "dev", end, "root", "tbf", "rate", rate, "burst", "64kb", "limit", "1mb"]);
        }
        must("ip", &["link", "set", &second, "up"]);
        indices.iter().for_each(|index| must("ip", &["link", "set", &self.port(*index), "master", &second]));
    }

    /// A second way from a host to the switch, on which every other stream goes, of this rate: what a bond with a bad leg does to what it
    /// sends, on a kernel that may have no bonds.
    pub fn two_ways(&self, index: usize, rate: &str) {
        let (name, port) = (self.name(index), format!("{}x{index}", &self.bridge[..self.bridge.len() - 1]));
        must("ip", &["link", "add", &port, "type", "veth", "peer", "name", "eth1", "netns", name]);
        must("ip", &["link", "set", &port, "master", &self.bridge, "up"]);
        let inside =
            |words: &str| must("ip", &[&["netns", "exec", name], &words.split(' ').collect::<Vec<_>>()[..]].concat());
        // One of the two interfaces answers for the address, and streams are spread by their ports.
        inside(
            "sysctl -qw net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.eth1.rp_filter=0",
        );
        inside("sysctl -qw net.ipv4.fib_multipath_hash_policy=1");
        inside("ip link set eth1 up");
        inside(&format!("tc qdisc replace dev eth1 root tbf rate {rate} burst 64kb limit 1mb"));
        for other in (0..self.names.len()).filter(|other| *other != index) {
            let there = format!("10.232.{}.{}", self.third, other + 1);
            inside(&format!("ip route add {there}/32 nexthop dev eth0 nexthop dev eth1"));
        }
    }

    fn port(&self, index: usize) -> String {
        format!("{}p{index}", &self.bridge[..self.bridge.len() - 1])
    }

    fn wire(&self, odd: &[Odd]) {
        let third = self.third;
        must("ip", &["link", "add", &self.bridge, "type", "bridge"]);
        must("ip", &["address", "add", &format!("10.232.{third}.254/24"), "dev", &self.bridge]);
        must("ip", &["link", "set", &self.bridge, "up"]);
        let mut config = format!(
            "UserKnownHostsFile {0}/known\nStrictHostKeyChecking accept-new\nIdentityFile {0}/key\nIdentitiesOnly yes\nUser root\n",
            self.folder.path().display()
        );
        for (index, name) in self.names.iter().enumerate() {
            let (port, address) = (self.port(index), format!("10.232.{third}.{}", index + 1));
            must("ip", &["netns", "add", name]);
            must("ip", &["link", "add", &port, "type", "veth", "peer", "name", "eth0", "netns", name]);
            must("ip", &["link", "set", &port, "master", &self.bridge, "up"]);
            must("ip", &["-n", name, "address", "add", &format!("{address}/24"), "dev", "eth0"]);
            if let Some(mtu) = odd[index].mtu {
                must("ip", &["-n", name, "link", "set", "eth0", "mtu", &mtu.to_string()]);
            }
            must("ip", &["-n", name, "link", "set", "eth0", "up"]);
            must("ip", &["-n", name, "link", "set", "lo", "up"]);
            config += &format!("Host {name}\n  HostName {address}\n");
        }
        fs::write(self.folder.path().join("ssh_config"), config).unwrap();
    }

    fn listen(&mut self, odd: &[Odd]) {
        let folder = self.folder.path().to_path_buf();
        fs::create_dir_all("/run/sshd").unwrap();
        must("ssh-keygen", &["-q", "-t", "ed25519", "-N", "", "-f", &text(&folder.join("key"))]);
        fs::copy(folder.join("key.pub"), folder.join("allowed")).unwrap();
        for (index, name) in self.names.clone().iter().enumerate() {
            let key = folder.join(format!("hostkey{index}"));
            must("ssh-keygen", &["-q", "-t", "ed25519", "-N", "", "-f", &text(&key)]);
            let home = folder.join(format!("home{index}"));
            fs::create_dir(&home).unwrap();
            let force = odd[index].force.as_ref().map(|force| format!("ForceCommand {force}\n")).unwrap_or_default();
            let config = format!(
                "Port 22\nHostKey {}\nAuthorizedKeysFile {}/allowed\nPidFile none\nStrictModes no\nUsePAM no\n\
                 PermitRootLogin prohibit-password\nPasswordAuthentication no\nSetEnv XDG_CACHE_HOME={}\nMaxStartups 100\n{force}",
                key.display(),
                folder.display(),
                home.display(),
            );
            let file = folder.join(format!("sshd_config{index}"));
            fs::write(&file, config).unwrap();
            let script = format!("{}\nexec /usr/sbin/sshd -D -e -f {}", odd[index].before, file.display());
            let script = script.replace("HOME_OF_IT", &text(&home));
            let log = fs::File::create(folder.join(format!("sshd{index}.log"))).unwrap();
            // A host's agents do not wait for the tests beside this one.
            let daemon = Command::new("nice")
                .args(["-n", "-10", "ip", "netns", "exec", name, "sh", "-c", &script])
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(log)
                .spawn()
                .unwrap();
            self.daemons.push(daemon);
        }
        for index in 0..self.names.len() {
            let log = folder.join(format!("sshd{index}.log"));
            let deadline = Instant::now() + Duration::from_secs(10);
            while !fs::read_to_string(&log).unwrap_or_default().contains("Server listening on 0.0.0.0") {
                assert!(Instant::now() < deadline, "{}", fs::read_to_string(&log).unwrap_or_default());
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        for name in &self.names {
            // All that runs in it: sshd, its sessions, agents.
            let pids = Command::new("ip").args(["netns", "pids", name]).output();
            let pids = pids.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
            for pid in pids.split_whitespace() {
                let _ = Command::new("kill").args(["-9", pid]).status();
            }
            let _ = Command::new("ip").args(["netns", "delete", name]).status();
        }
        self.daemons.iter_mut().for_each(|daemon| drop(daemon.wait()));
        for index in 0..self.names.len() {
            let _ = Command::new("ip").args(["link", "delete", &self.port(index)]).stderr(Stdio::null()).status();
        }
        let _ = Command::new("ip").args(["link", "delete", &self.bridge]).status();
        let stem = &self.bridge[..self.bridge.len() - 1];
        for second in ["c", "u"] {
            let words = ["link", "delete", &format!("{stem}{second}")];
            let _ = Command::new("ip").args(words).stderr(Stdio::null()).status();
        }
    }
}

/// The third byte of a /24 network of 10.232.0.0/16 that this host does not use.
fn free_third() -> u8 {
    let used = Command::new("ip").args(["-4", "-oneline", "address"]).output().unwrap();
    let used = String::from_utf8_lossy(&used.stdout).into_owned();
    let first = (std::process::id() % 251) as u8;
    (0..=u8::MAX)
        .map(|step| first.wrapping_add(step))
        .find(|third| !used.contains(&format!("10.232.{third}.")))
        .unwrap()
}

fn text(path: &Path) -> String {
    PathBuf::from(path).to_string_lossy().into_owned()
}

#[track_caller]
fn must(program: &str, arguments: &[&str]) {
    let output = Command::new(program).args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {}: {said}", arguments.join(" "));
}

/// Waits until something holds, and fails if it does not within `seconds`.
#[track_caller]
pub fn soon(what: &str, seconds: u64, holds: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(seconds);
    while !holds() {
        assert!(Instant::now() < deadline, "not within {seconds} s: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Processes of agents that have files without a name open in that folder: one for as long as they are there, another
/// while they load it.
pub fn nameless(folder: &str) -> Vec<String> {
    let is_agent = |pid: &String| {
        fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default().contains("/fathom\0agent")
    };
    let pids = fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let has_one = |pid: &String| {
        let files = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        let mut links = files.filter_map(|file| fs::read_link(file.path()).ok());
        links.any(|link| link.to_string_lossy().starts_with(folder))
    };
    pids.filter(is_agent).filter(has_one).collect()
}
