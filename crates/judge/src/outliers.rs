//! The slow one among N: each against the median of the others, with a scale shrunk to a prior.

use crate::chart::{figures_of, is_image};
use crate::entry::Entry;
use crate::series::{MAD_TO_SD, median};
use crate::side_by_side::speeds;
use model::{Kin, Label, Layer, Metric, Outlier, Pattern, Phrase, Place, Quantity, Scope, Standing, Subject, phrase};
use statrs::distribution::{ContinuousCDF, StudentsT};
use std::collections::BTreeMap;

/// Spread of healthy peers that is assumed, and its degrees of freedom.
const PRIOR_SPREAD: f64 = 0.04;
const PRIOR_FREEDOM: f64 = 3.0;
/// With at least this many peers, one more or less moves median and scale by less than a hundredth of the spread.
const MANY: usize = 200;
/// Benjamini-Hochberg's share of false discoveries.
pub(crate) const FALSE_SHARE: f64 = 0.05;
/// What is slower by less than this is no finding, however certain it is.
pub(crate) const LEAST_EFFECT: f64 = 0.10;
/// From this factor on a multiple is named instead of a share: "99 % slower" is read as half as fast.
const MANY_TIMES: f64 = 3.0;
/// The same where the load generator held back some of the peers.
const LEAST_EFFECT_STARVED: f64 = 0.25;
/// Of three peers, the odd one is known only if the other two agree to this share, or if it is this many times as far off as
/// they are apart.
const TWO_AGREE: f64 = 0.10;
const CLEAR: f64 = 4.0;
/// Standard error of a logarithm from which on a peer says nothing of what is usual: its interval is as wide as its value.
const UNKNOWN_ERROR: f64 = 0.5;
/// Variance of a median of `n` normal values, times `n`, over theirs: π/2.
const OF_MEDIAN: f64 = 1.57;

/// Everything that is slower than its peers beyond the noise, in the order of layers and patterns.
pub fn outliers(entries: &[Entry], scope: &Scope) -> Vec<Outlier> {
    let all = Layer::ALL.into_iter().flat_map(|layer| Pattern::ALL.map(|pattern| (layer, pattern)));
    all.flat_map(|(layer, pattern)| {
        groups(figures_of(entries, layer, pattern), scope).into_iter().flat_map(|peers| of_group(&peers))
    })
    .collect()
}

/// The figure in which this target is slow, and those of its peers.
pub(crate) fn peers_of<'e, 'a>(
    entries: &'e [Entry<'a>],
    outlier: &Outlier,
    scope: &Scope,
) -> Option<(&'e Entry<'a>, Vec<&'e Entry<'a>>)> {
    let place = |group: &[&Entry]| group.iter().position(|entry| subject(entry) == outlier.subject);
    let peers = groups(figures_of(entries, outlier.layer, outlier.pattern), scope).into_iter();
    let (mut group, at) = { peers }.find_map(|group| Some(place(&group)).flatten().map(|at| (group, at)))?;
    let own = group.remove(at);
    Some((own, group))
}

/// Targets that should be alike: OSDs of the same kin, same model of disk.
fn groups<'e, 'a>(figures: Vec<&'e Entry<'a>>, scope: &Scope) -> Vec<Vec<&'e Entry<'a>>> {
    let mut groups: Vec<(String, Vec<&Entry>)> = Vec::new();
    let kin = Kin::of_scope(scope);
    for entry in figures.into_iter().filter(|entry| entry.usable().is_some()) {
        let key = kinship(entry, scope, &kin);
        match groups.iter_mut().find(|(other, _)| *other == key) {
            Some((_, peers)) => peers.push(entry),
            None => groups.push((key, vec![entry])),
        }
    }
    groups.into_iter().map(|(_, peers)| peers).collect()
}

