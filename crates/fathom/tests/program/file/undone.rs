//! What is left and told where a run is killed, a mount hangs, there is no room, or what is named is no folder. These wait more than they work.

use super::*;
use crate::common::mount::Mount;
use crate::common::{Home, Lab, Ran, eventually};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// That of a run which is under way there, or was killed.
fn own_folder(top: &Path) -> Option<PathBuf> {
    let mut entries = fs::read_dir(top).unwrap().map(|entry| entry.unwrap().path());
    // By libcephfs it has another name than in a mount of the same file system.
    entries.find(|path| [".files", ".cephfs"].iter().any(|ending| path.to_string_lossy().ends_with(ending)))
}

#[test]
fn what_a_killed_run_left_in_cephfs_is_undone_and_a_link_in_its_place_is_not_followed() {
    let lab = Lab::up(&["--osds", "1", "--backing", "memory", "--with", "cephfs"]);
    // What a killed client held is free once its session has ended.
    lab.ceph(&["fs", "set", "cephfs", "session_timeout", "30"]);
    let mut mount = Mount::of(&lab);
    theirs(mount.path());
    let long = ["file", "--cephfs", "cephfs", "--patterns", "create-delete", "--tree", "1x2x16", "--duration", "20s"];
    let mut child = lab.fathom(&long).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    eventually("the run to make its files", 60, || {
        own_folder(mount.path()).is_some_and(|own| own.join(TREE).join("job15.fathom/1.fathom/15.fathom").exists())
    });
    child.kill().unwrap();
    child.wait().unwrap();
    let folder = own_folder(mount.path()).unwrap();
    fs::write(folder.join(TREE).join("job0.fathom/notes"), "theirs").unwrap();
    std::os::unix::fs::symlink(mount.join("theirs.fathom"), folder.join(TREE).join("job1.fathom/2.fathom")).unwrap();
    lab.run(&["restore", "--yes"]).ends(0, &[]);
    assert_eq!(fs::read(folder.join(TREE).join("job0.fathom/notes")).unwrap(), b"theirs");
    assert!(fs::symlink_metadata(folder.join(TREE).join("job1.fathom/2.fathom")).unwrap().is_symlink());
    fs::remove_dir_all(&folder).unwrap();
    only_theirs_is_left(mount.path());
    let mut child = lab.fathom(&long).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    eventually("the run to make its files", 60, || {
        own_folder(mount.path()).is_some_and(|own| own.join(TREE).join("job15.fathom/1.fathom/15.fathom").exists())
    });
    child.kill().unwrap();
    child.wait().unwrap();
    let folder = own_folder(mount.path()).unwrap();
    // A link in the folder's place is not followed.
    let moved = mount.join("moved");
    fs::rename(&folder, &moved).unwrap();
    std::os::unix::fs::symlink(mount.join("theirs.fathom"), &folder).unwrap();
    let told = lab.run(&["restore", "--yes"]);
    told.ends(0, &[]);
    assert!(format!("{}{}", told.out, told.err).contains("what has its name now is no folder"), "{}", told.err);
    assert_eq!(fs::read(mount.join("theirs.fathom/1.fathom")).unwrap(), b"theirs");
    assert!(moved.join(TREE).exists());
    lab.run(&["file", "--cephfs", "nowhere"]).ends(2, &["no file system \"nowhere\"", "there: cephfs"]);
    lab.run(&["file", "--cephfs", "cephfs", "--patterns", "stat"]).ends(2, &["stat-cached instead"]);
    mount.unmount();
    // Without a metadata server there is nothing to measure, and the program says so in its time.
    lab.daemon("kill", "mds.a");
    let lost = lab.run(&["file", "--cephfs", "cephfs", "--patterns", "list"]);
    assert!(lost.code != 0 && !lost.err.contains("panicked"), "{}", lost.err);
}

