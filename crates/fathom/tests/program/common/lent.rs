//! Plain labs, lent from test to test: whoever takes one leaves the cluster as it was, which each of these tests asserts.

use super::Lab;
use std::ops::Deref;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::{fs, thread};

static IDLE: Mutex<Vec<Kept>> = Mutex::new(Vec::new());

/// A lab that ends with these tests, however they end.
struct Kept {
    lab: Lab,
    _keeper: Child,
}

impl Kept {
    fn up() -> Kept {
        let lab = Lab::up(&[]);
        // Its input ends when this process does: killed as well, and whatever happens to its terminal or group.
        let script = r#"trap '' HUP INT QUIT TERM; cat; "$0" lab down --name "$1" && rm -rf "$2""#;
        let keeper = Command::new("sh")
            .args(["-c", script, env!("CARGO_BIN_EXE_fathom"), &lab.name])
            .arg(lab.home.path())
            .env("XDG_DATA_HOME", lab.home.path())
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Kept { lab, _keeper: keeper }
    }

    /// What the last test kept: its runs, journals and files, but not the lab.
    fn forget(&self) {
        let home = self.lab.home.path();
        for folder in [home.to_path_buf(), home.join("fathom")] {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                match entry.file_name().to_str() {
                    Some("fathom" | "labs") => {}
                    _ if entry.path().is_dir() => fs::remove_dir_all(entry.path()).unwrap(),
                    _ => fs::remove_file(entry.path()).unwrap(),
                }
            }
        }
    }
}

/// A lab of three OSDs behind files, given back when dropped. A test that failed may have left anything: its lab goes.
pub struct Lent(Option<Kept>);

impl Lent {
    pub fn lab() -> Lent {
        let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Lent(Some(idle.unwrap_or_else(Kept::up)))
    }
}

impl Deref for Lent {
    type Target = Lab;

    fn deref(&self) -> &Lab {
        &self.0.as_ref().unwrap().lab
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let Some(kept) = self.0.take() else { return };
        if !thread::panicking() {
            kept.forget();
            IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(kept);
        }
    }
}
