//! The HTML report in a real browser: what it draws, that it asks nobody for anything, that text stays text.

mod browser;
mod causes;
mod csv;
mod labels;
mod paper;
mod parts;
mod peers;
mod pictures;
mod runs;
mod sample;
mod sweeps;

use browser::Browser;
use model::{
    AbFound, Answer, Arrivals, ChartCell, Comparison, Difference, Durability, Estimate, FigureKey, Finds, Label, Layer,
    Limit, OtherWay, Outcome, Pattern, Percentile, Report, ResponseBound, Threshold, TriedRate, Verdict,
};
use report::{export, html, json, numbers};
use serde_json::{Value, json};

fn show(browser: &mut Browser, run: &runs::Run, hash: &str) {
    browser.open(&html::page(&run.0, &run.1), hash);
}

/// Neither errors nor requests, and no number that is none.
fn assert_sound(browser: &mut Browser, what: &str) {
    assert_eq!(browser.complaints(), [""; 0], "{what}");
    assert_eq!(browser.eval("document.documentElement.dataset.ready"), "true", "{what}");
    let broken = "[...document.querySelectorAll('svg *')].filter(e => [...e.attributes].some(a => /NaN|undefined|Infinity/.test(a.value)))
        .map(e => e.outerHTML.slice(0, 200))";
    assert_eq!(browser.eval(broken), json!([]), "{what}");
    assert_eq!(browser.count(".undrawn"), 0, "{what} has pictures that failed");
    let text = browser.text("document.querySelector('main').innerText");
    for word in ["NaN", "undefined", "[object", "Infinity"] {
        assert!(!text.contains(word), "{what} shows {word}");
    }
}

fn struck(report: &Report) -> usize {
    report.figures.iter().filter(|figure| figure.chart && matches!(figure.label, Label::Implausible(_))).count()
}

#[test]
fn every_part_is_drawn_and_says_what_the_terminal_says() {
    let mut run = runs::usual();
    // One figure is not known: the page says that in the same words, too.
    let unknown = run.0.chart.iter_mut().find_map(|cell| cell.estimate.as_mut()).expect("a cell with a value");
    (unknown.low, unknown.high) = (0.0, 2.1 * unknown.value);
    // Of a latency and of a throughput one share is an upper bound.
    let bounded = [(Pattern::ReadLatency, Layer::Osd), (Pattern::WriteParallel, Layer::Rados)];
    let rows = run.0.ledger.iter_mut().filter(|row| bounded.contains(&(row.pattern, row.layer)));
    rows.for_each(|row| row.at_least = true);
    let mut browser = Browser::start();
    browser.size(1280, 900);
    show(&mut browser, &run, "");
    assert_sound(&mut browser, "the usual run");
    let with = |mark: &str| {
        let cells = "[...document.querySelectorAll('#ledger td')].map(cell => cell.textContent)";
        format!("String({cells}.filter(text => text.startsWith('{mark}')).length)")
    };
    assert_eq!([browser.text(&with("≤")), browser.text(&with("≥"))], ["2", "1"]);
    let counts = ["#chart", "#ledger", "#peers", "#detail"].map(|part| browser.count(&format!("{part} .chart > svg")));
    assert_eq!(counts, [6, 6, 6, 3]);
    assert!(
        browser.text("document.querySelector('#warnings').innerText").contains("reads that option only when it starts")
    );

    let values = run.0.chart.iter().filter(|cell| cell.estimate.is_some()).count() + struck(&run.0);
    assert_eq!(browser.count("#chart g[aria-label=dot] path"), values as u64, "one mark for each value");
    assert_eq!(browser.count("#peers g[aria-label=dot]:not(.ring) path"), 18, "3 OSDs × 6 patterns");
    assert_eq!(browser.count("#peers .ring path, #peers .ring circle"), 1, "one outlier among them");
    assert_eq!(browser.count(".figure-table tbody tr"), run.0.figures.len() as u64);
    assert_eq!(browser.count("#detail article"), 1, "the first figure is chosen");

    let table = browser.text("document.querySelector('#chart table').innerText");
    for cell in &run.0.chart {
        if let Some(estimate) = &cell.estimate {
            let words = numbers::figure(estimate, cell.pattern.metric(cell.layer)).plain();
            assert!(table.contains(&words), "{words} is not in\n{table}");
        }
        assert!(cell.label == "settled" || table.contains(&cell.label), "{} is not in\n{table}", cell.label);
    }
    let reasons = browser.text("document.querySelector('#chart').innerText");
    for why in run.0.chart.iter().filter_map(|cell| cell.why.as_ref()) {
        assert!(reasons.contains(why.as_str()), "{why} is not in\n{reasons}");
    }
    assert!(browser.count("#chart .struck text") > 0, "what is implausible is struck out");
}

