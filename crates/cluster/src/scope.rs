//! What there is: OSDs, hosts, devices, pools, versions, options, health. Reads only.

use crate::admin::Cluster;
use crate::crush::{self, Crush};
use crate::errors::ClusterError;
use crate::here;
use model::{DeviceScope, HostScope, OsdScope, PoolScope, Quota, RuleTake, Scope, secrets};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub fn look(cluster: &Cluster) -> Result<Scope, ClusterError> {
    let dump = cluster.ask(json!({"prefix": "osd dump"}))?;
    let metadata = cluster.ask(json!({"prefix": "osd metadata"}))?;
    let tree = cluster.ask(json!({"prefix": "osd tree"}))?;
    let usage = cluster.ask_manager(json!({"prefix": "osd df"}))?;
    let osds = osds(&dump, &metadata, &tree, &usage);
    let rules = cluster.ask(crush::dump_command()).ok().map(Crush);
    let (health, health_checks) = health(&cluster.ask(json!({"prefix": "health"}))?);
    Ok(Scope {
        fsid: Some(cluster.rados.fsid()?),
        cluster: None,
        health: Some(health),
        health_checks,
        versions: versions(&cluster.ask(json!({"prefix": "versions"}))?),
        client_version: Some(cluster.rados.client_version()),
        hosts: hosts(&osds),
        devices: devices(&osds, &metadata),
        pools: pools(&dump, cluster, &|rule| PoolRule {
            osds: rules.as_ref().and_then(|rules| narrow(&osds, rules.osds(rule)?)).unwrap_or_default(),
            apart: rules.as_ref().and_then(|rules| rules.apart(rule)),
            takes: rules.as_ref().map(|rules| rules.takes(rule)).unwrap_or_default(),
        })?,
        new_pool_osds: rules.as_ref().and_then(|rules| new_pool_osds(cluster, &osds, rules)).unwrap_or_default(),
        new_pool_apart: rules.as_ref().and_then(|rules| rules.apart(new_pool_rule(cluster, rules)?)),
        new_pool_takes: rules
            .as_ref()
            .and_then(|rules| Some(rules.takes(new_pool_rule(cluster, rules)?)))
            .unwrap_or_default(),
        pgs_per_osd_most: pgs_per_osd_most(cluster),
        nearfull: dump.get("nearfull_ratio").and_then(Value::as_f64).filter(|ratio| *ratio > 0.0),
        pg_upmap: text(&dump, "require_min_compat_client").map(|release| takes_upmap(&release)),
        options: options(&cluster.ask(json!({"prefix": "config dump"}))?),
        osds,
    })
}

/// The scope of a run that needs no cluster.
pub fn without_cluster() -> Scope {
    Scope { hosts: vec![here::host()], ..Scope::default() }
}

fn text(value: &Value, key: &str) -> Option<String> {
    value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_string)
}

