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

/// Each number that stands alone as one sign: those of `osd.4` and `/dev/nvme0n1` are names.
fn without_numbers(text: &str) -> String {
    let is_number = |word: &str| {
        let bare = word.trim_matches(|c: char| "(),;:".contains(c));
        !bare.is_empty() && bare.chars().all(|c| c.is_ascii_digit() || c == '.')
    };
    text.split(' ').map(|word| if is_number(word) { "#" } else { word }).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_in_numbers_alone_is_one_line() {
        let slow = ["1 slow ops, osd.4 has slow ops", "12 slow ops, osd.4 has slow ops"];
        let errors =
            [slow[0], slow[1], "osd.4 went down", "osd.5 went down", "/dev/nvme0n1: gone", "/dev/nvme1n1: gone"];
        let errors: Vec<String> = errors.map(str::to_string).to_vec();
        assert_eq!(merged(&errors)[0], "1 slow ops, osd.4 has slow ops (and 1 more like it)");
        assert_eq!(merged(&errors)[1..], errors[2..]);
        assert_eq!(merged(&errors[1..]), errors[1..]);
        assert!(merged(&[]).is_empty());
    }
}
