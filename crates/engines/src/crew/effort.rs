//! What a lane's own thread takes of the CPU: a load generator at its limit must be seen.

use model::Effort;

/// The calling thread's so far, by the kernel's account (Documentation/scheduler/sched-stats: ns on the CPU, ns in the run
/// queue); all 0 where the kernel keeps none.
pub fn of_this_thread() -> Effort {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let mut fields = text.split_ascii_whitespace().map(|field| field.parse::<f64>().unwrap_or(0.0) / 1e9);
    let (cpu_seconds, queued_seconds) = (fields.next().unwrap_or(0.0), fields.next().unwrap_or(0.0));
    Effort { cpu_seconds, queued_seconds, ..Effort::default() }
}
