//! The archive's commands: `runs`, `show`, `report`, `rm`.

use crate::cli::{Common, Format, ReportArgs, ShowArgs};
use crate::failure::Failure;
use crate::output::say;
use archive::Archive;
use model::{Record, Report};
use serde_json::json;
use std::path::{Path, PathBuf};

fn open(common: &Common) -> Result<Archive, Failure> {
    let path = common.archive.clone().unwrap_or_else(archive::default_path);
    Ok(Archive::open_existing(&path)?)
}

pub fn list(common: &Common) -> Result<u8, Failure> {
    let path = common.archive.clone().unwrap_or_else(archive::default_path);
    // No run yet is an empty list, not an error; a file that was named must be there.
    let runs = if common.archive.is_none() && !path.exists() { Vec::new() } else { open(common)?.runs()? };
    match common.format {
        Format::Json => {
            let runs: Vec<_> = runs
                .iter()
                .map(|run| {
                    json!({"run": run.run, "started": run.started, "seconds": run.seconds, "version": run.version,
                        "command": run.command, "cluster": run.cluster, "steps": run.steps, "slices": run.slices,
                        "finished": run.finished})
                })
                .collect();
            say(&format!("{:#}\n", json!({"schema": "fathom.runs/1", "runs": runs})))?;
        }
        _ => {
            let rows: Vec<faces::terminal::RunRow> = runs
                .into_iter()
                .map(|run| faces::terminal::RunRow {
                    run: run.run,
                    started: run.started,
                    seconds: run.seconds,
                    cluster: run.cluster,
                    finished: run.finished,
                    steps: run.steps as usize,
                    slices: run.slices as usize,
                })
                .collect();
            say(&faces::terminal::runs(&rows))?;
        }
    }
    Ok(0)
}

fn load(common: &Common, name: &str) -> Result<(Record, Report), Failure> {
    let archive = open(common)?;
    let record = archive.load(&archive.find(name)?)?;
    let report = judge::explain(&record);
    Ok((record, report))
}

pub fn show(common: &Common, args: &ShowArgs) -> Result<u8, Failure> {
    let (record, report) = load(common, &args.run)?;
    super::print(common.format, &record, &report)?;
    Ok(0)
}

pub fn report(common: &Common, args: &ReportArgs) -> Result<u8, Failure> {
    let (record, report) = load(common, &args.run)?;
    write_report(&args.output, &record, &report)?;
    say(&format!("{}\n", args.output.display()))?;
    Ok(0)
}

/// What a report becomes.
#[derive(Clone, Copy)]
enum Kind {
    Html,
    Markdown,
    Json,
}

/// By the file's ending.
fn kind(path: &Path) -> Result<Kind, Failure> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    match ending.as_str() {
        "html" | "htm" => Ok(Kind::Html),
        "md" | "markdown" => Ok(Kind::Markdown),
        "json" => Ok(Kind::Json),
        _ => {
            let text = format!("{}: its ending says nothing; name it .html, .md or .json", path.display());
            Err(Failure::Usage(text))
        }
    }
}

/// Where it is written before it gets its name: there is never half a report.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(".part");
    PathBuf::from(name)
}

/// Before minutes are spent on what could then not be written.
pub fn prove_writable(path: &Path) -> Result<(), Failure> {
    let wrong = |says: String| Err(Failure::Usage(format!("--report {}: {says}", path.display())));
    kind(path)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return wrong(format!("there is no such folder as {}; make it, or name another", folder.display()));
    }
    if path.is_dir() {
        return wrong("is a folder; name a file in it".to_string());
    }
    let beside = beside(path);
    match std::fs::write(&beside, "") {
        Ok(()) => {
            let _ = std::fs::remove_file(&beside);
            Ok(())
        }
        Err(error) => wrong(format!("it can't be written: {error}; name a file in another folder")),
    }
}

/// The file's ending says what it becomes.
pub fn write_report(path: &Path, record: &Record, report: &Report) -> Result<(), Failure> {
    let text = match kind(path)? {
        Kind::Html => faces::html::page(report, record),
        Kind::Markdown => faces::markdown::page(report, record),
        Kind::Json => format!("{:#}\n", faces::json::document(report, record)),
    };
    let beside = beside(path);
    let written = std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, path));
    written.map_err(|error| {
        let _ = std::fs::remove_file(&beside);
        Failure::Failed(format!("{}: the report can't be written: {error}", path.display()))
    })
}

pub fn remove(common: &Common, args: &ShowArgs) -> Result<u8, Failure> {
    let archive = open(common)?;
    let run = archive.remove(&archive.find(&args.run)?)?;
    eprintln!("removed run {run}");
    Ok(0)
}
