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

/// The kind of machine that a program is for, as `uname -m` calls it: from its ELF header.
///
/// # Errors
/// It can't be read, or is no program.
pub fn machine(program: &Path) -> io::Result<String> {
    let mut header = Vec::new();
    File::open(program)?.take(20).read_to_end(&mut header)?;
    if header.len() < 20 || !header.starts_with(b"\x7fELF") {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is no program for Linux"));
    }
    Ok(match u16::from_le_bytes([header[18], header[19]]) {
        62 => "x86_64".to_string(),
        183 => "aarch64".to_string(),
        other => format!("ELF machine {other}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_tell_for_which_machine_they_are() {
        assert_eq!(machine(Path::new(OWN)).unwrap(), std::env::consts::ARCH);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        let mut header = std::fs::read(OWN).unwrap()[..64].to_vec();
        for (number, name) in [(62, "x86_64"), (183, "aarch64"), (243, "ELF machine 243")] {
            header[18] = number;
            std::fs::write(&path, &header).unwrap();
            assert_eq!(machine(&path).unwrap(), name);
        }
        std::fs::write(&path, "#!/bin/sh\nexit 0 # long enough\n").unwrap();
        assert!(machine(&path).unwrap_err().to_string().contains("no program"));
    }
}
