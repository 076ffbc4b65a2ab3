//! `fathom prove`: what a change would bring, in turns with how it is now, and then put back.

use super::run::{sound_and_print, targets};
use crate::cli::Common;
use crate::cli::prove::{DRIVE_CACHE, ProveArgs};
use experiments::{Experiment, PairedSetting, Request, Targets, Varied, WorkloadOptions};
use model::{Failure, Goal, Layer, Pattern};

/// Where a change of OSDs shows, with one in flight and with many.
const PATTERNS: [Pattern; 4] =
    [Pattern::WriteLatency, Pattern::ReadLatency, Pattern::WriteParallel, Pattern::ReadParallel];

pub fn run(common: &Common, args: &ProveArgs) -> Result<u8, Failure> {
    let (change, targets) = of_drive(args.change.clone(), targets(&args.of)?, &args.of.layers)?;
    let patterns = if args.patterns.is_empty() { PATTERNS.to_vec() } else { args.patterns.clone() };
    let request = Request {
        layers: layers(&args.of.layers),
        all_layers: args.of.layers.is_empty(),
        targets,
        workload: WorkloadOptions {
            patterns,
            working_set: args.working_set,
            seed: args.seed,
            ..WorkloadOptions::default()
        },
        goal: goal(args),
        experiment: Experiment::PairedComparison(change),
        quiesce: args.of.run.quiesce,
        thorough: false,
        restarts: Some(args.restart.clone()),
        sets_twice: false,
    };
    sound_and_print(common, &args.of.run, &request)
}

/// `drive-cache=off --device /dev/sdb` is the setting of this host, and the device is loaded itself only if its layer is asked for.
fn of_drive(change: PairedSetting, targets: Targets, layers: &[Layer]) -> Result<(PairedSetting, Targets), Failure> {
    let Varied::ClusterOption { option, value } = &change.varied else { return Ok((change, targets)) };
    if option != DRIVE_CACHE {
        return Ok((change, targets));
    }
    let [device] = targets.paths.as_slice() else {
        return Err(Failure::Usage("drive-cache: name the drive, one: --device /dev/sdb".to_string()));
    };
    let leads_to = device.canonicalize().map_err(|error| Failure::Usage(format!("{}: {error}", device.display())))?;
    let disk = leads_to.strip_prefix("/dev").ok().and_then(|disk| disk.to_str()).map(|disk| disk.replace('/', "!"));
    let disk = disk.ok_or_else(|| Failure::Usage(format!("{}: is no drive; name one below /dev", device.display())))?;
    let option = format!("host:localhost/{DRIVE_CACHE}.{disk}");
    let varied = Varied::ClusterOption { option, value: value.clone() };
    let loads_it = layers.iter().any(|layer| layer.of_disks());
    let paths = if loads_it { targets.paths.clone() } else { Vec::new() };
    Ok((PairedSetting { varied, ..change }, Targets { paths, ..targets }))
}

fn goal(args: &ProveArgs) -> Goal {
    let usual = Goal::beside(args.seed);
    Goal {
        settle: args.settle,
        passes_min: usual.passes_min.min(args.passes),
        passes_max: args.passes,
        read_slice_seconds: args.duration.unwrap_or(usual.read_slice_seconds),
        write_slice_seconds: args.duration.unwrap_or(usual.write_slice_seconds),
        fixed: args.duration.is_some(),
        window_ms: if args.duration.is_some_and(|seconds| seconds < 6.4) { 50 } else { usual.window_ms },
        ..usual
    }
}

/// Those that were named, else the lowest that is a pool's.
fn layers(named: &[Layer]) -> Vec<Layer> {
    if named.is_empty() {
        Layer::ALL.into_iter().find(|layer| layer.of_pools()).into_iter().collect()
    } else {
        named.to_vec()
    }
}
