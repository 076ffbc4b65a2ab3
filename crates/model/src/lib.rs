//! The nouns that every part of Fathom speaks in. Pure: no I/O, no clock, nothing here can fail.

pub mod ab;
pub mod change;
pub mod clock;
pub mod comparison;
pub mod event;
pub mod figure;
pub mod layer;
pub mod limit;
pub mod pattern;
pub mod plan;
pub mod record;
pub mod report;
pub mod sample;
pub mod scope;
pub mod tally;
pub mod target;
pub mod verdict;
pub mod workload;

pub use ab::{Ab, AbFound};
pub use change::{Change, Undo};
pub use clock::{Clock, Nanos};
pub use comparison::{Comparison, Difference, Finds, Level, Point, Subject, Trend};
pub use event::{Event, Face};
pub use figure::{Estimate, Figure, Label, Percentile};
pub use layer::Layer;
pub use limit::{Bound, Limit, Probe, Search};
pub use pattern::{Metric, Pattern};
pub use plan::{Goal, Plan, Step, StepId};
pub use record::{Imported, Record, RunHead};
pub use report::{ChartCell, Finding, LedgerRow, Outlier, Report, Standing};
pub use sample::{Sample, Slice};
pub use scope::{DeviceScope, HostScope, OsdScope, PoolScope, Scope};
pub use tally::{Latencies, Sparse};
pub use target::{Endpoint, Place, Target};
pub use verdict::{Outcome, Threshold, Verdict};
pub use workload::{Access, Arrivals, Bytes, Durability, OpKind, Rate, Workload};
