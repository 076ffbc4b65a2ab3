//! OSDs by position, for the tests of rules: the signatures that faults of a lab left (docs/method.md, "By position").

use super::testing::made::Made;
use super::testing::text;
use super::{Case, Rule};
use judge::assess;
use model::{Estimate, OsdStages, PositionOfOsd, Positions, Standing, WriteTimes};

/// What one OSD adds: as primary, as replica (median, mean, p90), and its own software and commit.
#[derive(Clone, Copy)]
pub struct Adds {
    pub primary: [f64; 3],
    pub replica: [f64; 3],
    pub own: Option<[f64; 2]>,
}

pub const NOTHING: Adds = Adds { primary: [0.01, -0.02, 0.03], replica: [-0.01, 0.02, 0.02], own: Some([0.45, 0.35]) };
pub const DEBUG_LOGGING: Adds =
    Adds { primary: [0.54, 0.55, 0.5], replica: [0.24, 0.25, 0.3], own: Some([1.01, 0.46]) };
pub const STOPPED_AT_TIMES: Adds =
    Adds { primary: [0.12, 2.9, 11.4], replica: [0.08, 3.0, 11.3], own: Some([0.67, 0.73]) };
pub const SLOW_DISK: Adds = Adds { primary: [0.15, 24.0, 79.0], replica: [0.18, 25.0, 77.0], own: Some([0.5, 22.0]) };
pub const SENDS_SLOWLY: Adds = Adds { primary: [1.2, 1.9, 4.3], replica: [0.0, 0.02, 0.0], own: Some([0.45, 0.35]) };
pub const RECEIVES_SLOWLY: Adds = Adds { primary: [2.3, 1.9, 2.7], replica: [3.2, 2.6, 3.5], own: Some([0.45, 0.35]) };

/// Six OSDs on three hosts (osd.1 and osd.4 on host2), as a lab has them, of which some add something.
pub fn positions(adds: impl Fn(u32) -> Adds) -> Positions {
    let times = |[median, mean, p90]: [f64; 3]| {
        let known = |value: f64| Estimate::new(value, 0.04 + 0.1 * value.abs());
        WriteTimes { median: known(median), mean: known(mean), p90: known(p90) }
    };
    let osd = |osd: u32| {
        let Adds { primary, replica, own } = adds(osd);
        let timers = own.map(|[software, commit]| OsdStages { software, commit });
        let host = format!("host{}", osd % 3 + 1);
        PositionOfOsd { osd, host, primary: times(primary), replica: times(replica), timers }
    };
    let usual = WriteTimes { median: 1.16, mean: 1.24, p90: 1.6 };
    Positions { usual, osds: (0..6).map(osd).collect(), pairs: Vec::new(), operations: 10_000 }
}

/// What the rule says of these; nothing: it suspects nobody.
pub fn says(rule: &'static Rule, adds: impl Fn(u32) -> Adds) -> Vec<String> {
    let record = Made::cluster().record;
    let assessed = assess(&record);
    let positions = positions(adds);
    let suspects = (rule.suspect)(&Case { positions: Some(&positions), ..Case::of(&assessed) });
    assert!(suspects.iter().all(|one| one.standing == Standing::Confirmed));
    assert!((rule.suspect)(&Case::of(&assessed)).is_empty(), "nobody measured positions");
    suspects.iter().map(|one| text(&one.says)).collect()
}

/// The same, of osd.1 alone.
pub fn says_of_one(rule: &'static Rule, adds: Adds) -> Vec<String> {
    says(rule, |osd| if osd == 1 { adds } else { NOTHING })
}

/// The same, of both OSDs of host2.
pub fn says_of_host(rule: &'static Rule, adds: Adds) -> Vec<String> {
    says(rule, |osd| if osd % 3 == 1 { adds } else { NOTHING })
}
