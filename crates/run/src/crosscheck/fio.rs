//! fio: is it there, what can it do, and what did it say of a load.

use super::child::{self, ChildEnd};
use super::unusable::Unusable;
use model::{Failure, Turn};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::process::Command;

const PROGRAM: &str = "fio";

pub struct Fio {
    /// `fio 3.33`.
    pub version: String,
    engines: Vec<String>,
}

impl Fio {
    pub fn find() -> Result<Fio, Failure> {
        let version = said("--version")?.trim().replace("fio-", "fio ");
        let engines = said("--enghelp")?.lines().map(|line| line.trim().to_string()).collect();
        Ok(Fio { version, engines })
    }

    /// Is this engine in it?
    pub fn needs(&self, engine: &str) -> Result<(), Failure> {
        if self.engines.iter().any(|known| known == engine) {
            return Ok(());
        }
        let text = format!(
            "{} has no engine {engine}; Debian's and Ubuntu's package fio has it, on Fedora and RHEL it is in the package \
             fio-engine-{engine}",
            self.version
        );
        Err(Failure::Failed(text))
    }

    /// One load. `watch` is asked all the while whether to go on; its text says why not.
    ///
    /// `Ok(None)`: it was ended because `watch` said so with an empty text.
    pub fn load(
        &self,
        job: &str,
        environment: &[(&str, String)],
        limit: f64,
        watch: &mut dyn FnMut() -> Option<String>,
    ) -> Result<Option<Turn>, Unusable> {
        let mut command = child::tied(PROGRAM);
        command.args(["--output-format=json", "--eta=never", "-"]).envs(environment.iter().map(|(k, v)| (k, v)));
        match child::run(command, job, limit, watch)? {
            ChildEnd::Stopped(why) if why.is_empty() => Ok(None),
            ChildEnd::Stopped(why) => Err(Unusable::Broken(why)),
            ChildEnd::Done { out, err, status } => turn(&out).map(Some).map_err(|why| {
                let first = err.lines().map(str::trim).find(|line| !line.is_empty());
                let said = first.map(|line| format!(": {line}")).unwrap_or_default();
                why.map(|why| format!("{}: {why} ({status}){said}", self.version))
            }),
        }
    }
}

