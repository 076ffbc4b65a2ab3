//! One setting against another inside one run: on a terminal, in Markdown, in the document.

use crate::{compare, markdown, numbers};
use model::{AbFound, Report};
use serde_json::{Value, json};

pub(crate) fn title(found: &AbFound) -> String {
    match found.what.as_str() {
        "nothing" => "B against A, nothing of which differs".to_string(),
        what => format!("{what}: {} (B) against {} (A)", found.b, found.a),
    }
}

pub(crate) fn heading() -> [&'static str; 6] {
    ["finds", "target", "pattern", "A", "B", "change"]
}

pub(crate) fn rows(found: &AbFound) -> Vec<Vec<String>> {
    compare::rows(&found.comparison)
}

/// What interleaving gains.
pub(crate) fn note(found: &AbFound) -> String {
    let percent = |log: f64| numbers::relative(log.exp_m1());
    format!(
        "{} of slices, A and B beside each other. The changes are known to {} (median); two separate runs with as many slices would know them to {}.",
        numbers::counted(u64::from(found.pairs), "pair", "pairs"),
        percent(found.half_width),
        percent(found.apart)
    )
}

pub(crate) fn page(report: &Report) -> String {
    let Some(found) = &report.ab else { return String::new() };
    let rows = rows(found).into_iter().map(|row| row.iter().map(|cell| markdown::escaped(cell)).collect());
    let table = markdown::table(&heading().map(String::from), rows);
    format!("## {}\n\n{table}\n{}\n", markdown::escaped(&title(found)), note(found))
}

pub(crate) fn document(report: &Report) -> Value {
    let Some(found) = &report.ab else { return Value::Null };
    json!({
        "what": found.what,
        "a": found.a,
        "b": found.b,
        "pairs": found.pairs,
        "half_width": found.half_width,
        "half_width_apart": found.apart,
        "differences": compare::differences(&found.comparison),
    })
}
