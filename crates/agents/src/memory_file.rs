//! A text as a file that never touches a disk: keys and configurations for programs and libraries that want a path.

use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// It is there as long as this lives. No child inherits it; only this user may read it, which ssh insists on.
pub struct MemoryFile(File);

impl MemoryFile {
    /// # Errors
    /// The kernel gives none.
    pub fn of(name: &str, text: &str) -> io::Result<MemoryFile> {
        use nix::sys::memfd::{MFdFlags, memfd_create};
        let mut file = File::from(memfd_create(name, MFdFlags::MFD_CLOEXEC)?);
        file.set_permissions(Permissions::from_mode(0o600))?;
        file.write_all(text.as_bytes())?;
        Ok(MemoryFile(file))
    }

    /// Also for other processes of this user.
    pub fn path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/{}/fd/{}", std::process::id(), self.0.as_raw_fd()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_program_can_read_it_while_it_lives() {
        let file = MemoryFile::of("key", "secret\n").unwrap();
        let output = std::process::Command::new("cat").arg(file.path()).output().unwrap();
        assert_eq!(output.stdout, b"secret\n");
        assert_eq!(std::fs::metadata(file.path()).unwrap().permissions().mode() & 0o777, 0o600);
        let path = file.path();
        drop(file);
        assert!(std::fs::read_to_string(path).is_err());
    }
}
