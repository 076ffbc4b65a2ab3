//! The first lines of every kind of run are its answer: what it takes, which layer takes most, what is wrong, what to do next.

use crate::sample::{SampleRun, run};
use model::{
    AbFound, Answer, Checked, Cliff, Comparison, Diagnosed, Difference, Doubled, Ended, Ending, Endurance, Estimate,
    FigureKey, Finding, Finds, Imported, Label, Layer, Limit, OpClass, Outcome, Pattern, Report, ResponseBound,
    ScaledLoad, Standing, Subject, Threshold, TriedRate, Until, Verdict,
};
use report::markdown;
use report::terminal::{self, Detail, Style};

/// The paragraph under the head, its lines joined. The Markdown page says the same.
fn answer(report: &Report) -> String {
    let record = run().record;
    let style = Style { width: 10_000, colours: false };
    let text = terminal::summary(report, &record.scope, Detail::Short, &style);
    let said = text.split("\n\n").nth(1).unwrap().replace('\n', " ");
    let page = markdown::page(report, &record);
    let begins = said.split(" What is wrong:").next().unwrap().split(" Nothing wrong").next().unwrap();
    let begins = begins.split(" Next:").next().unwrap();
    let plain = page.replace(['\\', '*'], "");
    assert!(plain.lines().take(8).any(|line| line == begins.replace(['\\', '*'], "")), "{begins}\nis not in\n{page}");
    said
}

/// The sample without anything that is wrong.
fn sound() -> Report {
    let SampleRun { mut report, .. } = run();
    report.chart.iter_mut().for_each(|cell| cell.label = "settled".into());
    report.figures.retain(|figure| figure.estimate.is_some());
    report.figures.iter_mut().for_each(|figure| figure.label = Label::Settled);
    (report.outliers, report.findings) = (vec![], vec![]);
    (report.errors, report.changes, report.warnings) = (vec![], vec![], vec![]);
    report
}

/// Only figures and cells that are wanted; nothing is wrong.
fn only(wanted: impl Fn(Layer, Pattern) -> bool) -> Report {
    let mut report = sound();
    report.chart.retain(|cell| wanted(cell.layer, cell.pattern));
    report.figures.retain(|figure| wanted(figure.layer, figure.pattern));
    report.ledger.retain(|row| wanted(row.layer, row.pattern));
    report
}

#[test]
fn a_whole_run_says_what_a_write_takes_and_which_layer_takes_most() {
    let said = answer(&sound());
    assert_eq!(
        said,
        "A durable 4 KiB write takes 1.92 ms ±0.07 through rbd, one at a time. The rados layer takes the largest part: 0.70 ms ±0.06 \
         (37 %). Nothing wrong was found. Next: `fathom rados --lab` measures that layer alone; after a change, `fathom compare \
         20261121-093012-ab3f last`."
    );
}

/// As the exit code does.
#[test]
fn what_is_imprecise_is_counted_where_nothing_is_wrong() {
    let mut report = sound();
    report.figures[0].label = Label::Imprecise("±12 %".into());
    let told = format!("wrong was found; known less precisely than was asked for: 1 of {} f", report.figures.len());
    assert!(answer(&report).contains(&told), "{}", answer(&report));
}

/// A lab that was started for the run is gone with it: its name would lead to nothing.
#[test]
fn a_lab_that_is_gone_is_not_named() {
    let mut report = sound();
    report.head.command = "fathom run --lab demo-7".to_string();
    assert!(answer(&report).contains("`fathom rados --lab demo-7`"), "{}", answer(&report));
    report.head.own_lab = true;
    assert!(answer(&report).contains("`fathom rados --lab`"), "{}", answer(&report));
}

#[test]
fn what_is_wrong_comes_with_the_gravest_first() {
    let said = answer(&run().report);
    let order = ["2 errors, the first: osd.1 went down", "is still there", "osd.2 is slower", "implausible", "is void"];
    let places: Vec<usize> =
        order.iter().map(|words| said.find(words).unwrap_or_else(|| panic!("{words}: {said}"))).collect();
    assert!(places.is_sorted(), "{said}");
    assert!(said.ends_with("Next: `fathom restore` undoes what is still there."), "{said}");
}

