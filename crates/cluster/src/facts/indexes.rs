//! How full the indexes of buckets are, by their own headers in the index pool: read only, as the gateways read them, and without one.

use crate::admin::Cluster;
use ceph::{CephError, Pool};
use model::facts::{BucketIndex, PoolFacts};
use std::collections::BTreeMap;

/// Objects of an index pool, each of which is asked, in about a millisecond.
const INDEX_MOST: u64 = 2_000;
/// Objects of the pool that has the names of buckets, which are listed.
const NAMES_MOST: u64 = 20_000;
/// At most this many buckets are told of.
const TOLD: usize = 20;
/// Bytes of an answer without entries: a header.
const HEADER_MOST: usize = 64 << 10;

/// `None` with the reason, or without where there is no index.
pub fn read(cluster: &Cluster, pools: &[PoolFacts], left_out: &mut Vec<String>) -> Option<Vec<BucketIndex>> {
    let of_gateways = || pools.iter().filter(|pool| pool.applications.iter().any(|own| own == "rgw"));
    let mut found = Vec::new();
    let mut any = false;
    for pool in of_gateways().filter(|pool| pool.name.ends_with(".index")) {
        let objects = pool.objects?;
        if objects > INDEX_MOST {
            left_out.push(format!(
                "indexes of buckets: pool {} has {objects} objects, more than {INDEX_MOST}, each of which would be asked; radosgw-admin bucket limit check tells it",
                pool.name
            ));
            return None;
        }
        match of_pool(cluster, &pool.name) {
            Ok(all) => found.extend(all),
            Err(error) => {
                left_out.push(format!("indexes of buckets: {error}"));
                return None;
            }
        }
        any = true;
    }
    found.sort_by_key(|index| std::cmp::Reverse(index.most_in_shard));
    found.truncate(TOLD);
    let few = |pool: &&PoolFacts| pool.objects.is_some_and(|objects| objects <= NAMES_MOST);
    let named = of_gateways().filter(|pool| pool.name.ends_with(".meta")).filter(few);
    let names: BTreeMap<String, String> =
        named.flat_map(|pool| names(cluster, &pool.name).unwrap_or_default()).collect();
    for index in &mut found {
        index.bucket = names.get(&index.bucket).cloned().unwrap_or_else(|| std::mem::take(&mut index.bucket));
    }
    any.then_some(found)
}

fn of_pool(cluster: &Cluster, pool: &str) -> Result<Vec<BucketIndex>, CephError> {
    let pool = cluster.rados.open_pool(pool)?;
    let mut all: BTreeMap<String, (u64, BucketIndex)> = BTreeMap::new();
    for object in pool.objects(PREFIX)? {
        let (Some((id, generation)), Some(header)) = (instance(&object), header(&pool, &object)?) else { continue };
        if header.moved {
            continue;
        }
        let new = || (generation, BucketIndex { bucket: id.clone(), ..BucketIndex::default() });
        let known = all.entry(id.clone()).or_insert_with(new);
        // What a bucket's index was before it was split may stay until other zones have read its log.
        if generation > known.0 {
            *known = new();
        }
        if generation == known.0 {
            known.1.shards += 1;
            known.1.most_in_shard = known.1.most_in_shard.max(header.entries);
        }
    }
    Ok(all.into_values().map(|(_, index)| index).collect())
}

const PREFIX: &str = ".dir.";

/// The bucket instance whose shard it is, and the generation of its index: `ZONE.4133.1` and 0 of `.dir.ZONE.4133.1.5`, which is shard 5;
/// and 2 of `.dir.ZONE.4133.1.2.5`. Without a shard the index is one object.
fn instance(object: &str) -> Option<(String, u64)> {
    let parts: Vec<&str> = object.strip_prefix(PREFIX)?.split('.').collect();
    let numbers: Vec<u64> = parts[1..].iter().map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let generation = match numbers.as_slice() {
        [_, _] | [_, _, _] => 0,
        [_, _, generation, _] => *generation,
        _ => return None,
    };
    Some((parts[..3].join("."), generation))
}

/// Names of buckets by their instances.
fn names(cluster: &Cluster, pool: &str) -> Result<Vec<(String, String)>, CephError> {
    let objects = cluster.rados.open_pool(pool)?.within("root")?.objects(".bucket.meta.")?;
    let one = |object: &String| {
        let (name, id) = object.strip_prefix(".bucket.meta.")?.rsplit_once(':')?;
        Some((id.to_string(), name.to_string()))
    };
    Ok(objects.iter().filter_map(one).collect())
}

#[derive(Debug, PartialEq)]
struct Header {
    entries: u64,
    /// The bucket was split, and this is what its index was before.
    moved: bool,
}

