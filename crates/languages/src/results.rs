//! Results of another tool: their format is recognized, and they become a run, with events as a run of ours tells them.

use crate::imported::{ImportedFigure, ImportedOperations, Results};
use crate::{elbencho, fio, rados_bench};
use model::{Ending, Event, Goal, Nanos, Pattern, Place, Plan, RunHead, Sample, Scope, Slice, Step, Target};

/// Recognizes the format by what the text holds. Errors begin with the place.
pub fn read(text: &str) -> Result<Results, String> {
    let results = match first_json(text) {
        Some(json) => of_json(json, text)?,
        None if rados_bench::is_text(text) => rados_bench::text(text)?,
        None if elbencho::is_csv(text) => elbencho::csv(text)?,
        None if text.trim().is_empty() => return Err("is empty".to_string()),
        None => {
            let known = "fio --output-format=json or json+, rados bench (text or --format json), \
                         elbencho --csvfile or --jsonfile";
            return Err(format!("is no result that can be read; there are: {known}"));
        }
    };
    match results.measured.is_empty() {
        true => Err(format!("{} has no operation that moved data{}", results.tool, listed(&results.notes))),
        false => results.measured.iter().try_for_each(countable).map(|()| results),
    }
}

/// More than any storage does: sums over it might not fit.
const MOST: u128 = 1 << 58;

/// A number of each sample.
type Field = fn(&Sample) -> u64;

/// Sums over all that is told fit into 64 bits.
fn countable(measured: &ImportedFigure) -> Result<(), String> {
    let of =
        |told: &ImportedOperations, field: Field| told.samples.iter().map(|one| u128::from(field(one))).sum::<u128>();
    let fields: [(&str, Field); 7] = [
        ("operations", |sample| sample.ops),
        ("bytes", |sample| sample.bytes),
        ("errors", |sample| sample.errors),
        ("nanoseconds", |sample| sample.span_ns),
        ("latencies", |sample| sample.service.count),
        ("nanoseconds of latency", |sample| sample.service.sum_ns),
        ("latencies in bins", |sample| {
            sample.service.buckets.iter().map(|bucket| bucket.1).fold(0, u64::saturating_add)
        }),
    ];
    let too_many =
        fields.iter().find(|(_, field)| measured.told.iter().map(|told| of(told, *field)).sum::<u128>() > MOST);
    match too_many {
        Some((what, _)) => Err(format!("{}: more {what} than can be", measured.target)),
        None => Ok(()),
    }
}

fn listed(notes: &[String]) -> String {
    if notes.is_empty() { String::new() } else { format!(": {}", notes.join("; ")) }
}

/// From the first line that begins with a brace: tools print notes before it.
fn first_json(text: &str) -> Option<&str> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with('{') {
            return Some(&text[at..]);
        }
        at += line.len();
    }
    None
}

fn of_json(json: &str, text: &str) -> Result<Results, String> {
    let before = text[..text.len() - json.len()].matches('\n').count();
    let mut values = serde_json::Deserializer::from_str(json).into_iter::<serde_json::Value>();
    let wrong = |error: serde_json::Error| format!("line {}: no JSON: {error}", before + error.line());
    let first = values.next().unwrap_or(Ok(serde_json::Value::Null)).map_err(wrong)?;
    if first.get("fio version").is_some() {
        // With --status-interval it tells of itself again and again; the last time is of the whole job.
        let mut last = first;
        for more in values {
            match more {
                Ok(more) if more.get("fio version").is_some() => last = more,
                Err(error) if error.is_eof() => return Err(wrong(error)),
                _ => break,
            }
        }
        return fio::read(&last);
    }
    if first.get("datas").is_some() {
        return rados_bench::json(&first);
    }
    if first.get("phase_type").is_some() {
        let rest = values.collect::<Result<Vec<_>, _>>().map_err(wrong)?;
        return elbencho::json(&[vec![first], rest].concat());
    }
    if first.get("schema").is_some_and(|schema| schema == "fathom.run/1") {
        return Err(
            "is a document of Fathom itself; its run is in the archive of the host that measured it".to_string()
        );
    }
    Err(format!("line {}: JSON without `fio version`, `datas` (rados bench) or `phase_type` (elbencho)", before + 1))
}

/// Of a series with windows of this length: how many of its samples are warm-up, and whether it is level.
pub type Look<'a> = &'a dyn Fn(&[Sample], Nanos) -> (u32, bool);

/// The run that these results are.
pub fn events(results: &Results, head: RunHead, look: Look) -> Vec<Event> {
    let steps = steps(&results.measured);
    let plan = Plan { steps: steps.clone(), goal: Goal { passes_min: 1, ..Goal::default() }, ..Plan::default() };
    let mut events = vec![Event::RunStarted { head, scope: Scope::default() }, Event::Planned { plan }];
    events.extend(results.notes.iter().map(|note| Event::Warned { text: note.clone() }));
    let mut passes = vec![0; steps.len()];
    let mut seconds = 0.0;
    for measured in &results.measured {
        let Some(step) = steps.iter().find(|step| is_of(step, measured)) else { continue };
        let pass = &mut passes[step.id.0 as usize];
        *pass += 1;
        let slices: Vec<Slice> = measured.told.iter().map(|told| slice(step, *pass, seconds, told, look)).collect();
        seconds += measured.told.iter().map(ImportedOperations::seconds).fold(0.0, f64::max);
        events.push(Event::StepFinished { pass: *pass, slices });
    }
    events.push(Event::RunFinished { seconds, ending: Ending::Done });
    events
}

/// A step for each workload on each target; what was measured several times makes passes of it.
fn steps(measured: &[ImportedFigure]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for one in measured {
        if steps.iter().any(|step| is_of(step, one)) {
            continue;
        }
        let (layer, name) = (one.layer, one.target.clone());
        let pattern = Pattern::nearest(&one.workload);
        let cell = |step: &Step| (step.layer, step.pattern, &step.targets[0].name) == (layer, pattern, &name);
        // How much is done at a given rate is no cell of the chart. A cell has one figure of each target: the first.
        let given = ["rate", "rate_iops"].iter().any(|name| one.workload.options.contains_key(*name));
        let chart = !given && !steps.iter().any(cell);
        steps.push(Step {
            chart,
            ..Step::new(
                steps.len() as u32,
                layer,
                pattern,
                vec![Target::new(layer, name, Place::Null)],
                one.workload.clone(),
            )
        });
    }
    steps
}

fn is_of(step: &Step, measured: &ImportedFigure) -> bool {
    step.layer == measured.layer && step.targets[0].name == measured.target && step.workload == measured.workload
}

fn slice(step: &Step, pass: u32, started_seconds: f64, told: &ImportedOperations, look: Look) -> Slice {
    // It is not known how a total came about.
    let (warmup, settled) = if told.samples.len() > 1 { look(&told.samples, told.window_ns) } else { (0, true) };
    Slice {
        step: step.id,
        target: Some(0),
        kind: told.kind,
        pass,
        started_seconds,
        window_ns: told.window_ns,
        samples: told.samples.clone(),
        warmup,
        settled,
        void: None,
        error: told.error.clone(),
        effort: None,
    }
}
