//! Contents and states of real devices, made with the real tools: each is refused or accepted rightly, and not a byte changes.

use cluster::devices::{Proven, Refusal};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const TIB: u64 = 1 << 40;

/// A loop device over a sparse file, detached when dropped.
struct Device {
    path: PathBuf,
    file: tempfile::NamedTempFile,
}

impl Device {
    fn of(bytes: u64) -> Device {
        let file = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        file.as_file().set_len(bytes).unwrap();
        let path = tool("losetup", &["--find", "--show", &file.path().display().to_string()]).unwrap();
        Device { path: path.into(), file }
    }

    fn name(&self) -> &str {
        self.path.to_str().unwrap()
    }

    fn write(&self, at: u64, bytes: &[u8]) {
        let device = File::options().write(true).open(&self.path).unwrap();
        device.write_all_at(bytes, at).unwrap();
        device.sync_all().unwrap();
    }

    /// Its blocks that are not zeros, by their places. Where the file system keeps zeros is its own affair.
    fn content(&self) -> BTreeMap<i64, Vec<u8>> {
        use nix::unistd::{Whence, lseek64};
        let file = self.file.reopen().unwrap();
        let (mut at, mut found) = (0, BTreeMap::new());
        while let Ok(start) = lseek64(&file, at, Whence::SeekData) {
            at = lseek64(&file, start, Whence::SeekHole).unwrap();
            let mut bytes = vec![0; (at - start) as usize];
            file.read_exact_at(&mut bytes, start as u64).unwrap();
            let blocks = (start..).step_by(512).zip(bytes.chunks(512));
            found.extend(
                blocks.filter(|(_, block)| *block != &[0; 512][..block.len()]).map(|(at, block)| (at, block.to_vec())),
            );
        }
        found
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        let _ = tool("losetup", &["-d", self.name()]);
    }
}

/// One test at a time: a child of another one would, until it is what it shall be, have this one's files open as well.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn tool(program: &str, arguments: &[&str]) -> Result<String, String> {
    let path = format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default());
    let output = Command::new(program).args(arguments).env("PATH", path).output();
    let output = output.map_err(|error| format!("{program}: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_string()),
        false => Err(format!("{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr))),
    }
}

/// How a content is made.
enum Made {
    /// Nothing was ever written.
    Never,
    /// With a tool; the device's path is its last argument.
    Tool(&'static [&'static str]),
    /// The format's own bytes at their places.
    Bytes(&'static [(u64, &'static [u8])]),
    /// With a tool; then these parts (place, length) are made zeros.
    Wiped(&'static [&'static str], &'static [(u64, u64)]),
    /// Bytes counted from the end.
    End(u64, &'static [u8]),
}
use Made::{Bytes, End, Never, Tool, Wiped};

const EXT4: &[&str] = &["mkfs.ext4", "-q", "-F", "-b", "4096", "-E", "nodiscard"];
const EXT4_1K: &[&str] = &["mkfs.ext4", "-q", "-F", "-b", "1024", "-E", "nodiscard"];
const EXT4_2K: &[&str] = &["mkfs.ext4", "-q", "-F", "-b", "2048", "-E", "nodiscard"];
const XFS: &[&str] = &["mkfs.xfs", "-q", "-f", "-K"];
const BTRFS: &[&str] = &["mkfs.btrfs", "-q", "-f", "-K"];
const F2FS: &[&str] = &["mkfs.f2fs", "-q", "-f"];
const GPT: &[&str] = &["sgdisk", "-n", "1:0:0"];
const HEAD: &[(u64, u64)] = &[(0, 64 * MIB)];
const EXT: &[u8] = b"\x53\xef";
const BLUESTORE: &[u8] = b"bluestore block device\n";
const RAID: &[u8] = b"\xfc\x4e\x2b\xa9";
const ZFS: &[u8] = b"\x0c\xb1\xba\0\0\0\0\0";

