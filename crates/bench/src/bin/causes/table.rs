//! How often each fault was told as what it is, aligned for a terminal and a document alike.

use crate::expected::Expected;
use crate::told::Outcome;
use std::collections::BTreeMap;

pub type Row = (&'static Expected, Vec<Outcome>);

const HEADING: [&str; 9] =
    ["fault", "runs", "first", "subject", "confirmed", "hint", "elsewhere", "cost holds", "seconds"];

/// A line for each fault, those of faults that a rule should tell summed up, and the runs without a fault.
pub fn lines(rows: &[Row], clean: &[Outcome]) -> Vec<String> {
    let mut cells: Vec<Vec<String>> = vec![HEADING.iter().chain(&["told first"]).map(ToString::to_string).collect()];
    cells.extend(rows.iter().map(row));
    cells.push(total(rows));
    if !clean.is_empty() {
        cells.push(without(clean));
    }
    cells.extend(after(rows));
    aligned(&cells)
}

fn made(outcomes: &[Outcome]) -> Vec<&Outcome> {
    outcomes.iter().filter(|outcome| outcome.failed.is_none()).collect()
}

fn count(outcomes: &[&Outcome], is: impl Fn(&Outcome) -> bool) -> usize {
    outcomes.iter().filter(|outcome| is(outcome)).count()
}

fn row((expected, outcomes): &Row) -> Vec<String> {
    let runs = made(outcomes);
    let told = match (runs.is_empty(), outcomes.is_empty()) {
        (true, false) => "not made".to_string(),
        (true, true) => "not run".to_string(),
        (false, _) => first_told(&runs),
    };
    let known = !expected.causes.is_empty();
    let of = |is: &dyn Fn(&Outcome) -> bool| if known { count(&runs, is).to_string() } else { "none yet".to_string() };
    let seconds = median(runs.iter().filter_map(|run| run.seconds(expected)).collect());
    let wrong = |run: &Outcome| !run.wrong(Some(expected)).is_empty();
    vec![
        expected.fault.to_string(),
        runs.len().to_string(),
        of(&|run| run.first_is_right(expected)),
        of(&|run| run.first_has_subject(expected)),
        of(&|run| run.confirms(expected)),
        of(&|run| run.hints_at(expected)),
        count(&runs, wrong).to_string(),
        costs(&runs),
        seconds.map_or("–".to_string(), |seconds| format!("{seconds:.0}")),
        told,
    ]
}

fn total(rows: &[Row]) -> Vec<String> {
    let told: Vec<(&Expected, Vec<&Outcome>)> = rows
        .iter()
        .filter(|(expected, _)| !expected.causes.is_empty())
        .map(|(expected, outcomes)| (*expected, made(outcomes)))
        .collect();
    let sum = |is: &dyn Fn(&Expected, &Outcome) -> bool| {
        let each = told.iter().map(|(expected, runs)| count(runs, |run| is(expected, run)));
        each.sum::<usize>().to_string()
    };
    let all = |is: &dyn Fn(&Expected, &Outcome) -> bool| {
        let each = rows.iter().map(|(expected, outcomes)| count(&made(outcomes), |run| is(expected, run)));
        each.sum::<usize>().to_string()
    };
    let seconds = told.iter().flat_map(|(expected, runs)| runs.iter().filter_map(|run| run.seconds(expected)));
    vec![
        "with a rule".to_string(),
        sum(&|_, _| true),
        sum(&|expected, run| run.first_is_right(expected)),
        sum(&|expected, run| run.first_has_subject(expected)),
        sum(&|expected, run| run.confirms(expected)),
        sum(&|expected, run| run.hints_at(expected)),
        all(&|expected, run| !run.wrong(Some(expected)).is_empty()),
        costs(&told.iter().flat_map(|(_, runs)| runs.iter().copied()).collect::<Vec<_>>()),
        median(seconds.collect()).map_or("–".to_string(), |seconds| format!("{seconds:.0}")),
        "(elsewhere: of all runs with a fault)".to_string(),
    ]
}

fn without(clean: &[Outcome]) -> Vec<String> {
    let runs = made(clean);
    let wrong = count(&runs, |run| !run.wrong(None).is_empty());
    let mut cells = vec!["no fault".to_string(), runs.len().to_string()];
    cells.extend(["–", "–", "–", "–"].map(String::from));
    cells.extend([wrong.to_string(), "–".to_string(), "–".to_string(), first_told(&runs)]);
    cells
}

/// Once a fault is off again, of those whose cost was measured.
fn after(rows: &[Row]) -> Option<Vec<String>> {
    let runs: Vec<&Outcome> =
        rows.iter().flat_map(|(_, outcomes)| outcomes).filter(|run| run.after.is_some()).collect();
    let wrong = count(&runs, |run| !run.wrong_after().is_empty()).to_string();
    let none = || "–".to_string();
    let cells =
        vec!["fault off".to_string(), runs.len().to_string(), none(), none(), none(), none(), wrong, none(), none()];
    let told = if runs.iter().all(|run| run.wrong_after().is_empty()) { "nothing confirmed" } else { "see below" };
    (!runs.is_empty()).then(|| cells.into_iter().chain([told.to_string()]).collect())
}

/// `3 of 4`: of those of which it was measured.
fn costs(runs: &[&Outcome]) -> String {
    let known: Vec<_> = runs.iter().filter_map(|run| run.cost.as_ref()).collect();
    let holds = known.iter().filter(|cost| cost.holds()).count();
    if known.is_empty() { "–".to_string() } else { format!("{holds} of {}", known.len()) }
}

/// `osd-store-slow osd.3 2×, nothing`
fn first_told(runs: &[&Outcome]) -> String {
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for run in runs {
        let name = run.found.first().map_or("nothing".to_string(), |told| {
            format!("{}{}", told.rule, if told.confirmed { "" } else { " (hint)" })
        });
        *names.entry(name).or_default() += 1;
    }
    let mut names: Vec<(String, usize)> = names.into_iter().collect();
    names.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let name = |(name, times): (String, usize)| if times == 1 { name } else { format!("{name} {times}×") };
    names.into_iter().map(name).collect::<Vec<_>>().join(", ")
}

pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let (low, high) = (values.get(values.len().checked_sub(1)? / 2)?, values.get(values.len() / 2)?);
    Some(f64::midpoint(*low, *high))
}

