//! The first lines: which run, its answer, and at the end what is not shown.

use super::chart::paragraph;
use super::style::{Paint, Style};
use super::table::wrapped;
use crate::answer::{self, Answer, NOTHING_WRONG};
use crate::scene;
use model::{Report, Scope};

pub(crate) fn head(report: &Report, scope: &Scope, style: &Style) -> String {
    let mut text = String::new();
    for (i, line) in scene::head(report, scope).iter().enumerate() {
        let paint = if i == 0 { Paint::Bold } else { Paint::Plain };
        text += &wrapped(line, style.room(), 0).lines().map(|l| style.paint(l, paint) + "\n").collect::<String>();
    }
    text
}

pub(crate) fn answer(report: &Report, style: &Style) -> String {
    let answer = Answer::of(report);
    let mut text = paragraph(&answer.says.join(" "), 0, Paint::Bold, style);
    match answer.wrong_lines().as_slice() {
        [] => text += &paragraph(NOTHING_WRONG, 0, Paint::Plain, style),
        lines => {
            text += &(style.paint("What is wrong:", Paint::Plain) + "\n");
            for (certain, says) in lines {
                let paint = if *certain { Paint::Bad } else { Paint::Warn };
                text += &paragraph(&format!("- {says}"), 2, paint, style);
            }
        }
    }
    text + &paragraph(&format!("Next: {}", answer.next), 0, Paint::Plain, style)
}

/// A part of the output that waits for `--details`.
pub(crate) struct Hidden {
    pub name: String,
    pub text: String,
}

/// How much is not shown, and how to see it. Empty: nothing.
pub(crate) fn hidden(report: &Report, parts: &[Hidden], style: &Style) -> String {
    if parts.is_empty() {
        return String::new();
    }
    let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
    let lines: usize = parts.iter().map(|part| part.text.lines().count()).sum();
    let text = format!("Not shown, {lines} lines: {}. See `{} --details`.", names.join(", "), answer::archived(report));
    paragraph(&text, 0, Paint::Dim, style)
}