#[test]
fn what_a_finding_says_of_a_slow_target_is_said_once_with_its_figures() {
    let mut report = run().report;
    (report.errors, report.changes, report.findings) = (vec![], vec![], vec![]);
    report.outliers.iter_mut().for_each(|outlier| outlier.standing = Standing::Hint);
    let hint = Finding {
        id: "osd-slow".into(),
        standing: Standing::Hint,
        subject: Subject::Osd(2),
        says: model::phrase!("{} is slower than its peers", Subject::Osd(2)),
        evidence: vec![],
        explains: vec![],
        cost: None,
        slows_nothing: false,
        confirm: String::new(),
        fix: "measure its disk alone".into(),
        risk: String::new(),
    };
    report.findings.push(hint);
    let said = answer(&report);
    assert_eq!(said.matches("osd.2 is slower").count(), 1, "{said}");
    assert!(said.contains("hint: osd.2 is slower than its peers (osd write-latency 1.406 ms ±0.029"), "{said}");
    // An OSD of a lab that is gone is not measured alone.
    assert!(answer(&report).contains("`fathom osd 2"), "{}", answer(&report));
    report.head.own_lab = true;
    assert!(!answer(&report).contains("`fathom osd 2"), "{}", answer(&report));
}

#[test]
fn layers_whose_intervals_overlap_are_both_named() {
    let mut report = sound();
    report.ledger.iter_mut().for_each(|row| row.adds = Estimate::new(row.adds.value, 0.3));
    let said = answer(&report);
    assert!(said.contains("Which layer takes the largest part is not certain"), "{said}");
    assert!(said.contains("rados 0.70 ms ±0.30 (37 %), or device 0.40 ms ±0.30"), "{said}");
    assert!(!said.contains("fathom rados"), "{said}");
    report.ledger.iter_mut().for_each(|row| row.adds = Estimate::new(row.adds.value, 3.0));
    assert!(answer(&report).contains("Which layer takes the largest part is not known"), "{}", answer(&report));
}

#[test]
fn a_layer_is_not_blamed_for_what_was_not_measured_below_it() {
    let mut report = sound();
    let row = report.ledger.iter_mut().find(|row| row.pattern == Pattern::WriteLatency && row.layer == Layer::Rados);
    let row = row.unwrap();
    (row.at_least, row.adds) = (true, Estimate::new(9.0, 0.3));
    let said = answer(&report);
    assert!(
        said.contains("The rados layer, with what lies below it and was not measured, takes the largest part"),
        "{said}"
    );
}

#[test]
fn one_layer_only_says_its_figure_and_that_a_run_shows_the_rest() {
    let said = answer(&only(|layer, _| layer == Layer::Osd));
    assert!(said.starts_with("A durable 4 KiB write takes 1.204 ms ±0.025 at an OSD"), "{said}");
    assert!(said.contains("on average over 3 targets"), "{said}");
    assert!(said.ends_with("Next: `fathom run --lab` measures all layers and shows which takes most."), "{said}");
    let said = answer(&only(|layer, _| layer == Layer::Network));
    assert!(said.starts_with("A 4 KiB round trip between two hosts takes 0.0302 ms ±0.0007"), "{said}");
    let mut report = only(|layer, _| layer == Layer::Network);
    report.figures.iter_mut().for_each(|figure| figure.target = "loopback".into());
    assert!(answer(&report).starts_with("A 4 KiB round trip within this host (loopback) takes"), "{}", answer(&report));
    let mut report = only(|layer, pattern| layer == Layer::Device && pattern == Pattern::WriteLatency);
    report.figures.iter_mut().for_each(|figure| figure.workload.durability = model::Durability::None);
    assert!(answer(&report).starts_with("A 4 KiB write takes 0.436 ms ±0.009 on the device"), "{}", answer(&report));
}

