//! Pools: from the OSD map, with what is stored in them.

use super::values::{count, flag, list, number, text, whole};
use model::facts::{PoolFacts, PoolLoad};
use serde_json::Value;
use std::collections::BTreeMap;

/// `pg_pool_t::TYPE_ERASURE`.
const ERASURE: i64 = 3;

/// `stats` of `df`, `rates` of `osd pool stats`.
pub fn read(map: &Value, stats: Option<&Value>, rates: Option<&Value>) -> Vec<PoolFacts> {
    let stored = stats.map_or(&[][..], |stats| list(stats, "pools"));
    let stored: BTreeMap<i64, &Value> =
        stored.iter().filter_map(|pool| Some((whole(pool, "id")?, pool.get("stats")?))).collect();
    let rates = rates.and_then(Value::as_array).into_iter().flatten();
    let rates: BTreeMap<i64, PoolLoad> =
        rates.filter_map(|pool| Some((whole(pool, "pool_id")?, load(pool)?))).collect();
    let of = |pool: &Value| {
        let id = whole(pool, "pool")?;
        Some(PoolFacts { load: rates.get(&id).copied(), ..one(map, pool, stored.get(&id).copied())? })
    };
    list(map, "pools").iter().filter_map(of).collect()
}

/// What is zero is not named.
fn load(pool: &Value) -> Option<PoolLoad> {
    let rates = pool.get("client_io_rate")?;
    let sum = |keys: [&str; 2]| keys.iter().filter_map(|key| number(rates, key)).sum();
    Some(PoolLoad {
        operations_per_second: sum(["read_op_per_sec", "write_op_per_sec"]),
        bytes_per_second: sum(["read_bytes_sec", "write_bytes_sec"]),
    })
}

fn one(map: &Value, pool: &Value, stats: Option<&Value>) -> Option<PoolFacts> {
    let small = |key: &str| count(pool, key).map(|number| number as u32);
    let tier = |key: &str| whole(pool, key).filter(|id| *id >= 0);
    let profile = text(pool, "erasure_code_profile").and_then(|name| map.get("erasure_code_profiles")?.get(name));
    Some(PoolFacts {
        id: whole(pool, "pool")?,
        name: text(pool, "pool_name")?,
        erasure: whole(pool, "type").map(|kind| kind == ERASURE),
        size: small("size"),
        min_size: small("min_size"),
        pg_num: small("pg_num"),
        pgp_num: small("pg_placement_num"),
        pg_num_target: small("pg_num_target"),
        pgp_num_target: small("pg_placement_num_target"),
        autoscale: text(pool, "pg_autoscale_mode"),
        flags: text(pool, "flags_names")
            .unwrap_or_default()
            .split(',')
            .filter(|flag| !flag.is_empty())
            .map(str::to_string)
            .collect(),
        applications: pool
            .get("application_metadata")
            .and_then(Value::as_object)
            .map(|all| all.keys().cloned().collect())
            .unwrap_or_default(),
        crush_rule: whole(pool, "crush_rule"),
        options: fields(pool.get("options")),
        profile: fields(profile),
        stripe_width: count(pool, "stripe_width").filter(|width| *width > 0),
        tier_of: tier("tier_of"),
        read_tier: tier("read_tier"),
        write_tier: tier("write_tier"),
        cache_mode: text(pool, "cache_mode").filter(|mode| mode != "none"),
        quota_bytes: count(pool, "quota_max_bytes").filter(|most| *most > 0),
        quota_objects: count(pool, "quota_max_objects").filter(|most| *most > 0),
        fast_read: flag(pool, "fast_read"),
        stored: stats.and_then(|stats| count(stats, "stored")),
        objects: stats.and_then(|stats| count(stats, "objects")),
        used: stats.and_then(|stats| number(stats, "percent_used")),
        load: None,
    })
}

fn fields(value: Option<&Value>) -> BTreeMap<String, String> {
    let all = value.and_then(Value::as_object).into_iter().flatten();
    all.map(|(name, value)| (name.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_string))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_pool_has_its_code_and_what_is_stored() {
        let map = json!({
            "erasure_code_profiles": {"ec": {"k": "4", "m": "2", "plugin": "jerasure"}},
            "pools": [{"pool": 2, "pool_name": "data", "type": 3, "size": 6, "pg_num": 32, "pg_num_target": 64, "flags_names": "hashpspool,bulk",
                "erasure_code_profile": "ec", "options": {"compression_mode": "force"}, "tier_of": -1, "read_tier": 3, "fast_read": true,
                "application_metadata": {"rgw": {}}}],
        });
        let stats = json!({"pools": [{"id": 2, "stats": {"stored": 4096, "objects": 2, "percent_used": 0.5}}]});
        let rates = json!([{"pool_id": 2, "client_io_rate": {"write_bytes_sec": 65536, "write_op_per_sec": 16}}, {"pool_id": 1}]);
        let told = &read(&map, Some(&stats), Some(&rates))[0];
        assert_eq!((told.erasure, told.code("k"), told.object_bytes()), (Some(true), Some(4), Some(2048.0)));
        assert_eq!((told.tier_of, told.read_tier, told.fast_read), (None, Some(3), Some(true)));
        assert_eq!(
            (told.options["compression_mode"].as_str(), told.flag("bulk"), told.has("rgw")),
            ("force", true, true)
        );
        let load = PoolLoad { operations_per_second: 16.0, bytes_per_second: 65536.0 };
        assert_eq!(told.load, Some(load));
        let bare = &read(&map, None, None)[0];
        assert_eq!((bare.stored, bare.used, bare.load), (None, None, None));
    }
}
