//! A diagnosis in every face: the cause that costs most first, then what else is confirmed, hints, who was refuted, what was not tested.
//! `UPDATE_GOLDEN=1 cargo test -p report --test texts` writes the files anew; then look at the difference.

use crate::golden_file::compare;
use crate::sample::{SampleRun, run};
use model::{
    Answer, Cost, Diagnosed, Estimate, Explained, Finding, Gain, Layer, LeftOut, LongWrites, Metric, OsdStages,
    PairTime, Pattern, Phrase, PositionOfOsd, Positions, Quantity, Refuted, Report, Standing, Subject, TookPart,
    Untested, WriteTimes, phrase,
};
use report::terminal::{self, Detail, Style};
use report::{json, markdown};

fn gain(of: Phrase, [from, to, change]: [Estimate; 3], whole: bool) -> Gain {
    let (layer, pattern, metric) = (Layer::Osd, Pattern::WriteLatency, Metric::LatencyMean);
    Gain { of, layer, pattern, target: "pairs of OSDs".into(), metric, from, to, change, whole }
}

fn confirmed() -> Finding {
    let osd = || Subject::Osd(1);
    let primary = [Estimate::new(1.79, 0.057), Estimate::new(1.24, 0.041), Estimate::new(-0.307, 0.034)];
    let all = [Estimate::new(1.373, 0.031), Estimate::new(1.24, 0.027), Estimate::new(-0.097, 0.014)];
    let gains = vec![
        gain(phrase!("writes with {} as the primary", osd()), primary, false),
        gain("all writes of a pool with two replicas on these 6 OSDs".into(), all, true),
    ];
    let explained = Explained {
        id: "osd-process-slow".into(),
        subject: osd(),
        says: phrase!("{}'s process is slow, not its disk and not the network", osd()),
        evidence: vec!["its own timers meanwhile: software 1.01 ms, commit 0.46 ms".into()],
    };
    let adds = Quantity::Measured { estimate: Estimate::new(0.55, 0.04), metric: Metric::LatencyMean };
    Finding {
        id: "osd-option-odd".into(),
        standing: Standing::Confirmed,
        subject: osd(),
        says: phrase!("{} is slow, and debug_ms and debug_osd are set for it alone", osd()),
        evidence: vec![
            phrase!("by position: as the primary it adds {}", adds),
            "debug_osd = 20/20; its twins have 1/5".into(),
        ],
        explains: vec![explained],
        cost: Some(Cost { gains, until: "the next: the OSDs' own software, the largest part of a usual write".into() }),
        slows_nothing: false,
        confirm: String::new(),
        fix: "ceph config rm osd.1 debug_ms; ceph config rm osd.1 debug_osd".into(),
        risk: "what it was set for is lost; some options are read only when the daemon starts".into(),
    }
}

fn without_cost() -> Finding {
    let (cost, explains) = (None, Vec::new());
    let says = "the cluster is under background work: scrubs".into();
    let (id, subject, evidence) = ("st-scrub".to_string(), Subject::Cluster, vec!["3 groups".into()]);
    Finding {
        id,
        subject,
        says,
        evidence,
        cost,
        explains,
        fix: "wait for their end".into(),
        risk: "none".into(),
        ..confirmed()
    }
}

fn hint() -> Finding {
    Finding {
        id: "osd-mem-target".into(),
        standing: Standing::Hint,
        says: phrase!("{} has less memory for its cache than its peers", Subject::Osd(2)),
        subject: Subject::Osd(2),
        evidence: vec!["osd_memory_target = 2 GiB".into()],
        confirm: "fathom prove osd.2/osd_memory_target=4G".into(),
        fix: "ceph config rm osd.2 osd_memory_target".into(),
        ..without_cost()
    }
}

fn positions() -> Positions {
    let none = Estimate::new(0.01, 0.04);
    let osd = |osd: u32| {
        let adds = |mean: f64| WriteTimes { median: none, mean: Estimate::new(mean, 0.04), p90: none };
        let (primary, replica) = if osd == 1 { (adds(0.55), adds(0.25)) } else { (adds(0.0), adds(0.0)) };
        let timers = Some(OsdStages { software: if osd == 1 { 1.01 } else { 0.45 }, commit: 0.35, parts: None });
        PositionOfOsd {
            osd,
            host: format!("host{}", osd % 3 + 1),
            primary,
            replica,
            timers,
            took_part: TookPart::default(),
        }
    };
    let of = |osd: u32, adds: f64| if osd == 1 { adds } else { 0.0 };
    let pairs = (0..6).flat_map(|a| (0..6).map(move |b| (a, b))).filter(|(a, b)| a % 3 != b % 3);
    let pair = |(primary, replica)| PairTime {
        primary,
        replica,
        mean: 1.24 + of(primary, 0.55) + of(replica, 0.25),
        beyond: 0.0,
    };
    Positions {
        long: LongWrites::default(),
        layer: Layer::Osd,
        pattern: Pattern::WriteLatency,
        usual: WriteTimes { median: 1.16, mean: 1.24, p90: 1.6 }.map(|ms| Estimate::new(*ms, 0.02)),
        mean: Estimate::new(1.373, 0.031),
        osds: (0..6).map(osd).collect(),
        pairs: pairs.map(pair).collect(),
        operations: 9_876,
    }
}

