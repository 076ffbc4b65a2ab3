//! What the monitors and the manager say of a cluster, by a few commands that read only. What may not be asked is left out, and said.

mod crush;
mod images;
mod indexes;
pub(crate) mod metadata_servers;
mod osds;
mod pools;
mod state;
mod values;

pub use images::images;

use crate::admin::Cluster;
use crate::errors::ClusterError;
use model::facts::{ClientRelease, ClusterFacts, FileSystem, SetOption, Version};
use model::{OsdWish, secrets};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use values::{list, number, text, whole};

/// On clusters with more OSDs than this the monitors' report is not asked for, since it has megabytes.
const REPORT_MOST: usize = 200;

/// What is known, and what could not be asked, in words.
pub fn look(cluster: &Cluster) -> (ClusterFacts, Vec<String>) {
    let asked = &mut Asked { cluster, silent: false, left_out: Vec::new() };
    let map = asked.monitors(json!({"prefix": "osd dump"}));
    let metadata = asked.monitors(json!({"prefix": "osd metadata"}));
    let tree = asked.monitors(json!({"prefix": "osd tree"}));
    let crush = asked.monitors(json!({"prefix": "osd crush dump"}));
    let status = asked.monitors(json!({"prefix": "status"}));
    let usage = asked.manager(json!({"prefix": "osd df"}));
    let few = map.as_ref().is_some_and(|map| list(map, "osds").len() <= REPORT_MOST);
    let report = if few { asked.monitors(json!({"prefix": "report"})) } else { None };
    let stats = asked.monitors(json!({"prefix": "df", "detail": "detail"}));
    let rates = asked.manager(json!({"prefix": "osd pool stats"}));
    let osds = map.as_ref().map(|map| osds::read(map, &metadata, &tree, &usage, &report));
    let lab = osds.as_ref().is_some_and(|osds| !osds.is_empty() && osds.iter().all(model::facts::OsdFacts::of_lab));
    let up: Vec<u32> = osds.iter().flatten().filter(|osd| osd.up == Some(true)).map(|osd| osd.id).collect();
    let running = running_of(&up, asked);
    let options = asked.monitors(json!({"prefix": "config dump"})).map(|dump| options(&dump));
    // A lab's configuration file is Fathom's own.
    let running = running.into_iter().filter(|option| !lab || option.origin.as_deref() == Some("override"));
    let mut options: Option<Vec<SetOption>> = options.map(|set| set.into_iter().chain(running).collect());
    options.iter_mut().for_each(|set| add_defaults(set, asked));
    let rotating = asked.monitors(json!({"prefix": "mon metadata"})).map(|answer| state::monitors_on_rotating(&answer));
    let clocks = asked.monitors(json!({"prefix": "time-sync-status"}));
    let pools = map.as_ref().map(|map| pools::read(map, stats.as_ref(), rates.as_ref()));
    // The monitors' summary is up to 5 s old: what has just been made would be told to be in the making still.
    let groups = asked
        .manager(json!({"prefix": "pg stat"}))
        .and_then(|answer| state::groups_of_manager(&answer))
        .or_else(|| status.as_ref().and_then(state::groups));
    // Where some placement groups do not answer, asking each object of a pool takes minutes.
    let all_answer = groups.as_ref().is_some_and(|groups| groups.keys().all(|state| state.starts_with("active")));
    let of_indexes = pools.as_deref().filter(|_| all_answer).unwrap_or_default();
    let bucket_indexes = indexes::read(cluster, of_indexes, &mut asked.left_out);
    let file_maps = asked.monitors(json!({"prefix": "fs dump"}));
    let metadata_servers =
        file_maps.as_ref().and_then(|maps| metadata_servers::read(cluster, maps, &mut asked.left_out));
    let facts = ClusterFacts {
        fsid: cluster.rados.fsid().ok(),
        lab,
        versions: asked.monitors(json!({"prefix": "versions"})).map(|answer| versions(&answer)),
        require_osd_release: map.as_ref().and_then(|map| text(map, "require_osd_release")),
        require_min_client: map.as_ref().and_then(|map| text(map, "require_min_compat_client")),
        nearfull: map.as_ref().and_then(|map| number(map, "nearfull_ratio")),
        pools,
        flags: map.as_ref().map(state::flags),
        part_flags: map.as_ref().map(state::part_flags),
        health: asked.monitors(json!({"prefix": "health"})).map(|answer| state::health(&answer)),
        groups,
        misplaced: status.as_ref().map(|status| state::of_groups(status, "misplaced_objects")),
        degraded: status.as_ref().map(|status| state::of_groups(status, "degraded_objects")),
        recovering_bytes_per_second: status.as_ref().map(|status| state::of_groups(status, "recovering_bytes_per_sec")),
        progress: status.as_ref().map(state::progress),
        balancer: asked.manager(json!({"prefix": "balancer status"})).map(|answer| state::balancer(&answer)),
        autoscaling: asked
            .manager(json!({"prefix": "osd pool autoscale-status"}))
            .map(|answer| state::autoscaling(&answer)),
        monitors: status.as_ref().map(|status| state::monitors(status, clocks.as_ref(), rotating)),
        manager_modules: asked.monitors(json!({"prefix": "mgr dump"})).map(|answer| words(&answer, "modules")),
        crush_rules: crush.as_ref().map(crush::rules),
        buckets: crush.as_ref().map(crush::buckets),
        tunables: crush.as_ref().map(crush::tunables),
        file_systems: file_maps.as_ref().map(file_systems),
        gateways: asked.monitors(json!({"prefix": "service dump"})).map(|answer| gateways(&answer)),
        clients: asked.monitors(json!({"prefix": "features"})).map(|answer| clients(&answer)),
        images: None,
        metadata_servers,
        bucket_indexes,
        options,
        osds,
    };
    (facts, std::mem::take(&mut asked.left_out))
}

