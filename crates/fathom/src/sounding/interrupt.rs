//! Ctrl-C: the first ends the run in order, the second rolls back and leaves.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Clone)]
pub struct Interrupt {
    asked: Arc<AtomicUsize>,
}

impl Interrupt {
    pub fn listen() -> std::io::Result<Interrupt> {
        let asked = Arc::new(AtomicUsize::new(0));
        let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])?;
        let counter = asked.clone();
        std::thread::spawn(move || {
            for _ in signals.forever() {
                match counter.fetch_add(1, Ordering::SeqCst) {
                    0 => eprintln!("\nfathom: ending the run in order; once more to undo the changes and leave now"),
                    _ => eprintln!("\nfathom: undoing the changes, then leaving"),
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
