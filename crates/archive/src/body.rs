//! Events as rows: which are kept, under which name, and in which form they come back.

use crate::error::ArchiveError;
use crate::slices;
use crate::stream::Sent;
use crate::windows::Windows;
use model::{Ending, Event, Observation, Plan, RunHead, RunPlace, Scope, Undo};
use rusqlite::types::{Value, ValueRef};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

#[derive(Serialize, Deserialize, PartialEq)]
struct Started {
    head: RunHead,
    scope: Scope,
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Ended {
    seconds: f64,
    /// `None`: the run of an older release, which did not tell it.
    #[serde(default)]
    ending: Option<Ending>,
}

/// A row: its kind and its body, text of JSON or a blob of slices.
type Row = (Cow<'static, str>, Value);

/// The rows of an event, made one by one: slices of a thousand hosts are too much for one. None: it tells what goes on,
/// not what is known, and is not kept.
/// `sent`: samples that are in the file already.
pub(crate) fn rows<'a>(event: &'a Event, sent: &'a Sent) -> Box<dyn Iterator<Item = Result<Row, ArchiveError>> + 'a> {
    match event {
        Event::StepFinished { slices, .. } => {
            let blob = |part| slices::encode(part, sent).map_err(|_| ArchiveError::NotFinite { what: "a slice" });
            Box::new(slices::parts(slices, sent).map(move |part| Ok(("slices".into(), Value::Blob(blob(part)?)))))
        }
        other => Box::new(row(other).transpose().into_iter()),
    }
}

fn row(event: &Event) -> Result<Option<Row>, ArchiveError> {
    let row = match event {
        Event::Observed { observation } => return observed(observation).map(Some),
        Event::RunStarted { head, scope } => {
            ("started", exact(&Started { head: head.clone(), scope: scope.clone() }, "the scope")?)
        }
        Event::Planned { plan } => ("plan", exact(plan, "the plan")?),
        Event::Overhead { overhead } => ("overhead", exact(overhead, "the overhead")?),
        Event::Changed { undo } => ("change", exact(undo, "a change")?),
        // A picture is made anew from the slices whenever it is wanted; this one keeps what was shown at the time.
        Event::PassFinished { report, .. } => ("picture", json(report)?),
        Event::Warned { text } => ("warning", exact(text, "a warning")?),
        Event::Verified { verified } => ("verified", exact(verified, "what was verified")?),
        Event::Sustained { sustained } => ("sustained", exact(sustained, "a sustained test")?),
        Event::Failed { text } => ("error", exact(text, "an error")?),
        Event::RunFinished { seconds, ending } => {
            ("finished", exact(&Ended { seconds: *seconds, ending: Some(*ending) }, "the end of the run")?)
        }
        // The first two are stored in other ways.
        Event::StepFinished { .. } | Event::Window { .. } | Event::Progress { .. } | Event::StepStarted { .. } => {
            return Ok(None);
        }
    };
    Ok(Some((row.0.into(), row.1)))
}

/// The variant's name is the row's kind, and what it holds the body.
fn observed(observation: &Observation) -> Result<Row, ArchiveError> {
    let refused = || ArchiveError::NotFinite { what: "what was seen beside the load" };
    exact(observation, "what was seen beside the load")?;
    match serde_json::to_value(observation) {
        Ok(serde_json::Value::Object(one)) => {
            let (kind, body) = one.into_iter().next().ok_or_else(refused)?;
            Ok((kind.into(), Value::Text(body.to_string())))
        }
        _ => Err(refused()),
    }
}

/// The event of a row; `None` for rows that a record does not need, or not yet. Errors: in words, for a damaged archive.
pub(crate) fn event(kind: &str, body: ValueRef<'_>, windows: &mut Windows) -> Result<Option<Event>, String> {
    let blob = || body.as_blob().map_err(|error| error.to_string());
    Ok(Some(match kind {
        "started" => {
            let Started { head, scope } = parsed(kind, body)?;
            Event::RunStarted { head, scope }
        }
        "plan" => Event::Planned { plan: plan(parsed(kind, body)?).map_err(|error| format!("{kind}: {error}"))? },
        "overhead" => Event::Overhead { overhead: parsed(kind, body)? },
        "change" => Event::Changed { undo: parsed::<Undo>(kind, body)? },
        "slices" => {
            let slices = slices::decode(blob()?, windows)?;
            Event::StepFinished { pass: slices.first().map_or(0, |slice| slice.pass), slices }
        }
        "windows" => {
            windows.put(blob()?)?;
            return Ok(None);
        }
        "warning" => Event::Warned { text: parsed(kind, body)? },
        "verified" => Event::Verified { verified: parsed(kind, body)? },
        "sustained" => Event::Sustained { sustained: parsed(kind, body)? },
        "error" => Event::Failed { text: parsed(kind, body)? },
        "finished" => {
            let Ended { seconds, ending } = parsed(kind, body)?;
            Event::RunFinished { seconds, ending: ending.unwrap_or_default() }
        }
        seen if Observation::KINDS.contains(&seen) => {
            let body: serde_json::Value = parsed(kind, body)?;
            let tagged = serde_json::json!({ seen: body });
            let observation = serde_json::from_value(tagged).map_err(|error| format!("{kind}: {error}"))?;
            Event::Observed { observation }
        }
        // A picture, or of a kind that only a newer release knows.
        _ => return Ok(None),
    }))
}

/// Of a row that begins a run, whose scope tells of thousands of OSDs: where it was, and nothing else.
pub(crate) fn place(body: &str) -> Result<RunPlace, serde_json::Error> {
    #[derive(Deserialize)]
    struct Started {
        head: Head,
        scope: Place,
    }
    #[derive(Deserialize)]
    struct Head {
        #[serde(default)]
        own_lab: bool,
    }
    #[derive(Deserialize)]
    struct Place {
        #[serde(default)]
        fsid: Option<String>,
        #[serde(default)]
        hosts: Vec<Host>,
    }
    #[derive(Deserialize)]
    struct Host {
        name: String,
        #[serde(default)]
        here: bool,
    }
    let Started { head, scope: Place { fsid, hosts } } = serde_json::from_str(body)?;
    Ok(RunPlace::new(head.own_lab, fsid, hosts.into_iter().find(|host| host.here).map(|host| host.name)))
}

/// Earlier builds kept files of other hosts in a list of their own, `host_files`.
fn plan(mut row: serde_json::Value) -> Result<Plan, serde_json::Error> {
    let files = row.as_object_mut().and_then(|plan| plan.remove("host_files"));
    let changes = row.get_mut("changes").and_then(serde_json::Value::as_array_mut);
    if let (Some(serde_json::Value::Array(mut files)), Some(changes)) = (files, changes) {
        files.iter_mut().for_each(|file| file["change"] = "file".into());
        changes.extend(files);
    }
    serde_json::from_value(row)
}

/// Of a row that ends a run.
pub(crate) fn ending(body: &str) -> Option<Ending> {
    serde_json::from_str::<Ended>(body).ok()?.ending
}

fn json<T: Serialize>(value: &T) -> Result<Value, ArchiveError> {
    serde_json::to_string(value).map(Value::Text).map_err(|_| ArchiveError::NotFinite { what: "a report" })
}

/// JSON has no infinities: what would not come back as it went in is refused, not bent.
fn exact<T: Serialize + DeserializeOwned + PartialEq>(value: &T, what: &'static str) -> Result<Value, ArchiveError> {
    let refused = || ArchiveError::NotFinite { what };
    let text = serde_json::to_string(value).map_err(|_| refused())?;
    match serde_json::from_str::<T>(&text) {
        Ok(back) if back == *value => Ok(Value::Text(text)),
        _ => Err(refused()),
    }
}

fn parsed<T: DeserializeOwned>(kind: &str, body: ValueRef<'_>) -> Result<T, String> {
    let text = body.as_str().map_err(|error| format!("{kind}: {error}"))?;
    serde_json::from_str(text).map_err(|error| format!("{kind}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_hosts_in_a_list_of_their_own_are_changes() {
        let row = serde_json::json!({"changes": [{"change": "file", "path": "/x", "bytes": 7}],
            "host_files": [{"host": "b7", "path": "/y", "bytes": 8}], "steps": [], "goal": model::Goal::default()});
        let files = [model::Change::file(None, "/x".into(), 7), model::Change::file(Some("b7"), "/y".into(), 8)];
        assert_eq!(plan(row).unwrap().changes, files);
    }
}
