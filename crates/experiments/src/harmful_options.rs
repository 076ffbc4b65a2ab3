//! Options that can cost data, allow what does, or move what others keep: no value of theirs is tried, since putting them back would not put
//! back what was lost or moved.

/// Parts of names. An OSD with `bluestore_debug_omit_block_device_write` acknowledges writes that it does not make.
const HARMFUL: [&str; 16] = [
    "inject",
    "_debug_",
    "mds_kill_",
    "mds_wipe_",
    "mon_allow_",
    "mon_osd_allow_",
    "auth_",
    "cephx",
    "fsck_",
    "ignore_data_csum",
    // What is written meanwhile stays without checksums, and a database without its log.
    "csum_type",
    "rocksdb_options",
    "osd_skip_",
    "_corrupt",
    "objectstore_fuse",
    "osd_max_object_",
];
/// Of those for developers these change only how much is logged, how long messages wait, and how much is cached.
const HARMLESS: [&str; 3] = ["debug_", "ms_inject_delay_", "bluestore_cache_"];

/// Beginnings of names of what moves others' data, or writes it for good in another form, while it is tried: modules of the manager (the
/// balancer's and the autoscaler's work stays), when OSDs are marked down or out, where they lie, and how data are compressed.
const OTHERS: [&str; 10] = [
    "mgr/",
    "mon_osd_",
    "mon_target_pg_",
    "mon_max_pg_",
    "osd_heartbeat_",
    "osd_mon_heartbeat_",
    "osd_crush_",
    "crush_location",
    "osd_pool_default_pg_autoscale",
    "bluestore_compression_",
];

/// Why this option is not tried; `None`: it may be.
pub fn why(name: &str, of_developers: bool) -> Option<&'static str> {
    if OTHERS.iter().any(|own| name.starts_with(own)) {
        return Some(
            "it may move what others keep in the cluster, or write it in another form, which putting it back does not undo",
        );
    }
    if HARMLESS.iter().any(|own| name.starts_with(own)) {
        return None;
    }
    let harmful = HARMFUL.iter().any(|own| name.contains(own));
    match (harmful, of_developers) {
        (true, _) => Some("it can cost data, or allows what does"),
        (_, true) => {
            Some("it is for developers of Ceph (`ceph config help` has its level), and such options can cost data")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_costs_data_is_refused_and_what_shapes_speed_is_not() {
        for harmful in [
            "bluestore_debug_omit_block_device_write",
            "osd_debug_drop_op_probability",
            "bdev_inject_crash",
            "ms_inject_socket_failures",
            "mon_allow_pool_delete",
            "auth_cluster_required",
            "bluestore_ignore_data_csum",
            "bluestore_csum_type",
            "bluestore_rocksdb_options",
            "bluestore_rocksdb_options_annex",
        ] {
            assert!(why(harmful, false).is_some(), "{harmful}");
        }
        for lasting in [
            "mgr/balancer/upmap_max_deviation",
            "mgr/pg_autoscaler/threshold",
            "mon_target_pg_per_osd",
            "mon_osd_down_out_interval",
            "osd_heartbeat_grace",
            "osd_crush_chooseleaf_type",
            "bluestore_compression_mode",
        ] {
            assert!(why(lasting, false).is_some_and(|why| why.contains("others")), "{lasting}");
        }
        for harmless in ["debug_osd", "ms_inject_delay_type", "bluestore_cache_size", "debug_bluestore"] {
            assert!(why(harmless, true).is_none(), "{harmless}");
        }
        for usual in ["osd_op_num_shards", "ms_tcp_nodelay", "ms_cluster_mode", "osd_max_backfills", "osd_scrub_sleep"]
        {
            assert!(why(usual, false).is_none() && why(usual, true).is_some(), "{usual}");
        }
    }
}
