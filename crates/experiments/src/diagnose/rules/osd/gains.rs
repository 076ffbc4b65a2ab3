//! What writes would gain without what an OSD, a host or a way adds to them, by position.

use super::by_position::{Role, every};
use crate::diagnose::Case;
use model::{
    Cost, Estimate, FromTo, Gain, Metric, PairTime, Phrase, PositionOfOsd, Positions, Quantity, Subject, phrase,
};

/// Of a normal distribution, its median absolute deviation times this is its standard deviation.
const OF_MEDIAN_DEVIATION: f64 = 1.4826;
/// Half-width of a 95 % interval in standard deviations.
const HALF_WIDTH: f64 = 1.96;
/// Fewer healthy ones don't tell what healthy ones differ by.
const LIKE_LEAST: usize = 3;

/// If these were as the median OSD: writes that have one of them as the primary, as a replica, and all writes. `name`: how they are called
/// together.
pub fn of_osds(osds: &[&PositionOfOsd], name: &Phrase, case: &Case) -> Option<Cost> {
    let all = case.positions?;
    let others: Vec<&PositionOfOsd> =
        all.osds.iter().filter(|osd| !osds.iter().any(|own| own.osd == osd.osd)).collect();
    let roles = [Role::Primary, Role::Replica].map(|role| {
        let adds = sum(osds, role);
        let each = Estimate::new(adds.value / osds.len() as f64, adds.half_width() / osds.len() as f64);
        (role, each, unlike(&others, role))
    });
    let clear = roles.iter().filter(|(_, adds, _)| adds.low > 0.0);
    let mut gains: Vec<Gain> = clear
        .filter_map(|(role, adds, unlike)| {
            let of = match role {
                Role::Primary => phrase!("writes with {} as the primary", name.clone()),
                Role::Replica => phrase!("writes with {} as a replica", name.clone()),
            };
            Some(gain(of, FromTo::of(all.usual.mean, *adds, (*unlike)?)?, false, all))
        })
        .collect();
    // Of n OSDs each is the primary of one n-th of all writes, and the replica of another.
    let share = osds.len() as f64 / all.osds.len() as f64;
    let adds = roles.iter().map(|(_, adds, _)| adds.value * share).sum::<f64>();
    let half = roles.iter().map(|(_, adds, _)| (adds.half_width() * share).powi(2)).sum::<f64>().sqrt();
    let unlike = roles.iter().map(|(.., unlike)| unlike.map(|unlike| (unlike * share).powi(2))).sum::<Option<f64>>();
    gains.extend(unlike.and_then(|unlike| of_all(Estimate::new(adds, half), unlike.sqrt(), all)));
    let until = next(osds, case)?;
    (!gains.is_empty()).then_some(Cost { gains, until })
}

/// If what goes this way took as long as what goes others.
pub fn of_ways(own: &[&PairTime], others: &[&PairTime], name: &str, case: &Case) -> Option<Cost> {
    let all = case.positions?;
    let (from, to) = (mean(own)?, mean(others)?);
    // What the mean of as many pairs as these would differ by if they were drawn from the others.
    let unlike = (to.half_width() * (others.len() as f64 / own.len() as f64).sqrt()).hypot(to.half_width());
    let adds = from.value - to.value;
    // What moves all pairs together moves their difference by the same share.
    let common = adds * all.mean.half_width() / all.mean.value;
    let adds = Estimate::new(adds, from.half_width().hypot(to.half_width()).hypot(common));
    let share = own.len() as f64 / all.pairs.len() as f64;
    let of = phrase!("writes that go {}", name);
    let through = gain(of, FromTo::of(to, adds, unlike)?, false, all);
    let less = Estimate::new(adds.value * share, adds.half_width() * share);
    let gains = std::iter::once(through).chain(of_all(less, unlike * share, all)).collect();
    Some(Cost { gains, until: "it is as fast as the ways between other hosts".into() })
}

