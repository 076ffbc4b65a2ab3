//! The ceph.conf of a lab: real defaults where they shape performance, quick ones where they shape waiting.

use crate::dirs::Dirs;
use crate::lab::LabCluster;
use crate::monitor::POOL_PGS;
use crate::spec::Spec;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Where the monitor listens: msgr2 at `port`, msgr1 at `port1`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ports {
    pub msgr2: u16,
    pub msgr1: u16,
    /// First and last port of the other daemons.
    pub bind: (u16, u16),
}

/// The directories in which distributions keep the OSD's object classes.
fn class_dir() -> Option<PathBuf> {
    let arch = std::env::consts::ARCH;
    let mut places = vec![format!("/usr/lib/{arch}-linux-gnu/rados-classes")];
    places.extend(
        ["/usr/lib64/rados-classes", "/usr/lib/rados-classes", "/usr/local/lib/rados-classes"].map(String::from),
    );
    places.into_iter().map(PathBuf::from).find(|place| place.is_dir())
}

pub(crate) fn text(spec: &Spec, lab: &LabCluster, dirs: &Dirs, ports: Ports, modules: Option<&Path>) -> String {
    let mut conf = Conf(String::new());
    conf.global(spec, lab, dirs, ports);
    conf.mon(dirs, spec);
    conf.mgr(lab, dirs, spec, modules);
    conf.osds(lab, dirs, spec);
    conf.0
}

struct Conf(String);

impl Conf {
    fn section(&mut self, name: &str) {
        let _ = writeln!(self.0, "{}[{name}]", if self.0.is_empty() { "" } else { "\n" });
    }

    fn set(&mut self, name: &str, value: impl std::fmt::Display) {
        let _ = writeln!(self.0, "{name} = {value}");
    }

    fn set_path(&mut self, name: &str, value: &Path) {
        self.set(name, value.display());
    }

    fn global(&mut self, spec: &Spec, lab: &LabCluster, dirs: &Dirs, ports: Ports) {
        self.section("global");
        self.set("fsid", &lab.fsid);
        let address = &lab.first_host().address;
        self.set("mon host", format_args!("[v2:{address}:{},v1:{address}:{}]", ports.msgr2, ports.msgr1));
        self.set("mon initial members", "a");
        self.set_path("keyring", &dirs.keyring());
        self.set_path("run dir", &dirs.run());
        self.set_path("crash dir", &dirs.dir.join("crash"));
        self.set("ms bind port min", ports.bind.0);
        self.set("ms bind port max", ports.bind.1);
        self.set("osd pool default size", spec.replicas());
        self.set("osd pool default pg num", POOL_PGS);
        // A lab's pools stay as they were made: PGs that split under a measurement would spoil it.
        self.set("osd pool default pg autoscale mode", "off");
        self.set("osd crush chooseleaf type", u32::from(spec.hosts >= spec.replicas()));
        if !spec.with.is_empty() {
            // On three OSDs each has a part of every group.
            self.set("mon max pg per osd", 1000);
        }
        self.set("mon allow pool delete", true);
        self.set("mon allow pool size one", true);
        self.set("mon warn on pool no redundancy", false);
        self.set("auth allow insecure global id reclaim", false);
    }

    /// What each daemon would else put under /var and /tmp.
    fn daemon_files(&mut self, dirs: &Dirs) {
        self.set("log file", dirs.logs().join("$name.log").display());
        self.set("admin socket", dirs.run().join("$name.asok").display());
        self.set("pid file", "");
        // Its options alone fill megabytes at every start.
        self.set("debug rocksdb", "1/5");
    }

    fn mon(&mut self, dirs: &Dirs, spec: &Spec) {
        self.section("mon");
        self.daemon_files(dirs);
        self.set("mon data", dirs.data(spec.backing).join("mon.a").display());
        self.set_path("mon cluster log file", &dirs.log("cluster"));
        self.set_path("mon debug dump location", &dirs.log("mon.dump"));
        self.set("mon data avail warn", 1);
        self.set("mon data avail crit", 0);
        // A monitor alone need not collect changes before it proposes them; by default each costs a second.
        self.set("paxos propose interval", 0.05);
        self.set("paxos min wait", 0.02);
        self.set("mon tick interval", 1);
        self.set("mgr initial modules", "");
    }

    fn mgr(&mut self, lab: &LabCluster, dirs: &Dirs, spec: &Spec, modules: Option<&Path>) {
        self.section("mgr");
        self.daemon_files(dirs);
        self.set("mgr data", dirs.data(spec.backing).join("mgr.x").display());
        self.set("public addr", &lab.first_host().address);
        self.set("mgr stats period", 1);
        self.set("mgr tick period", 1);
        if let Some(modules) = modules {
            self.set_path("mgr module path", modules);
        }
        // No pool of the manager's own, which would come some time after the lab is ready (from 17.2 on; see also `monitor.rs`).
        self.set("mgr pool", false);
    }

    fn osds(&mut self, lab: &LabCluster, dirs: &Dirs, spec: &Spec) {
        self.section("osd");
        self.daemon_files(dirs);
        self.set("osd data", dirs.data(spec.backing).join("$name").display());
        self.set("osd objectstore", "bluestore");
        self.set("osd crush update on start", false);
        if let Some(dir) = class_dir() {
            self.set_path("osd class dir", &dir);
        }
        // Small and fixed, so that many OSDs fit and that reads reach the device as they would with more data.
        self.set("bluestore cache autotune", false);
        self.set("bluestore cache size", 128 << 20);
        // To check what was just made takes half a second.
        self.set("bluestore fsck on mkfs", false);
        // Making and starting an OSD closes its device nine times, and each time waits for the end of such a poll, which is
        // 250 ms by default. An OSD at work is woken by its completions.
        self.set("bdev aio poll ms", 25);
        // From 17.2 on an OSD measures its disk when it starts, which takes seconds.
        self.set("osd mclock skip benchmark", true);
        for osd in &lab.osds {
            self.section(&format!("osd.{}", osd.id));
            let host = lab.host(&osd.host);
            self.set("public addr", &host.address);
            self.set("cluster addr", host.cluster_address.as_ref().unwrap_or(&host.address));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::Subnets;

    #[test]
    fn nothing_is_put_outside_the_lab() {
        let dirs = Dirs::in_labs(Path::new("/labs"), "x");
        let spec = Spec { hosts: 3, ..Spec::default() };
        let subnets = Subnets { public: [10, 1, 2], cluster: Some([10, 1, 3]) };
        let lab = LabCluster::drafted(&spec, &dirs, "F".to_owned(), Some(subnets));
        let ports = Ports { msgr2: 3300, msgr1: 6789, bind: (6800, 7300) };
        let text = text(&spec, &lab, &dirs, ports, None);
        assert!(text.contains("mon host = [v2:10.1.2.1:3300,v1:10.1.2.1:6789]"), "{text}");
        assert!(text.contains("osd crush chooseleaf type = 1"), "{text}");
        assert!(text.contains("[osd.2]\npublic addr = 10.1.2.3\ncluster addr = 10.1.3.3\n"), "{text}");
        for line in text.lines().filter(|line| line.contains(" /") && !line.starts_with("osd class dir")) {
            assert!(line.contains(" /labs/x/"), "{line}");
        }
    }
}
