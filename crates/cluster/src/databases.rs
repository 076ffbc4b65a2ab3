//! Databases of OSDs on devices of their own: how much of them lies on the data's device all the same, and what is read there.

use model::DatabaseLook;
use serde_json::Value;

/// Since the OSD started; `None`: its database has no device of its own, or it does not count that. What is written to the slow device is
/// left out: before 18.2.8, 19.2.4 and 20.2.1 the counter (`bytes_written_slow`) stays zero.
pub fn so_far(dump: &Value) -> Option<DatabaseLook> {
    let bluefs = dump.get("bluefs")?;
    let of = |name: &str| bluefs.get(name)?.as_u64();
    let sum = |names: [&str; 2]| names.iter().map(|name| of(name)).sum::<Option<u64>>();
    // Where all lies on one device, that is counted as the database's, and no slow one is there.
    let slow = of("slow_total_bytes").filter(|bytes| *bytes > 0);
    slow.map(|_| DatabaseLook {
        size: of("db_total_bytes").unwrap_or(0),
        used: of("db_used_bytes").unwrap_or(0),
        spilled: of("slow_used_bytes").unwrap_or(0),
        grown: 0,
        read: sum(["read_random_disk_bytes", "read_disk_bytes"]),
        read_spilled: sum(["read_random_disk_bytes_slow", "read_disk_bytes_slow"]),
    })
}

/// Between two looks; `None`: the OSD started anew.
pub fn between(before: &DatabaseLook, after: &DatabaseLook) -> Option<DatabaseLook> {
    let since = |before: Option<u64>, after: Option<u64>| match (before, after) {
        (Some(before), Some(after)) => after.checked_sub(before).map(Some),
        _ => Some(None),
    };
    Some(DatabaseLook {
        grown: after.spilled.saturating_sub(before.spilled),
        read: since(before.read, after.read)?,
        read_spilled: since(before.read_spilled, after.read_spilled)?,
        ..*after
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn dump(spilled: u64, read: u64) -> Value {
        json!({"bluefs": {"db_total_bytes": 100, "db_used_bytes": 90, "slow_total_bytes": 1000, "slow_used_bytes": spilled,
            "read_random_disk_bytes": read, "read_disk_bytes": 5, "read_random_disk_bytes_slow": read / 2, "read_disk_bytes_slow": 1}})
    }

    #[test]
    fn what_lies_on_the_slow_device_and_was_read_there_is_told() {
        let look = |spilled, read| so_far(&dump(spilled, read)).unwrap();
        let found = between(&look(10, 40), &look(30, 60)).unwrap();
        let wanted =
            DatabaseLook { size: 100, used: 90, spilled: 30, grown: 20, read: Some(20), read_spilled: Some(10) };
        assert_eq!(found, wanted);
        assert_eq!(between(&look(30, 60), &look(0, 4)), None, "it started anew");
    }

    #[test]
    fn a_database_with_its_data_and_releases_that_do_not_count_are_none() {
        for none in [json!({}), json!({"bluefs": {"db_total_bytes": 7, "slow_total_bytes": 0, "slow_used_bytes": 0}})] {
            assert_eq!(so_far(&none), None);
        }
        // 16.2 does not count by device.
        let bluefs = json!({"bluefs": {"slow_total_bytes": 9, "slow_used_bytes": 4, "read_random_disk_bytes": 5}});
        let found = so_far(&bluefs).unwrap();
        assert_eq!((found.spilled, found.read, found.read_spilled), (4, None, None));
        assert_eq!(between(&found, &found), Some(found));
    }
}
