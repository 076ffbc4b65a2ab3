//! What is done to a target: classes of operations, each counted, timed and judged by itself, and mixes of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OpClass {
    /// Of a block, or of a whole object.
    Read,
    Write,
    /// A file that was not there is made, written and closed.
    Create,
    /// A block is written to the end of a file that is there, which is opened and closed.
    Append,
    /// A file that is there is opened, emptied, written again and closed.
    Rewrite,
    /// What is known of a file is asked of whoever keeps it.
    Stat,
    /// The same, where the client's own cache may answer.
    StatCached,
    /// A file is opened, read whole and closed.
    Open,
    /// All names in a folder.
    List,
    Rename,
    Delete,
}

/// What is known of a class.
pub struct OpSpec {
    pub class: OpClass,
    pub name: &'static str,
    /// What lies there is another thing afterwards.
    pub changes: bool,
    /// In archives, for ever: a class that is no more leaves its number unused.
    pub code: u8,
}

/// The only list of classes, in the order of the enum.
pub const OPERATIONS: &[OpSpec] = &[
    OpSpec { class: OpClass::Read, name: "read", changes: false, code: 0 },
    OpSpec { class: OpClass::Write, name: "write", changes: true, code: 1 },
    OpSpec { class: OpClass::Create, name: "create", changes: true, code: 2 },
    OpSpec { class: OpClass::Append, name: "append", changes: true, code: 9 },
    OpSpec { class: OpClass::Rewrite, name: "rewrite", changes: true, code: 10 },
    OpSpec { class: OpClass::Stat, name: "stat", changes: false, code: 3 },
    OpSpec { class: OpClass::StatCached, name: "stat-cached", changes: false, code: 4 },
    OpSpec { class: OpClass::Open, name: "open", changes: false, code: 5 },
    OpSpec { class: OpClass::List, name: "list", changes: false, code: 6 },
    OpSpec { class: OpClass::Rename, name: "rename", changes: true, code: 7 },
    OpSpec { class: OpClass::Delete, name: "delete", changes: true, code: 8 },
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

    pub fn from_code(code: u8) -> Option<OpClass> {
        OPERATIONS.iter().find(|spec| spec.code == code).map(|spec| spec.class)
    }

    /// Is what lies there another thing afterwards?
    pub fn changes(self) -> bool {
        self.spec().changes
    }

    /// Does it move content? Others ask about names, or change them.
    pub fn moves_bytes(self) -> bool {
        !matches!(self, OpClass::Stat | OpClass::StatCached | OpClass::List | OpClass::Rename | OpClass::Delete)
    }

    /// Is it about bytes at an offset, or of a whole object? Else about a file by its name.
    pub fn of_bytes(self) -> bool {
        matches!(self, OpClass::Read | OpClass::Write)
    }
}

