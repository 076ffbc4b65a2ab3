//! `docs/causes.md`: what was run, on what, the table, what was told wrongly with its figures, and what is not told apart yet.

use crate::expected::Expected;
use crate::table::{self, Row};
use crate::told::Outcome;
use std::fs;

pub struct Head {
    pub repeats: u32,
    pub seed: u64,
    pub backing: String,
    pub version: String,
    /// Of the machine: before and after.
    pub load: [String; 2],
}

pub fn written(head: &Head, rows: &[Row], clean: &[Outcome]) -> String {
    let mut text = format!(
        "# Does it find the cause?\n\
         `make causes` makes every fault of a lab (three hosts, six OSDs, {}), one after the other, on an OSD, host or pair of hosts that is drawn by chance, and asks the real program: \
         `fathom audit`, then `fathom diagnose --layers rados` (of a pool or an image that is the fault's own: that one). What is right stands in `crates/bench/src/bin/causes/expected.rs`. This document is written by it.\n\n\
         Fathom {}, {} run{} of each fault, seed {}, {}. Load average of the machine before and after: {}; {}. Few runs: take them as signs, not as rates.\n\n```\n{}\n```\n\n\
         *first*: the first finding of the diagnosis is a right one, of the right subject; *subject*: it is of the right subject, whatever it says; *confirmed*, *hint*: the right one is anywhere among what the \
         diagnosis has confirmed, or among hints of it or of the audit; *elsewhere*: runs in which something else was confirmed; *cost holds*: what all writes would take without the right cause, as it was told, lies between what they took before the fault was on and what they take once it is off, each with its own error (only where that was told); *fault off*: those diagnoses, which are to confirm nothing; *seconds*: from the command that tells the right cause to its end, the median.\n",
        head.backing,
        head.version,
        head.repeats,
        if head.repeats == 1 { "" } else { "s" },
        head.seed,
        machine(),
        head.load[0],
        head.load[1],
        table::lines(rows, clean).join("\n"),
    );
    text += "\n## Not told, or told wrongly\n";
    let mut none = true;
    for (expected, outcomes) in rows.iter().filter(|(expected, _)| !expected.causes.is_empty()) {
        for outcome in outcomes.iter().filter(|one| one.failed.is_none()) {
            if !outcome.first_is_right(expected) || !outcome.wrong(Some(expected)).is_empty() {
                text += &wrong(expected.fault, outcome);
                none = false;
            }
        }
    }
    for (expected, outcomes) in rows {
        for outcome in outcomes {
            if let Some(cost) = outcome.cost.as_ref().filter(|cost| !cost.holds()) {
                text += &format!(
                    "\n**{}**, what it costs: all writes took {}.\n",
                    named(expected.fault, outcome),
                    cost.words()
                );
                none = false;
            }
            if !outcome.wrong_after().is_empty() {
                let names = outcome.wrong_after().iter().map(|told| told.name()).collect::<Vec<_>>().join(", ");
                text += &format!("\n**{}**, once it is off: {names}.\n", named(expected.fault, outcome));
                none = false;
            }
        }
    }
    for outcome in clean.iter().filter(|one| !one.wrong(None).is_empty()) {
        text += &wrong("no fault", outcome);
        none = false;
    }
    text += if none { "Nothing.\n" } else { "" };
    text += "\n## No rule yet, or not to be told by these commands\n";
    for row in rows.iter().map(|(expected, _)| expected).filter(|expected| !expected.open.is_empty()) {
        text += &format!("- **{}**: {}.\n", row.fault, row.open);
    }
    text + &not_made(rows)
}

fn wrong(fault: &str, outcome: &Outcome) -> String {
    let names = |all: &[crate::told::Told]| match all {
        [] => "nothing".to_string(),
        _ => all.iter().map(crate::told::Told::name).collect::<Vec<_>>().join(", "),
    };
    let mut text = format!(
        "\n**{}**: the diagnosis told {}; the audit {}.\n",
        named(fault, outcome),
        names(&outcome.found),
        names(&outcome.hints)
    );
    if !outcome.positions.is_empty() {
        text += &format!("```\n{}\n```\n", outcome.positions.join("\n"));
    }
    text
}

/// `stutter osd.3`
fn named(fault: &str, outcome: &Outcome) -> String {
    [fault].into_iter().chain(outcome.target.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
}

fn not_made(rows: &[Row]) -> String {
    let why = |row: &Row| {
        let failed = row.1.iter().find_map(|outcome| outcome.failed.clone())?;
        Some(format!("- **{}** was not measured: {failed}.\n", row.0.fault))
    };
    rows.iter().filter_map(why).collect()
}

/// What is known of the rule's absence, for the terminal.
pub fn open(rows: &[Row]) -> Vec<&'static Expected> {
    rows.iter().map(|(expected, _)| *expected).filter(|expected| !expected.open.is_empty()).collect()
}

fn machine() -> String {
    let processors = std::thread::available_parallelism().map_or(0, usize::from);
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib =
        memory.lines().find_map(|line| line.strip_prefix("MemTotal:")?.split_whitespace().next()?.parse::<f64>().ok());
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!(
        "on a shared machine with {processors} processors and {:.0} GiB, Linux {}",
        kib.unwrap_or(0.0) / f64::from(1 << 20),
        // Whose build it is says nothing.
        kernel.split('.').take(2).collect::<Vec<_>>().join(".")
    )
}

pub fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().unwrap_or("?").to_string()
}
