//! OSDs that add time to the writes of their pairs, and where in them it is spent.

use super::gains;
use crate::diagnose::{Case, Suspect};
use model::{
    Estimate, Kin, Metric, PairTime, Phrase, PositionOfOsd, Positions, Quantity, Standing, Subject, WriteTimes, phrase,
};
use std::collections::BTreeMap;

/// What adds less than this share of a usual write is not reported.
pub const LEAST: f64 = Positions::LEAST;
/// At least this share of what an OSD adds as the primary is spent in its own software, if that is the cause.
const OF_SOFTWARE: f64 = 0.25;
/// Median deviations between OSDs by which its software must take longer.
const SPREADS: f64 = 3.0;
/// Where an OSD's software takes long as well, either may wait for the other: a store that is full holds up what is not prepared yet, and a
/// process that gets no processor is late with commits. Of what it adds, on average over both roles, a disk of 200 writes a second took 87 %
/// and more in commits, a processor's quota of 10 % from 40 to 56 % (five runs in a lab). What lies between is reported as neither.
const OF_A_SLOW_STORE: f64 = 0.8;
const OF_A_SLOW_PROCESS: f64 = 0.6;
/// At least this share is spent in its commits, if its store is the cause.
const OF_COMMIT: f64 = 0.5;
const ALIKE: f64 = 1.0 / 3.0;

/// An OSD that adds time.
pub struct Slow<'c> {
    pub osd: &'c PositionOfOsd,
    pub(super) all: &'c Positions,
}

/// Where an OSD spends the time that it adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// In all its own stages: the process itself is slow.
    Process,
    /// In its store's commits.
    Store,
    /// In none of its own stages: on the way to it or from it.
    Outside,
    /// It has no timers that would tell, or they speak for two of these.
    Unknown,
}

/// What an OSD is to a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Primary,
    Replica,
}

/// Those that add time in either role, by a clear margin.
pub fn slow<'c>(case: &Case<'c>) -> Vec<Slow<'c>> {
    every(case).into_iter().filter(Slow::is_clear).collect()
}

/// All OSDs of the usual kin, whether they add anything or not: what a disk of another kind takes more than these is no fault.
pub fn every<'c>(case: &Case<'c>) -> Vec<Slow<'c>> {
    let Some(all) = case.positions else { return Vec::new() };
    let known = if case.osds().is_empty() { Kin::of_scope(&case.record.scope) } else { Kin::of_facts(case.osds()) };
    let usual = Kin::of_most(all.osds.iter().filter_map(|osd| known.get(&osd.osd)));
    let is_usual = |osd: &&PositionOfOsd| known.get(&osd.osd).is_none_or(|own| Some(own) == usual);
    all.osds.iter().filter(is_usual).map(|osd| Slow { osd, all }).collect()
}

/// Each of these adds time in this role beyond its 95 % interval, and all of them together by a clear margin: what is rare, as lost packets
/// are, is clear of no OSD alone. Intervals of different OSDs are of different writes, or nearly so.
pub fn add_together(osds: &[Slow], role: Role) -> bool {
    let clear = |of: fn(&WriteTimes<Estimate>) -> &Estimate, usual: f64| {
        let each = || osds.iter().map(|slow| of(slow.times(role)));
        let half = |adds: &Estimate| adds.high - adds.value;
        let sum: f64 = each().map(|adds| adds.value).sum();
        each().all(|adds| adds.value >= LEAST * usual && adds.value > half(adds))
            && sum >= Positions::BEYOND * each().map(|adds| half(adds).powi(2)).sum::<f64>().sqrt()
    };
    let Some(usual) = osds.first().map(|slow| &slow.all.usual) else { return false };
    clear(|times| &times.median, usual.median.value) || clear(|times| &times.mean, usual.mean.value)
}

/// Hosts all of whose OSDs, and at least two, add time by a clear margin, about alike, and spend it here, as far as their timers tell: what
/// all of them have in common is slow, and not one OSD.
pub fn slow_hosts<'c>(case: &Case<'c>, here: Where) -> Vec<(&'c str, Vec<Slow<'c>>)> {
    let is = |slow: &Slow| slow.is_clear() && [here, Where::Unknown].contains(&slow.spent());
    let found = by_host(case).into_iter().filter(|(_, all)| all.len() > 1 && all.iter().all(is));
    found.filter(|(_, all)| all.iter().any(|slow| slow.spent() == here) && are_alike(all)).collect()
}

