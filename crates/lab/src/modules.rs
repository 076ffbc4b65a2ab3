//! The manager's Python modules, mirrored so that what Python compiles stays in the lab.
//!
//! Each module runs in an interpreter of its own and compiles what it imports: most of a manager's start. Written beside the
//! sources, as Python does, the result is shared by the interpreters; in the system's directory it would outlive the lab, or may
//! not be written at all.

use crate::dirs::Dirs;
use crate::errors::LabError;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Where distributions keep them.
const MODULES: &str = "/usr/share/ceph/mgr";

/// They talk to services that a lab has not, or test the manager. To load them would take another second.
const UNUSED: [&str; 15] = [
    "__pycache__",
    "alerts",
    "diskprediction_local",
    "feedback",
    "hello",
    "influx",
    "insights",
    "k8sevents",
    "localpool",
    "restful",
    "rook",
    "selftest",
    "telegraf",
    "test_orchestrator",
    "zabbix",
];

/// Directories of links to the files of the system's modules. `None`: they are not at their usual place.
pub(crate) fn mirror(dirs: &Dirs) -> Result<Option<PathBuf>, LabError> {
    let from = Path::new(MODULES);
    if !from.is_dir() {
        return Ok(None);
    }
    let to = dirs.dir.join("mgr.modules");
    mirror_tree(from, &to)?;
    Ok(Some(to))
}

fn mirror_tree(from: &Path, to: &Path) -> Result<(), LabError> {
    fs::create_dir(to).map_err(LabError::io("cannot make the directory", to))?;
    for entry in fs::read_dir(from).map_err(LabError::io("cannot read", from))?.flatten() {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if UNUSED.iter().any(|name| entry.file_name() == *name) {
            continue;
        }
        if from.is_dir() {
            mirror_tree(&from, &to)?;
        } else {
            symlink(&from, &to).map_err(LabError::io("cannot make the link", &to))?;
        }
    }
    Ok(())
}
