//! Experiments: what can be asked of a run. Pure: no I/O, no time, no command line.

pub mod ab;
pub mod request;
pub mod workload;

pub use ab::{PairedSetting, Varied};
pub use request::{Experiment, Request, Sustained, Targets};
pub use workload::WorkloadOptions;
