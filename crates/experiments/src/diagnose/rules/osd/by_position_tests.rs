//! OSDs by position: the signatures that faults of a lab left (docs/method.md, "By position"), and who is suspected by them.

use crate::diagnose::rules::network::host_way_slow;
use crate::diagnose::rules::osd::{osd_process_slow, osd_store_slow, osd_way_slow};
use crate::diagnose::testing::made::Made;
use crate::diagnose::testing::text;
use crate::diagnose::{Case, Rule};
use judge::assess;
use model::{Estimate, OsdStages, PositionOfOsd, Positions, Standing, WriteTimes};

/// What one OSD adds: as primary, as replica (median, mean, p90), and its own software and commit.
#[derive(Clone, Copy)]
struct Adds {
    primary: [f64; 3],
    replica: [f64; 3],
    own: Option<[f64; 2]>,
}

const NOTHING: Adds = Adds { primary: [0.01, -0.02, 0.03], replica: [-0.01, 0.02, 0.02], own: Some([0.45, 0.35]) };

/// Six OSDs on three hosts (osd.1 and osd.4 on host2), as a lab has them, of which some add something.
fn positions(adds: impl Fn(u32) -> Adds) -> Positions {
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

/// Whom these rules suspect, and what they say.
fn suspected(positions: &Positions) -> Vec<(&'static str, String)> {
    let record = Made::cluster().record;
    let assessed = assess(&record);
    let case = Case { positions: Some(positions), ..Case::of(&assessed) };
    let rules: [&'static Rule; 4] =
        [&host_way_slow::RULE, &osd_process_slow::RULE, &osd_store_slow::RULE, &osd_way_slow::RULE];
    let all = rules.into_iter().flat_map(|rule| (rule.suspect)(&case).into_iter().map(move |one| (rule.id, one)));
    all.map(|(id, one)| {
        assert_eq!(one.standing, Standing::Confirmed);
        (id, text(&one.says))
    })
    .collect()
}

fn of_osd_1(adds: Adds) -> Vec<(&'static str, String)> {
    suspected(&positions(|osd| if osd == 1 { adds } else { NOTHING }))
}

#[test]
fn healthy_osds_are_not_suspected() {
    assert_eq!(suspected(&positions(|_| NOTHING)), []);
    let record = Made::cluster().record;
    let assessed = assess(&record);
    assert!((osd_store_slow::RULE.suspect)(&Case::of(&assessed)).is_empty(), "nobody measured positions");
}

#[test]
fn debug_logging_is_software_in_all_quantiles() {
    let found = of_osd_1(Adds { primary: [0.54, 0.55, 0.5], replica: [0.24, 0.25, 0.3], own: Some([1.01, 0.46]) });
    assert_eq!(found, [("osd-process-slow", "osd.1's process is slow, not its disk and not the network".to_string())]);
}

#[test]
fn a_process_that_is_stopped_at_times_is_slow_in_bursts_in_both_roles() {
    let stutter = Adds { primary: [0.12, 2.9, 11.4], replica: [0.08, 3.0, 11.3], own: Some([0.67, 0.73]) };
    let found = of_osd_1(stutter);
    assert_eq!(found.len(), 1);
    assert!(found[0].1.contains("process is slow in bursts"), "{found:?}");
    // If the other OSD of its host does the same, it is not its process.
    let both = suspected(&positions(|osd| if osd % 3 == 1 { stutter } else { NOTHING }));
    assert!(both.iter().all(|(id, _)| *id != "osd-process-slow"), "{both:?}");
}

#[test]
fn a_disk_with_a_limit_is_slow_in_its_commits() {
    let found = of_osd_1(Adds { primary: [0.15, 24.0, 79.0], replica: [0.18, 25.0, 77.0], own: Some([0.5, 22.0]) });
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, "osd-store-slow");
}

#[test]
fn what_a_host_sends_is_told_from_what_it_receives() {
    let sends = Adds { primary: [1.2, 1.9, 4.3], replica: [0.0, 0.02, 0.0], own: Some([0.45, 0.35]) };
    let found = suspected(&positions(|osd| if osd % 3 == 1 { sends } else { NOTHING }));
    assert_eq!(found[0], ("host-way-slow", "what host host2 sends is slow, for all its OSDs".to_string()));
    let receives = Adds { primary: [2.3, 1.9, 2.7], replica: [3.2, 2.6, 3.5], own: Some([0.45, 0.35]) };
    let found = suspected(&positions(|osd| if osd % 3 == 1 { receives } else { NOTHING }));
    assert_eq!(found[0], ("host-way-slow", "what host host2 receives is slow, for all its OSDs".to_string()));
    // Of one OSD alone it is that OSD's messenger, or nobody knows.
    let found = of_osd_1(sends);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, "osd-way-slow");
}

#[test]
fn an_osd_without_timers_is_not_told_where_it_spends_its_time() {
    assert_eq!(of_osd_1(Adds { primary: [1.2, 1.9, 4.3], replica: [1.2, 1.9, 4.3], own: None }), []);
}
