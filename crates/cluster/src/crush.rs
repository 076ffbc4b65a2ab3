//! On which OSDs a pool may lie: all below what its CRUSH rule takes, with a weight.

use model::RuleTake;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// `pg_pool_t::TYPE_REPLICATED`.
const REPLICATED: i64 = 1;

/// The answer to `osd crush dump`.
pub struct Crush(pub Value);

impl Crush {
    /// `None`: there is no such rule, or it is not understood.
    pub fn osds(&self, rule: i64) -> Option<BTreeSet<u32>> {
        let takes = self.steps(rule)?.iter().filter(|step| takes(step));
        let items: Option<Vec<i64>> = takes.map(|step| whole(step, "item")).collect();
        let mut found = BTreeSet::new();
        for item in items? {
            self.below(item, &mut BTreeSet::new(), &mut found)?;
        }
        (!found.is_empty()).then_some(found)
    }

    /// The kind of bucket of which each replica has its own, where the rule has one such step: `host`.
    pub fn apart(&self, rule: i64) -> Option<String> {
        only_kind(self.steps(rule)?)
    }

    /// What each `take` places, of a rule that has several of them; none of another, or of one that is not understood.
    pub fn takes(&self, rule: i64) -> Vec<RuleTake> {
        let Some(steps) = self.steps(rule) else { return Vec::new() };
        let parts: Vec<&[Value]> = steps.chunk_by(|_, next| !takes(next)).filter(|part| takes(&part[0])).collect();
        if parts.len() < 2 {
            return Vec::new();
        }
        parts.into_iter().map(|part| self.take(part)).collect::<Option<_>>().unwrap_or_default()
    }

    /// `steps` begins with the `take`.
    fn take(&self, steps: &[Value]) -> Option<RuleTake> {
        let mut found = BTreeSet::new();
        self.below(whole(steps.first()?, "item")?, &mut BTreeSet::new(), &mut found)?;
        let numbers: Vec<i64> = steps.iter().filter_map(|step| whole(step, "num").filter(|_| chooses(step))).collect();
        // Of several steps the numbers multiply; one of them that depends on the pool's size leaves it all to that.
        let copies = match numbers[..] {
            [one] => one,
            _ if numbers.iter().all(|number| *number > 0) => numbers.iter().product(),
            _ => 0,
        };
        Some(RuleTake { osds: found.into_iter().collect(), copies, apart: only_kind(steps) })
    }

    fn steps(&self, rule: i64) -> Option<&[Value]> {
        let rule = self.list("rules").iter().find(|known| whole(known, "rule_id") == Some(rule))?;
        rule.get("steps")?.as_array().map(Vec::as_slice)
    }

    /// The rule that a new pool of replicas gets: that of the option `osd_pool_default_crush_rule`, else the lowest for replicas
    /// (`CrushWrapper::get_osd_pool_default_crush_replicated_ruleset`).
    pub fn default_rule(&self, option: i64) -> Option<i64> {
        let rules = self.list("rules").iter();
        let rules = rules.filter(|rule| option >= 0 || whole(rule, "type") == Some(REPLICATED));
        rules.filter_map(|rule| whole(rule, "rule_id")).filter(|id| option < 0 || *id == option).min()
    }

