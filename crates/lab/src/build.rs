//! How a lab comes about, from an empty directory to placement groups that are all active and clean.

use crate::conf::{self, Ports};
use crate::daemons::{self, MGR, MON};
use crate::errors::LabError;
use crate::lab::{LabCluster, LabDaemon};
use crate::monitor::Monitor;
use crate::preflight;
use crate::spec::Backing;
use crate::supervisor::{Supervisor, progress};
use crate::{db, loopdev, modules, net, secrets, services, ssh, subnets};
use std::fs;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

pub(crate) fn build(supervisor: &Supervisor) -> Result<LabCluster, LabError> {
    let lab = lay_out(supervisor)?;
    let ports = ports(supervisor)?;
    write_conf(supervisor, &lab, ports)?;
    lab.save(&supervisor.dirs)?;
    let _ = supervisor.lab.set(lab.clone());
    progress(format!("making a monitor and {} OSDs", lab.osds.len()));
    let uuids = lab.osds.iter().map(|_| secrets::uuid()).collect::<Result<Vec<_>, _>>()?;
    let mon_made = daemons::make_mon(supervisor, &lab)?;
    let mut osds_made = Vec::new();
    for (osd, uuid) in lab.osds.iter().zip(&uuids) {
        osds_made.push(daemons::make_osd(supervisor, &lab, osd.id, uuid)?);
    }
    finished(supervisor, &[mon_made.to_owned()])?;
    daemons::start(supervisor, &lab, MON)?;
    let monitor = Monitor::reach(supervisor, &lab, ports.msgr2)?;
    daemons::start(supervisor, &lab, MGR)?;
    monitor.enter_osds(&lab, &uuids)?;
    monitor.make_pool()?;
    services::make_pools(&supervisor.spec.with, &monitor)?;
    finished(supervisor, &osds_made)?;
    progress("starting the OSDs");
    for osd in &lab.osds {
        daemons::start(supervisor, &lab, &daemons::osd(osd.id))?;
    }
    monitor.wait_for_osds(lab.osds.len())?;
    progress("waiting until all placement groups are active and clean");
    monitor.wait_until_clean()?;
    services::start(supervisor, &lab, &monitor)?;
    let osds = lab.osds.into_iter().map(|osd| LabDaemon { up: Some(true), inside: Some(true), ..osd }).collect();
    Ok(LabCluster { osds, ..lab })
}

/// Makes the directories, files, devices and hosts; nothing runs yet.
fn lay_out(supervisor: &Supervisor) -> Result<LabCluster, LabError> {
    let (spec, dirs) = (&supervisor.spec, &supervisor.dirs);
    let subnets = if spec.hosts > 0 { Some(subnets::free(spec, dirs)?) } else { None };
    let mut lab = LabCluster::drafted(spec, dirs, secrets::uuid()?, subnets);
    if spec.backing == Backing::Memory {
        make_private(&dirs.memory)?;
        preflight::check_space(spec, &dirs.memory)?;
    }
    let data = dirs.data(spec.backing);
    make_private(&data.join("mon.a"))?;
    make_private(&data.join("mgr.x"))?;
    for osd in &mut lab.osds {
        make_private(&data.join(format!("osd.{}", osd.id)))?;
        make_device(supervisor, osd)?;
    }
    lab.services = services::drafted(supervisor, &lab)?;
    lab.services.iter().try_for_each(|service| make_private(&data.join(&service.daemon)))?;
    if spec.hosts > 0 {
        progress(format!("making {} hosts", spec.hosts));
        net::make(&lab, dirs, &supervisor.process_group)?;
        lab.ssh_config = ssh::start(&lab, dirs, &supervisor.process_group)?;
    }
    Ok(lab)
}

fn make_private(dir: &Path) -> Result<(), LabError> {
    fs::DirBuilder::new().mode(0o700).create(dir).map_err(LabError::io("cannot make the directory", dir))
}

fn make_device(supervisor: &Supervisor, osd: &mut LabDaemon) -> Result<(), LabError> {
    let backing = supervisor.spec.backing;
    if backing != Backing::Loop {
        loopdev::make_sparse(&osd.device, supervisor.spec.size)?;
        return preflight::check_direct_io(&osd.device, backing);
    }
    let (file, probe) = (osd.device.with_extension("file"), osd.probe.with_extension("file"));
    loopdev::make_sparse(&file, supervisor.spec.size)?;
    loopdev::make_sparse(&probe, osd.probe_bytes)?;
    let device = loopdev::attach(&supervisor.process_group, &file)?;
    if let (Some(bytes), Some(dir)) = (supervisor.spec.db, osd.device.parent()) {
        let device = db::make_device(dir, bytes, |command| supervisor.process_group.run(command))?;
        lead(&db::link(dir), &device)?;
        osd.db = Some(device);
    }
    lead(&osd.device, &device)?;
    osd.device = device;
    osd.probe = loopdev::attach(&supervisor.process_group, &probe)?;
    Ok(())
}

