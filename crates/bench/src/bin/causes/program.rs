//! The real program, called as a person calls it, in a home of its own; and a lab that goes with its holder.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use std::error::Error;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What a command has to end by itself after it was asked to.
const ENDING: Duration = Duration::from_secs(60);
/// What is quick wherever it ends well.
pub const SHORT: Duration = Duration::from_secs(300);

pub struct Program {
    path: PathBuf,
    /// Labs, archive and caches.
    home: tempfile::TempDir,
    /// Set by a signal: whatever runs is to end.
    pub stop: Arc<AtomicBool>,
}

pub struct Ran {
    pub code: Option<i32>,
    pub document: Value,
    pub complaint: String,
    pub seconds: f64,
}

impl Program {
    /// # Errors
    /// There is no such program, or no room for its home.
    pub fn new(path: &Path) -> Result<Program, Box<dyn Error>> {
        let path = fs::canonicalize(path).map_err(|error| format!("{}: {error}; build it first", path.display()))?;
        let stop = Arc::new(AtomicBool::new(false));
        for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
            signal_hook::flag::register(signal as i32, stop.clone())?;
        }
        Ok(Program { path, home: tempfile::tempdir()?, stop })
    }

    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Waits for its end, and ends it when its time is up or a signal came.
    ///
    /// # Errors
    /// It can't be started.
    pub fn run(&self, words: &[&str], limit: Duration) -> Result<Ran, Box<dyn Error>> {
        let (out, err) = (self.home.path().join("out"), self.home.path().join("err"));
        let began = Instant::now();
        let mut child = Command::new(&self.path)
            .args(words)
            .args(["--format", "json", "--quiet"])
            .env("XDG_DATA_HOME", self.home.path())
            .stdin(Stdio::null())
            .stdout(File::create(&out)?)
            .stderr(File::create(&err)?)
            .spawn()?;
        let going_down = words.contains(&"down");
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if began.elapsed() > limit || (self.stopped() && !going_down) {
                break end(&mut child)?;
            }
            std::thread::sleep(Duration::from_millis(50));
        };
        let seconds = began.elapsed().as_secs_f64();
        let document: Value = serde_json::from_slice(&fs::read(&out)?).unwrap_or_default();
        let complaint = fs::read_to_string(&err)?.lines().last().unwrap_or_default().to_string();
        let complaint = if complaint.is_empty() { format!("it ended with {status}") } else { complaint };
        Ok(Ran { code: status.code(), seconds, document, complaint })
    }

    /// Of a command that must end well.
    ///
    /// # Errors
    /// It does not.
    pub fn must(&self, words: &[&str]) -> Result<Value, Box<dyn Error>> {
        let ran = self.run(words, SHORT)?;
        match ran.code {
            Some(0) => Ok(ran.document),
            _ => Err(format!("fathom {}: {}", words.join(" "), ran.complaint).into()),
        }
    }
}

fn end(child: &mut Child) -> Result<ExitStatus, Box<dyn Error>> {
    let asked = Instant::now();
    let _ = kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGTERM);
    while asked.elapsed() < ENDING {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    child.kill()?;
    Ok(child.wait()?)
}

pub struct Lab<'p> {
    pub program: &'p Program,
    pub osds: Vec<String>,
    pub hosts: Vec<String>,
}

pub const NAME: &str = "causes";

impl<'p> Lab<'p> {
    /// # Errors
    /// This machine has no room for it, or lacks a right.
    pub fn up(program: &'p Program, backing: &str, with: &[&str]) -> Result<Lab<'p>, Box<dyn Error>> {
        // So that a slow device of the database is told from a slow disk.
        let apart: &[&str] = if backing == "loop" { &["--db"] } else { &[] };
        let of = ["lab", "up", "--name", NAME, "--hosts", "3", "--osds", "6", "--size", "2G", "--backing", backing];
        // From here on it goes down whatever happens, also if it came up in part.
        let mut lab = Lab { program, osds: Vec::new(), hosts: Vec::new() };
        let document = program.must(&[&of[..], apart, with].concat())?;
        let lab_of = if document["osds"].is_array() { &document } else { &document["lab"] };
        let list = |field: &str| lab_of[field].as_array().cloned().unwrap_or_default();
        lab.osds = list("osds").iter().map(|osd| format!("osd.{}", osd["id"])).collect();
        lab.hosts = list("hosts").iter().filter_map(|host| host["name"].as_str().map(str::to_string)).collect();
        if lab.osds.len() != 6 || lab.hosts.len() != 3 {
            return Err(format!("a lab of {} OSDs and {} hosts came up", lab.osds.len(), lab.hosts.len()).into());
        }
        Ok(lab)
    }

    pub fn audit(&self) -> Result<Ran, Box<dyn Error>> {
        self.program.run(&["audit", "--lab", NAME, "--hosts", "3"], SHORT)
    }
}

impl Drop for Lab<'_> {
    fn drop(&mut self) {
        let down = self.program.run(&["lab", "down", "--name", NAME], SHORT);
        match down {
            Ok(Ran { code: Some(0), .. }) => (),
            Ok(ran) => eprintln!("causes: the lab did not go down: {}", ran.complaint),
            Err(error) => eprintln!("causes: the lab did not go down: {error}"),
        }
    }
}
