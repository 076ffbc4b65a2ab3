//! Why a load says nothing of how fast its program is.

use std::fmt;

#[derive(Debug, PartialEq)]
pub enum Unusable {
    /// Nothing ended in the time that counts: a machine that stood still all that time, or a target that is not there.
    Empty(String),
    Broken(String),
}

impl Unusable {
    pub fn empty() -> Unusable {
        Unusable::Empty("no operation ended in the time that counts".to_string())
    }

    /// The same, in other words.
    pub fn map(self, words: impl FnOnce(String) -> String) -> Unusable {
        match self {
            Unusable::Empty(why) => Unusable::Empty(words(why)),
            Unusable::Broken(why) => Unusable::Broken(words(why)),
        }
    }
}

impl From<String> for Unusable {
    fn from(why: String) -> Unusable {
        Unusable::Broken(why)
    }
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Unusable::Empty(why) | Unusable::Broken(why)) = self;
        f.write_str(why)
    }
}