/// Of all writes: what is measured of them holds what mending takes from it.
pub fn of_all(less: Estimate, unlike: f64, all: &Positions) -> Option<Gain> {
    let variance = all.mean.half_width().powi(2) - less.half_width().powi(2);
    let rest = Estimate::new(all.mean.value - less.value, variance.max(all.usual.mean.half_width().powi(2)).sqrt());
    let osds = Quantity::Count(all.osds.len() as u64);
    let of = phrase!("all writes of a pool with two replicas on these {} OSDs", osds);
    Some(gain(of, FromTo::of(rest, less, unlike)?, true, all))
}

fn gain(of: Phrase, FromTo { from, to, change }: FromTo, whole: bool, all: &Positions) -> Gain {
    let (layer, pattern, target) = (all.layer, all.pattern, "pairs of OSDs".to_string());
    Gain { of, layer, pattern, target, metric: Metric::LatencyMean, from, to, change, whole }
}

fn of_role(osd: &PositionOfOsd, role: Role) -> &Estimate {
    match role {
        Role::Primary => &osd.primary.mean,
        Role::Replica => &osd.replica.mean,
    }
}

fn sum(osds: &[&PositionOfOsd], role: Role) -> Estimate {
    let each = || osds.iter().map(|osd| of_role(osd, role));
    let half = each().map(|adds| adds.half_width().powi(2)).sum::<f64>().sqrt();
    Estimate::new(each().map(|adds| adds.value).sum(), half)
}

/// Half-width of what one of these differs by from the others; a few slow ones move it little.
fn unlike(osds: &[&PositionOfOsd], role: Role) -> Option<f64> {
    let values: Vec<f64> = osds.iter().map(|osd| of_role(osd, role).value).collect();
    let middle = judge::median(&values);
    let deviation = judge::median(&values.iter().map(|value| (value - middle).abs()).collect::<Vec<_>>());
    (values.len() >= LIKE_LEAST).then_some(HALF_WIDTH * OF_MEDIAN_DEVIATION * deviation)
}

