//! The report on paper, where nothing can be clicked; and links to what is shown only when it is asked for.

use crate::browser::Browser;
use crate::{peers, runs, show};
use model::{ChartCell, Layer, Pattern};
use serde_json::json;

/// So many gateways, none of which could be measured, beside what the usual run has.
fn missing(count: usize) -> runs::Run {
    let (mut report, record) = runs::usual();
    let cell = |door: usize| ChartCell {
        door: Some(format!("10.1.0.{door}:8080")),
        only: Vec::new(),
        layer: Layer::Object,
        pattern: Pattern::WriteLatency,
        estimate: None,
        targets: 1,
        worst: None,
        label: "void".into(),
        why: Some(format!("reason {door}")),
    };
    report.chart.extend((1..=count).map(cell));
    // More warnings than are shown at once stand in a fold.
    report.warnings = (0..30).map(|n| format!("warning {n}")).collect();
    (report, record)
}

#[test]
fn paper_has_folds_open_and_says_what_it_leaves_out() {
    let mut browser = Browser::start();
    browser.size(1280, 900);
    show(&mut browser, &missing(300), "");
    let closed = "document.querySelectorAll('details:not([open])').length";
    let before = browser.eval(closed).as_u64().expect("a number");
    assert!(before > 0, "something is folded");
    browser.eval(&format!("(addEventListener('beforeprint', () => {{ window.printed = {closed}; }}), 0)"));
    browser.print_out();
    assert_eq!(browser.eval("window.printed"), 0, "all stand open when it is printed");
    assert_eq!(browser.eval(closed), before, "and are closed again");

    let said =
        "[...document.querySelectorAll('.on-paper')].filter(one => one.offsetWidth > 0).map(one => one.textContent)";
    assert_eq!(browser.eval(said), json!([]), "nothing of that on the screen");
    browser.print();
    browser.drawn();
    let rows = browser.count("#chart table tbody tr");
    let all = browser.text("document.querySelector('#chart .more button').textContent").replace("Show all ", "");
    let wanted = [
        format!("{rows} of {all} rows; the rest is in the file"),
        "40 of 302 entries; the rest is in the file".to_string(),
    ];
    assert_eq!((browser.eval(said), rows), (json!(wanted), 200));
    assert_eq!(browser.eval("document.querySelector('#chart .more button').offsetWidth"), 0);
}

#[test]
fn paper_says_how_many_figures_it_leaves_out() {
    let mut browser = Browser::start();
    show(&mut browser, &peers::osds(301, |_| 1.0), "");
    let said = "document.querySelector('#figures .on-paper').textContent";
    assert_eq!(browser.text(said), "300 of 301 figures; the rest is in the file");
    browser.eval("(() => { const box = document.querySelector('.tall'); box.scrollTop = box.scrollHeight; box.dispatchEvent(new Event('scroll')); })()");
    assert_eq!(browser.text(said), "", "all are there");
}

#[test]
fn a_link_to_an_item_that_is_not_shown_yet_shows_it() {
    let mut browser = Browser::start();
    show(&mut browser, &missing(60), "");
    assert_eq!((browser.count("#note-40"), browser.count("#note-41")), (1, 0));
    browser.eval("(document.querySelector('a[href=\"#note-45\"]').click(), 0)");
    browser.eval("new Promise(done => setTimeout(done, 300)).then(() => 0)");
    assert_eq!(browser.text("document.querySelector(':target').id"), "note-45");
    let seen = "(() => { const { top } = document.getElementById('note-45').getBoundingClientRect(); return top >= 0 && top < innerHeight; })()";
    assert_eq!(browser.eval(seen), true);
    show(&mut browser, &missing(60), "#note-50");
    assert_eq!(browser.text("document.querySelector(':target').id"), "note-50");
}
