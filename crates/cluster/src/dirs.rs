//! Where Fathom keeps things on this host.

use std::path::PathBuf;

/// `$XDG_DATA_HOME/fathom`, else `~/.local/share/fathom`. A relative path would be another folder in each place where the program is
/// started, and is ignored, as the XDG base directory specification asks.
pub fn data() -> PathBuf {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let user = || nix::unistd::User::from_uid(nix::unistd::geteuid()).ok().flatten().map(|user| user.dir);
    let home = || absolute("HOME").or_else(user).unwrap_or_else(|| "/root".into()).join(".local/share");
    absolute("XDG_DATA_HOME").unwrap_or_else(home).join("fathom")
}

/// Journals of changes that are not yet undone.
pub fn journals() -> PathBuf {
    data().join("journal")
}
