//! The schema of the document, from its types.

use super::{RunDocument, SCHEMA};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// JSON Schema, as `docs/fathom.run-1.schema.json` holds it.
pub fn schema() -> Value {
    let mut schema = schema_of::<RunDocument>();
    nullable(&mut schema);
    schema["properties"]["schema"] = json!({ "const": SCHEMA });
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
