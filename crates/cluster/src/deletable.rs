//! Can a pool be deleted again? Monitors refuse it unless `mon_allow_pool_delete` is true, which may stand where nobody can change it
//! by a command: proven before the first pool is made.

use crate::admin::Cluster;
use crate::errors::ClusterError;
use crate::option_values;
use ceph::CephError;
use serde_json::{Value, json};
use std::thread::sleep;
use std::time::Duration;

pub const OPTION: &str = "mon_allow_pool_delete";

/// How often the manager is asked: monitors tell it their options when they start, and it may have just started itself.
const TRIES: u32 = 30;
const TRY_AGAIN: Duration = Duration::from_millis(500);

/// Whether every monitor allows it now; if not, setting the option for all monitors allows it.
///
/// # Errors
/// It would not, or that can't be told: what stands in the way, and what to do.
pub fn allowed(cluster: &Cluster) -> Result<bool, ClusterError> {
    let status = cluster.ask(json!({"prefix": "quorum_status"}))?;
    let names = status.get("quorum_names").and_then(Value::as_array);
    let names = names.ok_or_else(|| ClusterError::answer("quorum_status", "no quorum_names"))?;
    let mut all = true;
    let mut database = None;
    for name in names.iter().filter_map(Value::as_str) {
        match known(cluster, name)? {
            Effective::Allowed => {}
            Effective::Pinned(source) => return Err(ClusterError::Undeletable(pinned(name, &source))),
            Effective::Forbidden => {
                all = false;
                let dump = || cluster.ask(json!({"prefix": "config dump"}));
                let dump = database.get_or_insert_with(dump).as_ref().map_err(|error| error.to_string());
                let dump = dump.map_err(ClusterError::Undeletable)?;
                if let Some(who) = stands_above(dump, name) {
                    return Err(ClusterError::Undeletable(format!(
                        "{OPTION} is false for {who}, which stands above what is set for all monitors; remove it with: ceph config rm \
                         {who} {OPTION}; or measure in a pool of yours: --pool NAME"
                    )));
                }
            }
        }
    }
    Ok(all)
}

/// As the monitor itself knows it now; a user whom it does not answer (it answers `mon 'allow *'` alone) learns it from the manager, which
/// hears of a change some seconds late.
fn known(cluster: &Cluster, monitor: &str) -> Result<Effective, ClusterError> {
    let own = cluster.rados.tell_mon(monitor, &json!({"prefix": "config diff", "format": "json"}));
    match own.and_then(|reply| reply.json()) {
        Ok(answer) if answer.get("diff").is_some() => Ok(of_monitor(&answer)),
        _ => shown(cluster, monitor).map(|shown| of_manager(&shown)),
    }
}

fn shown(cluster: &Cluster, monitor: &str) -> Result<Value, ClusterError> {
    let mut tries = 0;
    loop {
        let shown = cluster.ask_manager(json!({"prefix": "config show", "who": format!("mon.{monitor}")}));
        tries += 1;
        match shown {
            Ok(shown) => return Ok(shown),
            Err(ClusterError::Ceph(CephError::NotFound { .. })) if tries < TRIES => sleep(TRY_AGAIN),
            Err(error) => {
                return Err(ClusterError::Undeletable(format!(
                    "mon.{monitor} does not tell whether it allows that ({error}); `ceph config show mon.{monitor} {OPTION}` has to answer; \
                     or measure in a pool of yours: --pool NAME"
                )));
            }
        }
    }
}

#[derive(Debug, PartialEq)]
enum Effective {
    Allowed,
    /// By default, or in the cluster's configuration database.
    Forbidden,
    /// By what stands above the database.
    Pinned(String),
}

/// What stands above the cluster's configuration database, the highest first.
const ABOVE: [&str; 4] = ["override", "cmdline", "env", "file"];

/// `answer`: of each option that differs from its default, its value in each place that has one, and the one that counts (`final`).
fn of_monitor(answer: &Value) -> Effective {
    let Some(values) = answer["diff"].get(OPTION) else { return Effective::Forbidden };
    let allows = |value: &Value| match value {
        Value::String(text) => option_values::same(text, "true"),
        other => *other == Value::Bool(true),
    };
    match ABOVE.into_iter().find(|place| values.get(place).is_some()) {
        _ if allows(&values["final"]) => Effective::Allowed,
        Some(place) => Effective::Pinned(place.to_string()),
        None => Effective::Forbidden,
    }
}

