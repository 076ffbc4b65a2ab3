//! A temporary pool like one of the user's, with one setting changed or none: what the change does is seen on two of them.

use super::draft::Draft;
use super::groups;
use crate::{Experiment, PairedSetting, Request, Varied};
use model::change::PoolLike;
use model::shell::word;
use model::{Change, Failure, PoolScope};
use std::collections::BTreeSet;

/// What can be changed beside its options: with these a pool is made.
const MADE_WITH: [&str; 4] = ["size", "min_size", "pg_num", "crush_rule"];

/// Replicas or placement groups beyond this are a typing error.
const SIZE_MOST: u32 = 10;

/// Plans it, and gives its name.
pub fn pool(draft: &mut Draft, what: &str, like: PoolLike) -> Result<String, Failure> {
    let known = &draft.inventory.scope.pools;
    let Some(of) = known.iter().find(|pool| pool.name == like.pool) else {
        let text = format!("pool {} does not exist; there are: {}", like.pool, draft.inventory.scope.pools_to_name());
        return Err(Failure::Usage(text));
    };
    if of.erasure_k.is_some() {
        return Err(Failure::Refused(format!(
            "pool {}: it is erasure-coded, and no pool like it is made; make two by hand and compare them: fathom rados --ab pool=A,B",
            like.pool
        )));
    }
    refuse_setting(&like, of)?;
    let number = |name: &str, now: u32| like.but.get(name).and_then(|value| value.parse().ok()).unwrap_or(now);
    let (size, pg_num) = (number("size", of.size), number("pg_num", of.pg_num));
    let side = if like.but.is_empty() { "like" } else { "changed" };
    let name = draft.name(&format!("{what}.{side}"));
    if draft.options.pgs.is_some() {
        return Err(Failure::Usage(
            "--pgs: both pools have those of the pool that they are like; try pg_num instead".into(),
        ));
    }
    refuse_size(draft, size, of, &like)?;
    let most = size.max(of.size);
    groups::of_two(draft, &name, pg_num.max(of.pg_num), most)?;
    draft.change(Change::Pool { name: name.clone(), pg_num, size: Some(size), on: Vec::new(), like: Some(like) });
    Ok(name)
}

