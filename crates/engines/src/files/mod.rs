//! Files of our own in a folder of our own: by their names (made, asked about, read, listed, renamed, deleted), and, by libcephfs, blocks
//! of them. Three engines that differ in who is called: `posix` the kernel, for any mounted file system, `libcephfs` Ceph's library, `nfs` an
//! NFS server, without a mount.

mod api;
mod blocks;
mod cephfs;
mod fill;
mod names;
mod nfs;
mod session;
mod system;

use crate::api::{Context, Engine, EngineError, Session};
use crate::content;
use api::FileSystem;
use blocks::{BlockFile, BlocksSession};
use cephfs::{Cephfs, CephfsBlocks};
use fill::{FillsLane, Progress};
use model::workload::OBJECT_MOST;
use model::{Bytes, Durability, NfsExport, OpClass, Place, Sizes, Target, Workload};
use names::Names;
use nfs::{NfsBlocks, NfsFiles};
use session::FilesSession;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;
use system::System;

/// Who is called.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Posix,
    Libcephfs,
    Nfs,
}

pub struct FilesEngine {
    way: Way,
}

pub static POSIX: FilesEngine = FilesEngine { way: Way::Posix };
pub static LIBCEPHFS: FilesEngine = FilesEngine { way: Way::Libcephfs };
pub static NFS: FilesEngine = FilesEngine { way: Way::Nfs };

/// Of a file that was to be written to.
const NOT_OURS: &str = "what is there now is no file of ours: a link, or a file that has another name as well";
/// A file system that does not answer within this time ends the step.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

impl Engine for FilesEngine {
    fn name(&self) -> &'static str {
        match self.way {
            Way::Posix => "posix",
            Way::Libcephfs => "libcephfs",
            Way::Nfs => "nfs",
        }
    }

    fn refuse(&self, target: &Target, workload: &Workload) -> Option<String> {
        let refused = crate::verify::refusal(self, workload, true);
        let place = self.refuse_place(target, workload);
        place.or(refused).or_else(|| self.refuse_shape(workload)).or_else(|| self.refuse_durability(workload))
    }

    fn prepare(
        &self,
        context: &Context,
        target: &Target,
        workload: &Workload,
        progress: &mut dyn FnMut(Bytes) -> bool,
    ) -> Result<(), EngineError> {
        let (root, own) = (Root::of(context, target)?, workload.clone());
        let lane: FillsLane = match (Names::of(workload), root) {
            (Some(names), root) => Arc::new(move |lane: u32, progress: &Progress| {
                fill::names_of_lane(&mut *root.open()?, &names, (&own, lane), progress)
            }),
            (None, Root::Mounted(_)) => return Ok(()),
            (None, root) => Arc::new(move |lane: u32, progress: &Progress| {
                blocks::fill(root.open_blocks(&blocks::name(&own, lane))?, (&own, lane), progress)
            }),
        };
        let mut made = 0;
        let filled = fill::side_by_side(workload.jobs.max(1), &lane, &mut |bytes| {
            made = bytes;
            progress(bytes)
        });
        let flush = Root::of(context, target)?;
        let flush: FillsLane = Arc::new(move |_, _| {
            flush.open()?.flush().map_err(|error| EngineError::Broken(format!("write out what was filled: {error}")))
        });
        // What waits in memory would be written in the time of the first reads. Blocks of a lane's file are made durable at their end.
        let by_names = workload.of_files();
        let flushed = filled
            .and_then(|()| if by_names { fill::side_by_side(1, &flush, &mut |_| progress(made)) } else { Ok(()) });
        flushed.map_err(|error| named(target, error))
    }

    fn open(
        &self,
        context: &Context,
        target: &Target,
        workload: &Workload,
        lane: u32,
    ) -> Result<Box<dyn Session>, EngineError> {
        if let Some(why) = self.refuse(target, workload) {
            return Err(EngineError::Refused(why));
        }
        let (root, own) = (Root::of(context, target)?, workload.clone());
        let session = patiently(ANSWER_WITHIN, move |progress| -> Result<Box<dyn Session>, EngineError> {
            match (Names::of(&own), root) {
                (Some(names), root) => Ok(Box::new(FilesSession::open(root.open()?, names, (&own, lane), progress)?)),
                (None, root) => {
                    let file = root.open_blocks(&blocks::name(&own, lane))?;
                    Ok(Box::new(BlocksSession::open(file, &own, lane)?))
                }
            }
        });
        session.map_err(|error| named(target, error))
    }

    fn unverifiable(&self) -> Option<&'static str> {
        Some(
            "files that are read by their names are looked at whether they are whole in any case, and blocks by a library are not; leave --verify out",
        )
    }
}

