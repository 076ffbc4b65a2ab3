//! Is a device empty? Its ends, known places of copies and thousands of probes are read; any byte that is not zero says no.

use super::places::{self, ALIGN};
use super::signatures;
use model::Bytes;
use nix::errno::Errno;
use nix::unistd::{Whence, lseek64};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Reads in flight: what a hard disk needs to order its seeks.
const READERS: usize = 16;
/// At most this much of a backing file's data is read whole; beyond that, probes are read.
const DATA_MOST: Bytes = 4 << 30;
/// What is read beyond the places that are always read takes no longer than this, twice: the beginning, and more probes.
const MORE: Duration = Duration::from_secs(2);

/// What reading has told.
#[derive(Debug, PartialEq)]
pub enum Looked {
    /// What lies there, in words.
    Found(String),
    /// All of it is zeros.
    Zeros,
    Share(Share),
}

/// What was looked at, all zeros, of something larger.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    pub looked: Bytes,
    pub of: Bytes,
    /// Data in one piece of this length would have been met.
    pub piece: Bytes,
}

/// `tell`: the share that was looked at.
///
/// # Errors
/// A part can't be read: then it is not known.
pub fn find(device: &File, bytes: Bytes, tell: &(dyn Fn(f64) + Sync)) -> io::Result<Looked> {
    let parts = places::of(bytes);
    let all = parts.iter().map(Vec::len).sum::<usize>().max(1);
    let mut read: Vec<Range<Bytes>> = Vec::new();
    let (mut last, count) = (Duration::ZERO, parts.len());
    for part in parts {
        let (before, begun) = (read.len(), Instant::now());
        let looked = |done: usize| tell((before + done) as f64 / all as f64);
        if let Some(found) = first_data(device, &part, &looked)? {
            return Ok(Looked::Found(signatures::name(device, bytes, found)));
        }
        read.extend(part);
        last = begun.elapsed();
    }
    if count == 1 {
        return Ok(Looked::Zeros);
    }
    // Only whole doublings: then all probes lie evenly.
    let rounds = rounds_within(MORE, last);
    let begun = Instant::now();
    let quick = |_: &Vec<Range<Bytes>>| begun.elapsed() < MORE;
    let more = places::beginning(bytes).into_iter().take_while(quick);
    for part in more.chain((1..rounds).map(|round| places::probes(bytes, round))) {
        if let Some(found) = first_data(device, &part, &|_| ())? {
            return Ok(Looked::Found(signatures::name(device, bytes, found)));
        }
        read.extend(part);
    }
    Ok(Looked::Share(Share { looked: covered(read), of: bytes, piece: places::piece(bytes, rounds) }))
}

/// How many rounds of probes fit into `time` after the first one, and that one; `round`: how long one takes.
fn rounds_within(time: Duration, round: Duration) -> u32 {
    let fits = |rounds: &u32| round * (rounds - 1) <= time;
    std::iter::successors(Some(places::ROUNDS), |rounds| Some(rounds / 2)).find(fits).unwrap_or(1)
}

/// Bytes, each counted once.
fn covered(mut places: Vec<Range<Bytes>>) -> Bytes {
    places.sort_by_key(|place| place.start);
    let (mut sum, mut end) = (0, 0);
    for place in places {
        sum += place.end.saturating_sub(place.start.max(end));
        end = end.max(place.end);
    }
    sum
}

/// For a loop device whose file is known, it is also known where data lies. What is no hole is read, up to 4 GiB, and beyond that probes
/// that are spread over all the rest.
///
/// # Errors
/// As of `find`.
pub fn find_in_file(file: &File, offset: Bytes, bytes: Bytes) -> io::Result<Looked> {
    look_through(file, offset..offset + bytes, DATA_MOST)
}

fn look_through(file: &File, range: Range<Bytes>, most: Bytes) -> io::Result<Looked> {
    let (mut at, mut read, mut rest) = (range.start, 0, Vec::new());
    while let Some(start) = data(file, at)?.filter(|start| *start < range.end) {
        let end = hole(file, start)?.min(range.end);
        // Blocks of a file system end elsewhere than those that are read; what lies between belongs to it.
        let begin = start / ALIGN * ALIGN;
        let whole = end.min(begin + (most - read));
        let parts: Vec<Range<Bytes>> =
            (begin..whole).step_by(1 << 20).map(|start| start..(start + (1 << 20)).min(whole)).collect();
        if let Some(found) = first_data(file, &parts, &|_| ())? {
            return Ok(Looked::Found(signatures::unknown(found.saturating_sub(range.start))));
        }
        read += whole - begin;
        rest.extend((whole < end).then_some(whole..end));
        at = end;
        if rest.len() > EXTENTS_MOST {
            // One more, over data and holes alike.
            rest.push(at..range.end);
            break;
        }
    }
    let of_rest: Bytes = rest.iter().map(|part| part.end - part.start).sum();
    if of_rest == 0 {
        return Ok(Looked::Zeros);
    }
    let probes: Vec<Range<Bytes>> = places::probes(of_rest.max(1 << 20), 0)
        .into_iter()
        .filter_map(|probe| within(&rest, probe.start).map(|place| place.start..place.end.min(place.start + 16384)))
        .collect();
    if let Some(found) = first_data(file, &probes, &|_| ())? {
        return Ok(Looked::Found(signatures::unknown(found.saturating_sub(range.start))));
    }
    // Holes are known to be zeros.
    let of = range.end - range.start;
    Ok(Looked::Share(Share { looked: of - of_rest + covered(probes), of, piece: places::piece(of_rest, 1) }))
}