fn kinship(entry: &Entry, scope: &Scope, kin: &BTreeMap<u32, Kin>) -> String {
    let host = entry.only_target().and_then(|target| target.host.as_deref());
    let model = |path: &str| {
        let same =
            |device: &&model::DeviceScope| device.path == path || path.strip_prefix("/dev/") == Some(&device.path);
        let at_home =
            |device: &&model::DeviceScope| host.is_none() || device.host.is_none() || device.host.as_deref() == host;
        let device = scope.devices.iter().filter(same).find(at_home);
        device.map(|device| format!("{:?} {:?}", device.model, device.rotational)).unwrap_or_default()
    };
    match entry.place() {
        Some(Place::Osd { osd, .. } | Place::Store { osd }) => {
            let seen = scope.osds.iter().find(|found| found.id == *osd);
            let disk = seen.and_then(|seen| seen.device.as_deref()).map(model).unwrap_or_default();
            format!("{:?} {disk}", kin.get(osd))
        }
        // File systems of other kinds are no peers, nor is an image one of a disk.
        _ if entry.figure.layer.of_folders() || entry.figure.layer.of_guests() || is_image(entry) => {
            entry.door().to_string()
        }
        Some(Place::Path { path, .. }) => model(&path.to_string_lossy()),
        _ => String::new(),
    }
}

fn of_group(peers: &[&Entry]) -> Vec<Outlier> {
    if peers.len() < 3 {
        return Vec::new();
    }
    // Where the generator was the limit, peers differ by what it gave to each: such a one is not slow for that, and might be faster
    // than it shows, so that one that is far slower without being held back is slow.
    let starved = |entry: &Entry| matches!(entry.figure.label, Label::GeneratorLimited(_));
    let least = if peers.iter().any(|entry| starved(entry)) { LEAST_EFFECT_STARVED } else { LEAST_EFFECT };
    let (speeds, errors): (Vec<f64>, Vec<f64>) =
        speeds(peers).into_iter().map(|speed| (speed.log, speed.error)).unzip();
    let slow = slow_ones(&speeds, &errors).into_iter().filter(|(index, by)| *by >= least && !starved(peers[*index]));
    slow.map(|(index, by)| outlier(peers, index, by)).collect()
}

/// Indices of the slow, and by which share each is slower than the median of the others. `speeds` are logarithms,
/// `errors` their standard errors.
pub fn slow_ones(speeds: &[f64], errors: &[f64]) -> Vec<(usize, f64)> {
    let judged = if speeds.len() > MANY { against_all(speeds, errors) } else { against_each(speeds, errors) };
    let rejected = benjamini_hochberg(&judged.iter().map(|(_, p)| *p).collect::<Vec<_>>(), FALSE_SHARE);
    let slow: Vec<(usize, f64)> = (0..speeds.len())
        .filter(|index| rejected[*index] && judged[*index].0 < (1.0 - LEAST_EFFECT).ln())
        .map(|index| (index, 1.0 - judged[index].0.exp()))
        .collect();
    // More than a quarter: two populations, and no one in them is odd.
    if slow.len() > (speeds.len() / 4).max(1) { Vec::new() } else { slow }
}

fn against_each(speeds: &[f64], errors: &[f64]) -> Vec<(f64, f64)> {
    (0..speeds.len()).map(|index| against_others(speeds, errors, index)).collect()
}

/// With many peers, the others of each are nearly all of them: one median and one scale serve for every one.
fn against_all(speeds: &[f64], errors: &[f64]) -> Vec<(f64, f64)> {
    let centre = median(speeds);
    let scale = scale(speeds, centre);
    let theirs = mean_square(errors);
    let one =
        |(speed, error): (&f64, &f64)| (speed - centre, chance(speed - centre, (*error, theirs), scale, speeds.len()));
    speeds.iter().zip(errors).map(one).collect()
}

/// How far it is off the median of the others, and the chance of that among the healthy.
fn against_others(speeds: &[f64], errors: &[f64], index: usize) -> (f64, f64) {
    let known = |other: &usize| *other != index && errors[*other] < UNKNOWN_ERROR;
    let peers: Vec<usize> = (0..speeds.len()).filter(known).collect();
    if peers.len() < 2 {
        return (0.0, 1.0);
    }
    let others: Vec<f64> = peers.iter().map(|other| speeds[*other]).collect();
    let theirs = mean_square(&peers.iter().map(|other| errors[*other]).collect::<Vec<_>>());
    let centre = median(&others);
    let off = speeds[index] - centre;
    if let [one, other] = others.as_slice() {
        let apart = (one - other).abs();
        if apart > TWO_AGREE && off.abs() < CLEAR * apart {
            return (off, 1.0);
        }
    }
    (off, chance(off, (errors[index], theirs), scale(&others, centre), others.len() + 1))
}

