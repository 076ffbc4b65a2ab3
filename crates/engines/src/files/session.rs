//! One lane on files by their names: one operation at a time.

use super::api::{AskedOf, FileSystem, WrittenTo};
use super::blocks::refuse_lost;
use super::fill::Progress;
use super::names::{Names, Path};
use crate::api::{Done, EngineError, Op, OpError, Session};
use crate::buffers::Slab;
use crate::clock::RealClock;
use crate::content;
use crate::offsets::STOCK;
use model::{Clock, Durability, Nanos, OpClass, Tree, Workload};
use std::collections::VecDeque;
use std::time::Duration;

/// Of each lane, to be given other names again and again.
const RENAMED: u64 = 8;
/// How often a file is tried to be made before the load begins: of what is measured nothing is tried again.
const TRIES: u32 = 5;
/// Whoever is busy needs a moment, longer with each time.
const PAUSE: Duration = Duration::from_millis(100);
const READ: u32 = 0;
const WRITE: u32 = 1;

pub struct FilesSession {
    system: Box<dyn FileSystem>,
    names: Names,
    lane: u64,
    block: usize,
    durable: bool,
    slab: Slab,
    queue: VecDeque<Op>,
    /// The number of the last file that was made, or name that was given.
    number: u64,
    /// Files that this session made and has not deleted yet.
    made: Vec<Path>,
    /// Files that are given other names, and the item in whose folder each lies.
    renamed: Vec<(u64, Path)>,
    /// Files that are appended to, and how many blocks each has.
    appended: Vec<(u64, Path)>,
}

impl FilesSession {
    /// # Errors
    /// The files to be renamed, or appended to, can't be made.
    pub fn open(
        mut system: Box<dyn FileSystem>,
        names: Names,
        (workload, lane): (&Workload, u32),
        progress: &Progress,
    ) -> Result<FilesSession, EngineError> {
        let begin = names.begin(lane.into());
        system.enter(&begin).map_err(|error| EngineError::Broken(format!("enter {begin}: {error}")))?;
        let block = usize::try_from(workload.block).unwrap_or(usize::MAX);
        let durable = workload.durability != Durability::None;
        let slab = Slab::new(2, block, workload.seed ^ u64::from(lane) << 32)?;
        // Numbers go on from the clock: those of another slice are others.
        let (queue, number) = (VecDeque::new(), RealClock.now());
        let (made, renamed, appended) = (Vec::new(), Vec::new(), Vec::new());
        let lane = lane.into();
        let mut session =
            FilesSession { system, names, lane, block, durable, slab, queue, number, made, renamed, appended };
        if workload.mix.has(OpClass::Rename) {
            session.renamed = session.beside(RENAMED, progress)?;
        }
        if workload.mix.has(OpClass::Delete) {
            session.made = session.beside(STOCK.into(), progress)?.into_iter().map(|(_, path)| path).collect();
        }
        if workload.mix.has(OpClass::Append) {
            session.appended =
                session.beside(Tree::APPENDED, progress)?.into_iter().map(|(_, path)| (1, path)).collect();
        }
        Ok(session)
    }

    /// Makes files in folders of the tree, each with the item in whose folder it lies. One that the file system was too busy for is made again:
    /// that says nothing of what is measured then.
    fn beside(&mut self, most: u64, progress: &Progress) -> Result<Vec<(u64, Path)>, EngineError> {
        let items = self.names.items();
        let one = |nth: u64| {
            let (item, mut tried) = (nth * items / most, 1);
            loop {
                let path = self.new_path(item);
                match self.write(&path, self.names.bytes(item)) {
                    Ok(()) if progress.made(1) => return Ok((item, path)),
                    Ok(()) => {
                        let _gone = self.system.delete(&path);
                        return Err(EngineError::Broken("nobody waits for its files any more".to_string()));
                    }
                    Err(error) if tried < TRIES && is_busy(&error) && !self.system.is_lost() => {
                        std::thread::sleep(PAUSE * tried);
                        tried += 1;
                        // Some of it may be there.
                        let _gone = self.system.delete(&path);
                    }
                    Err(error) => return Err(EngineError::Broken(format!("create {path}: {error}"))),
                }
            }
        };
        (0..most).map(one).collect()
    }

