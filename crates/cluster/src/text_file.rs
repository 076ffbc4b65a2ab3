//! A file that is read whole, as text, and no further than a text can be: `/dev/zero` has no end.

use crate::errors::ClusterError;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// Bytes of a text file: no list of hosts, job file, configuration, keyring or file of thresholds is larger.
pub const LARGEST: u64 = 16 << 20;

/// # Errors
/// With the file's name.
pub fn read(path: &Path) -> Result<String, ClusterError> {
    let wrong = |error: io::Error| ClusterError::Unreadable { path: path.to_path_buf(), why: error.to_string() };
    read_up_to(path, LARGEST).map_err(wrong)
}

/// A file, or a pipe of the shell (`<(…)`); of a device that has no end, not more than the limit is ever read.
///
/// # Errors
/// It can't be read, is longer than `most` bytes, or is no text; or a named pipe, where opening would wait for a writer.
pub fn read_up_to(path: &Path, most: u64) -> io::Result<String> {
    if is_pipe(path) && path.canonicalize().is_ok() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is a pipe, and no regular file"));
    }
    text_of(&mut File::open(path)?, most)
}

fn is_pipe(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo())
}

/// The same of a stream.
///
/// # Errors
/// As [`read_up_to`].
pub fn text_of(stream: &mut dyn Read, most: u64) -> io::Result<String> {
    let wrong = |why: String| io::Error::new(io::ErrorKind::InvalidData, why);
    let mut bytes = Vec::new();
    stream.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(wrong(format!("it is larger than {} MiB, and so no such file", most >> 20)));
    }
    String::from_utf8(bytes)
        .map_err(|error| wrong(format!("it is no text (byte {})", error.utf8_error().valid_up_to())))
}

/// For a file that another program reads whole: a device without an end is refused. What can't be opened that program tells, and a pipe can
/// be read only once.
///
/// # Errors
/// It is longer than any such file.
pub fn prove_end(path: &Path) -> io::Result<()> {
    if is_pipe(path) {
        return Ok(());
    }
    let Ok(file) = File::open(path) else { return Ok(()) };
    let read = io::copy(&mut file.take(LARGEST + 1), &mut io::sink()).unwrap_or(0);
    match read > LARGEST {
        true => Err(io::Error::new(io::ErrorKind::InvalidData, format!("it is larger than {} MiB", LARGEST >> 20))),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_is_not_read_to_it() {
        let why = read(Path::new("/dev/zero")).unwrap_err().to_string();
        assert!(why.contains("/dev/zero") && why.contains("larger than 16 MiB"), "{why}");
        assert!(prove_end(Path::new("/dev/zero")).is_err());
        assert!(prove_end(Path::new("/dev/null")).is_ok() && prove_end(Path::new("/nowhere")).is_ok());
        assert_eq!(text_of(&mut &b"four"[..], 4).unwrap(), "four");
        assert!(text_of(&mut &b"fives"[..], 4).is_err());
        let why = text_of(&mut &b"ab\xff"[..], 4).unwrap_err().to_string();
        assert!(why.contains("no text (byte 2)"), "{why}");
    }

    #[test]
    fn a_pipe_with_a_name_is_not_waited_for_and_one_of_the_shell_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let why = read(&pipe).unwrap_err().to_string();
        assert!(why.contains("no regular file"), "{why}");
        let (reader, mut writer) = io::pipe().unwrap();
        io::Write::write_all(&mut writer, b"four").unwrap();
        drop(writer);
        let shells = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&reader));
        assert_eq!(read(Path::new(&shells)).unwrap(), "four");
    }
}