/// The OSDs whose processes are looked for on hosts.
pub fn osd_processes(facts: &ClusterFacts) -> Vec<OsdWish> {
    let osds = facts.osds.iter().flatten().filter(|osd| osd.up == Some(true));
    osds.map(|osd| OsdWish { osd: osd.id, address: osd.public_address.clone() }).collect()
}

/// Asks, and keeps what was not answered, and why.
struct Asked<'c> {
    cluster: &'c Cluster,
    /// The manager did not answer in time: it is not asked again.
    silent: bool,
    left_out: Vec<String>,
}

impl Asked<'_> {
    fn monitors(&mut self, command: Value) -> Option<Value> {
        let answer = self.cluster.ask(command.clone());
        self.kept(&command, answer)
    }

    fn manager(&mut self, command: Value) -> Option<Value> {
        if self.silent {
            return None;
        }
        let answer = self.cluster.ask_manager(command.clone());
        self.silent = answer.as_ref().err().is_some_and(ClusterError::timed_out);
        self.kept(&command, answer)
    }

    fn kept(&mut self, command: &Value, answer: Result<Value, ClusterError>) -> Option<Value> {
        let name = command.get("prefix").and_then(Value::as_str).unwrap_or_default();
        answer.map_err(|error| self.left_out.push(format!("{name}: {error}"))).ok()
    }
}

/// What is set in the monitors' database, without what is secret.
fn options(dump: &Value) -> Vec<SetOption> {
    let one = |entry: &Value| {
        let name = text(entry, "name")?;
        let value = secrets::value(&name, entry.get("value")?.as_str()?);
        let section = text(entry, "section").unwrap_or_else(|| "global".to_string());
        let who = text(entry, "mask").map_or(section.clone(), |mask| format!("{section}/{mask}"));
        Some(SetOption { who, name, value, ..SetOption::default() })
    };
    dump.as_array().into_iter().flatten().filter_map(one).collect()
}

/// At most this many options of single OSDs are asked about.
const DEFAULTS_MOST: usize = 20;

