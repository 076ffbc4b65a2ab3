//! Names of a listing that are no UTF-8. The NFS library refuses an answer with such a name as a whole, and with it all that is listed beside it.

use nfs::xdr::{Decoder, Error};
use std::ops::Range;

const SEQUENCE: u32 = 53;
const PUT_HANDLE: u32 = 22;
const READ_FOLDER: u32 = 26;
/// What a sequence answers: the session's id, and five words.
const OF_SEQUENCE: usize = 16 + 5 * 4;
/// What comes before each name and after a folder's status: the verifier, or the cookie.
const MARK: usize = 8;
const NAME_MOST: usize = 4096;
const ATTRIBUTES_MOST: usize = 1 << 16;

/// The same answer, in which such names can be read: as far as they are to be shown, and never as names of ours. `begin`: where the results
/// of the compound begin.
pub fn readable(answer: &[u8], begin: usize) -> Vec<u8> {
    let mut readable = answer.to_vec();
    for name in listed(answer.get(begin..).unwrap_or_default()).unwrap_or_default() {
        let name = begin + name.start..begin + name.end;
        let Some(bytes) = readable.get_mut(name).filter(|bytes| std::str::from_utf8(bytes).is_err()) else { continue };
        bytes.iter_mut().filter(|byte| !byte.is_ascii()).for_each(|byte| *byte = b'?');
        bytes.iter_mut().rev().take(1).for_each(|byte| *byte = b'?');
    }
    readable
}

/// Where the names are, in an answer to: this session, this folder, its names.
fn listed(compound: &[u8]) -> Result<Vec<Range<usize>>, Error> {
    let mut from = Decoder::new(compound);
    let (_status, _tag, results) = (from.read_u32()?, from.read_opaque(NAME_MOST)?, from.read_u32()?);
    let mut names = Vec::new();
    for _ in 0..results {
        match (from.read_u32()?, from.read_u32()?) {
            (SEQUENCE, 0) => drop(from.read_fixed_opaque(OF_SEQUENCE)?),
            (PUT_HANDLE, 0) => {}
            (READ_FOLDER, 0) => {
                from.read_fixed_opaque(MARK)?;
                while from.read_bool()? {
                    from.read_fixed_opaque(MARK)?;
                    let begin = from.position() + 4;
                    let name = from.read_opaque(NAME_MOST)?;
                    names.push(begin..begin + name.len());
                    // Which attributes there are, and they.
                    for _ in 0..from.read_u32()? {
                        from.read_u32()?;
                    }
                    from.read_opaque(ATTRIBUTES_MOST)?;
                }
                from.read_bool()?;
            }
            _ => break,
        }
    }
    Ok(names)
}
