//! What a lab's guest boots from: Debian's kernel and a first file system, made once and kept in the user's cache. Nothing is installed.

use crate::cpio::Archive;
use crate::errors::LabError;
use crate::guest_modules::load_order;
use crate::preflight;
use crate::process_group::run;
use nix::fcntl::{Flock, FlockArg};
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) const KERNEL: &str = "vmlinuz";
pub(crate) const INITRAMFS: &str = "initramfs";

const INIT: &str = include_str!("guest/init.sh");
/// The kernel for clouds has no 9p.
const PACKAGE: &str = "linux-image-amd64";
const MODULES: [&str; 9] =
    ["virtio_pci", "virtio_net", "virtio_blk", "9pnet_virtio", "9p", "rbd", "ceph", "nfs", "nfsv4"];
/// What the clients of Ceph ask the kernel for by the names of algorithms, which no module says that it depends on.
const ALGORITHMS: [&str; 8] =
    ["crc32c_generic", "cbc", "aes_generic", "ctr", "gcm", "ghash_generic", "hmac", "sha256_generic"];

/// The folder with the kernel and its first file system, which are made if they are not there.
pub(crate) fn made(progress: &dyn Fn(&str)) -> Result<PathBuf, LabError> {
    let all = cache()?;
    fs::create_dir_all(&all).map_err(LabError::io("cannot make the directory", &all))?;
    let folder = all.join(recipe());
    // One at a time: labs may begin side by side.
    let lock = all.join("lock");
    let file = File::create(&lock).map_err(LabError::io("cannot write", &lock))?;
    let failed = LabError::io("cannot lock", &lock);
    let _lock = Flock::lock(file, FlockArg::LockExclusive).map_err(|(_, errno)| failed(errno.into()))?;
    // Of one that was killed.
    let new = all.join("new");
    let _ = fs::remove_dir_all(&new);
    if !folder.is_dir() {
        progress("fetching Debian's kernel for the guest");
        let made = make(&new)
            .and_then(|()| fs::rename(&new, &folder).map_err(LabError::io("cannot make the directory", &folder)));
        if made.is_err() {
            let _ = fs::remove_dir_all(&new);
        }
        made?;
    }
    Ok(folder)
}

/// `$XDG_CACHE_HOME/fathom/guest`, else `~/.cache/fathom/guest`.
fn cache() -> Result<PathBuf, LabError> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
    let base = base.filter(|base| base.is_absolute());
    let base =
        base.ok_or_else(|| LabError::Usage("neither XDG_CACHE_HOME nor HOME is an absolute path; set one".to_owned()))?;
    Ok(base.join("fathom/guest"))
}

/// Another build may make it of other parts.
fn recipe() -> String {
    let mut hasher = DefaultHasher::new();
    (INIT, PACKAGE, MODULES, ALGORITHMS).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

fn make(folder: &Path) -> Result<(), LabError> {
    let _ = fs::remove_dir_all(folder);
    let unpacked = folder.join("unpacked");
    fs::create_dir_all(&unpacked).map_err(LabError::io("cannot make the directory", &unpacked))?;
    fetch(folder, &unpacked)?;
    let (image, modules) =
        (one_of(&unpacked.join("boot"), "vmlinuz-")?, one_of(&unpacked, "lib").or_else(|_| one_of(&unpacked, "usr"))?);
    let to = folder.join(KERNEL);
    fs::rename(&image, &to).map_err(LabError::io("cannot make", &to))?;
    let to = folder.join(INITRAMFS);
    fs::write(&to, initramfs(&modules)?).map_err(LabError::io("cannot write", &to))?;
    fs::remove_dir_all(&unpacked).map_err(LabError::io("cannot remove", &unpacked))
}

/// Downloads the package into `folder`, unpacks it and deletes it.
fn fetch(folder: &Path, unpacked: &Path) -> Result<(), LabError> {
    let not_here = |why: String| LabError::NoGuestKernel { why };
    for program in ["apt-get", "dpkg"] {
        preflight::find(program, "apt").map_err(|_| not_here(format!("{program} is not on this host")))?;
    }
    let known = run(Command::new("apt-cache").env("LC_ALL", "C").args(["depends", PACKAGE]))
        .map_err(|error| not_here(error.to_string()))?;
    let known = String::from_utf8_lossy(&known.stdout).into_owned();
    let package = known
        .lines()
        .find_map(|line| line.trim().strip_prefix("Depends: ").filter(|name| name.starts_with("linux-image-")));
    let package = package.ok_or_else(|| not_here("apt does not know of it; try: apt-get update".to_owned()))?;
    // apt would give up its rights, and could not write here then.
    let mut download = Command::new("apt-get");
    download.args(["-o", "APT::Sandbox::User=root", "-o", "Acquire::http::Timeout=60", "-q", "download", package]);
    download.current_dir(folder);
    run(&mut download).map_err(|error| not_here(format!("{error}; try: apt-get update")))?;
    let file = one_of(folder, package)?;
    run(Command::new("dpkg").arg("-x").arg(&file).arg(unpacked)).map_err(|error| not_here(error.to_string()))?;
    fs::remove_file(&file).map_err(LabError::io("cannot remove", &file))
}

/// What is in this folder under a name that begins so.
fn one_of(folder: &Path, begins: &str) -> Result<PathBuf, LabError> {
    let mut names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let name = names.find(|name| name.to_string_lossy().starts_with(begins));
    let why = || LabError::NoGuestKernel { why: format!("{} has no {begins}…", folder.display()) };
    name.map(|name| folder.join(name)).ok_or_else(why)
}

fn initramfs(modules: &Path) -> Result<Vec<u8>, LabError> {
    let path = preflight::find("busybox", "busybox-static")?;
    let busybox = fs::read(&path).map_err(LabError::io("cannot read", &path))?;
    // It runs before there is any library.
    if busybox.windows(LOADER.len()).any(|window| window == LOADER) {
        let (program, package, searched) =
            ("a busybox without libraries", "busybox-static", path.display().to_string());
        return Err(LabError::PackageMissing { program, package, searched });
    }
    let mut archive = Archive::default();
    ["bin", "proc", "sys", "dev", "host", "modules"].into_iter().for_each(|folder| archive.folder(folder));
    archive.file("bin/busybox", &busybox);
    archive.file("init", INIT.as_bytes());
    let mut order = String::new();
    for module in load_order(modules, &MODULES, &ALGORITHMS)? {
        archive.file(&format!("modules/{}", module.name), &module.bytes);
        order += &format!("{}\n", module.name);
    }
    archive.file("modules/order", order.as_bytes());
    Ok(archive.end())
}

const LOADER: &[u8] = b"/ld-linux";