fn mean_square(errors: &[f64]) -> f64 {
    errors.iter().map(|error| error.powi(2)).sum::<f64>() / errors.len() as f64
}

/// The chance of being off by `off` or more, for one of `peers` healthy ones. `error`: its own standard error; `theirs`: the mean square of
/// those of the others; `scale`: the others' spread.
fn chance(off: f64, (error, theirs): (f64, f64), scale: f64, peers: usize) -> f64 {
    let freedom = 0.6 * (peers as f64 - 2.0);
    let shrunk = |square: f64| {
        let prior = PRIOR_SPREAD.powi(2) + square;
        (PRIOR_FREEDOM * prior + freedom * scale.powi(2)) / (PRIOR_FREEDOM + freedom)
    };
    let own = error.powi(2);
    let variance = shrunk(own) + shrunk(theirs.max(own)) * OF_MEDIAN / (peers as f64 - 1.0);
    StudentsT::new(0.0, 1.0, PRIOR_FREEDOM + freedom).map_or(1.0, |t| t.cdf(off / variance.sqrt()))
}

/// Robust spread of the others, corrected for how few they are.
fn scale(others: &[f64], centre: f64) -> f64 {
    if let [a, b] = others {
        return (a - b).abs() / 2f64.sqrt();
    }
    let deviations: Vec<f64> = others.iter().map(|speed| (speed - centre).abs()).collect();
    MAD_TO_SD * median(&deviations) / small_sample(others.len())
}

/// Mean of the scaled MAD of `n` normal values, found by simulation; it tends to 1.
fn small_sample(n: usize) -> f64 {
    const FEW: [f64; 7] = [0.672, 0.735, 0.824, 0.840, 0.879, 0.887, 0.908];
    n.checked_sub(3).and_then(|at| FEW.get(at)).copied().unwrap_or(1.0 - 0.82 / n as f64)
}

/// Which of these chances are no chance, so that among those that are said to be none this share is one, on average.
pub fn benjamini_hochberg(chances: &[f64], false_share: f64) -> Vec<bool> {
    let mut order: Vec<usize> = (0..chances.len()).collect();
    order.sort_by(|a, b| chances[*a].total_cmp(&chances[*b]));
    let limit = |rank: usize| false_share * (rank + 1) as f64 / chances.len() as f64;
    let kept = (0..order.len()).rev().find(|rank| chances[order[*rank]] <= limit(*rank)).map_or(0, |rank| rank + 1);
    let mut rejected = vec![false; chances.len()];
    order[..kept].iter().for_each(|index| rejected[*index] = true);
    rejected
}

/// The subject of a figure: its one target, or all of them together.
fn subject(entry: &Entry) -> Subject {
    entry.only_target().map_or_else(|| Subject::Several { name: entry.figure.target.clone() }, Subject::of)
}

fn outlier(peers: &[&Entry], index: usize, by: f64) -> Outlier {
    let figure = &peers[index].figure;
    let (subject, standing, metric) = (subject(peers[index]), standing(peers), figure.metric);
    Outlier {
        layer: figure.layer,
        pattern: figure.pattern,
        subject: subject.clone(),
        target: figure.target.clone(),
        slower_by: by,
        standing,
        says: phrase!(
            "{} {} the median of the other {}: {}{}",
            subject,
            slower(by, metric),
            if peers.len() == 3 { "two".into() } else { Phrase::from(Quantity::Count(peers.len() as u64 - 1)) },
            values(peers, index, metric),
            if standing == Standing::Hint { "; not certain until each was measured twice, alone" } else { "" }
        ),
    }
}

/// `1.45 ms against 1.01 ms`
fn values(peers: &[&Entry], index: usize, metric: Metric) -> Phrase {
    let others = (0..peers.len()).filter(|other| *other != index).map(|other| peers[other].figure.estimate);
    let others: Vec<f64> = others.map(|estimate| estimate.map_or(f64::NAN, |estimate| estimate.value)).collect();
    let own = peers[index].figure.estimate.map(|estimate| Phrase::from(Quantity::Measured { estimate, metric }));
    phrase!("{} against {}", own.unwrap_or_default(), Quantity::Value { value: median(&others), metric })
}