#[test]
fn reads_only_and_throughput_only() {
    let said = answer(&only(|_, pattern| pattern == Pattern::ReadLatency));
    assert!(said.starts_with("A 4 KiB read takes 0.734 ms ±0.016 through rados, one at a time."), "{said}");
    assert!(said.contains("not certain") && said.contains("rados 0.330 ms ±0.032 (44 %)"), "{said}");
    let said = answer(&only(|_, pattern| pattern == Pattern::WriteParallel));
    assert!(said.starts_with("Durable 4 KiB writes through rbd, 128 in flight: 2,390 IOPS ±3 %."), "{said}");
    assert!(said.contains("The rados layer falls shortest of its ceiling: 6,600 IOPS ±290 short of 9,500."), "{said}");
    let said = answer(&only(|_, pattern| pattern == Pattern::ReadLinear));
    assert!(said.starts_with("4 MiB sequential reads through rbd, 16 in flight: 702 MB/s ±2.8 %."), "{said}");
}

#[test]
fn figures_beside_the_chart_are_named_with_their_workload() {
    let mut report = sound();
    (report.chart, report.ledger) = (vec![], vec![]);
    report.figures.truncate(1);
    report.figures[0].chart = false;
    let said = answer(&report);
    assert!(said.contains("4 KiB random write, depth 1") && said.contains("±"), "{said}");
    report.head.imported = Some(Imported { tool: "fio-3.33".into(), file: "a.json".into() });
    let value = report.figures[0].estimate.unwrap().value;
    report.figures[0].estimate = Some(Estimate { value, low: 0.0, high: f64::INFINITY });
    let said = answer(&report);
    assert!(said.starts_with("Imported: measured by fio-3.33, not by Fathom (a.json)."), "{said}");
    assert!(said.contains("±?") && said.contains("fathom compare 20261121-093012-ab3f last"), "{said}");
}

#[test]
fn a_run_for_verdicts_says_which_thresholds_are_missed() {
    let mut report = sound();
    let verdict = |pattern, value, estimate, outcome| Verdict {
        threshold: Threshold::of(Layer::Rbd, pattern, None, value),
        target: "pool".into(),
        estimate,
        outcome,
        why: None,
    };
    let pass = verdict(Pattern::ReadParallel, 5000.0, Some(Estimate::new(6000.0, 300.0)), Outcome::Pass);
    let fail = verdict(Pattern::WriteLatency, 3.0, Some(Estimate::new(3.6, 0.2)), Outcome::Fail);
    let open = verdict(Pattern::ReadLinear, 400.0, None, Outcome::Open);
    report.answer = Answer::Verdicts(vec![pass.clone()]);
    assert!(answer(&report).starts_with("The threshold is kept. Nothing wrong was found. Next: after a change"));
    report.answer = Answer::Verdicts(vec![pass.clone(), open.clone()]);
    assert!(answer(&report).starts_with("1 of 2 thresholds is open."), "{}", answer(&report));
    report.answer = Answer::Verdicts(vec![pass, open, fail]);
    let said = answer(&report);
    assert!(said.starts_with("1 of 3 thresholds is missed, 1 is open."), "{said}");
    assert!(said.contains("- rbd pool write-latency is 3.60 ms ±0.20, not at most 3.00 ms"), "{said}");
}

