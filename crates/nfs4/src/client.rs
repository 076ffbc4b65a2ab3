//! A connection to one export of a server.

use crate::errors::NfsError;
use crate::folder::{Folder, Kind};
use crate::session::{OVERHEAD, Session, missing};
use model::NfsExport;
use nfs::v4::Status;
use nfs::v4::protocol::{
    BasicAttributes, Bitmap, FATTR4_FILES_AVAIL, FATTR4_MAXREAD, FATTR4_MAXWRITE, FATTR4_NUMLINKS, FATTR4_SIZE,
    FATTR4_SPACE_AVAIL, FATTR4_TYPE, Fattr, FileHandle, Operation, OperationResult,
};
use std::time::Duration;

/// What there is still room for on a server; `None`: it does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Room {
    pub bytes: Option<u64>,
    pub files: Option<u64>,
}

pub struct Client {
    pub(crate) session: Session,
    root: Folder,
    /// Bytes of a read and of a write, at most.
    pub(crate) read_most: u32,
    pub(crate) write_most: u32,
    /// Of opens and closes.
    pub(crate) opens: u32,
}

impl Client {
    /// # Errors
    /// Nobody answers within the time, or not with NFS 4.1 or 4.2; there is no such export, or it is none for this client.
    pub fn connect(export: &NfsExport, within: Duration) -> Result<Client, NfsError> {
        let what = "open the export";
        let mut session = Session::open(&export.host, export.port, within)?;
        let names = export.path.split('/').filter(|name| !name.is_empty());
        let mut wanted = vec![Operation::PutRootFh];
        wanted.extend(names.map(|name| Operation::Lookup(name.to_string())));
        wanted.push(Operation::GetFh);
        let limits = [FATTR4_MAXREAD, FATTR4_MAXWRITE];
        wanted.push(Operation::GetAttr(Bitmap::from_attrs(&limits)));
        let answers = session.ask(what, wanted)?;
        let root = Folder { handle: handle(what, &answers)? };
        let limits = attributes(what, &answers)?.parse_fsinfo().map_err(|why| senseless(what, &why))?;
        let most = |channel: u32, told: Option<u64>| {
            let told = told.filter(|told| *told > 0).map_or(u32::MAX, |told| told.min(u32::MAX.into()) as u32);
            channel.saturating_sub(OVERHEAD).min(told).max(1)
        };
        let (read_most, write_most) =
            (most(session.answer_most, limits.max_read), most(session.call_most, limits.max_write));
        Ok(Client { session, root, read_most, write_most, opens: 0 })
    }

    /// Its connection, or its session, is gone: all that is asked from now on fails.
    pub fn is_lost(&self) -> bool {
        self.session.is_lost()
    }

    pub fn root(&self) -> Folder {
        self.root.clone()
    }

    pub fn room(&mut self) -> Result<Room, NfsError> {
        let what = "ask for the room that is left";
        let wanted = Bitmap::from_attrs(&[FATTR4_FILES_AVAIL, FATTR4_SPACE_AVAIL]);
        let root = self.root.handle.clone();
        let answers = self.session.ask(what, vec![Operation::PutFh(root), Operation::GetAttr(wanted)])?;
        let told = attributes(what, &answers)?.parse_fsstat().map_err(|why| senseless(what, &why))?;
        Ok(Room { bytes: told.available_bytes, files: told.available_files })
    }
}

/// Of what is told of a file: what it is, how large, and how many names it has.
pub(crate) fn of_file() -> Operation {
    Operation::GetAttr(Bitmap::from_attrs(&[FATTR4_TYPE, FATTR4_SIZE, FATTR4_NUMLINKS]))
}

pub(crate) fn handle(what: &'static str, answers: &[OperationResult]) -> Result<FileHandle, NfsError> {
    let found = answers.iter().find_map(|answer| match answer {
        OperationResult::GetFh { handle: Some(handle), .. } => Some(handle.clone()),
        _ => None,
    });
    found.ok_or_else(|| missing(what))
}

pub(crate) fn attributes<'a>(what: &'static str, answers: &'a [OperationResult]) -> Result<&'a Fattr, NfsError> {
    let found = answers.iter().find_map(|answer| match answer {
        OperationResult::GetAttr { attrs: Some(attrs), .. } => Some(attrs),
        _ => None,
    });
    found.ok_or_else(|| missing(what))
}

pub(crate) fn told(what: &'static str, answers: &[OperationResult]) -> Result<BasicAttributes, NfsError> {
    attributes(what, answers)?.parse_basic().map_err(|why| senseless(what, &why))
}

pub(crate) fn kind(told: &BasicAttributes) -> Kind {
    use nfs::v4::protocol::FileType;
    match told.file_type {
        Some(FileType::Regular) => Kind::File,
        Some(FileType::Directory) => Kind::Folder,
        _ => Kind::Other,
    }
}

pub(crate) fn senseless(what: &'static str, why: &nfs::Error) -> NfsError {
    NfsError::Answer { what, why: why.to_string() }
}

pub(crate) fn refused(what: &'static str, status: Status) -> NfsError {
    NfsError::Refused { what, status }
}
