//! Where Fathom keeps things on this host.

use std::path::PathBuf;

/// `$XDG_DATA_HOME/fathom`, else `~/.local/share/fathom`.
pub fn data() -> PathBuf {
    let home = || PathBuf::from(std::env::var_os("HOME").unwrap_or_else(|| "/root".into())).join(".local/share");
    let base = std::env::var_os("XDG_DATA_HOME").filter(|path| !path.is_empty()).map_or_else(home, PathBuf::from);
    base.join("fathom")
}

/// Journals of changes that are not yet undone.
pub fn journals() -> PathBuf {
    data().join("journal")
}