/// Each adds at least [`ALIKE`] of what the slowest of them adds: an OSD that is slow by itself may slow its neighbours a little.
fn are_alike(all: &[Slow]) -> bool {
    let adds = |slow: &Slow| slow.osd.primary.mean.value.max(slow.osd.replica.mean.value);
    let most = all.iter().map(adds).fold(0.0, f64::max);
    all.iter().all(|slow| adds(slow) >= ALIKE * most)
}

pub fn by_host<'c>(case: &Case<'c>) -> BTreeMap<&'c str, Vec<Slow<'c>>> {
    let mut hosts: BTreeMap<&str, Vec<Slow>> = BTreeMap::new();
    for slow in every(case) {
        hosts.entry(&slow.osd.host).or_default().push(slow);
    }
    hosts
}

/// All OSDs of a host as one suspect, with what each of them adds.
pub fn of_host(host: &str, all: &[Slow], subject: Subject, says: Phrase, case: &Case) -> Suspect {
    let evidence = all.iter().flat_map(|slow| {
        let name = Subject::Osd(slow.osd.osd);
        let own = slow.suspect(Phrase::default(), case).evidence.into_iter().take(1);
        own.map(move |line| phrase!("{} {}", name.clone(), line))
    });
    let evidence = evidence.collect();
    let osds: Vec<&PositionOfOsd> = all.iter().map(|slow| slow.osd).collect();
    let cost = gains::of_osds(&osds, &phrase!("an OSD of {}", host), case);
    Suspect { evidence, cost, ..Suspect::new(subject, Standing::Confirmed, says, Phrase::default()) }
}

/// Is this suspect an OSD of that host, by the positions?
pub fn is_of_host(slow: &Suspect, host: &str, case: &Case) -> bool {
    let Subject::Osd(id) = slow.subject else { return false };
    case.positions.is_some_and(|all| all.osds.iter().any(|osd| osd.osd == id && osd.host == host))
}

