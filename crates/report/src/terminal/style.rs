//! How wide a text may be and whether it may be coloured.

use crate::block::Emphasis;
use crate::words;

/// Narrower than this nothing lines up any more; a narrower terminal wraps.
const WIDTH_MIN: usize = 60;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Columns of the terminal.
    pub width: usize,
    pub colours: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paint {
    Plain,
    Bold,
    Dim,
    Warn,
    Bad,
    /// Struck out: a value that must not be used.
    Struck,
}

impl Paint {
    pub(super) fn of(emphasis: Emphasis) -> Paint {
        match emphasis {
            Emphasis::Plain | Emphasis::Good | Emphasis::Code => Paint::Plain,
            Emphasis::Strong => Paint::Bold,
            Emphasis::Quiet => Paint::Dim,
            Emphasis::Warn => Paint::Warn,
            Emphasis::Bad | Emphasis::Outlier => Paint::Bad,
            Emphasis::Struck => Paint::Struck,
        }
    }
}

impl Style {
    /// The width that texts are laid out for.
    pub(crate) fn room(&self) -> usize {
        self.width.max(WIDTH_MIN)
    }

    /// Everything that is shown goes through here: a name from the cluster cannot command the terminal.
    pub(crate) fn paint(&self, text: &str, paint: Paint) -> String {
        let text = words::tame(text);
        let code = match paint {
            _ if !self.colours || text.trim().is_empty() => return text,
            Paint::Plain => return text,
            Paint::Bold => "1",
            Paint::Dim => "2",
            Paint::Warn => "33",
            Paint::Bad => "31",
            Paint::Struck => "9;31",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

impl Default for Style {
    fn default() -> Self {
        Style { width: 80, colours: false }
    }
}
