//! The end of a process that may have used the client libraries.

use std::io::Write;

/// Ends the process at once, once standard output is written: no destructor of a C++ static runs. A connection that was
/// given up lives on in the library's threads, and they would crash the process when its statics go from under them.
pub fn leave(code: u8) -> ! {
    let _ = crate::results().flush();
    // SAFETY: takes a number and does not return.
    unsafe { libc::_exit(i32::from(code)) }
}
