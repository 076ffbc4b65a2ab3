//! `fathom diagnose`: a short survey, then what tells suspected causes from what only looks like them.

use super::run::{chosen_layers, sound_and_print_at, targets};
use super::{place, runs};
use crate::cli::Common;
use crate::cli::cluster::ClusterArgs;
use crate::cli::diagnose::DiagnoseArgs;
use ::run::{Resolved, Setup};
use agents::fleet::HostOptions;
use experiments::diagnose::About;
use experiments::{Experiment, Request, Targets, WorkloadOptions};
use model::{Failure, Goal, Layer, LedgerRow, Record, shell};
use std::path::PathBuf;

pub fn run(common: &Common, args: &DiagnoseArgs) -> Result<u8, Failure> {
    let earlier = args.run.as_deref().map(|run| earlier(common, run)).transpose()?;
    let about = match (&args.about, &earlier) {
        (None, Some(record)) => Some(lost_most(common, record)?),
        _ => args.about,
    };
    let targets = targets(&args.of)?;
    let pool = targets.pool.clone().or_else(|| named(&earlier.as_ref()?.head.command, "--pool").pop());
    let patterns = about.and_then(|about| about.pattern).into_iter().collect();
    let request = Request {
        layers: layers(args, about)?,
        all_layers: args.of.layers.is_empty() && args.image.is_none() && about.is_none(),
        targets: Targets { image: args.image.clone(), pool, ..targets },
        workload: WorkloadOptions { seed: args.seed, patterns, ..WorkloadOptions::default() },
        goal: Goal::quick(args.seed),
        experiment: Experiment::Diagnosis { seconds_max: args.time_max },
        quiesce: args.of.run.quiesce,
        thorough: false,
        restarts: None,
        sets_twice: false,
    };
    let setup = earlier.map(|record| same_cluster(common, args, &record, &request)).transpose()?;
    sound_and_print_at(common, &args.of.run, &request, Vec::new(), setup)
}

/// Those that are named; of an image that is named, its own.
fn layers(args: &DiagnoseArgs, about: Option<About>) -> Result<Vec<Layer>, Failure> {
    let of_images: Vec<Layer> = Layer::ALL.into_iter().filter(|layer| layer.can().images).collect();
    let chosen = about.map_or_else(|| chosen_layers(&args.of.layers), About::layers);
    match &args.image {
        Some(_) if args.of.layers.is_empty() && about.is_none() => Ok(of_images),
        Some(image) if !chosen.iter().any(|layer| of_images.contains(layer)) => {
            let names: Vec<&str> = of_images.iter().map(|layer| layer.name()).collect();
            Err(Failure::Usage(format!(
                "--image {image}: none of the layers that are named has images; add {} to --layers",
                names.join(" or ")
            )))
        }
        _ => Ok(chosen),
    }
}

fn earlier(common: &Common, run: &str) -> Result<Record, Failure> {
    let archive = runs::open(common)?;
    Ok(archive.load(&runs::find(common, &archive, run)?)?)
}

/// What the run's own figures say.
fn lost_most(common: &Common, record: &Record) -> Result<About, Failure> {
    let report = experiments::explain(record);
    let run = &record.head.run;
    let (about, row) = About::largest_loss(&report).ok_or_else(|| {
        let text = "no layer of it adds, or keeps back, more than is expected of it; say what is meant: --about rbd/write-latency, or no --run";
        Failure::Usage(format!("--run {run}: {text}"))
    })?;
    if !common.quiet {
        eprintln!("run {run}: {}; this looks into {}", lost(row), about.name());
    }
    Ok(about)
}

/// `of write-latency most is lost in rados, which adds 62 % of it`
fn lost(row: &LedgerRow) -> String {
    let (layer, pattern) = (row.layer.name(), row.pattern.name());
    let share = format!("{:.0} %", 100.0 * row.share.unwrap_or_default());
    match row.pattern.metric(row.layer).lower_is_better() {
        true => format!("of {pattern} most is lost in {layer}, which adds {share} of it"),
        false => format!("of {pattern} most is lost in {layer}, which delivers {share} of what lies below"),
    }
}

/// The values of an option of a recorded command, in their order.
fn named(command: &str, option: &str) -> Vec<String> {
    let words = shell::words(command);
    let value = |(at, word): (usize, &String)| match word.strip_prefix(option)? {
        "" => words.get(at + 1).cloned(),
        rest => rest.strip_prefix('=').map(str::to_string),
    };
    words.iter().enumerate().filter_map(value).collect()
}

/// Who loaded the cluster, and whose OSDs were looked at: a plan of its own would not tell the two apart.
fn recorded_hosts(command: &str) -> HostOptions {
    let all = |option: &str| named(command, option);
    let one = |option: &str| all(option).pop();
    let path = |option: &str| one(option).map(PathBuf::from);
    HostOptions {
        hosts: one("--hosts"),
        hosts_file: path("--hosts-file"),
        osd_hosts: one("--osd-hosts"),
        guests: one("--guests"),
        sudo: shell::words(command).iter().any(|word| word == "--sudo"),
        identity: path("--identity"),
        ssh_config: path("--ssh-config"),
        ssh_option: all("--ssh-option"),
        agent: all("--agent").into_iter().map(PathBuf::from).collect(),
    }
}

/// The cluster that the command named, where this one names none.
fn recorded_cluster(common: &Common, command: &str) -> ClusterArgs {
    let own = &common.cluster;
    if own.conf.is_some() || own.id.is_some() || own.keyring.is_some() || own.cluster.is_some() {
        return own.clone();
    }
    let first = |options: [&str; 2]| options.iter().find_map(|option| named(command, option).pop());
    ClusterArgs {
        conf: first(["--conf", "-c"]).map(PathBuf::from),
        id: first(["--id", "--id"]),
        keyring: first(["--keyring", "-k"]).map(PathBuf::from),
        cluster: first(["--cluster", "--cluster"]),
    }
}

fn same_cluster(
    common: &Common,
    args: &DiagnoseArgs,
    record: &Record,
    request: &Request,
) -> Result<Setup<'static>, Failure> {
    let (options, command) = (&args.of.run, &record.head.command);
    let there = Common { cluster: recorded_cluster(common, command), ..common.clone() };
    let setup = place::of_earlier(&there, record, options.lab.as_deref(), &options.hosts)?;
    let hosts = if options.hosts.options().named() { setup.hosts } else { recorded_hosts(command) };
    let setup = Setup { networks: options.networks.clone(), hosts, ..setup };
    let (then, now) = (runs::open(common)?.place(&record.head.run)?, Resolved::place(&setup, request)?);
    if then != now {
        return Err(Failure::Usage(format!(
            "--run {}: it was {}, and this would be {}; name that one (--lab, --conf), or leave --run out",
            record.head.run,
            runs::at(&then),
            runs::at(&now)
        )));
    }
    Ok(setup)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_command_tells_who_loads_and_who_is_spared() {
        let command =
            "fathom run --osd-hosts 'ceph[1-9]' --hosts=c1,c2 --ssh-option A=1 --ssh-option=B=2 --sudo --pool vms";
        let hosts = recorded_hosts(command);
        assert_eq!((hosts.hosts.as_deref(), hosts.osd_hosts.as_deref()), (Some("c1,c2"), Some("ceph[1-9]")));
        assert_eq!(
            (hosts.ssh_option, hosts.sudo, hosts.hosts_file),
            (vec!["A=1".to_string(), "B=2".into()], true, None)
        );
        assert_eq!((named(command, "--pool"), named(command, "--host")), (vec!["vms".to_string()], Vec::new()));
    }
}
