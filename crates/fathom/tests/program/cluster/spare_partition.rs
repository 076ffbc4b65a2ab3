//! A spare partition beside an OSD's: measured in the stead of their disk, and nothing but the partition is written to.

use crate::common::{Lab, eventually, tool};
use nix::unistd::{Whence, lseek};
use std::fs::{self, File, OpenOptions};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

const SECTOR: u64 = 512;
const MIB: u64 = 1 << 20;
/// Before and behind the spare partition: nobody's.
const GAP: u64 = 4 * MIB;
const SPARE: u64 = 48 * MIB;

/// The disk of an OSD, which is restarted on a partition of it.
struct Parted<'a> {
    lab: &'a Lab,
    disk: String,
    osds_bytes: u64,
}

impl Parted<'_> {
    /// The OSD's device gets larger: as much as it was is its partition now, and behind that lies a spare one.
    fn of<'a>(lab: &'a Lab, disk: &str) -> Parted<'a> {
        let mut parted = Parted { lab, disk: disk.to_string(), osds_bytes: 0 };
        let file = parted.file();
        parted.osds_bytes = fs::metadata(&file).unwrap().len();
        lab.daemon("kill", "osd.0");
        OpenOptions::new().write(true).open(&file).unwrap().set_len(parted.bytes()).unwrap();
        tool("losetup", &["--set-capacity", disk]);
        let add = |number: &str, start: u64, bytes: u64| {
            let (start, sectors) = ((start / SECTOR).to_string(), (bytes / SECTOR).to_string());
            tool("addpart", &[disk, number, &start, &sectors]);
        };
        add("1", 0, parted.osds_bytes);
        add("2", parted.osds_bytes + GAP, SPARE);
        let all = OpenOptions::new().write(true).open(disk).unwrap();
        for start in [parted.osds_bytes, parted.osds_bytes + GAP + SPARE] {
            all.write_all_at(&vec![0xA5; GAP as usize], start).unwrap();
        }
        all.sync_all().unwrap();
        let link = file.with_extension("");
        fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink(parted.of_osd(), &link).unwrap();
        lab.daemon("start", "osd.0");
        eventually("osd.0 to be up on its partition", 60, || {
            let metadata = lab.json(&["osd", "metadata", "0"]);
            let dump = lab.json(&["osd", "dump"]);
            dump["osds"][0]["up"] == 1 && metadata["bluestore_bdev_partition_path"] == parted.of_osd().as_str()
        });
        parted
    }

    fn bytes(&self) -> u64 {
        self.osds_bytes + GAP + SPARE + GAP
    }

    fn of_osd(&self) -> String {
        format!("{}p1", self.disk)
    }

    fn spare(&self) -> String {
        format!("{}p2", self.disk)
    }

    /// What lies beneath the disk.
    fn file(&self) -> PathBuf {
        let name = self.disk.trim_start_matches("/dev/");
        let file = fs::read_to_string(format!("/sys/block/{name}/loop/backing_file")).unwrap();
        PathBuf::from(file.trim_end())
    }

    /// A copy of all of it.
    fn copied(&self) -> PathBuf {
        tool("blockdev", &["--flushbufs", &self.of_osd()]);
        let copy = self.lab.home.path().join("before");
        tool("cp", &["--sparse=always", self.file().to_str().unwrap(), copy.to_str().unwrap()]);
        copy
    }

    /// Is all that is not the spare partition as in the copy?
    fn is_unchanged_beside(&self, copy: &Path) -> bool {
        tool("blockdev", &["--flushbufs", &self.of_osd()]);
        let spare = self.osds_bytes + GAP;
        let (disk, copy) = (File::open(self.file()).unwrap(), File::open(copy).unwrap());
        let size = disk.metadata().unwrap().len();
        // Where both have a hole, both are zeros.
        let data: Vec<Range<u64>> = [&disk, &copy].into_iter().flat_map(data).collect();
        assert!(!data.is_empty());
        data.iter().flat_map(|data| [data.start..data.end.min(spare), data.start.max(spare + SPARE)..data.end]).all(
            |part| {
                (part.start..part.end).step_by(1 << 20).all(|at| {
                    let read = |file: &File| {
                        let mut bytes = vec![0; (1 << 20).min(part.end - at) as usize];
                        file.read_exact_at(&mut bytes, at).map(|()| bytes).unwrap()
                    };
                    read(&disk) == read(&copy)
                })
            },
        ) && copy.metadata().unwrap().len() == size
    }
}

