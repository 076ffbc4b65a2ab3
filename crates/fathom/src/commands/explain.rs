//! `fathom explain`: the page of a rule, or all rules.

use crate::cli::Common;
use crate::cli::audit::ExplainArgs;
use experiments::diagnose::{RULES, page};
use model::{Failure, RulePage};
use report::{audit, json};

/// So many names are told in place of one that is not known.
const NEAREST: usize = 3;

pub fn run(common: &Common, args: &ExplainArgs) -> Result<u8, Failure> {
    let pages: Vec<RulePage> = RULES.iter().map(|rule| page(rule)).collect();
    let Some(name) = &args.rule else {
        super::show(common, &audit::list(&pages), || json::rules(&pages))?;
        return Ok(0);
    };
    let Some(found) = pages.iter().find(|page| page.id == *name) else {
        let names = nearest(name, pages.iter().map(|page| page.id.as_str()));
        let text = format!("`{name}` is no rule; the nearest: {}. All of them: fathom explain", names.join(", "));
        return Err(Failure::Usage(text));
    };
    super::show(common, &audit::page(found), || json::rules(std::slice::from_ref(found)))?;
    Ok(0)
}

/// Those that have it as a part first, then those with the fewest changed letters.
fn nearest<'n>(name: &str, all: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let mut ranked: Vec<(bool, usize, &str)> =
        all.map(|known| (!known.contains(name), distance(name, known), known)).collect();
    ranked.sort();
    ranked.into_iter().take(NEAREST).map(|(_, _, known)| known).collect()
}

/// Letters that are put in, left out or changed (Levenshtein), row by row.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.chars().enumerate() {
        let mut before = row[0];
        row[0] = at + 1;
        for (place, own) in other.iter().enumerate() {
            let changed = before + usize::from(letter != *own);
            before = row[place + 1];
            row[place + 1] = changed.min(row[place] + 1).min(before + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_are_told() {
        assert_eq!((distance("mtu", "mtu"), distance("mtv", "mtu"), distance("", "abc")), (0, 1, 3));
        let names = ["net-nodelay", "osd-slow", "net-crc-off", "mtu"];
        assert_eq!(nearest("nodelay", names.into_iter())[0], "net-nodelay");
        assert_eq!(nearest("osd_slow", names.into_iter())[0], "osd-slow");
    }
}