/// Adds to each option that single OSDs have what the other OSDs have: by the database, else the default.
fn add_defaults(set: &mut [SetOption], asked: &mut Asked) {
    let known: BTreeMap<(String, String), String> =
        set.iter().map(|option| ((option.who.clone(), option.name.clone()), option.value.clone())).collect();
    let mut helps: BTreeMap<String, Option<Value>> = BTreeMap::new();
    for option in set.iter_mut().filter(|option| option.who.starts_with("osd.")) {
        if helps.len() >= DEFAULTS_MOST && !helps.contains_key(&option.name) {
            continue;
        }
        let ask = || asked.monitors(json!({"prefix": "config help", "key": option.name}));
        let help = helps.entry(option.name.clone()).or_insert_with(ask);
        let of = |who: &str| known.get(&(who.to_string(), option.name.clone())).cloned();
        let built_in = || {
            let of = |key: &str| help.as_ref().and_then(|help| written(help.get(key)?));
            of("daemon_default").or_else(|| of("default"))
        };
        // A part of the OSDs may have another value than the rest: then it is not known what the twins have.
        let masked = known.keys().any(|(who, name)| *name == option.name && who.contains('/'));
        let default = of("osd").or_else(|| of("global")).or_else(built_in).filter(|_| !masked);
        option.default =
            default.filter(|value| secrets::value(&option.name, value) == *value && value != secrets::HIDDEN);
        option.at_runtime = help.as_ref().and_then(|help| help.get("can_update_at_runtime")?.as_bool());
    }
}

/// A value as it is given on the command line: defaults of numbers and of what is on or off are told as such. An empty one is none.
fn written(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(is) => Some(is.to_string()),
        _ => None,
    }
}

/// At most this many OSDs are asked for the options with which they run.
const RUNNING_MOST: usize = 64;

/// With what OSDs run: of the first all, and of the others what differs from it. What is set as daemons run (`override`) counts only where
/// OSDs differ in it.
fn running_of(osds: &[u32], asked: &mut Asked) -> Vec<SetOption> {
    let mut each: Vec<Vec<SetOption>> = Vec::new();
    for osd in osds.iter().take(RUNNING_MOST) {
        let Some(answer) = asked.manager(json!({"prefix": "config show", "who": format!("osd.{osd}")})) else { break };
        each.push(running(&answer, *osd));
    }
    differing(&each)
}

fn differing(each: &[Vec<SetOption>]) -> Vec<SetOption> {
    let Some((first, others)) = each.split_first() else { return Vec::new() };
    let has = |all: &[SetOption], option: &SetOption| {
        all.iter().any(|one| (&one.name, &one.value) == (&option.name, &option.value))
    };
    let shared = |option: &SetOption| each.iter().all(|all| has(all, option));
    let told = |option: &&SetOption| option.origin.as_deref() != Some("override") || !shared(option);
    let of_others = others.iter().flatten().filter(|option| !has(first, option));
    first.iter().filter(told).chain(of_others).cloned().collect()
}

/// With what one OSD runs that is neither a default nor from the database.
fn running(answer: &Value, osd: u32) -> Vec<SetOption> {
    let one = |entry: &Value| {
        let origin = text(entry, "source").filter(|source| !["default", "mon"].contains(&source.as_str()))?;
        let name = text(entry, "name")?;
        let value = secrets::value(&name, entry.get("value")?.as_str()?);
        Some(SetOption { who: format!("osd.{osd}"), name, value, origin: Some(origin), ..SetOption::default() })
    };
    answer.as_array().into_iter().flatten().filter_map(one).collect()
}

fn versions(answer: &Value) -> BTreeMap<String, Vec<(Version, u32)>> {
    let kinds = answer.as_object().into_iter().flatten().filter(|(kind, _)| *kind != "overall");
    let of_kind = |found: &Value| {
        let each = found.as_object().into_iter().flatten();
        each.filter_map(|(long, count)| Some((Version::parse(long)?, count.as_u64()? as u32))).collect::<Vec<_>>()
    };
    kinds.map(|(kind, found)| (kind.clone(), of_kind(found))).filter(|(_, found)| !found.is_empty()).collect()
}

fn words(value: &Value, key: &str) -> Vec<String> {
    list(value, key).iter().filter_map(|one| one.as_str().map(str::to_string)).collect()
}