impl Drop for Parted<'_> {
    fn drop(&mut self) {
        self.lab.home.run(&["lab", "daemon", "kill", "osd.0", "--name", &self.lab.name]);
        ["1", "2"].iter().for_each(|number| drop(tool("delpart", &[&self.disk, number])));
    }
}

pub fn is_measured_in_its_disks_stead(lab: &Lab) {
    let status = lab.home.run(&["lab", "status", "--name", &lab.name, "--format", "json"]).json();
    let disk = status["osds"][0]["device"].as_str().unwrap().to_string();
    let parted = Parted::of(lab, &disk);
    let (osds, spare) = (parted.of_osd(), parted.spare());
    for used in [&osds, &disk] {
        lab.home.run(&["disk", used, "--fit"]).ends(3, &[used]);
        lab.home.run(&["disk", used, "--fit", "--destroy-data-on", used]).ends(3, &[used, "no way around"]);
    }
    // An OSD that is stopped has its devices open and writes nothing: all that changes was written by Fathom.
    lab.daemon("stop", "osd.0");
    let before = parted.copied();
    let short = ["--duration", "1s", "--passes", "1", "--format", "json"];
    let ran = lab.home.run(&[&["disk", &spare, "--patterns", "write-latency,write-linear"], &short[..]].concat());
    let unchanged = parted.is_unchanged_beside(&before);
    lab.daemon("cont", "osd.0");
    assert!(matches!(ran.code, 0 | 4), "{}", ran.err);
    assert!(unchanged, "something beside {spare} was written to");
    let (document, beside) =
        (ran.json(), format!("{spare} lies on the disk of osd.0, which serves its cluster meanwhile"));
    let warned =
        document["warnings"].as_array().unwrap().iter().any(|text| text.as_str().unwrap().starts_with(&beside));
    assert!(warned, "{}", document["warnings"]);
    assert!(document["figures"].as_array().unwrap().iter().all(|figure| figure["errors"] == 0), "{document}");

    let given_up = ["--fit", "--working-set", "16M", "--destroy-data-on", &spare];
    let ran = lab.home.run(&[&["disk", &spare], &given_up[..], &short[..]].concat());
    assert!(matches!(ran.code, 0 | 4 | 5), "{}", ran.err);
    let document = ran.json();
    let drive = &document["drives"][0];
    assert_eq!((&drive["target"], &drive["beside"]), (&spare.as_str().into(), &serde_json::json!([0])), "{drive:#}");
    let told = drive["reasons"].as_array().unwrap().iter().any(|reason| reason["reason"] == "beside");
    assert!(told && drive["says"].as_str().unwrap().ends_with(", under the load of osd.0"), "{drive:#}");
    // It served meanwhile, and its store is as it should be.
    lab.daemon("kill", "osd.0");
    let store = parted.file().with_file_name("").display().to_string();
    tool("ceph-bluestore-tool", &["fsck", "--path", &store]);
}

/// Where a file has data, by its file system.
fn data(file: &File) -> Vec<Range<u64>> {
    let seek = |at: u64, whence| lseek(file, at as i64, whence).ok().map(|at| at as u64);
    let extent = |from: u64| {
        let start = seek(from, Whence::SeekData)?;
        Some(start..seek(start, Whence::SeekHole)?)
    };
    std::iter::successors(extent(0), |last| extent(last.end)).collect()
}