#[test]
fn the_section_of_single_targets_is_named_by_what_it_lists() {
    let mut browser = Browser::start();
    let mut title = |run: &runs::Run| {
        show(&mut browser, run, "");
        browser.text("document.querySelector('#peers h2').innerText")
    };
    assert_eq!(title(&runs::usual()), "Each OSD, disk and link");
    let mut of_disks = runs::usual();
    of_disks.0.figures.retain(|figure| figure.layer.of_disks());
    assert_eq!(title(&of_disks), "Each disk");
}

#[test]
fn every_layer_of_the_chart_has_its_own_water_however_many_there_are() {
    let mut run = runs::usual();
    let floor: Vec<_> = run.0.chart.iter().filter(|cell| cell.layer == Layer::Store).cloned().collect();
    run.0.chart.extend(floor.into_iter().map(|cell| ChartCell { layer: Layer::Floor, ..cell }));
    let mut browser = Browser::start();
    show(&mut browser, &run, "");
    let all = |elements: &str, property: &str| {
        let each = format!("[...document.querySelectorAll('{elements}')].map(one => getComputedStyle(one).{property})");
        format!("[...new Set({each})].join(' | ')")
    };
    let colours = browser.text(&all("#chart g[aria-label=bar] rect", "fill"));
    assert_eq!(colours.split(" | ").count(), 7, "{colours}");
    assert!(!colours.contains("rgb(0, 0, 0)") && !colours.contains("rgba(0, 0, 0, 0)"), "{colours}");
}

#[test]
fn the_highest_rate_has_its_curve_with_the_bound_and_every_rate_that_was_tried() {
    let mut run = runs::usual();
    let percentile = |percent, value_ms| {
        Some(Percentile {
            percent,
            value_ms,
            low_ms: Some(value_ms / 2.0),
            high_ms: (percent < 60.0).then_some(value_ms * 2.0),
        })
    };
    let probe = |rate: f64, confirms, kept| TriedRate {
        rate,
        confirms,
        kept,
        seconds: 3.2,
        over: rate / 1e6,
        over_low: 0.0,
        over_high: 0.1,
        median: percentile(50.0, rate / 1000.0),
        bounded: percentile(99.0, rate / 100.0),
    };
    run.0.answer = Answer::HighestRates(vec![Limit {
        layer: Layer::Rbd,
        target: "pool".into(),
        pattern: Pattern::ReadLatency,
        bound: ResponseBound { percent: 99.0, ms: 30.0, arrivals: Arrivals::Poisson },
        rate: Some(2000.0),
        capacity: Some(9000.0),
        seconds: 60.0,
        probes: vec![probe(3000.0, false, false), probe(2000.0, false, true), probe(2000.0, true, true)],
        why: None,
    }]);
    let mut browser = Browser::start();
    browser.size(1000, 900);
    show(&mut browser, &run, "");
    assert_sound(&mut browser, "a run with a highest rate");
    assert_eq!(browser.count("#limits tbody tr"), 1 + 3, "what was found, and what was tried");
    let text = browser.text("document.querySelector('#limits').textContent");
    for said in ["2,000", "confirmed over 1 min", "bound: 30 ms", "breaks it", "p99", "3,000"] {
        assert!(text.contains(said), "{said}: {text}");
    }
    assert_eq!(browser.count("#limits g[aria-label=dot] path"), 6, "three rates, two percentiles each");
}

