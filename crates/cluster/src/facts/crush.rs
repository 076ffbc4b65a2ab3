//! The CRUSH map: what its rules spread copies over, and how heavy its parts are.

use super::values::{flag, list, number, text, whole};
use model::facts::{Bucket, CrushRule, Tunables};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Weights are in units of this.
const ONE: f64 = 65536.0;

pub fn rules(crush: &Value) -> Vec<CrushRule> {
    let one = |rule: &Value| {
        let steps = list(rule, "steps");
        let of =
            |op: &'static str| steps.iter().filter(move |step| text(step, "op").is_some_and(|own| own.starts_with(op)));
        // `default~ssd`
        let class = |step: &Value| {
            text(step, "item_name")
                .map(|name| name.split_once('~').map_or(String::new(), |(_, class)| class.to_string()))
        };
        Some(CrushRule {
            id: whole(rule, "rule_id")?,
            name: text(rule, "rule_name")?,
            classes: of("take").filter_map(class).collect(),
            root: only_root(steps),
            domain: domain(of("choose")),
            reaches: reaches(crush, of("take").filter_map(|step| whole(step, "item"))),
        })
    };
    list(crush, "rules").iter().filter_map(one).collect()
}

/// The first type above OSDs of which a step chooses several keeps copies apart, whatever is chosen within: of three
/// hosts with two OSDs each none gets more than two parts. A step that chooses one keeps nothing apart.
fn domain<'r>(chooses: impl Iterator<Item = &'r Value>) -> Option<String> {
    let types: Vec<(bool, String)> =
        chooses.filter_map(|step| Some((whole(step, "num") != Some(1), text(step, "type")?))).collect();
    let first = types.iter().find(|(several, kind)| *several && kind != "osd");
    first.or(types.last()).map(|(_, kind)| kind.clone())
}

/// What is taken by a rule that takes once, and once chooses as many places as there are copies.
fn only_root(steps: &[Value]) -> Option<String> {
    let of = |op: &'static str| {
        let mut found = steps.iter().filter(move |step| text(step, "op").is_some_and(|own| own.starts_with(op)));
        let first = found.next()?;
        found.next().is_none().then_some(first)
    };
    let (take, choose) = (of("take")?, of("choose")?);
    // `default~ssd`
    let name = text(take, "item_name").filter(|_| whole(choose, "num") == Some(0))?;
    Some(name.split_once('~').map_or(name.as_str(), |(root, _)| root).to_string())
}

/// Classes of the OSDs with a weight below these.
fn reaches(crush: &Value, items: impl Iterator<Item = i64>) -> Option<BTreeMap<String, u32>> {
    let classes: BTreeMap<i64, Option<String>> = list(crush, "devices")
        .iter()
        .filter_map(|device| Some((whole(device, "id")?, text(device, "class"))))
        .collect();
    let (mut open, mut passed): (Vec<i64>, BTreeSet<i64>) = (items.collect(), BTreeSet::new());
    let mut found: BTreeMap<String, u32> = BTreeMap::new();
    while let Some(item) = open.pop() {
        if !passed.insert(item) {
            continue;
        }
        if item >= 0 {
            *found.entry(classes.get(&item)?.clone()?).or_default() += 1;
            continue;
        }
        let bucket = list(crush, "buckets").iter().find(|bucket| whole(bucket, "id") == Some(item))?;
        let heavy = list(bucket, "items").iter().filter(|child| whole(child, "weight") != Some(0));
        open.extend(heavy.filter_map(|child| whole(child, "id")));
    }
    Some(found)
}

/// Those that are not the shadows of a device class.
pub fn buckets(crush: &Value) -> Vec<Bucket> {
    let one = |bucket: &Value| {
        let name = text(bucket, "name").filter(|name| !name.contains('~'))?;
        let weight = number(bucket, "weight")? / ONE;
        Some(Bucket { name, kind: text(bucket, "type_name")?, weight, algorithm: text(bucket, "alg")? })
    };
    list(crush, "buckets").iter().filter_map(one).collect()
}

