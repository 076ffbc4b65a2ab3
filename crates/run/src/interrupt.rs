//! Ctrl-C: the first ends the run in order, the second rolls back and leaves; at once where nothing was changed yet.

use signal_hook::consts::{
    SIGABRT, SIGALRM, SIGHUP, SIGINT, SIGIO, SIGPROF, SIGQUIT, SIGSYS, SIGTERM, SIGTRAP, SIGUSR1, SIGUSR2, SIGVTALRM,
    SIGXCPU, SIGXFSZ,
};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How many things there are now that have to be undone before the program may end.
static TO_UNDO: AtomicUsize = AtomicUsize::new(0);
/// All that would end a program and can be caught, whoever sends it: what the run made would be left else. To them come the real-time
/// signals.
const ENDING: [i32; 16] = [
    SIGINT,
    SIGTERM,
    SIGHUP,
    SIGQUIT,
    SIGUSR1,
    SIGUSR2,
    SIGALRM,
    SIGVTALRM,
    SIGPROF,
    SIGIO,
    SIGXCPU,
    SIGABRT,
    SIGSYS,
    SIGTRAP,
    libc::SIGPWR,
    libc::SIGSTKFLT,
];
/// The exit code that a shell gives a program that Ctrl-C ended.
const ENDED: i32 = 130;

/// `timeout` and a service's stop signal both a program and its group, so that one request arrives twice at once. Nobody who means a second
/// one is as fast.
const ONE_REQUEST: Duration = Duration::from_secs(1);

/// While it lives, something may have been made that has to be undone: not even the second signal ends the program at once.
#[must_use]
#[derive(Debug)]
pub struct ToUndo(());

impl ToUndo {
    pub fn begins() -> ToUndo {
        TO_UNDO.fetch_add(1, Ordering::SeqCst);
        ToUndo(())
    }
}

impl Drop for ToUndo {
    fn drop(&mut self) {
        TO_UNDO.fetch_sub(1, Ordering::SeqCst);
    }
}

/// What to do about a signal, by how many came before it.
#[derive(Debug, PartialEq)]
enum Does {
    EndInOrder,
    Undo,
    Leave,
}

fn does(before: usize) -> Does {
    match (before, TO_UNDO.load(Ordering::SeqCst)) {
        (0, _) => Does::EndInOrder,
        // Whatever the program waits for: there is nothing to be undone.
        (_, 0) => Does::Leave,
        _ => Does::Undo,
    }
}

/// When somebody last asked for the end.
#[derive(Default)]
struct EndRequests {
    last: Option<Instant>,
}

impl EndRequests {
    /// Is the signal that comes now more than the echo of the one that was counted last?
    fn is_new(&mut self, now: Instant) -> bool {
        let echo = self.last.is_some_and(|last| now.duration_since(last) < ONE_REQUEST);
        if !echo {
            self.last = Some(now);
        }
        !echo
    }
}

/// The signals that the program was started to ignore, as nohup does with SIGHUP: one bit each, from bit 0 for signal 1.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// The signals that end a run, but for those that are ignored.
fn wanted(ignored: u64) -> Vec<i32> {
    let real_time = libc::SIGRTMIN()..=libc::SIGRTMAX();
    ENDING.into_iter().chain(real_time).filter(|signal| ignored >> (signal - 1) & 1 == 0).collect()
}

/// To standard error, if that is still there. `eprintln!` ends its thread where the terminal is closed, and with it what ends a run.
pub(crate) fn say(text: &str) {
    say_to(&mut std::io::stderr(), text);
}

fn say_to(to: &mut dyn Write, text: &str) {
    let _ = writeln!(to, "{text}");
}

#[derive(Clone)]
pub struct Interrupt {
    asked: Arc<AtomicUsize>,
}

impl Interrupt {
    pub fn listen() -> std::io::Result<Interrupt> {
        let asked = Arc::new(AtomicUsize::new(0));
        // The write that would pass the largest size of a file fails then, and says so.
        signal_hook::flag::register(SIGXFSZ, Arc::default())?;
        let mut signals = signal_hook::iterator::Signals::new(wanted(ignored()))?;
        let counter = asked.clone();
        std::thread::spawn(move || {
            let mut requests = EndRequests::default();
            for _ in signals.forever() {
                if !requests.is_new(Instant::now()) {
                    continue;
                }
                match does(counter.fetch_add(1, Ordering::SeqCst)) {
                    Does::EndInOrder => {
                        say("\nfathom: ending the run in order; once more to undo the changes and leave now");
                    }
                    Does::Undo => say("\nfathom: undoing the changes, then leaving"),
                    Does::Leave => {
                        say("\nfathom: leaving; nothing was changed");
                        signal_hook::low_level::exit(ENDED);
                    }
                }
            }
        });
        Ok(Interrupt { asked })
    }

    /// End the run in order.
    pub fn asked(&self) -> bool {
        self.asked.load(Ordering::SeqCst) > 0
    }

    /// Undo the changes and leave, without a report.
    pub fn insisted(&self) -> bool {
        self.asked.load(Ordering::SeqCst) > 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_signal_leaves_at_once_only_where_nothing_is_to_be_undone() {
        let held = ToUndo::begins();
        assert_eq!([does(0), does(1), does(2)], [Does::EndInOrder, Does::Undo, Does::Undo]);
        drop(held);
        assert_eq!(does(0), Does::EndInOrder);
    }

    #[test]
    fn signals_of_one_second_are_one_request() {
        let (mut requests, start) = (EndRequests::default(), Instant::now());
        let after = [0, 1, 900, 1000, 1100, 5000].map(Duration::from_millis);
        assert_eq!(after.map(|after| requests.is_new(start + after)), [true, false, false, true, false, true]);
    }

    /// A pipe whose reader is gone.
    #[test]
    fn a_closed_terminal_ends_no_thread() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        drop(reader);
        say_to(&mut writer, "undoing the changes, then leaving");
        assert!(writeln!(writer).is_err(), "the test closed nothing");
    }

    #[test]
    fn what_is_ignored_from_the_start_ends_nothing() {
        let under_nohup = 1 << (SIGHUP - 1);
        assert!(!wanted(under_nohup).contains(&SIGHUP));
        assert!(wanted(under_nohup).contains(&SIGTERM) && wanted(0).contains(&SIGHUP));
        assert!(wanted(0).contains(&libc::SIGRTMAX()));
    }
}
