//! Every face of one stored sample run, compared with what it was when somebody last looked at it.
//! `UPDATE_GOLDEN=1 cargo test -p report --test texts` writes the files anew; then look at the difference.

use crate::golden_file::{compare, fits};
use crate::sample::{SampleRun, run};
use crate::schema;
use model::{
    Answer, Beyond, Checked, Choice, Ending, Estimate, Figure, Flaw, FlawKind, Knee, Label, Layer, Metric, OpClass,
    Outcome, Pattern, ReadBack, Reading, Report, RunPlace, Setting, Sweep, SweepAxis, Swept, Threshold, Verdict,
};
use report::runs::{self, RunRow};
use report::terminal::{self, Detail, Style};
use report::{json, markdown};

#[test]
fn the_terminal_at_80_and_120_columns() {
    let SampleRun { report, record } = run();
    for width in [80, 120] {
        for (length, name) in [(Detail::Short, "summary"), (Detail::Full, "details")] {
            let text = terminal::summary(&report, &record.scope, length, &Style { width, colours: false });
            fits(&text, width);
            compare(&format!("{name}-{width}.txt"), &text);
        }
    }
}

/// A mark that no cell of the chart has is explained below the table that has it.
#[test]
fn marks_of_single_targets_are_explained() {
    let SampleRun { mut report, record } = run();
    let style = Style { width: 120, colours: false };
    let details = |report: &model::Report| terminal::summary(report, &record.scope, Detail::Full, &style);
    let legend = |text: &str| text.lines().filter(|line| line.starts_with("f  few events: ")).count();
    report.chart.iter_mut().filter(|cell| cell.label == "few events").for_each(|cell| cell.label = "settled".into());
    let few = report.figures.iter_mut().filter(|figure| figure.label.name() == "few events");
    few.for_each(|figure| figure.label = model::Label::Settled);
    assert_eq!(legend(&details(&report)), 0);
    let osds = report.figures.iter_mut().filter(|figure| figure.layer == Layer::Osd && figure.chart);
    osds.for_each(|figure| figure.label = model::Label::FewEvents("1 dip".into()));
    assert_eq!(legend(&details(&report)), 1);
}

#[test]
fn a_share_of_a_latency_that_holds_a_round_trip_is_an_upper_bound() {
    let SampleRun { mut report, record } = run();
    report.ledger.retain(|row| row.pattern == Pattern::WriteLatency);
    let shown = |report: &model::Report| {
        [
            terminal::summary(report, &record.scope, Detail::Full, &Style { width: 80, colours: false }),
            markdown::page(report, &record),
        ]
        .map(|text| text.contains('≤'))
    };
    assert_eq!(shown(&report), [false, false]);
    report.ledger.iter_mut().for_each(|row| row.at_least = true);
    assert_eq!(shown(&report), [true, true]);
}

#[test]
fn an_interval_as_wide_as_its_figure_is_said_in_words_and_kept_in_json() {
    let SampleRun { mut report, record } = run();
    let wide =
        |estimate: &mut Estimate| (estimate.low, estimate.high) = (-0.08 * estimate.value, 2.08 * estimate.value);
    report.chart.iter_mut().filter_map(|cell| cell.estimate.as_mut()).for_each(wide);
    report.figures.iter_mut().filter_map(|figure| figure.estimate.as_mut()).for_each(wide);
    report.ledger.iter_mut().for_each(|row| wide(&mut row.adds));
    for width in [80, 120] {
        let text = terminal::summary(&report, &record.scope, Detail::Full, &Style { width, colours: false });
        fits(&text, width);
        let chart = text.split("Ledger of").next().unwrap();
        assert!(chart.contains("not known") && chart.contains("in this time"), "{text}");
        assert!(!chart.contains('±'), "{text}");
    }
    let text = markdown::page(&report, &record);
    let chart = text.split("## Depth chart").nth(1).unwrap().split("\n## ").next().unwrap();
    assert!(chart.contains("| not known in this time") && !chart.contains('±'), "{chart}");
    let ledger = text.split("## Ledger of write-latency").nth(1).unwrap().split("\n## ").next().unwrap();
    assert!(ledger.contains("| device | not known in this time |") && ledger.contains('±'), "{ledger}");
    let json = json::document(&report, &record);
    let cell = json["chart"].as_array().unwrap().iter().find(|cell| !cell["value"].is_null()).unwrap();
    let (value, high) = (cell["value"].as_f64().unwrap(), cell["ci95"][1].as_f64().unwrap());
    assert!((high / value - 2.08).abs() < 1e-9, "{cell}");
}

