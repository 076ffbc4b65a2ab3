//! Hosts made of network namespaces: each has an address on a bridge that this host is on, too.

use crate::dirs::Dirs;
use crate::errors::LabError;
use crate::lab::LabCluster;
use crate::preflight::system;
use crate::process_group::{ProcessGroup, run};
use crate::services::Service;
use std::fs;
use std::path::Path;
use std::process::Command;

pub(crate) fn ip(arguments: &[&str]) -> Command {
    let mut command = Command::new(system("ip"));
    command.args(arguments);
    command
}

/// Makes bridge, namespaces and the links between them.
pub(crate) fn make(lab: &LabCluster, dirs: &Dirs, process_group: &ProcessGroup) -> Result<(), LabError> {
    let bridge = dirs.bridge();
    let mut outside = format!(
        "link add {bridge} type bridge\naddress add {}/24 dev {bridge}\nlink set {bridge} alias {} up\n",
        lab.client_address,
        dirs.namespace_prefix().trim_end_matches('-')
    );
    for (index, host) in lab.hosts.iter().enumerate() {
        let Some(namespace) = &host.namespace else { continue };
        let port = dirs.port(index + 1);
        outside += &format!("netns add {namespace}\nlink add {port} type veth peer name eth0 netns {namespace}\n");
        outside += &format!("link set {port} master {bridge} alias {namespace} up\n");
    }
    if lab.services.iter().any(|own| own.service == Service::Guest) {
        let port = dirs.guest_port();
        let alias = dirs.namespace_prefix();
        outside +=
            &format!("tuntap add dev {port} mode tap user 0\nlink set {port} master {bridge} alias {alias}guest up\n");
    }
    outside += &cluster_network(lab, dirs);
    batch(process_group, dirs, &[], &outside)?;
    for host in &lab.hosts {
        let Some(namespace) = &host.namespace else { continue };
        let mut inside = format!("address add {}/24 dev eth0\nlink set eth0 up\nlink set lo up\n", host.address);
        if let Some(address) = &host.cluster_address {
            inside += &format!("address add {address}/24 dev eth1\nlink set eth1 up\n");
        }
        batch(process_group, dirs, &["-n", namespace], &inside)?;
    }
    Ok(())
}

/// A second bridge, on which this host has no address.
fn cluster_network(lab: &LabCluster, dirs: &Dirs) -> String {
    let bridge = dirs.cluster_bridge();
    let mut commands = String::new();
    for (index, host) in lab.hosts.iter().enumerate() {
        let (Some(namespace), Some(_)) = (&host.namespace, &host.cluster_address) else { continue };
        if commands.is_empty() {
            commands = format!(
                "link add {bridge} type bridge\nlink set {bridge} alias {} up\n",
                dirs.namespace_prefix().trim_end_matches('-')
            );
        }
        let port = dirs.cluster_port(index + 1);
        commands += &format!("link add {port} type veth peer name eth1 netns {namespace}\n");
        commands += &format!("link set {port} master {bridge} alias {namespace} up\n");
    }
    commands
}

/// `ip` reads many commands from one file, which saves a process for each.
fn batch(process_group: &ProcessGroup, dirs: &Dirs, arguments: &[&str], commands: &str) -> Result<(), LabError> {
    let file = dirs.run().join("ip");
    fs::write(&file, commands).map_err(LabError::io("cannot write", &file))?;
    process_group.run(ip(arguments).arg("-batch").arg(&file)).map(drop)
}

/// Removes what of the lab's network is there.
pub(crate) fn remove(dirs: &Dirs) -> Result<(), LabError> {
    for namespace in namespaces(&dirs.namespace_prefix()) {
        run(&mut ip(&["netns", "delete", &namespace]))?;
    }
    // Deleting a namespace deletes its end of each link, and so the other, but some time later.
    let links = fs::read_dir("/sys/class/net").into_iter().flatten().flatten();
    let links = links.filter_map(|entry| entry.file_name().into_string().ok());
    let bridges = [dirs.bridge(), dirs.cluster_bridge()];
    let ports = [dirs.port_prefix(), dirs.cluster_port_prefix()];
    for link in links.filter(|link| bridges.contains(link) || ports.iter().any(|prefix| link.starts_with(prefix))) {
        let deleted = run(&mut ip(&["link", "delete", &link]));
        if Path::new("/sys/class/net").join(&link).exists() {
            deleted?;
        }
    }
    Ok(())
}

fn namespaces(prefix: &str) -> Vec<String> {
    let entries = fs::read_dir("/run/netns").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| name.starts_with(prefix)).collect()
}
