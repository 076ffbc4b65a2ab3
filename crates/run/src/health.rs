//! Is the cluster well, and is the run still wanted: what is looked at between windows.

use cluster::watch::Seen;

/// Asked between windows, and while data are filled.
pub trait HealthMonitor {
    /// The user wants the run to end.
    fn asked_to_end(&self) -> bool;
    /// Which OSDs are down, whether pools are full, what got stuck since the run began.
    fn seen(&self) -> Seen;
}
