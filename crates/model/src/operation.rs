//! What is done to a target: classes of operations, each counted, timed and judged by itself, and mixes of them.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OpClass {
    Read,
    Write,
}

/// What is known of a class.
pub struct OpSpec {
    pub class: OpClass,
    pub name: &'static str,
    /// What lies there is another thing afterwards.
    pub changes: bool,
}

/// The only list of classes, in the order of the enum.
pub const OPERATIONS: [OpSpec; 2] = [
    OpSpec { class: OpClass::Read, name: "read", changes: false },
    OpSpec { class: OpClass::Write, name: "write", changes: true },
];

impl OpClass {
    pub fn all() -> impl Iterator<Item = OpClass> {
        OPERATIONS.iter().map(|spec| spec.class)
    }

    pub fn spec(self) -> &'static OpSpec {
        &OPERATIONS[self as usize]
    }

    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// Is what lies there another thing afterwards?
    pub fn changes(self) -> bool {
        self.spec().changes
    }
}

/// How many of a hundred operations are of each class; together a hundred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OpMix([u8; OPERATIONS.len()]);

impl OpMix {
    /// Nothing else.
    pub const fn only(class: OpClass) -> OpMix {
        let mut shares = [0; OPERATIONS.len()];
        shares[class as usize] = 100;
        OpMix(shares)
    }

    /// `percent` percent reads, the rest writes; more than 100 counts as 100.
    pub const fn reads(percent: u8) -> OpMix {
        let percent = if percent > 100 { 100 } else { percent };
        let mut mix = OpMix::only(OpClass::Write);
        mix.0[OpClass::Read as usize] = percent;
        mix.0[OpClass::Write as usize] = 100 - percent;
        mix
    }

    pub fn percent(self, class: OpClass) -> u8 {
        self.0[class as usize]
    }

    pub fn has(self, class: OpClass) -> bool {
        self.percent(class) > 0
    }

    /// Has it operations of several classes?
    pub fn is_mixed(self) -> bool {
        self.classes().count() > 1
    }

    pub fn classes(self) -> impl Iterator<Item = OpClass> {
        OpClass::all().filter(move |class| self.has(*class))
    }

    /// Which it has most of; of equals the first.
    pub fn main(self) -> OpClass {
        let most = self.0.iter().max().copied().unwrap_or_default();
        self.classes().find(|class| self.percent(*class) == most).unwrap_or(OpClass::Read)
    }

    /// The class of an operation for which this was drawn, evenly from 0 to 65535.
    #[inline]
    pub fn drawn(self, chance: u16) -> OpClass {
        let mut below = 0;
        for spec in &OPERATIONS {
            below += u32::from(self.percent(spec.class)) * 65536;
            if u32::from(chance) * 100 < below {
                return spec.class;
            }
        }
        self.main()
    }
}

/// Of reads and writes alone as the percent of reads, else by the classes' names.
impl Serialize for OpMix {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if *self == OpMix::reads(self.percent(OpClass::Read)) {
            return serializer.serialize_u8(self.percent(OpClass::Read));
        }
        let named: BTreeMap<&str, u8> = self.classes().map(|class| (class.name(), self.percent(class))).collect();
        named.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for OpMix {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<OpMix, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Reads(u8),
            Named(BTreeMap<OpClass, u8>),
        }
        match Written::deserialize(deserializer)? {
            Written::Reads(percent) => Ok(OpMix::reads(percent)),
            Written::Named(named) => {
                let mut mix = OpMix([0; OPERATIONS.len()]);
                named.into_iter().for_each(|(class, percent)| mix.0[class as usize] = percent);
                let sum: u32 = mix.0.iter().map(|percent| u32::from(*percent)).sum();
                if sum == 100 { Ok(mix) } else { Err(D::Error::custom(format!("a mix of {sum} percent"))) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_drawn_as_often_as_they_are_asked_for() {
        for percent in [0, 1, 30, 50, 99, 100] {
            let mix = OpMix::reads(percent);
            let reads = (0..=u16::MAX).filter(|chance| mix.drawn(*chance) == OpClass::Read).count();
            assert_eq!(reads, (usize::from(percent) * 65536).div_ceil(100), "{percent} %");
            assert_eq!(mix.is_mixed(), !matches!(percent, 0 | 100));
        }
        assert_eq!((OpMix::reads(70).main(), OpMix::reads(30).main()), (OpClass::Read, OpClass::Write));
        assert_eq!(OpMix::reads(0), OpMix::only(OpClass::Write));
    }

    #[test]
    fn classes_lie_in_their_own_rows() {
        for (row, spec) in OPERATIONS.iter().enumerate() {
            assert_eq!(spec.class as usize, row);
        }
    }
}
