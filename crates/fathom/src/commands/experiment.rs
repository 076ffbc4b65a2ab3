//! What a run is to find out, by its arguments, and when its figures are good enough for that.

use super::runs;
use crate::cli::Common;
use crate::cli::experiment::{ExperimentArgs, RateArgs};
use crate::cli::thresholds;
use crate::cli::workload::{Clients, WorkloadArgs};
use ::run::{Resolved, Setup};
use experiments::{Experiment, Request};
use model::{Failure, Goal, Label, Layer, Pattern, Record, Threshold};
use report::numbers;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// By which experiment, and when a figure is good enough for it.
pub fn experiment(
    common: &Common,
    args: &ExperimentArgs,
    rates: &RateArgs,
    workload: &WorkloadArgs,
    layers: &[Layer],
) -> Result<(Experiment, Goal), Failure> {
    refuse_idle_words(args)?;
    refuse_option_twice(workload)?;
    if let Some(bound) = rates.bound() {
        return Ok((Experiment::HighestRate(bound), args.confirming(workload.common.seed)));
    }
    if let Some(setting) = &args.ab {
        return Ok((Experiment::PairedComparison(setting.clone()), args.beside(workload.common.seed)));
    }
    if args.verdict.is_some() || args.expect.is_some() {
        let as_last = as_last(common, args.expect.as_deref())?;
        let thresholds = match as_last {
            Some(_) => Vec::new(),
            None => verdict(common, args, workload, layers)?,
        };
        let goal = Goal::verdict(workload.common.seed);
        let passes_max = args.passes.unwrap_or(goal.passes_max);
        let goal = Goal { passes_max, seconds_max: args.time_max, ..goal };
        return Ok((Experiment::Verdict { thresholds, complete: args.verdict.is_some(), as_last }, goal));
    }
    let experiment = match workload.scales_out() {
        true => Experiment::ScaleOut { clients_most: Clients::MOST },
        false => Experiment::Survey,
    };
    Ok((experiment, args.goal(workload.common.seed)))
}

/// What would be heard and change nothing.
fn refuse_idle_words(args: &ExperimentArgs) -> Result<(), Failure> {
    if args.duration.is_some() && args.settle.is_some() && args.ab.is_none() {
        let text =
            "--settle: slices of a given length (--duration) are measured settled or not; leave one of the two out";
        return Err(Failure::Usage(text.to_string()));
    }
    let least = args.over_least();
    match args.over.filter(|over| *over < least) {
        Some(over) => Err(Failure::Usage(format!(
            "--over {}: the slices of a figure lie over {} by themselves; spread them over more, or leave --over out",
            numbers::seconds(over),
            numbers::seconds(least)
        ))),
        None => Ok(()),
    }
}

/// One of both would not be measured.
fn refuse_option_twice(workload: &WorkloadArgs) -> Result<(), Failure> {
    let (all, mut seen) = (&workload.option, BTreeSet::new());
    match all.iter().find(|(name, _)| !seen.insert(name)) {
        Some((name, value)) => {
            Err(Failure::Usage(format!("--option {name}={value}: {name} is given twice; leave one of them out")))
        }
        None => Ok(()),
    }
}

/// Clients are doubled for one thing at a time.
pub fn refuse_senseless_scaling(
    args: &ExperimentArgs,
    rates: &RateArgs,
    workload: &WorkloadArgs,
    layers: &[Layer],
    image: bool,
) -> Result<(), Failure> {
    if !workload.scales_out() {
        return Ok(());
    }
    if !matches!(layers, [layer] if layer.of_pools()) {
        return Err(Failure::Usage("--clients auto: fills a pool; take `fathom rados` or `fathom rbd`".to_string()));
    }
    let other = [
        ("--ab", args.ab.is_some()),
        ("--rate or --rate-max-where", rates.open_loop()),
        ("--verify", rates.verify),
        ("--verdict or --expect", args.verdict.is_some() || args.expect.is_some()),
        ("--image", image),
    ];
    match other.into_iter().find(|(_, given)| *given) {
        Some((name, _)) => Err(Failure::Usage(format!("--clients auto: not together with {name}"))),
        None => Ok(()),
    }
}