#[test]
fn colours_change_nothing_but_colours() {
    let SampleRun { report, record } = run();
    let plain = terminal::summary(&report, &record.scope, Detail::Full, &Style { width: 100, colours: false });
    let coloured = terminal::summary(&report, &record.scope, Detail::Full, &Style { width: 100, colours: true });
    let mut bare = String::new();
    let mut parts = coloured.split("\x1b[");
    bare += parts.next().unwrap();
    for part in parts {
        bare += part.split_once('m').unwrap().1;
    }
    // What is struck out in colours stands in brackets without.
    let brackets =
        |text: &str| text.replace(['[', ']'], "").lines().map(|line| line.trim_end().to_string()).collect::<Vec<_>>();
    assert_eq!(brackets(&bare), brackets(&plain));
    assert_ne!(coloured, plain);
}

#[test]
fn what_was_measured_at_once_is_told_from_what_was_measured_alone() {
    let SampleRun { mut report, record } = run();
    let alone = |f: &Figure| f.layer == Layer::Osd && f.pattern == Pattern::WriteParallel && f.at_once == 1;
    report.figures.retain(|figure| !alone(figure));
    for figure in report.figures.iter_mut().filter(|figure| figure.at_once > 1 && figure.target != "osd.*") {
        figure.chart = true;
    }
    let text = terminal::summary(&report, &record.scope, Detail::Full, &Style { width: 80, colours: false });
    assert!(text.contains("\nwrite-parallel: all at once; else each while the others were quiet\n"), "{text}");
    fits(&text, 80);
}

#[test]
fn what_is_said_of_all_targets_together_is_not_said_of_each() {
    let SampleRun { mut report, record } = run();
    let model = report.figures[0].clone();
    let part = |target: &str, why: &str| Figure {
        target: target.to_string(),
        label: Label::Void(why.to_string()),
        at_once: 2,
        ..model.clone()
    };
    let told = |report: &model::Report| {
        let text = terminal::summary(report, &record.scope, Detail::Full, &Style { width: 120, colours: false });
        text.lines().filter(|line| line.starts_with("- void:") && line.contains("pool")).count()
    };
    let why = "osd.1 went down";
    report.figures = vec![part("pool from a", why), part("pool from b", why), part("pool", why)];
    assert_eq!(told(&report), 1);
    report.figures = vec![part("pool from a", "gone"), part("pool from b", why), part("pool", why)];
    assert_eq!(told(&report), 2);
}

#[test]
fn the_plan() {
    let SampleRun { record, .. } = run();
    let text = terminal::text(&report::plan::blocks(&record.plan, 874.0), &Style { width: 100, colours: false });
    fits(&text, 100);
    compare("plan.txt", &text);
}

#[test]
fn the_list_of_runs() {
    let row = |run: &str, ending| RunRow {
        command: "fathom run --lab --layers osd,rbd".into(),
        run: run.into(),
        seconds: 874.0,
        cluster: None,
        place: RunPlace::Cluster("3f2a9c1b-77d0-4c2e-9d51-0a6f1b2c3d4e".into()),
        slices: 240,
        ending,
    };
    let other = RunPlace::Cluster("81c5e02d-0000-4000-8000-000000000000".into());
    let rows = [
        RunRow { cluster: Some("lab:default".into()), ..row("20261121-093012-ab3f", Some(Ending::Done)) },
        RunRow { place: other, ..row("20261121-101500-09cd", None) },
        row("20261121-111500-3c1e", Some(Ending::Stopped)),
        RunRow { place: RunPlace::Host("ceph-a".into()), ..row("20261121-121500-77aa", Some(Ending::Failed)) },
        RunRow { place: RunPlace::Untold, ..row("20261121-131500-21b0", Some(Ending::Done)) },
    ];
    let style = Style { width: 80, colours: false };
    let text = terminal::text(&runs::blocks(&rows), &style);
    fits(&text, 80);
    compare("runs.txt", &text);
    assert!(terminal::text(&runs::blocks(&[]), &style).contains("fathom run"));
}

