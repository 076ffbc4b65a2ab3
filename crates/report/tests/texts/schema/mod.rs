//! Checks a document against its schema in `docs/`: the few keywords that these use, and no unlisted field.
#![allow(dead_code)] // Each test file checks documents of its own.

use serde_json::{Map, Value};

/// Of all documents that have one.
pub fn all() -> Vec<Value> {
    let texts = [
        include_str!("../../../../../docs/fathom.run-1.schema.json"),
        include_str!("../../../../../docs/fathom.compare-1.schema.json"),
        include_str!("../../../../../docs/fathom.history-1.schema.json"),
        include_str!("../../../../../docs/fathom.crosscheck-1.schema.json"),
        include_str!("../../../../../docs/fathom.audit-1.schema.json"),
        include_str!("../../../../../docs/fathom.rules-1.schema.json"),
    ];
    texts.map(|text| serde_json::from_str(text).unwrap()).to_vec()
}

/// All that is wrong with a document, each with its place: by the schema of the name that it bears.
pub fn faults(document: &Value) -> Vec<String> {
    let root = all().into_iter().find(|schema| schema["title"] == document["schema"]);
    let Some(root) = root else { return vec![format!("$.schema: {} is no document's name", document["schema"])] };
    let mut check = Check { root: &root, faults: Vec::new() };
    check.value(&root, document, "$");
    check.faults
}

struct Check<'a> {
    root: &'a Value,
    faults: Vec<String>,
}

impl<'a> Check<'a> {
    fn value(&mut self, schema: &Value, value: &Value, at: &str) {
        for (keyword, wanted) in schema.as_object().unwrap() {
            let right = match keyword.as_str() {
                "$schema" | "title" | "description" | "$defs" => true,
                // Unlisted fields are found below.
                "additionalProperties" if wanted.is_boolean() => true,
                "$ref" => {
                    self.value(self.referred(wanted), value, at);
                    true
                }
                "const" => value == wanted,
                "enum" => wanted.as_array().unwrap().contains(value),
                "type" => {
                    types(wanted).contains(&kind(value)) || (types(wanted).contains(&"number") && value.is_number())
                }
                "anyOf" | "oneOf" => wanted.as_array().unwrap().iter().any(|one| {
                    let mut inner = Check { root: self.root, faults: Vec::new() };
                    inner.value(one, value, at);
                    inner.faults.is_empty()
                }),
                "required" => {
                    let has =
                        |key: &Value| value.as_object().is_none_or(|object| object.contains_key(key.as_str().unwrap()));
                    wanted.as_array().unwrap().iter().all(has)
                }
                "properties" => {
                    self.properties(wanted.as_object().unwrap(), value, at);
                    true
                }
                "additionalProperties" => {
                    let entries = value.as_object().into_iter().flatten();
                    entries.for_each(|(key, inner)| self.value(wanted, inner, &format!("{at}.{key}")));
                    true
                }
                "items" => {
                    let items = value.as_array().into_iter().flatten().enumerate();
                    items.for_each(|(i, inner)| self.value(wanted, inner, &format!("{at}[{i}]")));
                    true
                }
                "minItems" => value.as_array().is_none_or(|list| list.len() as u64 >= wanted.as_u64().unwrap()),
                "maxItems" => value.as_array().is_none_or(|list| list.len() as u64 <= wanted.as_u64().unwrap()),
                "minimum" => value.as_f64().is_none_or(|number| number >= wanted.as_f64().unwrap()),
                "maximum" => value.as_f64().is_none_or(|number| number <= wanted.as_f64().unwrap()),
                other => panic!("the schema uses {other}, which this check does not know"),
            };
            if !right {
                self.faults.push(format!("{at}: {value} against {keyword} {wanted}"));
            }
        }
    }

    /// Stricter than the schema says: what we write is also described.
    fn properties(&mut self, known: &Map<String, Value>, value: &Value, at: &str) {
        for (key, inner) in value.as_object().into_iter().flatten() {
            match known.get(key) {
                Some(schema) => self.value(schema, inner, &format!("{at}.{key}")),
                None => self.faults.push(format!("{at}.{key} is not in the schema")),
            }
        }
    }

    fn referred(&self, reference: &Value) -> &'a Value {
        self.root.pointer(reference.as_str().unwrap().trim_start_matches('#')).unwrap()
    }
}

fn types(wanted: &Value) -> Vec<&str> {
    match wanted {
        Value::Array(several) => several.iter().map(|one| one.as_str().unwrap()).collect(),
        one => vec![one.as_str().unwrap()],
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_u64() || number.is_i64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