/// What is made; how large; how; what the refusal has to say, empty: it is accepted.
#[rustfmt::skip]
const CONTENTS: &[(&str, u64, Made, &str)] = &[
    ("never written, small", 64 * MIB, Never, ""),
    ("never written, odd size", 64 * MIB + 512, Never, ""),
    ("never written, 300 GiB", 300 * GIB, Never, ""),
    ("never written, 2 TiB", 2 * TIB, Never, ""),
    ("zeros that were written", 300 * MIB, Bytes(&[(0, &[0; 65536]), (200 * MIB, &[0; 4096])]), ""),
    ("ext2", 64 * MIB, Tool(&["mkfs.ext2", "-q", "-F"]), "ext2/3/4"),
    ("ext4", 64 * MIB, Tool(EXT4), "ext2/3/4"),
    ("ext4, 1 KiB blocks", 64 * MIB, Tool(EXT4_1K), "ext2/3/4"),
    ("ext4 at 1 MiB", 64 * MIB, Bytes(&[(MIB + 0x438, EXT)]), "ext2/3/4 file system at byte 1048576"),
    ("ext4 in an old partition", 64 * MIB, Bytes(&[(32256 + 0x438, EXT)]), "ext2/3/4"),
    ("ext4, first 64 MiB wiped", 2 * GIB, Wiped(EXT4, HEAD), "holds"),
    ("ext4 1 KiB blocks, wiped", 2 * GIB, Wiped(EXT4_1K, HEAD), "holds"),
    ("ext4 2 KiB blocks, wiped", 2 * GIB, Wiped(EXT4_2K, HEAD), "holds"),
    ("one ext backup, 4 KiB", 300 * GIB, Bytes(&[(49 * 128 * MIB + 0x38, EXT)]), "copy of an ext2/3/4 superblock"),
    ("one ext backup, 2 KiB", 300 * GIB, Bytes(&[(125 * 32 * MIB + 0x38, EXT)]), "copy of an ext2/3/4 superblock"),
    ("one ext backup, 1 KiB", 300 * GIB, Bytes(&[(343 * 8 * MIB + KIB + 0x38, EXT)]), "copy of an ext2/3/4 superblock"),
    ("XFS", 512 * MIB, Tool(XFS), "XFS"),
    ("XFS, wiped edges", 2 * GIB, Wiped(XFS, &[(0, 64 * MIB), (2 * GIB - 64 * MIB, 64 * MIB)]), "XFS allocation group"),
    ("XFS of 6 TiB, one group", 6 * TIB, Bytes(&[(4 * TIB, b"XFSB")]), "XFS allocation group"),
    ("btrfs", 256 * MIB, Tool(BTRFS), "btrfs"),
    ("btrfs, only its mirror at 64 MiB", 300 * MIB, Bytes(&[(64 * MIB + 0x40, b"_BHRfS_M")]), "copy of a btrfs"),
    ("btrfs, only its mirror at 256 GiB", 300 * GIB, Bytes(&[(256 * GIB + 0x40, b"_BHRfS_M")]), "copy of a btrfs"),
    ("F2FS", 128 * MIB, Tool(F2FS), "F2FS"),
    ("F2FS, first superblock wiped", 128 * MIB, Wiped(F2FS, &[(0, 4096)]), "holds"),
    ("FAT32", 64 * MIB, Tool(&["mkfs.vfat", "-F", "32"]), "FAT"),
    ("FAT16", 64 * MIB, Tool(&["mkfs.vfat", "-F", "16"]), "FAT"),
    ("exFAT", 64 * MIB, Tool(&["mkfs.exfat"]), "exFAT"),
    ("NTFS", 64 * MIB, Tool(&["mkntfs", "-q", "-F", "-Q"]), "NTFS"),
    ("NTFS, only its last sector", 64 * MIB, End(512, b"\xeb\x52\x90NTFS    "), "last MiB"),
    ("swap", 64 * MIB, Tool(&["mkswap", "-q"]), "swap"),
    ("swap of 64 KiB pages", 64 * MIB, Bytes(&[(65526, b"SWAPSPACE2")]), "swap"),
    ("GPT", 64 * MIB, Tool(GPT), "partition table"),
    ("GPT, only its copy", 300 * MIB, Wiped(GPT, &[(0, MIB)]), "holds"),
    ("MBR", 64 * MIB, Bytes(&[(510, b"\x55\xaa")]), "partition table"),
    ("LVM physical volume", 64 * MIB, Tool(&["pvcreate", "-q", "-y", "-ff"]), "LVM"),
    ("LVM, metadata at the end", 300 * MIB, End(MIB, b"\x11\x22\x33\x44 LVM2 x[5A%r0N*>"), "LVM metadata"),
    ("RAID 0.90", 64 * MIB, End(64 * KIB, RAID), "RAID member"),
    ("RAID 1.0", 64 * MIB, End(8 * KIB, RAID), "RAID member"),
    ("RAID 1.1", 64 * MIB, Bytes(&[(0, RAID)]), "RAID member"),
    ("RAID 1.2", 64 * MIB, Bytes(&[(4096, RAID)]), "RAID member"),
    ("RAID of a controller, DDF", 64 * MIB, End(512, b"\xde\x11\xde\x11"), "DDF"),
    ("RAID of a controller, Intel", 64 * MIB, End(1024, b"Intel Raid ISM Cfg Sig. "), "Intel"),
    ("LUKS1", 64 * MIB, Tool(&["sh", "-c", "printf x | cryptsetup -q luksFormat --type luks1 --iter-time 1 --key-file - $0"]), "LUKS"),
    ("LUKS2", 64 * MIB, Tool(&["sh", "-c", "printf x | cryptsetup -q luksFormat --type luks2 --pbkdf pbkdf2 --iter-time 1 --key-file - $0"]), "LUKS"),
    ("LUKS2, only its second header", 64 * MIB, Bytes(&[(16 * KIB, b"SKUL\xba\xbe")]), "copy of a LUKS2 header"),
    ("bcache", 64 * MIB, Bytes(&[(0x1018, b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca")]), "bcache"),
    ("BlueStore", 64 * MIB, Bytes(&[(0, BLUESTORE)]), "BlueStore label"),
    ("BlueStore, copy at 1 GiB", 1200 * GIB, Bytes(&[(GIB, BLUESTORE)]), "copy of a Ceph BlueStore label at byte 1073741824, 1 GiB"),
    ("BlueStore, copy at 10 GiB", 1200 * GIB, Bytes(&[(10 * GIB, BLUESTORE)]), "copy of a Ceph BlueStore label"),
    ("BlueStore, copy at 100 GiB", 1200 * GIB, Bytes(&[(100 * GIB, BLUESTORE)]), "copy of a Ceph BlueStore label"),
    ("BlueStore, copy at 1000 GiB", 1200 * GIB, Bytes(&[(1000 * GIB, BLUESTORE)]), "copy of a Ceph BlueStore label"),
    ("ZFS", 64 * MIB, Bytes(&[(128 * KIB, ZFS)]), "ZFS"),
    ("ZFS, only its last label", 64 * MIB, End(128 * KIB, ZFS), "ZFS"),
    ("JFS", 64 * MIB, Bytes(&[(0x8000, b"JFS1")]), "JFS"),
    ("OCFS2, copy at 4 GiB", 300 * GIB, Bytes(&[(4 * GIB, b"OCFSV2")]), "not know"),
    ("HFS+", 64 * MIB, Bytes(&[(0x400, b"H+")]), "HFS+"),
    ("squashfs", 64 * MIB, Bytes(&[(0, b"hsqs")]), "squashfs"),
    ("ISO 9660", 64 * MIB, Bytes(&[(0x8001, b"CD001")]), "ISO 9660"),
    ("one byte at 15 MiB", 64 * MIB, Bytes(&[(15 * MIB + 7, b"x")]), "byte 15728647"),
    ("one byte in the middle", 200 * MIB, Bytes(&[(100 * MIB + 12345, b"x")]), "not zero"),
    ("one byte at the very end", 64 * MIB, End(1, b"x"), "last MiB"),
    ("the last sector of an odd size", 300 * MIB + 512, End(1, b"x"), "last MiB"),
    ("data at 1 TiB alone", 2 * TIB, Bytes(&[(TIB, b"x")]), "byte 1099511627776, 1024 GiB"),
    ("data at 1.4 TiB alone", 2 * TIB, Bytes(&[(1_555_555_555_555, b"x")]), "not zero"),
    ("a partition at 100 GiB, its table gone", 300 * GIB, Bytes(&[(100 * GIB + MIB + 0x438, EXT)]), "holds"),
];

/// Tests beside this one look for a free loop device, and open this one to be told that it is none: that is over in a moment.
fn prove(path: &Path, given_up: bool, tell: &(dyn Fn(f64) + Sync)) -> Result<Option<Proven>, Refusal> {
    let passing = |found: &Result<Option<Proven>, Refusal>| matches!(found, Err(Refusal::Holds { what, .. }) if what.ends_with("(losetup)"));
    let mut tries = std::iter::repeat_with(|| cluster::devices::prove(path, given_up, tell)).take(20);
    let settled = tries.find(|found| {
        let passing = passing(found);
        if passing {
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
        !passing
    });
    settled.unwrap_or_else(|| cluster::devices::prove(path, given_up, tell))
}

#[test]
fn what_holds_anything_is_refused_and_what_is_empty_accepted() {
    let _alone = alone();
    assert!(CONTENTS.len() >= 60);
    let mut wrong = Vec::new();
    for (what, bytes, made, says) in CONTENTS {
        let device = Device::of(*bytes);
        if let Err(why) = make(&device, *bytes, made) {
            // A tool that is not here is one content less, and said.
            eprintln!("skipped: {what}: {why}");
            assert!(why.contains("No such file") || why.contains("not found"), "{what}: {why}");
            continue;
        }
        let before = device.content();
        let proven = prove(&device.path, false, &|_| ());
        match (&proven, says.is_empty()) {
            (Ok(Some(_)), true) => {}
            (Err(Refusal::Holds { what: told, .. }), false) if told.contains(says) => {}
            _ => wrong.push(format!("{what}: {proven:?}, expected {says:?}")),
        }
        drop(proven);
        let given_up = prove(&device.path, true, &|_| ());
        if !matches!(given_up, Ok(Some(_))) {
            wrong.push(format!("{what}, given up: {given_up:?}"));
        }
        drop(given_up);
        assert!(device.content() == before, "{what}: bytes have changed");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn make(device: &Device, bytes: u64, made: &Made) -> Result<(), String> {
    let with = |words: &[&str]| tool(words[0], &[&words[1..], &[device.name()]].concat()).map(drop);
    match made {
        Never => {}
        Tool(words) => with(words)?,
        Bytes(parts) => parts.iter().for_each(|(at, bytes)| device.write(*at, bytes)),
        Wiped(words, parts) => {
            with(words)?;
            parts.iter().for_each(|(at, len)| device.write(*at, &vec![0; *len as usize]));
        }
        End(before, content) => device.write(bytes - before, content),
    }
    Ok(())
}

/// Its file is not to be had, as of a disk: the device itself is looked at.
#[test]
fn of_a_large_device_a_second_try_sees_what_the_first_one_saw() {
    let _alone = alone();
    let device = Device::of(300 * GIB);
    fs::remove_file(device.file.path()).unwrap();
    let proven = prove(&device.path, false, &|_| ()).unwrap().unwrap();
    let told = proven.unseen.join("\n");
    assert!(told.contains("taken for empty") && told.contains("of 300.0 GiB were looked at"), "{told}");
    drop(proven);
    // Longer than what lies between two probes.
    device.write(123 * GIB + 77 * MIB, &vec![0x5a; 76 << 20]);
    for _ in 0..3 {
        assert!(matches!(prove(&device.path, false, &|_| ()), Err(Refusal::Holds { .. })));
    }
}

#[test]
fn a_byte_behind_a_gibibyte_of_written_zeros_is_found() {
    let _alone = alone();
    let device = Device::of(1300 * MIB);
    (0..1300).for_each(|number| device.file.as_file().write_all_at(&[0; MIB as usize], number * MIB).unwrap());
    let proven = prove(&device.path, false, &|_| ()).unwrap().unwrap();
    assert!(proven.unseen.is_empty(), "all of it was read: {:?}", proven.unseen);
    drop(proven);
    device.write(1126 * MIB + 333_333, b"x");
    assert!(matches!(prove(&device.path, false, &|_| ()), Err(Refusal::Holds { .. })));
}

/// Refused, given up or not, with these words.
#[track_caller]
fn in_use(path: &Path, says: &str) {
    for given_up in [false, true] {
        match prove(path, given_up, &|_| ()) {
            Err(Refusal::Holds { what, mend, .. }) if what.contains(says) => assert!(mend.contains("no way around")),
            other => panic!("{}: {other:?}, expected {says:?}", path.display()),
        }
    }
}

/// Undone when dropped.
struct Undo(&'static [&'static str], String);

impl Drop for Undo {
    fn drop(&mut self) {
        let _ = tool(self.0[0], &[&self.0[1..], &[self.1.as_str()]].concat());
    }
}

/// A process that does this until its input ends.
struct Other(Child);

impl Other {
    fn doing(program: &str, arguments: &[&str]) -> Other {
        Other(Command::new(program).args(arguments).stdin(Stdio::piped()).spawn().unwrap())
    }

    fn opens(&self, file: u32) {
        let path = format!("/proc/{}/fd/{file}", self.0.id());
        until(|| fs::metadata(&path).is_ok());
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

fn until(mut happened: impl FnMut() -> bool) {
    let begun = std::time::Instant::now();
    while !happened() {
        assert!(begun.elapsed().as_secs() < 30, "it did not happen");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

#[test]
fn a_device_in_use_is_refused_by_whatever_means_it_is_used() {
    let _alone = alone();
    let device = Device::of(64 * MIB);
    let free = || assert!(prove(&device.path, false, &|_| ()).is_ok());
    let writer = Other::doing("sh", &["-c", &format!("exec 3<>{}; read x", device.name())]);
    writer.opens(3);
    in_use(&device.path, "open for writing by process");
    drop(writer);
    free();
    // Whoever made the file beneath may have it open still.
    let maker = Other::doing("sh", &["-c", &format!("exec 3<>{}; read x", device.file.path().display())]);
    maker.opens(3);
    free();
    drop(maker);
    // One that only reads is no danger.
    let reader = Other::doing("sh", &["-c", &format!("exec 3<{}; read x", device.name())]);
    reader.opens(3);
    free();
    drop(reader);
    // A loop device over it, mounted, and what is beneath that.
    tool("mkfs.ext4", &["-q", "-F", device.name()]).unwrap();
    let upper = tool("losetup", &["--find", "--show", device.name()]).unwrap();
    let _detach = Undo(&["losetup", "-d"], upper.clone());
    in_use(&device.path, "backs /dev/loop");
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().display().to_string();
    tool("mount", &[&upper, &place]).unwrap();
    let _unmount = Undo(&["umount"], place);
    in_use(Path::new(&upper), "is mounted on");
    in_use(&device.path, "backs /dev/loop");
}

/// Free space of a file system that is mounted reads as zeros, and is no free place.
#[test]
fn a_loop_device_over_a_device_in_use_is_refused() {
    let _alone = alone();
    let (device, other) = (Device::of(300 * MIB), Device::of(300 * MIB));
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().display().to_string();
    let window = |of: &Device| {
        let made = tool("losetup", &["--find", "--show", "-o", "104857600", "--sizelimit", "16777216", of.name()]);
        PathBuf::from(made.unwrap())
    };
    let refused = |of: &Device, says: &str| {
        let upper = window(of);
        let _detach = Undo(&["losetup", "-d"], upper.display().to_string());
        in_use(&upper, says);
    };
    tool("mkfs.ext4", &["-q", "-F", "-E", "nodiscard", device.name()]).unwrap();
    tool("mount", &[device.name(), &place]).unwrap();
    let unmount = Undo(&["umount"], place.clone());
    refused(&device, "or the device beneath it is");
    // A partition of such a loop device, and a loop device over that one.
    let upper = window(&device);
    let detach = Undo(&["losetup", "-d"], upper.display().to_string());
    tool("addpart", &[&detach.1, "1", "2048", "16384"]).unwrap();
    let partition = PathBuf::from(format!("{}p1", detach.1));
    let part = Undo(&["partx", "-d"], detach.1.clone());
    in_use(&partition, "or the device beneath it is");
    let third = tool("losetup", &["--find", "--show", &partition.display().to_string()]).unwrap();
    let over = Undo(&["losetup", "-d"], third);
    in_use(Path::new(&over.1), "or the device beneath it is");
    drop((over, part, detach));
    drop(unmount);
    tool("mkswap", &[device.name()]).unwrap();
    tool("swapon", &[device.name()]).unwrap();
    let off = Undo(&["swapoff"], device.name().to_string());
    refused(&device, "is swap space");
    drop(off);
    // A journal on a device of its own is in no table of the kernel.
    tool("mke2fs", &["-q", "-F", "-O", "journal_dev", device.name()]).unwrap();
    tool("mkfs.ext4", &["-q", "-F", "-J", &format!("device={}", device.name()), other.name()]).unwrap();
    tool("mount", &[other.name(), &place]).unwrap();
    let unmount = Undo(&["umount"], place);
    refused(&device, "which is in use (the kernel refuses exclusive access)");
    drop(unmount);
    // Held until the end, the device beneath can't be mounted meanwhile.
    tool("wipefs", &["-a", device.name()]).unwrap();
    let upper = window(&device);
    let _detach = Undo(&["losetup", "-d"], upper.display().to_string());
    let proven = prove(&upper, true, &|_| ()).unwrap().unwrap();
    assert!(tool("mkfs.ext4", &["-q", "-F", device.name()]).is_err());
    drop(proven);
    assert!(tool("mkfs.ext4", &["-q", "-F", device.name()]).is_ok());
}

/// A thread that has a table of open files of its own, and one that outlives the first: neither is in the process's own table.
#[test]
fn threads_with_files_of_their_own_are_seen() {
    let _alone = alone();
    let device = Device::of(64 * MIB);
    let script = format!(
        "import ctypes, os, sys, threading, time\n\
         def own():\n  ctypes.CDLL(None).unshare(0x400); os.open('{}', os.O_RDWR); print('open', flush=True); time.sleep(600)\n\
         threading.Thread(target=own).start()\n",
        device.name()
    );
    let mut child = Command::new("python3").args(["-c", &script]).stdout(Stdio::piped()).spawn().unwrap();
    let mut said = [0; 4];
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut said).unwrap();
    in_use(&device.path, "open for writing by process");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(prove(&device.path, false, &|_| ()).is_ok());
}

#[test]
fn a_backing_file_is_refused_by_each_of_its_names() {
    let _alone = alone();
    let device = Device::of(8 * MIB);
    let file = device.file.path();
    in_use(file, "backs /dev/loop");
    let hard = file.with_extension("hard");
    fs::hard_link(file, &hard).unwrap();
    in_use(&hard, "backs /dev/loop");
    fs::remove_file(&hard).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let soft = folder.path().join("soft");
    std::os::unix::fs::symlink(file, &soft).unwrap();
    in_use(&soft, "backs /dev/loop");
    let bound = folder.path().join("bound");
    File::create(&bound).unwrap();
    tool("mount", &["--bind", file.to_str().unwrap(), bound.to_str().unwrap()]).unwrap();
    let _unmount = Undo(&["umount"], bound.display().to_string());
    in_use(&bound, "backs /dev/loop");
    let second = tool("losetup", &["--find", "--show", file.to_str().unwrap()]).unwrap();
    let _detach = Undo(&["losetup", "-d"], second.clone());
    in_use(&device.path, "lies on");
    in_use(Path::new(&second), "lies on");
}

#[test]
fn locked_files_and_swap_are_refused() {
    let _alone = alone();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let file = folder.path().join("locked");
    fs::write(&file, vec![7; 1 << 20]).unwrap();
    let locker = Other::doing("flock", &[file.to_str().unwrap(), "sh", "-c", "read x"]);
    until(|| prove(&file, true, &|_| ()).is_err());
    in_use(&file, "is locked");
    drop(locker);
    assert!(matches!(prove(&file, true, &|_| ()), Ok(Some(_))));
    assert!(matches!(prove(&file, false, &|_| ()), Err(Refusal::Holds { .. })));
    let swap = folder.path().join("swap");
    fs::write(&swap, vec![0; 1 << 20]).unwrap();
    tool("chmod", &["600", swap.to_str().unwrap()]).unwrap();
    tool("mkswap", &["-q", swap.to_str().unwrap()]).unwrap();
    match tool("swapon", &[swap.to_str().unwrap()]) {
        Ok(_) => {
            let _off = Undo(&["swapoff"], swap.display().to_string());
            in_use(&swap, "is swap space");
            let over = tool("losetup", &["--find", "--show", swap.to_str().unwrap()]).unwrap();
            let _detach = Undo(&["losetup", "-d"], over.clone());
            in_use(Path::new(&over), "is swap space");
        }
        Err(why) => eprintln!("skipped: no swap here: {why}"),
    }
}

#[test]
fn what_is_held_can_be_neither_formatted_nor_mounted_nor_proven_again() {
    let _alone = alone();
    let device = Device::of(512 * MIB);
    tool("mkfs.ext4", &["-q", "-F", device.name()]).unwrap();
    let held = prove(&device.path, true, &|_| ()).unwrap().unwrap();
    let folder = tempfile::tempdir().unwrap();
    assert!(tool("mkfs.ext4", &["-q", "-F", device.name()]).is_err());
    assert!(tool("mount", &[device.name(), folder.path().to_str().unwrap()]).is_err());
    assert!(matches!(prove(&device.path, true, &|_| ()), Err(Refusal::Holds { .. })));
    drop(held);
    tool("mkfs.ext4", &["-q", "-F", device.name()]).unwrap();
}

#[test]
fn file_systems_of_the_kernel_are_no_places() {
    let _alone = alone();
    for path in ["/proc", "/sys/block", "/proc/new", "/sys/kernel/new", "/proc/cpuinfo"] {
        let refusal = prove(Path::new(path), false, &|_| ());
        assert!(matches!(refusal, Err(Refusal::Unusable { .. })), "{path}: {refusal:?}");
    }
}
