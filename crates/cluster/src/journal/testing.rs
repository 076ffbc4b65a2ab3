//! What the journal's tests share.

use super::Head;

pub const RUN: &str = "20260102-030405-a1b2";

pub fn head() -> Head {
    Head::of_this_process(RUN.into(), "2026-01-02T03:04:05Z".into())
}
