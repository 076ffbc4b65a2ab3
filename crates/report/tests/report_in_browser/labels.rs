//! Labels in the report: each with what made it visible, what it means and what to do; and compactions beneath the series.

use crate::browser::Browser;
use crate::runs::{self, Run};
use crate::{assert_sound, show};
use model::{
    Answer, Background, Cliff, Compaction, Ended, Endurance, Estimate, Figure, Label, Layer, Observation, OsdLooks,
    Pattern, Report, StoreActivity, Until,
};

/// The usual run, in whose writes tables were written from the second to the fourth second of each slice, and with a device
/// that fell.
pub fn seen() -> Run {
    let (mut report, mut record) = runs::usual();
    let look =
        |from: f64| StoreActivity { from, to: from + 1.0, bytes: if (2.0..4.0).contains(&from) { 1 << 24 } else { 0 } };
    let osds: Vec<OsdLooks> = (0..3)
        .map(|osd| OsdLooks {
            osd,
            looks: (0..9).map(|second| look(f64::from(second))).collect(),
            reads: None,
            database: None,
        })
        .collect();
    for slice in &record.slices {
        let compaction = Compaction { step: slice.step, pass: slice.pass, osds: osds.clone(), of: 3 };
        record.observations.push(Observation::Compaction(compaction));
    }
    let stored = |figure: &&mut Figure| figure.layer == Layer::Rbd && figure.pattern == Pattern::WriteParallel;
    let figure = report.figures.iter_mut().find(stored).expect("the usual run has images");
    figure.background = Some(Background {
        osds: 3,
        of: 3,
        seconds: 24.0,
        busy: 0.25,
        slices: 3,
        quiet: 0,
        dips: 6,
        in_step: 5,
        chance: Some(0.002),
        dips_beyond_chance: true,
        slower_beyond_chance: false,
        slowed: None,
        says: None,
        reads: None,
    });
    report.answer = Answer::SustainedWrites(vec![fallen(), lasting()]);
    (report, record)
}

fn fallen() -> Endurance {
    let (from, to) = (Some(Estimate::new(480.0, 42.0)), Some(Estimate::new(110.0, 12.0)));
    let (written, low, high) = (14_400_000_000, 13_900_000_000, 14_900_000_000);
    Endurance {
        target: "/dev/sda".into(),
        until: Until::Falls,
        filled: None,
        rounds: None,
        model: Some("Example 870".into()),
        also: vec!["/dev/sdb".into()],
        ended: Ended::Fell,
        error: None,
        written: 15_500_000_000,
        seconds: 40.0,
        before: 0,
        held: low,
        cliff: Some(Cliff { written, low, high, from, to, fall: 0.77 }),
        rate: None,
        each_second: (0..40u64).map(|n| if n < 30 { 480_000_000 + n % 3 * 9_000_000 } else { 110_000_000 }).collect(),
        says: "fell by 77 % after 13.4 GiB written without pause".into(),
    }
}

fn lasting() -> Endurance {
    Endurance {
        target: "/dev/sdc".into(),
        model: None,
        also: Vec::new(),
        ended: Ended::Volume,
        cliff: None,
        rate: Some(Estimate::new(470.0, 40.0)),
        each_second: vec![470_000_000; 30],
        says: "no cliff within 13.1 GiB".into(),
        ..fallen()
    }
}

