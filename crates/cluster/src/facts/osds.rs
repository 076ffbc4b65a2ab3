//! OSDs: from the OSD map, their metadata, the CRUSH tree, and what the manager counts.

use super::values::{count, flag as set, list, number, text, whole};
use jiff::Timestamp;
use model::facts::{OsdFacts, Version};
use serde_json::Value;
use std::collections::BTreeMap;

const KIB: u64 = 1024;

pub fn read(
    map: &Value,
    metadata: &Option<Value>,
    tree: &Option<Value>,
    usage: &Option<Value>,
    report: &Option<Value>,
) -> Vec<OsdFacts> {
    let by_id = |all: Option<&Value>, key: &str| -> BTreeMap<i64, Value> {
        let all = all.and_then(Value::as_array).into_iter().flatten();
        all.filter_map(|one| Some((whole(one, key)?, one.clone()))).collect()
    };
    let own = by_id(metadata.as_ref(), "id");
    let nodes = by_id(tree.as_ref().and_then(|tree| tree.get("nodes")), "id");
    let rows = by_id(usage.as_ref().and_then(|usage| usage.get("nodes")), "id");
    let held = by_id(report.as_ref().and_then(|report| report.get("num_pg_by_osd")), "osd");
    let more = by_id(map.get("osd_xinfo"), "osd");
    let hosts = hosts(tree.as_ref());
    let modified = text(map, "modified").and_then(|text| time(&text));
    let one = |osd: &Value| {
        let id = whole(osd, "osd")?;
        let (own, node, row) = (
            own.get(&id).unwrap_or(&Value::Null),
            nodes.get(&id).unwrap_or(&Value::Null),
            rows.get(&id).unwrap_or(&Value::Null),
        );
        let (held, more) = (held.get(&id).unwrap_or(&Value::Null), more.get(&id).unwrap_or(&Value::Null));
        let since = || {
            let down = text(more, "down_stamp").and_then(|text| time(&text))?;
            Some(modified?.duration_since(down).as_secs_f64())
        };
        let known = OsdFacts {
            id: u32::try_from(id).ok()?,
            host: hosts.get(&id).cloned().or_else(|| text(own, "hostname")).unwrap_or_default(),
            class: text(node, "device_class"),
            up: set(osd, "up"),
            inside: set(osd, "in"),
            reweight: number(osd, "weight"),
            crush_weight: number(node, "crush_weight"),
            primary_affinity: number(osd, "primary_affinity"),
            used: number(row, "utilization").map(|percent| percent / 100.0),
            bytes: count(row, "kb").map(|kib| kib * KIB),
            groups: count(row, "pgs").map(|groups| groups as u32),
            primaries: count(held, "num_primary_pg").map(|groups| groups as u32),
            laggy: number(more, "laggy_probability"),
            down_before: since(),
            public_address: text(osd, "public_addr").map(|address| host_part(&address)),
            cluster_address: text(osd, "cluster_addr").map(|address| host_part(&address)),
            ..OsdFacts::default()
        };
        Some(told_by_itself(known, own))
    };
    list(map, "osds").iter().filter_map(one).collect()
}

/// The rest, from its metadata.
fn told_by_itself(known: OsdFacts, own: &Value) -> OsdFacts {
    let names = |key: &str| -> Vec<String> {
        let list = text(own, key).unwrap_or_default();
        list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_string).collect()
    };
    let devices = names("devices");
    let data = names("bluestore_bdev_devices");
    // Without a database apart, all of an OSD's devices have its data.
    let alone = ["bluefs_dedicated_db", "bluefs_dedicated_wal"].iter().all(|key| set(own, key) == Some(false));
    OsdFacts {
        version: text(own, "ceph_version_short")
            .or_else(|| text(own, "ceph_version"))
            .and_then(|text| Version::parse(&text)),
        created_by: text(own, "ceph_version_when_created").and_then(|text| Version::parse(&text)),
        store: text(own, "osd_objectstore"),
        rotational: set(own, "rotational"),
        journal_rotational: set(own, "journal_rotational"),
        taken_for: text(own, "bluestore_bdev_type"),
        data_devices: if data.is_empty() && alone { devices.clone() } else { data },
        db_devices: names("bluefs_db_devices"),
        wal_devices: names("bluefs_wal_devices"),
        devices,
        models: text(own, "device_ids").map(|ids| models(&ids)).unwrap_or_default(),
        min_alloc: count(own, "bluestore_min_alloc_size"),
        optimal_io: count(own, "bluestore_bdev_optimal_io_size"),
        dedicated_db: set(own, "bluefs_dedicated_db"),
        dedicated_wal: set(own, "bluefs_dedicated_wal"),
        db_bytes: count(own, "bluefs_db_size"),
        wal_bytes: count(own, "bluefs_wal_size"),
        db_rotational: set(own, "bluefs_db_rotational"),
        driver: text(own, "bluestore_bdev_driver"),
        osd_type: text(own, "osd_type"),
        data: text(own, "osd_data"),
        kernel: text(own, "kernel_version"),
        distribution: text(own, "distro"),
        container: own
            .is_object()
            .then(|| text(own, "container_image").is_some() || text(own, "container_hostname").is_some()),
        processor: text(own, "cpu"),
        memory: count(own, "mem_total_kb").map(|kib| kib * KIB),
        swap: count(own, "mem_swap_kb").map(|kib| kib * KIB),
        numa_node: whole(own, "numa_node").filter(|node| *node >= 0),
        network_numa_node: whole(own, "network_numa_node"),
        store_numa_node: whole(own, "objectstore_numa_node"),
        ..known
    }
}