/// The first and the last column begin at the left, numbers end at the right.
fn aligned(cells: &[Vec<String>]) -> Vec<String> {
    let width = |column: usize| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let last = cells.first().map_or(0, Vec::len).saturating_sub(1);
    let cell = |(column, text): (usize, &String)| match column {
        0 => format!("{text:<0$}", width(0)),
        column if column == last => text.clone(),
        column => format!("{text:>0$}", width(column)),
    };
    cells.iter().map(|row| row.iter().enumerate().map(cell).collect::<Vec<_>>().join("  ")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::{Check, Level};
    use crate::expected::NONE;
    use crate::told::Told;

    #[test]
    fn columns_are_aligned_and_totals_leave_out_what_no_rule_tells_yet() {
        let run = |rule: &str, target: &str| Outcome {
            target: vec!["osd.1".to_string()],
            found: vec![Told { rule: rule.into(), target: target.into(), says: String::new(), confirmed: true }],
            diagnosis_seconds: 40.0,
            ..Outcome::default()
        };
        let level = |value: f64| Level { value, low: value - 0.1, high: value + 0.1 };
        let cost = Check { with_fault: level(9.0), told: level(1.0), before: level(1.0), after: level(1.1) };
        let mended = |run: Outcome| Outcome { cost: Some(cost.clone()), after: Some(Vec::new()), ..run };
        static NO_RULE: Expected = Expected { fault: "noisy-neighbour", causes: &[], ..NONE };
        let expected = |fault| Expected::of(fault).unwrap();
        let rows = [
            (expected("stutter"), vec![mended(run("osd-process-slow", "osd.1")), run("osd-store-slow", "osd.1")]),
            (&NO_RULE, vec![run("osd-process-slow", "osd.2")]),
            (expected("link-latency"), vec![Outcome { failed: Some("no netem".into()), ..Outcome::default() }]),
        ];
        let lines = lines(&rows, &[Outcome::default()]);
        assert_eq!(
            lines[1],
            "stutter             2         1         2          1         0          1      1 of 1       40  osd-process-slow, osd-store-slow"
        );
        assert_eq!(
            lines[2],
            "noisy-neighbour     1  none yet  none yet   none yet  none yet          1           –        –  osd-process-slow"
        );
        assert!(lines[3].ends_with("not made"), "{lines:?}");
        assert!(
            lines[4].starts_with(
                "with a rule         2         1         2          1         0          2      1 of 1       40"
            ),
            "{lines:?}"
        );
        assert!(lines[5].ends_with("nothing") && lines[6].starts_with("fault off           1"), "{lines:?}");
    }

    #[test]
    fn the_median_of_two_lies_between_them_and_of_none_is_none() {
        assert_eq!((median(vec![3.0, 1.0]), median(vec![2.0, 9.0, 1.0]), median(vec![])), (Some(2.0), Some(2.0), None));
    }
}