fn file_systems(answer: &Value) -> Vec<FileSystem> {
    let standbys = list(answer, "standbys").len() as u32;
    let one = |system: &Value| {
        let map = system.get("mdsmap")?;
        let up = map.get("up").and_then(Value::as_object).map(|up| up.len() as u32);
        let flags = map.get("flags_state").and_then(Value::as_object);
        let set = flags.into_iter().flatten().filter(|(_, set)| **set == json!(true));
        Some(FileSystem {
            name: text(map, "fs_name")?,
            metadata_pool: whole(map, "metadata_pool"),
            data_pools: list(map, "data_pools").iter().filter_map(Value::as_i64).collect(),
            ranks: up,
            ranks_wanted: whole(map, "max_mds").map(|ranks| ranks as u32),
            standbys: Some(standbys),
            flags: set.map(|(name, _)| name.clone()).collect(),
        })
    };
    list(answer, "filesystems").iter().filter_map(one).collect()
}

fn gateways(answer: &Value) -> BTreeMap<String, BTreeMap<String, String>> {
    let daemons = answer.pointer("/services/rgw/daemons").and_then(Value::as_object);
    let each = daemons.into_iter().flatten().filter(|(name, _)| *name != "summary");
    let told = |daemon: &Value| {
        let metadata = daemon.get("metadata").and_then(Value::as_object).into_iter().flatten();
        let wanted = |name: &str| {
            [
                "frontend_type#0",
                "frontend_config#0",
                "ceph_version_short",
                "cpu",
                "hostname",
                "mem_total_kb",
                "zone_name",
            ]
            .contains(&name)
        };
        let own = metadata.filter(|(name, _)| wanted(name));
        own.filter_map(|(name, value)| Some((name.clone(), secrets::cleaned(value.as_str()?)))).collect()
    };
    each.map(|(name, daemon)| (name.clone(), told(daemon))).collect()
}

fn clients(answer: &Value) -> Vec<ClientRelease> {
    let one =
        |group: &Value| Some(ClientRelease { release: text(group, "release")?, number: whole(group, "num")? as u32 });
    list(answer, "client").iter().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_what_osds_run_with_only_differences_of_the_running_count() {
        let one = |osd: u32, name: &str, value: &str, origin: &str| SetOption {
            who: format!("osd.{osd}"),
            name: name.into(),
            value: value.into(),
            origin: Some(origin.into()),
            ..SetOption::default()
        };
        let usual = |osd| vec![one(osd, "daemonize", "false", "override"), one(osd, "debug_ms", "0/0", "file")];
        let mut loud = usual(2);
        loud.push(one(2, "debug_osd", "20/20", "override"));
        let told: Vec<String> =
            differing(&[usual(0), usual(1), loud]).iter().map(|one| format!("{}/{}", one.who, one.name)).collect();
        assert_eq!(told, ["osd.0/debug_ms", "osd.2/debug_osd"]);
        assert!(differing(&[]).is_empty());
    }

    #[test]
    fn options_keep_for_whom_they_are_and_no_secret() {
        let dump = json!([
            {"section": "osd", "name": "osd_memory_target", "value": "8589934592", "mask": "class:ssd"},
            {"section": "mgr", "name": "mgr/dashboard/RGW_API_SECRET_KEY", "value": "abc", "mask": ""},
            {"section": "osd", "name": "bluestore_rocksdb_options", "value": "", "mask": ""},
        ]);
        let told = options(&dump);
        assert_eq!((told[0].who.as_str(), told[0].value.as_str()), ("osd/class:ssd", "8589934592"));
        assert_eq!(told[1].value, secrets::HIDDEN);
        assert_eq!((told[2].who.as_str(), told[2].value.as_str()), ("osd", ""));
    }

    #[test]
    fn of_a_running_osd_only_what_differs_by_its_own_file_counts() {
        let answer = json!([
            {"name": "debug_osd", "value": "20/20", "source": "file"},
            {"name": "osd_max_backfills", "value": "1", "source": "default"},
            {"name": "osd_op_queue", "value": "wpq", "source": "mon"},
        ]);
        let told = running(&answer, 2);
        assert_eq!(told.len(), 1);
        assert_eq!((told[0].who.as_str(), told[0].origin.as_deref()), ("osd.2", Some("file")));
    }

    #[test]
    fn versions_come_with_the_number_of_daemons() {
        let long = "ceph version 16.2.15 (618f) pacific (stable)";
        let told = versions(&json!({"osd": {long: 3}, "mds": {}, "overall": {long: 3}}));
        assert_eq!(told, BTreeMap::from([("osd".to_string(), vec![(Version(16, 2, 15), 3)])]));
    }
}