/// `shown`: the options that differ from their defaults, with where their values come from.
fn of_manager(shown: &Value) -> Effective {
    let text = |entry: &Value, key: &str| entry.get(key).and_then(Value::as_str).unwrap_or("").to_string();
    let found = shown.as_array().and_then(|all| all.iter().find(|entry| text(entry, "name") == OPTION));
    let Some(entry) = found else { return Effective::Forbidden };
    match text(entry, "source").as_str() {
        _ if option_values::same(&text(entry, "value"), "true") => Effective::Allowed,
        "default" | "mon" => Effective::Forbidden,
        source => Effective::Pinned(source.to_string()),
    }
}

fn pinned(monitor: &str, source: &str) -> String {
    let (place, mend) = match source {
        "file" => ("in the ceph.conf of its host", "take it out there and restart the monitor"),
        "cmdline" => ("on its command line", "take it out there and restart the monitor"),
        "env" => ("in its environment", "take it out there and restart the monitor"),
        _ => ("by a command to the running monitor", "restart the monitor"),
    };
    format!(
        "mon.{monitor} has {OPTION} = false {place} ({source}), which stands above the cluster's configuration database; {mend}, or until \
         its next start: ceph tell mon.{monitor} config set {OPTION} true; or measure in a pool of yours: --pool NAME"
    )
}

/// The section of the database that forbids it more closely than one for all monitors.
fn stands_above(dump: &Value, monitor: &str) -> Option<String> {
    let text = |entry: &Value, key: &str| entry.get(key).and_then(Value::as_str).unwrap_or("").to_string();
    let own = format!("mon.{monitor}");
    let forbids = |entry: &&Value| text(entry, "name") == OPTION && !option_values::same(&text(entry, "value"), "true");
    let entries = dump.as_array()?.iter().filter(forbids);
    let mut sections = entries.map(|entry| (text(entry, "section"), text(entry, "mask")));
    let closer = |(section, mask): &(String, String)| {
        *section == own || (!mask.is_empty() && matches!(section.as_str(), "mon" | "global"))
    };
    sections.find(closer).map(|(section, mask)| if mask.is_empty() { section } else { format!("{section}/{mask}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_monitor_allows_forbids_or_is_pinned() {
        let shown =
            |value: &str, source: &str| json!([{"name": "x"}, {"name": OPTION, "value": value, "source": source}]);
        assert_eq!(of_manager(&json!([{"name": "x", "value": "1", "source": "file"}])), Effective::Forbidden);
        for source in ["file", "mon", "override"] {
            assert_eq!(of_manager(&shown("true", source)), Effective::Allowed);
        }
        assert_eq!(of_manager(&shown("false", "mon")), Effective::Forbidden);
        for (source, mend) in [
            ("file", "ceph.conf"),
            ("cmdline", "command line"),
            ("env", "environment"),
            ("override", "restart the monitor"),
        ] {
            let Effective::Pinned(found) = of_manager(&shown("false", source)) else { panic!("{source} pins") };
            let text = pinned("a", &found);
            assert!(text.contains(mend) && text.contains("ceph tell mon.a config set"), "{text}");
        }
    }

    #[test]
    fn a_monitor_says_itself_what_counts() {
        let own = |values: Value| of_monitor(&json!({"diff": {OPTION: values}}));
        let pinned = |place: &str| Effective::Pinned(place.to_string());
        assert_eq!(of_monitor(&json!({"diff": {}})), Effective::Forbidden);
        assert_eq!(own(json!({"default": false, "file": true, "final": true})), Effective::Allowed);
        assert_eq!(own(json!({"default": false, "mon": "true", "final": "true"})), Effective::Allowed);
        assert_eq!(own(json!({"default": true, "mon": false, "final": false})), Effective::Forbidden);
        assert_eq!(own(json!({"mon": true, "file": true, "override": false, "final": false})), pinned("override"));
        assert_eq!(own(json!({"mon": true, "file": false, "final": false})), pinned("file"));
        assert_eq!(own(json!({"file": true, "cmdline": false, "final": false})), pinned("cmdline"));
    }

    #[test]
    fn a_closer_section_of_the_database_stands_above_that_of_all_monitors() {
        let dump = |section: &str, mask: &str, value: &str| json!([{"section": section, "mask": mask, "name": OPTION, "value": value}, {"section": "mon.a", "name": "x", "value": "false"}]);
        assert_eq!(stands_above(&dump("mon", "", "false"), "a"), None);
        assert_eq!(stands_above(&dump("global", "", "false"), "a"), None);
        assert_eq!(stands_above(&dump("mon.b", "", "false"), "a"), None);
        assert_eq!(stands_above(&dump("mon.a", "", "true"), "a"), None);
        assert_eq!(stands_above(&dump("mon.a", "", "false"), "a").as_deref(), Some("mon.a"));
        assert_eq!(stands_above(&dump("mon", "host:x", "false"), "a").as_deref(), Some("mon/host:x"));
    }
}
