//! The one thing to do after a run, with its command: what mends comes before what tells more.

use super::again::{self, at_depth, on, on_cluster, option, without, words as words_of};
use super::{diagnosed, sentence, takes};
use crate::sections::fitness_reasons::trial_without_cache;
use crate::sections::{ab, image_states, left_behind, unsettled};
use crate::words;
use model::host_setting::HostSetting;
use model::{
    AbFound, Answer, DriveFound, Ending, Figure, Finding, Finds, Fitness, FitnessReason, ImageState, Label, Layer,
    Outcome, Report, Standing, Subject, osds_named,
};

/// The first of these that applies.
pub(super) fn step(report: &Report) -> String {
    let step = mend(report)
        .or_else(|| thresholds(report))
        .or_else(|| finding(report, Standing::Confirmed))
        .or_else(|| outlier(report))
        .or_else(|| unusable(report, &|label| !words::holds(label)))
        .or_else(|| finding(report, Standing::Hint))
        .or_else(|| unusable(report, &|label| matches!(label, Label::GeneratorLimited(_))))
        .or_else(|| asked(report))
        .or_else(|| more(report));
    step.unwrap_or_else(|| deeper(report))
}

/// What must be mended before any figure is worth anything.
fn mend(report: &Report) -> Option<String> {
    let flawed = report.figures.iter().filter_map(|figure| figure.checked.as_ref()).any(|one| one.flawed() > 0);
    if flawed {
        let text = "find out what damages data before this storage gets any; the flaws below say which blocks";
        return Some(sentence(text));
    }
    let left = !left_behind::left_behind(report).is_empty();
    match (report.ending, left) {
        (Some(_), true) => Some("`fathom restore` undoes what is still there.".to_string()),
        (None | Some(Ending::Stopped), _) if matches!(report.answer, Answer::Sweep(_)) => {
            Some(format!("`fathom sweep --resume {}{}` goes on with it.", report.head.run, option(report, "--archive")))
        }
        (None, true) => Some("if it is not running any more, `fathom restore` undoes what it left.".to_string()),
        (None, false) => Some(again(report, "if it is not running any more, run it again")),
        (Some(_), false) if report.head.imported.is_some() => None,
        (Some(Ending::Stopped), false) if report.errors.is_empty() => {
            Some(again(report, "for all that was planned, run it again"))
        }
        (Some(_), false) => {
            (!report.errors.is_empty()).then(|| again(report, "fix the reported problem and run again"))
        }
    }
}

fn is_quick(report: &Report) -> bool {
    words_of(report).iter().any(|word| word == "--quick")
}

fn again(report: &Report, what: &str) -> String {
    match report.head.command.trim() {
        "" => format!("{what}."),
        command => format!("{what}: `{command}`."),
    }
}

fn thresholds(report: &Report) -> Option<String> {
    let verdicts = report.answer.verdicts();
    let any = |outcome| verdicts.iter().any(|verdict| verdict.outcome == outcome);
    let on = on(report);
    if any(Outcome::Fail) {
        return Some(format!("`fathom run{on}` measures all layers and shows which takes most."));
    }
    if any(Outcome::Open) {
        return Some("give the open ones more time (--time-max 5m).".to_string());
    }
    (!verdicts.is_empty()).then(|| format!("after a change, compare: {}.", compare(report)))
}

fn finding(report: &Report, standing: Standing) -> Option<String> {
    // The answer of a diagnosis has said how its first cause is mended.
    if standing == Standing::Confirmed
        && diagnosed::cause(report).is_some()
        && matches!(report.answer, Answer::Diagnosis(_))
    {
        return Some(format!("mend it, diagnose again, and compare: {}.", compare(report)));
    }
    let with_fix = |finding: &&Finding| {
        let state = diagnosed::is_only_state(report, finding);
        finding.standing == standing && !state && !finding.fix.trim().is_empty()
    };
    let first = report.findings.iter().find(with_fix)?;
    // What is not certain is measured before it is mended, where Fathom itself can.
    if standing == Standing::Hint && first.confirm.starts_with("fathom diagnose") {
        return Some(sentence(&format!("to be certain of {}: {}", first.subject, first.confirm)));
    }
    Some(sentence(&format!("{}: {}", first.subject, first.fix)))
}

