//! `fathom import`: what fio, rados bench and elbencho measured, into the archive, to be shown and compared.

use crate::cli::{Common, Format, ImportArgs};
use crate::output::say_plain;
use archive::Archive;
use cluster::text_file;
use jiff::{SignedDuration, Timestamp};
use languages::{ImportedOperations, Results};
use model::{Failure, Imported, RunHead};
use serde_json::json;
use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

/// Beyond this nothing is a summary of results: a log of single operations, a disk.
const LARGEST: u64 = 256 << 20;

/// A file that was understood.
struct Import {
    head: RunHead,
    results: Results,
}

pub fn run(common: &Common, args: &ImportArgs) -> Result<u8, Failure> {
    let imports = all(args)?;
    let path = common.archive.clone().unwrap_or_else(archive::default_path);
    let known: Vec<String> = Archive::open(&path)?.runs()?.into_iter().map(|run| run.run).collect();
    let mut seen = known.clone();
    for import in &imports {
        let Imported { file, .. } = import.head.imported.clone().unwrap_or_default();
        if seen.contains(&import.head.run) {
            let run = &import.head.run;
            return Err(Failure::Usage(format!(
                "{file}: is in the archive already, as run {run} (`fathom show {run}`)"
            )));
        }
        seen.push(import.head.run.clone());
    }
    for import in &imports {
        store(&path, import)?;
    }
    say_plain(&told(common.format, &imports))?;
    Ok(0)
}

/// All files, or none: what is wrong with any of them is said at once.
fn all(args: &ImportArgs) -> Result<Vec<Import>, Failure> {
    let mut wrong = Vec::new();
    let mut imports = Vec::new();
    for file in &args.files {
        match import(file, args.target.as_deref()) {
            Ok(import) => imports.push(import),
            Err(text) => wrong.push(text),
        }
    }
    if wrong.is_empty() { Ok(imports) } else { Err(Failure::Usage(wrong.join("\nfathom: "))) }
}

fn import(file: &Path, renamed: Option<&str>) -> Result<Import, String> {
    let shown = if file == Path::new("-") { "standard input".to_string() } else { file.display().to_string() };
    let (text, modified) = text_of(file).map_err(|error| format!("{shown}: {error}"))?;
    let mut results = languages::read(&text).map_err(|why| format!("{shown}: {why}"))?;
    if let Some(name) = renamed {
        let mut targets: Vec<&str> = results.measured.iter().map(|one| one.target.as_str()).collect();
        targets.dedup();
        if let [first, second, ..] = targets.as_slice() {
            return Err(format!("{shown}: --target names one target, and this file has several: {first}, {second}"));
        }
        results.measured.iter_mut().for_each(|one| one.target = name.to_string());
    }
    let seconds: f64 =
        results.measured.iter().map(|one| one.told.iter().map(ImportedOperations::seconds).fold(0.0, f64::max)).sum();
    let ended = results.ended.unwrap_or(modified);
    let length = SignedDuration::try_from_secs_f64(seconds).unwrap_or_default();
    let started = ended.checked_sub(length).unwrap_or(ended);
    let head = RunHead {
        // The same file is the same run, so that it is taken only once.
        run: format!("{}-{:04x}", started.strftime("%Y%m%d-%H%M%S"), checksum(&text)),
        started: started.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        command: crate::typed::command_line(),
        imported: Some(Imported { tool: results.tool.clone(), file: shown }),
        short_answers: false,
        own_lab: false,
    };
    Ok(Import { head, results })
}

/// And when it was last written to.
fn text_of(file: &Path) -> Result<(String, Timestamp), String> {
    if file == Path::new("-") {
        let text = text_file::text_of(&mut std::io::stdin(), LARGEST).map_err(explained)?;
        return Ok((text, Timestamp::now()));
    }
    let mut opened = File::open(file).map_err(|error| error.to_string())?;
    let modified = opened.metadata().and_then(|metadata| metadata.modified()).ok();
    let modified = modified.and_then(|time| Timestamp::try_from(time).ok()).unwrap_or_else(Timestamp::now);
    Ok((text_file::text_of(&mut opened, LARGEST).map_err(explained)?, modified))
}

fn explained(error: std::io::Error) -> String {
    match error.kind() {
        ErrorKind::InvalidData => format!("{error}; import what the tool printed, uncompressed"),
        _ => error.to_string(),
    }
}

/// FNV-1a (Fowler, Noll, Vo), folded to 16 bits.
fn checksum(text: &str) -> u16 {
    let hash = text.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    ((hash >> 16) ^ (hash & 0xffff)) as u16
}

fn store(path: &Path, import: &Import) -> Result<(), Failure> {
    let mut writer = Archive::open(path)?.writer();
    for event in languages::events(&import.results, import.head.clone(), &judge::whole) {
        if let Err(error) = writer.store(&event) {
            // Nothing half-done; if that fails as well, the first error says why.
            let _ = writer.archive().remove(&import.head.run);
            return Err(error.into());
        }
    }
    Ok(())
}

fn told(format: Format, imports: &[Import]) -> String {
    if format == Format::Json {
        let run = |import: &Import| {
            json!({"run": import.head.run, "started": import.head.started, "imported": import.head.imported,
                "figures": figures(import), "notes": import.results.notes})
        };
        return format!(
            "{:#}\n",
            json!({"schema": "fathom.import/1", "runs": imports.iter().map(run).collect::<Vec<_>>()})
        );
    }
    let mut text = String::new();
    for import in imports {
        let Imported { tool, file } = import.head.imported.clone().unwrap_or_default();
        let (run, figures) = (&import.head.run, figures(import));
        let counted = if figures == 1 { "1 figure".to_string() } else { format!("{figures} figures") };
        text += &format!("run {run}: {counted} of {tool} from {file}\n");
        text.extend(import.results.notes.iter().map(|note| format!("  {note}\n")));
    }
    text
}

fn figures(import: &Import) -> usize {
    import.results.measured.iter().map(|one| one.told.len()).sum()
}
