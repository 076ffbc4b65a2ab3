//! What this process took: processor time, and the most memory.

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::sys::resource::{UsageWho, getrusage};
use nix::unistd::Pid;

/// Seconds of processor time so far, of all threads.
pub fn processor_seconds() -> f64 {
    getrusage(UsageWho::RUSAGE_SELF).map_or(f64::NAN, |usage| {
        let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
        seconds(usage.user_time()) + seconds(usage.system_time())
    })
}

/// MiB, since the process began.
pub fn memory_peak() -> f64 {
    getrusage(UsageWho::RUSAGE_SELF).map_or(f64::NAN, |usage| usage.max_rss() as f64 / 1024.0)
}

/// This process, and all threads that it starts from now on, on one of the processors that it may use: the first or the last.
///
/// # Errors
/// The kernel does not allow it.
pub fn stay_on(first: bool) -> Result<(), nix::Error> {
    let own = Pid::from_raw(0);
    let allowed = sched_getaffinity(own)?;
    let mut usable = (0..CpuSet::count()).filter(|cpu| allowed.is_set(*cpu).unwrap_or(false));
    let chosen = if first { usable.next() } else { usable.next_back() };
    let mut one = CpuSet::new();
    one.set(chosen.unwrap_or(0))?;
    sched_setaffinity(own, &one)
}
