//! Which placement group an object belongs to: computed from its name, as every client of Ceph computes it.

/// Bob Jenkins' hash of 1996 ("lookup2"), which Ceph uses on object names.
pub fn hash(name: &[u8]) -> u32 {
    const GOLDEN: u32 = 0x9e37_79b9;
    let (mut a, mut b, mut c) = (GOLDEN, GOLDEN, 0u32);
    let mut blocks = name.chunks_exact(12);
    for block in &mut blocks {
        a = a.wrapping_add(word(&block[..4]));
        b = b.wrapping_add(word(&block[4..8]));
        c = c.wrapping_add(word(&block[8..]));
        (a, b, c) = mix(a, b, c);
    }
    let rest = blocks.remainder();
    let part = |from: usize| word(&rest[from.min(rest.len())..(from + 4).min(rest.len())]);
    a = a.wrapping_add(part(0));
    b = b.wrapping_add(part(4));
    // The lowest byte of the last word holds the length.
    c = c.wrapping_add(part(8) << 8).wrapping_add(name.len() as u32);
    mix(a, b, c).2
}

/// Up to four bytes, the first one lowest.
fn word(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte))
}

fn mix(mut a: u32, mut b: u32, mut c: u32) -> (u32, u32, u32) {
    let step = |x: u32, y: u32, z: u32| x.wrapping_sub(y).wrapping_sub(z);
    for (right_a, left_b, right_c) in [(13, 8, 13), (12, 16, 5), (3, 10, 15)] {
        a = step(a, b, c) ^ (c >> right_a);
        b = step(b, c, a) ^ (a << left_b);
        c = step(c, a, b) ^ (b >> right_c);
    }
    (a, b, c)
}

/// The placement group, `0..pg_num`, of a hash: by the lowest bits, so that a pool can be split without moving much.
pub fn placement_group(hash: u32, pg_num: u32) -> u32 {
    let mask = pg_num.next_power_of_two().wrapping_sub(1);
    let group = hash & mask;
    if group < pg_num { group } else { hash & (mask >> 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names, their hashes and groups as `ceph osd map` gave them for pools of 32 and 12 groups (Ceph 16.2.15).
    const ANSWERS: &[(&str, u32, u32, u32)] = &[
        ("x", 0xd6d9_af33, 0x13, 0x3),
        ("ab", 0x9879_ac41, 0x1, 0x1),
        ("abc", 0x251e_4793, 0x13, 0x3),
        ("abcd", 0x5ae6_1fa5, 0x5, 0x5),
        ("abcde", 0x3a9_6866, 0x6, 0x6),
        ("abcdefgh", 0x53f_775e, 0x1e, 0x6),
        ("abcdefghijk", 0xe52b_8e4c, 0xc, 0x4),
        ("abcdefghijkl", 0xb1b_3ea5, 0x5, 0x5),
        ("abcdefghijklm", 0x3122_b031, 0x11, 0x1),
        ("fathom.osd2.4096.17", 0xc074_3baf, 0xf, 0x7),
        ("rbd_data.1234567890ab.0000000000000001", 0x4df3_93f2, 0x12, 0x2),
        ("ünïcode näme", 0xa971_97d1, 0x11, 0x1),
    ];

    #[test]
    fn hashes_and_groups_are_the_clusters() {
        for (name, raw, of_32, of_12) in ANSWERS {
            assert_eq!(hash(name.as_bytes()), *raw, "{name}");
            assert_eq!(placement_group(*raw, 32), *of_32, "{name}");
            assert_eq!(placement_group(*raw, 12), *of_12, "{name}");
        }
    }

    #[test]
    fn every_group_is_below_the_number_of_groups() {
        for pg_num in 1..200 {
            let groups: std::collections::BTreeSet<_> = (0..4096).map(|hash| placement_group(hash, pg_num)).collect();
            assert_eq!(groups, (0..pg_num).collect());
        }
    }
}