fn outlier(report: &Report) -> Option<String> {
    let worst = report.standing_outliers().max_by(|a, b| a.slower_by.total_cmp(&b.slower_by))?;
    let compare = format!("compare {}'s device, firmware and host with its peers'", worst.target);
    Some(match worst.subject {
        Subject::Osd(id) if !report.head.own_lab => {
            format!("{compare}; `fathom osd {id}{}` measures it alone.", on_cluster(report))
        }
        // The OSD of a lab that is gone can't be measured again.
        _ => format!("{compare}."),
    })
}

/// What the gravest label of these advises.
fn unusable(report: &Report, of: &dyn Fn(&Label) -> bool) -> Option<String> {
    let grave = |figure: &&Figure| of(&figure.label);
    let (name, _) = unsettled::unsettled(report).into_iter().find(|(_, figures)| figures.iter().any(grave))?;
    let advice = words::MEANINGS.iter().find(|one| one.label == name)?.then;
    let mut letters = advice.chars();
    let first = letters.next()?.to_lowercase();
    Some(format!("{first}{}", letters.as_str()))
}

/// After a question of its own.
fn asked(report: &Report) -> Option<String> {
    let on = on(report);
    match &report.answer {
        Answer::PairedComparison(found) => Some(choose(found)),
        Answer::HighestRates(limits) if !limits.is_empty() => {
            Some(format!("`fathom run{on}` shows which layer takes most of a response."))
        }
        Answer::ScaleOut(doubled) => {
            let one = doubled.first()?;
            Some(one.full.map_or("name more hosts that load (--hosts).".to_string(), |_| {
                format!("no further clients bring more: `fathom diagnose{on}` asks what holds the cluster back.")
            }))
        }
        Answer::Sweep(swept) => {
            let knee = swept.knees.first()?.knee.depth;
            Some(at_depth(report, knee).map_or(
                format!("measure the knee alone, for longer: the same load with a depth of {knee}."),
                |command| format!("measure the knee alone, for longer: `{command}`."),
            ))
        }
        Answer::SustainedWrites(all)
            if all.iter().any(|found| found.rounds.as_ref().is_some_and(|rounds| rounds.steady != Some(true))) =>
        {
            Some("give the random writes longer: a larger `--for`.".to_string())
        }
        Answer::SustainedWrites(all) if all.iter().any(|found| found.cliff.is_some()) => {
            Some("count on the rate after the fall for lasting writes.".to_string())
        }
        Answer::ImageStates(found) => Some(match image_states::dearest(found).map(|cost| cost.state) {
            Some(ImageState::Clone) => {
                "make clones that will be written all over independent of their parents before they are under load (it copies the whole parent \
                 and takes its space): `rbd flatten POOL/IMAGE`."
                    .to_string()
            }
            Some(ImageState::TwoWriters) => {
                "let one client write to an image: each change of the writer hands the image's lock over.".to_string()
            }
            Some(ImageState::Snapshot) => "take snapshots when little is written: every object pays once after each.".to_string(),
            Some(ImageState::Fresh) => "write images full once before they are under load.".to_string(),
            _ => format!("`fathom rbd{on}` measures images in all patterns."),
        }),
        Answer::Fitness { drives, sustained } => {
            let longer = if is_quick(report) { "" } else { " --time-max 2m" };
            drives.first().map(|worst| drive(worst, sustained.is_empty(), longer))
        }
        _ => {
            let imported = report.head.imported.is_some();
            imported.then(|| format!("measure the same with Fathom, then {}.", compare(report)))
        }
    }
}

