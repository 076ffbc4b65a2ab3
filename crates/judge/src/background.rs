//! Do a figure's dips come when RocksDB writes its tables, and is it slower then? And was there a compaction at all?

use crate::caches::{self, read_from};
use crate::entry::Entry;
use crate::levels::{OPERATIONS_A_WINDOW, dip_runs};
use crate::series::{rate, speaks};
use crate::slowed::slowed;
use crate::words::{count, seconds};
use model::clock::SECOND;
use model::{Background, Compaction, Place, Record, Sample, Slice, Slowed, StoreActivity};

/// At least this many dips must be in step before anything is said of it.
const IN_STEP_LEAST: usize = 2;
/// Less of the level than this is not worth a word: within it a slice counts as settled, too.
const SLOWER_LEAST: f64 = 0.1;
/// The largest chance at which it is said that dips are in step, or that the level is lower: the chance that dips which come at any time
/// lie like that, or that a level which nothing moves differs as much. It is shared by all figures that have dips or both kinds of
/// stretches (Bonferroni), so that a run says it falsely in one of a hundred cases, however many figures it has.
const CHANCE_MOST: f64 = 0.01;

/// With at most this many slices, those that no compaction met are named.
const FEW_SLICES: u32 = 6;

/// A stretch of a slice, in seconds from its start.
type Stretch = (f64, f64);

/// Figures on a cluster whose OSDs were looked at carry what was seen.
pub fn look_behind(entries: &mut [Entry], record: &Record) {
    let mut all: Vec<Option<Background>> = entries.iter().map(|entry| background(entry, record)).collect();
    let tests = |found: &Background| usize::from(found.chance.is_some()) + usize::from(found.slowed.is_some());
    let tried = all.iter().flatten().map(tests).sum::<usize>().max(1);
    for (entry, found) in entries.iter_mut().zip(&mut all) {
        if let Some(found) = found {
            let most = CHANCE_MOST / tried as f64;
            let in_step = found.in_step as usize >= IN_STEP_LEAST;
            found.dips_beyond_chance = in_step && found.chance.is_some_and(|chance| chance <= most);
            let beyond = |slowed: Slowed| slowed.chance <= most && slowed.at_least >= SLOWER_LEAST;
            found.slower_beyond_chance = found.slowed.is_some_and(beyond);
            let reads = found.reads.as_ref().map(caches::in_words);
            let said = [reads, none_ran(found, entry)];
            found.says = said.into_iter().flatten().reduce(|one, other| format!("{one}; {other}"));
        }
        entry.figure.background = found.take();
    }
}

fn background(entry: &Entry, record: &Record) -> Option<Background> {
    let good = entry.slices.iter().copied().filter(|slice| slice.void.is_none());
    let looked: Vec<(&Slice, &Compaction)> =
        good.filter_map(|slice| Some((slice, compaction(record, slice)?))).collect();
    let (_, first) = looked.first()?;
    let own = own_osd(entry);
    let of_own = |osd: u32| own.is_none_or(|own| own == osd);
    let osds = first.osds.iter().filter(|osd| of_own(osd.osd)).count() as u32;
    let mut found = Background { osds, of: if own.is_some() { 1 } else { first.of }, ..Background::default() };
    let (mut chances, mut parts) = (Vec::new(), Vec::new());
    for (slice, compaction) in &looked {
        let Some(counted) = counted_stretch(slice) else { continue };
        let busy = busy(compaction, own);
        let long = counted.1 - counted.0;
        found.busy += overlap(counted, &busy);
        found.seconds += long;
        found.slices += 1;
        found.quiet += u32::from(!meets(counted, &busy));
        parts.push(with_and_without(slice, &busy, looked_at(compaction, own)));
        for dip in dips(slice) {
            found.dips += 1;
            found.in_step += u32::from(meets(dip, &busy));
            chances.push(chance_to_meet(dip.1 - dip.0, counted, &busy));
        }
    }
    found.busy = if found.seconds > 0.0 { found.busy / found.seconds } else { 0.0 };
    found.chance = (found.dips > 0).then(|| at_least(found.in_step as usize, &chances));
    found.slowed = slowed(&parts);
    // What a cache of this host's answered the OSDs did not see.
    if !entry.figure.kind.changes() && !entry.figure.workload.through_cache() {
        found.reads = read_from(looked.iter().flat_map(|(_, seen)| &seen.osds).filter(|osd| of_own(osd.osd)));
    }
    Some(found)
}