#[test]
fn what_a_metadata_server_that_died_amid_a_load_has_still_is_undone_once_it_is_back() {
    let lab = Lab::up(&["--osds", "1", "--backing", "memory", "--with", "cephfs"]);
    lab.ceph(&["fs", "set", "cephfs", "session_timeout", "30"]);
    let mut mount = Mount::of(&lab);
    theirs(mount.path());
    let long = ["--patterns", "create-delete", "--tree", "1x2x16", "--passes", "1", "--duration", "20s"];
    let said = lab.home.path().join("said");
    let mut run = lab.fathom(&[&["file", "--cephfs", "cephfs"][..], &long].concat());
    let mut child = run.stdout(Stdio::null()).stderr(fs::File::create(&said).unwrap()).spawn().unwrap();
    // What is made beside the tree is made by the load alone.
    let loads = |own: PathBuf| {
        let files = fs::read_dir(own.join(TREE).join("job0.fathom/0.fathom")).into_iter().flatten().flatten();
        files.into_iter().any(|file| file.file_name().to_string_lossy().starts_with("new0."))
    };
    eventually("the run to load", 60, || own_folder(mount.path()).is_some_and(loads));
    lab.daemon("kill", "mds.a");
    eventually("the run to give up", 240, || child.try_wait().unwrap().is_some());
    let told = fs::read_to_string(&said).unwrap();
    assert!(told.contains("fathom restore") && !told.contains("panicked"), "{told}");
    lab.daemon("start", "mds.a");
    eventually("what is left to be undone", 180, || lab.home.run(&["restore", "--yes"]).code == 0);
    only_theirs_is_left(mount.path());
    assert_eq!(journals(&lab.home), 0);
    mount.unmount();
}

/// In the place of a folder of the run's own stands a link to somebody else's, with files of the same names: of the lowest, or of the one
/// in which all lie.
fn linked_elsewhere(mut run: Command, top: &Path, upper: bool) {
    let (all, below) = (top.join(format!("others-{upper}")), if upper { "job0.fathom/0.fathom" } else { "" });
    let others = all.join(below);
    fs::create_dir_all(&others).unwrap();
    (0..8).for_each(|number| fs::write(others.join(format!("{number}.fathom")), "theirs").unwrap());
    let child = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (tree, within) = ("4096.1x1x8.fathom", "4096.1x1x8.fathom/job0.fathom/0.fathom");
    eventually("the run to make its files", 60, || {
        own_folder(top).is_some_and(|own| own.join(within).join("7.fathom").exists())
    });
    let own = own_folder(top).unwrap();
    let folder = own.join(if upper { tree } else { within });
    fs::rename(&folder, top.join(format!("moved-{upper}"))).unwrap();
    std::os::unix::fs::symlink(&all, &folder).unwrap();
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    for number in 0..8 {
        assert_eq!(fs::read(others.join(format!("{number}.fathom"))).unwrap(), b"theirs", "{said}");
    }
    assert_eq!(fs::read_dir(&others).unwrap().count(), 8);
    // The link keeps it from being deleted.
    let _gone = fs::remove_dir_all(&own);
}

const REWRITES: [&str; 8] =
    ["--mix", "rewrite=60,append=20,create=10,delete=10", "--tree", "1x1x8", "--jobs", "1", "--duration", "4s"];

#[test]
fn what_others_put_in_the_place_of_folders_is_not_written_to() {
    let (home, top) = (Home::new(), tempfile::tempdir().unwrap());
    let words = [&["file", top.path().to_str().unwrap(), "--passes", "1"][..], &REWRITES].concat();
    [false, true].into_iter().for_each(|upper| linked_elsewhere(home.fathom(&words), top.path(), upper));
    let lab = Lab::up(&["--osds", "1", "--backing", "memory", "--with", "cephfs"]);
    let mut mount = Mount::of(&lab);
    let words = [&["file", "--cephfs", "cephfs", "--passes", "1"][..], &REWRITES].concat();
    [false, true].into_iter().for_each(|upper| linked_elsewhere(lab.fathom(&words), mount.path(), upper));
    mount.unmount();
}