/// `None`: it went meanwhile, or is written as this program does not know it.
fn header(pool: &Pool, object: &str) -> Result<Option<Header>, CephError> {
    match pool.call(object, ["rgw", "bucket_list"], &list_nothing(), HEADER_MOST) {
        Ok(answer) => Ok(decoded(&answer)),
        Err(CephError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// `rgw_cls_list_op` of src/cls/rgw/cls_rgw_ops.h, version 6: no entries are asked for, so that the header alone comes back, as the
/// gateway's own `cls_bucket_head` asks.
fn list_nothing() -> Vec<u8> {
    let empty = 0u32.to_le_bytes();
    let key = [&empty[..], &empty[..]].concat();
    let key = versioned(1, 1, &key);
    // How many entries, prefix, where to begin, versions, delimiter.
    versioned(6, 4, &[&empty[..], &empty[..], &key[..], &[0], &empty[..]].concat())
}

fn versioned(version: u8, least: u8, body: &[u8]) -> Vec<u8> {
    [&[version, least][..], &(body.len() as u32).to_le_bytes()[..], body].concat()
}

/// `rgw_cls_list_ret` begins with `rgw_bucket_dir`, that with `rgw_bucket_dir_header` (src/cls/rgw/cls_rgw_types.h).
fn decoded(answer: &[u8]) -> Option<Header> {
    let listed = &mut Bytes(answer).versioned()?.1;
    let dir = &mut listed.versioned()?.1;
    let (version, header) = &mut dir.versioned()?;
    let mut entries = 0u64;
    for _ in 0..header.number::<4>()? {
        let _category = header.take(1)?;
        let stats = &mut header.versioned()?.1;
        let (_bytes, _rounded) = (stats.number::<8>()?, stats.number::<8>()?);
        entries = entries.checked_add(stats.number::<8>()?)?;
    }
    Some(Header { entries, moved: *version >= 5 && moved(header)? })
}

/// After the counts: how long tags live, version, that of the first, the newest marker; then what becomes of the bucket.
fn moved(header: &mut Bytes) -> Option<bool> {
    const DONE: u8 = 2;
    header.take(24)?;
    let marker = header.number::<4>()? as usize;
    header.take(marker)?;
    Some(header.versioned()?.1.take(1)?[0] == DONE)
}

/// Little-endian fields, one after the other.
struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number<const N: usize>(&mut self) -> Option<u64> {
        let bytes = self.take(N)?.iter().rev();
        Some(bytes.fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
    }

    /// A structure with its version: version, the least that reads it, length.
    fn versioned(&mut self) -> Option<(u8, Bytes<'b>)> {
        let version = self.take(2)?[0];
        let length = self.number::<4>()? as usize;
        Some((version, Bytes(self.take(length)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_known_by_their_bucket() {
        let zone = "ad1f1f0d-18c6-4a57-ba8b-442e7d876f91";
        for (rest, generation) in [("4133.1", 0), ("4133.1.0", 0), ("4133.1.10", 0), ("4133.1.2.7", 2)] {
            assert_eq!(instance(&format!(".dir.{zone}.{rest}")), Some((format!("{zone}.4133.1"), generation)));
        }
        for other in [".dir.x", "other", ".dir.zone.4133.x", ".dir.", ".dir.zone.1.2.3.4.5"] {
            assert_eq!(instance(other), None, "{other}");
        }
    }

    fn answer(entries: &[u64], status: u8) -> Vec<u8> {
        let stats = |(at, count): (usize, &u64)| {
            let numbers = [9u64, 9, *count, 9].map(u64::to_le_bytes).concat();
            [&[at as u8][..], &versioned(3, 2, &numbers)[..]].concat()
        };
        let stats: Vec<u8> = entries.iter().enumerate().flat_map(stats).collect();
        let marker = [&3u32.to_le_bytes()[..], b"abc"].concat();
        let instance = versioned(1, 1, &[&[status][..], &0u32.to_le_bytes()[..], &0u32.to_le_bytes()[..]].concat());
        let count = (entries.len() as u32).to_le_bytes();
        let header =
            versioned(7, 2, &[&count[..], &stats[..], &[0; 24][..], &marker[..], &instance[..], &[0][..]].concat());
        let dir = versioned(2, 2, &[&header[..], &0u32.to_le_bytes()[..]].concat());
        versioned(4, 2, &[&dir[..], &[0][..]].concat())
    }

    #[test]
    fn entries_of_all_kinds_are_counted_and_what_was_split_is_told() {
        assert_eq!(decoded(&answer(&[5, 7], 0)), Some(Header { entries: 12, moved: false }));
        assert_eq!(decoded(&answer(&[], 2)), Some(Header { entries: 0, moved: true }));
        let whole = answer(&[5], 0);
        for cut in 0..whole.len() - 1 {
            assert_eq!(decoded(&whole[..cut]), None, "{cut}");
        }
    }
}
