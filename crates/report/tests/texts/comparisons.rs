//! Two runs side by side, and a series of them, on a terminal and as documents.

use crate::golden_file::{compare, fits};
use crate::schema;
use model::{
    Comparison, Condition, Difference, DriveChange, Estimate, FigureKey, Finds, Fitness, Layer, Level, OpClass,
    OtherCondition, Pattern, Trend, TrendPoint,
};
use report::block::Block;
use report::terminal::{self, Style};

fn figure(layer: Layer, target: &str, pattern: Pattern) -> FigureKey {
    FigureKey {
        layer,
        target: target.to_string(),
        pattern,
        kind: if pattern.writes() { OpClass::Write } else { OpClass::Read },
        at_once: 1,
        metric: pattern.metric(layer),
        chart: true,
        workload: model::Workload::canonical(pattern, 1 << 30, 1),
    }
}

fn difference(pattern: Pattern, target: &str, change: Estimate, finds: Finds) -> Difference {
    Difference {
        figure: figure(Layer::Osd, target, pattern),
        before: Estimate::new(2.0, 0.12),
        after: Estimate::new(2.0 * (1.0 + change.value), 0.15),
        before_known: true,
        after_known: target != "osd.4",
        change,
        finds,
    }
}

fn other(what: Condition, before: &str, after: &str) -> OtherCondition {
    OtherCondition { what, before: vec![before.to_string()], after: vec![after.to_string()] }
}

#[test]
fn comparisons_and_histories() {
    let found = Comparison {
        differences: vec![
            difference(Pattern::ReadLatency, "osd.1", Estimate::new(0.002, 0.03), Finds::Same),
            difference(Pattern::WriteParallel, "osd.0", Estimate::new(-0.07, 0.09), Finds::Undecided),
            difference(Pattern::WriteLatency, "osd.4", Estimate::new(1.2, 3.4), Finds::Undecided),
            difference(Pattern::WriteLatency, "osd.2", Estimate::new(0.31, 0.08), Finds::Worse),
        ],
        drives: vec![DriveChange {
            target: "/dev/sdb".to_string(),
            before: Fitness::Fit,
            after: Fitness::NotForJournals,
            finds: Finds::Worse,
        }],
        only_before: vec![],
        lost: vec!["osd osd.3 write-parallel (OSD 3 went down)".to_string()],
        only_after: vec!["rbd pool write-linear".to_string()],
        conditions: vec![
            other(Condition::Cluster, "3f2a9c1b-77d0-4c2e-9d51-0a6f1b2c3d4e", "81c5e02d-0000-4000-8000-000000000000"),
            other(Condition::CephRelease, "17.2.7", "18.2.4"),
        ],
        run_spread: Some(0.02),
    };
    let sides = (vec!["20261120-093012-ab3f".to_string()], vec!["20261121-093012-cd12".to_string()]);
    let text = terminal::text(&report::compare::blocks(&found, &sides), &Style { width: 80, colours: false });
    fits(&text, 80);
    compare("compare.txt", &text);
    // A figure with a workload of its own, and long names: the table stays within the terminal.
    let mut long = found.clone();
    long.differences[0].figure.chart = false;
    long.differences[0].figure.target = "images from client-17.example".to_string();
    fits(&terminal::text(&report::compare::blocks(&long, &sides), &Style { width: 80, colours: false }), 80);
    let document = report::json::comparison(&found, &sides);
    assert_eq!(schema::faults(&document), [""; 0]);
    compare("compare.json", &format!("{document:#}\n"));

    let run = |n: usize| format!("202611{n:02}-093012-ab3f");
    let trend = Trend {
        figure: figure(Layer::Rbd, "pool", Pattern::ReadParallel),
        points: (1..=9)
            .map(|n| TrendPoint { run: run(n), estimate: Estimate::new(if n < 6 { 5000.0 } else { 4000.0 }, 150.0) })
            .collect(),
        levels: vec![
            Level { begins: 0, estimate: Estimate::new(5000.0, 80.0) },
            Level { begins: 5, estimate: Estimate::new(4000.0, 120.0) },
        ],
        finds: Finds::Worse,
        change: -0.2,
    };
    let trends = [trend];
    let lost = ["osd osd.3 write-parallel (OSD 3 went down)".to_string()];
    compare(
        "history.txt",
        &terminal::text(&report::history::blocks(&trends, &lost, &run(9)), &Style { width: 80, colours: false }),
    );
    let document = report::json::history(&trends, &lost, &run(9));
    assert_eq!(schema::faults(&document), [""; 0]);
    compare("history.json", &format!("{document:#}\n"));
}

fn lines(blocks: &[Vec<Block>]) -> (String, usize) {
    let text = terminal::text(blocks, &Style { width: 80, colours: false });
    fits(&text, 80);
    let lines = text.lines().count();
    (text, lines)
}

/// Ten thousand figures on each side: nobody reads them all on a terminal. JSON has them.
#[test]
fn what_is_said_of_many_figures_is_short() {
    let name = |what: &str, n: u32| format!("osd osd.{n} {what}");
    let many = |what: &str| (0..10_000).map(|n| name(what, n)).collect::<Vec<String>>();
    let one = |n: u32| {
        let finds = [Finds::Same, Finds::Worse, Finds::Undecided, Finds::Same][n as usize % 4];
        let mut one = difference(Pattern::WriteLatency, &format!("osd.{n}"), Estimate::new(0.1, 0.05), finds);
        one.figure.chart = n % 8 < 4;
        one
    };
    let drive = |n: u32| DriveChange {
        target: format!("/dev/sd{n}"),
        before: Fitness::Fit,
        after: Fitness::Fit,
        finds: Finds::Same,
    };
    let found = Comparison {
        differences: (0..10_000).map(one).collect(),
        drives: (0..1000).map(drive).collect(),
        only_before: many("write-latency"),
        only_after: many("read-latency"),
        lost: many("write-linear"),
        ..Comparison::default()
    };
    let sides = (vec!["a".to_string()], vec!["b".to_string()]);
    let (text, count) = lines(&report::compare::blocks(&found, &sides));
    assert!(count < 200, "{count} lines:\n{text}");
    let said = [
        "2,500 worse, 2,500 undecided, 5,000 same",
        "and 9,968 more: 2,468 worse, 2,500 undecided, 5,000 same (--format json has all)",
        "and 988 more: 988 same",
    ];
    said.iter().for_each(|part| assert!(text.contains(part), "{part} is not in\n{text}"));
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let names = "osd osd.11 write-latency; and 9,988 more (--format json has all).";
    assert!(joined.contains(names), "{joined}");
    let document = report::json::comparison(&found, &sides);
    assert_eq!(document["differences"].as_array().unwrap().len(), 10_000);
    assert_eq!(document["only_before"].as_array().unwrap().len(), 10_000);

    let point = |n: u32| TrendPoint { run: format!("2026112{n}-093012-ab3f"), estimate: Estimate::new(5000.0, 150.0) };
    let trend = |n: u32| Trend {
        figure: figure(Layer::Osd, &format!("osd.{n}"), Pattern::ReadParallel),
        points: (0..9).map(point).collect(),
        levels: [0, 3, 6].map(|begins| Level { begins, estimate: Estimate::new(5000.0, 80.0) }).to_vec(),
        finds: Finds::Same,
        change: 0.0,
    };
    let trends: Vec<Trend> = (0..10_000).map(trend).collect();
    let (text, count) = lines(&report::history::blocks(&trends, &found.lost, "b"));
    assert!(count < 200, "{count} lines:\n{text}");
    assert!(text.contains("and 9,968 more: 9,968 same"), "{text}");
}
