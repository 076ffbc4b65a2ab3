//! What the lanes' own threads took of the CPU: a load generator at its limit must be seen.

use std::ops::AddAssign;

/// Summed over all lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Effort {
    /// Time that threads existed.
    pub seconds: f64,
    /// Time that they ran.
    pub cpu_seconds: f64,
    /// Time that they could have run and waited for a CPU.
    pub queued_seconds: f64,
}

impl Effort {
    /// The calling thread's so far, by the kernel's account; `seconds` is left to the caller.
    pub fn of_this_thread() -> Effort {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        let mut fields = text.split_ascii_whitespace().map(|field| field.parse::<f64>().unwrap_or(0.0) / 1e9);
        let (cpu_seconds, queued_seconds) = (fields.next().unwrap_or(0.0), fields.next().unwrap_or(0.0));
        Effort { seconds: 0.0, cpu_seconds, queued_seconds }
    }

    /// Busy share of the threads' time, 0..=1.
    pub fn busy(&self) -> f64 {
        if self.seconds > 0.0 { (self.cpu_seconds / self.seconds).min(1.0) } else { 0.0 }
    }
}

impl AddAssign for Effort {
    fn add_assign(&mut self, other: Effort) {
        self.seconds += other.seconds;
        self.cpu_seconds += other.cpu_seconds;
        self.queued_seconds += other.queued_seconds;
    }
}
