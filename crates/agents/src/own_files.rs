//! Own files of a host: without a name from the beginning, so that nothing is left however the program ends.

use engines::disk;
use model::{HostFile, Place, Step};
use std::collections::BTreeMap;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Clone, Default)]
pub struct Files(BTreeMap<PathBuf, Arc<File>>);

impl Files {
    /// `path`: as which it is known.
    pub fn add(&mut self, path: PathBuf, file: File) {
        self.0.insert(path, Arc::new(file));
    }

    /// # Errors
    /// The folder is not there or may not be written to, or has no room.
    pub fn make(&mut self, wanted: &HostFile) -> Result<(), String> {
        let path = &wanted.path;
        let folder = path.parent().unwrap_or(Path::new("/"));
        let file = tempfile::tempfile_in(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let place = Place::Path { path: open_path(&file), writable: true };
        self.add(path.clone(), file);
        let made = disk::make_room(&place, wanted.bytes);
        let said = made.map_err(|error| self.names().named(&error.to_string()));
        if said.is_err() {
            self.0.remove(path);
        }
        said
    }

    /// The step, with the places at which the files can be opened.
    pub fn found(&self, mut step: Step) -> Step {
        let places = step.targets.iter_mut().flat_map(|target| match &mut target.place {
            Place::Path { path, .. } => vec![path],
            // Only the host's own is opened, whichever else are called the same.
            Place::Replicas { replicas, .. } => replicas.iter_mut().map(|replica| &mut replica.path).collect(),
            _ => Vec::new(),
        });
        for path in places {
            if let Some(file) = self.0.get(path) {
                *path = open_path(file);
            }
        }
        step
    }

    /// The same, for programs that this one starts.
    pub fn found_by_others(&self, step: Step) -> Step {
        let mut step = self.found(step);
        for target in &mut step.targets {
            if let Place::Path { path, .. } = &mut target.place
                && let Ok(own) = path.strip_prefix("/proc/self")
            {
                *path = Path::new("/proc").join(std::process::id().to_string()).join(own);
            }
        }
        step
    }

    pub fn names(&self) -> Names {
        // `/proc/self/fd/1` is no part of `/proc/self/fd/12:`.
        let name = |(path, file): (&PathBuf, &Arc<File>)| {
            (format!("{}:", open_path(file).display()), format!("{}:", path.display()))
        };
        Names(self.0.iter().map(name).collect())
    }
}

/// Where the files are opened, and how the user knows them.
#[derive(Clone, Default)]
pub struct Names(Vec<(String, String)>);

impl Names {
    /// The place, as the user knows it.
    pub fn place(&self, place: &str) -> String {
        let own = self.0.iter().find(|(own, _)| own.trim_end_matches(':') == place);
        own.map_or(place, |(_, shown)| shown.trim_end_matches(':')).to_string()
    }

    /// The text, with the files called as the user knows them.
    pub fn named(&self, text: &str) -> String {
        self.0.iter().fold(text.to_string(), |text, (own, shown)| text.replace(own, shown))
    }
}

/// Of this process only.
fn open_path(file: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::read_dir;

    #[test]
    fn a_file_is_loaded_and_was_never_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own");
        let mut files = Files::default();
        files.make(&HostFile { host: "h".into(), path: path.clone(), bytes: 1 << 20 }).unwrap();
        assert_eq!(read_dir(folder.path()).unwrap().count(), 0);
        let file = &files.0[&path];
        assert_eq!(std::fs::metadata(open_path(file)).unwrap().len(), 1 << 20);
        let said = files.names().named(&format!("{}: no room", open_path(file).display()));
        assert_eq!(said, format!("{}: no room", path.display()));
    }

    #[test]
    fn what_can_not_be_made_is_told_with_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let file = |path: PathBuf, bytes| HostFile { host: "h".into(), path, bytes };
        let missing = folder.path().join("nowhere/own");
        let said = Files::default().make(&file(missing, 1)).unwrap_err();
        assert!(said.contains("nowhere: No such file"), "{said}");
        let huge = folder.path().join("huge");
        let said = Files::default().make(&file(huge.clone(), 1 << 60)).unwrap_err();
        assert!(said.starts_with(&huge.display().to_string()), "{said}");
    }
}
