//! Discards (trims) a whole device: it forgets what it holds, as new ones do.

use super::Holds;
use super::site::{DiskSite, queue};
use crate::api::EngineError;
use model::{Bytes, Place};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;

/// At once: the call can't be interrupted, and takes seconds on some devices.
const PIECE: Bytes = 1 << 35;

mod ioctl {
    // BLKDISCARD of linux/fs.h: from which byte on, and how many.
    nix::ioctl_write_ptr_bad!(discard, nix::request_code_none!(0x12, 119), [u64; 2]);
}

/// Does the kernel discard blocks of this device? Of anything else: no.
pub fn discards(path: &Path) -> bool {
    DiskSite::device(path) && queue(path, "discard_max_bytes").is_some_and(|bytes| bytes > 0)
}

/// `go_on`: told how many bytes are done, says whether it goes on.
///
/// # Errors
/// It is no device that may be written to, was not proven to be free, or does not discard.
pub fn discard(place: &Place, holds: &Holds, go_on: &mut dyn FnMut(Bytes) -> bool) -> Result<(), EngineError> {
    let site = DiskSite::held(place, holds)?;
    let path = site.path.display();
    if !discards(&site.path) || !site.writable {
        return Err(EngineError::Refused(format!("{path}: does not discard blocks, or may only be read")));
    }
    let broken = |error: std::io::Error| EngineError::Broken(format!("{path}: discarding its blocks: {error}"));
    let file = File::options().write(true).open(site.open_path()).map_err(broken)?;
    let mut from = 0;
    while from < site.bytes && go_on(from) {
        let range = [from, PIECE.min(site.bytes - from)];
        // SAFETY: the call reads the two integers.
        unsafe { ioctl::discard(file.as_raw_fd(), &range) }.map_err(|error| broken(error.into()))?;
        from += range[1];
    }
    Ok(())
}