fn diagnosis() -> SampleRun {
    let mut run = run();
    let refuted = Refuted {
        id: "osd-slow".into(),
        subject: Subject::Osd(4),
        says: phrase!("{} is slower than its peers", Subject::Osd(4)),
        because: "measured again, each alone and in turns, it is 1 % faster".into(),
    };
    let untested = Untested {
        id: "device-slow".into(),
        subject: Subject::Disk { host: None, name: "/dev/sdc".into() },
        says: "/dev/sdc is slower than its peers".into(),
        left_out: LeftOut {
            why: "no test begins after 20 min (--time-max)".into(),
            needs: "fathom diagnose with a larger --time-max".into(),
        },
    };
    let report = &mut run.report;
    report.head.command = "fathom diagnose --lab".into();
    report.findings = vec![confirmed(), without_cost(), hint()];
    report.answer = Answer::Diagnosis(Diagnosed { refuted: vec![refuted], untested: vec![untested] });
    report.positions = Some(positions());
    (report.errors, report.changes, report.warnings, report.outliers) = (vec![], vec![], vec![], vec![]);
    report.figures.truncate(4);
    report.chart.clear();
    report.ledger.clear();
    run
}

fn terminal_of(report: &Report, run: &SampleRun) -> String {
    terminal::summary(report, &run.record.scope, Detail::Short, &Style { width: 120, colours: false })
}

#[test]
fn the_cause_comes_first_then_what_is_less_certain() {
    let run = diagnosis();
    let text = terminal_of(&run.report, &run);
    compare("diagnosis.txt", &text);
    compare("diagnosis.md", &markdown::page(&run.report, &run.record));
    let order = [
        "osd.1 is slow, and debug_ms",
        "-9.7 % ±1.4 %",
        "until the next: the OSDs' own software",
        "ceph config rm osd.1 debug_ms",
        "What else is wrong:",
        "osd-option-odd (confirmed",
        "st-scrub (confirmed",
        "gain: not measured",
        "osd-mem-target (hint",
        "to be certain: fathom prove",
        "osd-slow (osd.4)",
        "device-slow (/dev/sdc)",
        "it needs: fathom diagnose with a larger --time-max",
    ];
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut rest = text.as_str();
    for words in order {
        let at = rest.find(words).unwrap_or_else(|| panic!("{words} not after the others: {text}"));
        rest = &rest[at..];
    }
    assert_eq!(text.matches("What else is wrong: - osd.1").count(), 0, "the cause is told once: {text}");
}

#[test]
fn without_a_confirmed_cause_the_answer_says_so() {
    let mut run = diagnosis();
    run.report.findings.retain(|finding| finding.standing == Standing::Hint);
    let text = terminal_of(&run.report, &run).split_whitespace().collect::<Vec<_>>().join(" ");
    let wanted = "No cause is confirmed; 1 hint is not certain; 1 suspect was refuted; 1 thing was not tested.";
    assert!(text.contains(wanted), "{text}");
}

/// A crash of last week, or a flag that stops scrubs, is true and no cause.
#[test]
fn what_slows_nothing_is_no_cause_where_there_is_anything_else() {
    let crashes = || Finding {
        id: "st-crashes".into(),
        says: "daemons crashed lately".into(),
        fix: "ceph crash ls".into(),
        slows_nothing: true,
        ..without_cost()
    };
    let told = |findings: Vec<Finding>| {
        let mut run = diagnosis();
        run.report.findings = findings;
        terminal_of(&run.report, &run).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let beside_a_cause = told(vec![crashes(), confirmed()]);
    let answer = beside_a_cause.split("What else is wrong:").next().unwrap_or_default();
    assert!(answer.contains("osd.1 is slow, and debug_ms") && !answer.contains("crashed"), "{beside_a_cause}");
    assert!(!answer.contains("more cause"), "{beside_a_cause}");
    assert!(beside_a_cause.contains("state of the cluster: daemons crashed lately"), "{beside_a_cause}");
    let beside_a_hint = told(vec![crashes(), hint()]);
    assert!(beside_a_hint.contains("No cause is confirmed; 1 hint is not certain"), "{beside_a_hint}");
    assert!(beside_a_hint.contains("state of the cluster: daemons crashed lately"), "{beside_a_hint}");
    let next = beside_a_hint.split("Next:").nth(1).and_then(|rest| rest.split("Findings").next()).unwrap_or_default();
    assert!(!next.contains("ceph crash ls"), "{beside_a_hint}");
    let alone = told(vec![crashes()]);
    assert!(alone.contains("ceph crash ls") && !alone.contains("No cause is confirmed"), "{alone}");
}

#[test]
fn the_document_has_the_cost_as_numbers() {
    let run = diagnosis();
    let document = json::document(&run.report, &run.record);
    let cost = &document["findings"][0]["cost"];
    assert_eq!(cost["gains"][1]["whole"], true);
    assert_eq!(cost["gains"][1]["change"], -0.097);
    assert_eq!(cost["gains"][0]["unit"], "ms");
    assert!(cost["gains"][0]["from_ci95"][1].as_f64().is_some_and(|high| (high - 1.847).abs() < 1e-9), "{cost}");
    assert_eq!(document["findings"][0]["explains"][0]["id"], "osd-process-slow");
    assert_eq!(document["findings"][1]["cost"], serde_json::Value::Null);
    assert_eq!(document["untested"][0]["needs"], "fathom diagnose with a larger --time-max");
    assert_eq!(document["positions"]["mean"], 1.373);
}