/// What is best done with the worst of them. `untested`: how long it keeps its rate was not asked for. `longer`: what
/// gives the same more time; empty: that it is not quick.
fn drive(worst: &DriveFound, untested: bool, longer: &str) -> String {
    let has = |wanted: fn(&FitnessReason) -> bool| worst.reasons.iter().any(wanted);
    let (target, now) = (&worst.target, worst.fitness);
    if has(|reason| *reason == FitnessReason::Failing) {
        return format!("replace {target}.");
    }
    if has(|reason| matches!(reason, FitnessReason::Failed { .. })) {
        return format!(
            "see what {target} and its kernel tell (`smartctl -x {target}`, `dmesg`), and replace it, its cable or its slot."
        );
    }
    if let (Some(cache), Some(value)) = (&worst.cache, better_cache(worst)) {
        let permanent = HostSetting::DriveCache(cache.disk.clone()).permanent(value, cache.identity.as_deref());
        let there = worst.other_host().map_or(String::new(), |host| format!(", on {host}"));
        return format!("switch the write cache of {target} {value} for good{there}: `{permanent}`.");
    }
    let untried =
        has(|reason| *reason == FitnessReason::CacheEmptied) && worst.switched.is_empty() && worst.about.is_some();
    let not_tried = has(|reason| *reason == FitnessReason::CacheNotTried) && now != Fitness::Fit;
    if let Some(command) = trial_without_cache(worst).filter(|_| not_tried) {
        return format!("try it with its write cache off: `{command}`.");
    }
    match now {
        Fitness::NotForJournals | Fitness::Unfit if !worst.beside.is_empty() => format!(
            "judge {target} again while {} {} idle or stopped: what holds it back may be that load.",
            osds_named(&worst.beside),
            if worst.beside.len() > 1 { "are" } else { "is" }
        ),
        // More load would be the OSD's loss.
        Fitness::Fit if !worst.beside.is_empty() => {
            format!("use {target} as it is: even under that load it is fit for data, WAL and DB.")
        }
        Fitness::Fit if !untested => format!("use {target}."),
        Fitness::Fit if target.starts_with('/') => {
            format!(
                "see how long it keeps its rate: `fathom disk {target} --sustained --until-steady{}`.",
                given_up(worst)
            )
        }
        Fitness::Fit => {
            format!(
                "see how long {target} keeps its rate: the same with `--sustained --until-steady` instead of `--fit`."
            )
        }
        Fitness::NotForJournals | Fitness::Unfit if untried => format!(
            "if {target} has a volatile write cache, switch that off (hdparm -W 0, sdparm --clear=WCE, nvme set-feature -f 6 -v 0) and \
             judge it again."
        ),
        Fitness::NotForJournals | Fitness::FitIfCacheOff => {
            format!("put WAL and DB of the OSD on {target} on an SSD with protection against power loss.")
        }
        Fitness::Unfit => format!("take another drive than {target}."),
        Fitness::Open if has(|reason| matches!(reason, FitnessReason::HeldBack { .. })) => {
            format!("stop what else runs on the host of {target}, then: {}.", judged_again(worst, longer))
        }
        Fitness::Open => format!("measure longer: {}.", judged_again(worst, longer)),
    }
}

/// `on` or `off`, where the drive is better then, or not safe now.
fn better_cache(drive: &DriveFound) -> Option<&'static str> {
    drive.reasons.iter().find_map(|reason| match reason {
        FitnessReason::CacheNotFlushed => Some("off"),
        FitnessReason::CacheOffHelps { then, .. } => then.is_better(drive.fitness).then_some("off"),
        FitnessReason::CacheOnHelps { then, .. } => then.is_better(drive.fitness).then_some("on"),
        _ => None,
    })
}

