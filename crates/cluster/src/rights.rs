//! Which rights Fathom needs, and what to say when some are missing.

use crate::admin::Cluster;
use ceph::CAPS_LEAST;

/// What kind of right a command needs, by the daemon that answers it.
fn needed(command: &str) -> &'static str {
    match command {
        _ if command.starts_with("config-key") => "mon 'allow service config-key rw'",
        "bench" => "osd 'allow *'",
        "pg ls-by-pool"
        | "pg ls-by-primary"
        | "pg stat"
        | "osd perf"
        | "osd df"
        | "osd pool stats"
        | "balancer status"
        | "config show"
        | "osd pool autoscale-status" => "mgr 'allow r'",
        "balancer on" | "balancer off" => "mgr 'allow rw'",
        "status" | "quorum_status" | "config log" | "osd dump" | "osd metadata" | "versions" | "health"
        | "osd tree" | "df" | "config dump" | "osd map" | "osd crush dump" | "report" | "mgr dump" | "mon metadata"
        | "time-sync-status" | "fs dump" | "service dump" | "features" => "mon 'allow r'",
        _ => "mon 'allow rw'",
    }
}

pub fn advice(cluster: &Cluster, command: &str) -> String {
    let user = cluster.user();
    let has = cluster.own_caps().map_or_else(
        || "its caps cannot be read with these rights".to_string(),
        |caps| format!("it has: {}", if caps.is_empty() { "none".to_string() } else { caps }),
    );
    let missing = needed(command);
    let looks = if missing.ends_with("'allow r'") {
        "To look, as an audit does, these suffice: mon 'allow r' mgr 'allow r' osd 'allow r'. "
    } else {
        ""
    };
    format!(
        "{user} may not run `{command}`: missing cap {missing}; {has}. {looks}The least that suffices for Fathom: ceph auth caps {user} {CAPS_LEAST}"
    )
}
