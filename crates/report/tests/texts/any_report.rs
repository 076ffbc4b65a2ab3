//! Whatever a report holds, no face falls over, nothing commands the terminal, and the document stays a document.

use crate::{anything, schema};
use model::{Record, Report, RunHead, Subscriber};
use proptest::collection::vec;
use proptest::prelude::*;
use report::export::{csv, fio, openmetrics};
use report::progress::Progress;
use report::terminal::{self, Detail, Style};
use report::{html, json, markdown};
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn harmless(text: &str) -> bool {
    text.chars().all(|c| c == '\n' || !(c.is_control() || c == '\u{202e}'))
}

/// As a Prometheus reads a sample, to its end: `name{label="value",…} number`; values with their escapes undone.
fn sample(line: &str) -> Option<Vec<(String, String)>> {
    let is_name = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let (name, mut rest) = line.split_once('{')?;
    let mut labels = Vec::new();
    while is_name(name) {
        let (label, quoted) = rest.split_once("=\"")?;
        let (mut value, mut chars) = (String::new(), quoted.chars());
        loop {
            match chars.next()? {
                '"' => break,
                '\\' => value.push(match chars.next()? {
                    'n' => '\n',
                    c @ ('"' | '\\') => c,
                    _ => return None,
                }),
                c => value.push(c),
            }
        }
        labels.push((label.to_string(), value));
        rest = chars.as_str();
        match rest.strip_prefix("} ") {
            Some(number) => {
                let whole = number.parse::<f64>().is_ok() && labels.iter().all(|(label, _)| is_name(label));
                return whole.then_some(labels);
            }
            None => rest = rest.strip_prefix(',')?,
        }
    }
    None
}

#[test]
fn what_breaks_a_line_is_read_back_from_openmetrics() {
    let name = "pool \"a\\b\"} 1\nfathom_x 2";
    let head = RunHead { run: name.to_string(), ..RunHead::default() };
    let text = openmetrics::live(&Report { head, ..Report::default() }, &openmetrics::Course::default());
    let samples: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(!samples.is_empty());
    for line in samples {
        assert_eq!(sample(line), Some(vec![("run".to_string(), name.to_string())]), "{line}");
    }
}

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn every_face_shows_any_report(
        report in anything::report(), scope in anything::scope(), plan in anything::plan(), width in 0..200usize,
    ) {
        let record = Record { head: report.head.clone(), scope, plan, ..Record::default() };
        let style = Style { width, colours: false };
        let summary = terminal::summary(&report, &record.scope, Detail::Full, &style);
        prop_assert!(harmless(&summary), "{summary:?}");
        prop_assert!(harmless(&terminal::summary(&report, &record.scope, Detail::Short, &style)));
        prop_assert!(harmless(&terminal::text(&report::plan::blocks(&record.plan, report.seconds), &style)));
        prop_assert!(harmless(&markdown::page(&report, &record)));
        terminal::summary(&report, &record.scope, Detail::Full, &Style { width, colours: true });
        html::page(&report, &record);
        let document = json::document(&report, &record);
        let faults = schema::faults(&document);
        prop_assert!(faults.is_empty(), "{faults:?}");
        let back: serde_json::Value = serde_json::from_str(&document.to_string()).unwrap();
        // Numbers may come back with another last digit; the shape may not change.
        prop_assert_eq!(schema::faults(&back), faults);
    }

    #[test]
    fn progress_survives_any_events(events in vec(anything::event(), 0..20)) {
        let out = Shared::default();
        let style = Style { width: 80, colours: false };
        let mut progress = Progress::lines(Box::new(out.clone()), style, Box::new(|| Duration::from_secs(1)));
        for event in &events {
            progress.take(event).unwrap();
        }
        let told = String::from_utf8(out.0.lock().unwrap().clone()).unwrap();
        prop_assert!(harmless(&told), "{told:?}");
    }
}

proptest! {
    #[test]
    fn any_run_becomes_whole_tables_and_documents(report in anything::report(), plan in anything::plan()) {
        let record = Record { plan, ..Record::default() };
        let text = csv::figures(&report);
        let lines = ::csv::Reader::from_reader(text.as_bytes()).records().collect::<Result<Vec<_>, _>>();
        prop_assert_eq!(lines.unwrap().len(), report.figures.len());
        let again: serde_json::Value = serde_json::from_str(&fio::document(&report, &record).to_string()).unwrap();
        prop_assert!(again["jobs"].is_array());
        let metrics = openmetrics::text(&report);
        prop_assert!(metrics.ends_with("# EOF\n"));
        for line in metrics.lines().filter(|line| !line.starts_with('#')) {
            prop_assert!(line.starts_with("fathom_") && sample(line).is_some(), "{}", line);
        }
    }
}