/// How many of a hundred operations are of each class; together a hundred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "WrittenMix", try_from = "WrittenMix")]
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

    /// As many of the one as of the other.
    pub const fn halves(one: OpClass, other: OpClass) -> OpMix {
        OpMix::shares(&[(one, 50), (other, 50)])
    }

    /// These shares of a hundred.
    ///
    /// # Errors
    /// They are not a hundred together, or as many files are not deleted as are made.
    pub fn of(shares: impl IntoIterator<Item = (OpClass, u8)>) -> Result<OpMix, String> {
        let mut mix = OpMix([0; OPERATIONS.len()]);
        shares.into_iter().for_each(|(class, percent)| mix.0[class as usize] = percent);
        let sum: u32 = mix.0.iter().map(|percent| u32::from(*percent)).sum();
        match () {
            () if sum != 100 => Err(format!("a mix of {sum} percent")),
            () if mix.percent(OpClass::Create) != mix.percent(OpClass::Delete) => {
                Err("another share of create than of delete".to_string())
            }
            () => Ok(mix),
        }
    }

    /// What a file server does. Filebench's fileserver does as much of each: make a file, append to one, read one, delete one, ask about one.
    /// Some are written anew and get other names as well.
    pub const FILE_SERVER: OpMix = OpMix::shares(&[
        (OpClass::Create, 18),
        (OpClass::Append, 18),
        (OpClass::Rewrite, 5),
        (OpClass::StatCached, 18),
        (OpClass::Open, 18),
        (OpClass::Rename, 5),
        (OpClass::Delete, 18),
    ]);

    /// What clients of an object store do: the shares of warp's mixed load; of those that put, as many make objects as delete them.
    pub const OBJECT_STORE: OpMix = OpMix::shares(&[
        (OpClass::Read, 45),
        (OpClass::Write, 5),
        (OpClass::Create, 10),
        (OpClass::Stat, 30),
        (OpClass::Delete, 10),
    ]);

    const fn shares(of: &[(OpClass, u8)]) -> OpMix {
        let (mut shares, mut at) = ([0; OPERATIONS.len()], 0);
        while at < of.len() {
            shares[of[at].0 as usize] = of[at].1;
            at += 1;
        }
        OpMix(shares)
    }

    /// Are files made, and as many deleted?
    pub fn turns_over(self) -> bool {
        self.has(OpClass::Create) && self.percent(OpClass::Create) == self.percent(OpClass::Delete)
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

    /// The first class that changes what lies there; without one the first of all.
    pub fn first_change(self) -> OpClass {
        self.classes().find(|class| class.changes()).or_else(|| self.classes().next()).unwrap_or(OpClass::Read)
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
        for spec in OPERATIONS {
            below += u32::from(self.percent(spec.class)) * 65536;
            if u32::from(chance) * 100 < below {
                return spec.class;
            }
        }
        self.main()
    }
}

/// As it is written: of reads and writes the percent of reads, else the percent of each class.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WrittenMix {
    /// 0 = only writes, 100 = only reads; absent: of other operations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 100))]
    read_percent: Option<u8>,
    /// Of other operations than reads and writes: how many of a hundred are of each class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    operations: Option<BTreeMap<OpClass, u8>>,
}

impl From<OpMix> for WrittenMix {
    fn from(mix: OpMix) -> WrittenMix {
        let reads = mix.percent(OpClass::Read);
        if mix == OpMix::reads(reads) {
            return WrittenMix { read_percent: Some(reads), operations: None };
        }
        let operations = mix.classes().map(|class| (class, mix.percent(class))).collect();
        WrittenMix { read_percent: None, operations: Some(operations) }
    }
}

impl TryFrom<WrittenMix> for OpMix {
    type Error = String;

    fn try_from(written: WrittenMix) -> Result<OpMix, String> {
        match (written.read_percent, written.operations) {
            (Some(percent), None) => Ok(OpMix::reads(percent)),
            (None, Some(operations)) => OpMix::of(operations),
            _ => Err("neither read_percent nor operations, or both".to_string()),
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
    fn a_mix_comes_back_as_it_was_written() {
        for mix in [
            OpMix::reads(70),
            OpMix::only(OpClass::Stat),
            OpMix::halves(OpClass::Create, OpClass::Delete),
            OpMix::FILE_SERVER,
        ] {
            let text = serde_json::to_string(&mix).unwrap();
            assert_eq!(serde_json::from_str::<OpMix>(&text).unwrap(), mix, "{text}");
        }
        assert_eq!(serde_json::to_string(&OpMix::reads(70)).unwrap(), r#"{"read_percent":70}"#);
        for wrong in [
            r#"{}"#,
            r#"{"operations":{"create":100}}"#,
            r#"{"operations":{"stat":50}}"#,
            r#"{"read_percent":1,"operations":{"stat":100}}"#,
        ] {
            assert!(serde_json::from_str::<OpMix>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_servers_do_is_a_hundred_and_makes_as_much_as_it_deletes() {
        for mix in [OpMix::FILE_SERVER, OpMix::OBJECT_STORE] {
            assert_eq!(OpMix::of(mix.classes().map(|class| (class, mix.percent(class)))), Ok(mix));
        }
    }

    #[test]
    fn classes_lie_in_their_own_rows() {
        for (row, spec) in OPERATIONS.iter().enumerate() {
            assert_eq!(spec.class as usize, row);
            assert_eq!(OpClass::from_code(spec.code), Some(spec.class));
        }
    }
}
