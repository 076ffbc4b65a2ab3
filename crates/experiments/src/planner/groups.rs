//! How many placement groups a pool of Fathom's own has: as many as the cluster's size asks for, within what its monitors allow.

use super::draft::Draft;
use model::{Change, Failure, PoolScope};

/// Placement groups for each OSD in a pool of one copy. Each costs its OSDs memory and time to peer, and all operations of one placement
/// group go through one shard of an OSD's queue: so there are as many as an OSD has shards (`osd_op_num_shards_ssd` is 8).
const EACH_OSD: u64 = 8;
/// The same where placement groups can't be bound to OSDs: at 16 on average, chance leaves one of 10,000,000 OSDs without any (e^-16).
const EACH_OSD_BY_CHANCE: u64 = 16;
/// Placement groups for each OSD in a replicated pool: about 32 replicas of them on each OSD at three replicas, so that none has much more
/// than others.
const EACH_OSD_REPLICATED: u64 = 11;
const LEAST: u64 = 16;
/// `mon_max_pool_pg_num`: monitors take no pool with more.
const MOST: u64 = 65_536;
/// `mon_max_pg_per_osd`, where the cluster does not tell.
const ALLOWED: u64 = 250;
/// Replicas of a pool whose size is left to the cluster (`osd_pool_default_size`).
const SIZE: u64 = 3;

/// Placement groups of a pool of one copy in which each OSD is loaded by itself.
pub fn of_one_copy(draft: &Draft, pool: &str) -> Result<u32, Failure> {
    let each = if spreads(draft) { EACH_OSD } else { EACH_OSD_BY_CHANCE };
    usual(draft, pool, each, 1)
}

/// Placement groups of a pool with as many replicas as the cluster gives it.
pub fn of_replicas(draft: &Draft, pool: &str) -> Result<u32, Failure> {
    usual(draft, pool, EACH_OSD_REPLICATED, SIZE)
}

/// As many as were asked for, if there is room for them.
pub fn asked(draft: &Draft, pool: &str, groups: u32, size: Option<u32>) -> Result<u32, Failure> {
    let size = size.map_or(SIZE, u64::from);
    let room = room(draft, pool);
    match u64::from(groups) * size <= room {
        true => Ok(groups),
        false => Err(too_many(draft, &format!("{groups} placement groups of {size} replicas"), room)),
    }
}

/// Of two pools like one of the user's, of which this is one; each has its like, of as many at most.
pub fn of_two(draft: &Draft, pool: &str, groups: u32, size: u32) -> Result<(), Failure> {
    let (wanted, room) = (2 * u64::from(groups) * u64::from(size), room(draft, pool));
    match wanted <= room {
        true => Ok(()),
        false => Err(too_many(draft, &format!("two pools of {groups} placement groups of {size} replicas"), room)),
    }
}

/// May placement groups be bound to OSDs? Yes if it is not known: all clusters made by luminous or later allow it.
pub fn spreads(draft: &Draft) -> bool {
    draft.inventory.scope.pg_upmap != Some(false)
}

/// A power of two for all OSDs that take part. Of the room that is left no pool takes more than half: others of the run follow.
fn usual(draft: &Draft, pool: &str, each: u64, size: u64) -> Result<u32, Failure> {
    let wanted = (inside(draft) * each).next_power_of_two().clamp(LEAST, MOST);
    let room = room(draft, pool);
    let fits = (room / size / 2).checked_ilog2().map(|power| 1u64 << power);
    let fits = fits.ok_or_else(|| too_many(draft, &format!("a pool of {size} replicas"), room))?;
    Ok(wanted.min(fits) as u32)
}

fn inside(draft: &Draft) -> u64 {
    draft.inventory.scope.osds.iter().filter(|osd| osd.up && osd.inside).count() as u64
}

/// Replicas of placement groups that may come, as the monitors count: all pools over all OSDs that are in, of which there are three
/// at least (OSDMonitor::check_pg_num).
fn room(draft: &Draft, pool: &str) -> u64 {
    let osds = draft.inventory.scope.osds.iter().filter(|osd| osd.inside).count() as u64;
    let there: u64 = draft.inventory.scope.pools.iter().map(replicas).sum();
    let planned = draft.changes.iter().map(|change| match change {
        Change::Pool { name, pg_num, size, .. } if name != pool => u64::from(*pg_num) * size.map_or(SIZE, u64::from),
        _ => 0,
    });
    (allowed(draft) * osds.max(3)).saturating_sub(there + planned.sum::<u64>())
}

