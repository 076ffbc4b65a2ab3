//! A diagnosis in the browser: causes as a tree, of which what is confirmed is open, and pairs of OSDs as a map of colours.

use crate::browser::Browser;
use crate::{assert_sound, runs, show};
use model::{
    Answer, Diagnosed, Estimate, Explained, Finding, Layer, LeftOut, LongWrites, PairTime, Pattern, PositionOfOsd,
    Positions, Standing, Subject, TookPart, Untested, WriteTimes,
};
use serde_json::json;

/// Six OSDs on three hosts, of which one adds half a millisecond.
fn positions() -> Positions {
    let none = WriteTimes { median: 0.0, mean: 0.0, p90: 0.0 }.map(|ms| Estimate::new(*ms, 0.04));
    let osd = |osd: u32| PositionOfOsd {
        osd,
        host: format!("host{}", osd % 3 + 1),
        primary: none,
        replica: none,
        timers: None,
        took_part: TookPart::default(),
    };
    let pairs = (0..6).flat_map(|a| (0..6).map(move |b| (a, b))).filter(|(a, b)| a % 3 != b % 3);
    let pair =
        |(primary, replica)| PairTime { primary, replica, mean: if primary == 1 { 1.79 } else { 1.24 }, beyond: 0.0 };
    Positions {
        layer: Layer::Osd,
        pattern: Pattern::WriteLatency,
        usual: WriteTimes { median: 1.16, mean: 1.24, p90: 1.6 }.map(|ms| Estimate::new(*ms, 0.02)),
        mean: Estimate::new(1.33, 0.03),
        osds: (0..6).map(osd).collect(),
        pairs: pairs.map(pair).collect(),
        operations: 9_876,
        long: LongWrites::default(),
    }
}

fn diagnosis() -> runs::Run {
    let (mut report, record) = runs::usual();
    let hint = report.findings.remove(0);
    let explained = Explained {
        id: "osd-process-slow".into(),
        subject: Subject::Osd(1),
        says: "osd.1's process is slow".into(),
        evidence: vec!["software 1.01 ms".into()],
    };
    let confirmed = Finding {
        id: "osd-option-odd".into(),
        standing: Standing::Confirmed,
        subject: Subject::Osd(1),
        says: model::phrase!("{} is slow, and debug_osd is set for it alone", Subject::Osd(1)),
        explains: vec![explained],
        ..hint.clone()
    };
    let untested = Untested {
        id: hint.id.clone(),
        subject: hint.subject.clone(),
        says: hint.says.clone(),
        left_out: LeftOut { why: "no time".into(), needs: "more time".into() },
    };
    report.findings = vec![confirmed, hint];
    report.answer = Answer::Diagnosis(Diagnosed { refuted: Vec::new(), untested: vec![untested] });
    report.positions = Some(positions());
    (report, record)
}

#[test]
fn causes_are_a_tree_and_pairs_of_osds_a_map() {
    let mut browser = Browser::start();
    browser.size(1280, 900);
    show(&mut browser, &diagnosis(), "");
    assert_sound(&mut browser, "a diagnosis");
    let titles = "[...document.querySelectorAll('#causes > details')].map(one => [one.open, one.querySelector('summary').textContent])";
    let wanted = json!([
        [true, "osd-option-odd (confirmed, osd.1): osd.1 is slow, and debug_osd is set for it alone"],
        [false, "Hints, which no measurement has confirmed: 1"],
        [false, "Not tested, and what that would need: 1"]
    ]);
    assert_eq!(browser.eval(titles), wanted);
    let explained = "document.querySelector('#causes details details details summary').textContent";
    assert_eq!(browser.text(explained), "osd-process-slow (osd.1): osd.1's process is slow");
    let sentence = browser.text("document.querySelector('.sentence').textContent");
    assert!(sentence.starts_with("osd.1 is slow, and debug_osd"), "{sentence}");

    assert_eq!(browser.count("#positions g[aria-label=cell] rect"), 24, "pairs on one host are empty");
    let shown = "[...document.querySelectorAll('#positions g[aria-label=cell] title')].map(one => one.textContent)";
    assert!(
        browser.text(&format!("String({shown})")).contains("primary osd.1 on host2, replica osd.0 on host1: mean 1.79")
    );
    let label = browser.text("document.querySelector('#positions .chart > svg').getAttribute('aria-label')");
    assert!(label.ends_with("; a table below holds the 20 slowest of 24 pairs"), "{label}");
    let slow = "[...[...document.querySelectorAll('#positions table')].at(-1).querySelectorAll('tbody tr')]
        .map(row => [...row.cells].map(cell => cell.textContent).join(' '))";
    let slow = browser.eval(slow);
    assert_eq!(slow.as_array().map(Vec::len), Some(20), "{slow}");
    let wanted = (json!("osd.1 host2 osd.0 host1 1.790"), json!("osd.0 host1 osd.1 host2 1.240"));
    assert_eq!((&slow[0], &slow[4]), (&wanted.0, &wanted.1));
    let legend = browser.text("document.querySelector('#positions .legend').textContent");
    assert!(legend.starts_with("1.24") && legend.ends_with("not measured"), "{legend}");
    browser.size(390, 800);
    show(&mut browser, &diagnosis(), "");
    assert_eq!(browser.eval("document.documentElement.scrollWidth <= 390"), true, "the page scrolls sideways");
}
