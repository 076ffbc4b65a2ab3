//! Time as a parameter: whole runs are simulated without time passing.

/// Nanoseconds since an arbitrary start of the clock (monotonic).
pub type Nanos = u64;

pub const MILLISECOND: Nanos = 1_000_000;
pub const SECOND: Nanos = 1_000_000_000;

/// The only source of time for everything that measures or waits.
pub trait Clock: Send + Sync {
    fn now(&self) -> Nanos;
    /// Returns at or after `t`; at once if `t` is past.
    fn wait_until(&self, t: Nanos);
}
