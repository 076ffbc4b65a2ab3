//! The archive's commands: `runs`, `show`, `report`, `rm`.

use crate::cli::{Common, Format, ReportArgs, ShowArgs};
use crate::output::{say, say_plain};
use archive::{Archive, RunSummary};
use cluster::dirs;
use cluster::journal::pending;
use model::{Failure, Record, Report, RunPlace};
use report::own;
use serde_json::json;
use std::fs::{File, Permissions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::Path;
use tempfile::NamedTempFile;

pub fn open(common: &Common) -> Result<Archive, Failure> {
    let path = common.archive.clone().unwrap_or_else(archive::default_path);
    Ok(Archive::open_existing(&path)?)
}

/// The full name of a run that is to be read. Runs that `last` passes over are told.
pub fn find(common: &Common, archive: &Archive, name: &str) -> Result<String, Failure> {
    let run = archive.find(name)?;
    if name == "last" && !common.quiet {
        let state = |skipped: &RunSummary| format!("{} ({})", skipped.run, report::runs::state(skipped.ending));
        let skipped: Vec<String> = archive.newer_than_last()?.iter().map(state).collect();
        if !skipped.is_empty() {
            eprintln!("fathom: last is run {run}; nothing was measured in the newer {}", skipped.join(", "));
        }
    }
    Ok(run)
}

/// The full name of the newest run at this place in which something was measured, which may be older than the newest of all. Is it, that
/// is told.
pub fn last_at(common: &Common, archive: &Archive, place: &RunPlace) -> Result<Option<String>, Failure> {
    let measured: Vec<RunSummary> = archive.runs()?.into_iter().filter(|summary| summary.measured).collect();
    for (newer, summary) in measured.iter().enumerate() {
        if archive.place(&summary.run)? != *place {
            continue;
        }
        if newer > 0 && !common.quiet {
            let newer = report::numbers::counted(newer as u64, "newer run was", "newer runs were");
            eprintln!("fathom: last is run {} {}; {newer} elsewhere", summary.run, at(place));
        }
        return Ok(Some(summary.run.clone()));
    }
    Ok(None)
}

/// `on cluster FSID`, in a sentence.
pub fn at(place: &RunPlace) -> String {
    match place {
        RunPlace::Cluster(fsid) => format!("on cluster {fsid}"),
        RunPlace::Host(host) => format!("on host {host} without a cluster"),
        RunPlace::OwnLab(host) => format!("in a lab of its own on host {host}"),
        RunPlace::Untold => "of another tool".to_string(),
    }
}

pub fn list(common: &Common) -> Result<u8, Failure> {
    let path = common.archive.clone().unwrap_or_else(archive::default_path);
    // No run yet is an empty list, not an error; a file that was named must be there.
    let archive = if common.archive.is_none() && !path.exists() { None } else { Some(open(common)?) };
    let of = |archive: &Archive| -> Result<Vec<(RunPlace, RunSummary)>, Failure> {
        archive.runs()?.into_iter().map(|run| Ok((archive.place(&run.run)?, run))).collect()
    };
    let runs = archive.as_ref().map_or(Ok(Vec::new()), of)?;
    let document = || {
        let one = |(place, run): &(RunPlace, RunSummary)| {
            let (fsid, host) = match place {
                RunPlace::Cluster(fsid) => (Some(fsid), None),
                RunPlace::Host(host) | RunPlace::OwnLab(host) => (None, Some(host)),
                RunPlace::Untold => (None, None),
            };
            json!({"run": run.run, "started": run.started, "seconds": run.seconds, "version": run.version,
                "command": run.command, "cluster": run.cluster, "fsid": fsid, "host": host, "steps": run.steps,
                "slices": run.slices, "finished": run.finished, "state": report::runs::state(run.ending)})
        };
        json!({"schema": "fathom.runs/1", "runs": runs.iter().map(one).collect::<Vec<_>>()})
    };
    let row = |(place, run): &(RunPlace, RunSummary)| report::runs::RunRow {
        run: run.run.clone(),
        command: run.command.clone(),
        seconds: run.seconds,
        cluster: run.cluster.clone(),
        place: place.clone(),
        ending: run.ending,
        slices: run.slices as usize,
    };
    let rows: Vec<report::runs::RunRow> = runs.iter().map(row).collect();
    super::show(common, &report::runs::blocks(&rows), document)?;
    Ok(0)
}

fn load(common: &Common, name: &str) -> Result<(Record, Report), Failure> {
    let archive = open(common)?;
    let record = archive.load(&find(common, &archive, name)?)?;
    let report = experiments::explain(&record);
    Ok((record, report))
}

pub fn show(common: &Common, args: &ShowArgs) -> Result<u8, Failure> {
    let (record, report) = load(common, &args.run)?;
    super::print(common, &record, &report)?;
    Ok(0)
}

pub fn report(common: &Common, args: &ReportArgs) -> Result<u8, Failure> {
    if !matches!(common.format, Format::Text | Format::Json) {
        let text = "--format: report writes a file, whose ending says what it becomes (--output x.html, x.md, x.json); \
                    fathom show prints a run, with the same --format";
        return Err(Failure::Usage(text.to_string()));
    }
    let (record, report) = load(common, &args.run)?;
    write_report(&args.output, &record, &report)?;
    match common.format {
        Format::Json => {
            let document = json!({"schema": "fathom.report/1", "run": record.head.run, "file": args.output});
            say(&format!("{document:#}\n"))?;
        }
        _ => say_plain(&format!("{}\n", args.output.display()))?,
    }
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

/// In the report's folder, under a name that nobody else has: there is never half a report, and no other file is touched. As readable as
/// the report that it takes the place of, or else as any new file of this user's.
fn beside(path: &Path) -> std::io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".fathom-report-");
    match std::fs::symlink_metadata(path) {
        Ok(there) if there.is_file() => {
            let file = builder.tempfile_in(folder)?;
            // Before anybody may read it who could not read the earlier one; where the owner can't stay, only this user may.
            let kept = fchown(file.as_file(), Some(there.uid()), Some(there.gid())).is_ok();
            let mode = there.permissions().mode() & if kept { 0o777 } else { 0o700 };
            file.as_file().set_permissions(Permissions::from_mode(mode))?;
            Ok(file)
        }
        _ => builder.permissions(Permissions::from_mode(0o666)).tempfile_in(folder),
    }
}