impl FilesEngine {
    fn refuse_place(&self, target: &Target, workload: &Workload) -> Option<String> {
        match (&target.place, self.way) {
            (Place::Tree { .. }, Way::Posix) if workload.of_files() => None,
            (Place::Cephfs { .. }, Way::Libcephfs) | (Place::Nfs { .. }, Way::Nfs) => None,
            _ => Some(format!("{}: the {} engine does not load that; leave --engine out", target.name, self.name())),
        }
    }

    fn refuse_shape(&self, workload: &Workload) -> Option<String> {
        let (block, deepest, by_names) = (workload.block, workload.lane_depth(0), workload.of_files());
        let least = workload.sizes.as_ref().map_or(block, Sizes::least);
        match () {
            () if by_names && least < content::MARK as Bytes => Some(format!(
                "files of {least} bytes have no room for what tells whether they are whole (at least {} bytes); choose a larger block size",
                content::MARK
            )),
            () if block > OBJECT_MOST => Some(format!(
                "files and blocks of {block} bytes are too large (at most {OBJECT_MOST}); choose a smaller block size"
            )),
            () if deepest > 1 => Some(format!(
                "each job does one operation at a time, and a depth of {deepest} per job is asked for; use as many jobs as depth"
            )),
            () if !workload.options.is_empty() => {
                Some(format!("the {} engine has no options; leave --option out", self.name()))
            }
            () if by_names && [OpClass::Read, OpClass::Write].into_iter().any(|class| workload.mix.has(class)) => {
                Some("read and write are of blocks, and the others of whole files; use open and rewrite".to_string())
            }
            () if by_names && Names::of(workload).is_none() => {
                Some("there is no file for each job; choose a larger --tree or fewer jobs".to_string())
            }
            () if workload.lane_span() < block => Some(format!(
                "a working set of {} bytes has no block of {block} bytes for each of {} jobs",
                workload.span, workload.jobs
            )),
            () => None,
        }
    }
}

impl FilesEngine {
    /// What is told of a figure is what was done.
    fn refuse_durability(&self, workload: &Workload) -> Option<String> {
        let writes = workload.mix.classes().any(|class| class.changes() && class.moves_bytes());
        let why = match (workload.durability, self.way, workload.of_files()) {
            _ if !writes => return None,
            (Durability::Sync | Durability::Dsync | Durability::Fdatasync | Durability::GroupCommit, _, true) => {
                "a file that is written by its name is synced before it is closed, or not; choose --sync fsync, or none"
            }
            (Durability::GroupCommit, ..) => {
                "each write is by itself, and none waits for a common sync; choose another --sync"
            }
            (Durability::None, Way::Nfs, false) => {
                "a write has ended when it is in the server's stable storage; leave --sync out"
            }
            _ => return None,
        };
        Some(why.to_string())
    }
}

/// Where the files are.
enum Root {
    Mounted(PathBuf),
    Cephfs { mounted: Arc<ceph::FileSystem>, folder: String },
    Nfs { export: NfsExport, folder: String },
}

impl Root {
    fn of(context: &Context, target: &Target) -> Result<Root, EngineError> {
        match &target.place {
            Place::Tree { path } => Ok(Root::Mounted(path.clone())),
            Place::Cephfs { file_system, path, .. } => {
                let rados = context.rados.as_ref().ok_or_else(|| {
                    EngineError::Refused(format!("{}: there is no connection to its cluster", target.name))
                })?;
                let mounted = context.mounts.of(rados, file_system);
                let mounted = mounted.map_err(|error| EngineError::Broken(error.to_string()))?;
                Ok(Root::Cephfs { mounted, folder: path.clone() })
            }
            Place::Nfs { export, path, .. } => Ok(Root::Nfs { export: export.clone(), folder: path.clone() }),
            _ => Err(EngineError::Refused(format!("{} is no folder of files", target.name))),
        }
    }

