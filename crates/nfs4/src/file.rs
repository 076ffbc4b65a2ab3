//! An open file of an export.

use crate::client::{Client, handle, kind, of_file, refused, told};
use crate::errors::NfsError;
use crate::folder::{Folder, Kind};
use crate::session::missing;
use nfs::v4::Status;
use nfs::v4::protocol::{
    Fattr, FileHandle, OPEN4_SHARE_ACCESS_READ, OPEN4_SHARE_ACCESS_WANT_NO_DELEG, OPEN4_SHARE_ACCESS_WRITE, OpenArgs,
    OpenClaim, OpenHow, OpenOwner, Operation, OperationResult, StableHow, StateId, Verifier,
};

const OPEN4_SHARE_DENY_NONE: u32 = 0;

/// When a write has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stable {
    /// When the server has it.
    Server,
    /// When it is stable. As the kernel's client has it of what goes past its cache: what one request holds is asked for so (FILE_SYNC4);
    /// of more, each piece is written without that, and one COMMIT makes all of them stable.
    File,
}

/// What a server that has written nothing down yet says of it: the same as long as it has it in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written(Vec<Verifier>);

/// To be closed: the server keeps what it knows of it until then.
pub struct File {
    handle: FileHandle,
    state: StateId,
    size: u64,
}

impl File {
    /// For reading.
    pub fn open(client: &mut Client, folder: &Folder, name: &str) -> Result<File, NfsError> {
        File::opened(client, folder, name, OPEN4_SHARE_ACCESS_READ, OpenHow::NoCreate)
    }

    /// For writing.
    ///
    /// # Errors
    /// Also, EMLINK: it is no file, or has another name as well.
    pub fn open_own(client: &mut Client, folder: &Folder, name: &str) -> Result<File, NfsError> {
        File::opened(client, folder, name, OPEN4_SHARE_ACCESS_WRITE, OpenHow::NoCreate)
    }

    /// For reading and writing; made if it is not there.
    pub fn open_or_make(client: &mut Client, folder: &Folder, name: &str) -> Result<File, NfsError> {
        let both = OPEN4_SHARE_ACCESS_READ | OPEN4_SHARE_ACCESS_WRITE;
        File::opened(client, folder, name, both, OpenHow::Unchecked(Fattr::mode(0o600)))
    }

    /// For writing; it must not be there.
    pub fn make(client: &mut Client, folder: &Folder, name: &str) -> Result<File, NfsError> {
        File::opened(client, folder, name, OPEN4_SHARE_ACCESS_WRITE, OpenHow::Guarded(Fattr::mode(0o600)))
    }

    fn opened(
        client: &mut Client,
        folder: &Folder,
        name: &str,
        access: u32,
        openhow: OpenHow,
    ) -> Result<File, NfsError> {
        let what = "open";
        client.opens = client.opens.wrapping_add(1);
        let open = Operation::Open(OpenArgs {
            seqid: client.opens,
            share_access: access | OPEN4_SHARE_ACCESS_WANT_NO_DELEG,
            share_deny: OPEN4_SHARE_DENY_NONE,
            owner: OpenOwner { client_id: client.session.client, owner: b"fathom".to_vec() },
            openhow,
            claim: OpenClaim::Null(name.into()),
        });
        let answers = client.session.ask(what, folder.then([open, Operation::GetFh, of_file()]))?;
        let state = answers.iter().find_map(|answer| match answer {
            OperationResult::Open { result: Some(open), .. } => Some(open.stateid),
            _ => None,
        });
        let of = told(what, &answers)?;
        let size = of.size.unwrap_or(0);
        let file = File { handle: handle(what, &answers)?, state: state.ok_or_else(|| missing(what))?, size };
        let own = kind(&of) == Kind::File && of.numlinks.is_none_or(|names| names == 1);
        if access & OPEN4_SHARE_ACCESS_WRITE != 0 && !own {
            file.close(client)?;
            return Err(refused(what, Status::Mlink));
        }
        Ok(file)
    }

