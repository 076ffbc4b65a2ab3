//! A sweep in the browser: lines, the surface, every point in its table, and the way from a point to its figure.

use crate::browser::Browser;
use crate::{assert_sound, runs, show};
use model::Answer;
use serde_json::json;

#[test]
fn a_sweep_is_lines_and_a_surface_and_every_point_leads_to_its_figure() {
    let run = runs::swept();
    let mut browser = Browser::start();
    browser.size(1280, 900);
    show(&mut browser, &run, "");
    assert_sound(&mut browser, "a sweep");
    let parts = browser.eval("[...document.querySelectorAll('nav a')].map(a => a.textContent)");
    assert_eq!(
        (&parts[0], parts.as_array().is_some_and(|all| all.contains(&json!("Depth chart")))),
        (&json!("Sweep"), false)
    );
    assert_eq!(browser.count("#sweep .chart > svg"), 3, "two pictures of lines and a surface");
    let points = run.0.figures.len() as u64;
    assert_eq!(browser.count("#sweep g[aria-label=line] path"), 2 * 3, "a line for each number of jobs");
    assert_eq!(browser.count("#sweep g[aria-label=dot]:not(.knee) path"), 2 * points);
    assert_eq!(browser.count("#sweep g[aria-label=dot].knee circle"), 2 * 3, "a ring around each knee");
    assert_eq!(browser.count("#sweep g[aria-label=cell] rect"), points, "combinations that can't be are empty");
    assert_eq!(browser.count("#sweep .list li"), 3);
    assert_eq!(browser.count("#sweep table tbody tr"), points);
    assert_eq!(browser.count("#sweep table tr.is-strong"), 3);
    let sentence = browser.text("document.querySelector('.sentence').textContent");
    assert!(sentence.starts_with("21 points over depth × jobs. The knee at jobs 1 is depth 16"), "{sentence}");
    assert!(browser.text("document.querySelector('#sweep').textContent").contains("4 combinations left out"));

    browser.eval("(location.hash = document.querySelector('#sweep table tr.is-strong a').getAttribute('href'), 0)");
    browser.eval("new Promise(done => setTimeout(done, 300)).then(() => 0)");
    let heading = browser.text("document.querySelector('#detail .where').textContent");
    assert_eq!(heading, "osd · osd.0 on ceph-a · read-parallel · depth 16, jobs 1");
}

#[test]
fn a_sweep_fits_a_phone_and_a_sweep_of_nothing_is_said() {
    let mut browser = Browser::start();
    browser.size(390, 800);
    let (mut report, record) = runs::swept();
    show(&mut browser, &(report.clone(), record.clone()), "");
    assert_sound(&mut browser, "a sweep on a phone");
    assert_eq!(browser.eval("document.documentElement.scrollWidth <= 390"), true, "the page scrolls sideways");

    if let Answer::Sweep(swept) = &mut report.answer {
        swept.readings.iter_mut().for_each(|reading| (reading.throughput, reading.latency) = (None, None));
        swept.knees.clear();
    }
    show(&mut browser, &(report, record), "");
    assert_sound(&mut browser, "a sweep of which nothing could be measured");
}