pub fn tunables(crush: &Value) -> Tunables {
    let all = crush.get("tunables").unwrap_or(&Value::Null);
    Tunables {
        profile: text(all, "profile"),
        optimal: flag(all, "optimal_tunables"),
        legacy: flag(all, "legacy_tunables"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_rule_knows_its_class_its_domain_and_what_it_reaches() {
        let crush = json!({
            "devices": [{"id": 0, "class": "hdd"}, {"id": 1, "class": "ssd"}, {"id": 2, "class": "hdd"}],
            "buckets": [
                {"id": -1, "name": "default", "type_name": "root", "weight": 131072, "alg": "straw2", "items": [{"id": 0, "weight": 1}, {"id": 1, "weight": 1}, {"id": 2, "weight": 0}]},
                {"id": -2, "name": "default~ssd", "type_name": "root", "weight": 65536, "alg": "straw2", "items": [{"id": 1, "weight": 1}]},
            ],
            "rules": [
                {"rule_id": 0, "rule_name": "all", "steps": [{"op": "take", "item": -1, "item_name": "default"}, {"op": "chooseleaf_firstn", "type": "host"}]},
                {"rule_id": 1, "rule_name": "fast", "steps": [{"op": "take", "item": -2, "item_name": "default~ssd"}, {"op": "choose_firstn", "type": "osd"}]},
            ],
        });
        let told = rules(&crush);
        assert_eq!((told[0].classes.as_slice(), told[0].domain.as_deref()), (&[String::new()][..], Some("host")));
        assert_eq!(told[0].reaches, Some(BTreeMap::from([("hdd".to_string(), 1), ("ssd".to_string(), 1)])));
        assert_eq!((told[1].classes.as_slice(), told[1].domain.as_deref()), (&["ssd".to_string()][..], Some("osd")));
        let buckets = buckets(&crush);
        assert_eq!((buckets.len(), buckets[0].weight), (1, 2.0));
        assert_eq!(tunables(&crush), Tunables::default());
    }

    #[test]
    fn a_rule_tells_its_root_where_that_and_one_choice_is_all_that_it_does() {
        let root = |steps: &[(&str, i64, &str)]| {
            let step = |(op, num, name): &(&str, i64, &str)| match *op {
                "take" => json!({"op": op, "item": -1, "item_name": name}),
                _ => json!({"op": op, "num": num, "type": name}),
            };
            let steps: Vec<Value> = steps.iter().map(step).collect();
            rules(&json!({"rules": [{"rule_id": 0, "rule_name": "r", "steps": steps}]})).remove(0).root
        };
        let default = Some("default".to_string());
        assert_eq!(root(&[("take", 0, "default"), ("chooseleaf_firstn", 0, "rack")]), default);
        let tries = ("set_chooseleaf_tries", 5, "");
        assert_eq!(root(&[tries, ("take", 0, "default~hdd"), ("chooseleaf_indep", 0, "host")]), default);
        // Two copies in each of two datacenters.
        let within = ("chooseleaf_firstn", 2, "host");
        assert_eq!(root(&[("take", 0, "default"), ("choose_firstn", 0, "datacenter"), within]), None);
        assert_eq!(root(&[("take", 0, "one"), within, ("take", 0, "two"), within]), None);
        assert_eq!(root(&[("take", 0, "default"), within]), None, "of more copies it has no place for the rest");
    }

    #[test]
    fn the_outermost_step_that_chooses_several_is_the_domain() {
        let domain = |steps: &[(&str, i64, &str)]| {
            let step = |(op, num, kind): &(&str, i64, &str)| json!({"op": op, "num": num, "type": kind});
            let mut steps: Vec<Value> = steps.iter().map(step).collect();
            steps.insert(0, json!({"op": "take", "item": -1, "item_name": "default"}));
            rules(&json!({"rules": [{"rule_id": 0, "rule_name": "r", "steps": steps}]})).remove(0).domain.unwrap()
        };
        assert_eq!(domain(&[("choose_indep", 3, "host"), ("chooseleaf_indep", 2, "osd")]), "host");
        assert_eq!(domain(&[("choosemsr", 3, "host"), ("choosemsr", 2, "osd")]), "host");
        assert_eq!(domain(&[("choosemsr", 0, "host"), ("choosemsr", 1, "osd")]), "host");
        assert_eq!(domain(&[("choose_firstn", 0, "rack"), ("chooseleaf_firstn", 2, "host")]), "rack");
        assert_eq!(domain(&[("choose_firstn", 1, "rack"), ("chooseleaf_firstn", 0, "host")]), "host");
        assert_eq!(domain(&[("choose_firstn", 1, "rack"), ("chooseleaf_firstn", 0, "osd")]), "osd");
        assert_eq!(domain(&[("chooseleaf_firstn", 1, "host"), ("chooseleaf_firstn", -1, "host")]), "host");
        assert_eq!(domain(&[("chooseleaf_firstn", 0, "osd")]), "osd");
    }
}