#[test]
fn a_against_b_says_what_differs_beyond_the_noise() {
    let mut report = sound();
    let figure = FigureKey::of(&report.figures[0]);
    let difference = |change, finds| Difference {
        figure: figure.clone(),
        before: Estimate::new(2.0, 0.1),
        after: Estimate::new(2.6, 0.1),
        before_known: true,
        after_known: true,
        change,
        finds,
    };
    let found = |differences| {
        let comparison = Comparison { differences, ..Comparison::default() };
        let (what, a, b) = ("pool".into(), "one".into(), "two".into());
        let (pairs, half_width, apart) = (6, 0.04, 0.1);
        let (restarts, permanent) = (vec![], vec![]);
        AbFound { what, a, b, comparison, pairs, half_width, apart, restarts, permanent }
    };
    let answered = |found| Answer::PairedComparison(Box::new(found));
    report.answer = answered(found(vec![difference(Estimate::new(0.31, 0.08), Finds::Worse)]));
    let said = answer(&report);
    assert!(said.starts_with("pool: two (B) against one (A): 1 worse. B is worse at device /dev/sda"), "{said}");
    assert!(said.contains("+31 % (+23 to +39)") && said.ends_with("Next: keep A (one)."), "{said}");
    let change = |of: Difference| AbFound {
        what: "osd.3/x".into(),
        restarts: vec![3],
        permanent: vec!["ceph config set osd.3 x two".into(), "ceph orch daemon restart osd.3".into()],
        ..found(vec![of])
    };
    report.answer = answered(change(difference(Estimate::new(-0.31, 0.08), Finds::Better)));
    let said = answer(&report);
    let next = "Next: `ceph config set osd.3 x two` makes it permanent, and then, one after the other: `ceph orch daemon restart osd.3`.";
    assert!(said.ends_with(next), "{said}");
    report.answer = answered(change(difference(Estimate::new(0.31, 0.08), Finds::Worse)));
    assert!(answer(&report).ends_with("Next: leave it as it is: the change makes it worse."), "{}", answer(&report));
    let single = AbFound {
        what: "pool:vms/size".into(),
        b: "1".into(),
        permanent: vec!["ceph osd pool set vms size 1 --yes-i-really-mean-it".into()],
        ..found(vec![difference(Estimate::new(-0.31, 0.08), Finds::Better)])
    };
    report.answer = answered(single);
    let said = answer(&report);
    assert!(said.ends_with("makes it permanent. Risk: the first OSD that fails takes the data with it."), "{said}");
    report.answer = answered(found(vec![difference(Estimate::new(0.01, 0.02), Finds::Same)]));
    assert!(answer(&report).contains("No difference is beyond the noise."), "{}", answer(&report));
    report.answer = answered(found(vec![]));
    assert!(answer(&report).contains("nothing could be compared"), "{}", answer(&report));
}

#[test]
fn the_highest_rate_and_enough_clients() {
    let mut report = sound();
    let bound = ResponseBound { percent: 99.0, ms: 10.0, arrivals: model::Arrivals::Poisson };
    let probe = TriedRate {
        rate: 500.0,
        confirms: true,
        kept: true,
        seconds: 60.0,
        over: 0.002,
        over_low: 0.001,
        over_high: 0.004,
        median: None,
        bounded: None,
    };
    let limit = Limit {
        layer: Layer::Rbd,
        target: "pool".into(),
        pattern: Pattern::WriteLatency,
        bound,
        rate: Some(500.0),
        capacity: Some(900.0),
        seconds: 60.0,
        probes: vec![probe],
        why: None,
    };
    report.answer = Answer::HighestRates(vec![limit.clone()]);
    let said = answer(&report);
    assert!(
        said.starts_with("rbd pool write-latency: 500 operations a second is the highest rate with p99 < 10 ms"),
        "{said}"
    );
    let none = Limit { rate: None, probes: vec![], why: Some("even the lowest rate breaks it".into()), ..limit };
    report.answer = Answer::HighestRates(vec![none]);
    assert!(answer(&report).contains("no rate was found: even the lowest rate breaks it."), "{}", answer(&report));

    let load = |each, value| ScaledLoad {
        hosts: 1,
        each,
        estimate: Some(Estimate::new(value, 20.0)),
        label: "settled".into(),
    };
    report.answer = Answer::ScaleOut(vec![Doubled {
        layer: Layer::Rados,
        target: "pool".into(),
        pattern: Pattern::WriteParallel,
        unit: "IOPS".into(),
        loads: vec![load(1, 1000.0), load(2, 1010.0)],
        full: Some(1),
        ended: true,
        says: "one client is enough to fill the cluster".into(),
    }]);
    let said = answer(&report);
    assert!(
        said.starts_with("rados pool write-parallel: 1,000 IOPS ±2 %; one client is enough to fill the cluster."),
        "{said}"
    );
}

