//! What the journal's tests share.

use super::{Head, Process};

pub const RUN: &str = "20260102-030405-a1b2";

pub fn head() -> Head {
    Head {
        run: RUN.into(),
        host: crate::here::host_name(),
        pid: std::process::id(),
        started: "2026-01-02T03:04:05Z".into(),
        process: Some(Process::this()),
        fsid: None,
        conf: None,
        keyring: None,
        id: None,
        cluster: None,
    }
}
