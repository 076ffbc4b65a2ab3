//! "Each OSD" and its like in the browser: the median is that of all peers, and what is used nowhere moves nothing.

use crate::browser::Browser;
use crate::sample::RunSampler;
use crate::{assert_sound, runs, show};
use model::{Durability, Estimate, Figure, Label, Layer, OtherWay, Pattern};
use serde_json::json;

/// OSDs measured one by one, each with a value of its own.
pub fn osds(count: u32, value: impl Fn(u32) -> f64) -> runs::Run {
    let mut run = RunSampler::new(2, 1);
    for osd in 0..count {
        let (name, host) = (format!("osd.{osd}"), format!("host{:02}", osd % 10));
        run.step(Layer::Osd, Pattern::WriteLatency, &[(&name, Some(&host))], 1.0, true);
    }
    let mut run = run.explained();
    for (osd, figure) in (0..).zip(&mut run.report.figures) {
        figure.label = Label::Settled;
        figure.estimate = Some(Estimate::new(value(osd), 0.01));
    }
    (run.report, run.record)
}

/// Of the first picture: where the dashed line is, and each dot, downwards in pixels.
const HEIGHTS: &str = "(() => {
    const svg = document.querySelector('#peers .chart > svg');
    const dots = [...svg.querySelectorAll('g[aria-label=dot]:not(.ring) path')];
    const line = svg.querySelector('g[aria-label=rule][stroke-dasharray=\"4,3\"] line');
    return [Number(line.getAttribute('y1')), ...dots.map(dot => Number(/,([^)]+)/.exec(dot.getAttribute('transform'))[1]))];
})()";
const WORDS: &str = "document.querySelector('#peers .panel').innerText";

fn heights(browser: &mut Browser) -> (f64, Vec<f64>) {
    let all: Vec<f64> = serde_json::from_value(browser.eval(HEIGHTS)).expect("numbers");
    (all[0], all[1..].to_vec())
}

#[test]
fn the_median_is_that_of_a_thousand_osds_and_not_of_the_240_that_are_drawn() {
    let mut browser = Browser::start();
    browser.size(1280, 900);
    let slow = |osd: u32| if osd.is_multiple_of(5) { 3.0 } else { 1.0 };
    show(&mut browser, &osds(1000, |osd| slow(osd) + 0.0001 * f64::from(osd)), "");
    assert_sound(&mut browser, "a thousand OSDs");
    let (line, dots) = heights(&mut browser);
    let lowest = dots.iter().copied().fold(0.0, f64::max);
    let slow = dots.iter().filter(|at| **at < lowest - 60.0).count();
    assert_eq!((dots.len(), slow), (240, 200));
    assert!((line - lowest).abs() < 20.0, "the median {line} lies among those that are not slow, {lowest}");
    let words = browser.text(WORDS);
    assert!(words.contains("Of 1000 targets the 240 that are furthest from their median."), "{words}");
}

#[test]
fn what_is_used_nowhere_moves_neither_median_nor_axis_and_is_told() {
    let (mut report, record) = osds(9, |osd| 1.0 + 0.01 * f64::from(osd));
    let mut odd = |osd: usize, value, label| {
        let figure: &mut Figure = &mut report.figures[osd];
        (figure.estimate, figure.label) = (Some(Estimate::new(value, 0.01)), label);
    };
    odd(3, 90.0, Label::Implausible("something answers for it".into()));
    odd(4, 1.08, Label::Unwritten("40 % of what was read holds no data".into()));
    let mut browser = Browser::start();
    browser.size(1280, 900);
    show(&mut browser, &(report, record), "");
    assert_sound(&mut browser, "struck values");
    let (line, mut dots) = heights(&mut browser);
    assert_eq!(dots.len(), 8, "the one beyond the axis is not drawn");
    dots.sort_by(f64::total_cmp);
    assert!(dots[7] - dots[0] > 60.0, "the others fill the picture: {dots:?}");
    let used: Vec<f64> = dots[0..1].iter().chain(&dots[2..]).copied().collect();
    assert!((line - used[3]).abs() < 1.0, "{line} is not the median of {used:?}");
    let words = browser.text(WORDS);
    assert!(
        words.contains("Not used: osd.3 90.00 ms ±0.01 (implausible: something answers for it); osd.4 "),
        "{words}"
    );
}

#[test]
fn a_disk_written_in_two_ways_is_one_peer_that_says_which() {
    let mut run = RunSampler::new(20, 2);
    for (disk, host) in [("/dev/sda", "ceph-a"), ("/dev/sdb", "ceph-b")] {
        for (durability, chart) in [(Durability::Dsync, false), (Durability::Fdatasync, true)] {
            run.step(Layer::Device, Pattern::WriteLatency, &[(disk, Some(host))], 1.0, chart);
            let figure = run.report.figures.last_mut().expect("a figure for each step");
            figure.workload.durability = durability;
            let label = "settled".to_string();
            figure.other_way = Some(OtherWay { durability: Durability::Dsync, estimate: None, label });
        }
    }
    let run = run.explained();
    let mut browser = Browser::start();
    show(&mut browser, &(run.report, run.record), "");
    assert_sound(&mut browser, "two ways");
    let titles =
        "[...document.querySelectorAll('#peers g[aria-label=dot] title')].map(one => one.textContent.split(':')[0])";
    assert_eq!(browser.eval(titles), json!(["/dev/sda on ceph-a, fdatasync", "/dev/sdb on ceph-b, fdatasync"]));
}

#[test]
fn of_many_osds_without_a_value_it_is_said_how_many_more_there_are() {
    let (mut report, record) = osds(60, |_| 1.0);
    for figure in &mut report.figures[5..] {
        (figure.estimate, figure.label) = (None, Label::Void("timeout".into()));
    }
    let mut browser = Browser::start();
    show(&mut browser, &(report, record), "");
    let words = browser.text(WORDS);
    assert!(words.contains("No value: osd.5 (timeout)") && words.ends_with("; and 15 more"), "{words}");
}