#[test]
fn sustained_writes_and_what_was_verified() {
    let mut report = sound();
    let (from, to) = (Some(Estimate::new(480.0, 42.0)), Some(Estimate::new(110.0, 12.0)));
    let cliff = Cliff { written: 14_400_000_000, low: 14_300_000_000, high: 14_900_000_000, from, to, fall: 0.77 };
    report.answer = Answer::SustainedWrites(vec![Endurance {
        target: "/dev/sda".into(),
        until: Until::Falls,
        filled: None,
        rounds: None,
        model: None,
        also: vec![],
        ended: Ended::Fell,
        error: None,
        written: 15_500_000_000,
        seconds: 40.0,
        before: 0,
        held: 14_300_000_000,
        cliff: Some(cliff),
        rate: None,
        each_second: vec![],
        says: "fell".into(),
    }]);
    let said = answer(&report);
    assert!(
        said.starts_with(
            "/dev/sda takes large writes at 480 MB/s ±8.8 % until 13.4 GiB are written, then at 110 MB/s ±11 %."
        ),
        "{said}"
    );
    report.answer = Answer::Survey;
    report.figures[0].checked = Some(Checked { bytes: 5 << 30, ..Checked::default() });
    assert!(answer(&report).contains("5 GiB checked, all as it was written. Nothing wrong"), "{}", answer(&report));
    report.figures[0].checked = Some(Checked { bytes: 5 << 30, wrong: 2, ..Checked::default() });
    let said = answer(&report);
    assert!(said.contains("What is wrong: - 5 GiB checked, 2 blocks are not as they were written: 2 wrong"), "{said}");
    assert!(said.contains("Next: find out what damages data"), "{said}");
}

#[test]
fn an_empty_an_unfinished_and_a_failed_run() {
    let mut report = Report::default();
    let said = answer(&report);
    assert!(said.starts_with("Nothing was measured. What is wrong: - The run is not finished"), "{said}");
    report.ending = Some(Ending::Done);
    report.errors = vec!["no monitor answers".into()];
    report.head.command = "fathom run --conf x".into();
    let said = answer(&report);
    assert_eq!(
        said,
        "Nothing was measured. What is wrong: - no monitor answers Next: fix the reported problem and run again: `fathom run --conf x`."
    );
    let mut report = Report { ending: None, ..sound() };
    let said = answer(&report);
    assert!(said.contains("The run is not finished: this is what 3 passes measured"), "{said}");
    report.changes = run().report.changes;
    assert!(answer(&report).contains("`fathom restore` undoes what it left"), "{}", answer(&report));
    for figure in &mut report.figures {
        figure.label = Label::Void("osd.1 went down".into());
        figure.estimate = None;
    }
    report.chart.clear();
    assert!(answer(&report).starts_with("No figure can be used."), "{}", answer(&report));
}

#[test]
fn a_quick_run_is_told_how_to_narrow_its_intervals() {
    let mut report = sound();
    report.head.command = "fathom run --lab --quick --report a.html".into();
    let said = answer(&report);
    assert!(
        said.ends_with("Next: `fathom run --lab --report a.html`, without --quick, narrows the intervals."),
        "{said}"
    );
}

#[test]
fn who_wants_narrower_intervals_is_told_an_option_that_the_command_has() {
    let mut report = sound();
    report.figures.iter_mut().for_each(|figure| figure.label = Label::Imprecise("±9 %".into()));
    let mut next = |command: &str, answer_: Answer| {
        (report.head.command, report.answer) = (command.to_string(), answer_);
        answer(&report).split(" Next: ").nth(1).unwrap().to_string()
    };
    let survey = || Answer::default();
    assert!(next("fathom run --lab", survey()).contains("(--time-max 5m)"));
    let fixed = next("fathom run --duration 5s --lab", survey());
    assert_eq!(fixed, "`fathom run --lab`, without --duration, narrows the intervals.");
    let diagnosed = next("fathom diagnose --lab", Answer::Diagnosis(Diagnosed::default()));
    assert!(diagnosed.starts_with("`fathom run --lab` measures longer"), "{diagnosed}");
    assert!(!next("fathom fio job.fio", survey()).contains("--"));
}

#[test]
fn how_a_diagnosis_was_measured_names_no_option_that_it_lacks() {
    let SampleRun { mut report, record } = run();
    let unseen =
        model::Unseen { stretch_seconds: 60.0, looks: 6, rarer_than_seconds: 40.0, share: 0.1, in_interval: false };
    report.figures.iter_mut().for_each(|figure| figure.unseen = Some(unseen));
    let mut told = |answer: Answer| {
        report.answer = answer;
        let style = Style { width: 10_000, colours: false };
        terminal::summary(&report, &record.scope, Detail::Full, &style)
    };
    assert!(told(Answer::default()).contains("(without --quick, --duration and --passes)"));
    assert!(!told(Answer::Diagnosis(Diagnosed::default())).contains("--passes"));
}

