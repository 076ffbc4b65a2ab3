//! The plan of one setting against another: the plan of each side, step by step beside each other.

use super::{Ground, Wishes};
use crate::cli::words;
use crate::failure::Failure;
use model::{Ab, Change, HostFile, Plan, Step, StepId};
use std::path::PathBuf;

/// What `--ab` takes, as in `pool=fast,slow`.
pub const WAYS: &str = "nothing; pool=A,B; engine=A,B; block-size=A,B; depth=A,B; jobs=A,B; path=A,B (disk); osd=A,B (osd); \
                        option:WHO/NAME=VALUE (as it is against VALUE)";

/// What differs, and how it is called on both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Wish {
    pub what: String,
    pub a: String,
    pub b: String,
}

/// `nothing`, `pool=fast,slow`, `option:osd/osd_max_backfills=1`.
pub fn parse(text: &str) -> Result<Wish, String> {
    let wrong = || format!("`{text}` does not say what differs; there are: {WAYS}");
    if text == "nothing" {
        return Ok(Wish { what: "nothing".into(), a: "A".into(), b: "B".into() });
    }
    let (what, values) = text.split_once('=').ok_or_else(wrong)?;
    if let Some(option) = what.strip_prefix("option:") {
        return match option.split_once('/') {
            Some((who, name)) if !who.is_empty() && !name.is_empty() && !values.is_empty() => {
                Ok(Wish { what: option.into(), a: "as it is".into(), b: values.into() })
            }
            _ => Err(wrong()),
        };
    }
    match values.split_once(',') {
        Some((a, b)) if !a.is_empty() && !b.is_empty() && !b.contains(',') => {
            Ok(Wish { what: what.into(), a: a.into(), b: b.into() })
        }
        _ => Err(format!("`{text}` has not two values; write it as {what}=A,B")),
    }
}

pub fn plan(ground: &Ground, wishes: &Wishes, wish: &Wish) -> Result<Plan, Failure> {
    let a = super::one(ground, &side(wishes, wish, &wish.a)?)?;
    let mut other = side(wishes, wish, &wish.b)?;
    if wish.what.contains('/') {
        other.knobs.settings.insert(wish.what.clone(), wish.b.clone());
    }
    let mut b = super::one(ground, &other)?;
    let first = a.steps.iter().map(|step| step.id.0 + 1).max().unwrap_or(0);
    b.steps.iter_mut().for_each(|step| step.id = StepId(step.id.0 + first));
    let alike = |(a, b): (&Step, &Step)| (a.layer, a.pattern, a.targets.len()) == (b.layer, b.pattern, b.targets.len());
    if a.steps.len() != b.steps.len() || !a.steps.iter().zip(&b.steps).all(alike) {
        let text = format!("--ab {}={},{}: the two sides are not measured alike", wish.what, wish.a, wish.b);
        return Err(Failure::Usage(text));
    }
    let pairs = a.steps.iter().zip(&b.steps).map(|(a, b)| (a.id, b.id)).collect();
    let ab = Ab { what: wish.what.clone(), a: wish.a.clone(), b: wish.b.clone(), pairs };
    let (goal, changes) = (a.goal, both(a.changes, b.changes)?);
    let host_files = both_hosts(a.host_files, b.host_files)?;
    // Two figures for each cell: no depth chart.
    let steps = a.steps.into_iter().chain(b.steps).map(|step| Step { chart: false, ..step }).collect();
    Ok(Plan { changes, host_files, steps, goal, ab: Some(ab), ..Plan::default() })
}

/// What both sides need is made once.
fn both(mut all: Vec<Change>, others: Vec<Change>) -> Result<Vec<Change>, Failure> {
    for change in others {
        if all.contains(&change) {
            continue;
        }
        if all.iter().any(|known| name(known) == name(&change)) {
            let text = format!(
                "--ab: the two sides need `{}` in different sizes; give both the same --working-set",
                change.what()
            );
            return Err(Failure::Usage(text));
        }
        all.push(change);
    }
    Ok(all)
}

/// A file on another host that both sides need is made once.
fn both_hosts(mut all: Vec<HostFile>, others: Vec<HostFile>) -> Result<Vec<HostFile>, Failure> {
    for file in others.into_iter().filter(|file| !all.contains(file)).collect::<Vec<_>>() {
        if all.iter().any(|known| (&known.host, &known.path) == (&file.host, &file.path)) {
            let (host, path) = (&file.host, file.path.display());
            let text = format!(
                "--ab: the two sides need {path} on {host} in different sizes; give both the same --working-set"
            );
            return Err(Failure::Usage(text));
        }
        all.push(file);
    }
    Ok(all)
}

/// What a change makes, whatever its size.
fn name(change: &Change) -> (String, String) {
    match change {
        Change::Pool { name, .. } => ("pool".into(), name.clone()),
        Change::Image { pool, name, .. } => (pool.clone(), name.clone()),
        Change::File { path, .. } => ("file".into(), path.display().to_string()),
        other => (String::new(), other.what()),
    }
}

fn side(wishes: &Wishes, wish: &Wish, value: &str) -> Result<Wishes, Failure> {
    let mut side = wishes.clone();
    let knobs = &mut side.knobs;
    let wrong = |why: String| Failure::Usage(format!("--ab {}: {why}", wish.what));
    match wish.what.as_str() {
        "nothing" => {}
        "pool" => side.pool = Some(value.to_string()),
        "engine" => knobs.engine = Some(value.to_string()),
        "block-size" => knobs.block_size = Some(words::size(value).map_err(wrong)?),
        "depth" => knobs.depth = Some(positive(value).map_err(wrong)?),
        "jobs" => knobs.jobs = Some(positive(value).map_err(wrong)?),
        "path" => side.paths = vec![PathBuf::from(value)],
        "osd" => (side.osds, side.alone) = (vec![words::osd(value).map_err(wrong)?], true),
        option if option.contains('/') => {}
        other => return Err(Failure::Usage(format!("--ab: `{other}` is nothing that can differ; there are: {WAYS}"))),
    }
    Ok(side)
}

fn positive(text: &str) -> Result<u32, String> {
    text.parse()
        .ok()
        .filter(|n| (1..=65_536).contains(n))
        .ok_or_else(|| format!("`{text}` is not a number from 1 to 65536"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_said_in_a_few_ways() {
        let wish = |what: &str, a: &str, b: &str| Ok(Wish { what: what.into(), a: a.into(), b: b.into() });
        assert_eq!(parse("pool=fast,slow"), wish("pool", "fast", "slow"));
        assert_eq!(parse("nothing"), wish("nothing", "A", "B"));
        assert_eq!(parse("option:osd/osd_max_backfills=1"), wish("osd/osd_max_backfills", "as it is", "1"));
        for wrong in ["", "pool", "pool=a", "pool=a,", "pool=a,b,c", "option:osd=1", "option:/x=1", "option:osd/x="] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