#[test]
fn one_setting_against_another_has_its_changes_with_their_intervals_and_no_chart() {
    let mut run = runs::usual();
    let one = |finds, value: f64| Difference {
        figure: FigureKey::of(&run.0.figures[0]),
        before: Estimate::new(2.0, 0.05),
        after: Estimate::new(2.0 * (1.0 + value), 0.05),
        before_known: true,
        after_known: true,
        change: Estimate::new(value, 0.03),
        finds,
    };
    let differences = vec![one(Finds::Worse, 0.12), one(Finds::Same, -0.01)];
    let comparison = Comparison { differences, ..Comparison::default() };
    let (half_width, apart) = (0.03, 0.09);
    let found = AbFound {
        what: "pool".into(),
        a: "fast".into(),
        b: "slow".into(),
        comparison,
        pairs: 6,
        half_width,
        apart,
        restarts: vec![],
        permanent: vec![],
    };
    run.0.answer = Answer::PairedComparison(Box::new(found));
    let mut browser = Browser::start();
    browser.size(1000, 900);
    show(&mut browser, &run, "");
    assert_sound(&mut browser, "a run of A against B");
    assert_eq!(browser.count("#ab tbody tr"), 2);
    let text = browser.text("document.querySelector('#ab').textContent");
    for said in ["pool: slow (B) against fast (A)", "6 pairs", "+12 % (+9 to +15)", "worse", "same"] {
        assert!(text.contains(said), "{said}: {text}");
    }
}

#[test]
fn verdicts_stand_above_the_chart_what_failed_first() {
    let mut run = runs::usual();
    let verdict = |target: &str, outcome, estimate, why: Option<&str>| Verdict {
        threshold: Threshold::of(Layer::Osd, Pattern::WriteLatency, None, 2.0),
        target: target.to_string(),
        estimate,
        outcome,
        why: why.map(String::from),
    };
    run.0.answer = Answer::Verdicts(vec![
        verdict("osd.0", Outcome::Pass, Some(Estimate::new(1.5, 0.1)), None),
        verdict("osd.1", Outcome::Open, None, Some("no operation completed")),
        verdict("osd.2", Outcome::Fail, Some(Estimate::new(2.5, 0.1)), None),
    ]);
    let mut browser = Browser::start();
    show(&mut browser, &run, "");
    assert_sound(&mut browser, "a run with verdicts");
    let rows =
        "[...document.querySelectorAll('#verdicts tbody tr')].map(row => row.innerText.replace(/\\s+/g, ' ').trim())";
    assert_eq!(
        browser.eval(rows),
        json!([
            "fail osd.2 write-latency at most 2.00 ms 2.50 ms ±0.10",
            "open osd.1 write-latency at most 2.00 ms no operation completed",
            "pass osd.0 write-latency at most 2.00 ms 1.50 ms ±0.10"
        ])
    );
    let sentence = browser.text("document.querySelector('.sentence').textContent");
    assert_eq!(sentence, "1 of 3 thresholds is missed, 1 is open.");
    assert_eq!(browser.text("document.querySelector('nav a').textContent"), "Verdicts");
}

#[test]
fn a_figure_is_chosen_by_click_key_link_and_address() {
    let mut run = runs::usual();
    // Of a write made durable in two ways each says which it is.
    let second = &mut run.0.figures[1];
    second.other_way = Some(OtherWay { durability: Durability::Dsync, estimate: None, label: "settled".into() });
    second.workload.durability = Durability::Fdatasync;
    let mut browser = Browser::start();
    show(&mut browser, &run, "#figure/rbd/fathom.ab3f/write-linear");
    let heading = "document.querySelector('#detail .where').textContent";
    assert_eq!(browser.text(heading), "rbd · fathom.ab3f · write-linear");
    assert!(browser.text("document.querySelector('#detail .why').textContent").contains("2 % a minute"));

    browser.eval("document.querySelector('.figure-table tbody tr').click()");
    assert_eq!(browser.text("decodeURIComponent(location.hash)"), "#figure/device//dev/sda/write-latency");
    assert_eq!(browser.text(heading), "device · /dev/sda on ceph-a · write-latency");
    assert_eq!(browser.count("#figures tr[aria-selected=true]"), 1);

    browser.eval("document.querySelector('#figures tr[aria-selected=true]').focus()");
    browser.press("ArrowDown");
    assert_eq!(browser.text(heading), "device · /dev/sdb on ceph-b · write-latency · fdatasync");
    let row = browser.text("document.querySelector('#figures tr[aria-selected=true]').innerText");
    assert!(row.contains("fdatasync"), "{row}");

    let links = "[...document.querySelectorAll('#chart svg a')].map(a => a.getAttribute('href')).find(h => h.includes('rados'))";
    browser.eval(&format!("new Promise(done => {{ addEventListener('hashchange', done, {{once: true}}); location.hash = {links} }}).then(() => 0)"));
    assert_eq!(browser.text(heading), "rados · fathom.ab3f · write-latency");

    browser.eval("(() => { const f = document.querySelector('.filter input'); f.value = 'osd.2 unsettled'; f.dispatchEvent(new Event('input')) })()");
    assert_eq!(
        browser.text("document.querySelector('.filter output').value"),
        format!("0 of {} figures", run.0.figures.len())
    );
    browser.eval("document.querySelectorAll('#figures th button')[3].click()");
    assert_eq!(browser.count("#figures th[aria-sort=ascending]"), 1);
    browser.drawn();
    assert_sound(&mut browser, "after choosing");
}