/// `is 31 % slower than`; of a latency how much longer it takes, of much more how many times.
fn slower(by: f64, metric: Metric) -> Phrase {
    let times = 1.0 / (1.0 - by);
    match metric.lower_is_better() {
        true if times >= MANY_TIMES => phrase!("takes {} as long as", Quantity::Times(times)),
        true => phrase!("takes {} longer than", Quantity::Share(times - 1.0)),
        false if times >= MANY_TIMES => phrase!("is {} slower than", Quantity::Times(times)),
        false => phrase!("is {} slower than", Quantity::Share(by)),
    }
}

/// Who is slow in one slice, or while others are loaded beside it, may only have had bad luck: it is named for certain
/// once it and its peers were measured again, each alone.
fn standing(peers: &[&Entry]) -> Standing {
    let sure = |entry: &&Entry| entry.figure.at_once == 1 && entry.figure.slices >= 2;
    if peers.iter().all(sure) { Standing::Confirmed } else { Standing::Hint }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slow(values: &[f64]) -> Vec<usize> {
        let speeds: Vec<f64> = values.iter().map(|value| value.ln()).collect();
        slow_ones(&speeds, &vec![0.012; values.len()]).into_iter().map(|(index, _)| index).collect()
    }

    #[test]
    fn agrees_with_the_reference() {
        assert_eq!(slow(&[1000.0, 1010.0, 700.0]), [2]);
        assert_eq!(slow(&[1000.0, 1010.0, 790.0]), [2]);
        assert_eq!(slow(&[1000.0, 1010.0, 890.0]), [0; 0]);
        assert_eq!(slow(&[100.0, 102.0, 98.0, 101.0, 99.0, 60.0]), [5]);
        assert_eq!(slow(&[100.0, 103.0, 97.0, 101.0, 99.0, 102.0, 80.0, 104.0, 98.0, 100.0, 99.0, 101.0]), [6]);
    }

    #[test]
    fn of_three_the_odd_one_is_unknown_when_the_others_differ() {
        assert_eq!(slow(&[1000.0, 1150.0, 700.0]), [0; 0]);
    }

    #[test]
    fn two_populations_have_no_odd_one() {
        assert_eq!(slow(&[100.0, 101.0, 99.0, 100.0, 102.0, 60.0, 61.0, 59.0]), [0; 0]);
    }

    #[test]
    fn healthy_peers_raise_few_alarms() {
        for n in [3, 6, 12, 60] {
            let mut chance = crate::testing::Chance(n as u64);
            let mut cluster = || (0..n).map(|_| (0.0233 * chance.normal()).exp()).collect::<Vec<_>>();
            let alarms = (0..200).filter(|_| !slow(&cluster()).is_empty()).count();
            assert!(alarms <= 2, "{alarms} of 200 healthy clusters of {n}");
        }
    }

    #[test]
    fn peers_that_are_not_known_themselves_show_nobody_slow() {
        let found = |errors: [f64; 3]| {
            let speeds: Vec<f64> = [1.0f64, 1.02, 0.25].iter().map(|value| value.ln()).collect();
            slow_ones(&speeds, &errors).len()
        };
        assert_eq!([found([0.02; 3]), found([0.02, 0.02, 0.4])], [1, 0]);
        // One of the two others is as good as not measured.
        assert_eq!(found([0.02, 0.8, 0.02]), 0);
        // A slow one may be so slow that little is known of it.
        let speeds: Vec<f64> = [1.0f64, 1.02, 0.001].iter().map(|value| value.ln()).collect();
        assert_eq!(slow_ones(&speeds, &[0.02, 0.02, 0.8]).len(), 1);
    }

    #[test]
    fn slower_by_is_a_share_of_the_others_median() {
        let speeds: Vec<f64> = [100.0f64, 100.0, 69.0].iter().map(|value| value.ln()).collect();
        let found = slow_ones(&speeds, &[0.01; 3]);
        assert_eq!(found.len(), 1);
        assert!((found[0].1 - 0.31).abs() < 1e-9);
    }
}
