//! The schema of the document, from its types.

use super::{RunDocument, SCHEMA};
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

/// JSON Schema, as `docs/fathom.run-1.schema.json` holds it.
pub fn schema() -> Value {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = json!(generator.into_root_schema_for::<RunDocument>());
    as_written(&mut schema);
    schema["properties"]["schema"] = json!({ "const": SCHEMA });
    schema
}

/// A number that is not finite is written as null; how many bits one has is nobody's business.
fn as_written(schema: &mut Value) {
    match schema {
        Value::Array(all) => all.iter_mut().for_each(as_written),
        Value::Object(fields) => {
            fields.remove("format");
            fields.remove("default");
            if fields.get("type").is_some_and(|kind| kind == "number") {
                fields.insert("type".to_string(), json!(["number", "null"]));
            }
            fields.values_mut().for_each(as_written);
        }
        _ => {}
    }
}
