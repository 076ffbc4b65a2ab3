//! Where time comes from: the machine's monotonic clock, or a simulated one that only moves when somebody waits.

use model::{Clock, Nanos};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// CLOCK_MONOTONIC. Its zero is everybody's, so a callback in a C library may stamp completions by itself. A reading
/// costs some 25 ns (no system call); the counter of the CPU would cost 10, but drifts against the callbacks' clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealClock;

impl Clock for RealClock {
    #[inline]
    fn now(&self) -> Nanos {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: fills the one structure; this clock exists on every Linux.
        unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
        time.tv_sec as u64 * model::clock::SECOND + time.tv_nsec as u64
    }

    fn wait_until(&self, t: Nanos) {
        loop {
            let now = self.now();
            if now >= t {
                return;
            }
            std::thread::sleep(Duration::from_nanos(t - now));
        }
    }
}

/// Time that stands still until somebody waits. Begins at one second: 0 is no time of a completion.
#[derive(Debug)]
pub struct SimClock {
    now: AtomicU64,
}

impl Default for SimClock {
    fn default() -> Self {
        SimClock { now: AtomicU64::new(model::clock::SECOND) }
    }
}

impl Clock for SimClock {
    fn now(&self) -> Nanos {
        self.now.load(Ordering::Acquire)
    }

    fn wait_until(&self, t: Nanos) {
        self.now.fetch_max(t, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simulated_time_moves_only_forwards_and_only_when_waited_for() {
        let clock = SimClock::default();
        let start = clock.now();
        assert_eq!(clock.now(), start);
        clock.wait_until(start + 5);
        clock.wait_until(start + 3);
        assert_eq!(clock.now(), start + 5);
    }

    #[test]
    fn real_time_has_passed_when_the_wait_is_over() {
        let clock = RealClock;
        let until = clock.now() + 100_000;
        clock.wait_until(until);
        assert!(clock.now() >= until);
    }
}
