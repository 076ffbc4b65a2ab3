//! One file for each command, from arguments to an exit code.

mod audit;
mod compare;
mod crosscheck;
mod diagnose;
mod experiment;
mod explain;
mod fio;
mod hosts;
mod import;
pub mod lab;
mod lab_fault;
mod layers;
mod place;
mod prove;
pub mod restore;
mod run;
mod runs;
mod sweep;
mod terminal;

use crate::cli::lab::LabCommand;
use crate::cli::{Cli, Command, Common, Format};
use crate::exit_codes::{FLAWED, INCOMPLETE, REGRESSION};
use ::run::Sounded;
use model::{Answer, Failure, Finds, Fitness, Outcome, Plan, Record, Report, Subscriber};
use report::block::Block;
use report::export;
use report::progress::Progress;
use report::terminal::{Detail, Style};
use serde_json::Value;
use std::io::IsTerminal;
use std::path::PathBuf;

pub fn run(cli: Cli) -> Result<u8, Failure> {
    let common = &cli.common;
    if common.format.of_runs() && !shows_a_run(&cli.command) {
        let text =
            "--format: csv, windows, fio-json, openmetrics and drives are for runs: `fathom show RUN --format csv`";
        return Err(Failure::Usage(text.to_string()));
    }
    if common.details && !shows_a_run(&cli.command) {
        let text = "--details: it is for commands that show a run: `fathom show RUN --details`";
        return Err(Failure::Usage(text.to_string()));
    }
    // A lab's supervisor leaves all that its caller has open, and tells it over standard output alone.
    if !matches!(&cli.command, Command::Lab(args) if matches!(args.command, LabCommand::Supervisor { .. })) {
        ceph::keep_results_apart()?;
    }
    match cli.command {
        Command::Run(args) => run::run(common, &args),
        Command::Diagnose(args) => diagnose::run(common, &args),
        Command::Audit(args) => audit::run(common, &args),
        Command::Explain(args) => explain::run(common, &args),
        Command::Prove(args) => prove::run(common, &args),
        Command::Disk(args) => layers::disk(common, &args),
        Command::Network(args) => layers::network(common, &args),
        Command::Floor(args) => layers::floor(common, &args),
        Command::Store(args) => layers::store(common, &args),
        Command::Osd(args) => layers::osd(common, &args),
        Command::Rados(args) => layers::rados(common, &args),
        Command::Rbd(args) => layers::rbd(common, &args),
        Command::File(args) => layers::file(common, &args),
        Command::Object(args) => layers::object(common, &args),
        Command::Guest(args) => layers::guest(common, &args),
        Command::Fio(args) => fio::run(common, &args),
        Command::Sweep(args) => sweep::run(common, &args),
        Command::Runs => runs::list(common),
        Command::Show(args) => runs::show(common, &args),
        Command::Report(args) => runs::report(common, &args),
        Command::Compare(args) => compare::run(common, &args),
        Command::Import(args) => import::run(common, &args),
        Command::Crosscheck(args) => crosscheck::run(common, &args),
        Command::Rm(args) => runs::remove(common, &args),
        Command::Restore(args) => restore::restore(common, &args),
        Command::Hosts(args) => hosts::run(common, &args),
        Command::Lab(args) => lab::run(common, &args),
        Command::Agent => agents::serve(),
    }
}

fn shows_a_run(command: &Command) -> bool {
    use Command::{Diagnose, Disk, File, Fio, Floor, Network, Object, Osd, Prove, Rados, Rbd, Run, Show, Store, Sweep};
    matches!(
        command,
        Run(_)
            | Diagnose(_)
            | Prove(_)
            | Disk(_)
            | Network(_)
            | Floor(_)
            | Store(_)
            | Osd(_)
            | Rados(_)
            | Rbd(_)
            | File(_)
            | Object(_)
            | Fio(_)
            | Show(_)
            | Sweep(_)
    )
}

/// Formats that have figures alone would be empty.
fn refuse_without_figures(format: Format, record: &Record, report: &Report) -> Result<(), Failure> {
    let of_figures = matches!(format, Format::Csv | Format::Windows | Format::FioJson | Format::Openmetrics);
    match of_figures && report.answer.image_states().is_some() {
        true => Err(Failure::Usage(format!(
            "run {} has the states of an image and no figures of their kind: --format text, markdown or json shows them",
            record.head.run
        ))),
        false => Ok(()),
    }
}