#[test]
fn both_colour_schemes_and_a_switch_that_leaves_nothing_behind() {
    let run = runs::usual();
    let mut browser = Browser::start();
    let paper = "getComputedStyle(document.body).backgroundColor";
    browser.prefer("light");
    show(&mut browser, &run, "");
    let light = browser.text(paper);
    browser.prefer("dark");
    let dark = browser.text(paper);
    assert_ne!(light, dark, "the page follows what the reader prefers");
    browser.eval("document.querySelector('#theme').click()");
    assert_eq!(browser.text(paper), light, "the button overrides it");
    browser.eval("document.querySelector('#theme').click()");
    assert_eq!(browser.text(paper), dark);
    assert_eq!(browser.eval("localStorage.length + sessionStorage.length + document.cookie.length"), 0);
    assert_sound(&mut browser, "after switching");
}

#[test]
fn text_stays_text_however_long_and_hostile() {
    let mut browser = Browser::start();
    browser.size(400, 800);
    show(&mut browser, &runs::hostile(), "");
    assert_sound(&mut browser, "hostile text");
    assert!(browser.text("document.title").contains(runs::ATTACK), "the title is the text itself");
    assert_eq!(browser.count("img, iframe, object, embed, link[rel=stylesheet]"), 0);
    assert_eq!(browser.count("script"), 8, "seven blocks of data and the bundle");
    assert!(browser.text("document.querySelector('#errors').innerText").contains(runs::ATTACK));
}

#[test]
fn nothing_is_wider_than_a_phone() {
    let mut browser = Browser::start();
    browser.size(360, 740);
    for (name, run) in [("usual", runs::usual()), ("hostile", runs::hostile()), ("hundred OSDs", runs::hundred_osds())]
    {
        show(&mut browser, &run, "");
        let width = browser.eval("document.documentElement.scrollWidth").as_u64().expect("a number");
        assert!(width <= 360, "{name}: the page is {width} px wide");
    }
}

#[test]
fn runs_with_little_in_them_are_shown_as_such() {
    let mut browser = Browser::start();
    for (name, run) in [("empty", runs::empty()), ("one OSD", runs::one_osd()), ("hundred OSDs", runs::hundred_osds())]
    {
        show(&mut browser, &run, "");
        assert_sound(&mut browser, name);
        let figures = run.0.figures.len() as u64;
        assert_eq!(browser.count(".figure-table tbody tr"), figures, "{name}");
        assert_eq!(browser.count(".state.provisional") == 1, !run.0.finished(), "{name}");
    }
    show(&mut browser, &runs::usual(), "#figure/rados/fathom.ab3f/read-linear");
    assert_eq!(browser.text("document.querySelector('#detail .big').textContent"), "no valuevoid");
    assert_sound(&mut browser, "a void figure");
}

/// JavaScript writes `1.0` as `1`.
fn plain(value: Value) -> Value {
    match value {
        Value::Number(number) if number.as_f64().is_some_and(|value| value.fract() == 0.0 && value.abs() < 1e15) => {
            json!(number.as_f64().map(|value| value as i64))
        }
        Value::Array(values) => values.into_iter().map(plain).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, plain(value))).collect(),
        same => same,
    }
}