fn said(argument: &str) -> Result<String, Failure> {
    let output = Command::new(PROGRAM).arg(argument).output().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Failure::Failed(
            "fio is not on this host, and a crosscheck compares with it; it is in the package fio (apt-get install fio, dnf \
             install fio)"
                .to_string(),
        ),
        _ => Failure::Failed(format!("fio can't be started: {error}")),
    })?;
    if !output.status.success() {
        let err = String::from_utf8_lossy(&output.stderr).trim().to_string();
        return Err(Failure::Failed(format!("fio {argument} failed ({}): {err}", output.status)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[derive(Deserialize)]
struct Document {
    jobs: Vec<Job>,
}

#[derive(Deserialize)]
struct Job {
    #[serde(default)]
    error: i32,
    mixed: Option<Side>,
    read: Option<Side>,
    write: Option<Side>,
}

#[derive(Deserialize)]
struct Side {
    #[serde(default)]
    total_ios: u64,
    iops: f64,
    lat_ns: Option<Times>,
}

#[derive(Deserialize)]
struct Times {
    mean: f64,
    #[serde(default)]
    percentile: BTreeMap<String, f64>,
}

/// What fio's JSON says of the one group of jobs, both kinds together. There may be other text before and after it.
fn turn(text: &str) -> Result<Turn, Unusable> {
    let begin = if text.starts_with('{') { Some(0) } else { text.find("\n{").map(|at| at + 1) };
    let begin = begin.ok_or_else(no_result)?;
    let mut documents = serde_json::Deserializer::from_str(&text[begin..]).into_iter::<Document>();
    let document = documents.next().ok_or_else(no_result)?;
    let document = document.map_err(|error| format!("its result can't be read: {error}"))?;
    let [job] = document.jobs.as_slice() else {
        return Err(format!("it told of {} groups of jobs instead of one", document.jobs.len()).into());
    };
    if job.error != 0 {
        return Err(format!("an operation failed: {}", std::io::Error::from_raw_os_error(job.error)).into());
    }
    let sides: Vec<&Side> = match &job.mixed {
        Some(mixed) => vec![mixed],
        None => job.read.iter().chain(&job.write).collect(),
    };
    let sides: Vec<&Side> = sides.into_iter().filter(|side| side.total_ios > 0).collect();
    together(&sides).ok_or_else(Unusable::empty)
}

fn no_result() -> String {
    "it gave no result".to_string()
}

/// Rates add up; of times the mean over the operations.
fn together(sides: &[&Side]) -> Option<Turn> {
    let (mut iops, mut operations, mut sum_ns) = (0.0, 0.0, 0.0);
    for side in sides {
        iops += side.iops;
        operations += side.total_ios as f64;
        sum_ns += side.total_ios as f64 * side.lat_ns.as_ref()?.mean;
    }
    let p99 = match sides {
        [only] => only.lat_ns.as_ref().and_then(|times| times.percentile.get("99.000000")).map(|ns| ns / 1e6),
        _ => None,
    };
    let turn = Turn { iops, mean_ms: sum_ns / operations / 1e6, p99_ms: p99 };
    (turn.iops > 0.0 && turn.mean_ms > 0.0).then_some(turn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Of fio 3.33, two jobs of a mixed load in one group.
    const RECORDED: &str = include_str!("recorded/mixed.json");
    /// Of fio 3.33, an image that is not there.
    const NOT_THERE: &str = include_str!("recorded/no_such_image.json");

    #[test]
    fn recorded_output_is_understood() {
        let told = turn(RECORDED).unwrap();
        assert_eq!((told.iops, told.p99_ms), (325_890.054973, Some(0.309248)));
        assert!((told.mean_ms - 0.098043984347).abs() < 1e-12);
        // fio speaks before and after its result.
        assert_eq!(turn(&format!("fio: this file is old\n{RECORDED}\nfio: done\n")).unwrap(), told);
    }

    #[test]
    fn without_one_figure_for_both_kinds_they_are_added() {
        let two = r#"{"jobs": [{"error": 0,
            "read": {"iops": 300.0, "total_ios": 300, "lat_ns": {"mean": 1000000.0}},
            "write": {"iops": 100.0, "total_ios": 100, "lat_ns": {"mean": 5000000.0}},
            "trim": {"iops": 0.0, "total_ios": 0, "lat_ns": {"mean": 0.0}}}]}"#;
        assert_eq!(turn(two), Ok(Turn { iops: 400.0, mean_ms: 2.0, p99_ms: None }));
    }

    #[test]
    fn what_is_no_result_is_said() {
        let cases = [
            ("", "no result"),
            ("fio: nothing\n", "no result"),
            (r#"{"jobs": []}"#, "0 groups"),
            (r#"{"jobs": [{"error": 28}]}"#, "No space left"),
            (r#"{"jobs": [{"error": 0, "read": {"iops": 0.0, "total_ios": 0}}]}"#, "no operation"),
            (r#"{"jobs": [{"error": 0, "read": {"iops": -nan, "total_ios": 1}}]}"#, "can't be read"),
            (r#"{"jobs": [{"#, "can't be read"),
            (NOT_THERE, "no operation"),
        ];
        for (text, word) in cases {
            let why = turn(text).unwrap_err();
            assert_eq!(matches!(why, Unusable::Empty(_)), word == "no operation", "{text}");
            assert!(why.to_string().contains(word), "{text}: {why}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(cut in 0..RECORDED.len(), text in "\\PC*") {
            let _ = (turn(&text), RECORDED.get(..cut).map(turn));
            let _ = turn(&format!("{}{text}", RECORDED.get(..cut).unwrap_or("")));
        }
    }
}