/// The result of a run on standard output, in the format that was asked for.
pub fn print(common: &Common, record: &Record, report: &Report) -> Result<(), Failure> {
    let length = if common.details { Detail::Full } else { Detail::Short };
    refuse_without_figures(common.format, record, report)?;
    let text = match common.format {
        Format::Text => report::terminal::summary(report, &record.scope, length, &style()),
        Format::Json => format!("{:#}\n", report::json::document(report, record)),
        Format::Markdown => report::markdown::page(report, record),
        Format::Csv => export::csv::figures(report),
        Format::Windows => export::csv::windows(report, record),
        Format::FioJson => format!("{:#}\n", export::fio::document(report, record)),
        Format::Openmetrics => export::openmetrics::text(report),
        Format::Drives if report.answer.drives().is_empty() => {
            return Err(Failure::Usage(format!(
                "--format drives: run {} judged no drive; name one of `fathom disk PATH --fit`",
                record.head.run
            )));
        }
        Format::Drives => export::drives::table(report, record),
    };
    crate::output::say(&text)
}

/// What is no run, on standard output, in the format that was asked for: text, Markdown, or its document.
pub fn show(common: &Common, parts: &[Vec<Block>], document: impl FnOnce() -> Value) -> Result<(), Failure> {
    crate::output::say(&match common.format {
        Format::Json => format!("{:#}\n", document()),
        Format::Markdown => report::markdown::text(parts),
        _ => report::terminal::text(parts, &style()),
    })
}

/// Data came back that was not as it was written; done; or, in a run for verdicts, a figure is worse than its threshold; or figures are not what was asked for.
pub fn exit_code(sounded: &Sounded) -> u8 {
    if sounded.record.verified.iter().any(|one| one.checked.flawed() > 0) {
        return FLAWED;
    }
    let whole = !sounded.interrupted && sounded.report.errors.is_empty();
    let code = |as_asked: bool| if as_asked { 0 } else { INCOMPLETE };
    // Random writes that were to end at a steady rate did.
    let steady = |test: &model::Endurance| test.rounds.as_ref().is_some_and(|rounds| rounds.steady == Some(true));
    let lasted = sounded.report.answer.endurance().iter().all(|test| test.until == model::Until::Falls || steady(test));
    let whole = whole && lasted;
    match &sounded.report.answer {
        Answer::Verdicts(verdicts) if !verdicts.is_empty() => {
            let any = |outcome| verdicts.iter().any(|verdict| verdict.outcome == outcome);
            if any(Outcome::Fail) { REGRESSION } else { code(!any(Outcome::Open) && !sounded.interrupted) }
        }
        Answer::PairedComparison(found) => {
            let differences = &found.comparison.differences;
            let worse = differences.iter().any(|one| one.finds == Finds::Worse);
            if worse { REGRESSION } else { code(whole && !differences.is_empty()) }
        }
        Answer::Fitness { drives, .. } if !drives.is_empty() => {
            let any = |fitness| drives.iter().any(|drive| drive.fitness == fitness);
            if any(Fitness::Unfit) { REGRESSION } else { code(whole && !any(Fitness::Open)) }
        }
        Answer::HighestRates(limits) if !limits.is_empty() => {
            code(whole && limits.iter().all(|limit| limit.rate.is_some()))
        }
        _ => {
            use model::Label::{Brief, Burst, Settled};
            // What failed is in no figure.
            let known = |figure: &model::Figure| figure.estimate.is_some_and(|estimate| estimate.is_known());
            let settled = |figure: &model::Figure| {
                matches!(figure.label, Settled | Brief(_) | Burst(_)) && figure.errors == 0 && known(figure)
            };
            code(whole && sounded.report.figures.iter().all(settled))
        }
    }
}

/// What is planned, in the format that was asked for.
pub fn print_plan(common: &Common, plan: &Plan, seconds: f64) -> Result<(), Failure> {
    show(common, &report::plan::blocks(plan, seconds), || report::plan::document(plan, seconds))
}

/// A plan has no figures.
pub fn refuse_figures_of_a_plan(common: &Common, dry_run: bool) -> Result<(), Failure> {
    match dry_run && !matches!(common.format, Format::Text | Format::Json) {
        true => Err(Failure::Usage(
            "--dry-run: a plan is shown as text or json; leave out --format (--export is one), or name json".into(),
        )),
        false => Ok(()),
    }
}

/// For standard output: a hundred columns where it is no terminal.
pub fn style() -> Style {
    Style { width: width(), colours: colours() && ceph::results().is_terminal() }
}

/// On standard error, unless none is wanted.
pub fn progress(common: &Common) -> Box<dyn Subscriber> {
    let style = Style { width: width(), colours: colours() && std::io::stderr().is_terminal() };
    Box::new(Progress::stderr(common.quiet, style))
}

/// Where runs are kept.
pub fn archive(common: &Common) -> PathBuf {
    common.archive.clone().unwrap_or_else(archive::default_path)
}

fn width() -> usize {
    let told = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    told.or_else(terminal::columns).unwrap_or(100)
}

/// `NO_COLOR` (no-color.org) and dumb terminals.
fn colours() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}
