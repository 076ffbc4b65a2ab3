//! The JSON document keeps its word: the schema, the description beside it, and what a figure promises.

use crate::golden_file::compare;
use crate::sample::{SampleRun, run};
use crate::schema;
use model::{Estimate, Label};
use report::json;
use serde_json::{Value, json};

#[test]
fn a_run_and_a_failure_are_as_the_schema_says() {
    let SampleRun { report, record } = run();
    assert_eq!(schema::faults(&json::document(&report, &record)), [""; 0]);
    assert_eq!(schema::faults(&json::failed("no cluster", "0.1.0")), [""; 0]);
}

#[test]
fn the_schemas_in_docs_are_those_of_the_types() {
    for (name, schema) in json::schemas() {
        let file = format!("../../../../docs/{}.schema.json", name.replace('/', "-"));
        compare(&file, &format!("{schema:#}\n"));
    }
}

#[test]
fn values_that_are_bounded_or_few_are_so_in_the_schema() {
    let schema = &schema::all()[0];
    let part = |pointer: &str| schema.pointer(pointer).cloned().unwrap_or_default();
    assert_eq!(part("/$defs/Workload/properties/read_percent/maximum"), json!(100));
    assert_eq!(part("/$defs/VerdictDocument/properties/bound/enum"), json!(["at most", "at least"]));
}

#[test]
fn the_check_sees_what_is_wrong() {
    let SampleRun { report, record } = run();
    let good = json::document(&report, &record);
    for (pointer, wrong) in [
        ("/schema", json!("fathom.run/2")),
        ("/figures/0/value", json!("fast")),
        ("/figures/0/label", json!("perfect")),
        ("/figures/0/ci95", json!([1.0])),
        ("/scope/osds/0/up", Value::Null),
        ("/scope", json!({})),
        ("/figures/0/operations", json!(-1)),
        ("/figures/0/workload/read_percent", json!(101)),
    ] {
        let mut document = good.clone();
        *document.pointer_mut(pointer).unwrap() = wrong;
        assert_ne!(schema::faults(&document), [""; 0], "{pointer}");
    }
    let mut document = good;
    document["figures"][0]["surprise"] = json!(1);
    assert_ne!(schema::faults(&document), [""; 0]);
}

#[test]
fn every_field_is_described() {
    let text = include_str!("../../../../docs/json.md");
    let mut missing = Vec::new();
    for schema in schema::all() {
        names(&schema, &mut |name| {
            if !text.contains(&format!("`{name}`")) {
                missing.push(name.to_string());
            }
        });
    }
    assert_eq!(missing, [""; 0], "docs/json.md does not name them");
}

fn names(schema: &Value, each: &mut dyn FnMut(&str)) {
    for (key, inner) in schema.as_object().into_iter().flatten() {
        if key == "properties" {
            inner.as_object().into_iter().flatten().for_each(|(name, _)| each(name));
        }
        names(inner, each);
    }
    schema.as_array().into_iter().flatten().for_each(|inner| names(inner, each));
}

#[test]
fn void_figures_have_no_value_and_say_why() {
    let SampleRun { mut report, record } = run();
    report.figures.truncate(3);
    report.figures[0].label = Label::Void("the OSD died".into());
    report.figures[0].estimate = Some(Estimate::new(1.0, 0.1));
    report.figures[1].label = Label::Settled;
    report.figures[1].estimate = Some(Estimate { value: f64::NAN, low: 0.0, high: 1.0 });
    report.figures[2].label = Label::Settled;
    report.figures[2].estimate = Some(Estimate { value: 1.0, low: 0.5, high: f64::INFINITY });
    let document = json::document(&report, &record);
    let part = |n: usize, name: &str| document["figures"][n][name].clone();
    let shown = |n| ["value", "ci95", "label", "why"].map(|name| part(n, name));
    assert_eq!(shown(0), [Value::Null, Value::Null, json!("void"), json!("the OSD died")]);
    assert_eq!(shown(1), [Value::Null, Value::Null, json!("void"), json!("its value is not a finite number")]);
    assert_eq!(shown(2), [json!(1.0), json!([0.5, null]), json!("settled"), Value::Null]);
}

#[test]
fn what_is_to_be_known_about_a_run_is_said_by_every_face() {
    let SampleRun { mut report, record } = run();
    let warning = "job.fio:3: [a] libaio: done with io_uring";
    report.warnings = vec![warning.to_string()];
    let document = json::document(&report, &record);
    assert_eq!((document["warnings"][0].as_str(), schema::faults(&document)), (Some(warning), vec![]));
    let style = report::terminal::Style { width: 100, colours: false };
    let text = report::terminal::summary(&report, &record.scope, report::terminal::Detail::Full, &style);
    assert!(text.contains(&format!("Warnings\n- {warning}\n")), "{text}");
    let page = report::markdown::page(&report, &record);
    assert!(page.contains("Warnings") && page.contains("done with io"), "{page}");
    assert!(report::html::page(&report, &record).contains(warning));
}
