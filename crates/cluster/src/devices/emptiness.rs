//! Is a device empty? Its ends, known places of copies and thousands of probes are read; any byte that is not zero says no.

use super::places::{self, ALIGN};
use super::signatures;
use model::Bytes;
use nix::unistd::{Whence, lseek64};
use std::collections::hash_map::RandomState;
use std::fs::File;
use std::hash::BuildHasher;
use std::io;
use std::ops::Range;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Reads in flight: what a hard disk needs to order its seeks.
const READERS: usize = 16;
/// Of a backing file's data, so much is read whole.
const DATA_MOST: Bytes = 1 << 30;

/// What lies on the device, in words; `None`: nothing was found. `tell`: the share that was looked at.
///
/// # Errors
/// A part can't be read: then nobody knows.
pub fn find(device: &File, bytes: Bytes, tell: &(dyn Fn(f64) + Sync)) -> io::Result<Option<String>> {
    let parts = places::of(bytes, &mut chance());
    let all = parts.iter().map(Vec::len).sum::<usize>().max(1);
    let mut before = 0;
    for part in parts {
        let looked = |done: usize| tell((before + done) as f64 / all as f64);
        if let Some(found) = first_data(device, &part, &looked)? {
            return Ok(Some(signatures::name(device, bytes, found)));
        }
        before += part.len();
    }
    Ok(None)
}

/// Of a loop device whose file is known, where its data lies is known, too: everything is read that is no hole.
///
/// # Errors
/// As of `find`.
pub fn find_in_file(file: &File, offset: Bytes, bytes: Bytes) -> io::Result<Option<String>> {
    let (mut at, mut read) = (offset, 0);
    while read < DATA_MOST
        && let Some(start) = seek(file, at, Whence::SeekData).filter(|start| *start < offset + bytes)
    {
        let end = seek(file, start, Whence::SeekHole).unwrap_or(offset + bytes).min(offset + bytes);
        // Blocks of a file system end elsewhere than those that are read; what lies between belongs to it.
        let parts: Vec<Range<Bytes>> = (start / ALIGN * ALIGN..end)
            .step_by(1 << 20)
            .map(|start| start..(start + (1 << 20)).min(end))
            .take(((DATA_MOST - read) >> 20) as usize + 1)
            .collect();
        if let Some(found) = first_data(file, &parts, &|_| ())? {
            return Ok(Some(signatures::unknown(found.saturating_sub(offset))));
        }
        (at, read) = (end, read + (end - start));
    }
    Ok(None)
}

fn seek(file: &File, at: Bytes, whence: Whence) -> Option<Bytes> {
    let found = lseek64(file.as_fd(), i64::try_from(at).ok()?, whence).ok()?;
    Bytes::try_from(found).ok()
}

/// Numbers that differ from run to run, so that nothing stays unseen for ever.
fn chance() -> impl FnMut(Bytes) -> Bytes {
    let (state, mut count) = (RandomState::new(), 0u64);
    move |most| {
        count += 1;
        state.hash_one(count) % most.max(1)
    }
}

/// Where the first byte that is not zero lies that one of the readers met.
fn first_data(device: &File, places: &[Range<Bytes>], looked: &(dyn Fn(usize) + Sync)) -> io::Result<Option<Bytes>> {
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let found: Mutex<io::Result<Option<Bytes>>> = Mutex::new(Ok(None));
    let read = || {
        let mut buffer = Buffer::new();
        while !stop.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(place) = places.get(index) else { return };
            let seen = buffer.first_data(device, place);
            if !matches!(seen, Ok(None)) {
                stop.store(true, Ordering::Relaxed);
                keep_first(&found, seen);
                return;
            }
            looked(index);
        }
    };
    std::thread::scope(|scope| {
        (0..READERS.min(places.len())).for_each(|_| {
            scope.spawn(read);
        });
    });
    found.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Data says more than an error, and the first of it most.
fn keep_first(found: &Mutex<io::Result<Option<Bytes>>>, seen: io::Result<Option<Bytes>>) {
    let mut found = found.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let better = match (&*found, &seen) {
        (Ok(Some(known)), Ok(Some(new))) => new < known,
        (Ok(Some(_)), _) => false,
        _ => true,
    };
    if better {
        *found = seen;
    }
}

/// As direct I/O wants it.
struct Buffer {
    bytes: Vec<u8>,
    skip: usize,
}

impl Buffer {
    fn new() -> Buffer {
        let bytes = vec![0; (1 << 20) + 2 * ALIGN as usize];
        let skip = bytes.as_ptr().align_offset(ALIGN as usize);
        Buffer { bytes, skip: if skip < ALIGN as usize { skip } else { 0 } }
    }

    fn first_data(&mut self, device: &File, place: &Range<Bytes>) -> io::Result<Option<Bytes>> {
        let wanted = (place.end - place.start).next_multiple_of(ALIGN) as usize;
        let buffer = &mut self.bytes[self.skip..self.skip + wanted];
        let read = read_at(device, buffer, place.start)?;
        Ok(first_nonzero(&buffer[..read]).map(|at| place.start + at as Bytes))
    }
}

/// Fewer at the end of the device.
pub fn read_at(device: &File, buffer: &mut [u8], at: Bytes) -> io::Result<usize> {
    let mut read = 0;
    while read < buffer.len() {
        match device.read_at(&mut buffer[read..], at + read as Bytes) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // Direct I/O can't begin within a block: what was read was all.
            Err(_) if read > 0 && read % ALIGN as usize != 0 => break,
            Err(error) => return Err(io::Error::new(error.kind(), format!("byte {at} can't be read: {error}"))),
        }
    }
    Ok(read)
}

fn first_nonzero(bytes: &[u8]) -> Option<usize> {
    let whole = bytes.chunks(512).position(|chunk| chunk.iter().fold(0, |all, byte| all | byte) != 0)?;
    let within = bytes[whole * 512..].iter().position(|byte| *byte != 0)?;
    Some(whole * 512 + within)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_anywhere_is_found_in_a_sparse_file_and_zeros_are_none() {
        let file = tempfile::tempfile().unwrap();
        let bytes = 3 << 40;
        file.set_len(bytes).unwrap();
        file.write_all_at(&[0; 8192], 1 << 39).unwrap();
        assert_eq!(find_in_file(&file, 0, bytes).unwrap(), None);
        assert_eq!(find(&file, bytes, &|_| ()).unwrap(), None);
        file.write_all_at(&[7], 777_777_777_777).unwrap();
        let found = find_in_file(&file, 1 << 20, bytes - (1 << 20)).unwrap().unwrap();
        assert!(found.contains(&(777_777_777_777u64 - (1 << 20)).to_string()), "{found}");
        // Before the part that the loop device has of it.
        assert_eq!(find_in_file(&file, 800_000_000_000, 1 << 40).unwrap(), None);
    }

    #[test]
    fn the_first_byte_is_found_at_every_place_of_a_block() {
        for at in [0, 1, 511, 512, 4095, 4096, 9999] {
            let mut bytes = vec![0; 10_000];
            bytes[at] = 1;
            assert_eq!(first_nonzero(&bytes), Some(at));
        }
        assert_eq!(first_nonzero(&[0; 777]), None);
    }
}