    fn list(&self, key: &str) -> &[Value] {
        self.0.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Devices have ids from 0 on, buckets below. A rule with a device class takes a bucket that holds that class alone.
    fn below(&self, item: i64, passed: &mut BTreeSet<i64>, found: &mut BTreeSet<u32>) -> Option<()> {
        if let Ok(osd) = u32::try_from(item) {
            found.insert(osd);
            return Some(());
        }
        if !passed.insert(item) {
            return Some(());
        }
        let bucket = self.list("buckets").iter().find(|bucket| whole(bucket, "id") == Some(item))?;
        for child in bucket.get("items")?.as_array()?.iter().filter(|child| whole(child, "weight") != Some(0)) {
            self.below(whole(child, "id")?, passed, found)?;
        }
        Some(())
    }
}

fn op(step: &Value) -> &str {
    step.get("op").and_then(Value::as_str).unwrap_or_default()
}

fn takes(step: &Value) -> bool {
    op(step) == "take"
}

/// `choose_firstn`, `chooseleaf_indep`, …
fn chooses(step: &Value) -> bool {
    op(step).starts_with("choose")
}

fn only_kind(steps: &[Value]) -> Option<String> {
    let mut kinds = steps.iter().filter_map(|step| step.get("type").and_then(Value::as_str));
    let only = kinds.next()?.to_string();
    kinds.next().is_none().then_some(only)
}

fn whole(value: &Value, key: &str) -> Option<i64> {
    value.get(key)?.as_i64()
}

pub fn dump_command() -> Value {
    json!({"prefix": "osd crush dump"})
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `crushtool --dump` prints a map of two hosts, with a rule for the class ssd.
    fn map() -> Crush {
        let bucket = |id: i64, name: &str, items: &[(i64, u64)]| {
            let items: Vec<Value> = items.iter().map(|(id, weight)| json!({"id": id, "weight": weight})).collect();
            json!({"id": id, "name": name, "items": items})
        };
        let rule = |id: i64, kind: i64, item: i64| {
            let steps = json!([{"op": "set_chooseleaf_tries", "num": 5}, {"op": "take", "item": item},
                               {"op": "chooseleaf_firstn", "num": 0, "type": "host"}, {"op": "emit"}]);
            json!({"rule_id": id, "type": kind, "steps": steps})
        };
        Crush(json!({
            "buckets": [
                bucket(-1, "default", &[(-2, 65536), (-3, 65536)]),
                bucket(-2, "a", &[(0, 65536)]),
                bucket(-3, "b", &[(1, 65536), (2, 0)]),
                bucket(-4, "a~ssd", &[(0, 65536)]),
                bucket(-5, "b~ssd", &[]),
                bucket(-6, "default~ssd", &[(-4, 65536), (-5, 0)]),
            ],
            "rules": [rule(1, 3, -1), rule(2, 1, -1), rule(3, 1, -6), rule(4, 1, -9)],
        }))
    }

    #[test]
    fn a_rule_with_a_class_takes_its_osds_alone() {
        let osds = |rule| map().osds(rule).map(|found| found.into_iter().collect::<Vec<_>>());
        assert_eq!(osds(2), Some(vec![0, 1]), "osd.2 has no weight");
        assert_eq!(osds(3), Some(vec![0]));
        assert_eq!((map().apart(2).as_deref(), map().apart(9)), (Some("host"), None));
        assert_eq!((osds(4), osds(9)), (None, None), "a bucket or a rule that is not there");
    }

    #[test]
    fn a_rule_that_takes_twice_says_how_many_copies_each_time() {
        let mut map = map();
        let steps = json!([{"op": "take", "item": -6}, {"op": "chooseleaf_firstn", "num": 1, "type": "host"}, {"op": "emit"},
                           {"op": "take", "item": -1}, {"op": "choose_firstn", "num": -1, "type": "osd"}, {"op": "emit"}]);
        map.0["rules"].as_array_mut().unwrap().push(json!({"rule_id": 5, "type": 1, "steps": steps}));
        let take =
            |osds: &[u32], copies, apart: &str| RuleTake { osds: osds.into(), copies, apart: Some(apart.into()) };
        assert_eq!(map.takes(5), [take(&[0], 1, "host"), take(&[0, 1], -1, "osd")]);
        assert_eq!((map.takes(2), map.takes(9)), (vec![], vec![]));
        assert_eq!(map.takes(5).iter().map(|take| take.places(3, 2)).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn a_new_pool_gets_the_lowest_rule_for_replicas_unless_an_option_names_another() {
        assert_eq!((map().default_rule(-1), map().default_rule(3), map().default_rule(8)), (Some(2), Some(3), None));
    }
}
