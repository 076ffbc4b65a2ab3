//! Which build this is: agents are exactly the same program, or they are sent again.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use xxhash_rust::xxh3::Xxh3;

/// The running program, also after its file was replaced or removed.
pub const OWN: &str = "/proc/self/exe";

/// A name for the content of a program: 16 hexadecimal digits.
///
/// # Errors
/// It can't be read.
pub fn id(program: &Path) -> io::Result<String> {
    let mut file = File::open(program)?;
    let (mut sum, mut buffer) = (Xxh3::new(), vec![0; 1 << 20]);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(format!("{:016x}", sum.digest())),
            n => sum.update(&buffer[..n]),
        }
    }
}

/// What `uname -m` says where this program runs.
pub const MACHINE: &str = if cfg!(target_arch = "x86_64") {
    "x86_64"
} else if cfg!(target_arch = "aarch64") {
    "aarch64"
} else {
    "another architecture"
};