#[test]
fn markdown_of_the_run() {
    let SampleRun { report, record } = run();
    compare("report.md", &markdown::page(&report, &record));
}

#[test]
fn json_of_the_run() {
    let SampleRun { report, record } = run();
    let document = format!("{:#}\n", json::document(&report, &record));
    assert!(!document.contains("never-to-be-seen"));
    compare("report.json", &document);
}

#[test]
fn verdicts_on_a_terminal_and_in_markdown() {
    let SampleRun { mut report, record } = run();
    let verdict = |pattern, value: f64, target: &str, estimate: Option<Estimate>, outcome| Verdict {
        threshold: Threshold::of(Layer::Rbd, pattern, None, value),
        target: target.to_string(),
        estimate,
        outcome,
        why: estimate.is_none().then(|| "no operation completed in 9.0 s".to_string()),
    };
    report.answer = Answer::Verdicts(vec![
        verdict(Pattern::ReadParallel, 5000.0, "pool", Some(Estimate::new(6000.0, 300.0)), Outcome::Pass),
        verdict(Pattern::ReadLinear, 400.0, "pool", None, Outcome::Open),
        verdict(Pattern::WriteLatency, 3.0, "pool", Some(Estimate::new(3.6, 0.2)), Outcome::Fail),
    ]);
    let text = terminal::summary(&report, &record.scope, Detail::Full, &Style { width: 80, colours: false });
    fits(&text, 80);
    let part = |text: &str, begins: &str| {
        let from = text.find(begins).unwrap();
        text[from..from + text[from..].find("Depth chart").unwrap()].to_string()
    };
    compare("verdicts.txt", &part(&text, "Verdicts"));
    compare("verdicts.md", &part(&markdown::page(&report, &record), "## Verdicts"));
}

#[test]
fn what_was_verified_on_a_terminal_and_in_markdown() {
    let SampleRun { mut report, record } = run();
    let flaw = |kind, offset, says: &str| Flaw {
        kind,
        place: "/dev/loop3".into(),
        offset,
        bytes: 4096,
        seconds: 12.34,
        says: says.into(),
    };
    let flaws = vec![
        flaw(FlawKind::Wrong, 40_960, "bytes are damaged, the checksum is another"),
        flaw(FlawKind::Stale, 81_920, "write 1 of this place, where write 7 was acknowledged"),
    ];
    let clean =
        Checked { bytes: 3 << 20, read_back: Some(ReadBack { bytes: 3 << 20, of: 4 << 20 }), ..Checked::default() };
    report.figures[0].checked = Some(clean);
    report.figures[1].checked =
        Some(Checked { bytes: 5 << 30, unknown: 8192, wrong: 1, stale: 2, flaws, ..Checked::default() });
    let text = terminal::summary(&report, &record.scope, Detail::Full, &Style { width: 80, colours: false });
    fits(&text, 80);
    let part = |text: &str, begins: &str| {
        let from = text.find(begins).unwrap();
        text[from..from + text[from..].find("Depth chart").unwrap()].to_string()
    };
    compare("verified.txt", &part(&text, "Verified"));
    compare("verified.md", &part(&markdown::page(&report, &record), "## Verified"));
}

