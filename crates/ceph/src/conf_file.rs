//! What is wrong with a ceph.conf, or with a keyring that is named: the library says only "Invalid argument", or waits.

use crate::error::CephError;
use std::path::Path;

/// Bytes of a configuration file: none is longer.
const MOST: u64 = 16 << 20;

/// Its text.
///
/// # Errors
/// It can't be read, or is no text.
pub fn read(conf: &Path) -> Result<String, CephError> {
    use std::io::Read;
    let bad = |why: String| CephError::BadConf { path: conf.to_owned(), why };
    let file = std::fs::File::open(conf).map_err(|error| bad(error.to_string()))?;
    let mut bytes = Vec::new();
    file.take(MOST).read_to_end(&mut bytes).map_err(|error| bad(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + valid.iter().filter(|byte| **byte == b'\n').count();
        bad(format!("line {line} is no text (not UTF-8); name a ceph.conf"))
    })
}

/// Why the library refuses this text.
pub fn explain(text: &str) -> String {
    match first_wrong(text) {
        Some((number, line)) => {
            let shown: String = line.chars().take(60).collect();
            format!("line {number} is neither [SECTION] nor NAME = VALUE: `{shown}`")
        }
        None => "it is not written as Ceph reads it: [SECTION] and NAME = VALUE".to_string(),
    }
}

/// The first line that is neither blank, a comment, a section, an assignment nor the rest of the line before.
fn first_wrong(text: &str) -> Option<(usize, &str)> {
    let mut continues = false;
    (1..).zip(text.lines()).find(|(_, line)| {
        let bare = line.trim();
        let plain = bare.is_empty() || bare.starts_with(['#', ';', '[']) || bare.contains('=');
        let wrong = !plain && !continues;
        continues = bare.ends_with('\\');
        wrong
    })
}

/// Does it say anything?
pub fn is_empty(text: &str) -> bool {
    text.lines().map(str::trim).all(|line| line.is_empty() || line.starts_with(['#', ';']))
}

/// A keyring that somebody names is there: the library looks on for other ways to prove who it is, until time is over. Several
/// (`a,b`) are places to look at, and what has variables (`$name`) is known to the library alone.
///
/// # Errors
/// It can't be read.
pub fn prove_named_keyring(keyring: &Path) -> Result<(), CephError> {
    if keyring.to_string_lossy().contains([',', ';', ' ', '$']) {
        return Ok(());
    }
    // What has no end is not opened.
    let opened = std::fs::metadata(keyring).and_then(|found| match found.is_file() {
        true => std::fs::File::open(keyring).map(drop),
        false => Ok(()),
    });
    opened.map_err(|error| CephError::BadKeyring { path: keyring.to_owned(), why: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_ceph_conf_is_told_by_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let conf = folder.path().join("ceph.conf");
        std::fs::write(&conf, b"[global]\n\xff\xfe\n").unwrap();
        assert!(read(&conf).unwrap_err().to_string().contains("line 2 is no text"));
        let why = explain("# x\n[global]\nfsid = 1\nmon_host = a \\\n b\nwhat is this\n");
        assert_eq!(why, "line 6 is neither [SECTION] nor NAME = VALUE: `what is this`");
        assert!(is_empty("\n # x\n") && !is_empty("[global]\n"));
    }

    #[test]
    fn a_keyring_that_is_named_is_there() {
        let why = prove_named_keyring(Path::new("/nowhere/keyring")).unwrap_err().to_string();
        assert!(why.starts_with("--keyring /nowhere/keyring: No such file"), "{why}");
    }
}