/// The mean of these pairs, by how far they lie apart; `None`: too few.
fn mean(pairs: &[&PairTime]) -> Option<Estimate> {
    let count = pairs.len() as f64;
    let mean = pairs.iter().map(|pair| pair.mean).sum::<f64>() / count;
    let variance = pairs.iter().map(|pair| (pair.mean - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (pairs.len() > 1).then(|| Estimate::new(mean, judge::t_quantile(count - 1.0) * (variance / count).sqrt()))
}

/// What is the limit once these are as the median OSD: another slow one, or what takes most of a usual write.
pub fn next(osds: &[&PositionOfOsd], case: &Case) -> Option<Phrase> {
    let all = case.positions?;
    let most = |osd: &PositionOfOsd| osd.primary.mean.value.max(osd.replica.mean.value);
    let others = every(case).into_iter().filter(|slow| !osds.iter().any(|own| own.osd == slow.osd.osd));
    let others = others.filter(|slow| slow.as_primary() || slow.as_replica());
    if let Some(slow) = others.max_by(|a, b| most(a.osd).total_cmp(&most(b.osd))) {
        let adds = if slow.as_primary() { slow.osd.primary.mean } else { slow.osd.replica.mean };
        let adds = Quantity::Measured { estimate: adds, metric: Metric::LatencyMean };
        return Some(phrase!("the next: {}, which adds {}", Subject::Osd(slow.osd.osd), adds));
    }
    let timers: Vec<_> = all.osds.iter().filter_map(|osd| osd.timers).collect();
    if timers.is_empty() {
        return Some("they are as fast as their peers".into());
    }
    // Both OSDs' software is on the way of a write, and one commit after the other is not.
    let software = 2.0 * judge::median(&timers.iter().map(|own| own.software).collect::<Vec<_>>());
    let commit = judge::median(&timers.iter().map(|own| own.commit).collect::<Vec<_>>());
    let outside = all.usual.mean.value - software - commit;
    let parts =
        [(software, "the OSDs' own software"), (commit, "the stores' commits"), (outside, "network and client")];
    let (_, largest) = parts.into_iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(phrase!("the next: {}, the largest part of a usual write", largest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::by_position_cases::*;
    use crate::diagnose::testing::{made::Made, text};
    use judge::assess;

    fn cost(adds: impl Fn(u32) -> Adds, osds: &[u32]) -> Option<Cost> {
        let (record, positions) = (Made::cluster().record, positions(adds));
        let own: Vec<&PositionOfOsd> = positions.osds.iter().filter(|one| osds.contains(&one.osd)).collect();
        let assessed = assess(&record);
        of_osds(&own, &"it".into(), &Case { positions: Some(&positions), ..Case::of(&assessed) })
    }

    fn told(cost: &Cost) -> Vec<(String, f64, f64, f64)> {
        let round = |value: f64| (value * 1000.0).round() / 1000.0;
        let one = |gain: &Gain| (text(&gain.of), gain.from.value, gain.to.value, gain.change.value);
        let all = cost.gains.iter().map(one);
        all.map(|(of, from, to, change)| (of, round(from), round(to), round(change))).collect()
    }

    #[test]
    fn an_osd_without_what_it_adds_is_as_the_median_one() {
        let cost = cost(|osd| if osd == 1 { DEBUG_LOGGING } else { NOTHING }, &[1]).unwrap();
        let [primary, replica, all] = &told(&cost)[..] else { panic!("{cost:?}") };
        assert_eq!(primary, &("writes with it as the primary".to_string(), 1.79, 1.24, -0.307));
        assert_eq!(replica, &("writes with it as a replica".to_string(), 1.49, 1.24, -0.168));
        // It is the primary of one write in six, and the replica of another: (0.55 + 0.25) / 6 of 1.373 ms.
        assert_eq!(all.0, "all writes of a pool with two replicas on these 6 OSDs");
        assert!((all.3 + 0.097).abs() < 2e-3, "{all:?}");
        // 0.04 and a tenth of what it adds, in both roles.
        let half = (0.095f64.hypot(0.065)) / 6.0 / 1.373;
        let whole = cost.gains.last().unwrap().change.half_width();
        assert!(whole > 0.8 * half && whole < 1.3 * half, "{whole} {half}");
        assert_eq!(text(&cost.until), "the next: the OSDs' own software, the largest part of a usual write");
    }

    #[test]
    fn a_role_in_which_it_adds_nothing_gains_nothing_and_another_slow_osd_is_the_next() {
        let adds = |osd| match osd {
            1 => SENDS_SLOWLY,
            4 => DEBUG_LOGGING,
            _ => NOTHING,
        };
        let cost = cost(adds, &[1]).unwrap();
        assert_eq!(cost.gains.iter().map(|gain| gain.whole).collect::<Vec<_>>(), [false, true]);
        assert!(text(&cost.until).starts_with("the next: osd.4, which adds 0.5"), "{}", text(&cost.until));
    }

    #[test]
    fn osds_of_a_host_have_their_part_in_as_many_more_writes() {
        let slow = |osd: u32| if osd % 3 == 1 { RECEIVES_SLOWLY } else { NOTHING };
        let (both, one) =
            (cost(slow, &[1, 4]).unwrap(), cost(|osd| if osd == 1 { slow(1) } else { NOTHING }, &[1]).unwrap());
        let less = |cost: &Cost| cost.gains.last().map(|gain| gain.from.value - gain.to.value).unwrap();
        assert!((less(&both) - 2.0 * less(&one)).abs() < 1e-9);
    }

    #[test]
    fn without_peers_or_intervals_nothing_is_known() {
        assert_eq!(cost(|_| DEBUG_LOGGING, &[0, 1, 2, 3]), None);
        assert_eq!(cost(|_| Adds { unsure: f64::NAN, ..DEBUG_LOGGING }, &[1]), None);
    }
}