fn refuse_setting(like: &PoolLike, of: &PoolScope) -> Result<(), Failure> {
    let Some((name, value)) = like.but.first_key_value() else { return Ok(()) };
    let wrong = |why: String| Err(Failure::Usage(format!("pool:{}/{name}={value}: {why}", like.pool)));
    let known = [&MADE_WITH[..], &PoolLike::OPTIONS].concat();
    if !known.contains(&name.as_str()) {
        return wrong(format!("{name} is none of the settings that are tried; there are: {}", known.join(", ")));
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    if !value.chars().all(plain) {
        return wrong("the value is a word or a number".to_string());
    }
    let now = match name.as_str() {
        "size" => of.size,
        "min_size" => of.min_size,
        "pg_num" => of.pg_num,
        _ => return Ok(()),
    };
    let least_most = match name.as_str() {
        "size" => (1, SIZE_MOST),
        "min_size" => (1, of.size),
        _ => (1, u32::MAX),
    };
    match value.parse::<u32>() {
        Ok(number) if number == now => wrong("it is so already; there is nothing to try".to_string()),
        Ok(number) if (least_most.0..=least_most.1).contains(&number) => Ok(()),
        Ok(_) => wrong(format!("from {} to {} are possible", least_most.0, least_most.1)),
        Err(_) => wrong("it is a whole number".to_string()),
    }
}

/// More replicas than there are hosts, or OSDs, to keep them apart never find a place: placement groups would be waited for in vain.
fn refuse_size(draft: &Draft, size: u32, of: &PoolScope, like: &PoolLike) -> Result<(), Failure> {
    let all = draft.inventory.scope.osds.iter();
    let own: Vec<_> = all.filter(|osd| osd.inside && (of.osds.is_empty() || of.osds.contains(&osd.id))).collect();
    let hosts = own.iter().map(|osd| &osd.host).collect::<BTreeSet<_>>().len();
    // With another rule than its own, what it keeps apart is not known.
    let of_hosts = of.apart.as_deref() == Some("host") && !like.but.contains_key("crush_rule");
    let (places, what) = if of_hosts { (hosts, "hosts") } else { (own.len(), "OSDs") };
    match size as usize > places && !own.is_empty() {
        true => Err(Failure::Usage(format!(
            "pool:{}/size={size}: its replicas lie on different {what}, and there are {places}",
            like.pool
        ))),
        false => Ok(()),
    }
}

/// What has to be known of the comparison.
pub fn note(request: &Request) -> Option<String> {
    let Experiment::PairedComparison(PairedSetting { varied: Varied::PoolLike { setting, .. }, .. }) =
        &request.experiment
    else {
        return None;
    };
    setting.contains("/compression_").then(|| {
        "what is written can't be compressed: this shows what it takes to try, and nothing of what compression saves".to_string()
    })
}

/// What gives the user's own pool the setting.
pub fn permanent(pool: &str, name: &str, value: &str) -> String {
    let sure = if (name, value) == ("size", "1") { " --yes-i-really-mean-it" } else { "" };
    format!("ceph osd pool set {} {name} {}{sure}", word(pool), word(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::{ab::prepared, plan, testing};
    use model::{Goal, Plan};

    fn planned(name: &str, value: &str, change: impl FnOnce(&mut PoolScope)) -> Result<Plan, String> {
        let mut inventory = testing::inventory(6);
        let mut own = PoolScope { name: "vms".into(), size: 3, min_size: 2, pg_num: 32, ..PoolScope::default() };
        change(&mut own);
        inventory.scope.pools = vec![own];
        let varied = Varied::PoolLike { setting: format!("pool:vms/{name}"), value: value.into() };
        let setting = PairedSetting { a: "as it is".into(), b: value.into(), varied };
        let request = Request {
            goal: Goal::beside(1),
            experiment: Experiment::PairedComparison(setting),
            ..testing::request(&[testing::pools()])
        };
        prepared(&request).and_then(|request| plan(&inventory, &request)).map_err(|failure| failure.to_string())
    }

    #[test]
    fn both_sides_are_pools_like_it_and_one_has_the_change() {
        let made = |name: &str, value: &str| -> Vec<(u32, Option<u32>, bool)> {
            let plan = planned(name, value, |_| ()).unwrap();
            let pool = |change: &Change| match change {
                Change::Pool { pg_num, size, like: Some(like), .. } => Some((*pg_num, *size, like.but.is_empty())),
                _ => None,
            };
            plan.changes.iter().filter_map(pool).collect()
        };
        assert_eq!(made("size", "2"), [(32, Some(3), true), (32, Some(2), false)]);
        assert_eq!(made("pg_num", "64"), [(32, Some(3), true), (64, Some(3), false)]);
        assert_eq!(made("compression_mode", "aggressive"), [(32, Some(3), true), (32, Some(3), false)]);
        let plan = planned("size", "2", |_| ()).unwrap();
        assert_eq!(plan.experiment.pair().unwrap().permanent, ["ceph osd pool set vms size 2"]);
    }

    #[test]
    fn what_can_not_or_must_not_be_is_refused_before_anything_is_made() {
        for (name, value, why) in [
            ("size", "3", "so already"),
            ("size", "0", "from 1 to 10"),
            ("min_size", "4", "from 1 to 3"),
            ("pg_num", "many", "whole number"),
            ("pg_num", "4096", "no room for two pools of 4096"),
            ("nodelete", "1", "none of the settings"),
            ("compression_mode", "a b", "a word"),
        ] {
            let said = planned(name, value, |_| ()).unwrap_err();
            assert!(said.contains(why), "{name}={value}: {said}");
        }
        assert!(planned("size", "2", |pool| pool.erasure_k = Some(4)).unwrap_err().contains("erasure-coded"));
        assert!(planned("size", "2", |pool| pool.name = "other".into()).unwrap_err().contains("there are: other"));
    }
}