    fn open(&self) -> Result<Box<dyn FileSystem>, EngineError> {
        match self {
            Root::Mounted(path) => match System::open(path) {
                Ok(system) => Ok(Box::new(system)),
                Err(error) => Err(EngineError::Broken(format!("open {}: {error}", path.display()))),
            },
            Root::Cephfs { mounted, folder } => Ok(Box::new(Cephfs::new(mounted.clone(), folder))),
            Root::Nfs { export, folder } => Ok(Box::new(NfsFiles::open(export, folder).map_err(broken)?)),
        }
    }

    /// A file by itself, to load blocks of it; made if it is not there.
    fn open_blocks(&self, name: &str) -> Result<Box<dyn BlockFile>, EngineError> {
        match self {
            Root::Mounted(_) => Err(EngineError::Refused("there is no file for each job".to_string())),
            Root::Cephfs { mounted, folder } => {
                Ok(Box::new(CephfsBlocks::open(mounted, folder, name).map_err(broken)?))
            }
            Root::Nfs { export, folder } => Ok(Box::new(NfsBlocks::open(export, folder, name).map_err(broken)?)),
        }
    }
}

fn broken(error: impl ToString) -> EngineError {
    EngineError::Broken(error.to_string())
}

fn named(target: &Target, error: EngineError) -> EngineError {
    match error {
        EngineError::Refused(text) => EngineError::Refused(format!("{}: {text}", target.name)),
        EngineError::Broken(text) => EngineError::Broken(format!("{}: {text}", target.name)),
    }
}

/// Does it in a thread of its own, which is left behind if it hangs in the kernel: if it has made nothing more for this long. It makes nothing
/// more then.
fn patiently<T: Send + 'static>(
    within: Duration,
    what: impl FnOnce(&Progress) -> Result<T, EngineError> + Send + 'static,
) -> Result<T, EngineError> {
    let (tell, told) = sync_channel(1);
    let progress = Arc::new(Progress::default());
    let shared = progress.clone();
    let thread = std::thread::Builder::new().name("fathom-open".to_string());
    let spawned = thread.spawn(move || tell.send(what(&shared)));
    spawned.map_err(|error| EngineError::Broken(format!("a thread could not be started: {error}")))?;
    let mut before = 0;
    loop {
        match told.recv_timeout(within) {
            Ok(end) => return end,
            Err(RecvTimeoutError::Timeout) if progress.so_far() != before => before = progress.so_far(),
            Err(_) => {
                progress.stop();
                let why = format!("its file system has not answered for {} s", within.as_secs());
                return Err(EngineError::Broken(why));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Pattern, Tree};
    use std::thread::sleep;

    #[test]
    fn what_goes_on_is_waited_for_and_what_hangs_makes_nothing_more() {
        let within = Duration::from_millis(200);
        let slow = |progress: &Progress| {
            Ok((0..5).all(|_| {
                sleep(Duration::from_millis(100));
                progress.made(1)
            }))
        };
        assert!(patiently(within, slow).unwrap());
        let (tell, told) = sync_channel(1);
        let hangs = move |progress: &Progress| {
            sleep(Duration::from_millis(500));
            let _heard = tell.send(progress.made(1));
            Ok(())
        };
        assert!(patiently(within, hangs).is_err());
        assert!(!told.recv().unwrap());
    }

    #[test]
    fn a_way_of_syncing_that_is_not_had_is_refused() {
        use Durability::{Dsync, Fdatasync, Fsync, GroupCommit, None, Sync};
        let tree = Tree { levels: 1, folders: 2, files: 4, shared: false };
        let refused = |engine: &FilesEngine, pattern: Pattern| {
            let load = Workload::canonical(pattern, tree.bytes(16, 4096), 1);
            let load = Workload { mix: model::testing::folders().mix_of(pattern), ..load };
            let of = |durability: &Durability| {
                engine.refuse_durability(&Workload { durability: *durability, ..load.clone() }).is_some()
            };
            [None, Sync, Dsync, Fsync, Fdatasync, GroupCommit].into_iter().filter(of).collect::<Vec<_>>()
        };
        for engine in [&POSIX, &LIBCEPHFS, &NFS] {
            assert_eq!(refused(engine, Pattern::CreateDelete), [Sync, Dsync, Fdatasync, GroupCommit]);
            assert!(refused(engine, Pattern::OpenRead).is_empty(), "nothing is written");
            assert!(refused(engine, Pattern::ReadLatency).is_empty());
        }
        assert_eq!(refused(&LIBCEPHFS, Pattern::WriteLatency), [GroupCommit]);
        assert_eq!(refused(&NFS, Pattern::WriteLatency), [None, GroupCommit]);
    }
}