fn compaction<'a>(record: &'a Record, slice: &Slice) -> Option<&'a Compaction> {
    record.compactions().rev().find(|one| (one.step, one.pass) == (slice.step, slice.pass))
}

fn own_osd(entry: &Entry) -> Option<u32> {
    match entry.place()? {
        Place::Osd { osd, .. } | Place::Store { osd } => Some(*osd),
        _ => None,
    }
}

/// `own`: only of this OSD.
fn looks(compaction: &Compaction, own: Option<u32>) -> impl Iterator<Item = &[StoreActivity]> {
    let osds = compaction.osds.iter().filter(move |osd| own.is_none_or(|own| own == osd.osd));
    osds.map(|osd| osd.looks.as_slice())
}

/// From when until when all of them were looked at.
fn looked_at(compaction: &Compaction, own: Option<u32>) -> Stretch {
    let ends = looks(compaction, own).filter_map(|looks| Some((looks.first()?.from, looks.last()?.to)));
    ends.fold((0.0, f64::INFINITY), |(from, to), (first, last)| (first.max(from), last.min(to)))
}

/// The rate of each counted window, and whether tables were written in its middle.
fn with_and_without(slice: &Slice, busy: &[Stretch], looked: Stretch) -> Vec<(f64, bool)> {
    let window = slice.window_ns as f64 / SECOND as f64;
    let at = |sample: &Sample| (f64::from(sample.window) + 0.5) * window;
    let known = |sample: &&Sample| speaks(sample) && looked.0 <= at(sample) && at(sample) < looked.1;
    let written = |sample: &Sample| meets((at(sample), at(sample)), busy);
    slice.counted().iter().filter(known).map(|sample| (rate(sample), written(sample))).collect()
}

/// Stretches in which tables were written, joined where they touch.
fn busy(compaction: &Compaction, own: Option<u32>) -> Vec<Stretch> {
    let mut all: Vec<Stretch> =
        looks(compaction, own).flatten().filter(|look| look.bytes > 0).map(|look| (look.from, look.to)).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut joined: Vec<Stretch> = Vec::new();
    for (from, to) in all {
        match joined.last_mut() {
            Some((_, end)) if from <= *end => *end = to.max(*end),
            _ => joined.push((from, to)),
        }
    }
    joined
}

fn meets((from, to): Stretch, busy: &[Stretch]) -> bool {
    busy.iter().any(|(begin, end)| from < *end && *begin < to)
}

fn overlap((from, to): Stretch, busy: &[Stretch]) -> f64 {
    busy.iter().map(|(begin, end)| (to.min(*end) - from.max(*begin)).max(0.0)).sum()
}

fn counted_stretch(slice: &Slice) -> Option<Stretch> {
    let window = slice.window_ns as f64 / SECOND as f64;
    let (first, last) = (slice.counted().first()?, slice.counted().last()?);
    Some((f64::from(first.window) * window, f64::from(last.window + 1) * window))
}

/// As `few events` sees them; too few operations a window look like dips all the time.
pub fn dips(slice: &Slice) -> Vec<(f64, f64)> {
    let speaking: Vec<&model::Sample> = slice.counted().iter().filter(|sample| speaks(sample)).collect();
    let operations: u64 = speaking.iter().map(|sample| sample.ops).sum();
    if (operations as f64) < OPERATIONS_A_WINDOW * speaking.len() as f64 {
        return Vec::new();
    }
    let rates: Vec<f64> = speaking.iter().map(|sample| rate(sample)).collect();
    let window = slice.window_ns as f64 / SECOND as f64;
    let at = |index: usize| speaking.get(index).map_or(0.0, |sample| f64::from(sample.window) * window);
    let runs = dip_runs(&rates, (SECOND / slice.window_ns.max(1)).max(1) as usize);
    runs.into_iter().map(|(start, end)| (at(start), at(end - 1) + window)).collect()
}