/// A run that is far from its end, and has made its folder and its files.
fn under_way(home: &Home, path: &Path, passes: &str) -> (Child, PathBuf) {
    let words = ["file", path.to_str().unwrap(), "--patterns", "create-delete,open-read", "--tree", "1x2x16"];
    let long = ["--duration", "20s", "--passes", passes, "--jobs", "4"];
    let mut command = home.fathom(&[&words[..], &long].concat());
    let said = fs::File::create(home.path().join("said")).unwrap();
    let child = command.stdout(Stdio::null()).stderr(said).spawn().unwrap();
    let mut own = None;
    eventually("the run to make its files", 60, || {
        own = own_folder(path);
        own.as_ref().is_some_and(|own| own.join(TREE).join("job3.fathom/1.fathom/15.fathom").exists())
    });
    (child, own.unwrap())
}

#[test]
fn what_a_killed_run_left_is_undone_and_what_others_put_there_stays() {
    let (home, folder) = (Home::new(), tempfile::tempdir().unwrap());
    theirs(folder.path());
    let (mut child, own) = under_way(&home, folder.path(), "3");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(own.exists());
    // Of the same file system, which has the same number.
    let bound = own.join(TREE).join("job2.fathom/bound.fathom");
    fs::create_dir(&bound).unwrap();
    let bind =
        Command::new("mount").arg("--bind").arg(folder.path().join("theirs.fathom")).arg(&bound).status().unwrap();
    assert!(bind.success());
    fs::write(own.join(TREE).join("job0.fathom/notes"), "theirs").unwrap();
    let told = home.run(&["restore", "--yes"]);
    told.ends(0, &[]);
    let said = format!("{}{}", told.out, told.err);
    // Whichever of both is met first.
    let named = ["job0.fathom/notes", "job2.fathom/bound.fathom"];
    assert!(named.iter().any(|name| said.contains(&format!("it holds what is not Fathom's ({TREE}/{name}"))), "{said}");
    assert_eq!(fs::read(own.join(TREE).join("job0.fathom/notes")).unwrap(), b"theirs");
    let unbound = Command::new("umount").arg(&bound).status().unwrap();
    assert!(unbound.success());
    assert_eq!(fs::read(folder.path().join("theirs.fathom/1.fathom")).unwrap(), b"theirs");
    assert!(!own.join(TREE).join("job1.fathom").exists());
    fs::remove_dir_all(&own).unwrap();
    let (mut child, own) = under_way(&home, folder.path(), "3");
    child.kill().unwrap();
    child.wait().unwrap();
    // The archive knows of what was made, and then that it is gone.
    let name = own.file_name().unwrap().to_str().unwrap();
    let run = name.strip_prefix("fathom.").unwrap().split('.').next().unwrap();
    let left = || home.run(&["show", run]).ends(0, &[]).out.matches(&format!("{name} is still there")).count();
    assert_eq!(left(), 1);
    home.run(&["restore", "--yes"]).ends(0, &[]);
    assert_eq!(left(), 0);
    assert!(!own.exists());
    only_theirs_is_left(folder.path());
    assert_eq!(journals(&home), 0);
}

#[test]
fn a_mount_that_hangs_ends_the_step_and_the_run_goes_on() {
    let lab = Lab::up(&["--osds", "1", "--backing", "memory", "--with", "cephfs"]);
    let mount = Mount::of(&lab);
    theirs(mount.path());
    let (mut child, own) = under_way(&lab.home, mount.path(), "1");
    mount.signal("STOP");
    // What hangs in the kernel ends with what it waits for, and so does the program: it has said all by then.
    eventually("the run to give up", 170, || main_thread_ended(child.id()));
    mount.signal("CONT");
    child.wait().unwrap();
    let said = fs::read_to_string(lab.home.path().join("said")).unwrap();
    assert!(said.contains("has not answered for") || said.contains("no operation completed"), "{said}");
    assert!(!said.contains("panicked"), "{said}");
    let told = lab.home.run(&["restore", "--yes"]);
    assert!([0, 1].contains(&told.code), "{}", told.err);
    lab.home.run(&["restore", "--yes"]).ends(0, &[]);
    assert!(!own.exists());
    only_theirs_is_left(mount.path());
}

/// Has the program said all that it has to say? Threads that hang in the kernel keep what is left of it.
fn main_thread_ended(pid: u32) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return true };
    stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z'))
}

