//! Restarting a daemon of this host by systemd.

use std::process::{Command, Stdio};

/// The unit has to be one of this host: any number makes a unit of a template, and it would be started.
pub fn restart(osd: u32) -> Result<(), String> {
    let unit = format!("ceph-osd@{osd}.service");
    let known = ["is-active", "is-enabled"].iter().any(|what| systemctl(&[what, "--quiet", &unit]).is_ok());
    if !known {
        return Err(format!("systemd has no {unit} that is active or enabled here"));
    }
    // Ceph's units may be started three times in half an hour, and then are down for as long: starts that were asked for don't count.
    // Where it has nothing to forget it may say so, which is no reason not to restart it.
    let _forgotten = systemctl(&["reset-failed", "--no-ask-password", &unit]);
    // Whoever asked waits until the OSD is up, longer than for an answer.
    systemctl(&["restart", "--no-block", "--no-ask-password", &unit])
}

fn systemctl(words: &[&str]) -> Result<(), String> {
    let what = || format!("systemctl {}", words.join(" "));
    let ended = Command::new("systemctl").args(words).stdin(Stdio::null()).output();
    let ended = ended.map_err(|error| format!("{}: {error}", what()))?;
    let said = String::from_utf8_lossy(&ended.stderr).trim().to_string();
    if ended.status.success() { Ok(()) } else { Err(format!("{}: {said} ({})", what(), ended.status)) }
}
