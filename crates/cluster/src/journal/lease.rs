//! A run's sign of life in the cluster: a key that it writes anew every few seconds, for hosts that can't see its process.
//!
//! Only changes of the value count, never times of day: clocks of hosts differ. Who undoes a run's changes first writes there that it
//! does; a run that finds this, since it was cut off from the monitors for long, ends without touching anything more.

use crate::admin::Cluster;
use crate::errors::ClusterError;
use ceph::CephError;
use serde_json::json;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const FOLDER: &str = "fathom/lease/";
const WRITTEN_EVERY: Duration = Duration::from_secs(5);
/// How long a lease is watched before its run counts as dead: six beats, since monitors with a loaded disk take seconds for one.
const WATCHED: Duration = Duration::from_secs(30);
/// How long to wait after taking a lease: two beats, in which a live run takes it back or ends.
const TAKEN: Duration = Duration::from_secs(10);
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// An election stops both sides. After a longer gap between two looks, watching begins anew.
const GAP: Duration = Duration::from_secs(4);

/// Kept by the run itself.
pub struct Lease {
    cluster: Cluster,
    run: String,
    lost: Arc<Mutex<Option<String>>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Whether another process has taken the run for dead.
#[derive(Clone)]
pub struct Lost(Arc<Mutex<Option<String>>>);

impl Lost {
    /// Which process undoes, or undid, the run's changes; `None`: none.
    pub fn by(&self) -> Option<String> {
        self.0.lock().ok().and_then(|lost| lost.clone())
    }
}

impl Lease {
    /// # Errors
    /// The cluster does not let it be written.
    pub fn keep(cluster: &Cluster, run: &str) -> Result<Lease, ClusterError> {
        write(cluster, run, &value(0))?;
        let (lost, stop) = (Arc::new(Mutex::new(None)), Arc::new(AtomicBool::new(false)));
        let thread = {
            let (cluster, run, lost, stop) = (cluster.clone(), run.to_string(), lost.clone(), stop.clone());
            let beat = move || {
                let mut number = 0u64;
                loop {
                    pause(WRITTEN_EVERY, &stop);
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    number += 1;
                    // Monitors that do not answer: the next beat tries again.
                    let Ok(found) = read(&cluster, &run) else { continue };
                    if !found.as_ref().is_some_and(|found| found.starts_with(BEAT)) {
                        if let Ok(mut lost) = lost.lock() {
                            *lost = Some(found.unwrap_or_else(|| REMOVED.to_string()));
                        }
                        return;
                    }
                    let _ = write(&cluster, &run, &value(number));
                }
            };
            std::thread::spawn(beat)
        };
        Ok(Lease { cluster: cluster.clone(), run: run.to_string(), lost, stop, thread: Some(thread) })
    }

    pub fn lost(&self) -> Lost {
        Lost(self.lost.clone())
    }

    /// Asks the cluster now: the next beat may be seconds away.
    pub fn taken(&self) -> Option<String> {
        match read(&self.cluster, &self.run) {
            Ok(found) if !found.as_ref().is_some_and(|found| found.starts_with(BEAT)) => {
                Some(found.unwrap_or_else(|| REMOVED.to_string()))
            }
            _ => None,
        }
    }

    /// Ends the beats, so that nothing is written after the key is gone.
    pub fn end(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }

    pub fn remove(&mut self) -> Result<(), ClusterError> {
        self.end();
        remove(&self.cluster, &self.run)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.end();
    }
}

fn pause(time: Duration, stop: &AtomicBool) {
    let until = Instant::now() + time;
    while let Some(left) = until.checked_duration_since(Instant::now()).filter(|_| !stop.load(Ordering::Relaxed)) {
        std::thread::park_timeout(left);
    }
}

/// Makes sure that a run whose process can't be seen is dead, and tells the run in case it is not.
///
/// # Errors
/// It lives; or it has no lease, and the user did not name it; or the monitors do not answer.
pub fn take(cluster: &Cluster, run: &str, named: bool, tell: &mut dyn FnMut(u64)) -> Result<(), ClusterError> {
    let found = read(cluster, run)?;
    if found.is_none() && !named {
        let why = "it has no lease, which would tell whether it still goes on; if you know that it ended".to_string();
        return Err(ClusterError::NotProven { run: run.to_string(), why });
    }
    tell(WATCHED.as_secs() + TAKEN.as_secs());
    stands_still(cluster, run, &found, WATCHED)?;
    let mine = Some(format!("undone by {} process {}", crate::here::host_name(), std::process::id()));
    write(cluster, run, mine.as_deref().unwrap_or_default())?;
    stands_still(cluster, run, &mine, TAKEN)
}

fn stands_still(cluster: &Cluster, run: &str, known: &Option<String>, time: Duration) -> Result<(), ClusterError> {
    let (mut since, mut last) = (Instant::now(), Instant::now());
    while since.elapsed() < time {
        std::thread::sleep(LOOK_EVERY);
        if read(cluster, run)? != *known {
            return Err(ClusterError::Lives { run: run.to_string() });
        }
        if last.elapsed() > GAP {
            since = Instant::now();
        }
        last = Instant::now();
    }
    Ok(())
}

/// Said where it is not known which run it was.
const REMOVED: &str = "its lease was removed";
const BEAT: &str = "beat ";

/// Two runs of one name are told apart by their processes.
fn value(number: u64) -> String {
    format!("{BEAT}{number} process {}", std::process::id())
}

fn write(cluster: &Cluster, run: &str, value: &str) -> Result<(), ClusterError> {
    cluster.tell(json!({"prefix": "config-key set", "key": key(run), "val": value})).map(drop)
}

fn read(cluster: &Cluster, run: &str) -> Result<Option<String>, ClusterError> {
    match cluster.tell(json!({"prefix": "config-key get", "key": key(run)})) {
        Ok(text) => Ok(Some(String::from_utf8_lossy(&text).into_owned())),
        Err(ClusterError::Ceph(CephError::NotFound { .. })) => Ok(None),
        Err(error) => Err(error),
    }
}

pub fn remove(cluster: &Cluster, run: &str) -> Result<(), ClusterError> {
    cluster.tell(json!({"prefix": "config-key rm", "key": key(run)})).map(drop)
}

fn key(run: &str) -> String {
    format!("{FOLDER}{run}")
}