/// A file system with this many inodes, on a loop device.
struct Small {
    device: String,
    folder: tempfile::TempDir,
}

impl Small {
    fn with_inodes(inodes: &str) -> Small {
        let folder = tempfile::Builder::new().prefix("fathom-small-").tempdir().unwrap();
        let image = folder.path().join("image");
        fs::File::create(&image).unwrap().set_len(64 << 20).unwrap();
        let run = |command: &mut Command| {
            let output = command.output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).unwrap().trim().to_string()
        };
        run(Command::new("mkfs.ext4").args(["-q", "-N", inodes]).arg(&image));
        let device = run(Command::new("losetup").args(["--find", "--show"]).arg(&image));
        let at = folder.path().join("at");
        fs::create_dir(&at).unwrap();
        run(Command::new("mount").arg(&device).arg(&at));
        Small { device, folder }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("at")
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.path()).status();
        let _ = Command::new("losetup").args(["--detach", &self.device]).status();
    }
}

#[test]
fn where_there_is_no_room_for_files_it_is_told_and_nothing_is_left() {
    let (home, small) = (Home::new(), Small::with_inodes("96"));
    theirs(&small.path());
    let path = small.path();
    let words = ["file", path.to_str().unwrap(), "--patterns", "stat", "--tree", "1x4x16", "--jobs", "4"];
    home.run(&words).ends(2, &["536 files and folders would be made", "(inodes, or", "--tree"]);
    only_theirs_is_left(&path);
    // Others take the room while the files are made.
    let large = Small::with_inodes("10000");
    theirs(&large.path());
    let words = ["file", &large.path().display().to_string(), "--patterns", "stat", "--tree", "1x4x500", "--jobs", "4"];
    let child = home.fathom(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    eventually("the run to make files", 60, || {
        own_folder(&large.path())
            .is_some_and(|own| own.join("4096.1x4x500.fathom/job0.fathom/0.fathom/9.fathom").exists())
    });
    let process = Pid::from_raw(child.id() as i32);
    kill(process, Signal::SIGSTOP).unwrap();
    let more = |number: u32| fs::write(large.path().join(format!("theirs.fathom/more{number}")), "");
    let taken = (0..3000).filter(|number| more(*number).is_ok()).count();
    kill(process, Signal::SIGCONT).unwrap();
    let ended = child.wait_with_output().unwrap();
    let said = [ended.stdout, ended.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(ended.status.code() == Some(1) && said.contains("No space left on device"), "{taken}: {said}");
    assert!(said.contains("4096.1x4x500.fathom/job"), "{said}");
    only_theirs_is_left(&large.path());
    assert_eq!(journals(&home), 0);
    let ran = home.run(&["file", path.to_str().unwrap(), "--working-set", "1G", "--patterns", "read-latency"]);
    ran.ends(2, &["would be written, and its file system", "--working-set SIZE"]);
    only_theirs_is_left(&path);
}

fn told(arguments: &[&str], code: i32, words: &[&str]) {
    let ran: Ran = Home::new().run(arguments);
    ran.ends(code, words);
}

#[test]
fn what_is_no_folder_of_files_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "theirs").unwrap();
    told(&["file", file.to_str().unwrap()], 2, &["is no folder", "fathom disk"]);
    told(&["file", "/nonexistent/x"], 2, &["/nonexistent/x", "there is no such folder"]);
    told(&["file", path, path], 2, &["is named twice"]);
    told(&["file", path, "--tree", "2x0x7"], 2, &["LEVELSxFOLDERSxFILES"]);
    told(&["file", path, "--tree", "16x99x99"], 2, &["would need too many files (at most 10,000,000)"]);
    told(&["file", path, "--patterns", "stat", "--depth", "4", "--jobs", "2"], 2, &["use as many jobs as depth"]);
    told(
        &["file", path, "--patterns", "stat", "--block-size", "8"],
        2,
        &["no room for what tells whether they are whole"],
    );
    told(&["run", "--layers", "network", "--folder", path], 2, &["--folder", "file layer"]);
    told(&["run", "--layers", "file"], 2, &["no file system is named"]);
    assert_eq!(fs::read(&file).unwrap(), b"theirs");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
