//! A run as people and programs see it: terminal, progress, JSON, Markdown, HTML. Everything here is words for what is known.

mod ab;
mod answer;
mod clients;
pub mod compare;
pub mod crosscheck;
pub mod export;
mod finds;
mod floor;
pub mod history;
mod host_loads;
pub mod hosts;
pub mod html;
pub mod json;
mod limits;
pub mod markdown;
mod matrix;
pub mod numbers;
pub mod own;
pub mod plan;
pub mod progress;
mod response;
mod scene;
mod slices;
mod sustained;
mod sweep;
pub mod terminal;
mod verdicts;
mod verified;
mod words;

pub use words::{printable, tame, tame_lines};
