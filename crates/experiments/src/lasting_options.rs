//! Options whose effect outlasts a slice: set for one slice and put back for the next, both sides of a comparison bear it, or neither.

/// Beginnings of names, and what of it lasts.
const LASTING: [(&str, &str); 19] = [
    ("osd_memory_", CACHES),
    ("bluestore_cache_", CACHES),
    ("rocksdb_cache_", CACHES),
    ("mds_cache_", CACHES),
    ("osd_max_pg_log_", LOGS),
    ("osd_min_pg_log_", LOGS),
    ("osd_pg_log_", LOGS),
    ("bluestore_prefer_deferred_", DEFERRED),
    ("bluestore_deferred_", DEFERRED),
    ("bluestore_throttle_deferred_", DEFERRED),
    ("osd_max_scrubs", BACKGROUND),
    ("osd_scrub_", BACKGROUND),
    ("osd_deep_scrub_", BACKGROUND),
    ("osd_snap_trim_", BACKGROUND),
    ("osd_pg_max_concurrent_snap_trims", BACKGROUND),
    ("osd_max_trimming_pgs", BACKGROUND),
    ("osd_max_backfills", BACKGROUND),
    ("osd_recovery_", BACKGROUND),
    ("osd_mclock_", BACKGROUND),
];

const CACHES: &str = "caches are trimmed at once and take minutes to hours to fill";
const LOGS: &str = "the logs of placement groups are trimmed as they are written, and fill slowly";
const DEFERRED: &str = "what was put off in one slice is written in a later one";
const BACKGROUND: &str = "what goes on in the background goes on for minutes, or does not go on while it is measured";

/// Why slices of seconds beside each other do not show what this option does; `None`: they do.
pub fn why(name: &str) -> Option<&'static str> {
    LASTING.iter().find(|(start, _)| name.starts_with(start)).map(|(_, why)| *why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_deferred_writes_and_what_goes_on_in_the_background_last() {
        for name in [
            "osd_memory_target",
            "bluestore_cache_size",
            "osd_max_pg_log_entries",
            "bluestore_prefer_deferred_size_hdd",
            "osd_max_scrubs",
            "osd_scrub_sleep",
            "osd_snap_trim_sleep",
            "osd_max_backfills",
            "osd_recovery_sleep_hdd",
        ] {
            assert!(why(name).is_some(), "{name}");
        }
        for name in ["debug_osd", "ms_tcp_nodelay", "bluestore_compression_mode", "osd_client_message_cap"] {
            assert!(why(name).is_none(), "{name}");
        }
    }
}
