//! Rates, limits and one setting against another on a real cluster.

use crate::common::{Lab, Lent};
use serde_json::Value;

const LOAD: [&str; 6] = ["--working-set", "8M", "--block-size", "4k", "--format", "json"];

#[test]
fn rates_limits_and_settings_beside_each_other() {
    let lab = Lent::lab();
    let before = lab.snapshot();
    a_rate(&lab);
    a_limit(&lab);
    an_option_is_put_back(&lab);
    nothing_differs(&lab);
    assert_eq!(lab.snapshot(), before, "something was left behind");
}

fn measured(lab: &Lab, further: &[&str]) -> (i32, Value) {
    let ran = lab.run(&[&["rados"], &LOAD[..], further].concat());
    (ran.code, ran.json())
}

fn a_rate(lab: &Lab) {
    let (_, document) = measured(lab, &["--rate", "50", "--read-share", "50", "--duration", "2s"]);
    let figures = document["figures"].as_array().unwrap();
    assert_eq!(figures.len(), 2, "reads and writes: {document}");
    let operations: u64 = figures.iter().map(|figure| figure["operations"].as_u64().unwrap()).sum();
    // Two seconds and what the slice takes longer; four standard deviations of a Poisson count.
    assert!((60..=150).contains(&operations), "{operations}");
    for figure in figures {
        assert_eq!(figure["workload"]["rate"]["per_second"], 50.0);
        let of = |times: &str| figure[times]["50"].as_f64().unwrap();
        assert!(of("response_percentiles") >= 0.99 * of("percentiles"), "nothing responds before it was due: {figure}");
    }
}

fn a_limit(lab: &Lab) {
    // Nothing takes 50 s: what does not keep that bound is a rate that is not kept up with.
    let words = ["--rate-max-where", "p90<3600s", "--read-share", "100", "--duration", "1s", "--passes", "1"];
    lab.run(&[&["rados"], &LOAD[..], &words].concat()).ends(2, &["from 1us to 60s"]);
    let words = ["--rate-max-where", "p90<50s", "--read-share", "100", "--duration", "1s", "--passes", "1"];
    let (_, document) = measured(lab, &words);
    let limit = &document["limits"][0];
    let closed = limit["closed_loop"].as_f64().unwrap();
    assert!(closed > 0.0, "{document}");
    let tried = limit["tried"].as_array().unwrap();
    assert!(tried.iter().all(|one| one["slower"] == 0.0), "{limit}");
    let far_below = |one: &Value| one["rate"].as_f64().unwrap() < 0.5 * closed;
    assert!(tried.iter().all(|one| one["kept"] == true || !far_below(one)), "{limit}");
    // A busy machine may fall below what the closed loop just did in each of the confirmations: then no rate is named.
    match limit["rate"].as_f64() {
        Some(rate) => assert!(rate > 0.5 * closed, "{limit}"),
        None => assert!(limit["why"].is_string(), "{limit}"),
    }
}

/// A number that the monitors write in another form than it was set in.
fn an_option_is_put_back(lab: &Lab) {
    let name = "ms_inject_delay_max";
    lab.ceph(&["config", "set", "osd", name, "0.5"]);
    let words =
        ["--ab", "option:osd/ms_inject_delay_max=0.001", "--read-share", "100", "--duration", "1s", "--passes", "2"];
    let (code, document) = measured(lab, &words);
    assert!(matches!(code, 0 | 5), "{document}");
    assert_eq!(document["ab"]["differences"].as_array().unwrap().len(), 1, "{document}");
    let changes = document["changes"].as_array().unwrap();
    assert!(changes.iter().all(|change| change["undone"] == true), "{changes:#?}");
    assert_eq!(lab.ceph(&["config", "get", "osd", name]).trim(), "0.500000");
    lab.ceph(&["config", "rm", "osd", name]);
}

fn nothing_differs(lab: &Lab) {
    let (_, document) = measured(lab, &["--ab", "nothing", "--read-share", "100", "--duration", "1s", "--passes", "2"]);
    let (figures, ab) = (document["figures"].as_array().unwrap(), &document["ab"]);
    assert_eq!((figures.len(), &ab["pairs"], &ab["what"]), (2, &Value::from(2), &Value::from("nothing")));
    lab.run(&["rados", "--ab", "pool=a,b"]).ends(2, &["pool a does not exist"]);
    lab.run(&["rados", "--ab", "pool=a"]).ends(2, &["two values"]);
}