    /// Bytes, when it was opened.
    pub fn size(&self) -> u64 {
        self.size
    }

    fn here(&self, then: Operation) -> Vec<Operation> {
        vec![Operation::PutFh(self.handle.clone()), then]
    }

    /// How many bytes were read: fewer only at the file's end.
    pub fn read(&self, client: &mut Client, offset: u64, into: &mut [u8]) -> Result<usize, NfsError> {
        let what = "read";
        let mut done = 0;
        while done < into.len() {
            let count = (into.len() - done).min(client.read_most as usize) as u32;
            let read = Operation::Read { stateid: self.state, offset: offset + done as u64, count };
            let answers = client.session.ask(what, self.here(read))?;
            let Some(OperationResult::Read { eof, data, .. }) = answers.last() else { return Err(missing(what)) };
            let data = data.get(..count as usize).unwrap_or(data);
            into[done..done + data.len()].copy_from_slice(data);
            done += data.len();
            if *eof || data.is_empty() {
                break;
            }
        }
        Ok(done)
    }

    /// All of it.
    pub fn write(&self, client: &mut Client, offset: u64, from: &[u8], stable: Stable) -> Result<Written, NfsError> {
        let one = from.len() <= client.write_most as usize;
        let how = if stable == Stable::File && one { StableHow::FileSync } else { StableHow::Unstable };
        let written = self.write_pieces(client, offset, from, how)?;
        if stable == Stable::Server || written.0.is_empty() {
            return Ok(written);
        }
        self.commit(client, &written)?;
        Ok(Written::default())
    }

    /// What of it is not stable yet.
    fn write_pieces(
        &self,
        client: &mut Client,
        offset: u64,
        from: &[u8],
        stable: StableHow,
    ) -> Result<Written, NfsError> {
        let what = "write";
        let (mut done, mut all) = (0, Written::default());
        while done < from.len() {
            let piece = &from[done..from.len().min(done + client.write_most as usize)];
            let offset = offset + done as u64;
            let write = Operation::Write { stateid: self.state, offset, stable, data: piece.to_vec() };
            let answers = client.session.ask(what, self.here(write))?;
            match answers.last() {
                Some(OperationResult::Write { result: Some(written), .. })
                    if (1..=piece.len() as u32).contains(&written.count) =>
                {
                    if stable == StableHow::FileSync && written.committed != StableHow::FileSync {
                        let why = "it took a write as less stable than was asked for".to_string();
                        return Err(NfsError::Answer { what, why });
                    }
                    if written.committed != StableHow::FileSync && !all.0.contains(&written.verifier) {
                        all.0.push(written.verifier);
                    }
                    done += written.count as usize;
                }
                _ => return Err(missing(what)),
            }
        }
        Ok(all)
    }

    /// What the server has of it becomes stable.
    ///
    /// # Errors
    /// It has lost something of what was written (RFC 8881, 18.3): it has started anew since.
    pub fn commit(&self, client: &mut Client, written: &Written) -> Result<(), NfsError> {
        let what = "commit";
        let answers = client.session.ask(what, self.here(Operation::Commit { offset: 0, count: 0 }))?;
        let Some(OperationResult::Commit { result: Some(now), .. }) = answers.last() else { return Err(missing(what)) };
        match written.0.iter().all(|before| *before == now.verifier) {
            true => Ok(()),
            false => {
                let why = "it has started anew since, and lost what was written before".to_string();
                Err(NfsError::Answer { what, why })
            }
        }
    }

    pub fn empty(&self, client: &mut Client) -> Result<(), NfsError> {
        let none = Operation::SetAttr { stateid: self.state, attrs: Fattr::size(0) };
        client.session.ask("truncate", self.here(none)).map(drop)
    }

    pub fn close(self, client: &mut Client) -> Result<(), NfsError> {
        client.opens = client.opens.wrapping_add(1);
        client.session.ask("close", self.here(Operation::Close { seqid: client.opens, stateid: self.state })).map(drop)
    }
}