/// `nvme0n1=Samsung_SSD_970_S466NX0,sda=…`: without the serial number at the end.
fn models(ids: &str) -> Vec<(String, String)> {
    let one = |id: &str| {
        let (name, id) = id.trim().split_once('=')?;
        let (model, _) = id.rsplit_once('_')?;
        Some((name.to_string(), model.to_string()))
    };
    ids.split(',').filter_map(one).collect()
}

fn hosts(tree: Option<&Value>) -> BTreeMap<i64, String> {
    let nodes = tree.map_or(&[][..], |tree| list(tree, "nodes"));
    let hosts = nodes.iter().filter(|node| text(node, "type").as_deref() == Some("host"));
    let children = |host: &Value| {
        let name = text(host, "name").unwrap_or_default();
        list(host, "children").iter().filter_map(Value::as_i64).map(|id| (id, name.clone())).collect::<Vec<_>>()
    };
    hosts.flat_map(children).collect()
}

/// `10.0.0.1:6800/123`
fn host_part(address: &str) -> String {
    let without_nonce = address.split('/').next().unwrap_or(address);
    without_nonce.rsplit_once(':').map_or(without_nonce, |(host, _)| host).trim_matches(['[', ']']).to_string()
}

/// `2026-11-26T00:54:10.017866+0000`; zero stands for never.
fn time(text: &str) -> Option<Timestamp> {
    let time = jiff::fmt::strtime::parse("%Y-%m-%dT%H:%M:%S%.f%z", text).ok()?.to_timestamp().ok()?;
    (time > Timestamp::UNIX_EPOCH).then_some(time)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_osd_is_put_together_from_all_that_tells_of_it() {
        let map = json!({"modified": "2026-11-26T01:00:00.000000+0000",
            "osds": [{"osd": 3, "up": 1, "in": 1, "weight": 0.5, "primary_affinity": 1, "public_addr": "10.0.0.1:6801/22"}],
            "osd_xinfo": [{"osd": 3, "down_stamp": "2026-11-26T00:59:00.000000+0000", "laggy_probability": 0.51}]});
        let metadata = json!([{"id": 3, "rotational": "1", "devices": "nvme0n1,sda", "bluestore_bdev_devices": "sda",
            "bluefs_dedicated_db": "1", "bluefs_db_devices": "nvme0n1", "bluefs_db_size": "1073741824", "ceph_version_short": "17.2.6", "mem_total_kb": "1024",
            "device_ids": "nvme0n1=INTEL_P4800X_PH1,sda=ST8000NM_ZA2"}]);
        let tree = json!({"nodes": [{"id": -2, "type": "host", "name": "a", "children": [3]}, {"id": 3, "device_class": "hdd", "crush_weight": 7.27}]});
        let usage = json!({"nodes": [{"id": 3, "utilization": 81.0, "kb": 100, "pgs": 90}]});
        let report = json!({"num_pg_by_osd": [{"osd": 3, "num_primary_pg": 30}]});
        let told = &read(&map, &Some(metadata), &Some(tree), &Some(usage), &Some(report))[0];
        assert_eq!(
            (told.host.as_str(), told.class.as_deref(), told.used, told.groups),
            ("a", Some("hdd"), Some(0.81), Some(90))
        );
        assert_eq!((told.primaries, told.laggy, told.down_before), (Some(30), Some(0.51), Some(60.0)));
        assert_eq!((told.dedicated_db, told.db_bytes, told.memory), (Some(true), Some(1 << 30), Some(1 << 20)));
        assert_eq!(told.db_devices, ["nvme0n1"]);
        assert_eq!((told.data_devices.as_slice(), told.on_hdd()), (&["sda".to_string()][..], true));
        assert_eq!(told.models[1], ("sda".to_string(), "ST8000NM".to_string()));
        assert_eq!((told.version, told.created_by, told.container), (Some(Version(17, 2, 6)), None, Some(false)));
    }

    #[test]
    fn one_of_which_only_the_map_tells_is_otherwise_unknown() {
        let map = json!({"osds": [{"osd": 0, "up": 0, "in": 1}], "osd_xinfo": [{"osd": 0, "down_stamp": "0.000000"}]});
        let told = &read(&map, &None, &None, &None, &None)[0];
        assert_eq!(told, &OsdFacts { id: 0, up: Some(false), inside: Some(true), ..OsdFacts::default() });
    }
}
