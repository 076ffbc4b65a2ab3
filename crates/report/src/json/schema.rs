//! The schemas of the documents, from their types.

use super::audited::{AuditDocument, RulesDocument};
use super::compared::{CompareDocument, HistoryDocument};
use super::crosschecked::CrosscheckDocument;
use super::{AUDIT, COMPARE, CROSSCHECK, HISTORY, RULES, RUN, RunDocument};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// JSON Schema of each document, by its name: as `docs/` holds them.
pub fn schemas() -> [(&'static str, Value); 6] {
    [
        (RUN, of_document::<RunDocument>(RUN)),
        (COMPARE, of_document::<CompareDocument>(COMPARE)),
        (HISTORY, of_document::<HistoryDocument>(HISTORY)),
        (CROSSCHECK, of_document::<CrosscheckDocument>(CROSSCHECK)),
        (AUDIT, of_document::<AuditDocument>(AUDIT)),
        (RULES, of_document::<RulesDocument>(RULES)),
    ]
}

fn of_document<T: JsonSchema>(name: &str) -> Value {
    let mut schema = schema_of::<T>();
    nullable(&mut schema);
    schema["properties"]["schema"] = json!({ "const": name });
    schema
}

/// Of anything that is written.
pub(crate) fn schema_of<T: JsonSchema>() -> Value {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = json!(generator.into_root_schema_for::<T>());
    each_object(&mut schema, &|fields| {
        // How many bits a number has is nobody's business.
        fields.remove("format");
        fields.remove("default");
    });
    schema
}

/// A number that is not finite is written as null.
fn nullable(schema: &mut Value) {
    each_object(schema, &|fields| {
        if fields.get("type").is_some_and(|kind| kind == "number") {
            fields.insert("type".to_string(), json!(["number", "null"]));
        }
    });
}

fn each_object(schema: &mut Value, change: &dyn Fn(&mut Map<String, Value>)) {
    match schema {
        Value::Array(all) => all.iter_mut().for_each(|one| each_object(one, change)),
        Value::Object(fields) => {
            change(fields);
            fields.values_mut().for_each(|one| each_object(one, change));
        }
        _ => {}
    }
}
