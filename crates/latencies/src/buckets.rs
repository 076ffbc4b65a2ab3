//! Filled buckets of a histogram, packed: for each the distance from the one before it and its count, each number in as few bytes as it
//! needs. A tenth of the memory of pairs, which decides how many targets and hosts a run can hold.

use serde::de::{SeqAccess, Visitor};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// (index, count), ascending by index, counts above 0.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Buckets(Box<[u8]>);

impl Buckets {
    #[inline]
    pub fn iter(&self) -> Iter<'_> {
        Iter { rest: &self.0, next: 0 }
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Seven bits a byte, the lowest first; the eighth says that more follow (LEB128).
#[inline]
fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

#[inline]
fn get(rest: &mut &[u8]) -> Option<u64> {
    let (mut number, mut shift) = (0u64, 0);
    loop {
        let (byte, more) = rest.split_first()?;
        *rest = more;
        number |= u64::from(byte & 0x7f).checked_shl(shift)?;
        shift += 7;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
}

/// Those that do not ascend, and empty ones, are left out.
impl FromIterator<(u32, u64)> for Buckets {
    fn from_iter<I: IntoIterator<Item = (u32, u64)>>(pairs: I) -> Buckets {
        let (mut bytes, mut next) = (Vec::new(), 0);
        for (index, count) in pairs {
            if count > 0
                && let Some(gap) = u64::from(index).checked_sub(next)
            {
                put(&mut bytes, gap);
                put(&mut bytes, count);
                next = u64::from(index) + 1;
            }
        }
        Buckets(bytes.into())
    }
}

pub struct Iter<'a> {
    rest: &'a [u8],
    /// The lowest index that the next bucket may have.
    next: u64,
}

impl Iterator for Iter<'_> {
    type Item = (u32, u64);

    #[inline]
    fn next(&mut self) -> Option<(u32, u64)> {
        let (gap, count) = (get(&mut self.rest)?, get(&mut self.rest)?);
        let index = self.next + gap;
        self.next = index + 1;
        Some((u32::try_from(index).ok()?, count))
    }
}

impl<'a> IntoIterator for &'a Buckets {
    type Item = (u32, u64);
    type IntoIter = Iter<'a>;

    #[inline]
    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl fmt::Debug for Buckets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// As a list of pairs, whatever they are in memory.
impl Serialize for Buckets {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.iter().count()))?;
        for pair in self {
            list.serialize_element(&pair)?;
        }
        list.end()
    }
}

impl<'de> Deserialize<'de> for Buckets {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Buckets, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Buckets;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a list of bucket and count")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Buckets, A::Error> {
                let mut pairs: Vec<(u32, u64)> = Vec::new();
                while let Some(pair) = list.next_element::<(u32, u64)>()? {
                    pairs.push(pair);
                }
                Ok(pairs.into_iter().collect())
            }
        }
        deserializer.deserialize_seq(Pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_come_back_as_they_went_in() {
        let pairs = [(0, 1), (1, 127), (7, 128), (3000, u64::MAX), (u32::MAX, 1)];
        let packed: Buckets = pairs.into_iter().collect();
        assert_eq!(packed.iter().collect::<Vec<_>>(), pairs);
        assert_eq!(packed.0.len(), 2 + 2 + 3 + 12 + 6);
        let text = serde_json::to_string(&packed).unwrap();
        assert!(text.starts_with("[[0,1],[1,127]"), "{text}");
        assert_eq!(serde_json::from_str::<Buckets>(&text).unwrap(), packed);
    }

    #[test]
    fn what_is_no_histogram_is_left_out() {
        let packed: Buckets = [(5, 2), (5, 3), (4, 1), (6, 0), (9, 1)].into_iter().collect();
        assert_eq!(packed.iter().collect::<Vec<_>>(), [(5, 2), (9, 1)]);
        assert!(Buckets::default().is_empty() && Buckets::default().iter().next().is_none());
    }
}
