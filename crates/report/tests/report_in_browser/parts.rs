//! "Where the time goes" in the browser: bars of parts, each part in a colour of its own.

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
