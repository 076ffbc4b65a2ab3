//! States of an image: what is told first, and what to do about it.

use crate::sample::{SampleRun, run};
use ::report::markdown;
use model::*;

/// A first write to a clone takes `times` as long as a write to a filled image, whose writes take 2 ms.
fn of_a_clone(times: f64) -> String {
    let SampleRun { mut report, record } = run();
    let plan = ImageStates {
        layer: testing::images(),
        pool: "vms".into(),
        data_pool: None,
        prefix: "fathom.x.".into(),
        bytes: 36 << 20,
        block: 4096,
        rounds_min: 3,
        rounds_max: 6,
    };
    let cost = |state, operation, mean: f64, times: Option<f64>| StateCost {
        state,
        operation,
        operations: 48,
        rounds: 6,
        mean: Some(Estimate::new(mean, mean / 20.0)),
        longest_ms: 3.0 * mean,
        times: times.map(|value| Multiple { value, low: 0.9 * value, high: Some(1.1 * value) }),
    };
    let costs = vec![
        cost(ImageState::Filled, StateOperation::LaterWrite, 2.0, None),
        cost(ImageState::Filled, StateOperation::Read, 0.5, None),
        cost(ImageState::Clone, StateOperation::FirstWrite, 2.0 * times, Some(times)),
    ];
    report.answer = Answer::ImageStates(Box::new(StatesFound { plan, settle: 0.25, object: Some(4 << 20), costs }));
    (report.figures, report.findings, report.outliers) = (vec![], vec![], vec![]);
    (report.errors, report.changes) = (vec![], vec![]);
    markdown::page(&report, &record)
}

#[test]
fn the_dearest_state_is_told_first_and_how_it_is_avoided() {
    let text = of_a_clone(30.0);
    let told =
        "The first write to an object of a clone takes 60.0 ms ±3.0, ×30.0 (27.0–33.0), the most beyond a filled";
    assert!(text.contains(told), "{text}");
    assert!(text.contains("`rbd flatten POOL/IMAGE`"), "{text}");
}

#[test]
fn what_costs_no_more_than_a_filled_image_is_no_reason_to_do_anything() {
    let text = of_a_clone(1.0);
    assert!(!text.contains("rbd flatten") && text.contains("Within a quarter of a filled image"), "{text}");
}
