//! Which objects lie on one OSD, or on a primary and its replicas, for as long as its placement groups stay where they are.

use super::mapping::{hash, placement_group};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

/// Where the placement groups of pools lay when they were first looked at, and which numbers of objects they hold by prefix. Data
/// that were written for one placement are not there in another.
#[derive(Default)]
pub struct PoolsPlaced(Mutex<BTreeMap<(String, Vec<u32>), Own>>);

#[derive(Default)]
struct Own {
    pg_num: u32,
    groups: BTreeSet<u32>,
    numbers: BTreeMap<String, Vec<u64>>,
}

impl PoolsPlaced {
    /// The first `count` numbers for which the object `<prefix><number>` lies on these OSDs. `pg_num`: how many placement groups the pool
    /// has; `groups`: those of them that lie on these OSDs now.
    ///
    /// # Errors
    /// The OSDs held other placement groups of the pool when this was first asked.
    pub fn numbers(
        &self,
        pool: &str,
        osds: &[u32],
        (pg_num, groups): (u32, BTreeSet<u32>),
        prefix: &str,
        count: usize,
    ) -> Result<Vec<u64>, String> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = known.entry((pool.to_string(), osds.to_vec())).or_default();
        if own.pg_num == 0 {
            (own.pg_num, own.groups) = (pg_num, groups);
        } else if (own.pg_num, &own.groups) != (pg_num, &groups) {
            return Err(format!(
                "the placement groups of pool {pool} on {} are not those for which its objects were written: the balancer, or \
                 somebody, moved them; see `ceph balancer status`, or use --quiesce",
                shown(osds)
            ));
        }
        let numbers = own.numbers.entry(prefix.to_string()).or_default();
        if numbers.len() < count {
            *numbers = numbers_in(&own.groups, pg_num, prefix, count);
        }
        Ok(numbers.iter().take(count).copied().collect())
    }
}

/// `osd.2`, with replicas `osd.2 and osd.4`.
pub fn shown(osds: &[u32]) -> String {
    osds.iter().map(|osd| format!("osd.{osd}")).collect::<Vec<_>>().join(" and ")
}

/// The first numbers whose names lie in one of the groups. Of a large pool one name in thousands does.
fn numbers_in(groups: &BTreeSet<u32>, pg_num: u32, prefix: &str, count: usize) -> Vec<u64> {
    let mut name = prefix.to_string();
    let lies_there = |number: &u64| {
        name.truncate(prefix.len());
        let _ = write!(name, "{number}");
        groups.contains(&placement_group(hash(name.as_bytes()), pg_num))
    };
    (0u64..).filter(lies_there).take(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_groups_in_their_order() {
        let groups = BTreeSet::from([5, 700]);
        let numbers = numbers_in(&groups, 1024, "fathom.osd2.4096.", 100);
        let all =
            (0..).filter(|n| groups.contains(&placement_group(hash(format!("fathom.osd2.4096.{n}").as_bytes()), 1024)));
        assert_eq!(numbers, all.take(100).collect::<Vec<u64>>());
    }

    #[test]
    fn groups_that_moved_are_not_taken_for_those_that_were_written() {
        let placed = PoolsPlaced::default();
        let now = |groups: [u32; 2]| placed.numbers("p", &[1], (8, BTreeSet::from(groups)), "x.", 3);
        assert_eq!(now([1, 2]), now([1, 2]));
        assert!(now([1, 3]).unwrap_err().contains("moved them"));
    }
}