/// If a file has its data in more parts than this, holes are probed, too.
const EXTENTS_MOST: usize = 100_000;

/// What is left of the part in which the byte lies, if these parts are counted through.
fn within(parts: &[Range<Bytes>], byte: Bytes) -> Option<Range<Bytes>> {
    let mut before = 0;
    parts.iter().find_map(|part| {
        let length = part.end - part.start;
        let place = (byte < before + length).then(|| part.start + (byte - before)..part.end);
        before += length;
        place
    })
}

/// Where data begins, here or behind it. A file system that can't tell has data everywhere.
fn data(file: &File, at: Bytes) -> io::Result<Option<Bytes>> {
    match seek(file, at, Whence::SeekData) {
        Err(Errno::ENXIO) => Ok(None),
        Err(Errno::EINVAL | Errno::EOPNOTSUPP) => {
            Ok(Some(at).filter(|at| file.metadata().is_ok_and(|own| *at < own.len())))
        }
        other => Ok(other.map(Some)?),
    }
}

fn hole(file: &File, at: Bytes) -> io::Result<Bytes> {
    match seek(file, at, Whence::SeekHole) {
        Err(Errno::ENXIO | Errno::EINVAL | Errno::EOPNOTSUPP) => Ok(file.metadata()?.len()),
        other => Ok(other?),
    }
}

fn seek(file: &File, at: Bytes, whence: Whence) -> Result<Bytes, Errno> {
    let at = i64::try_from(at).map_err(|_| Errno::ENXIO)?;
    let found = lseek64(file.as_fd(), at, whence)?;
    Bytes::try_from(found).map_err(|_| Errno::EINVAL)
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
    const ZEROS: [u8; 4096] = [0; 4096];
    // Slices are compared by the C library: as fast in a build without optimisation.
    let whole = bytes.chunks(ZEROS.len()).position(|chunk| *chunk != ZEROS[..chunk.len()])?;
    let within = bytes[whole * ZEROS.len()..].iter().position(|byte| *byte != 0)?;
    Some(whole * ZEROS.len() + within)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(looked: Looked) -> String {
        match looked {
            Looked::Found(what) => what,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_byte_anywhere_is_found_in_a_sparse_file_and_zeros_are_none() {
        let file = tempfile::tempfile().unwrap();
        let bytes = 3 << 40;
        file.set_len(bytes).unwrap();
        file.write_all_at(&[0; 8192], 1 << 39).unwrap();
        assert_eq!(find_in_file(&file, 0, bytes).unwrap(), Looked::Zeros);
        let looked = find(&file, bytes, &|_| ()).unwrap();
        assert!(
            matches!(looked, Looked::Share(Share { looked: 1..0x1_0000_0000, of, .. }) if of == bytes),
            "{looked:?}"
        );
        file.write_all_at(&[7], 777_777_777_777).unwrap();
        let what = found(find_in_file(&file, 1 << 20, bytes - (1 << 20)).unwrap());
        assert!(what.contains(&(777_777_777_777u64 - (1 << 20)).to_string()), "{what}");
        // Before the part that the loop device has of it.
        assert_eq!(find_in_file(&file, 800_000_000_000, 1 << 40).unwrap(), Looked::Zeros);
    }

    /// The same places in every run, also where chance would meet it in one run of seven.
    #[test]
    fn a_device_is_refused_each_time_or_never() {
        let file = tempfile::tempfile().unwrap();
        let bytes: Bytes = 8 << 40;
        file.set_len(bytes).unwrap();
        let mut seen = 0;
        for number in 0..12u64 {
            let at = (3 << 40) + number * 123_456_789 * 4096;
            file.write_all_at(&[9; 4096], at).unwrap();
            let looks = [(); 2].map(|()| first_data(&file, &places::probes(bytes, 0), &|_| ()).unwrap());
            assert_eq!(looks[0], looks[1]);
            seen += usize::from(looks[0].is_some());
            file.set_len(at).unwrap();
            file.set_len(bytes).unwrap();
        }
        assert!(seen < 12, "a block is rarely met");
    }

    /// All behind the part that is read whole is zeros that were written, but for this.
    #[test]
    fn behind_the_part_that_is_read_whole_an_allocated_file_is_probed() {
        const MIB: Bytes = 1 << 20;
        let file = tempfile::tempfile().unwrap();
        file.write_all_at(&vec![0; 24 << 20], 0).unwrap();
        file.set_len(64 * MIB).unwrap();
        let look = |most: Bytes| look_through(&file, 0..64 * MIB, most).unwrap();
        assert_eq!(look(24 * MIB), Looked::Zeros);
        let Looked::Share(share) = look(8 * MIB) else { panic!("it was not read whole") };
        assert!(share.of == 64 * MIB && (48 * MIB..=64 * MIB).contains(&share.looked), "{share:?}");
        file.write_all_at(&[1; 16384], 20 * MIB + 777).unwrap();
        assert!(found(look(8 * MIB)).contains("not zero"));
    }

    #[test]
    fn more_rounds_only_where_they_take_no_time() {
        let rounds = |millis| rounds_within(MORE, Duration::from_millis(millis));
        assert_eq!([rounds(0), rounds(130), rounds(200), rounds(2000), rounds(30_000)], [16, 16, 8, 2, 1]);
        assert_eq!(covered(vec![10..20, 0..5, 15..30, 16..17]), 25);
        assert_eq!(
            [within(&[5..7, 10..20], 1), within(&[5..7, 10..20], 2), within(&[5..7, 9..10], 3)],
            [Some(6..7), Some(10..20), None]
        );
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
