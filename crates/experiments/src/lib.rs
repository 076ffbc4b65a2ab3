//! Experiments: what can be asked of a run, and, from what was recorded, what is measured next. Pure: no I/O, no time, no command line.

pub mod ab;
mod choice;
pub mod diagnose;
pub mod duration;
mod explain;
mod fitness;
pub mod harmful_options;
mod highest_rate;
pub mod lasting_options;
pub mod layers;
pub mod passes;
pub mod planner;
pub mod request;
mod scale_out;
pub mod scheduler;
pub mod workload;

pub use ab::{PairedSetting, Varied};
pub use choice::scheduler;
pub use explain::explain;
pub use highest_rate::HighestRate;
pub use passes::Passes;
pub use request::{Experiment, OsdsOf, Request, SustainedOptions, Targets};
pub use scale_out::ScaleOut;
pub use scheduler::{Scheduler, Slot, Task, Until};
pub use workload::WorkloadOptions;
