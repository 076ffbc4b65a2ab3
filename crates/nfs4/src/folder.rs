//! A folder of an export, by its handle: it stays the same whatever has its name later, and no link is followed.

use crate::client::{Client, handle, kind, of_file, refused, senseless, told};
use crate::errors::NfsError;
use crate::session::missing;
use nfs::v4::Status;
use nfs::v4::protocol::{
    Bitmap, CreateArgs, CreateKind, FATTR4_TYPE, Fattr, FileHandle, Operation, OperationResult, Verifier,
};
use std::collections::HashSet;

/// What a name in a folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    File,
    Folder,
    /// A link, a pipe, and the like.
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    pub(crate) handle: FileHandle,
}

/// Bytes of a page of names.
const PAGE: u32 = 256 << 10;

impl Folder {
    fn here(&self, then: impl IntoIterator<Item = Operation>) -> Vec<Operation> {
        std::iter::once(Operation::PutFh(self.handle.clone())).chain(then).collect()
    }

    /// A folder in it.
    ///
    /// # Errors
    /// Also: it is none; a link is none either.
    pub fn folder(&self, client: &mut Client, name: &str) -> Result<Folder, NfsError> {
        let what = "open a folder";
        let answers =
            client.session.ask(what, self.here([Operation::Lookup(name.into()), Operation::GetFh, of_file()]))?;
        match kind(&told(what, &answers)?) {
            Kind::Folder => Ok(Folder { handle: handle(what, &answers)? }),
            _ => Err(refused(what, Status::NotDir)),
        }
    }

    pub fn make_folder(&self, client: &mut Client, name: &str) -> Result<(), NfsError> {
        let new = CreateArgs { kind: CreateKind::Directory, name: name.into(), attrs: Fattr::mode(0o700) };
        client.session.ask("make a folder", self.here([Operation::Create(new)])).map(drop)
    }

    /// How large a file in it is, as the server has it.
    pub fn size(&self, client: &mut Client, name: &str) -> Result<u64, NfsError> {
        let what = "stat";
        let answers = client.session.ask(what, self.here([Operation::Lookup(name.into()), of_file()]))?;
        told(what, &answers)?.size.ok_or_else(|| missing(what))
    }

    /// Told of each name in it, and what it is.
    pub fn each_name(&self, client: &mut Client, mut tell: impl FnMut(&str, Kind)) -> Result<(), NfsError> {
        let what = "list";
        let (mut cookie, mut verifier) = (0, Verifier::default());
        let mut ends = HashSet::new();
        loop {
            let page = Operation::ReadDir {
                cookie,
                cookieverf: verifier,
                dircount: PAGE,
                maxcount: PAGE.min(client.read_most),
                attr_request: Bitmap::from_attrs(&[FATTR4_TYPE]),
            };
            let answers = client.session.ask(what, self.here([page]))?;
            let Some(OperationResult::ReadDir { cookieverf, entries, eof, .. }) = answers.last() else {
                return Err(missing(what));
            };
            for entry in entries {
                let of = entry.basic_attributes().map_err(|why| senseless(what, &why))?;
                tell(&entry.name, kind(&of));
            }
            match entries.last() {
                _ if *eof => return Ok(()),
                Some(last) if ends.insert(last.cookie) => (cookie, verifier) = (last.cookie, *cookieverf),
                Some(_) => return Err(endless(what, "it tells the same names again, without an end")),
                None => return Err(endless(what, "it tells of no more names, and of no end")),
            }
        }
    }

    pub fn rename(&self, client: &mut Client, from: &str, into: &Folder, to: &str) -> Result<(), NfsError> {
        let target = Operation::PutFh(into.handle.clone());
        let rename = Operation::Rename { oldname: from.into(), newname: to.into() };
        client.session.ask("rename", self.here([Operation::SaveFh, target, rename])).map(drop)
    }

    /// Removes a file, or an empty folder, in it.
    pub fn remove(&self, client: &mut Client, name: &str) -> Result<(), NfsError> {
        client.session.ask("delete", self.here([Operation::Remove(name.into())])).map(drop)
    }

    pub(crate) fn then(&self, operations: impl IntoIterator<Item = Operation>) -> Vec<Operation> {
        self.here(operations)
    }
}
fn endless(what: &'static str, why: &str) -> NfsError {
    NfsError::Answer { what, why: why.to_string() }
}