/// BlueStore follows such links.
fn lead(link: &Path, device: &Path) -> Result<(), LabError> {
    symlink(device, link).map_err(LabError::io("cannot make the link", link))
}

/// Hosts of their own have Ceph's usual ports for themselves; on the loopback address others may have them.
pub(crate) fn ports(supervisor: &Supervisor) -> Result<Ports, LabError> {
    let own = supervisor.spec.hosts > 0;
    match supervisor.spec.port {
        None if own => Ok(Ports { msgr2: 3300, msgr1: 6789, bind: (6800, 8999) }),
        given => {
            let msgr2 = given.map_or_else(preflight::free_ports, Ok)?;
            Ok(Ports { msgr2, msgr1: preflight::next_port(msgr2)?, bind: (28_000, 31_999) })
        }
    }
}

fn write_conf(supervisor: &Supervisor, lab: &LabCluster, ports: Ports) -> Result<(), LabError> {
    let (spec, dirs) = (&supervisor.spec, &supervisor.dirs);
    let write = |path: &Path, text: String| fs::write(path, text).map_err(LabError::io("cannot write", path));
    write(&dirs.keyring(), secrets::keyring(spec.osds, &spec.with)?)?;
    let modules = modules::mirror(dirs)?;
    let conf = conf::text(spec, lab, dirs, ports, modules.as_deref()) + &services::conf(supervisor, lab);
    write(&dirs.conf(), conf)
}

/// Waits until these have ended well.
fn finished(supervisor: &Supervisor, names: &[String]) -> Result<(), LabError> {
    const SECONDS: u64 = 120;
    let mut waiting: Vec<&String> = names.iter().collect();
    wait(supervisor, "the making of the stores", SECONDS, || {
        let mut left = Vec::new();
        for name in std::mem::take(&mut waiting) {
            match supervisor.process_group.ended(name) {
                None => left.push(name),
                Some(status) if status.success() => {}
                Some(status) => return Err(ended(supervisor, name, status)),
            }
        }
        waiting = left;
        Ok(if waiting.is_empty() { Ok(()) } else { Err(format!("{} still run", waiting.len())) })
    })
}

fn ended(supervisor: &Supervisor, daemon: &str, status: std::process::ExitStatus) -> LabError {
    let log = daemons::log_end(&supervisor.dirs.log(daemon));
    LabError::DaemonEnded { daemon: daemon.to_owned(), status: status.to_string(), log }
}

/// Asks again and again until the answer is there (`Ok(Ok(_))`), the time is up, or a daemon has died. `Ok(Err(text))` says what
/// was seen instead.
pub(crate) fn wait<T>(
    supervisor: &Supervisor,
    what: &'static str,
    seconds: u64,
    mut ask: impl FnMut() -> Result<Result<T, String>, LabError>,
) -> Result<T, LabError> {
    let until = Instant::now() + Duration::from_secs(seconds);
    loop {
        check_daemons(supervisor)?;
        match ask()? {
            Ok(answer) => return Ok(answer),
            Err(seen) if Instant::now() > until => return Err(LabError::TooSlow { what, seconds, seen }),
            Err(_) => thread::sleep(Duration::from_millis(30)),
        }
    }
}

/// A daemon that has died is a better reason than what its absence leads to.
pub(crate) fn check_daemons(supervisor: &Supervisor) -> Result<(), LabError> {
    let Some(lab) = supervisor.lab.get() else { return Ok(()) };
    for name in daemons::names(lab) {
        if let Some(status) = supervisor.process_group.ended(&name) {
            return Err(ended(supervisor, &name, status));
        }
    }
    Ok(())
}

/// The reason behind an error: a full disk makes daemons die of many things.
pub(crate) fn explain(supervisor: &Supervisor, error: LabError) -> LabError {
    const FULL_MB: u64 = 8;
    let place = supervisor.dirs.data(supervisor.spec.backing);
    match preflight::free_mb(place) {
        Ok(free_mb) if free_mb < FULL_MB => LabError::DiskFull { path: place.to_owned(), free_mb },
        _ => error,
    }
}
