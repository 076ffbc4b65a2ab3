//! A release of Ceph as a number that can be compared: 16.2.15.

use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Version(pub u32, pub u32, pub u32);

impl Version {
    /// `16.2.15`, `16.2.15-1focal`, `ceph version 16.2.15 (…) pacific (stable)`.
    pub fn parse(text: &str) -> Option<Version> {
        let word = text.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
        let mut parts = word.split(['.', '-', '~', '+']).map(|part| part.parse::<u32>().ok());
        Some(Version(parts.next()??, parts.next()??, parts.next().flatten().unwrap_or(0)))
    }

    /// Of a release's name, as `require_osd_release` has it.
    pub fn major_of(name: &str) -> Option<u32> {
        let names = ["luminous", "mimic", "nautilus", "octopus", "pacific", "quincy", "reef", "squid", "tentacle"];
        names.iter().position(|known| *known == name).map(|place| 12 + place as u32)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_in_the_forms_that_daemons_tell() {
        let read = |text: &str| Version::parse(text).map(|version| version.to_string());
        assert_eq!(read("ceph version 16.2.15 (618f440) pacific (stable)").as_deref(), Some("16.2.15"));
        assert_eq!(read("17.2.7-1focal").as_deref(), Some("17.2.7"));
        assert_eq!(read("18.2").as_deref(), Some("18.2.0"));
        assert_eq!((read("unknown"), read("")), (None, None));
        assert!(Version(16, 2, 9) < Version(16, 2, 15));
        assert_eq!((Version::major_of("pacific"), Version::major_of("x")), (Some(16), None));
    }
}
