//! What goes on in the cluster while it is looked at or measured: it is in all figures.

pub mod st_autoscaler;
pub mod st_backfill;
pub mod st_balancer;
pub mod st_clock_skew;
pub mod st_crashes;
pub mod st_crush_legacy;
pub mod st_degraded;
pub mod st_device_health;
pub mod st_flags;
pub mod st_flapping;
pub mod st_inconsistent;
pub mod st_laggy;
pub mod st_mixed_releases;
pub mod st_monitor_store;
pub mod st_monitors_down;
pub mod st_nearfull;
pub mod st_osds_down;
pub mod st_peering;
pub mod st_recovery;
pub mod st_scrub;
pub mod st_slow_ops;
pub mod st_slow_ping;
pub mod st_snaptrim;
pub mod st_store_alerts;
pub mod st_toofull;
