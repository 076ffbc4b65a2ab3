//! Two runs, or two groups of runs, side by side, as blocks.

use crate::block::{self, Block, Cell, Column, Emphasis, Row, Table, Text};
use crate::numbers::{self, Shown};
use crate::{finds, runs};
use model::{Comparison, Condition, Difference, DriveChange, Estimate, Finds, OtherCondition};

/// Names of the runs before and after.
pub type Sides = (Vec<String>, Vec<String>);

/// Of more figures than this the first ones are shown: those that are the same are the last.
pub(crate) const ROWS_MOST: usize = 32;
/// The same of drives.
const DRIVES_MOST: usize = 12;

/// What was compared, and what was found.
pub fn blocks(found: &Comparison, sides: &Sides) -> Vec<Vec<Block>> {
    let mut drives: Vec<&DriveChange> = found.drives.iter().collect();
    drives.sort_by(|a, b| finds::before((a.finds, 0.0), (b.finds, 0.0)));
    let (drives, more_drives) = drives.split_at(drives.len().min(DRIVES_MOST));
    let of = if found.drives.is_empty() { "" } else { "Of the figures " };
    let head = std::iter::once(Block::Headline(title(sides)))
        .chain(block::list(drives.iter().map(|one| drive(one)), Emphasis::Plain))
        .chain(finds::more(more_drives.iter().map(|one| one.finds)))
        .chain([Block::paragraph(format!("{of}{}.", counts(found)))])
        .chain(other_conditions(found).map(|text| Block::Paragraph(Text::new(text, Emphasis::Warn))))
        .collect();
    let sorted = sorted(found);
    let (shown, more) = sorted.split_at(sorted.len().min(ROWS_MOST));
    let more = finds::more(more.iter().map(|one| one.finds));
    let table = std::iter::once(rows(["before", "after"], shown).into()).chain(more).collect();
    let notes = block::list(notes(found), Emphasis::Plain);
    vec![head, table, notes.into_iter().collect()]
}

/// The differences, what is worse first, with the names of both sides.
pub(crate) fn table(sides: [&str; 2], found: &Comparison) -> Table {
    rows(sides, &sorted(found))
}

fn rows(sides: [&str; 2], differences: &[&Difference]) -> Table {
    let columns = ["finds", "target", "pattern"].map(Column::left).into_iter().chain(sides.map(Column::right));
    Table::new(columns.chain([Column::right("change")]), differences.iter().map(|one| row(one)))
}

/// `Not the same on both sides: cluster 3f2a9c1b before, 77d01c2e after.`
fn other_conditions(found: &Comparison) -> Option<String> {
    let one = |one: &OtherCondition| {
        let [before, after] = sides_of(one);
        format!("{} {before} before, {after} after", one.what.name())
    };
    let all: Vec<String> = found.conditions.iter().map(one).collect();
    (!all.is_empty()).then(|| format!("Not the same on both sides: {}.", all.join("; ")))
}

/// More hosts than this on a side are counted.
const HOSTS_MOST: usize = 8;

fn sides_of(one: &OtherCondition) -> [String; 2] {
    let short = |side: &[String]| side.iter().map(|fsid| runs::short(fsid).to_string()).collect::<Vec<_>>();
    let sides = [&one.before, &one.after];
    let shortened = sides.map(|side| short(side));
    // They differ, and have to look it.
    let sides = match one.what == Condition::Cluster && shortened[0] != shortened[1] {
        true => shortened,
        false => sides.map(|side| side.clone()),
    };
    sides.map(|side| match side.len().saturating_sub(HOSTS_MOST) {
        0 => side.join(", "),
        more => format!("{} and {more} more", side[..HOSTS_MOST].join(", ")),
    })
}

/// `worse: /dev/sdb was fit, and is unfit`.
fn drive(one: &DriveChange) -> String {
    let DriveChange { target, before, after, finds } = one;
    match before == after {
        true => format!("{}: {target} is {} on both sides", finds.name(), after.name()),
        false => format!("{}: {target} was {}, and is {}", finds.name(), before.name(), after.name()),
    }
}

fn title((before, after): &Sides) -> String {
    format!("Run {} against {}", after.join(", "), before.join(", "))
}

fn counts(found: &Comparison) -> String {
    finds::counts(found.differences.iter().map(|one| one.finds))
}

pub(crate) fn sorted(found: &Comparison) -> Vec<&Difference> {
    let mut sorted: Vec<&Difference> = found.differences.iter().collect();
    sorted.sort_by(|a, b| finds::before((a.finds, a.change.value), (b.finds, b.change.value)));
    sorted
}

/// What was found, of which target and pattern, both values, and the change.
fn row(one: &Difference) -> Row {
    let value = |estimate: &Estimate, known: bool| match known {
        true => {
            let Shown { value, within, unit } = numbers::figure(estimate, one.figure.metric);
            Cell { within, ..Cell::from(format!("{value} {unit}")) }
        }
        false => Cell::from(numbers::UNKNOWN[0]),
    };
    let change = match changes_known(one) {
        true => {
            let [value, within] = numbers::change_parts(&one.change);
            Cell { within, ..Cell::from(value) }
        }
        false => Cell::from(numbers::UNKNOWN[0]),
    };
    let further = [value(&one.before, one.before_known), value(&one.after, one.after_known), change];
    let front = finds::cells(one.finds, &one.figure).map(Cell::from);
    Row::new(front.into_iter().chain(further)).with(finds::emphasis(one.finds))
}

