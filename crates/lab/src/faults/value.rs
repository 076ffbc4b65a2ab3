//! What `--value` says: a number in the fault's unit, or words.

use super::{Asked, Fault};
use crate::errors::LabError;
use std::ops::RangeInclusive;

/// The given value, or the fault's own.
pub(super) fn chosen(fault: &Fault, given: Option<&str>) -> Result<String, LabError> {
    match (&fault.value, given) {
        (Some(value), None) => Ok(value.default.to_owned()),
        (Some(_), Some(given)) => Ok(given.trim().to_owned()),
        (None, None) => Ok(String::new()),
        (None, Some(_)) => Err(LabError::Usage(format!("{} takes no --value; leave it out", fault.name))),
    }
}

impl Asked<'_> {
    /// The value as a number, with or without the unit behind it.
    pub(super) fn number(&self, allowed: RangeInclusive<f64>) -> Result<f64, LabError> {
        let unit = self.fault.value.as_ref().map_or("", |value| value.unit);
        let text = self.value.strip_suffix(unit).unwrap_or(&self.value).trim();
        let number = text.parse().ok().filter(|number| allowed.contains(number));
        number.ok_or_else(|| {
            let (low, high) = (allowed.start(), allowed.end());
            let what = format!("a number from {low} to {high} ({unit})");
            LabError::Usage(format!("--value of {} is {what}, not {:?}", self.fault.name, self.value))
        })
    }
}