/// A command for that drive alone, where it is one of this host.
fn judged_again(drive: &DriveFound, longer: &str) -> String {
    match drive.target.starts_with('/') {
        true => format!("`fathom disk {} --fit{longer}{}`", drive.target, given_up(drive)),
        false if longer.is_empty() => format!("the same without `--quick`{}", of_what_is_written(drive)),
        false => format!("the same with `{}`{}", longer.trim(), of_what_is_written(drive)),
    }
}

fn of_what_is_written(drive: &DriveFound) -> &'static str {
    if drive.through_file { "" } else { ", and `--destroy-data-on` for each drive, since they hold data now" }
}

/// What was measured is written on, and is not empty any more.
fn given_up(drive: &DriveFound) -> String {
    if drive.through_file { String::new() } else { format!(" --destroy-data-on {}", drive.target) }
}

/// By the differences that are beyond the noise.
fn choose(found: &AbFound) -> String {
    let any = |finds| found.comparison.differences.iter().any(|one| one.finds == finds);
    match (any(Finds::Worse), any(Finds::Better), any(Finds::Undecided)) {
        (true, true, _) => "choose by the pattern that matters to you.".to_string(),
        (true, false, _) if found.what.contains('/') => "leave it as it is: the change makes it worse.".to_string(),
        (true, false, _) => format!("keep A ({}).", found.a),
        (false, true, _) => {
            let permanent = ab::permanent(found).unwrap_or_else(|| format!("choose B ({}).", found.b));
            let risk = ab::risk(found).map(|risk| format!(" {risk}")).unwrap_or_default();
            format!("{permanent}{risk}")
        }
        (false, false, true) => "give it more pairs (--passes 36), or longer slices (--duration 30s).".to_string(),
        (false, false, false) => "either will do.".to_string(),
    }
}

/// Intervals that are wider than was asked for.
fn more(report: &Report) -> Option<String> {
    if is_quick(report) {
        return Some(format!("`{}`, without --quick, narrows the intervals.", again::without_flag(report, "--quick")));
    }
    let imprecise = report.figures.iter().filter(|figure| matches!(figure.label, Label::Imprecise(_))).count();
    (imprecise * 2 > report.figures.len()).then(|| longer(report))
}

/// How this command is given more time.
fn longer(report: &Report) -> String {
    match &report.answer {
        Answer::Diagnosis(_) => format!("`fathom run{}` measures longer, for narrower intervals.", on(report)),
        Answer::Sweep(_) => "give it more slices for narrower intervals (--passes 6).".to_string(),
        _ if !option(report, "--duration").is_empty() => {
            format!("`{}`, without --duration, narrows the intervals.", without(report, &["--duration"]))
        }
        _ if words_of(report).get(1).is_some_and(|word| word == "fio") => {
            "give its jobs more time for narrower intervals (runtime= in the job file).".to_string()
        }
        _ => "give it more time for narrower intervals (--time-max 5m).".to_string(),
    }
}

fn deeper(report: &Report) -> String {
    let mut layers: Vec<Layer> = report.chart.iter().map(|cell| cell.layer).collect();
    layers.sort_unstable();
    layers.dedup();
    let on = on(report);
    match takes::dearest(report) {
        _ if report.figures.is_empty() => format!("`fathom run{on}` measures all layers."),
        Some(layer) => format!(
            "`fathom {}{on}` measures that layer alone; after a change, {}.",
            layer.spec().command,
            compare(report)
        ),
        None if layers.len() < 2 => format!("`fathom run{on}` measures all layers and shows which takes most."),
        None => format!("after a change, run again and compare: {}.", compare(report)),
    }
}

/// `fathom show RUN`, from the same archive.
pub(crate) fn archived(report: &Report) -> String {
    format!("fathom show {}{}", report.head.run, option(report, "--archive"))
}

/// `fathom compare RUN last`, in the same archive.
fn compare(report: &Report) -> String {
    format!("`fathom compare {} last{}`", report.head.run, option(report, "--archive"))
}
