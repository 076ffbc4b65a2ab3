//! What lies on a block device, by name where its format is known.

use super::emptiness::read_at;
use super::places::ALIGN;
use model::Bytes;
use model::workload::{GIB, KIB, MIB};
use std::fs::File;

/// (name, offset, magic), from the on-disk formats' own documents. Order: the surest first.
const LABELS: &[(&str, u64, &[u8])] = &[
    ("a Ceph BlueStore label", 0, b"bluestore block device"),
    ("a LUKS header", 0, b"LUKS\xba\xbe"),
    ("an XFS file system", 0, b"XFSB"),
    ("a GPT partition table", 512, b"EFI PART"),
    ("a GPT partition table", 4096, b"EFI PART"),
    ("an LVM physical volume", 512, b"LABELONE"),
    ("an LVM physical volume", 0, b"LABELONE"),
    ("an LVM physical volume", 1024, b"LABELONE"),
    ("an LVM physical volume", 1536, b"LABELONE"),
    ("an ext2/3/4 file system", 0x438, b"\x53\xef"),
    ("a btrfs file system", 0x10040, b"_BHRfS_M"),
    ("a bcache or bcachefs device", 0x1018, b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca"),
    ("swap space", 4086, b"SWAPSPACE2"),
    ("swap space", 16374, b"SWAPSPACE2"),
    ("swap space", 65526, b"SWAPSPACE2"),
    ("a Linux RAID member", 4096, b"\xfc\x4e\x2b\xa9"),
    ("a Linux RAID member", 0, b"\xfc\x4e\x2b\xa9"),
    ("an F2FS file system", 0x400, b"\x10\x20\xf5\xf2"),
    ("an EROFS file system", 0x400, b"\xe2\xe1\xf5\xe0"),
    ("a NILFS2 file system", 0x406, b"\x34\x34"),
    ("an HFS+ file system", 0x400, b"H+"),
    ("an APFS container", 0x20, b"NXSB"),
    ("an NTFS file system", 3, b"NTFS    "),
    ("an exFAT file system", 3, b"EXFAT   "),
    ("a FAT file system", 0x52, b"FAT32   "),
    ("a FAT file system", 0x36, b"FAT1"),
    ("a squashfs file system", 0, b"hsqs"),
    ("an ISO 9660 file system", 0x8001, b"CD001"),
    ("a JFS file system", 0x8000, b"JFS1"),
    ("a ReiserFS file system", 0x10034, b"ReIsEr"),
    ("an OCFS2 file system", 0x2000, b"OCFSV2"),
    ("a GFS2 file system", 0x10000, b"\x01\x16\x19\x70"),
    ("a VDO device", 0, b"dmvdo001"),
    ("an Oracle ASM disk", 0x20, b"ORCLDISK"),
    ("a VMFS volume", 0x100000, b"\x0d\xd0\x01\xc0"),
    ("a ZFS member", 0x20000, b"\x0c\xb1\xba\x00"),
    ("a ZFS member", 0x21000, b"\x0c\xb1\xba\x00"),
    ("a partition table (or boot sector)", 510, b"\x55\xaa"),
];

/// Copies and second headers, at the beginning of a block.
const COPIES: &[(&str, usize, &[u8])] = &[
    ("a copy of a Ceph BlueStore label", 0, b"bluestore block device"),
    ("an XFS allocation group", 0, b"XFSB"),
    ("a copy of a LUKS2 header", 0, b"SKUL\xba\xbe"),
    ("a copy of a btrfs superblock", 0x40, b"_BHRfS_M"),
    ("the copy of a GPT partition table", 0, b"EFI PART"),
    ("the metadata of a Linux RAID member", 0, b"\xfc\x4e\x2b\xa9"),
    ("the metadata of a Linux RAID member", 0, b"\xa9\x2b\x4e\xfc"),
    ("LVM metadata", 4, b" LVM2 x[5A%r0N*>"),
    ("the metadata of a RAID controller (DDF)", 0, b"\xde\x11\xde\x11"),
    ("the metadata of a RAID controller (Intel)", 0, b"Intel Raid ISM"),
    ("a ZFS label", 0, b"\x0c\xb1\xba\x00\x00\x00\x00\x00"),
    ("a copy of an ext2/3/4 superblock", 0x38, b"\x53\xef"),
];

/// Where something begins that has a label of its own: the device, and the first partition as of today and of old.
const BEGINNINGS: [Bytes; 3] = [0, MIB, 63 * 512];
/// The farthest that a label's magic lies behind the beginning.
const FARTHEST: Bytes = MIB + ALIGN;

/// What the byte belongs to that is not zero.
pub fn name(device: &File, bytes: Bytes, at: Bytes) -> String {
    let begins = BEGINNINGS.into_iter().filter(|begin| *begin <= at && at < begin + FARTHEST);
    let place = at / ALIGN * ALIGN;
    let named = begins.clone().find_map(|begin| label(device, begin).map(|name| held(name, begin)));
    let elsewhere = || label(device, at / MIB * MIB).map(|name| held(name, at / MIB * MIB));
    let copy = || copy(device, place, at).map(|name| held(name, place));
    named.or_else(copy).or_else(elsewhere).unwrap_or_else(|| match at + MIB >= bytes {
        true => format!("{}, in its last MiB", unknown(at)),
        false => unknown(at),
    })
}

/// Data without a name.
pub fn unknown(at: Bytes) -> String {
    format!("holds data that Fathom does not know (byte {at}{} is not zero)", roughly(at))
}

fn held(name: &str, at: Bytes) -> String {
    if at == 0 { format!("holds {name}") } else { format!("holds {name} at byte {at}{}", roughly(at)) }
}

/// In round numbers, where that says more.
fn roughly(at: Bytes) -> String {
    match at {
        0..KIB => String::new(),
        _ if at.is_multiple_of(GIB) => format!(", {} GiB", at / GIB),
        _ if at.is_multiple_of(MIB) => format!(", {} MiB", at / MIB),
        _ if at > GIB => format!(", in GiB {}", at / GIB + 1),
        _ => format!(", in MiB {}", at / MIB + 1),
    }
}

fn label(device: &File, begin: Bytes) -> Option<&'static str> {
    let known = |(_, offset, magic): &&(&str, u64, &[u8])| {
        let at = begin + offset;
        let block = block(device, at / ALIGN * ALIGN);
        let start = (at % ALIGN) as usize;
        block.get(start..start + magic.len()) == Some(*magic)
    };
    LABELS.iter().find(known).map(|(name, ..)| *name)
}

fn copy(device: &File, place: Bytes, at: Bytes) -> Option<&'static str> {
    let block = block(device, place);
    // Blocks of 512 bytes and of 4 KiB.
    let starts = [0, ((at - place) / 512 * 512) as usize, ((at - place) / KIB * KIB) as usize];
    let known = |(_, offset, magic): &&(&str, usize, &[u8])| {
        starts.iter().any(|start| block.get(start + offset..start + offset + magic.len()) == Some(*magic))
    };
    COPIES.iter().find(known).map(|(name, ..)| *name)
}

/// Two blocks, since a magic may lie on their border; empty where nothing can be read.
fn block(device: &File, at: Bytes) -> Vec<u8> {
    let mut bytes = vec![0; 3 * ALIGN as usize];
    let skip = bytes.as_ptr().align_offset(ALIGN as usize);
    let Some(part) = bytes.get_mut(skip..skip + 2 * ALIGN as usize) else { return Vec::new() };
    let read = read_at(device, part, at).unwrap_or(0);
    part[..read].to_vec()
}
