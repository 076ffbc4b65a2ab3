//! The process of the lab that goes on with something as long as a fault is on.
//!
//! The supervisor starts it as `PROGRAM lab worker JOB` and kills it; it ends in no other way.

use super::access::LabAccess;
use super::{caps_held, deep_scrub, flapping, noisy_neighbour, snapshot, stutter, two_writers};
use crate::errors::LabError;
use crate::job::Job;
use std::thread;
use std::time::Duration;

/// How long to wait after something failed: the target of a fault may be away for a while because of another fault.
const RETRY: Duration = Duration::from_secs(1);

/// What `PROGRAM lab worker LAB JOB` does, until it is killed. The job is JSON, as the supervisor writes it.
///
/// Returns the exit code of what could not even begin.
pub fn worker(lab: &str, job: &str) -> u8 {
    let job: Job = match serde_json::from_str(job) {
        Ok(job) => job,
        Err(error) => {
            eprintln!("not a job: {error}");
            return 2;
        }
    };
    loop {
        let Err(error) = LabAccess::of(lab).and_then(|access| work(&access, &job)) else { continue };
        eprintln!("{error}");
        thread::sleep(RETRY);
    }
}

/// Never ends well.
fn work(access: &LabAccess, job: &Job) -> Result<(), LabError> {
    let every = |ms: &u64| Duration::from_millis(*ms);
    match job {
        Job::Stutter { daemon, stop_ms } => stutter::work(access, daemon, every(stop_ms)),
        Job::NoisyNeighbour { pool, in_flight } => noisy_neighbour::work(access, pool, *in_flight),
        Job::DeepScrub { pool, every_ms } => deep_scrub::work(access, pool, every(every_ms)),
        Job::Flapping { osd, every_ms } => flapping::work(access, *osd, every(every_ms)),
        Job::TwoWriters { pool, image } => two_writers::work(access, pool, image),
        Job::HoldCaps { folder } => caps_held::hold(access, folder),
        Job::AskForHeld { folder, holder, seconds } => {
            caps_held::ask_for_held(access, folder, holder, Duration::from_secs(*seconds))
        }
        Job::Snapshot { pool, image, every_ms } => snapshot::work(access, pool, image, every(every_ms)),
    }
}