fn number(value: &Value, key: &str) -> Option<u64> {
    let field = value.get(key)?;
    field.as_u64().or_else(|| field.as_str().and_then(|text| text.parse().ok()))
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn osds(dump: &Value, metadata: &Value, tree: &Value, usage: &Value) -> Vec<OsdScope> {
    let facts: BTreeMap<u64, &Value> =
        metadata.as_array().into_iter().flatten().filter_map(|osd| Some((number(osd, "id")?, osd))).collect();
    let (crush_hosts, parents) = (crush_hosts(tree), parents(tree));
    let nodes: BTreeMap<u64, &Value> =
        list(tree, "nodes").iter().filter_map(|node| Some((number(node, "id")?, node))).collect();
    let rows: BTreeMap<u64, &Value> =
        list(usage, "nodes").iter().filter_map(|row| Some((number(row, "id")?, row))).collect();
    let kib = |id: u64, key: &str| number(rows.get(&id)?, key).map(|kib| kib * 1024);
    list(dump, "osds")
        .iter()
        .filter_map(|osd| {
            let id = number(osd, "osd")?;
            let fact = facts.get(&id).copied().unwrap_or(&Value::Null);
            let host = crush_hosts.get(&id).cloned().or_else(|| text(fact, "hostname"));
            let address =
                |key: &str| text(osd, key).map(|address| host_part(&address)).filter(|address| *address != "-");
            Some(OsdScope {
                id: id as u32,
                host: host.unwrap_or_else(|| "unknown".to_string()),
                within: within(id as i64, &parents),
                class: nodes.get(&id).and_then(|node| text(node, "device_class")),
                device: data_disks(fact),
                up: number(osd, "up") == Some(1),
                inside: number(osd, "in") == Some(1),
                primary_affinity: osd.get("primary_affinity").and_then(Value::as_f64),
                crush_weight: nodes.get(&id).and_then(|node| node.get("crush_weight")?.as_f64()),
                cluster_address: address("cluster_addr")
                    .filter(|cluster| Some(cluster) != address("public_addr").as_ref()),
                address: address("public_addr"),
                version: text(fact, "ceph_version_short"),
                store: text(fact, "osd_objectstore"),
                bytes: kib(id, "kb").or_else(|| number(fact, "bluestore_bdev_size")),
                bytes_used: kib(id, "kb_used"),
            })
        })
        .collect()
}

/// `10.0.0.1:6800/123` → `10.0.0.1`.
fn host_part(address: &str) -> String {
    let without_nonce = address.split('/').next().unwrap_or(address);
    without_nonce.rsplit_once(':').map_or(without_nonce, |(host, _)| host).trim_matches(['[', ']']).to_string()
}

/// OSD id to the name of its CRUSH host bucket, which is what the placement of replicas goes by.
fn crush_hosts(tree: &Value) -> BTreeMap<u64, String> {
    let hosts = list(tree, "nodes").iter().filter(|node| text(node, "type").as_deref() == Some("host"));
    hosts
        .flat_map(|host| {
            let name = text(host, "name").unwrap_or_default();
            list(host, "children").iter().filter_map(Value::as_u64).map(move |id| (id, name.clone()))
        })
        .collect()
}

/// Of OSDs and buckets, the bucket that each lies in.
fn parents(tree: &Value) -> BTreeMap<i64, &Value> {
    let children = |node: &Value| list(node, "children").iter().filter_map(Value::as_i64).collect::<Vec<i64>>();
    list(tree, "nodes").iter().flat_map(|node| children(node).into_iter().map(move |child| (child, node))).collect()
}

/// Racks and the like, by their type; no longer way than there are buckets.
fn within(osd: i64, parents: &BTreeMap<i64, &Value>) -> BTreeMap<String, String> {
    let above = |id: &i64| parents.get(id)?.get("id")?.as_i64();
    let buckets = std::iter::successors(above(&osd), above).take(parents.len());
    // Each is the parent of what was below it.
    let named = std::iter::once(osd).chain(buckets).filter_map(|id| {
        let node = parents.get(&id)?;
        Some((text(node, "type")?, text(node, "name")?))
    });
    named.filter(|(kind, _)| kind != "host" && kind != "root").collect()
}

fn hosts(osds: &[OsdScope]) -> Vec<HostScope> {
    let mut hosts = vec![here::host()];
    for osd in osds {
        match hosts.iter_mut().find(|host| host.name == osd.host) {
            Some(known) => known.address = known.address.take().or_else(|| osd.address.clone()),
            None => {
                hosts.push(HostScope { name: osd.host.clone(), address: osd.address.clone(), ..HostScope::default() })
            }
        }
    }
    hosts
}

/// The disk of an OSD with its data on one disk. If the data lie on several (LVM over disks, the paths of a multipath device), a list
/// with commas, which is the name of no disk: nothing is compared with it.
fn data_disks(fact: &Value) -> Option<String> {
    // `devices` has also those of the database and the journal.
    text(fact, "bluestore_bdev_devices").or_else(|| text(fact, "devices")).or_else(|| text(fact, "bluestore_bdev_path"))
}

/// Every disk once, with the OSDs that have data, or the database or journal of it, there.
fn devices(osds: &[OsdScope], metadata: &Value) -> Vec<DeviceScope> {
    let mut devices: Vec<DeviceScope> = Vec::new();
    for osd in osds {
        let facts = metadata.as_array().into_iter().flatten();
        let facts = facts.into_iter().find(|fact| number(fact, "id") == Some(u64::from(osd.id)));
        let fact = facts.unwrap_or(&Value::Null);
        let data = names(osd.device.as_deref());
        for path in data.iter().chain(&names(text(fact, "devices").as_deref())) {
            let mut known = devices.iter_mut();
            match known.find(|device| device.path == *path && device.host.as_deref() == Some(&osd.host)) {
                Some(known) if known.osds.contains(&osd.id) => {}
                Some(known) => known.osds.push(osd.id),
                None => devices.push(device(path, osd, fact, data.contains(path))),
            }
        }
    }
    devices
}

fn names(list: Option<&str>) -> Vec<String> {
    let names = list.unwrap_or_default().split(',').map(str::trim).filter(|name| !name.is_empty());
    names.map(str::to_string).collect()
}

/// `data`: it holds the OSD's data, of which the metadata say more than of the others.
fn device(path: &str, osd: &OsdScope, fact: &Value, data: bool) -> DeviceScope {
    let of_data = |key: &str| text(fact, key).filter(|_| data);
    DeviceScope {
        path: path.to_string(),
        host: Some(osd.host.clone()),
        model: of_data("bluestore_bdev_model").or_else(|| model(&text(fact, "device_ids")?, path)),
        // An OSD may have but a part of it; only this host's own devices can be asked.
        bytes: here::device_of(&device_node(path)).filter(|_| osd.host == here::host_name()).and_then(|own| own.bytes),
        rotational: of_data("rotational").map(|flag| flag == "1"),
        osds: vec![osd.id],
    }
}

/// That disk's own of `nvme0n1=Samsung_SSD_970_S466NX0,sda=ST4000NM_ZC1`, without the serial number behind it: disks of one
/// model are peers.
fn model(ids: &str, path: &str) -> Option<String> {
    let name = path.trim_start_matches("/dev/");
    let id = ids.split(',').find_map(|id| id.trim().strip_prefix(name)?.strip_prefix('='))?;
    id.rsplit_once('_').map(|(model, _)| model.to_string()).filter(|model| !model.is_empty())
}

fn device_node(path: &str) -> PathBuf {
    Path::new("/dev").join(path)
}

/// `None`: all there are, of which nothing needs to be said.
fn narrow(osds: &[OsdScope], rule: BTreeSet<u32>) -> Option<Vec<u32>> {
    (!osds.iter().all(|osd| rule.contains(&osd.id))).then(|| rule.into_iter().collect())
}

/// The OSDs of a replicated pool that is made without naming its rule, as those of a run are.
fn new_pool_osds(cluster: &Cluster, osds: &[OsdScope], rules: &Crush) -> Option<Vec<u32>> {
    narrow(osds, rules.osds(new_pool_rule(cluster, rules)?)?)
}

fn new_pool_rule(cluster: &Cluster, rules: &Crush) -> Option<i64> {
    // Its default is -1: the lowest rule for replicas.
    rules.default_rule(leaders(cluster, "osd_pool_default_crush_rule")?.as_i64()?)
}

/// Of a pool's CRUSH rule: its OSDs (none: all, or not known), what it keeps apart, and each `take` of several.
#[derive(Default)]
struct PoolRule {
    osds: Vec<u32>,
    apart: Option<String>,
    takes: Vec<RuleTake>,
}

/// `rule`: what a rule says, by its number.
fn pools(dump: &Value, cluster: &Cluster, rule: &dyn Fn(i64) -> PoolRule) -> Result<Vec<PoolScope>, ClusterError> {
    let used = used_of_quotas(dump, cluster)?;
    list(dump, "pools")
        .iter()
        .map(|pool| {
            let profile = text(pool, "erasure_code_profile");
            let erasure_k = match profile {
                Some(profile) => erasure_k(cluster, &profile)?,
                None => None,
            };
            let applications = pool.get("application_metadata").and_then(Value::as_object);
            let rule = pool.get("crush_rule").and_then(Value::as_i64).map(rule).unwrap_or_default();
            Ok(PoolScope {
                id: pool.get("pool").and_then(Value::as_i64).unwrap_or(-1),
                name: text(pool, "pool_name").unwrap_or_default(),
                size: number(pool, "size").unwrap_or(0) as u32,
                min_size: number(pool, "min_size").unwrap_or(0) as u32,
                erasure_k,
                overwrites: Some(erasure_k.is_none() || has_flag(pool, &["ec_overwrites"])),
                pg_num: number(pool, "pg_num").unwrap_or(0) as u32,
                pg_autoscale_mode: text(pool, "pg_autoscale_mode"),
                applications: applications.map(|map| map.keys().cloned().collect()).unwrap_or_default(),
                osds: rule.osds,
                apart: rule.apart,
                takes: rule.takes,
                quota_bytes: quota(pool, &used, "quota_max_bytes", "num_bytes"),
                quota_objects: quota(pool, &used, "quota_max_objects", "num_objects"),
                full: has_flag(pool, &FULL),
            })
        })
        .collect()
}

/// What the cluster counts of each pool; not asked for where no pool has a quota.
fn used_of_quotas(dump: &Value, cluster: &Cluster) -> Result<Value, ClusterError> {
    let limited = |pool: &Value| QUOTAS.iter().any(|quota| number(pool, quota).is_some_and(|most| most > 0));
    match list(dump, "pools").iter().any(limited) {
        true => cluster.ask_manager(json!({"prefix": "pg dump", "dumpcontents": ["pools"]})),
        false => Ok(Value::Null),
    }
}

const QUOTAS: [&str; 2] = ["quota_max_bytes", "quota_max_objects"];

/// Zero stands for none.
fn quota(pool: &Value, used: &Value, most: &str, counted: &str) -> Option<Quota> {
    let most = number(pool, most).filter(|most| *most > 0)?;
    let own = list(used, "pool_stats").iter().find(|one| number(one, "poolid") == number(pool, "pool"));
    let used = own.and_then(|own| number(own.get("stat_sum")?, counted)).unwrap_or(0);
    Some(Quota { most, used })
}

/// Writes to the pool wait.
const FULL: [&str; 2] = ["full", "full_quota"];

fn has_flag(pool: &Value, any_of: &[&str]) -> bool {
    text(pool, "flags_names").unwrap_or_default().split(',').any(|flag| any_of.contains(&flag))
}

fn pgs_per_osd_most(cluster: &Cluster) -> Option<u32> {
    leaders(cluster, "mon_max_pg_per_osd")?.as_u64().map(|most| most as u32)
}

/// An option as the leader of the monitors has it, wherever it was set.
fn leaders(cluster: &Cluster, option: &str) -> Option<Value> {
    let leader = text(&cluster.ask(json!({"prefix": "quorum_status"})).ok()?, "quorum_leader_name")?;
    let key = json!({"prefix": "config show", "who": format!("mon.{leader}"), "key": option});
    cluster.ask_manager(key).ok()
}

/// Ceph's releases are named along the alphabet; luminous is the first with `pg-upmap`.
fn takes_upmap(release: &str) -> bool {
    release != "unknown" && release >= "luminous"
}

fn erasure_k(cluster: &Cluster, profile: &str) -> Result<Option<u32>, ClusterError> {
    let answer = cluster.ask(json!({"prefix": "osd erasure-code-profile get", "name": profile}))?;
    Ok(number(&answer, "k").map(|k| k as u32))
}

/// `{"osd": {"ceph version 16.2.15 (…) pacific (stable)": 3}}` → `osd: ["16.2.15"]`.
fn versions(answer: &Value) -> BTreeMap<String, Vec<String>> {
    let kinds = answer.as_object().into_iter().flatten().filter(|(kind, _)| *kind != "overall");
    let short = |long: &String| long.split_whitespace().nth(2).unwrap_or(long).to_string();
    kinds
        .filter_map(|(kind, found)| Some((kind.clone(), found.as_object()?.keys().map(short).collect::<Vec<_>>())))
        .filter(|(_, found)| !found.is_empty())
        .collect()
}

fn health(answer: &Value) -> (String, Vec<String>) {
    let checks = answer.get("checks").and_then(Value::as_object).into_iter().flatten();
    let said = checks.map(|(name, check)| {
        let message = check.get("summary").and_then(|summary| text(summary, "message")).unwrap_or_default();
        secrets::cleaned(&format!("{name}: {message}"))
    });
    (text(answer, "status").unwrap_or_else(|| "unknown".to_string()), said.collect())
}

/// What is set in the configuration database, without what is secret.
fn options(dump: &Value) -> BTreeMap<String, String> {
    dump.as_array()
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let name = text(entry, "name")?;
            let value = secrets::value(&name, &text(entry, "value")?);
            let who = text(entry, "section").unwrap_or_else(|| "global".to_string());
            Some((format!("{who}/{name}"), value))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// In every form in which a configuration may hold one.
        #[test]
        fn no_secret_of_the_configuration_is_recorded(secret in "[A-Za-z0-9]{8,40}", form in 0usize..FORMS.len()) {
            let (name, value) = FORMS[form];
            let value = value.replace("SECRET", &format!("s3{secret}"));
            let dump = json!([{"section": "mgr", "name": name, "value": value}]);
            let shown = options(&dump);
            prop_assert_eq!(shown.len(), 1);
            prop_assert!(!format!("{shown:?}").contains(&format!("s3{secret}")), "{:?}", shown);
            let told = json!({"status": "HEALTH_WARN", "checks": {"X": {"summary": {"message": format!("{name} = {value}")}}}});
            prop_assert!(!format!("{:?}", health(&told)).contains(&format!("s3{secret}")), "{}", value);
        }
    }

    #[test]
    fn racks_are_those_in_which_a_host_lies() {
        let tree = json!({"nodes": [
            {"id": -1, "name": "default", "type": "root", "children": [-3]},
            {"id": -3, "name": "r1", "type": "rack", "children": [-2]},
            {"id": -2, "name": "a", "type": "host", "children": [0, 1]},
            {"id": 0, "name": "osd.0", "type": "osd"},
        ]});
        let of = |osd| within(osd, &parents(&tree));
        assert_eq!(of(0), BTreeMap::from([("rack".to_string(), "r1".to_string())]));
        assert!(of(7).is_empty());
    }

    const FORMS: [(&str, &str); 22] = [
        ("mgr/dashboard/GRAFANA_API_PASSWORD", "SECRET"),
        ("mgr/dashboard/RGW_API_SECRET_KEY", "SECRET"),
        ("mgr/dashboard/RGW_API_ACCESS_KEY", "SECRET"),
        ("mgr/x/credentials", "{\"a\":\"SECRET\"}"),
        ("mgr/x/passwd", "SECRET"),
        ("mgr/x/PASSPHRASE", "SECRET"),
        ("mgr/x/access_token", "SECRET"),
        ("mgr/x/db-pw", "SECRET"),
        ("mgr/dashboard/key", "-----BEGIN PRIVATE KEY----- SECRET -----END PRIVATE KEY-----"),
        ("mgr/dashboard/GRAFANA_API_URL", "https://admin:SECRET@grafana:3000/"),
        ("mgr/prometheus/target", "admin:SECRET@prometheus"),
        ("mgr/x/endpoint", "http://x/y?z=1&api_key=SECRET"),
        ("mgr/x/settings", "{\"user\": \"me\", \"password\": \"SECRET\"}"),
        ("rgw_enable_apis", "eyJhbGciOiJIUzI1NiJ9.SECRET"),
        ("mgr/x/dbpwd", "SECRET"),
        ("client/userpass", "SECRET"),
        ("client/enc_key_hex", "SECRET"),
        ("client/recovery_codes", "SECRET"),
        ("client/command", "mysql -pSECRET"),
        ("client/alert", "curl -u admin:SECRET https://h"),
        ("client/alert", "https://hooks.slack.com/services/T/B/SECRET"),
        ("client/auth", "basic:SECRET"),
    ];

    fn seen(facts: &[Value]) -> (Vec<OsdScope>, Vec<DeviceScope>) {
        let dump = json!({"osds": facts.iter().map(|fact| json!({"osd": fact["id"], "up": 1})).collect::<Vec<_>>()});
        let metadata = Value::from(facts.to_vec());
        let osds = osds(&dump, &metadata, &Value::Null, &Value::Null);
        let devices = devices(&osds, &metadata);
        (osds, devices)
    }

    #[test]
    fn osds_with_their_database_elsewhere_lie_on_the_disk_of_their_data() {
        let hybrid = |id: u32, disk: &str| {
            json!({"id": id, "hostname": "h", "devices": format!("nvme0n1,{disk}"), "bluestore_bdev_devices": disk,
                   "device_ids": format!("nvme0n1=Very_Fast_S1,{disk}=Slow_{disk}"), "rotational": "1"})
        };
        let (osds, devices) = seen(&[hybrid(0, "sda"), hybrid(1, "sdb")]);
        assert_eq!(osds.iter().map(|osd| osd.device.as_deref().unwrap()).collect::<Vec<_>>(), ["sda", "sdb"]);
        let found = |path: &str| devices.iter().find(|device| device.path == path).unwrap();
        assert_eq!(devices.len(), 3);
        assert_eq!((found("nvme0n1").osds.as_slice(), found("sdb").osds.as_slice()), (&[0, 1][..], &[1][..]));
        assert_eq!((found("nvme0n1").rotational, found("sda").rotational), (None, Some(true)));
        assert_eq!(found("sda").model.as_deref(), Some("Slow"));
        assert_eq!(found("nvme0n1").model.as_deref(), Some("Very_Fast"));
    }

    #[test]
    fn a_quota_counts_what_the_cluster_counts() {
        let pool =
            json!({"pool": 3, "quota_max_bytes": 100, "quota_max_objects": 0, "flags_names": "hashpspool,full_quota"});
        let used = json!({"pool_stats": [{"poolid": 2, "stat_sum": {"num_bytes": 7}}, {"poolid": 3, "stat_sum": {"num_bytes": 60}}]});
        let found = quota(&pool, &used, "quota_max_bytes", "num_bytes").unwrap();
        assert_eq!((found.most, found.used, found.left()), (100, 60, 40));
        assert_eq!(quota(&pool, &used, "quota_max_objects", "num_objects"), None);
        assert!(has_flag(&pool, &FULL) && !has_flag(&json!({"flags_names": "hashpspool,nearfull"}), &FULL));
    }

    #[test]
    fn placement_groups_are_bound_only_where_all_clients_know_it() {
        for (release, takes) in
            [("jewel", false), ("kraken", false), ("luminous", true), ("squid", true), ("unknown", false)]
        {
            assert_eq!(takes_upmap(release), takes, "{release}");
        }
    }

    #[test]
    fn of_several_disks_each_is_one() {
        let fact = json!({"id": 0, "hostname": "h", "devices": "sda,sdb", "bluestore_bdev_devices": "sda,sdb"});
        let (osds, devices) = seen(&[fact]);
        assert_eq!(osds[0].device.as_deref(), Some("sda,sdb"));
        assert_eq!(devices.iter().map(|device| device.path.as_str()).collect::<Vec<_>>(), ["sda", "sdb"]);
    }

    #[test]
    fn older_osds_tell_only_the_path() {
        let (osds, devices) = seen(&[json!({"id": 0, "hostname": "h", "bluestore_bdev_path": "/dev/vdb"})]);
        assert_eq!((osds[0].device.as_deref(), devices[0].path.as_str()), (Some("/dev/vdb"), "/dev/vdb"));
        assert!(seen(&[json!({"id": 0})]).1.is_empty());
    }
}