fn changes_known(one: &Difference) -> bool {
    one.before_known && one.after_known
}

/// `−12 % (−18 to −5)`: the value, and its 95 % interval.
pub(crate) fn change(one: &Difference) -> String {
    match changes_known(one) {
        true => numbers::change_between(&one.change),
        false => numbers::UNKNOWN[0].to_string(),
    }
}

/// `None`: nothing did.
pub(crate) fn came_to_nothing(lost: &[String]) -> Option<String> {
    (!lost.is_empty()).then(|| format!("Measured before, but not in the later run: {}.", finds::names(lost)))
}

/// How many figures were neither the same nor different, why, and what it would take.
fn undecided(found: &Comparison) -> Option<String> {
    let open = || found.differences.iter().filter(|one| one.finds == Finds::Undecided);
    let median = median_width(&mut open().filter(|one| !is_large(&one.change)));
    let large = open().filter(|one| is_large(&one.change)).count();
    let why = match (median, large) {
        (None, 0) => return None,
        (Some(median), 0) => format!("since their changes are known to {} only (median)", numbers::relative(median)),
        (None, _) => CHANCE.to_string(),
        (Some(median), _) => format!(
            "since their changes are known to {} only (median), or, of {large} of them, {CHANCE}",
            numbers::relative(median)
        ),
    };
    let takes = match found.run_spread {
        Some(_) => "longer runs, several on each side, or both settings in one run (--ab)",
        None => "longer runs, or more of them on each side",
    };
    Some(format!(
        "{} of {} undecided: whether they differ or are the same can't be said, {why}. It takes {takes}.",
        numbers::count(open().count() as u64),
        numbers::counted(found.differences.len() as u64, "figure is", "figures are"),
    ))
}

/// What the interval of a change, made of what was seen, does not hold: events that no slice met, and that many figures are compared.
const CHANCE: &str =
    "since a change as large as theirs may be chance where each was seen at so few moments, or so many are compared";
/// A difference is shown from this share on (docs/method.md, "Comparing runs").
const SHOWN_FROM: f64 = 0.05;

/// Is all of its interval a difference that would be shown?
fn is_large(change: &Estimate) -> bool {
    change.low > SHOWN_FROM || change.high < -SHOWN_FROM
}

fn median_width(some: &mut dyn Iterator<Item = &Difference>) -> Option<f64> {
    let mut widths: Vec<f64> = some.map(|one| (one.change.high - one.change.low) / 2.0).collect();
    widths.sort_by(f64::total_cmp);
    widths.get(widths.len() / 2).copied()
}

/// Figures that were measured for five minutes and more are taken to differ by this share.
const USUAL_SPREAD: f64 = 0.02;
const BRIEF: &str = " where a figure was measured for less than five minutes (--over 10m measures for longer, --ab compares in one run)";

fn notes(found: &Comparison) -> Vec<String> {
    let only = |which: &str, names: &[String]| {
        (!names.is_empty()).then(|| format!("Only {which}, or of another workload: {}.", finds::names(names)))
    };
    let spread = found.run_spread.map(|spread| {
        format!(
            "Two runs of an unchanged cluster are taken to differ by {}, since a single run can't show this{}; with several runs on each \
             side (A,B,C D,E,F) it is seen instead.",
            numbers::relative(spread),
            if spread > USUAL_SPREAD { BRIEF } else { "" }
        )
    });
    [
        came_to_nothing(&found.lost),
        undecided(found),
        spread,
        only("before", &found.only_before),
        only("after", &found.only_after),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::testing;
    use model::{FigureKey, OpClass, Pattern, Workload};

    /// Does it say that intervals are wide, and that a change may be chance?
    fn said(changes: &[Estimate]) -> (bool, bool) {
        let pattern = Pattern::ReadLinear;
        let open = |change: &Estimate| Difference {
            figure: FigureKey {
                layer: testing::osds(),
                target: "osd.1".to_string(),
                pattern,
                kind: OpClass::Read,
                at_once: 1,
                metric: pattern.metric(testing::osds()),
                chart: true,
                workload: Workload::canonical(pattern, 1 << 30, 1),
            },
            before: Estimate::new(1.0, 0.02),
            after: Estimate::new(1.0 + change.value, 0.02),
            before_known: true,
            after_known: true,
            change: *change,
            finds: Finds::Undecided,
        };
        let found = Comparison { differences: changes.iter().map(open).collect(), ..Comparison::default() };
        let text = undecided(&found).unwrap();
        (text.contains("are known to"), text.contains("may be chance"))
    }

    #[test]
    fn what_is_undecided_for_another_reason_than_its_interval_is_told_with_that() {
        let (large, wide, small) = (Estimate::new(76.0, 40.0), Estimate::new(0.1, 0.4), Estimate::new(0.04, 0.02));
        assert_eq!([said(&[large]), said(&[wide]), said(&[small])], [(false, true), (true, false), (true, false)]);
        assert_eq!(said(&[large, wide]), (true, true));
        assert_eq!(undecided(&Comparison::default()), None);
    }
}
