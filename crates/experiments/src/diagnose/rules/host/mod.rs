//! How hosts with OSDs are set up: processors, memory, clock, kernel.

pub mod kern_debug_logging;
