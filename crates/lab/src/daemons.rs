//! How each daemon is made and started.

use crate::errors::LabError;
use crate::lab::LabCluster;
use crate::services;
use crate::supervisor::Supervisor;
use std::fs;
use std::path::Path;

pub(crate) const MON: &str = "mon.a";
pub(crate) const MGR: &str = "mgr.x";

pub(crate) fn osd(id: u32) -> String {
    format!("osd.{id}")
}

/// In the order in which they are started.
pub(crate) fn names(lab: &LabCluster) -> Vec<String> {
    let osds = lab.osds.iter().map(|one| osd(one.id));
    let services = lab.services.iter().map(|service| service.daemon.clone());
    [MON.to_owned(), MGR.to_owned()].into_iter().chain(osds).chain(services).collect()
}

/// Starts a daemon whose data has been made.
pub(crate) fn start(supervisor: &Supervisor, lab: &LabCluster, name: &str) -> Result<(), LabError> {
    if let Some(service) = lab.services.iter().find(|service| service.daemon == name) {
        return services::start_daemon(supervisor, lab, service);
    }
    let (kind, id) = name.split_once('.').unwrap_or((name, ""));
    let (program, host) = match kind {
        "mon" => (&supervisor.programs.mon, lab.first_host()),
        "mgr" => (&supervisor.programs.mgr, lab.first_host()),
        _ => {
            let host =
                lab.osds.iter().find(|one| osd(one.id) == name).map_or(lab.first_host(), |one| lab.host(&one.host));
            (&supervisor.programs.osd, host)
        }
    };
    supervisor.process_group.start(name, host, program, &["-f", "-i", id])
}

/// Makes the monitor's database. Ends by itself; wait for the child of that name.
pub(crate) fn make_mon(supervisor: &Supervisor, lab: &LabCluster) -> Result<&'static str, LabError> {
    let name = "mkfs.mon.a";
    let keyring = supervisor.dirs.keyring();
    let arguments = ["--mkfs", "-i", "a", "--no-mon-config", "--keyring", path(&keyring)];
    supervisor.process_group.start(name, lab.first_host(), &supervisor.programs.mon, &arguments)?;
    Ok(name)
}

/// Makes an OSD's store. Ends by itself; wait for the child of that name.
pub(crate) fn make_osd(supervisor: &Supervisor, lab: &LabCluster, id: u32, uuid: &str) -> Result<String, LabError> {
    let name = format!("mkfs.osd.{id}");
    let host = lab.osds.get(id as usize).map_or(lab.first_host(), |osd| lab.host(&osd.host));
    let id = id.to_string();
    let arguments = ["--mkfs", "-i", id.as_str(), "--osd-uuid", uuid, "--no-mon-config"];
    supervisor.process_group.start(&name, host, &supervisor.programs.osd, &arguments)?;
    Ok(name)
}

fn path(path: &Path) -> &str {
    // The lab's directory was refused if it were not plain.
    path.to_str().unwrap_or_default()
}

/// The last lines of a daemon's log, without the dump of recent events that a crash writes.
pub(crate) fn log_end(log: &Path) -> String {
    const LINES: usize = 12;
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let before_dump = text.split("--- begin dump of recent events ---").next().unwrap_or_default();
    let lines: Vec<&str> = before_dump.lines().filter(|line| !line.trim().is_empty()).collect();
    let end = lines[lines.len().saturating_sub(LINES)..].join("\n");
    if end.is_empty() { format!("({} is empty)", log.display()) } else { end }
}
