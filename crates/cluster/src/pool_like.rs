//! What a pool of our own takes from one of the user's: its rule, its `min_size`, how it compresses and checks. That one is only read.

use crate::admin::Cluster;
use crate::errors::ClusterError;
use model::change::PoolLike;
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Debug, PartialEq)]
pub struct Settings {
    pub rule: Option<String>,
    /// By the names of `ceph osd pool set`.
    settings: BTreeMap<String, String>,
}

impl Settings {
    pub fn of(cluster: &Cluster, like: &PoolLike) -> Result<Settings, ClusterError> {
        let dump = cluster.ask(json!({"prefix": "osd dump"}))?;
        let pools = dump.get("pools").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let own = pools.iter().find(|pool| pool.get("pool_name").and_then(Value::as_str) == Some(&like.pool));
        let own =
            own.ok_or_else(|| ClusterError::answer("osd dump", format!("pool {} is not there any more", like.pool)))?;
        let rules = cluster.ask(json!({"prefix": "osd crush rule dump"}))?;
        Ok(settings(own, &rules, like))
    }

    /// A pool's size and placement groups are given when it is made.
    pub fn set(&self, cluster: &Cluster, pool: &str) -> Result<(), ClusterError> {
        self.settings.iter().try_for_each(|(name, value)| {
            cluster.tell(json!({"prefix": "osd pool set", "pool": pool, "var": name, "val": value})).map(drop)
        })
    }
}

fn settings(pool: &Value, rules: &Value, like: &PoolLike) -> Settings {
    let id = pool.get("crush_rule");
    let rule = rules.as_array().into_iter().flatten().find(|rule| id.is_some() && rule.get("rule_id") == id);
    let rule = rule.and_then(|rule| rule.get("rule_name")?.as_str()).map(str::to_string);
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_string);
    let option = |name: &&str| Some((name.to_string(), text(pool.get("options")?.get(*name)?)));
    let mut all: BTreeMap<String, String> = PoolLike::OPTIONS.iter().filter_map(option).collect();
    let number = |name: &str| pool.get(name).and_then(Value::as_u64);
    let size = like.but.get("size").and_then(|size| size.parse().ok()).or(number("size"));
    // As the monitors keep it when a pool is made smaller.
    if let (Some(least), Some(size)) = (number("min_size"), size) {
        all.insert("min_size".to_string(), least.min(size).to_string());
    }
    all.extend(like.but.clone());
    let other = all.remove("crush_rule");
    ["size", "pg_num"].iter().for_each(|made| drop(all.remove(*made)));
    Settings { rule: other.or(rule), settings: all }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(but: &[(&str, &str)]) -> (Option<String>, Vec<(String, String)>) {
        let pool = json!({"crush_rule": 2, "size": 3, "min_size": 2,
            "options": {"compression_mode": "passive", "compression_required_ratio": 0.5, "scrub_priority": 3}});
        let rules = json!([{"rule_id": 0, "rule_name": "all"}, {"rule_id": 2, "rule_name": "fast"}]);
        let but = but.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        let found = settings(&pool, &rules, &PoolLike { pool: "p".into(), but });
        (found.rule, found.settings.into_iter().collect())
    }

    #[test]
    fn what_is_not_changed_is_as_in_the_users_pool() {
        let pair = |name: &str, value: &str| (name.to_string(), value.to_string());
        let (passive, ratio) = (pair("compression_mode", "passive"), pair("compression_required_ratio", "0.5"));
        let least = |size: &str| pair("min_size", size);
        assert_eq!(of(&[]), (Some("fast".into()), vec![passive.clone(), ratio.clone(), least("2")]));
        assert_eq!(of(&[("size", "1")]).1, [passive.clone(), ratio.clone(), least("1")]);
        assert_eq!(of(&[("compression_mode", "none")]).1[0], pair("compression_mode", "none"));
        assert_eq!(
            of(&[("crush_rule", "all"), ("pg_num", "64")]),
            (Some("all".into()), vec![passive, ratio, least("2")])
        );
    }
}
