//! Two runs, or two groups of runs: which figures differ beyond the noise, and by how much.

mod ab;
mod conditions;
mod differ;
mod drives;
mod events;
mod figures;
mod gamma;
mod history;
mod moderated;
mod pairs;
mod sides;
mod significance;
mod spread;
mod trend;

pub use ab::{ab, ab_half_width};
pub use differ::{compare, lost_in};
pub use history::levels;
pub use moderated::Prior;
pub use pairs::{Measured, differs, measured, nearest};
pub use trend::trends;
