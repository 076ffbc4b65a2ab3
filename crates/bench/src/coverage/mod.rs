//! How often the intervals hold the truth: series with a known truth, through the code that stops real runs.

pub mod behind;
pub mod comparisons;
pub mod decisions;
pub mod gaps;
pub mod held_out;
pub mod kinds;
pub mod latency;
pub mod noise;
pub mod open_loop;
pub mod rare;
pub mod recorded;
pub mod replay;
pub mod runs;
pub mod table;
pub mod trial;
pub mod usual;
pub mod verdicts;
