//! Pools: from the OSD map, with what is stored in them.

use super::values::{count, flag, list, number, text, whole};
use model::facts::PoolFacts;
use serde_json::Value;
use std::collections::BTreeMap;

/// `pg_pool_t::TYPE_ERASURE`.
const ERASURE: i64 = 3;

pub fn read(map: &Value, stats: Option<&Value>) -> Vec<PoolFacts> {
    let stored = stats.map_or(&[][..], |stats| list(stats, "pools"));
    let stored: BTreeMap<i64, &Value> =
        stored.iter().filter_map(|pool| Some((whole(pool, "id")?, pool.get("stats")?))).collect();
    list(map, "pools")
        .iter()
        .filter_map(|pool| one(map, pool, whole(pool, "pool").and_then(|id| stored.get(&id).copied())))
        .collect()
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
        let told = &read(&map, Some(&stats))[0];
        assert_eq!((told.erasure, told.code("k"), told.object_bytes()), (Some(true), Some(4), Some(2048.0)));
        assert_eq!((told.tier_of, told.read_tier, told.fast_read), (None, Some(3), Some(true)));
        assert_eq!(
            (told.options["compression_mode"].as_str(), told.flag("bulk"), told.has("rgw")),
            ("force", true, true)
        );
        assert_eq!((read(&map, None)[0].stored, read(&map, None)[0].used), (None, None));
    }
}
