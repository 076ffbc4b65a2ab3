//! `fathom restore`: undo what a crashed run left, from any host that reaches the cluster.

use crate::cli::{Common, Format, RestoreArgs};
use crate::dirs;
use crate::failure::Failure;
use crate::output::say;
use cluster::journal::pending::{self, Pending};
use cluster::journal::{Head, Journal};
use cluster::{Cluster, ClusterError};
use serde_json::json;
use std::io::{BufRead, IsTerminal};

pub fn restore(common: &Common, args: &RestoreArgs) -> Result<u8, Failure> {
    let folder = dirs::journals();
    let (mut left, errors) = pending::on_this_host(&folder);
    for error in &errors {
        eprintln!("fathom: {error}");
    }
    let cluster = named_cluster(common, args)?;
    if let Some(cluster) = &cluster {
        left.extend(pending::in_cluster(cluster, &folder)?);
    }
    if let Some(run) = &args.run {
        left.retain(|pending| pending.head.run.starts_with(run.as_str()));
        if left.is_empty() {
            return Err(Failure::Usage(format!("no journal of a dead run {run}; `fathom restore` lists what is left")));
        }
    }
    if left.is_empty() {
        return told(common, &[], errors);
    }
    let runs: Vec<String> = left.iter().map(|pending| pending.head.run.clone()).collect();
    if args.yes {
        undo(common, cluster.as_ref(), left)?;
    } else {
        list(&left);
        if !std::io::stdin().is_terminal() {
            return Err(Failure::Refused("nothing was undone: this is no terminal to ask on; say --yes".to_string()));
        }
        ask_and_undo(common, cluster.as_ref(), left)?;
    }
    told(common, &runs, errors)
}

fn told(common: &Common, runs: &[String], errors: Vec<ClusterError>) -> Result<u8, Failure> {
    match common.format {
        Format::Json => say(&format!("{:#}\n", json!({"schema": "fathom.restore/1", "restored": runs})))?,
        _ if runs.is_empty() => say("nothing to undo\n")?,
        _ => say(&format!("undone: {}\n", runs.join(", ")))?,
    }
    match errors.is_empty() {
        true => Ok(0),
        false => Err(Failure::Told(errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))),
    }
}

/// The cluster that the command line names; without one, that of the default configuration, if there is any.
fn named_cluster(common: &Common, args: &RestoreArgs) -> Result<Option<Cluster>, Failure> {
    let mut access = common.cluster.access();
    if let Some(name) = &args.lab {
        let lab = lab::status(name)?;
        let lab = lab.ok_or_else(|| Failure::Usage(format!("there is no lab {name}; see fathom lab list")))?;
        access.conf = Some(lab.conf);
    }
    let named = access.conf.is_some() || access.cluster.is_some();
    match (named, access.conf_file()) {
        (true, _) | (false, Ok(_)) => Ok(Some(Cluster::connect(&access)?)),
        (false, Err(_)) => Ok(None),
    }
}

fn list(left: &[Pending]) {
    for pending in left {
        let head = &pending.head;
        eprintln!("run {} of {} on host {} (process {}) left:", head.run, head.started, head.host, head.pid);
        for undo in &pending.left {
            eprintln!("  {}", undo.change.what());
        }
        if pending.path.is_none() {
            eprintln!(
                "  (known from the cluster alone: make sure that this run is not going on on host {})",
                head.host
            );
        }
    }
}

pub fn ask_and_undo(common: &Common, cluster: Option<&Cluster>, left: Vec<Pending>) -> Result<(), Failure> {
    list(&left);
    eprintln!("undo this now? [y/N]");
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => undo(common, cluster, left),
        _ => {
            eprintln!("nothing was undone");
            Ok(())
        }
    }
}

pub fn undo(common: &Common, named: Option<&Cluster>, left: Vec<Pending>) -> Result<(), Failure> {
    let mut errors = Vec::new();
    for pending in left {
        let done = undo_one(common, named, &pending);
        errors.extend(done.err().map(|error| format!("run {}: {error}", pending.head.run)));
    }
    match errors.is_empty() {
        true => Ok(()),
        false => Err(Failure::Failed(errors.join("\n"))),
    }
}

fn undo_one(common: &Common, named: Option<&Cluster>, pending: &Pending) -> Result<(), Failure> {
    let cluster = match &pending.head.fsid {
        None => None,
        Some(fsid) => Some(cluster_of(named, fsid, &pending.head)?),
    };
    let book = pending.book(&dirs::journals())?;
    let (undone, errors) = Journal::resume(book, cluster).roll_back();
    for undo in undone.iter().filter(|_| !common.quiet) {
        eprintln!("undone: {}", undo.change.what());
    }
    match errors.first() {
        None => Ok(()),
        Some(_) => Err(Failure::Failed(errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))),
    }
}

/// The cluster that the run worked on, and no other: the one named, or the one that the journal names.
fn cluster_of(named: Option<&Cluster>, fsid: &str, head: &Head) -> Result<Cluster, Failure> {
    if let Some(cluster) = named.filter(|cluster| cluster.rados.fsid().is_ok_and(|own| own == fsid)) {
        return Ok(cluster.clone());
    }
    let access = ceph::Access {
        conf: head.conf.clone(),
        cluster: head.cluster.clone(),
        id: head.id.clone(),
        keyring: head.keyring.clone(),
        ..ceph::Access::default()
    };
    let cluster = Cluster::connect(&access).map_err(|error| {
        Failure::Failed(format!(
            "its cluster {fsid} is not reached: {error}; name it with --conf; if it is gone for good, delete its journal in {}",
            dirs::journals().display()
        ))
    })?;
    match cluster.rados.fsid()? == fsid {
        true => Ok(cluster),
        false => {
            let conf = head.conf.as_ref().map_or("its configuration".to_string(), |conf| conf.display().to_string());
            Err(Failure::Failed(format!("its cluster {fsid} is not the one that {conf} leads to")))
        }
    }
}
