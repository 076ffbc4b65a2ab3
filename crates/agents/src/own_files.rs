//! Own files of a host: without a name from the beginning, where that can be, so that nothing is left however the program ends.

use cluster::ClusterError;
use cluster::journal::{Journal, OwnFile};
use model::host_setting::{HostSetting, same_value};
use model::{Change, HostChange, Place, Step, Undo};
use std::collections::BTreeMap;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Clone, Default)]
pub struct Files(BTreeMap<PathBuf, Own>, Latency);

/// A file, and under which name it stands in the journal, if it has one.
#[derive(Clone)]
struct Own {
    file: Arc<File>,
    named: Option<Change>,
}

/// The file whose holder keeps processors awake, while it is held.
type Latency = Option<Arc<File>>;

impl Files {
    /// Changes this host. A file is known by its path from now on. `journal`: that of this host, asked for where something would be left if
    /// this process were killed: a file that has to have a name for a moment.
    ///
    /// # Errors
    /// The folder is not there or may not be written to, or there is no journal.
    pub fn change<'j>(
        &mut self,
        what: &HostChange,
        journal: impl FnOnce() -> Result<&'j mut Journal, ClusterError>,
    ) -> Result<(), ClusterError> {
        match what {
            HostChange::File { path, .. } => {
                let OwnFile { file, named } = cluster::journal::nameless(path, journal)?;
                self.0.insert(path.clone(), Own { file: Arc::new(file), named });
                Ok(())
            }
            // It ends with the process that holds it, so that no journal has to know it.
            HostChange::Setting { name, value } if is_latency(name) => {
                let failed = |why| ClusterError::Make { what: what.what(), why };
                self.1 = Some(Arc::new(cluster::host_settings::hold_latency(value).map_err(failed)?));
                Ok(())
            }
            HostChange::Folder { .. } | HostChange::Setting { .. } => journal()?.make(here(what)).map(drop),
        }
    }

    /// Undoes that one change. `journal`: that of this host, if there is any.
    ///
    /// # Errors
    /// It can't be undone; it stays in the journal.
    pub fn undo(&mut self, what: &HostChange, journal: Option<&mut Journal>) -> Result<Option<Undo>, ClusterError> {
        match what {
            // Closed first: what is deleted while it is open may get another name.
            HostChange::File { path, .. } => {
                if let (Some(change), Some(journal)) = (self.0.remove(path).and_then(|own| own.named), journal) {
                    journal.undo_one(&change)?;
                }
            }
            HostChange::Setting { name, .. } if is_latency(name) => self.1 = None,
            HostChange::Folder { .. } | HostChange::Setting { .. } => {
                return journal.map_or(Ok(None), |journal| journal.undo_one(&here(what)));
            }
        }
        Ok(None)
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
            if let Some(own) = self.0.get(path) {
                *path = open_path(&own.file);
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
        let name = |(path, own): (&PathBuf, &Own)| {
            (format!("{}:", open_path(&own.file).display()), format!("{}:", path.display()))
        };
        Names(self.0.iter().map(name).collect())
    }
}

/// Why a setting was left as it is: somebody else has changed it since the run set it. What the run set was there before: nothing had to be
/// undone.
pub fn changed_by_others(undo: &Undo) -> Option<&str> {
    let Change::OnHost { what: HostChange::Setting { value, .. }, .. } = &undo.change else { return None };
    let was_so = undo.before.as_ref().is_some_and(|before| same_value(before, value));
    undo.left.as_deref().filter(|_| !was_so)
}

fn here(what: &HostChange) -> Change {
    Change::OnHost { host: None, what: what.clone() }
}

fn is_latency(name: &str) -> bool {
    HostSetting::parse(name) == Ok(HostSetting::CpuDmaLatency)
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
    use cluster::journal::{AgentJournal, AgentOf};
    use std::fs::read_dir;

    #[test]
    fn a_setting_that_somebody_else_has_changed_is_told() {
        let undo = |before: &str, left: Option<&str>| Undo {
            change: Change::host_setting(None, "sysctl.vm.swappiness", "10"),
            before: Some(before.to_string()),
            undone: true,
            left: left.map(str::to_string),
        };
        let left = Some("it is 30 now, which the run did not set");
        assert_eq!(changed_by_others(&undo("60", left)), left);
        assert_eq!(changed_by_others(&undo("60", None)), None);
        assert_eq!(changed_by_others(&undo("10", Some("it is as it was before the run already"))), None);
    }

    #[test]
    fn a_file_is_called_as_the_user_knows_it_and_was_never_there() {
        let (folder, journals) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut journal = AgentJournal::in_folder(journals.path().to_path_buf());
        let of = AgentOf { run: "r".into(), host: "h".into() };
        let path = folder.path().join("own");
        let mut files = Files::default();
        let file = |path: &Path| HostChange::File { path: path.to_path_buf(), bytes: 1 };
        files.change(&file(&path), || journal.begun(&of)).unwrap();
        assert_eq!(read_dir(folder.path()).unwrap().count(), 0);
        let said = files.names().named(&format!("{}: no room", open_path(&files.0[&path].file).display()));
        assert_eq!(said, format!("{}: no room", path.display()));
        let missing = folder.path().join("nowhere/own");
        let said = files.change(&file(&missing), || journal.begun(&of)).unwrap_err().to_string();
        assert!(said.contains("nowhere/own") && said.contains("No such file"), "{said}");
    }
}
