//! The `posix` engine: files by their names, in a folder of our own on a mounted file system. They are made, asked about, read, listed,
//! renamed and deleted, by system calls, one at a time in each job.

mod api;
mod fill;
mod names;
mod session;
mod system;

use crate::api::{Context, Engine, EngineError, Session};
use crate::content;
use api::FileSystem;
use fill::Opens;
use model::workload::OBJECT_MOST;
use model::{Bytes, Place, Target, Workload};
use names::Names;
use session::FilesSession;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::time::Duration;
use system::System;

pub struct FilesEngine;

/// A file system that does not answer within this time ends the step.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

impl Engine for FilesEngine {
    fn name(&self) -> &'static str {
        "posix"
    }

    fn refuse(&self, target: &Target, workload: &Workload) -> Option<String> {
        let refused = crate::verify::refusal(self, workload, true);
        let (block, deepest) = (workload.block, workload.lane_depth(0));
        folder_of(target).err().or(refused).or_else(|| match () {
            () if block < content::MARK as Bytes => Some(format!(
                "files of {block} bytes have no room for what tells whether they are whole (at least {} bytes); choose a larger block size",
                content::MARK
            )),
            () if block > OBJECT_MOST => {
                Some(format!("files of {block} bytes are too large (at most {OBJECT_MOST}); choose a smaller block size"))
            }
            () if deepest > 1 => Some(format!(
                "each job does one operation at a time, and a depth of {deepest} per job is asked for; use as many jobs as depth"
            )),
            () if !workload.options.is_empty() => Some("the posix engine has no options; leave --option out".to_string()),
            () if Names::of(workload).is_none() => {
                Some("there is no file for each job; choose a larger --tree or fewer jobs".to_string())
            }
            () => None,
        })
    }

    fn prepare(
        &self,
        _context: &Context,
        target: &Target,
        workload: &Workload,
        progress: &mut dyn FnMut(Bytes) -> bool,
    ) -> Result<(), EngineError> {
        let path = folder_of(target).map_err(EngineError::Refused)?.to_path_buf();
        let Some(names) = Names::of(workload) else { return Ok(()) };
        let open: Opens = Arc::new(move || opened(&path));
        fill::fill(&open, names, workload, progress).map_err(|error| named(target, error))
    }

    fn open(
        &self,
        _context: &Context,
        target: &Target,
        workload: &Workload,
        lane: u32,
    ) -> Result<Box<dyn Session>, EngineError> {
        if let Some(why) = self.refuse(target, workload) {
            return Err(EngineError::Refused(why));
        }
        let path = folder_of(target).map_err(EngineError::Refused)?.to_path_buf();
        let Some(names) = Names::of(workload) else {
            return Err(EngineError::Refused("there is no file for each job".to_string()));
        };
        let own = workload.clone();
        let session = patiently(move || FilesSession::open(opened(&path)?, names, &own, lane));
        Ok(Box::new(session.map_err(|error| named(target, error))?))
    }

    fn unverifiable(&self) -> Option<&'static str> {
        Some("every file that is read is looked at whether it is whole, without --verify; leave it out")
    }
}

fn folder_of(target: &Target) -> Result<&Path, String> {
    match &target.place {
        Place::Tree { path } => Ok(path),
        _ => Err(format!("{} is no folder of files", target.name)),
    }
}

fn opened(path: &Path) -> Result<Box<dyn FileSystem>, EngineError> {
    match System::open(path) {
        Ok(system) => Ok(Box::new(system)),
        Err(error) => Err(EngineError::Broken(format!("open {}: {error}", path.display()))),
    }
}

fn named(target: &Target, error: EngineError) -> EngineError {
    match error {
        EngineError::Refused(text) => EngineError::Refused(format!("{}: {text}", target.name)),
        EngineError::Broken(text) => EngineError::Broken(format!("{}: {text}", target.name)),
    }
}

/// Does it in a thread of its own, which is left behind if it hangs in the kernel.
fn patiently<T: Send + 'static>(
    what: impl FnOnce() -> Result<T, EngineError> + Send + 'static,
) -> Result<T, EngineError> {
    let (tell, told) = sync_channel(1);
    let spawned = std::thread::Builder::new().name("fathom-open".to_string()).spawn(move || tell.send(what()));
    spawned.map_err(|error| EngineError::Broken(format!("a thread could not be started: {error}")))?;
    told.recv_timeout(ANSWER_WITHIN).unwrap_or_else(|_| {
        Err(EngineError::Broken(format!("its file system has not answered for {} s", ANSWER_WITHIN.as_secs())))
    })
}
