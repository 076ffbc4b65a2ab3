//! `fathom hosts`: who can be reached, what each is made of, how far its clock is off, and what is missing.

use crate::cli::hosts::{HostsCommand, Then};
use crate::cli::{Common, Format};
use crate::exit_codes::INCOMPLETE;
use crate::output::{say, say_plain};
use agents::fleet::{self, Wanted};
use cluster::Cluster;
use model::{Failure, HostSeen, HostSilent};
use serde_json::json;

pub fn run(common: &Common, args: &HostsCommand) -> Result<u8, Failure> {
    let cluster = || {
        let mut access = common.cluster.access();
        if let Some(name) = &args.lab {
            access.conf.get_or_insert(fleet::running_lab(name)?.conf);
        }
        Ok(Cluster::connect(&access)?)
    };
    let wanted = fleet::wanted(&args.hosts.options(), args.lab.as_deref(), &cluster)?;
    wanted.left_out.iter().for_each(|text| eprintln!("warning: {text}"));
    match args.then {
        Some(Then::Clean) => clean(common, &wanted),
        None => show(common, &wanted),
    }
}

fn show(common: &Common, wanted: &Wanted) -> Result<u8, Failure> {
    let tell = |text: &str| {
        if !common.quiet {
            eprintln!("{text}");
        }
    };
    let (fleet, silent) = fleet::connect_all(&wanted.hosts, &wanted.programs, &tell);
    let seen: Vec<&HostSeen> = fleet.here().collect();
    let document = || report::hosts::document(&seen, &silent);
    super::show(common, &report::hosts::blocks(&seen, &silent), document)?;
    Ok(if silent.is_empty() { 0 } else { INCOMPLETE })
}

/// What was sent is removed; an agent that runs for somebody else goes on, and is sent again when it is next needed.
fn clean(common: &Common, wanted: &Wanted) -> Result<u8, Failure> {
    let cleaned = fleet::clean(&wanted.hosts);
    let mut silent = Vec::new();
    let mut removed = Vec::new();
    for (name, outcome) in cleaned {
        match outcome {
            Ok(folders) => removed.push((name, folders)),
            Err(error) => silent.push(HostSilent { name, why: error.what }),
        }
    }
    if common.format == Format::Json {
        let hosts: Vec<_> = removed.iter().map(|(name, folders)| json!({"name": name, "removed": folders})).collect();
        let document = json!({"schema": "fathom.hosts-clean/1", "hosts": hosts, "silent": silent});
        say(&format!("{document:#}\n"))?;
    } else {
        for (name, folders) in &removed {
            let what =
                if folders.is_empty() { "nothing to remove".into() } else { format!("removed {}", folders.join(", ")) };
            say_plain(&format!("{name}: {what}\n"))?;
        }
        for one in &silent {
            eprintln!("fathom: {}: {}", one.name, one.why);
        }
    }
    Ok(if silent.is_empty() { 0 } else { INCOMPLETE })
}
