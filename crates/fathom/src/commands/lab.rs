//! `fathom lab`: a throwaway Ceph cluster on this machine.

use super::lab_fault;
use crate::cli::lab::{ActArg, BackingArg, LabArgs, LabCommand, ServiceArg, UpArgs};
use crate::cli::{Common, Format};
use crate::output::say;
use lab::{Act, Backing, LabCluster, LabDaemon, LabError, LabService, Room, Service, Spec, State};
use model::Failure;
use report::numbers;
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::IsTerminal;
use std::time::Instant;

pub fn run(common: &Common, args: &LabArgs) -> Result<u8, Failure> {
    match &args.command {
        LabCommand::Up(args) => up(common, args)?,
        LabCommand::Guest(args) => up(common, &with_guest(args))?,
        LabCommand::Down(args) => down(common, &args.name)?,
        LabCommand::Status(args) => status(common.format, &args.name)?,
        LabCommand::List => list(common.format)?,
        LabCommand::Fault(args) => lab_fault::run(common.format, args)?,
        LabCommand::Daemon(args) => lab::daemon(&args.name.name, &args.daemon, args.act.into())?,
        LabCommand::Worker { lab, job } => return Ok(lab::faults::worker(lab, job)),
        LabCommand::Supervisor { spec } => return Ok(lab::supervisor(spec)),
    }
    Ok(0)
}

impl From<ActArg> for Act {
    fn from(act: ActArg) -> Act {
        match act {
            ActArg::Kill => Act::Kill,
            ActArg::Stop => Act::Stop,
            ActArg::Cont => Act::Cont,
            ActArg::Start => Act::Start,
            ActArg::Restart => Act::Restart,
        }
    }
}

impl From<ServiceArg> for Service {
    fn from(service: ServiceArg) -> Service {
        match service {
            ServiceArg::Cephfs => Service::Cephfs,
            ServiceArg::Rgw => Service::Rgw,
            ServiceArg::Nfs => Service::Nfs,
            ServiceArg::Guest => Service::Guest,
        }
    }
}

/// What is named stays as it is.
fn with_guest(args: &UpArgs) -> UpArgs {
    const HOSTS: u32 = 3;
    let with = [ServiceArg::Cephfs, ServiceArg::Nfs, ServiceArg::Guest].into_iter().chain(args.with.iter().copied());
    UpArgs { hosts: if args.hosts == 0 { HOSTS } else { args.hosts }, with: with.collect(), ..args.clone() }
}

fn up(common: &Common, args: &UpArgs) -> Result<(), Failure> {
    let backing = match args.backing {
        BackingArg::File => Backing::File,
        BackingArg::Loop => Backing::Loop,
        BackingArg::Memory => Backing::Memory,
    };
    let room = Room::of(&args.name.name, backing, args.db)?;
    let spec = Spec {
        name: args.name.name.clone(),
        backing,
        osds: args.osds,
        size: args.size.unwrap_or_else(|| room.each(args.osds)),
        db: args.db,
        hosts: args.hosts,
        cluster_network: args.cluster_network,
        with: args.with.iter().map(|service| Service::from(*service)).collect::<BTreeSet<_>>().into_iter().collect(),
        port: args.port,
        ..Spec::default()
    };
    spec.check()?;
    let begun = Instant::now();
    let mut progress = |line: &str| {
        if !common.quiet {
            eprintln!("{:5.1} s  {line}", begun.elapsed().as_secs_f64());
        }
    };
    let smaller = room.smaller(spec.osds).filter(|_| args.size.is_none());
    for text in smaller.into_iter().chain(crowded(&spec, &room)) {
        eprintln!("warning: {text}");
    }
    let lab = lab::up(&spec, &mut progress)?;
    progress("ready");
    show(common.format, &lab)
}

/// Warns if the OSDs could grow beyond the room that there is: that is fine for a user who writes little, and others should know before.
fn crowded(spec: &Spec, room: &Room) -> Option<String> {
    let all = spec.size.saturating_mul(u64::from(spec.osds));
    (all > room.stores(spec.osds)).then(|| {
        format!(
            "the files of {} may grow to {} in all, and {} can hold {}; a lower --size, or fewer --osds, keep them from filling it",
            numbers::counted(u64::from(spec.osds), "OSD", "OSDs"),
            numbers::bytes(all),
            room.place.display(),
            numbers::bytes(room.stores(spec.osds))
        )
    })
}

fn down(common: &Common, name: &str) -> Result<(), Failure> {
    lab::down(name)?;
    match common.format {
        Format::Json => say(&format!("{:#}\n", json!({"schema": "fathom.lab/1", "name": name, "state": "gone"})))?,
        _ if !common.quiet && std::io::stderr().is_terminal() => eprintln!("lab {name} is gone"),
        _ => {}
    }
    Ok(())
}