    fn new_path(&mut self, item: u64) -> Path {
        self.number += 1;
        self.names.beside(self.lane, item, self.number)
    }

    fn write(&mut self, path: &str, bytes: usize) -> Result<(), OpError> {
        let content = self.slab.buffer(WRITE, bytes);
        content::mark(content, self.number, self.number);
        self.system.create(path, content, self.durable)
    }

    /// When it ended, if that is not now: what it read is looked at afterwards.
    fn execute(&mut self, op: &Op) -> Result<Option<Nanos>, OpError> {
        let item = op.offset / self.block.max(1) as u64 % self.names.items();
        let bytes = self.names.bytes(item);
        match op.kind {
            OpClass::Create => {
                let path = self.new_path(item);
                self.write(&path, bytes)?;
                self.made.push(path);
            }
            OpClass::Delete => {
                if self.made.is_empty() {
                    return Err(OpError::saying(libc::ENOENT, "none of the files that were made is left"));
                }
                let path = self.made.swap_remove(item as usize % self.made.len());
                self.system.delete(&path)?;
            }
            OpClass::Append => {
                let at = item as usize % self.appended.len().max(1);
                self.number += 1;
                let content = self.slab.buffer(WRITE, bytes);
                content::mark(content, self.number, self.number);
                let Some((blocks, path)) = self.appended.get_mut(at) else { return Ok(None) };
                let (to, has) =
                    if *blocks < Tree::APPENDED_BLOCKS { (WrittenTo::End, *blocks) } else { (WrittenTo::Nothing, 0) };
                self.system.write(path, content, to, self.durable)?;
                *blocks = has + 1;
            }
            OpClass::Rewrite => {
                let content = self.slab.buffer(WRITE, bytes);
                content::mark(content, self.names.number(self.lane, item), self.number);
                self.number += 1;
                let path = self.names.file(self.lane, item);
                self.system.write(&path, content, WrittenTo::Nothing, self.durable)?;
            }
            OpClass::Stat | OpClass::StatCached => {
                let of = if op.kind == OpClass::Stat { AskedOf::Keeper } else { AskedOf::Cache };
                if self.system.stat(&self.names.file(self.lane, item), of)? != bytes as u64 {
                    return Err(OpError::saying(libc::EBADMSG, "it is not as large as it was written"));
                }
            }
            OpClass::Open => {
                let into = self.slab.buffer(READ, self.block.next_multiple_of(crate::buffers::ALIGN));
                let read = self.system.read(&self.names.file(self.lane, item), into)?;
                let ended = RealClock.now();
                if read != bytes || !content::is_whole(&into[..read], self.names.number(self.lane, item)) {
                    return Err(OpError::saying(libc::EBADMSG, "what was read is not what was written (checksum)"));
                }
                return Ok(Some(ended));
            }
            OpClass::List => {
                if self.system.list(&self.names.folder(self.lane, item))? < self.names.beside_item(self.lane, item) {
                    return Err(OpError::saying(libc::EBADMSG, "fewer names were listed than there are files"));
                }
            }
            OpClass::Rename => {
                let at = item as usize % self.renamed.len().max(1);
                let Some((beside, from)) = self.renamed.get(at).cloned() else { return Ok(None) };
                let to = self.new_path(beside);
                self.system.rename(&from, &to)?;
                self.renamed[at].1 = to;
            }
            OpClass::Read | OpClass::Write => {
                return Err(OpError::saying(libc::EOPNOTSUPP, "blocks are not what this engine loads"));
            }
        }
        Ok(None)
    }
}

impl Session for FilesSession {
    fn submit(&mut self, ops: &[Op]) -> Result<usize, EngineError> {
        self.queue.extend(ops);
        Ok(ops.len())
    }

