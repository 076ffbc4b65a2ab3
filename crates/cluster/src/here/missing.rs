//! What this host lacks for being measured, each with how to fix it.

use std::path::Path;

/// None of these stops the agent; each leaves something out.
pub fn missing() -> Vec<String> {
    let root = (!nix::unistd::geteuid().is_root()).then(|| {
        "it is not root: its disks can't be loaded and what holds its threads up is hidden; log in as root, or add --sudo".to_string()
    });
    let libraries = ceph::missing();
    let libraries = (!libraries.is_empty())
        .then(|| format!("{} not installed: no RADOS or RBD load from there", libraries.join(", ")));
    let pressure = (!Path::new("/proc/pressure").exists())
        .then(|| "no pressure stall information (kernel option psi=1): stalls are not explained".to_string());
    [root, libraries, pressure].into_iter().flatten().collect()
}