/// A report may take the place of an earlier one, or of a link, and of nothing else that is there.
fn prove_replaceable(path: &Path) -> Result<(), Failure> {
    let kind = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        other => other.map(|there| there.file_type()),
    };
    if kind.as_ref().is_ok_and(|kind| kind.is_symlink()) {
        return Ok(());
    }
    let mut beginning = Vec::new();
    let mut read = |file: File| file.take(own::BEGINNING as u64).read_to_end(&mut beginning).map(drop);
    // Opening a pipe would wait for whoever writes into it.
    let ours = match kind {
        Ok(kind) if kind.is_file() => File::open(path).and_then(&mut read),
        Ok(_) => Err(ErrorKind::InvalidInput.into()),
        Err(error) => Err(error),
    };
    match ours {
        Ok(()) if beginning.is_empty() || own::is_report(&beginning) => Ok(()),
        _ => Err(Failure::Usage(format!(
            "{}: is there already, and no report of Fathom's; name another file, or remove this one first",
            path.display()
        ))),
    }
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
    prove_replaceable(path)?;
    // Gone again at once.
    match beside(path) {
        Ok(_) => Ok(()),
        Err(error) => wrong(format!("it can't be written: {}; name a file in another folder", reason(&error))),
    }
}

/// Without the random name, which says nothing to anybody.
fn reason(error: &std::io::Error) -> String {
    let code = error.raw_os_error().map(std::io::Error::from_raw_os_error);
    code.unwrap_or_else(|| error.kind().into()).to_string()
}

/// Of a file that is yet to be made only its folder may be missing.
fn why(path: &Path, error: &std::io::Error) -> String {
    let folder = path.parent().filter(|folder| error.kind() == ErrorKind::NotFound && !folder.exists());
    folder.map_or_else(
        || reason(error),
        |folder| format!("there is no folder {}; make it, or name another", folder.display()),
    )
}

/// The file's ending says what it becomes.
pub fn write_report(path: &Path, record: &Record, report: &Report) -> Result<(), Failure> {
    let kind = kind(path)?;
    prove_replaceable(path)?;
    let text = match kind {
        Kind::Html => report::html::page(report, record),
        Kind::Markdown => report::markdown::page(report, record),
        Kind::Json => format!("{:#}\n", report::json::document(report, record)),
    };
    let written = beside(path).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        // A name that is there already is replaced, a link too: what it leads to stays as it is.
        file.persist(path).map_err(|error| error.error)
    });
    let wrong =
        |error: std::io::Error| format!("{}: the report can't be written: {}", path.display(), why(path, &error));
    written.map(|_| ()).map_err(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Failure::Usage(wrong(error)),
        _ => Failure::Failed(wrong(error)),
    })
}

pub fn remove(common: &Common, args: &ShowArgs) -> Result<u8, Failure> {
    let archive = open(common)?;
    // Of `last` the newest, whatever there is of it: never a run with figures in place of a failed one.
    let run = archive.find_any(&args.run)?;
    let live = pending::find(&dirs::journals(), None).live;
    if let Some(told) = live.iter().find(|told| told.head.run == run) {
        let pid = told.head.pid;
        let text = format!(
            "run {run} is still going on (process {pid}): nothing was removed; it ends with Ctrl-C where it runs"
        );
        return Err(Failure::Refused(text));
    }
    archive.remove(&run)?;
    eprintln!("removed run {run}");
    Ok(0)
}
