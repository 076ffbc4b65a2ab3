//! `fathom fio`: runs a job file of fio.

use super::run::sound_and_print_warned;
use crate::cli::layers::FioArgs;
use crate::cli::{Common, words};
use cluster::text_file;
use experiments::{Experiment, Request, Targets};
use languages::fio::job_file::{Batch, Job, parse};
use model::{Failure, Goal, Layer};
use std::path::PathBuf;

pub fn run(common: &Common, args: &FioArgs) -> Result<u8, Failure> {
    let file = args.file.display().to_string();
    let text = text_file::read_up_to(&args.file, text_file::LARGEST)
        .map_err(|error| Failure::Usage(format!("{file}: {error}; name a job file")))?;
    let batches = parse(&text, &args.section, &|name| std::env::var(name).ok()).map_err(|faults| {
        let lines: Vec<String> = faults.iter().map(|(line, says)| format!("{file}:{line}: {says}")).collect();
        Failure::Usage(lines.join("\nfathom: "))
    })?;
    let jobs = || batches.iter().flatten();
    let pool = the_same(&file, jobs(), "pool", |job| job.shape.pool.clone())?;
    let image = the_same(&file, jobs(), "rbdname", |job| job.shape.image.clone())?;
    let client = the_same(&file, jobs(), "clientname", |job| job.shape.client.clone())?;
    let conf = the_same(&file, jobs(), "conf", |job| job.shape.conf.clone())?;
    let goal = goal(&file, &batches)?;
    let warnings = jobs().flat_map(notes).map(|note| format!("{file}:{note}")).collect();
    let mut layers: Vec<Layer> = jobs().map(|job| job.shape.layer).collect();
    layers.sort();
    layers.dedup();
    let request = Request {
        layers,
        targets: Targets { pool, image, destroy_data_on: args.destroy_data_on.clone(), ..Targets::default() },
        goal,
        experiment: Experiment::Jobs(batches),
        quiesce: args.run.quiesce,
        thorough: true,
        ..Request::default()
    };
    let mut common = common.clone();
    common.cluster.id = common.cluster.id.or(client);
    common.cluster.conf = common.cluster.conf.or(conf.map(PathBuf::from));
    sound_and_print_warned(&common, &args.run, &request, warnings).map_err(|failure| match failure {
        Failure::Usage(text) if text.starts_with("line ") => Failure::Usage(in_file(&file, &text)),
        other => other,
    })
}

/// `line 7: …`, which the planner says, as the place in a file.
fn in_file(file: &str, text: &str) -> String {
    let line = |line: &str| match line.split_once("line ") {
        Some((before, rest)) if before.is_empty() || before == "fathom: " => format!("{before}{file}:{rest}"),
        _ => line.to_string(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// What a run has one of.
fn the_same<'a>(
    file: &str,
    jobs: impl Iterator<Item = &'a Job>,
    option: &str,
    of: impl Fn(&Job) -> Option<String>,
) -> Result<Option<String>, Failure> {
    let mut known: Option<String> = None;
    for job in jobs {
        let Some(value) = of(job) else { continue };
        if known.as_ref().is_some_and(|known| *known != value) {
            let text = "differs from that of the sections before; run them one by one with --section";
            return Err(Failure::Usage(format!("{file}:{}: {option}={value}: {text}", job.line_of(option))));
        }
        known = Some(value);
    }
    Ok(known)
}

/// Sections with a run time have one slice of it; without, they are measured as any figure of Fathom.
fn goal(file: &str, batches: &[Batch]) -> Result<Goal, Failure> {
    let mut lengths =
        batches.iter().flatten().map(|job| (job, job.shape.seconds.map(|run| run + job.shape.ramp_seconds)));
    let Some((_, length)) = lengths.next() else { return Ok(Goal::default()) };
    if let Some((job, _)) = lengths.find(|(_, other)| *other != length) {
        let text = "lasts not as long as the sections before; run them one by one with --section";
        return Err(Failure::Usage(format!("{file}:{}: [{}] {text}", job.line_of("runtime"), job.name)));
    }
    let goal = Goal { in_order: true, ..Goal::default() };
    let Some(seconds) = length else { return Ok(goal) };
    if !(words::SECONDS_LEAST..=words::SECONDS_MOST).contains(&seconds) {
        let text = "is not between 0.1 s and 7 days";
        let line = batches.iter().flatten().next().map_or(1, |job| job.line_of("runtime"));
        return Err(Failure::Usage(format!("{file}:{line}: runtime {text}")));
    }
    Ok(Goal { in_order: true, ..crate::cli::experiment::fixed(seconds, 1) })
}

/// What is done in another manner than fio does it, and comes to the same.
fn notes(job: &Job) -> Vec<String> {
    let shape = &job.shape;
    let mut notes = Vec::new();
    let mut note = |option: &str, says: String| notes.push(format!("{}: [{}] {says}", job.line_of(option), job.name));
    if ["libaio", "posixaio"].contains(&shape.engine.as_str()) {
        note("ioengine", format!("{}: done with io_uring", shape.engine));
    }
    if shape.one_by_one()
        && job.options.get("iodepth").and_then(|given| given.value.as_deref()).is_some_and(|d| d != "1")
    {
        note("iodepth", format!("{} has one operation in flight for each job, as in fio", shape.engine));
    }
    if shape.rate.is_some() {
        let option = if job.options.contains_key("rate_iops") { "rate_iops" } else { "rate" };
        note(
            option,
            "response times count from when operations were due; fio's latencies, from submission".to_string(),
        );
        if shape.depth > shape.jobs && !shape.offload {
            let says = "operations start when they are due; fio waits for those in flight before it pauses, unless \
                        io_submit_mode=offload";
            note(option, says.to_string());
        }
    }
    if shape.seconds.is_none() {
        note("runtime", "no runtime: measured until the figure is ±5 %, not until size is done once".to_string());
    } else if !shape.time_based {
        note("runtime", "not time_based: measured for its runtime, also if size is done before".to_string());
    }
    if shape.ramp_seconds > 0.0 {
        let how = match shape.seconds {
            Some(_) => format!(", in a slice that is {} s longer", shape.ramp_seconds),
            None => "; ramp_time changes nothing".to_string(),
        };
        note("ramp_time", format!("Fathom finds the warm-up itself{how}"));
    }
    if shape.layer.can().images {
        note("ioengine", "through librbd's cache, as in fio; `fathom rbd` goes without".to_string());
    }
    if shape.layer.can().images && shape.writes() && shape.image.is_some() {
        note(
            "rbdname",
            "writes go to an image of Fathom's own in the same pool, which is deleted afterwards".to_string(),
        );
        if shape.size.is_none() {
            note(
                "rbdname",
                "no size: that image is as large as this one, but at most 4 GiB; size= says another".to_string(),
            );
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ramp_lengthens_the_slice_only_where_there_is_one_of_a_given_length() {
        let noted = |runtime: &str| {
            let text = format!("[a]\nfilename=/dev/shm/x\nsize=1m\nramp_time=3\n{runtime}");
            let batches = parse(&text, &[], &|_| None).unwrap();
            batches.iter().flatten().flat_map(notes).find(|note| note.starts_with("4: ")).unwrap()
        };
        assert!(noted("runtime=5\n").ends_with("in a slice that is 3 s longer"), "{}", noted("runtime=5\n"));
        assert!(noted("").ends_with("ramp_time changes nothing"), "{}", noted(""));
    }
}