/// One figure of each label, with the address under which it is shown.
pub fn hashes(report: &Report) -> Vec<(&'static str, String)> {
    let mut seen: Vec<(&'static str, String)> = Vec::new();
    for figure in report.figures.iter().filter(|figure| figure.label != Label::Settled && figure.at_once == 1) {
        let (label, target) = (figure.label.name(), figure.target.replace('/', "%2F"));
        if !seen.iter().any(|(known, _)| *known == label) {
            seen.push((label, format!("#figure/{}/{target}/{}", figure.layer.name(), figure.pattern.name())));
        }
    }
    seen.push(("settled", "#figure/rbd/fathom.ab3f/write-parallel".to_string()));
    seen
}

#[test]
fn each_label_shows_what_made_it_visible_and_what_it_means() {
    let run = seen();
    let mut browser = Browser::start();
    browser.size(1280, 900);
    let all = hashes(&run.0);
    for (label, hash) in &all {
        show(&mut browser, &run, hash);
        assert_sound(&mut browser, label);
        let text = browser.text("document.querySelector('#detail').innerText");
        if *label != "settled" {
            assert!(text.contains("What it means:") && text.contains("What to do:"), "{label}: {text}");
        }
        let drawn = match *label {
            "two levels" => Some((2, "% of the time")),
            "burst" => Some((2, "before")),
            "wandering" => Some((2, "slices from")),
            "unsettled" => Some((2, "where the level was")),
            "few events" => Some((1, "dip")),
            _ => None,
        };
        if let Some((marks, words)) = drawn {
            assert_eq!(browser.count("#detail .sight :is(path, line, rect)"), marks, "{label}");
            let picture = browser.text("document.querySelector('#detail .pictures').textContent");
            assert!(picture.contains(words), "{label}: {words} is not in {picture}");
        }
    }
    assert_eq!(all.len(), 10, "{all:?}");
}

#[test]
fn compactions_stand_beneath_the_series_and_in_words() {
    let run = seen();
    let mut browser = Browser::start();
    browser.size(1280, 900);
    show(&mut browser, &run, "#figure/rbd/fathom.ab3f/write-parallel");
    assert_sound(&mut browser, "compactions");
    // Three OSDs, two looks in each of three slices.
    assert_eq!(browser.count("#detail .compactions :is(path, line)"), 18);
    let text = browser.text("document.querySelector('#detail').innerText");
    for said in ["Dips in step with RocksDB compaction: 5 of 6", "RocksDB compacted", "25 % of the time"] {
        assert!(text.contains(said), "{said}: {text}");
    }
}

#[test]
fn a_cliff_is_marked_in_its_picture_and_without_figures_it_stands_alone() {
    let mut run = seen();
    let mut browser = Browser::start();
    browser.size(1280, 900);
    show(&mut browser, &run, "");
    assert_sound(&mut browser, "sustained writes");
    assert_eq!(browser.count("#sustained .chart > svg"), 2);
    let text = browser.text("document.querySelector('#sustained').textContent");
    for said in ["cliff after 13.4 GiB", "before 480 MB/s", "after 110 MB/s", "/dev/sdb", "no cliff within 13.1 GiB"] {
        assert!(text.contains(said), "{said}: {text}");
    }
    (run.0.figures, run.0.chart, run.0.ledger) = (Vec::new(), Vec::new(), Vec::new());
    show(&mut browser, &run, "");
    assert_sound(&mut browser, "sustained writes alone");
    assert_eq!((browser.count("#sustained"), browser.count("#figures"), browser.count("#chart")), (1, 0, 0));
}

#[test]
fn an_interval_that_reaches_to_zero_stays_off_the_layers_name_and_long_labels_fit() {
    let (mut report, record) = runs::usual();
    for cell in report.chart.iter_mut().filter(|cell| cell.pattern == Pattern::ReadParallel) {
        cell.label = "generator-limited".into();
        cell.why = Some("for this test".into());
        if let Some(estimate) = &mut cell.estimate {
            *estimate = Estimate { low: 0.0, high: estimate.value * 3.4, ..*estimate };
        }
    }
    let mut browser = Browser::start();
    for width in [400, 1280] {
        browser.size(width, 900);
        show(&mut browser, &(report.clone(), record.clone()), "");
        assert_sound(&mut browser, "wide intervals");
        assert!(browser.count("#chart .open-end text") > 0);
        // No line of a picture begins left of where names end; no text ends beyond the panel.
        let script = "[...document.querySelectorAll('#chart svg')].map(svg => {
            const box = svg.getBoundingClientRect(), left = box.left + 74;
            const lines = [...svg.querySelectorAll('g[aria-label=rule] line')].map(e => e.getBoundingClientRect().left);
            const ends = [...svg.querySelectorAll('text')].map(e => e.getBoundingClientRect().right);
            return [Math.min(...lines, left) >= left - 1, Math.max(...ends) <= box.right - 4];
        }).flat().every(Boolean)";
        assert_eq!(browser.eval(script), true, "at {width}");
    }
}
