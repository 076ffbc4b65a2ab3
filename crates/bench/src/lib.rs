//! What judges Fathom itself: how often its intervals hold the truth, and what a thousand agents and ten thousand OSDs cost.

pub mod coverage;