fn replicas(pool: &PoolScope) -> u64 {
    u64::from(pool.pg_num) * u64::from(pool.size)
}

fn allowed(draft: &Draft) -> u64 {
    draft.inventory.scope.pgs_per_osd_most.map_or(ALLOWED, u64::from)
}

fn too_many(draft: &Draft, what: &str, room: u64) -> Failure {
    Failure::Refused(format!(
        "the cluster has no room for {what}: its monitors allow {} replicas of placement groups for each OSD (mon_max_pg_per_osd), \
         and beside those that are there and planned there is room for {room} in all; take fewer (--pgs), name a pool that is there \
         (--pool), or raise the limit",
        allowed(draft)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::{plan, testing};
    use model::{Layer, Plan};

    /// Placement groups and copies of each pool of the plan.
    fn pools(plan: &Plan) -> Vec<(u64, u64)> {
        let pool = |change: &Change| match change {
            Change::Pool { pg_num, size, .. } => Some((u64::from(*pg_num), size.map_or(SIZE, u64::from))),
            _ => None,
        };
        plan.changes.iter().filter_map(pool).collect()
    }

    fn layers() -> [Layer; 3] {
        [testing::osds(), testing::pools(), testing::images()]
    }

    #[test]
    fn pools_grow_with_the_cluster() {
        let expected = [
            (1, [(16, 1), (16, 3), (16, 3)]),
            (3, [(32, 1), (64, 3), (64, 3)]),
            (150, [(2048, 1), (2048, 3), (2048, 3)]),
            (630, [(8192, 1), (8192, 3), (8192, 3)]),
            // As many as a pool may have: 6.5 and 19.7 on each OSD.
            (10_000, [(65_536, 1), (65_536, 3), (65_536, 3)]),
        ];
        for (osds, wanted) in expected {
            let plan = plan(&testing::inventory(osds), &testing::request(&layers())).unwrap();
            assert_eq!(pools(&plan), wanted, "{osds} OSDs");
            let spreads = plan.changes.iter().filter(|change| matches!(change, Change::Spread { .. }));
            assert_eq!(spreads.count(), 1, "{osds} OSDs");
            let all: u64 = wanted.iter().map(|(groups, size)| groups * size).sum();
            assert!(all <= ALLOWED * u64::from(osds.max(3)), "{all} on {osds} OSDs are more than the limit");
            assert!(wanted[0].0 >= u64::from(osds), "each OSD gets one");
        }
    }

    #[test]
    fn what_is_there_and_the_limit_leave_less() {
        let with = |limit: u32, there: u32| {
            let mut inventory = testing::inventory(100);
            inventory.scope.pgs_per_osd_most = Some(limit);
            inventory.scope.pools = vec![PoolScope { pg_num: there, size: 3, ..PoolScope::default() }];
            plan(&inventory, &testing::request(&layers())).map(|plan| pools(&plan))
        };
        assert_eq!(with(250, 4096).unwrap(), [(1024, 1), (1024, 3), (1024, 3)]);
        assert_eq!(with(100, 2048).unwrap(), [(1024, 1), (256, 3), (256, 3)]);
        for there in [0, 100, 1000, 2048, 3000, 3200, 3300, 3332] {
            match with(100, there) {
                Ok(pools) => {
                    let all: u64 = pools.iter().map(|(groups, size)| groups * size).sum::<u64>() + u64::from(there) * 3;
                    assert!(all <= 100 * 100, "{there}: {all}");
                }
                Err(failure) => {
                    let text = failure.to_string();
                    assert!(text.contains("mon_max_pg_per_osd") && there >= 3300, "{there}: {text}");
                }
            }
        }
    }

    #[test]
    fn what_is_asked_for_is_refused_before_the_monitors_do() {
        let of = |groups: u32| {
            let mut request = testing::request(&[testing::pools()]);
            request.workload.pgs = Some(groups);
            plan(&testing::inventory(3), &request).map(|plan| pools(&plan))
        };
        assert_eq!(of(250).unwrap(), [(250, 3)]);
        assert!(of(251).unwrap_err().to_string().contains("251 placement groups of 3 replicas"));
    }

    #[test]
    fn where_none_may_be_bound_there_are_twice_as_many() {
        let mut inventory = testing::inventory(630);
        inventory.scope.pg_upmap = Some(false);
        let plan = plan(&inventory, &testing::request(&[testing::osds()])).unwrap();
        assert_eq!(pools(&plan), [(16_384, 1)]);
        assert!(!plan.changes.iter().any(|change| matches!(change, Change::Spread { .. })));
    }
}
