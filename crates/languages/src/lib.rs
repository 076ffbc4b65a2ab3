//! What the users of other tools write and read, in our nouns: fio's job files; results of fio, rados bench, elbencho.
//!
//! Pure: texts in, data out. Errors are texts that begin with the place (`line 7: …`) and end with how to fix it.

pub mod elbencho;
pub mod fio;
mod imported;
pub mod rados_bench;
mod results;

pub use imported::{ImportedFigure, ImportedOperations, Results};
pub use results::{Look, events, read};