fn status(format: Format, name: &str) -> Result<(), Failure> {
    let lab = lab::status(name)?.ok_or_else(|| LabError::NoSuchLab { name: name.to_owned() })?;
    show(format, &lab)
}

fn list(format: Format) -> Result<(), Failure> {
    let labs = lab::list()?;
    let line = |lab: &LabCluster| {
        let apart = if lab.osds.iter().any(|osd| osd.db.is_some()) { "DB apart  " } else { "" };
        format!("{:<16} {:<9} {:>3} OSDs  {apart}{}\n", lab.name, lab.state, lab.osds.len(), lab.conf.display())
    };
    match format {
        Format::Json => say(&format!("{:#}\n", json!({"schema": "fathom.labs/1", "labs": labs}))),
        _ if labs.is_empty() => say("no labs; `fathom lab up` makes one\n"),
        _ => say(&labs.iter().map(line).collect::<String>()),
    }
}

fn show(format: Format, lab: &LabCluster) -> Result<(), Failure> {
    match format {
        Format::Json => {
            let mut document = json!({"schema": "fathom.lab/1"});
            if let (Some(all), Ok(serde_json::Value::Object(fields))) =
                (document.as_object_mut(), serde_json::to_value(lab))
            {
                all.extend(fields);
            }
            say(&format!("{document:#}\n"))
        }
        _ => say(&text(lab)),
    }
}

fn text(lab: &LabCluster) -> String {
    let mut text = format!("lab      {}\nstate    {}\nbacking  {}\n", lab.name, lab.state, lab.backing);
    let _ = writeln!(text, "conf     {}", lab.conf.display());
    for host in &lab.hosts {
        let namespace = host.namespace.as_ref().map(|name| format!("namespace {name}")).unwrap_or_default();
        let cluster = host.cluster_address.as_ref().map(|address| format!("{address:<15} ")).unwrap_or_default();
        let _ = writeln!(text, "host     {:<12} {:<15} {cluster}{namespace}", host.name, host.address);
    }
    for osd in &lab.osds {
        let db = osd.db.as_ref().map(|device| format!("  DB {}", device.display())).unwrap_or_default();
        let device = osd.device.display();
        let _ = writeln!(text, "osd.{:<4} {:<12} {:<15} {device}{db}", osd.id, osd.host, standing(osd));
    }
    for service in &lab.services {
        let runs = lab.daemons.iter().any(|daemon| daemon.name == service.daemon);
        let down = if runs || lab.state != State::Ready { "" } else { "down; " };
        let _ = writeln!(text, "{:<8} {down}{}", service.daemon, offers(service));
    }
    for fault in &lab.faults {
        let _ = writeln!(text, "fault    {}", lab_fault::line(fault));
    }
    let _ = writeln!(text, "try      fathom run --lab {}", lab.name);
    let _ = writeln!(text, "         ceph --conf {} status", lab.conf.display());
    let guest = lab.services.iter().find(|own| own.service == Service::Guest);
    if let (Some(config), Some(guest)) = (&lab.ssh_config, guest) {
        let there = format!("--hosts {} --ssh-config {}", lab::GUEST, config.display());
        let _ = writeln!(text, "         fathom hosts {there}");
        let _ = writeln!(text, "         fathom guest --lab {}", lab.name);
        let mounts =
            guest.paths.iter().filter(|path| path.starts_with("/mnt")).map(|path| format!("{} ", path.display()));
        let mounts: String = mounts.collect();
        if !mounts.is_empty() {
            let _ = writeln!(text, "         fathom file {mounts}{there}");
        }
    }
    text
}

/// `rgw at http://10.1.2.1:8080, keys in FILE`.
fn offers(service: &LabService) -> String {
    let url = service.url.iter().map(|url| format!(" at {url}"));
    let keys = service.credentials.iter().map(|file| format!(", keys in {}", file.display()));
    let paths = service.paths.iter().map(|path| format!(" {}", path.display()));
    let paths = (!service.paths.is_empty()).then(|| format!(", with{}", paths.collect::<String>()));
    std::iter::once(service.service.to_string()).chain(url).chain(keys).chain(paths).collect()
}

fn standing(osd: &LabDaemon) -> String {
    let word =
        |known: Option<bool>, yes: &'static str, no: &'static str| known.map(|known| if known { yes } else { no });
    match (word(osd.up, "up", "down"), word(osd.inside, "in", "out")) {
        (Some(up), Some(inside)) => format!("{up}, {inside}"),
        _ => "-".to_owned(),
    }
}