/// For a dip of this length that begins anywhere in the counted part, each place as likely: that it meets a busy stretch.
fn chance_to_meet(long: f64, (from, to): Stretch, busy: &[Stretch]) -> f64 {
    let places = to - long - from;
    if places <= 0.0 {
        return if meets((from, to), busy) { 1.0 } else { 0.0 };
    }
    // It meets (begin, end) if it starts after begin − long and before end.
    let mut starts: Vec<Stretch> = Vec::new();
    for (begin, end) in busy {
        let (first, last) = ((begin - long).max(from), end.min(to - long));
        match starts.last_mut() {
            Some((_, known)) if first <= *known => *known = last.max(*known),
            _ if last > first => starts.push((first, last)),
            _ => {}
        }
    }
    (starts.iter().map(|(first, last)| last - first).sum::<f64>() / places).clamp(0.0, 1.0)
}

/// That at least `n` of independent events with these chances happen (Poisson's binomial distribution, summed exactly).
fn at_least(n: usize, chances: &[f64]) -> f64 {
    let mut exactly = vec![1.0];
    for chance in chances {
        let mut next = vec![0.0; exactly.len() + 1];
        for (k, known) in exactly.iter().enumerate() {
            next[k] += known * (1.0 - chance);
            next[k + 1] += known * chance;
        }
        exactly = next;
    }
    exactly.iter().skip(n).sum::<f64>().min(1.0)
}

/// That no compaction ran, where that is known and says something.
fn none_ran(found: &Background, entry: &Entry) -> Option<String> {
    let writes = entry.figure.kind.changes() && entry.step.meets_compactions();
    // Where not all were looked at, it is not known that there was none.
    if !writes || found.quiet == 0 || found.osds < found.of || found.blamed().is_some() {
        return None;
    }
    // Of many short slices most meet none, and those that do stand for the share of the time in which one runs.
    if found.quiet < found.slices && found.slices > FEW_SLICES {
        return None;
    }
    let of = if found.quiet == found.slices { String::new() } else { format!(" of {}", found.slices) };
    let slices = count(found.quiet as usize, "slice", "slices");
    Some(format!(
        "no compaction ran in {slices}{of} ({} in all): what compactions take is not in {}",
        seconds(found.seconds),
        if found.quiet == found.slices { "the value" } else { "those" }
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chance_is_that_of_dips_that_come_at_any_time() {
        // A busy second in ten; a dip of a second that begins in the 9 s that it may: it meets from 3 to 5.
        let chance = chance_to_meet(1.0, (0.0, 10.0), &[(4.0, 5.0)]);
        assert!((chance - 2.0 / 9.0).abs() < 1e-12, "{chance}");
        assert_eq!(chance_to_meet(1.0, (0.0, 10.0), &[]), 0.0);
        assert_eq!(chance_to_meet(1.0, (0.0, 10.0), &[(-1.0, 11.0)]), 1.0);
        assert_eq!(chance_to_meet(12.0, (0.0, 10.0), &[(4.0, 5.0)]), 1.0);
        // Two that lie so near that one dip would meet both are not counted twice.
        let near = chance_to_meet(1.0, (0.0, 10.0), &[(4.0, 4.5), (5.0, 5.5)]);
        assert!((near - 2.5 / 9.0).abs() < 1e-12, "{near}");
    }

    #[test]
    fn sums_of_unequal_chances() {
        assert!((at_least(1, &[0.5, 0.5]) - 0.75).abs() < 1e-12);
        assert!((at_least(2, &[0.1, 0.2, 0.3]) - 0.098).abs() < 1e-12);
        assert_eq!(at_least(0, &[]), 1.0);
        assert_eq!(at_least(1, &[]), 0.0);
    }

    #[test]
    fn busy_stretches_of_several_osds_are_joined() {
        let look = |from: f64, bytes| model::StoreActivity { from, to: from + 1.0, bytes };
        let osds = vec![
            model::OsdLooks {
                osd: 0,
                looks: vec![look(0.0, 0), look(1.0, 5), look(2.0, 5)],
                reads: None,
                database: None,
            },
            model::OsdLooks { osd: 1, looks: vec![look(2.5, 1), look(6.0, 1)], reads: None, database: None },
        ];
        let all = Compaction { step: model::StepId(0), pass: 1, osds, of: 2 };
        assert_eq!(busy(&all, None), [(1.0, 3.5), (6.0, 7.0)]);
        assert_eq!(busy(&all, Some(0)), [(1.0, 3.0)]);
    }
}
