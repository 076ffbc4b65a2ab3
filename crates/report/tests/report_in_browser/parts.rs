//! "Where the time goes" in the browser: bars of parts, each part in a colour of its own, and the mean where it lies.

use crate::browser::Browser;
use crate::{assert_sound, runs, show};
use model::{LatencyPart, LatencyParts, Layer, Part, Pattern};
use std::collections::BTreeSet;

fn of(layer: Layer, mean_ms: f64, parts: &[(Part, f64)]) -> LatencyParts {
    LatencyParts {
        layer,
        pattern: Pattern::WriteLatency,
        target: "pool".into(),
        mean_ms,
        own: None,
        requests: None,
        osds: 3,
        of: 3,
        parts: parts.iter().map(|(part, ms)| LatencyPart { part: *part, ms: *ms }).collect(),
        doubt: None,
    }
}

fn shown(parts: Vec<LatencyParts>) -> Browser {
    let (mut report, record) = runs::usual();
    report.latency_parts = parts;
    let mut browser = Browser::start();
    browser.size(1280, 900);
    show(&mut browser, &(report, record), "");
    assert_sound(&mut browser, "parts of a latency");
    browser
}

const SEGMENTS: &str = "#latency-parts g[aria-label=bar]:not(.beyond) rect";

fn colours(browser: &mut Browser, of: &str, property: &str) -> BTreeSet<String> {
    let all = format!("[...document.querySelectorAll('{of}')].map(one => getComputedStyle(one).{property})");
    serde_json::from_value(browser.eval(&all)).expect("texts")
}

#[test]
fn every_part_has_a_colour_of_its_own_in_bars_and_legend() {
    let parts = Part::ALL.map(|part| (part, 0.1));
    let mut browser = shown(vec![of(Layer::Rados, 1.8, &parts)]);
    let bars = colours(&mut browser, SEGMENTS, "fill");
    assert_eq!(bars.len(), Part::ALL.len(), "{bars:?}");
    assert_eq!(colours(&mut browser, "#latency-parts .legend .segment", "backgroundColor"), bars);

    // Of few parts those are taken that differ most, whichever parts they are.
    let few = [(Part::Client, 0.5), (Part::Software, 0.5), (Part::Rest, 0.8)];
    let mut browser = shown(vec![of(Layer::Rados, 1.8, &few)]);
    let first = colours(&mut browser, SEGMENTS, "fill");
    let mut browser =
        shown(vec![of(Layer::Rados, 1.8, &[Part::Network, Part::Queue, Part::Data].map(|one| (one, 0.6)))]);
    assert_eq!((colours(&mut browser, SEGMENTS, "fill"), first.len()), (first, 3));
}

#[test]
fn a_bar_ends_at_the_mean_and_what_is_counted_twice_lies_beyond_it() {
    let twice = [(Part::Client, 1.5), (Part::Osds, 1.0), (Part::Rest, -0.5)];
    let even = [(Part::Client, 1.0), (Part::Osds, 2.0)];
    let mut browser = shown(vec![of(Layer::Rados, 2.0, &twice), of(Layer::Rbd, 3.0, &even)]);
    let edges = "(() => {
        const box = one => one.getBoundingClientRect(), all = of => [...document.querySelectorAll('#latency-parts ' + of)];
        const means = all('.whole line').map(one => box(one).left);
        const [beyond] = all('.beyond rect').map(box);
        return [Math.abs(means[0] - beyond.left) < 2, (beyond.width / (means[1] - means[0])).toFixed(1)];
    })()";
    assert_eq!(browser.eval(edges), serde_json::json!([true, "0.5"]), "from 2.0 to 2.5, where the other mean is 3.0");
    assert_eq!(browser.count("#latency-parts .beyond rect"), 1);
    assert_eq!(
        browser.text("document.querySelector('#latency-parts .beyond title').textContent"),
        "counted twice: the parts add up to 0.500 ms more than the mean of 2.000 ms"
    );
    let text = browser.text("document.querySelector('#latency-parts').textContent");
    assert!(text.contains("mean 2.000") && text.contains("beyond the whole: counted twice"), "{text}");
    assert!(!browser.text("document.querySelector('#latency-parts .legend').textContent").contains("rest"));
}