/// Is layer and pattern one that is measured?
type Asked<'a> = &'a dyn Fn(Layer, Pattern) -> bool;

/// The change of `--expect last`, whose thresholds are those of the cluster that is not reached yet. `None`: another run is named.
fn as_last(common: &Common, words: Option<&[String]>) -> Result<Option<f64>, Failure> {
    let Some([run, change]) = words else { return Ok(None) };
    if run != "last" {
        return Ok(None);
    }
    let change = thresholds::change(change).map_err(Failure::Usage)?;
    // An archive without any run is told before a lab is started, or a cluster asked.
    runs::open(common)?.find(run)?;
    Ok(Some(change))
}

/// The same request with what the last run at its place had, if that is what is expected.
///
/// # Errors
/// The cluster can't be reached, or no run on it has anything to hold this one against.
pub fn with_last_run<'a>(common: &Common, setup: &Setup, request: &'a Request) -> Result<Cow<'a, Request>, Failure> {
    let Experiment::Verdict { complete, as_last: Some(change), .. } = request.experiment else {
        return Ok(Cow::Borrowed(request));
    };
    let archive = runs::open(common)?;
    let place = Resolved::place(setup, request)?;
    let run = runs::last_at(common, &archive, &place)?.ok_or_else(|| {
        Failure::Usage(format!(
            "--expect last: there is no earlier run {}; name a run of another one (`fathom runs` lists all)",
            runs::at(&place)
        ))
    })?;
    let patterns = &request.workload.patterns;
    let asked = |layer: Layer, pattern: Pattern| {
        request.layers.contains(&layer) && (patterns.is_empty() || patterns.contains(&pattern))
    };
    let thresholds = kept(expected(common, &archive.load(&run)?, change, &asked)?, &asked, "--expect last", true)?;
    Ok(Cow::Owned(Request {
        experiment: Experiment::Verdict { thresholds, complete, as_last: None },
        ..request.clone()
    }))
}

fn verdict(
    common: &Common,
    args: &ExperimentArgs,
    workload: &WorkloadArgs,
    layers: &[Layer],
) -> Result<Vec<Threshold>, Failure> {
    let asked = |layer: Layer, pattern: Pattern| {
        layers.contains(&layer) && (workload.common.patterns.is_empty() || workload.common.patterns.contains(&pattern))
    };
    match (&args.verdict, args.expect.as_deref()) {
        (Some(path), _) => kept(thresholds::read(path)?, &asked, &path.display().to_string(), false),
        (None, Some([run, change])) => {
            let change = thresholds::change(change).map_err(Failure::Usage)?;
            let archive = runs::open(common)?;
            let record = archive.load(&runs::find(common, &archive, run)?)?;
            kept(expected(common, &record, change, &asked)?, &asked, &format!("--expect {run}"), true)
        }
        _ => Err(Failure::Usage("--expect: takes a run and a change, as in --expect last -10%".to_string())),
    }
}

/// Thresholds of other layers and patterns than those of this run are left out.
fn kept(all: Vec<Threshold>, asked: Asked, whence: &str, of_run: bool) -> Result<Vec<Threshold>, Failure> {
    let kept: Vec<Threshold> = all.into_iter().filter(|one| asked(one.layer, one.pattern)).collect();
    if kept.is_empty() {
        let text = format!(
            "{whence}: has no threshold for the layers and patterns of this run{}",
            if of_run {
                "; only figures of the depth chart become thresholds, which an A/B run, a sweep and an open loop have none of"
            } else {
                "; leave --layers or --patterns out, or write one for them: [rbd] write-latency = \"<= 3 ms\""
            }
        );
        return Err(Failure::Usage(text));
    }
    Ok(kept)
}