/// Depth × block size on one pool: one curve with a decided knee, one without, one void point.
fn swept(sample: SampleRun) -> SampleRun {
    let SampleRun { mut report, record } = sample;
    let model =
        report.figures.iter().find(|figure| figure.pattern == Pattern::ReadParallel && figure.layer == Layer::Rados);
    let model = model.unwrap().clone();
    let blocks = [4096u64, 65536];
    let mut readings = Vec::new();
    report.figures.clear();
    for (x, depth) in [1u32, 4, 16, 64].into_iter().enumerate() {
        for (y, block) in blocks.into_iter().enumerate() {
            let value = f64::from(depth.min(16)) * 700.0 / (y as f64 + 1.0);
            let void = (depth, y) == (64, 1);
            let mut figure = Figure { chart: false, ..model.clone() };
            (figure.workload.depth, figure.workload.block) = (depth, block);
            figure.label = match (void, depth) {
                (true, _) => Label::Void("osd.1 went down".into()),
                (_, 64) => Label::GeneratorLimited("the worker had no CPU for 12 % of the time".into()),
                _ => Label::Settled,
            };
            let estimate = |value: f64| (!void).then(|| Estimate::new(value, 0.05 * value));
            figure.estimate = estimate(value);
            let latency = estimate(f64::from(depth) / value * 1000.0);
            let at = vec![x as u32, y as u32];
            readings.push(Reading {
                figure: readings.len(),
                at,
                throughput: estimate(value),
                metric: Metric::Iops,
                latency,
            });
            report.figures.push(figure);
        }
    }
    let knee = |y: usize, to: u32, best: u32, says: &str| Knee {
        curve: (0..8).filter(|index| index % 2 == y).collect(),
        knee: Choice { depth: 16, from: 16, to },
        reaches: 1.0,
        best,
        balance: Choice { depth: 16, from: 4, to: 16 },
        beyond: Beyond::Flat,
        says: says.into(),
    };
    let knees = vec![
        knee(0, 16, 16, "depth 16 has the best throughput, 11,200 IOPS; more depth only waits longer"),
        knee(1, 64, 64, "depth 16 reaches 97 % of the best throughput"),
    ];
    let axis = |name: &str, values: &[u64]| {
        let values = values.iter().map(|value| Setting::Number(*value)).collect();
        SweepAxis { name: name.into(), values }
    };
    let axes = vec![axis("depth", &[1, 4, 16, 64]), axis("block-size", &blocks)];
    report.answer =
        Answer::Sweep(Box::new(Swept { sweep: Sweep { axes, points: vec![], left_out: 0 }, readings, knees }));
    (report.chart, report.ledger, report.outliers) = (vec![], vec![], vec![]);
    (report.findings, report.errors) = (vec![], vec![]);
    SampleRun { report, record }
}

#[test]
fn a_sweep_on_a_terminal_and_in_markdown() {
    let SampleRun { report, record } = swept(run());
    let text = terminal::summary(&report, &record.scope, Detail::Full, &Style { width: 80, colours: false });
    fits(&text, 80);
    compare("sweep.txt", &text[text.find("Sweep of").unwrap()..]);
    let answer = text.split("\n\n").nth(1).unwrap().replace('\n', " ");
    let says = "8 points over depth × block-size. The knee at block-size 4 KiB is depth 16: 11,200 IOPS ±5 %, 1.43 ms ±0.08. \
                The knee at block-size 64 KiB is depth 16 (it lies between 16 and 64): 5,600 IOPS ±5 %, 2.86 ms ±0.15.";
    assert!(answer.starts_with(says), "{answer}");
    let page = markdown::page(&report, &record);
    compare("sweep.md", &page[page.find("## Sweep").unwrap()..]);
    let document = json::document(&report, &record);
    assert_eq!(schema::faults(&document), [""; 0]);
    assert_eq!(document["sweep"]["points"][3]["at"], serde_json::json!({"depth": 4, "block-size": 65536}));
    assert_eq!(document["sweep"]["points"][7]["throughput"], serde_json::Value::Null);
}

#[test]
fn the_most_of_a_sweep_is_known_and_says_of_which_target() {
    let SampleRun { mut report, record } = swept(run());
    report.figures[3].target = "another".into();
    let answer = |report: &Report| {
        let text = terminal::summary(report, &record.scope, Detail::Short, &Style { width: 80, colours: false });
        text.split("\n\n").nth(1).unwrap().replace('\n', " ")
    };
    let Answer::Sweep(swept) = &mut report.answer else { panic!("a sweep") };
    swept.knees.clear();
    // The highest of all is not known, nor how long one takes at what is highest then.
    let reach = |value: f64| Some(Estimate { value, low: 0.0, high: 3.0 * value });
    swept.readings[2].throughput = reach(1e6);
    (swept.readings[3].throughput, swept.readings[3].latency) = (Some(Estimate::new(20_000.0, 200.0)), reach(7.0));
    let said = answer(&report);
    let most = "8 points over depth × block-size. The most: 20,000 IOPS ±1 % at depth 4, block-size 64 KiB of another; 1 other \
                point may give as much.";
    assert!(said.starts_with(most), "{said}");
    let Answer::Sweep(swept) = &mut report.answer else { panic!("a sweep") };
    swept.readings.iter_mut().for_each(|reading| reading.throughput = reach(5.0));
    let said = answer(&report);
    assert!(said.contains("Which is best is not known"), "{said}");
}