#[test]
fn long_lists_wait_for_details_and_what_is_wrong_does_not() {
    let SampleRun { mut report, record } = run();
    report.warnings = (1..=5).map(|n| format!("warning number {n}")).collect();
    let style = Style { width: 80, colours: false };
    let short = terminal::summary(&report, &record.scope, Detail::Short, &style);
    let full = terminal::summary(&report, &record.scope, Detail::Full, &style);
    for always in ["Outliers", "Findings", "Errors", "Still there", "warning number 3", "Ledger of read-linear"] {
        assert!(short.contains(always) && full.contains(always), "{always}: {short}");
    }
    for hidden in ["Each target of osd", "What that means", "Beside the chart", "warning number 4", "Reads came"] {
        assert!(!short.contains(hidden), "{hidden}: {short}");
    }
    let last = short.lines().rev().take(3).collect::<Vec<_>>().join(" ");
    assert!(last.contains("--details") && !full.contains("--details"), "{last}");
    report.head.command = "fathom run --archive /tmp/a".into();
    let short = terminal::summary(&report, &record.scope, Detail::Short, &Style { width: 300, colours: false });
    assert!(short.contains("See `fathom show 20261121-093012-ab3f --archive /tmp/a --details`."), "{short}");
    // Void figures that no cell of the chart tells of.
    let figure =
        report.figures.iter_mut().find(|figure| figure.target == "osd.0" && figure.kind == OpClass::Read).unwrap();
    (figure.label, figure.estimate) = (Label::Void("osd.0 was restarted".into()), None);
    let short = terminal::summary(&report, &record.scope, Detail::Short, &style);
    assert!(short.contains("Not usable\n- void: osd.0") && short.contains("osd.0 was restarted"), "{short}");
}

/// A command that named no cluster would load another one.
#[test]
fn what_is_to_be_done_next_names_the_cluster_and_the_archive_of_the_run() {
    let mut report = sound();
    report.head.own_lab = false;
    report.head.command = "fathom run -c /a/ceph.conf --id x --keyring=/k --archive /b --quiet".into();
    let said = answer(&report);
    assert!(said.contains("`fathom rados -c /a/ceph.conf --id x --keyring=/k`"), "{said}");
    assert!(said.contains("last --archive /b`"), "{said}");
}

#[test]
fn a_hint_comes_before_what_only_held_back_the_load() {
    let mut report = run().report;
    (report.errors, report.changes, report.outliers) = (vec![], vec![], vec![]);
    report.chart.iter_mut().for_each(|cell| cell.label = "settled".into());
    report.figures.retain(|figure| figure.estimate.is_some());
    report.figures.iter_mut().for_each(|figure| figure.label = Label::GeneratorLimited("all cores".into()));
    report.findings.iter_mut().for_each(|finding| {
        finding.standing = Standing::Hint;
        finding.fix = "look at it".into();
    });
    assert!(!report.findings.is_empty());
    let said = answer(&report);
    assert!(said.contains("look at it"), "{said}");
    report.findings.clear();
    assert!(answer(&report).contains("Next: use a host with more processors"), "{}", answer(&report));
}

#[test]
fn a_run_that_was_stopped_is_not_told_as_a_whole_one() {
    let said = answer(&Report { ending: Some(Ending::Stopped), ..sound() });
    assert!(said.contains("The run was stopped before its end: this is what 3 passes measured"), "{said}");
    assert!(said.contains("Next: for all that was planned, run it again: `fathom"), "{said}");
}

#[test]
fn a_mean_names_the_slow_one_in_it_and_an_only_row_its_ceiling() {
    let mut report = only(|layer, pattern| layer == Layer::Osd && pattern == Pattern::WriteLatency);
    report.outliers = run().report.outliers;
    let said = answer(&report);
    assert!(said.contains("on average over 3 targets, of which osd.2 1.4"), "{said}");
    let report = only(|layer, pattern| layer == Layer::Rados && pattern == Pattern::WriteParallel);
    let said = answer(&report);
    assert!(said.contains("% of what lies below the rados layer can give: "), "{said}");
}
