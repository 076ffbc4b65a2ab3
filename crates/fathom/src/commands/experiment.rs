//! What a run is to find out, by its arguments, and when its figures are good enough for that.

use crate::cli::Common;
use crate::cli::experiment::ExperimentArgs;
use crate::cli::thresholds;
use crate::cli::workload::{Clients, WorkloadArgs};
use crate::failure::Failure;
use archive::Archive;
use experiments::Experiment;
use model::{Goal, Label, Layer, Threshold};

/// By which experiment, and when a figure is good enough for it.
pub fn experiment(
    common: &Common,
    args: &ExperimentArgs,
    workload: &WorkloadArgs,
    layers: &[Layer],
) -> Result<(Experiment, Goal), Failure> {
    if let Some(bound) = args.bound() {
        return Ok((Experiment::HighestRate, args.confirming(workload.seed, bound)));
    }
    if let Some(setting) = &args.ab {
        return Ok((Experiment::PairedComparison(setting.clone()), args.beside(workload.seed)));
    }
    if args.verdict.is_some() || args.expect.is_some() {
        let goal = verdict(common, args, workload, layers)?;
        return Ok((Experiment::Verdict { complete: args.verdict.is_some() }, goal));
    }
    let experiment = match workload.scales_out() {
        true => Experiment::ScaleOut { clients_most: Clients::MOST },
        false => Experiment::Survey,
    };
    Ok((experiment, args.goal(workload.seed)))
}

/// Clients are doubled for one thing at a time.
pub fn refuse_senseless_scaling(
    args: &ExperimentArgs,
    workload: &WorkloadArgs,
    layers: &[Layer],
    image: bool,
) -> Result<(), Failure> {
    if !workload.scales_out() {
        return Ok(());
    }
    if !matches!(layers, [Layer::Rados | Layer::Rbd]) {
        return Err(Failure::Usage("--clients auto: fills a pool; take `fathom rados` or `fathom rbd`".to_string()));
    }
    let other = [
        ("--ab", args.ab.is_some()),
        ("--rate or --rate-max-where", args.open_loop()),
        ("--verify", args.verify),
        ("--verdict or --expect", args.verdict.is_some() || args.expect.is_some()),
        ("--image", image),
    ];
    match other.into_iter().find(|(_, given)| *given) {
        Some((name, _)) => Err(Failure::Usage(format!("--clients auto: not together with {name}"))),
        None => Ok(()),
    }
}

/// Thresholds of other layers and patterns than those of this run are left out.
fn verdict(common: &Common, args: &ExperimentArgs, workload: &WorkloadArgs, layers: &[Layer]) -> Result<Goal, Failure> {
    let (all, whence) = match (&args.verdict, &args.expect) {
        (Some(path), _) => (thresholds::read(path)?, path.display().to_string()),
        (None, words) => {
            let words = words.as_deref().unwrap_or_default();
            (expected(common, words)?, words.join(" "))
        }
    };
    let wanted = |threshold: &Threshold| {
        let patterns = &workload.patterns;
        layers.contains(&threshold.layer) && (patterns.is_empty() || patterns.contains(&threshold.pattern))
    };
    let kept: Vec<Threshold> = all.into_iter().filter(wanted).collect();
    if kept.is_empty() {
        let text = format!(
            "{whence}: has no threshold for the layers and patterns of this run{}",
            if args.expect.is_some() {
                "; only figures of the depth chart become thresholds, which an A/B run, a sweep and an open loop have none of"
            } else {
                ""
            }
        );
        return Err(Failure::Usage(text));
    }
    let goal = Goal::verdict(workload.seed, kept);
    let passes_max = args.passes.unwrap_or(goal.passes_max);
    Ok(Goal { passes_max, seconds_max: args.time_max, ..goal })
}

/// What an earlier run had, and how much of it must be there again.
fn expected(common: &Common, words: &[String]) -> Result<Vec<Threshold>, Failure> {
    let [run, change] = words else {
        return Err(Failure::Usage("--expect: takes a run and a change, as in --expect last -10%".to_string()));
    };
    let change = thresholds::change(change).map_err(Failure::Usage)?;
    let path = common.archive.clone().unwrap_or_else(archive::default_path);
    let record = Archive::open_existing(&path)?.load(run)?;
    let report = judge::explain(&record);
    let cut = |figure: &&model::Figure| record.plan.cut.contains(&figure.step);
    if !common.quiet && report.figures.iter().any(|figure| figure.chart && cut(&figure)) {
        eprintln!(
            "fathom: run {} cut working sets that took long to fill; what it measured on them is no measure for this run",
            record.head.run
        );
    }
    let usable = report.figures.iter().filter(|figure| {
        figure.chart
            && !cut(figure)
            && !matches!(figure.label, Label::Void(_) | Label::Implausible(_) | Label::Unwritten(_))
    });
    let threshold = |figure: &model::Figure| {
        let value = figure.estimate?.value;
        let factor = 1.0 + change;
        let value = if figure.metric.lower_is_better() { value / factor } else { value * factor };
        Some(Threshold {
            kind: Some(figure.kind),
            workload: Some(figure.workload.clone()),
            ..Threshold::of(figure.layer, figure.pattern, Some(&figure.target), value)
        })
    };
    Ok(usable.filter_map(threshold).collect())
}
