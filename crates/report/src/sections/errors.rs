//! What went wrong while it ran, in the words of who met it.

use crate::block::{self, Block, Emphasis};
use crate::numbers;
use model::{Report, Scope};

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    block::list(merged(&report.errors), Emphasis::Bad).into_iter().collect()
}

/// Those that differ in nothing but numbers are one line: the first of them, and how many more there were.
fn merged(errors: &[String]) -> Vec<String> {
    let mut kinds: Vec<(String, &String, u64)> = Vec::new();
    for error in errors {
        let kind = without_numbers(error);
        match kinds.iter_mut().find(|(known, _, _)| *known == kind) {
            Some((_, _, more)) => *more += 1,
            None => kinds.push((kind, error, 0)),
        }
    }
    let line = |(_, first, more): (String, &String, u64)| match more {
        0 => first.clone(),
        more => format!("{first} (and {} like it)", numbers::counted(more, "more", "more")),
    };
    kinds.into_iter().map(line).collect()
}

/// Each run of digits as one sign.
fn without_numbers(text: &str) -> String {
    let mut kind = String::new();
    for c in text.chars() {
        match c.is_ascii_digit() {
            true if kind.ends_with('#') => {}
            true => kind.push('#'),
            false => kind.push(c),
        }
    }
    kind
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_in_numbers_alone_is_one_line() {
        let errors = ["1 slow ops, osd.4 has slow ops", "12 slow ops, osd.4 has slow ops", "osd.4 went down"];
        let errors: Vec<String> = errors.map(str::to_string).to_vec();
        assert_eq!(merged(&errors), ["1 slow ops, osd.4 has slow ops (and 1 more like it)", "osd.4 went down"]);
        assert_eq!(merged(&errors[1..]), errors[1..]);
        assert!(merged(&[]).is_empty());
    }
}
