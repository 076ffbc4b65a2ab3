//! What lies on a block device: known labels by name, and anything else that is not zeros where labels would be.

use super::read_at;
use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::Path;

/// (name, offset, magic), from the on-disk formats' own documents. Order: the most telling first.
const LABELS: &[(&str, u64, &[u8])] = &[
    ("a Ceph BlueStore label", 0, b"bluestore block device"),
    ("a LUKS header", 0, b"LUKS\xba\xbe"),
    ("an XFS file system", 0, b"XFSB"),
    ("a GPT partition table", 512, b"EFI PART"),
    ("a GPT partition table", 4096, b"EFI PART"),
    ("an LVM physical volume", 512, b"LABELONE"),
    ("an LVM physical volume", 0, b"LABELONE"),
    ("an ext2/3/4 file system", 0x438, b"\x53\xef"),
    ("a btrfs file system", 0x10040, b"_BHRfS_M"),
    ("a bcache device", 0x1018, b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca"),
    ("swap space", 4086, b"SWAPSPACE2"),
    ("a Linux RAID member", 4096, b"\xfc\x4e\x2b\xa9"),
    ("a Linux RAID member", 0, b"\xfc\x4e\x2b\xa9"),
    ("an F2FS file system", 0x400, b"\x10\x20\xf5\xf2"),
    ("an NTFS file system", 3, b"NTFS    "),
    ("an exFAT file system", 3, b"EXFAT   "),
    ("a squashfs file system", 0, b"hsqs"),
    ("an ISO 9660 file system", 0x8001, b"CD001"),
    ("a GFS2 file system", 0x10000, b"\x01\x16\x19\x70"),
    ("a partition table (or boot sector)", 510, b"\x55\xaa"),
];

/// Where labels live: the first MiB (all file systems, LVM, LUKS, BlueStore) and the last (RAID 0.90/1.0, GPT's copy,
/// ZFS).
const EDGE: usize = 1 << 20;

/// What lies on the device, in words; `None`: nothing is there.
pub fn find(path: &Path) -> std::io::Result<Option<String>> {
    let mut device = File::open(path)?;
    let bytes = device.seek(SeekFrom::End(0))?;
    let front = read_at(&mut device, 0, EDGE)?;
    for (name, offset, magic) in LABELS {
        let start = *offset as usize;
        if front.get(start..start + magic.len()) == Some(*magic) {
            return Ok(Some(format!("holds {name}")));
        }
    }
    let back = read_at(&mut device, bytes.saturating_sub(EDGE as u64), EDGE)?;
    for (place, part) in [("first", &front), ("last", &back)] {
        if let Some(at) = part.iter().position(|byte| *byte != 0) {
            return Ok(Some(format!(
                "holds data that Fathom does not know (byte {at} of its {place} MiB is not zero)"
            )));
        }
    }
    Ok(None)
}
