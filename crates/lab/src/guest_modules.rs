//! The modules that a guest's kernel loads, each with those that it depends on, by what the modules say themselves.

use crate::errors::LabError;
use crate::process_group::run;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One file of a kernel's module.
pub(crate) struct Module {
    /// `virtio_pci.ko`.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// In the order in which they can be loaded. `optional` ones are built into some kernels.
pub(crate) fn load_order(tree: &Path, wanted: &[&str], optional: &[&str]) -> Result<Vec<Module>, LabError> {
    let mut search = Search { files: files(tree), seen: BTreeSet::new(), found: Vec::new() };
    for name in optional.iter().filter(|name| search.files.contains_key(**name)).copied().collect::<Vec<_>>() {
        search.add(name)?;
    }
    for name in wanted {
        search.add(name)?;
    }
    Ok(search.found)
}

struct Search {
    files: BTreeMap<String, PathBuf>,
    seen: BTreeSet<String>,
    found: Vec<Module>,
}

impl Search {
    fn add(&mut self, name: &str) -> Result<(), LabError> {
        if !self.seen.insert(name.to_owned()) {
            return Ok(());
        }
        let Some(path) = self.files.get(name) else {
            return Err(LabError::NoGuestKernel { why: format!("it has no module {name}") });
        };
        let bytes = read(path)?;
        for other in depends(&bytes) {
            self.add(&other)?;
        }
        self.found.push(Module { name: format!("{name}.ko"), bytes });
        Ok(())
    }
}

/// By the names that modules call each other by: a file may have `-` where they have `_`.
fn files(tree: &Path) -> BTreeMap<String, PathBuf> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![tree.to_owned()]);
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let stem = name.strip_suffix(".xz").unwrap_or(name).strip_suffix(".ko").map(|stem| stem.replace('-', "_"));
            match stem {
                Some(stem) => drop(found.insert(stem, path)),
                None if path.is_dir() && !path.is_symlink() => folders.push(path),
                None => {}
            }
        }
    }
    found
}

fn read(path: &Path) -> Result<Vec<u8>, LabError> {
    if path.extension().is_some_and(|extension| extension == "xz") {
        return Ok(run(Command::new("xz").args(["--decompress", "--stdout"]).arg(path))?.stdout);
    }
    fs::read(path).map_err(LabError::io("cannot read", path))
}

/// `depends=a,b` of its section `.modinfo`, which ends with a zero byte.
fn depends(module: &[u8]) -> Vec<String> {
    const FIELD: &[u8] = b"\0depends=";
    let at = module.windows(FIELD.len()).position(|window| window == FIELD);
    let value = at.map(|at| &module[at + FIELD.len()..]).unwrap_or_default();
    let value = value.split(|byte| *byte == 0).next().unwrap_or_default();
    let names = String::from_utf8_lossy(value).into_owned();
    names.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_module_depends_on_is_loaded_before_it() -> Result<(), LabError> {
        let tree = tempfile::tempdir().map_err(LabError::io("cannot make", Path::new("a temporary directory")))?;
        let write = |name: &str, text: &str| {
            let path = tree.path().join(name);
            fs::write(&path, text).map_err(LabError::io("cannot write", &path))
        };
        write("a.ko", "\0license=GPL\0depends=b_c,d\0")?;
        write("b-c.ko", "\0depends=d\0")?;
        write("d.ko", "\0depends=\0")?;
        let names = |wanted: &[&str], optional: &[&str]| {
            load_order(tree.path(), wanted, optional).map(|all| all.into_iter().map(|one| one.name).collect::<Vec<_>>())
        };
        assert_eq!(names(&["a"], &["built_in"])?, ["d.ko", "b_c.ko", "a.ko"]);
        assert!(names(&["built_in"], &[]).is_err_and(|error| error.to_string().contains("no module built_in")));
        Ok(())
    }
}