#[test]
fn the_raw_numbers_are_saved_from_the_page_alone() {
    let run = runs::usual();
    let mut browser = Browser::start();
    show(&mut browser, &run, "");

    let (name, text) = browser.download("#save-json");
    assert_eq!(name, "fathom-20261121-093012-ab3f.json");
    let saved: Value = serde_json::from_str(&text).expect("JSON");
    let mut wanted = json::document(&run.0, &run.1);
    wanted["scope"]["options"]["mgr/mgr/dashboard/jwt_token_secret"] = json!("(hidden)");
    // Read back as well: reading may round a number's last digit.
    let wanted: Value = serde_json::from_str(&wanted.to_string()).expect("JSON");
    assert_eq!(plain(saved), plain(wanted), "the very document that the command gives");

    let (_, text) = browser.download("#save-figures");
    let rows = csv::parse(&text);
    assert_eq!(rows.len(), run.0.figures.len() + 1);
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "every line has all columns");
    let command = ::csv::Reader::from_reader(export::csv::figures(&run.0).as_bytes()).headers().unwrap().clone();
    assert_eq!(command.iter().skip(1).collect::<Vec<_>>(), rows[0], "the command has the same columns, after the run");
    let value = rows[0].iter().position(|head| head == "value").expect("a column `value`");
    for (row, figure) in rows[1..].iter().zip(&run.0.figures) {
        assert_eq!(row[value].parse().ok(), figure.estimate.map(|estimate| estimate.value), "{row:?}");
    }

    let (_, text) = browser.download("#save-windows");
    let windows: usize = run.1.slices.iter().map(|slice| slice.samples.len()).sum();
    assert_eq!(csv::parse(&text).len(), windows + 1, "one line for each window");
    let all = export::csv::windows(&run.0, &run.1);
    assert!(all.starts_with(&format!("run,{},", csv::parse(&text)[0].join(","))), "{}", all.lines().next().unwrap());
    let (name, text) = browser.download("#detail .save");
    assert_eq!(name, "fathom-device-_dev_sda-write-latency-windows.csv");
    let first: usize = run.1.slices.iter().filter(|slice| slice.step.0 == 0).map(|slice| slice.samples.len()).sum();
    assert_eq!(csv::parse(&text).len(), first + 1);
    assert_sound(&mut browser, "after saving");
}

#[test]
fn a_name_in_a_saved_table_is_no_formula() {
    let mut browser = Browser::start();
    let mut run = runs::usual();
    run.0.figures[0].target = "=HYPERLINK(\"http://x\")".to_string();
    show(&mut browser, &run, "");
    let (_, text) = browser.download("#save-figures");
    let rows = csv::parse(&text);
    assert!(rows.iter().any(|row| row[1] == "'=HYPERLINK(\"http://x\")"), "{text}");
    assert!(!rows.iter().flatten().any(|cell| cell.starts_with('=')), "{text}");
}

#[test]
fn numbers_without_sense_break_no_picture() {
    let mut browser = Browser::start();
    let run = runs::nonsense();
    show(&mut browser, &run, "");
    assert_sound(&mut browser, "nonsense");
    for i in [1, 30, 60] {
        browser.eval(&format!("document.querySelectorAll('.figure-table tbody tr')[{i}].click()"));
        browser.drawn();
        assert_sound(&mut browser, &format!("figure {i} of nonsense"));
    }
}

#[test]
fn a_page_that_asks_for_something_would_be_seen() {
    let mut browser = Browser::start();
    let (report, record) = runs::empty();
    let page = html::page(&report, &record);
    for harm in
        ["<img src=\"http://example.invalid/x\">", "<script>alert(1)</script>", "<script src=\"x.js\"></script>"]
    {
        browser.open(&page.replace("</body>", &format!("{harm}</body>")), "");
        assert!(!browser.complaints().is_empty(), "{harm} went unnoticed");
    }
    browser.open(&page, "");
    assert_eq!(browser.complaints(), [""; 0], "and without it there is nothing to see");
}

#[test]
fn a_page_is_small_and_carries_no_secret() {
    let (report, record) = runs::large();
    let bytes = html::page(&report, &record).len();
    assert!(bytes < 2_000_000, "{bytes} bytes for {} figures", report.figures.len());
    let (report, record) = runs::usual();
    assert!(!html::page(&report, &record).contains("fathom-must-not-show-this"));
}
