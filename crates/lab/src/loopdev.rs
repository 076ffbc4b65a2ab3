//! Loop devices over a lab's files, found again by the files.

use crate::dirs::Dirs;
use crate::errors::LabError;
use crate::preflight::system;
use crate::process_group::{ProcessGroup, run};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A file of this many bytes that occupies nothing yet.
pub(crate) fn make_sparse(path: &Path, bytes: u64) -> Result<(), LabError> {
    File::create(path).and_then(|file| file.set_len(bytes)).map_err(LabError::io("cannot make the file", path))
}

/// A loop device over `file`. Direct I/O where the file system takes it: a cache of the kernel's between the device and the disk
/// would answer reads that are meant to reach the disk.
pub(crate) fn attach(process_group: &ProcessGroup, file: &Path) -> Result<PathBuf, LabError> {
    attach_with(file, |command| process_group.run(command))
}

/// The same, by whoever runs commands.
pub(crate) fn attach_with(
    file: &Path,
    run: impl Fn(&mut Command) -> Result<Output, LabError>,
) -> Result<PathBuf, LabError> {
    let losetup = |direct: &str| {
        let mut command = Command::new(system("losetup"));
        command.args(["--find", "--show", direct]).arg(file);
        run(&mut command)
    };
    let output = losetup("--direct-io=on").or_else(|error| match error {
        LabError::Cancelled => Err(error),
        _ => losetup("--direct-io=off"),
    })?;
    Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}

/// Detaches all loop devices over files of the lab.
pub(crate) fn detach_all(dirs: &Dirs) -> Result<(), LabError> {
    for device in &attached(dirs) {
        let detached = run(Command::new(system("losetup")).arg("--detach").arg(device));
        // Gone is gone, whoever did it.
        if attached(dirs).contains(device) {
            detached?;
        }
    }
    Ok(())
}

/// The device over this file.
pub(crate) fn over(file: &Path) -> Option<PathBuf> {
    let file = real(file);
    over_files(|backing| backing == file).pop()
}

fn attached(dirs: &Dirs) -> Vec<PathBuf> {
    let own = [&dirs.dir, &dirs.memory].map(|dir| real(dir));
    over_files(|file| own.iter().any(|dir| file.starts_with(dir)))
}

/// As the kernel names it: without links. Of what is gone, its folder still tells.
fn real(path: &Path) -> PathBuf {
    let of_folder = || Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize().ok().or_else(of_folder).unwrap_or_else(|| path.to_path_buf())
}

fn over_files(wanted: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let device = |entry: fs::DirEntry| {
        let file = fs::read_to_string(entry.path().join("loop/backing_file")).ok()?;
        wanted(Path::new(file.trim_end())).then(|| Path::new("/dev").join(entry.file_name()))
    };
    fs::read_dir("/sys/block").into_iter().flatten().flatten().filter_map(device).collect()
}
