//! Labs, lent from test to test: whoever takes one leaves the cluster as it was, which each of these tests asserts.

use super::Lab;
use std::ops::Deref;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::{fs, thread};

/// At most `MOST_IDLE`, the one given back last at the end.
static IDLE: Mutex<Vec<Kept>> = Mutex::new(Vec::new());

/// Each OSD takes 2,048 of the kernel's 65,536 requests of asynchronous I/O (fs.aio-max-nr), and memory: of five labs in use at a time with
/// three OSDs each, in two programs, one idle one in each leaves room for another 11 OSDs.
const MOST_IDLE: usize = 1;

/// What a test needs of one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Three OSDs behind files.
    Plain,
    /// The same, whose daemons have been killed, stopped and filled: healthy again, but with a past.
    Worn,
    /// Three hosts, in memory.
    Hosts,
}

impl Kind {
    fn arguments(self) -> &'static [&'static str] {
        match self {
            Kind::Plain | Kind::Worn => &[],
            Kind::Hosts => &["--backing", "memory", "--hosts", "3"],
        }
    }
}

/// A lab that ends with these tests, however they end.
struct Kept {
    kind: Kind,
    lab: Lab,
    _keeper: Child,
}

impl Kept {
    fn up(kind: Kind) -> Kept {
        let lab = Lab::up(kind.arguments());
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
        Kept { kind, lab, _keeper: keeper }
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

/// A lab that is given back when dropped. A test that failed may have left anything: its lab goes.
pub struct Lent(Option<Kept>);

impl Lent {
    pub fn lab() -> Lent {
        Lent::of(Kind::Plain)
    }

    pub fn of(kind: Kind) -> Lent {
        let mut all = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = all.iter().position(|kept| kept.kind == kind).map(|at| all.swap_remove(at));
        drop(all);
        Lent(Some(idle.unwrap_or_else(|| Kept::up(kind))))
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
            let mut all = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
            let oldest = (all.len() >= MOST_IDLE).then(|| all.remove(0));
            all.push(kept);
            drop(all);
            drop(oldest); // Taken down while others go on.
        }
    }
}