impl Slow<'_> {
    fn times(&self, role: Role) -> &WriteTimes<Estimate> {
        match role {
            Role::Primary => &self.osd.primary,
            Role::Replica => &self.osd.replica,
        }
    }

    /// Adds time in either role, by a clear margin.
    pub fn is_clear(&self) -> bool {
        self.as_primary() || self.as_replica()
    }

    pub fn as_primary(&self) -> bool {
        Positions::is_clear(&self.osd.primary.median, self.all.usual.median.value)
            || Positions::is_clear(&self.osd.primary.mean, self.all.usual.mean.value)
    }

    pub fn as_replica(&self) -> bool {
        Positions::is_clear(&self.osd.replica.median, self.all.usual.median.value)
            || Positions::is_clear(&self.osd.replica.mean, self.all.usual.mean.value)
    }

    /// In this role, are its writes slow with the OSDs of every other host? A way between two hosts that is slow is the fault of neither,
    /// but the model of positions has no other place for it.
    pub fn with_every_host(&self, role: Role) -> bool {
        let host = |osd: u32| self.all.osds.iter().find(|one| one.osd == osd).map(|one| one.host.as_str());
        let own = Some(self.osd.host.as_str());
        let apart = |pair: &&PairTime| host(pair.primary) != own && host(pair.replica) != own;
        let others: Vec<f64> = self.all.pairs.iter().filter(apart).map(|pair| pair.mean).collect();
        let usual = if others.is_empty() { self.all.usual.mean.value } else { judge::median(&others) };
        let mut with: BTreeMap<Option<&str>, Vec<f64>> = BTreeMap::new();
        for pair in &self.all.pairs {
            let partner = match role {
                Role::Primary if pair.primary == self.osd.osd => pair.replica,
                Role::Replica if pair.replica == self.osd.osd => pair.primary,
                _ => continue,
            };
            with.entry(host(partner)).or_default().push(pair.mean);
        }
        !with.is_empty() && with.values().all(|means| judge::median(means) >= (1.0 + LEAST) * usual)
    }

    /// Much in the mean, little in the median: it is slow at times.
    pub fn in_bursts(&self) -> bool {
        let most = |a: f64, b: f64| a.max(b);
        let median = most(self.osd.primary.median.value, self.osd.replica.median.value);
        median < 0.3 * most(self.osd.primary.mean.value, self.osd.replica.mean.value)
    }

    pub fn spent(&self) -> Where {
        let Some(own) = self.osd.timers else { return Where::Unknown };
        let others = |of: fn(&model::OsdStages) -> f64| {
            let theirs =
                self.all.osds.iter().filter(|other| other.osd != self.osd.osd).filter_map(|other| other.timers);
            judge::median(&theirs.map(|timers| of(&timers)).collect::<Vec<_>>())
        };
        let software = own.software - others(|timers| timers.software);
        // What healthy OSDs differ by; a few slow ones move no median.
        let all: Vec<f64> = self.all.osds.iter().filter_map(|osd| osd.timers).map(|timers| timers.software).collect();
        let middle = judge::median(&all);
        let spread = judge::median(&all.iter().map(|one| (one - middle).abs()).collect::<Vec<_>>());
        let beyond_others = software > SPREADS * spread;
        let commit = own.commit - others(|timers| timers.commit);
        let (primary, replica) = (self.osd.primary.mean.value.max(0.0), self.osd.replica.mean.value.max(0.0));
        let adds = primary.max(replica);
        // The timers are of its writes in both roles.
        let of_both = commit / f64::midpoint(primary, replica);
        if beyond_others && software >= OF_SOFTWARE * adds {
            match of_both {
                share if share >= OF_A_SLOW_STORE => Where::Store,
                share if share < OF_A_SLOW_PROCESS => Where::Process,
                _ => Where::Unknown,
            }
        } else if commit >= OF_COMMIT * adds {
            Where::Store
        } else if self.is_held_up() {
            Where::Process
        } else {
            // Rare and long: its own stages show nothing of it, and the way is not the only thing that is outside of them.
            match self.stalls().filter(|_| self.in_bursts()) {
                Some(stalls) if stalls.standing == Standing::Confirmed => stalls.spent,
                Some(_) => Where::Unknown,
                None => Where::Outside,
            }
        }
    }

    /// Does another OSD of its host add time as well, beyond its 95 % interval? Then it is not this OSD alone.
    pub fn is_as_its_host(&self) -> bool {
        let beside = |other: &&PositionOfOsd| other.host == self.osd.host && other.osd != self.osd.osd;
        let adds = |times: &WriteTimes<Estimate>| {
            let beyond = |adds: &Estimate, usual: f64| adds.low > 0.0 && adds.value >= LEAST / 2.0 * usual;
            beyond(&times.median, self.all.usual.median.value) || beyond(&times.mean, self.all.usual.mean.value)
        };
        self.all.osds.iter().filter(beside).any(|other| adds(&other.primary) || adds(&other.replica))
    }

    /// In bursts, in both roles alike, and no other OSD of its host: messages wait in its socket, and its own timers begin when it reads
    /// them.
    fn is_held_up(&self) -> bool {
        let beside: Vec<Slow> = self.all.osds.iter().map(|osd| Slow { osd, all: self.all }).collect();
        let mut beside = beside.iter().filter(|other| other.osd.host == self.osd.host && other.osd.osd != self.osd.osd);
        let only = beside.clone().next().is_some() && beside.all(|other| !other.is_clear());
        let (primary, replica) = (self.osd.primary.mean.value, self.osd.replica.mean.value);
        let alike = primary.min(replica) > 0.5 * primary.max(replica);
        only && alike && self.in_bursts() && self.as_primary() && self.as_replica()
    }

    /// Not clear, but in both roles beyond the 95 % interval, in bursts, and no other OSD of its host likewise: few long stops look so.
    pub fn may_be_held_up(&self) -> bool {
        let likewise = |osd: &PositionOfOsd| {
            let beyond = |adds: &Estimate| adds.value >= LEAST * self.all.usual.mean.value && adds.low > 0.0;
            beyond(&osd.primary.mean) && beyond(&osd.replica.mean)
        };
        let beside = |other: &&PositionOfOsd| other.host == self.osd.host && other.osd != self.osd.osd;
        let mut beside = self.all.osds.iter().filter(beside);
        !self.is_clear() && likewise(self.osd) && self.in_bursts() && !beside.any(likewise)
    }

    pub fn suspect(&self, says: Phrase, case: &Case) -> Suspect {
        let evidence = phrase!(
            "by position: as the primary it adds {} to a write of {}, as a replica {}",
            measured(self.osd.primary.mean),
            Quantity::Value { value: self.all.usual.mean.value, metric: Metric::LatencyMean },
            measured(self.osd.replica.mean)
        );
        let mut suspect = Suspect::new(Subject::Osd(self.osd.osd), Standing::Confirmed, says, evidence);
        if let Some(own) = self.osd.timers {
            let ms = |value: f64| Quantity::Value { value, metric: Metric::LatencyMean };
            suspect.evidence.push(phrase!(
                "its own timers meanwhile: software {}, commit {}",
                ms(own.software),
                ms(own.commit)
            ));
        }
        suspect.cost = gains::of_osds(&[self.osd], &Subject::Osd(self.osd.osd).into(), case);
        suspect
    }
}

fn measured(estimate: Estimate) -> Quantity {
    Quantity::Measured { estimate, metric: Metric::LatencyMean }
}