/// What an earlier run had, and how much of it must be there again.
fn expected(common: &Common, record: &Record, change: f64, asked: Asked) -> Result<Vec<Threshold>, Failure> {
    let report = experiments::explain(record);
    let cut = |figure: &&model::Figure| record.plan.cut.contains(&figure.step);
    if !common.quiet && report.figures.iter().any(|figure| figure.chart && cut(&figure)) {
        eprintln!(
            "fathom: run {} cut working sets that took long to fill; what it measured on them is no measure for this run",
            record.head.run
        );
    }
    let wished = |figure: &&model::Figure| figure.chart && !cut(figure) && asked(figure.layer, figure.pattern);
    let charted: Vec<&model::Figure> = report.figures.iter().filter(wished).collect();
    let kept: Vec<Threshold> = charted.iter().filter_map(|figure| threshold(figure, change)).collect();
    let lost = lost(&charted);
    if kept.is_empty() && !lost.is_empty() {
        let text = format!("run {} has no figure to hold another run against; {}", record.head.run, lost.join("; "));
        return Err(Failure::Usage(text));
    }
    if !common.quiet {
        lost.iter().for_each(|text| eprintln!("fathom: run {}: {text}", record.head.run));
    }
    Ok(kept)
}

/// `None`: the figure says nothing that could be kept.
fn threshold(figure: &model::Figure, change: f64) -> Option<Threshold> {
    let value = usable(figure).ok()?.value;
    let factor = 1.0 + change;
    let value = if figure.metric.lower_is_better() { value / factor } else { value * factor };
    Some(Threshold {
        kind: Some(figure.kind),
        workload: Some(figure.workload.clone()),
        ..Threshold::of(figure.layer, figure.pattern, Some(&figure.target), value)
    })
}

/// Figures that become no thresholds, and what to do about it.
fn lost(figures: &[&model::Figure]) -> Vec<String> {
    let why = |figure: &&model::Figure| {
        let mixed = figure.workload.mix.is_mixed();
        let of = if mixed { format!("{}s of ", figure.kind.name()) } else { String::new() };
        let name = format!("{} {} of {of}{}", figure.layer.name(), figure.pattern.name(), figure.target);
        usable(figure).err().map(|why| format!("{name} {why}; measure it again"))
    };
    figures.iter().filter_map(why).collect()
}

/// The value, or why there is none that another run could be held against.
fn usable(figure: &model::Figure) -> Result<model::Estimate, String> {
    match (&figure.label, figure.estimate) {
        (Label::Void(_) | Label::Implausible(_) | Label::Unwritten(_), _) | (_, None) => {
            Err(format!("is {}", figure.label.name()))
        }
        // Anything would be on its good side.
        (_, Some(estimate)) if !estimate.is_known() => {
            Err("has an interval there as wide as its value, which tells nothing".to_string())
        }
        (_, Some(estimate)) => Ok(estimate),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::testing;
    use model::{Estimate, Record, Step, Target, Workload};

    fn figure(estimate: Option<Estimate>, label: Label) -> model::Figure {
        let place = model::Place::Pool { pool: "p".to_string(), prefix: String::new() };
        let pattern = Pattern::WriteLatency;
        let step = Step::new(
            0,
            testing::pools(),
            pattern,
            vec![Target::new(testing::pools(), "pool", place)],
            Workload::canonical(pattern, 1 << 30, 1),
        );
        let plan = model::Plan { steps: vec![step], ..model::Plan::default() };
        let figures = experiments::explain(&Record { plan, finished: true, ..Record::default() }).figures;
        model::Figure { estimate, label, ..figures.into_iter().next().expect("a step of a run that is over has one") }
    }

    #[test]
    fn an_earlier_figure_that_is_not_known_or_void_is_named_and_no_threshold() {
        let known = figure(Some(Estimate::new(2.0, 0.2)), Label::Settled);
        assert_eq!(threshold(&known, -0.1).map(|threshold| threshold.value), Some(2.0 / 0.9));
        assert!(lost(&[&known]).is_empty());
        let wide = figure(Some(Estimate { value: 2.0, low: 0.0, high: 4.0 }), Label::Imprecise(String::new()));
        assert_eq!(threshold(&wide, -0.1), None);
        assert_eq!(
            lost(&[&wide]),
            [
                "rados write-latency of pool has an interval there as wide as its value, which tells nothing; measure it again"
            ]
        );
        let void = figure(None, Label::Void("EIO".to_string()));
        assert_eq!(threshold(&void, -0.1), None);
        assert_eq!(lost(&[&void]), ["rados write-latency of pool is void; measure it again"]);
    }
}
