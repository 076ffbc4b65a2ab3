//! A run for other programs: tables of figures and of windows, fio's JSON, OpenMetrics.

pub mod csv;
pub mod drives;
pub mod fio;
pub mod openmetrics;
