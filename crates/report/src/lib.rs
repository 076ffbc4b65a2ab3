//! A run as people and programs see it: terminal, progress, JSON, Markdown, HTML. Everything here is words for what is known.

mod answer;
pub mod audit;
pub mod block;
pub mod chart;
pub mod compare;
pub mod crosscheck;
pub mod export;
mod finds;
pub mod history;
pub mod hosts;
pub mod html;
pub mod json;
pub mod markdown;
pub mod numbers;
pub mod own;
mod page_numbers;
pub mod phrase;
pub mod plan;
pub mod progress;
mod ranges;
pub mod runs;
pub mod sections;
mod slices;
pub mod terminal;
mod words;

pub use words::{MEANINGS, Meaning, printable, tame, tame_lines};
