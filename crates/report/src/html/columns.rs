//! Many like values as columns: what repeats is written once, so that a page of 30,000 figures is read in time.
//!
//! A table is `{"rows": number, "fields": {name: column, …}}`; a column is a list of the values as they are, or one of
//!
//! - `{"same": value}`: every row has it;
//! - `{"few": [values], "at": [index, …]}`: each row has one of them;
//! - `{"fields": {name: column, …}}`: objects that all have these names, in this order.

use serde_json::{Value, json};
use std::collections::HashMap;

/// A list of the kinds is worth it only where there are at least this many rows for each kind.
const ROWS_A_KIND: usize = 4;

/// Of objects that all have the same names, in the same order.
pub fn table(rows: &[&Value]) -> Value {
    json!({ "rows": rows.len(), "fields": fields(rows).unwrap_or_else(|| json!({})) })
}

fn column(rows: &[&Value]) -> Value {
    match kinds(rows) {
        Some((kinds, _)) if kinds.len() == 1 => json!({ "same": kinds[0] }),
        Some((kinds, at)) => json!({ "few": kinds, "at": at }),
        None => fields(rows).map_or_else(|| json!(rows), |fields| json!({ "fields": fields })),
    }
}

/// The columns of objects, if they all have the same names in the same order.
fn fields(rows: &[&Value]) -> Option<Value> {
    let objects = rows.iter().map(|row| row.as_object()).collect::<Option<Vec<_>>>()?;
    let first = objects.first().filter(|first| !first.is_empty())?;
    if !objects.iter().all(|object| object.keys().eq(first.keys())) {
        return None;
    }
    let of = |name: &String| {
        let own: Vec<&Value> = objects.iter().filter_map(|object| object.get(name)).collect();
        (name.clone(), column(&own))
    };
    Some(Value::Object(first.keys().map(of).collect()))
}

/// The values that there are, and which of them each row has; `None` if they are too many.
fn kinds<'a>(rows: &[&'a Value]) -> Option<(Vec<&'a Value>, Vec<usize>)> {
    let mut known: HashMap<String, usize> = HashMap::new();
    let (mut kinds, mut at) = (Vec::new(), Vec::with_capacity(rows.len()));
    for row in rows {
        let next = kinds.len();
        let index = *known.entry(row.to_string()).or_insert(next);
        if index == next {
            if (next + 1) * ROWS_A_KIND > rows.len() {
                return None;
            }
            kinds.push(*row);
        }
        at.push(index);
    }
    (!kinds.is_empty()).then_some((kinds, at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// As the page reads it (`report/src/columns.ts`).
    fn row(column: &Value, index: usize) -> Value {
        if let Some(list) = column.as_array() {
            return list[index].clone();
        }
        if let Some(fields) = column.get("fields").and_then(Value::as_object) {
            return Value::Object(fields.iter().map(|(name, column)| (name.clone(), row(column, index))).collect());
        }
        match column.get("same") {
            Some(value) => value.clone(),
            None => column["few"][column["at"][index].as_u64().unwrap() as usize].clone(),
        }
    }

    #[track_caller]
    fn comes_back(rows: &[Value]) {
        let table = table(&rows.iter().collect::<Vec<_>>());
        assert_eq!(table["rows"], rows.len());
        for (index, was) in rows.iter().enumerate() {
            assert_eq!(row(&table, index).to_string(), was.to_string(), "{table}");
        }
    }

    #[test]
    fn what_repeats_is_written_once() {
        let rows: Vec<Value> =
            (0..100).map(|n| json!({"layer": "osd", "n": n, "even": n % 2 == 0, "of": {"depth": 1, "n": n}})).collect();
        let table = table(&rows.iter().collect::<Vec<_>>());
        assert_eq!(table["fields"]["layer"], json!({"same": "osd"}));
        assert_eq!(table["fields"]["of"]["fields"]["depth"], json!({"same": 1}));
        assert_eq!(table["fields"]["even"]["few"], json!([true, false]));
        assert_eq!(table["fields"]["n"].as_array().map(Vec::len), Some(100));
        comes_back(&rows);
    }

    #[test]
    fn few_rows_are_a_table_too() {
        assert_eq!(table(&[]), json!({"rows": 0, "fields": {}}));
        comes_back(&[json!({"a": 1})]);
        comes_back(&[json!({"a": {}}), json!({"a": {}}), json!({"a": []})]);
    }

    proptest! {
        #[test]
        fn every_row_comes_back(picks in prop::collection::vec((0..4u8, 0..40u32), 0..60)) {
            let value = |shape: u8, n: u32| match shape {
                0 => json!({"a": n / 10, "b": {"same": n, "rows": null}}),
                1 => json!({"b": [n], "a": "fields"}),
                2 => json!({"few": n, "at": []}),
                _ => json!(n),
            };
            let rows: Vec<Value> =
                picks.iter().map(|(shape, n)| json!({"mixed": value(*shape, *n), "alike": value(0, *n)})).collect();
            comes_back(&rows);
        }
    }
}
