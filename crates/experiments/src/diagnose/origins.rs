//! From where a daemon has an option, and how it is changed there: what is set closer to the daemon counts more than the monitors' database, so
//! that `ceph config set` does nothing about it.

use super::Fix;
use model::facts::SetOption;

/// In words.
pub fn place(option: &SetOption) -> &'static str {
    match option.origin.as_deref() {
        None => "in the monitors' database",
        Some("file") => "in the configuration file of that daemon",
        Some("env") => "in the environment of that daemon",
        Some("cmdline") => "on the command line of that daemon",
        Some(_) => "given to that daemon as it runs",
    }
}

/// In place of a rule's own mend; `None`: the option is in the monitors' database.
pub fn mend(option: &SetOption) -> Option<&'static str> {
    match (option.origin.as_deref()?, option.name.as_str()) {
        ("file", _) => Some(FROM_FILE),
        ("env", "osd_memory_target") => Some(FROM_POD.what),
        ("env", _) => Some(FROM_ENVIRONMENT),
        ("cmdline", _) => Some(FROM_COMMAND_LINE),
        _ => Some(AS_IT_RUNS),
    }
}

/// Ceph takes the request, and no more than 0.8 of the limit (`md_config_t::parse_env`, osd_memory_target_cgroup_limit_ratio).
pub static FROM_POD: Fix = Fix {
    when: "the environment of an OSD sets the target (POD_MEMORY_REQUEST, under Rook)",
    what: "the target is what the OSD's pod requests: change resources of the OSDs in the CephCluster (requests.memory, with limits.memory a quarter above it), with which Rook restarts them",
};
const FROM_FILE: &str = "take OPTION out of the configuration files of all daemons (ceph.conf), then restart them";
const FROM_ENVIRONMENT: &str = "take OPTION out of the environment of that daemon (CEPH_ARGS), then restart it";
const FROM_COMMAND_LINE: &str =
    "take OPTION off the command line of that daemon (its unit, its container, or its deployment), then restart it";
const AS_IT_RUNS: &str = "it lasts until the daemon restarts, or: ceph tell WHO config unset OPTION";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_not_be_unset_as_a_daemon_runs_is_changed_where_it_is_set() {
        let of = |origin: Option<&str>, name: &str| {
            let origin = origin.map(str::to_string);
            mend(&SetOption { name: name.into(), origin, ..SetOption::default() }).unwrap_or_default()
        };
        assert_eq!(of(None, "osd_memory_target"), "");
        assert!(of(Some("override"), "osd_memory_target").contains("config unset"));
        for origin in ["file", "env", "cmdline"] {
            assert!(!of(Some(origin), "osd_memory_target").contains("ceph "), "{origin}");
            assert!(!of(Some(origin), "debug_osd").contains("ceph "), "{origin}");
        }
        assert!(of(Some("env"), "osd_memory_target").contains("CephCluster"));
        assert!(of(Some("env"), "debug_osd").contains("CEPH_ARGS"));
        assert!(of(Some("cmdline"), "osd_memory_target").contains("command line"));
    }
}
