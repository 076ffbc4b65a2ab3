//! Frames on a byte stream: a length, a checksum, a message. What is damaged or too long is refused, never guessed at.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{self, Read, Write};
use xxhash_rust::xxh3::xxh3_64;

/// Before the first frame of an agent: what comes before it on the stream (a banner, a profile that talks) is not ours.
pub const MAGIC: &[u8; 16] = b"\0fathom-agent/1\n";

/// A window of a thousand targets, each with full histograms, stays below 8 MiB.
pub const LARGEST: usize = 16 << 20;
const HEAD: usize = 4 + 8;

#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The stream ended between two frames.
    #[error("the connection was closed")]
    Closed,
    #[error("the connection broke: {0}")]
    Broken(#[from] io::Error),
    /// A checksum that is wrong, a length that can't be, a message that is none.
    #[error("what came over the connection is damaged ({0})")]
    Damaged(String),
    /// It says what no agent may say.
    #[error("it broke a limit: {0}")]
    Beyond(String),
}

/// # Errors
/// The stream does not take it, or the message is too long for a frame.
pub fn write<M: Serialize>(stream: &mut impl Write, message: &M) -> Result<(), FrameError> {
    let body = postcard::to_stdvec(message).map_err(|error| FrameError::Damaged(error.to_string()))?;
    if body.len() > LARGEST {
        return Err(FrameError::Damaged(format!("a message of {} bytes is too long for a frame", body.len())));
    }
    let mut frame = Vec::with_capacity(HEAD + body.len());
    frame.extend_from_slice(&(body.len() as u32).to_le_bytes());
    frame.extend_from_slice(&xxh3_64(&body).to_le_bytes());
    frame.extend_from_slice(&body);
    stream.write_all(&frame)?;
    Ok(stream.flush()?)
}

/// # Errors
/// `Closed` if the stream ends before a frame begins; else what was wrong with it.
pub fn read<M: DeserializeOwned>(stream: &mut impl Read) -> Result<M, FrameError> {
    read_counted(stream, |_| LARGEST).map(|(message, _)| message)
}

/// The message, and how many bytes it had. `most`: how long a message that begins with this byte may be: in memory it takes many
/// times as much.
///
/// # Errors
/// As [`read`].
pub fn read_counted<M: DeserializeOwned>(
    stream: &mut impl Read,
    most: impl Fn(u8) -> usize,
) -> Result<(M, usize), FrameError> {
    let mut head = [0; HEAD];
    let got = fill(stream, &mut head)?;
    if got == 0 {
        return Err(FrameError::Closed);
    }
    if got < HEAD {
        return Err(FrameError::Damaged("it ends within a frame".into()));
    }
    let (length, sum) = head.split_at(4);
    let length = u32::from_le_bytes(length.try_into().unwrap_or_default()) as usize;
    let sum = u64::from_le_bytes(sum.try_into().unwrap_or_default());
    if length > LARGEST {
        return Err(FrameError::Damaged(format!("a frame of {length} bytes can't be")));
    }
    // Grows with what really comes: a length that lies costs no memory.
    let mut body = Vec::new();
    stream.take(length as u64).read_to_end(&mut body)?;
    if body.len() < length {
        return Err(FrameError::Damaged("it ends within a frame".into()));
    }
    if xxh3_64(&body) != sum {
        return Err(FrameError::Damaged("a checksum is wrong".into()));
    }
    if body.first().is_some_and(|kind| length > most(*kind)) {
        return Err(FrameError::Beyond(format!("a message of {length} bytes is too long for its kind")));
    }
    let message = postcard::from_bytes(&body).map_err(|error| FrameError::Damaged(error.to_string()))?;
    Ok((message, length))
}

/// Reads until the buffer is full or the stream ends.
fn fill(stream: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match stream.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// At most this many bytes may come before an agent's first word.
const BANNER: usize = 64 << 10;

/// Skips what comes before the agent's first word, and says what that was.
///
/// # Errors
/// The text that came instead, if the stream ended without it or went on too long.
pub fn find_magic(stream: &mut impl Read) -> Result<Vec<u8>, Vec<u8>> {
    let mut seen: Vec<u8> = Vec::new();
    let mut byte = [0];
    while seen.len() < BANNER {
        match stream.read(&mut byte) {
            Ok(1) => seen.push(byte[0]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            _ => return Err(seen),
        }
        if seen.ends_with(MAGIC) {
            seen.truncate(seen.len() - MAGIC.len());
            return Ok(seen);
        }
    }
    Err(seen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(messages in proptest::collection::vec((any::<u64>(), ".*"), 0..20)) {
            let mut stream = Vec::new();
            for message in &messages {
                write(&mut stream, message).unwrap();
            }
            let mut rest = &stream[..];
            for message in &messages {
                prop_assert_eq!(&read::<(u64, String)>(&mut rest).unwrap(), message);
            }
            prop_assert!(matches!(read::<(u64, String)>(&mut rest), Err(FrameError::Closed)));
        }

        #[test]
        fn garbage_is_refused_and_never_hangs_or_takes_memory(garbage in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut rest = &garbage[..];
            while read::<Vec<String>>(&mut rest).is_ok() {}
        }

        #[test]
        fn one_bit_that_turned_is_noticed(text in ".+", bit in any::<proptest::sample::Index>()) {
            let mut stream = Vec::new();
            write(&mut stream, &text).unwrap();
            let bit = bit.index(stream.len() * 8);
            stream[bit / 8] ^= 1 << (bit % 8);
            prop_assert!(read::<String>(&mut &stream[..]).is_err());
        }

        #[test]
        fn a_banner_is_skipped_and_kept(banner in proptest::collection::vec(any::<u8>(), 0..500)) {
            let stream = [&banner[..], MAGIC, b"rest"].concat();
            let mut rest = &stream[..];
            prop_assert_eq!(find_magic(&mut rest).unwrap(), banner);
            prop_assert_eq!(rest, b"rest");
        }
    }

    #[test]
    fn a_stream_cut_within_a_frame_is_damaged() {
        let mut stream = Vec::new();
        write(&mut stream, &"hello").unwrap();
        for end in 1..stream.len() {
            assert!(matches!(read::<String>(&mut &stream[..end]), Err(FrameError::Damaged(_))), "cut at {end}");
        }
    }

    #[test]
    fn who_talks_without_end_is_no_agent() {
        assert_eq!(find_magic(&mut io::repeat(b'x')).unwrap_err().len(), BANNER);
        assert_eq!(find_magic(&mut &b"bash: fathom: not found\n"[..]).unwrap_err(), b"bash: fathom: not found\n");
    }
}