#[test]
fn a_share_that_is_not_known_has_neither_number_nor_bar() {
    let SampleRun { mut report, record } = run();
    for row in &mut report.ledger {
        (row.share, row.ceiling, row.at_least) = (None, None, true);
        row.because = "rados is not known".to_string();
    }
    for width in [80, 120] {
        let text = terminal::summary(&report, &record.scope, Detail::Full, &Style { width, colours: false });
        fits(&text, width);
        let ledger: String = text.split("Ledger of").skip(1).filter_map(|part| part.split("\n\n").next()).collect();
        assert!(!ledger.is_empty() && !ledger.contains(['█', '≥', '≤', '%']), "{ledger}");
    }
    let page = markdown::page(&report, &record);
    let rows: Vec<&str> = page.lines().filter(|line| line.ends_with("| rados is not known |")).collect();
    assert!(!rows.is_empty() && rows.iter().all(|row| row.contains("| – |")), "{rows:?}");
    let document = json::document(&report, &record);
    assert!(document["ledger"].as_array().unwrap().iter().all(|row| row["share"].is_null() && row["adds"].is_number()));
}

#[test]
fn which_of_two_ways_is_the_worse_is_said_only_where_both_are_known() {
    let SampleRun { mut report, record } = run();
    report.figures.retain(|figure| figure.chart && figure.estimate.is_some() && figure.layer == Layer::Device);
    report.figures.truncate(1);
    let shown = |report: &model::Report| markdown::page(report, &record);
    let other = |estimate: Option<Estimate>, label: &str| {
        Some(model::OtherWay { durability: model::Durability::Fdatasync, estimate, label: label.to_string() })
    };
    let (worse, open) = ("with the worse of two ways", "which is the worse is not known: device");
    let told = |report: &model::Report| [worse, open].map(|words| shown(report).contains(words));
    report.figures[0].other_way = other(Some(Estimate::new(0.1, 0.01)), "settled");
    assert_eq!(told(&report), [true, false]);
    report.figures[0].other_way = other(Some(Estimate::new(0.1, 0.2)), "imprecise");
    assert_eq!(told(&report), [false, true], "not known in this time");
    report.figures[0].other_way = other(None, "void");
    assert_eq!(told(&report), [false, true]);
    (report.figures[0].estimate, report.figures[0].label) = (None, Label::Void("EIO".into()));
    assert_eq!(told(&report), [false, false]);
}

#[test]
fn from_where_reads_of_nothing_came_is_not_said() {
    let SampleRun { mut report, record } = run();
    let unwritten = |figure: &&mut Figure| figure.kind == OpClass::Read;
    let says = |report: &model::Report| markdown::page(report, &record).contains("took from their devices");
    for figure in report.figures.iter_mut().filter(unwritten) {
        figure.background.get_or_insert_default().reads = Some(model::ReadFrom {
            caches: model::Caches::Warm,
            from_device: 0.0,
            onodes_in_memory: None,
            rocksdb: None,
        });
    }
    assert!(says(&report));
    for figure in report.figures.iter_mut().filter(unwritten) {
        figure.label = Label::Unwritten("it holds no data".into());
    }
    assert!(!says(&report));
}

#[test]
fn what_the_figures_speak_of_has_no_gap_in_its_words() {
    let SampleRun { mut report, record } = run();
    let unseen =
        model::Unseen { stretch_seconds: 600.0, looks: 6, rarer_than_seconds: 40.0, share: 0.1, in_interval: true };
    report.figures.iter_mut().for_each(|figure| figure.unseen = Some(unseen));
    let page = markdown::page(&report, &record);
    assert!(page.contains("may have been missed; "), "{page}");
}