    fn reap(&mut self, _timeout: Duration, done: &mut Vec<Done>) -> Result<(), EngineError> {
        if let Some(op) = self.queue.pop_front() {
            let ended = self.execute(&op);
            refuse_lost(self.system.is_lost(), &ended)?;
            let at = ended.as_ref().map_or(None, |at| *at).unwrap_or(0);
            done.push(Done { at, ..Done::now(op.slot, ended.map(|_| op.len)) });
        }
        Ok(())
    }
}

/// May the same succeed a moment later?
fn is_busy(error: &OpError) -> bool {
    matches!(error.errno.abs(), libc::EAGAIN | libc::EBUSY | libc::EINTR | libc::ETIMEDOUT)
}

/// What is left over of its own goes, as far as that can be had; the folder's undoing deletes the rest.
impl Drop for FilesSession {
    fn drop(&mut self) {
        let beside = [std::mem::take(&mut self.renamed), std::mem::take(&mut self.appended)].concat();
        let beside = beside.into_iter().map(|(_, path)| path);
        for path in std::mem::take(&mut self.made).into_iter().chain(beside) {
            if self.system.delete(&path).is_err() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Pattern;
    use std::sync::{Arc, Mutex};

    /// Has these errors left for whoever makes a file, and knows what is there.
    #[derive(Clone, Default)]
    struct Busy(Arc<Mutex<(Vec<i32>, Vec<String>)>>);

    impl FileSystem for Busy {
        fn enter(&mut self, _path: &str) -> Result<(), OpError> {
            Ok(())
        }

        fn make_folder(&mut self, _path: &str) -> Result<(), OpError> {
            Ok(())
        }

        fn create(&mut self, path: &str, _content: &[u8], _durable: bool) -> Result<(), OpError> {
            let (errors, there) = &mut *self.0.lock().unwrap();
            there.push(path.to_string());
            errors.pop().map_or(Ok(()), |errno| Err(OpError::of(errno)))
        }

        fn write(&mut self, _path: &str, _content: &[u8], _to: WrittenTo, _durable: bool) -> Result<(), OpError> {
            Ok(())
        }

        fn stat(&mut self, _path: &str, _of: AskedOf) -> Result<u64, OpError> {
            Ok(0)
        }

        fn read(&mut self, _path: &str, _into: &mut [u8]) -> Result<usize, OpError> {
            Ok(0)
        }

        fn list(&mut self, _path: &str) -> Result<u64, OpError> {
            Ok(0)
        }

        fn rename(&mut self, _from: &str, _to: &str) -> Result<(), OpError> {
            Ok(())
        }

        fn delete(&mut self, path: &str) -> Result<(), OpError> {
            self.0.lock().unwrap().1.retain(|there| there != path);
            Ok(())
        }
    }

    #[test]
    fn a_file_that_the_file_system_was_too_busy_for_is_made_again() {
        let tree = Tree { levels: 1, folders: 2, files: 4, shared: false };
        let span = tree.bytes(1, 4096);
        let workload = Workload { tree: Some(tree), ..Workload::canonical(Pattern::CreateDelete, span, 1) };
        let opened = |errors: &[i32]| {
            let system = Busy(Arc::new(Mutex::new((errors.to_vec(), Vec::new()))));
            let names = Names::of(&workload).unwrap();
            let session = FilesSession::open(Box::new(system.clone()), names, (&workload, 0), &Progress::default());
            let there = system.0.lock().unwrap().1.len();
            (session.map(drop), there)
        };
        let (made, there) = opened(&[libc::EAGAIN, libc::ETIMEDOUT, libc::EBUSY]);
        made.unwrap();
        assert_eq!(there, STOCK as usize);
        // It gives up when the error comes at each try, and at once when the error is none that passes.
        assert!(opened(&[libc::EAGAIN; TRIES as usize]).0.is_err());
        assert!(opened(&[libc::ENOSPC]).0.is_err());
    }
}
