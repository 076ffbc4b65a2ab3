//! Fields of Ceph's answers, in the forms in which releases write them.

use serde_json::Value;

pub fn text(value: &Value, key: &str) -> Option<String> {
    value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_string)
}

/// A number, or one as text.
pub fn number(value: &Value, key: &str) -> Option<f64> {
    let field = value.get(key)?;
    field.as_f64().or_else(|| field.as_str()?.parse().ok()).filter(|number| number.is_finite())
}

pub fn whole(value: &Value, key: &str) -> Option<i64> {
    let field = value.get(key)?;
    field.as_i64().or_else(|| field.as_str()?.parse().ok())
}

/// Not negative.
pub fn count(value: &Value, key: &str) -> Option<u64> {
    whole(value, key).and_then(|number| u64::try_from(number).ok())
}

/// `1`, `"1"`, `true`.
pub fn flag(value: &Value, key: &str) -> Option<bool> {
    let field = value.get(key)?;
    match field {
        Value::Bool(set) => Some(*set),
        _ => whole(value, key).map(|number| number == 1),
    }
}

pub fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
