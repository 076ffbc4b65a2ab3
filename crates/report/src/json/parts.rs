//! What the parts of the document have in common: intervals, values by percent, units, labels.

use crate::words;
use model::{Estimate, Percentile};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// 95 % interval: low and high; null where an end is not finite.
pub(super) type Interval = [f64; 2];
/// The same, null also where an end is not known.
pub(super) type Bounds = [Option<f64>; 2];

pub(super) fn interval(of: &Estimate) -> Interval {
    [of.low, of.high]
}

pub(super) fn value_of(of: Option<&Estimate>) -> Option<f64> {
    of.map(|of| of.value)
}

pub(super) fn interval_of(of: Option<&Estimate>) -> Option<Interval> {
    of.map(interval)
}

/// Of a percentile, whose buckets are 0.8 % wide: further digits say nothing, and make a large document larger by a tenth.
pub(super) fn six_digits(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let scale = 10f64.powi(5 - value.abs().log10().floor() as i32);
    let rounded = (value * scale).round() / scale;
    if rounded.is_finite() { rounded } else { value }
}

/// Values by a name; of percentiles by the percent as it is spoken: `50`, `99.9`.
pub(crate) struct Keyed<T>(Vec<(String, T)>);

impl<T> Keyed<T> {
    pub(super) fn of(percentiles: &[Percentile], value: impl Fn(&Percentile) -> T) -> Keyed<T> {
        Keyed(percentiles.iter().map(|one| (one.percent.to_string(), value(one))).collect())
    }

    pub(crate) fn from(values: Vec<(String, T)>) -> Keyed<T> {
        Keyed(values)
    }
}

impl<T: Serialize> Serialize for Keyed<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(self.0.len()))?;
        self.0.iter().try_for_each(|(key, value)| map.serialize_entry(key, value))?;
        map.end()
    }
}

impl<T: JsonSchema> JsonSchema for Keyed<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("By_{}", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        BTreeMap::<String, T>::json_schema(generator)
    }
}

#[derive(Clone, Copy, Serialize)]
pub(super) struct Unit(pub &'static str);

impl JsonSchema for Unit {
    fn schema_name() -> Cow<'static, str> {
        "Unit".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "enum": ["ms", "IOPS", "MB/s"] })
    }
}

/// A label by its name.
#[derive(Clone, Serialize)]
pub(super) struct LabelName(pub String);

impl JsonSchema for LabelName {
    fn schema_name() -> Cow<'static, str> {
        "Label".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = std::iter::once("settled").chain(words::MEANINGS.iter().map(|one| one.label)).collect();
        json_schema!({ "enum": names })
    }
}

#[cfg(test)]
mod tests {
    use super::six_digits;

    #[test]
    fn six_digits_are_kept_of_any_number() {
        let all = [1.037_653_333, 12_345_678.9, 0.000_123_456_78, -2.0, 0.0, f64::MAX, f64::MIN_POSITIVE];
        let want = [1.037_65, 12_345_700.0, 0.000_123_457, -2.0, 0.0];
        assert_eq!(all.map(six_digits)[..5], want);
        assert!(all.map(six_digits).iter().all(|value| value.is_finite()));
        assert!(six_digits(f64::NAN).is_nan());
    }
}
