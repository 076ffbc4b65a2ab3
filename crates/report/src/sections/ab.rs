//! One setting against another inside one run: what B changed.

use crate::block::{Block, Text};
use crate::{compare, numbers};
use model::{AbFound, Finds, Report, Scope};

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let Some(found) = report.answer.pair() else { return Vec::new() };
    let mut blocks = vec![Block::title(title(found)), compare::table(["A", "B"], &found.comparison).into()];
    blocks.push(Block::note(note(found)));
    blocks.extend(how(found).map(Block::note));
    blocks.extend(permanent(found).map(|text| Block::Paragraph(Text::with_commands(&text))));
    blocks.extend(risk(found).map(Block::note));
    blocks
}

/// What of a pool's safety the change takes, which no measurement shows.
pub(crate) fn risk(found: &AbFound) -> Option<String> {
    let (_, name) = found.what.strip_prefix("pool:")?.rsplit_once('/')?;
    let less_than = |least: u32| found.b.parse::<u32>().is_ok_and(|value| value < least);
    let says = match name {
        "size" if less_than(2) => "the first OSD that fails takes the data with it",
        "size" if less_than(3) => {
            "while one OSD is away there is a single copy, and a second failure takes the data with it"
        }
        "min_size" if less_than(2) => "writes that a single OSD has are acknowledged, and are lost with it",
        "csum_type" if found.b == "none" => "damaged data are given back as if they were sound",
        _ => return None,
    };
    Some(format!("Risk: {says}."))
}

/// What the two sides were, where that does not go without saying.
fn how(found: &AbFound) -> Option<String> {
    if let Some((pool, _)) = found.what.strip_prefix("pool:").and_then(|rest| rest.rsplit_once('/')) {
        return Some(format!(
            "Both sides were temporary pools like pool {pool}, empty but for this load, B with the change; pool {pool} itself was not touched."
        ));
    }
    let osds: Vec<String> = found.restarts.iter().map(|osd| format!("osd.{osd}")).collect();
    (!osds.is_empty()).then(|| {
        format!(
            "At every change of side {} restarted, and told the value itself.",
            match osds.as_slice() {
                [one] => format!("{one} was"),
                several => format!("{} were", several.join(", ")),
            }
        )
    })
}

/// The command that makes B permanent, and whether that was shown to be worth it. Nothing, if nothing was measured on both sides.
pub(crate) fn permanent(found: &AbFound) -> Option<String> {
    let finds = |wanted: Finds| found.comparison.differences.iter().any(|one| one.finds == wanted);
    let command = command(found).filter(|_| !found.comparison.differences.is_empty())?;
    Some(match (finds(Finds::Better), finds(Finds::Worse), finds(Finds::Undecided)) {
        (true, false, _) | (false, false, false) => command,
        (true, true, _) => format!("It is better in one thing and worse in another. {command}"),
        (false, true, _) => format!("It is worse, and not better in anything. If it is wanted all the same: {command}"),
        (false, false, true) => format!("It was not shown to help. If it is wanted all the same: {command}"),
    })
}

fn command(found: &AbFound) -> Option<String> {
    let (first, more) = found.permanent.split_first()?;
    let more: Vec<String> = more.iter().map(|command| format!("`{command}`")).collect();
    Some(match more.is_empty() {
        true => format!("`{first}` makes it permanent."),
        false => format!("`{first}` makes it permanent, and then, one after the other: {}.", more.join(", ")),
    })
}

pub(crate) fn title(found: &AbFound) -> String {
    match found.what.as_str() {
        "nothing" => "B against A, nothing of which differs".to_string(),
        what => format!("{what}: {} (B) against {} (A)", found.b, found.a),
    }
}

/// What interleaving gains.
fn note(found: &AbFound) -> String {
    let percent = |log: f64| numbers::relative(log.exp_m1());
    if found.pairs == 0 {
        return "No pair of slices, A and B beside each other, can be used: nothing is known of the change."
            .to_string();
    }
    format!(
        "{} of slices, A and B beside each other. The changes are known to {} (median); two separate runs with as many slices would know them to {}.",
        numbers::counted(u64::from(found.pairs), "pair", "pairs"),
        percent(found.half_width),
        percent(found.apart)
    )
}
