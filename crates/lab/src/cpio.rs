//! An archive as the kernel unpacks it before it starts its first program (cpio, the format of portable headers, "newc").

/// Files in the order in which they were added.
#[derive(Default)]
pub(crate) struct Archive {
    bytes: Vec<u8>,
    entries: u32,
}

const FOLDER: u32 = 0o040_755;
const PROGRAM: u32 = 0o100_755;

impl Archive {
    pub fn folder(&mut self, name: &str) {
        self.entry(name, FOLDER, &[]);
    }

    /// A file that may be run.
    pub fn file(&mut self, name: &str, data: &[u8]) {
        self.entry(name, PROGRAM, data);
    }

    pub fn end(mut self) -> Vec<u8> {
        self.entry("TRAILER!!!", 0, &[]);
        self.bytes
    }

    fn entry(&mut self, name: &str, mode: u32, data: &[u8]) {
        self.entries += 1;
        // Number, mode, owner and group, links, time, size, four numbers of devices, length of the name with its end, no checksum.
        let (size, name_size) = (data.len() as u32, name.len() as u32 + 1);
        let fields = [self.entries, mode, 0, 0, 1, 0, size, 0, 0, 0, 0, name_size, 0];
        self.bytes.extend_from_slice(b"070701");
        fields.iter().for_each(|field| self.bytes.extend_from_slice(format!("{field:08x}").as_bytes()));
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.push(0);
        self.pad();
        self.bytes.extend_from_slice(data);
        self.pad();
    }

    fn pad(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_data_begin_at_multiples_of_four() {
        let mut archive = Archive::default();
        archive.folder("bin");
        archive.file("bin/x", b"12345");
        let bytes = archive.end();
        let at = |text: &[u8]| bytes.windows(text.len()).position(|window| window == text);
        assert!(bytes.starts_with(b"07070100000001000041ed"));
        assert_eq!(at(b"bin/x\0"), Some(116 + 110));
        assert_eq!(at(b"12345"), Some(116 + 116));
        assert_eq!(bytes.len() % 4, 0);
    }
}
