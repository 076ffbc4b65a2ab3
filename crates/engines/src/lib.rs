//! Engines turn workloads into I/O. One worker loop for all of them; one folder for each.

pub mod api;

pub use api::{Context, Done, Engine, EngineError, Op, OpError, Session};
