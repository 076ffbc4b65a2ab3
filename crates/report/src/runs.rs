//! The list of runs.

use crate::block::{Block, Column, Row, Table, Text};
use crate::numbers;
use model::{Ending, RunPlace};

/// One line of the list.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRow {
    pub run: String,
    /// As it was typed.
    pub command: String,
    pub seconds: f64,
    /// `lab:NAME` of a lab.
    pub cluster: Option<String>,
    pub place: RunPlace,
    /// Slices measured so far.
    pub slices: usize,
    /// `None`: it goes on, or it was killed.
    pub ending: Option<Ending>,
}

/// The newest first, as they are given. A run's name begins with its date and time, UTC.
pub fn blocks(rows: &[RunRow]) -> Vec<Vec<Block>> {
    if rows.is_empty() {
        return vec![vec![Block::Paragraph(Text::with_commands("no runs yet; `fathom run` makes one"))]];
    }
    let columns = [Column::left("run, UTC")].into_iter().chain(["took", "slices"].map(Column::right));
    let columns = columns.chain(["what", "state", "cluster"].map(Column::left));
    let row = |row: &RunRow| {
        Row::new([
            row.run.clone(),
            numbers::seconds(roughly(row.seconds)),
            numbers::count(row.slices as u64),
            what(&row.command),
            state(row.ending).to_string(),
            cluster(row),
        ])
    };
    vec![vec![Table::new(columns, rows.iter().map(row)).into()]]
}

/// The command, and on which layers if it says so: `rbd`, `sweep disk`, `run osd, rbd`.
fn what(command: &str) -> String {
    let words: Vec<&str> = command.split_whitespace().skip(1).collect();
    // Options that stand before a command have a value, but for these.
    let of_option = |at: usize| {
        let before = at.checked_sub(1).map_or("", |before| words[before]);
        before.starts_with('-') && !before.contains('=') && !["-q", "--quiet", "--details"].contains(&before)
    };
    let command = words.iter().enumerate().position(|(at, word)| COMMANDS.contains(word) && !of_option(at));
    let Some(at) = command else { return numbers::NOTHING.to_string() };
    let layers = words.iter().enumerate().find_map(|(at, word)| match word.strip_prefix("--layers") {
        Some("") => words.get(at + 1).copied(),
        Some(rest) => rest.strip_prefix('='),
        None => None,
    });
    let layers = layers.map(|layers| layers.replace(',', ", "));
    let swept = words.get(at + 1).copied().filter(|_| ["sweep", "crosscheck"].contains(&words[at]));
    [Some(words[at]), swept, layers.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// Those that make runs.
const COMMANDS: [&str; 17] = [
    "run",
    "diagnose",
    "prove",
    "disk",
    "network",
    "floor",
    "store",
    "osd",
    "rados",
    "rbd",
    "file",
    "object",
    "guest",
    "fio",
    "sweep",
    "import",
    "crosscheck",
];

/// A lab's name may be that of another cluster by now: the fsid tells them apart.
fn cluster(row: &RunRow) -> String {
    match &row.place {
        RunPlace::Cluster(fsid) => {
            let name = row.cluster.iter().cloned();
            name.chain([short(fsid).to_string()]).collect::<Vec<_>>().join(" ")
        }
        RunPlace::Host(host) => format!("none, on {host}"),
        RunPlace::OwnLab(host) => format!("its own lab, on {host}"),
        RunPlace::Untold => numbers::NOTHING.to_string(),
    }
}

/// The first part of an fsid, which tells a few clusters apart.
pub(crate) fn short(fsid: &str) -> &str {
    fsid.split('-').next().unwrap_or(fsid)
}

/// Seconds say nothing beside many minutes.
fn roughly(seconds: f64) -> f64 {
    if seconds < 600.0 { seconds } else { (seconds / 60.0).round() * 60.0 }
}

/// In the list, and in its JSON.
pub fn state(ending: Option<Ending>) -> &'static str {
    match ending {
        Some(Ending::Done) => "done",
        Some(Ending::Stopped) => "stopped",
        Some(Ending::Failed) => "failed",
        None => "no end",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_told_by_its_name_and_layers() {
        for (command, told) in [
            ("fathom disk /dev/sdx --block-size 4k", "disk"),
            ("/usr/bin/fathom --quiet run --lab --layers osd,rbd", "run osd, rbd"),
            ("fathom run --layers=device", "run device"),
            ("fathom --id rbd run --layers rados", "run rados"),
            ("fathom -q --id=rbd rados", "rados"),
            ("fathom sweep rados --axis depth=1,2", "sweep rados"),
            ("", "–"),
        ] {
            assert_eq!(what(command), told, "{command}");
        }
    }
}
