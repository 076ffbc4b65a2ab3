//! How wide the terminal is, by the one system call that tells.

use std::os::fd::{AsFd, AsRawFd};

nix::ioctl_read_bad!(window_size, nix::libc::TIOCGWINSZ, nix::libc::winsize);

/// Columns of the terminal behind standard output or, where that is a file, behind standard error.
#[allow(unsafe_code)]
pub fn columns() -> Option<usize> {
    let results = ceph::results();
    [results.as_fd().as_raw_fd(), nix::libc::STDERR_FILENO].into_iter().find_map(|stream| {
        let mut size = nix::libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
        // SAFETY: the kernel writes a winsize into `size`, which lives until the call has returned.
        unsafe { window_size(stream, &mut size) }.ok()?;
        (size.ws_col > 0).then_some(usize::from(size.ws_col))
    })
}
