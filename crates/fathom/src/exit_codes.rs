//! Exit codes beside those of a failure (0, and `Failure::exit_code`).

/// Data that was read back is not what was written.
pub const FLAWED: u8 = 1;
/// Done, but figures are unsettled, implausible or missing, verdicts or the fitness of a drive open, or a host that was named was not looked at.
pub const INCOMPLETE: u8 = 4;
/// An audit hints at something.
pub const HINTS: u8 = 4;
/// A figure is worse than it may be, or a drive is unfit.
pub const REGRESSION: u8 = 5;
