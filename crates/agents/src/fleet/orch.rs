//! The hosts of a cluster that cephadm manages, by cephadm's own ssh user and key, which stay in memory.

use super::HostOptions;
use super::sources::Wanted;
use crate::memory_file::MemoryFile;
use crate::{NamesError, SshOptions, Transport};
use cluster::Cluster;
use cluster::orch::OrchHost;
use model::Failure;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// All of them, or those with a label.
///
/// # Errors
/// There is no cephadm, none has the label, or the key may not be read.
pub fn hosts(cluster: &Cluster, label: Option<&str>, args: &HostOptions) -> Result<Wanted, Failure> {
    let known = cluster.orch_hosts()?;
    let (hosts, left_out) = choose(&known, label)?;
    let access = cluster.orch_access()?;
    let kept = [MemoryFile::of("config", &access.config)?, MemoryFile::of("key", &access.key)?];
    let options = options(args, kept.each_ref().map(MemoryFile::path));
    let way = |host: &&OrchHost| {
        let transport = Transport::of(&format!("{}@{}", access.user, host.addr), &options)?;
        Ok((host.hostname.clone(), transport))
    };
    let hosts = hosts.iter().map(way).collect::<Result<Vec<_>, NamesError>>()?;
    let (spared, guests) = (Vec::new(), Vec::new());
    Ok(Wanted { hosts, programs: super::sources::programs(args)?, spared, guests, left_out, _kept: kept.into() })
}

/// cephadm's configuration of ssh and its key, except where the user names others.
fn options(args: &HostOptions, [config, key]: [PathBuf; 2]) -> SshOptions {
    SshOptions {
        config: Some(args.ssh_config.clone().unwrap_or(config)),
        identity: Some(args.identity.clone().unwrap_or(key)),
        options: args.ssh_option.clone(),
    }
}

/// Those that are meant and up, and in words those that cephadm does not use now.
fn choose<'k>(known: &'k [OrchHost], label: Option<&str>) -> Result<(Vec<&'k OrchHost>, Vec<String>), Failure> {
    let meant = |host: &&OrchHost| label.is_none_or(|label| host.labels.iter().any(|own| own == label));
    let (up, down): (Vec<_>, Vec<_>) = known.iter().filter(meant).partition(|host| host.status.is_empty());
    let down: Vec<String> = down.iter().map(|host| format!("{} ({})", host.hostname, host.status)).collect();
    let down = down.join(", ");
    match (up.is_empty(), down.is_empty()) {
        (true, true) => Err(Failure::Usage(none(known, label))),
        (true, false) => Err(Failure::Failed(format!(
            "orch: cephadm uses none of these hosts now: {down}; see `ceph orch host ls`, or name hosts with --hosts a,b"
        ))),
        (false, true) => Ok((up, Vec::new())),
        (false, false) => {
            Ok((up, vec![format!("cephadm does not use these hosts now, and they are left out: {down}")]))
        }
    }
}

/// Why no host is left.
fn none(known: &[OrchHost], label: Option<&str>) -> String {
    let labels: BTreeSet<&str> = known.iter().flat_map(|host| &host.labels).map(String::as_str).collect();
    let labels: Vec<&str> = labels.into_iter().collect();
    match label {
        Some(label) if !labels.is_empty() => {
            format!("orch: no host has the label {label:?}; there are: {}", labels.join(", "))
        }
        Some(label) if !known.is_empty() => {
            format!("orch: no host has the label {label:?}, nor any other; --hosts orch takes all of them")
        }
        _ => "orch: cephadm manages no host of this cluster; see `ceph orch host ls`".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(labels: &[&str]) -> OrchHost {
        OrchHost {
            hostname: "a".into(),
            addr: "a".into(),
            labels: labels.iter().map(|label| label.to_string()).collect(),
            status: String::new(),
        }
    }

    #[test]
    fn what_the_user_names_stands_before_what_cephadm_has() {
        let of = |args: HostOptions| {
            let options = options(&args, ["/kept/config".into(), "/kept/key".into()]);
            [options.config, options.identity].map(|path| path.unwrap().to_string_lossy().into_owned())
        };
        assert_eq!(of(HostOptions::default()), ["/kept/config", "/kept/key"]);
        assert_eq!(of(HostOptions { identity: Some("/k".into()), ..HostOptions::default() }), ["/kept/config", "/k"]);
        assert_eq!(of(HostOptions { ssh_config: Some("/c".into()), ..HostOptions::default() }), ["/c", "/kept/key"]);
    }

    #[test]
    fn hosts_that_cephadm_does_not_reach_are_left_out_by_name() {
        let named =
            |name: &str, status: &str| OrchHost { hostname: name.into(), status: status.into(), ..host(&["osd"]) };
        let known = [named("a", ""), named("b", "offline"), named("c", "maintenance"), named("d", "")];
        let (up, told) = choose(&known, None).unwrap();
        assert_eq!(up.iter().map(|host| host.hostname.as_str()).collect::<Vec<_>>(), ["a", "d"]);
        assert!(told[0].ends_with("left out: b (offline), c (maintenance)"), "{told:?}");
        assert!(choose(&known[..1], Some("osd")).unwrap().1.is_empty());
        assert!(choose(&known[1..3], None).unwrap_err().to_string().contains("b (offline), c (maintenance)"));
        assert!(choose(&known, Some("x")).is_err());
    }

    #[test]
    fn who_finds_no_host_is_told_what_there_is() {
        let labelled = [host(&["osd", "b"]), host(&["osd"])];
        assert!(none(&labelled, Some("x")).ends_with("no host has the label \"x\"; there are: b, osd"));
        assert!(none(&[host(&[])], Some("x")).contains("nor any other"));
        assert!(none(&[], Some("x")).contains("manages no host") && none(&[], None).contains("manages no host"));
    }
}
