//! Capacities of OSDs that can not be right.

use crate::diagnose::facts::prelude::*;
use model::Kin;
use std::collections::{BTreeMap, BTreeSet};

pub static RULE: Rule = Rule {
    id: "osd-mclock-capacity",
    about: Area::Osd,
    what: "The capacity that mClock takes an OSD for was measured wrongly.",
    why: "From it all shares of clients and recovery are computed: with a wrong one recovery takes days, or clients are held back. Newer releases refuse such results.",
    evidence: "osd_mclock_max_capacity_iops_hdd of an OSD is outside of 50 to 500, or osd_mclock_max_capacity_iops_ssd outside of 1,000 to 80,000; or an OSD's is below half, or above twice, the median of at least three of its kind (device class, NVMe or not, database on flash of its own or not, as far as that is known). An OSD of that kind that has none counts with the default, 315 or 21,500. Only where osd_op_queue is not wpq, since mClock alone reads these. What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &[
        "Ceph's documentation, \"mClock Config Reference\"",
        "ceph/ceph pull request 59743: bounds for measured capacities",
    ],
    needs: &[Source::Facts(FactsPart::Options), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "ceph config rm WHO OPTION, then restart the OSD, which measures again (osd_mclock_force_run_benchmark_on_init); or set what fathom store measures (write-parallel)",
    risk: "while it measures, that OSD is loaded",
    confirm: "fathom store measures each OSD by its own bench: compare with what is set",
    releases: Releases::from(17, 2, 0),
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

/// Option, least and most that can be right, what an OSD takes that has none, and which OSDs it is for.
type Capacity = (&'static str, f64, f64, f64, fn(&OsdFacts) -> bool);

const CAPACITIES: [Capacity; 2] = [
    ("osd_mclock_max_capacity_iops_hdd", 50.0, 500.0, 315.0, OsdFacts::on_hdd),
    ("osd_mclock_max_capacity_iops_ssd", 1000.0, 80_000.0, 21_500.0, OsdFacts::on_flash),
];

fn suspect(case: &Case) -> Vec<Suspect> {
    if case.has_wpq() {
        return Vec::new();
    }
    CAPACITIES.iter().flat_map(|capacity| odd(case, capacity)).collect()
}

fn odd(case: &Case, (name, least, most, default, meant): &Capacity) -> Vec<Suspect> {
    let of_one = |option: &&SetOption| option.who.starts_with("osd.");
    let name_of = |osd: &OsdFacts| format!("osd.{}", osd.id);
    let known = Kin::of_facts(case.osds());
    let kin_of = |option: &SetOption| known.get(&option.who.strip_prefix("osd.")?.parse::<u32>().ok()?);
    let own = case.set(name).filter(of_one).filter_map(|option| Some((kin_of(option), number(option)?)));
    let medians = medians(own);
    let apart = |value: f64, kin: Option<&Kin>| {
        medians.get(&kin).is_some_and(|median| value < median / 2.0 || value > median * 2.0)
    };
    let wrong = |option: &SetOption, value: f64| !(*least..=*most).contains(&value) || apart(value, kin_of(option));
    let set = of_settings(
        case,
        name,
        |option| of_one(&option) && number(option).is_some_and(|value| wrong(option, value)),
        "the capacity can not be right",
    );
    // What is set for all of them is no default.
    if case.set(name).any(|option| !of_one(&option)) {
        return set;
    }
    let have: BTreeSet<&str> = case.set(name).map(|option| option.who.as_str()).collect();
    let none = |osd: &OsdFacts| {
        let lacks = osd.up == Some(true) && meant(osd) && !have.contains(name_of(osd).as_str());
        lacks && apart(*default, known.get(&osd.id))
    };
    let without = of_osds(case, none, "the capacity was not measured", |osd| {
        let median = medians.get(&known.get(&osd.id)).copied().unwrap_or(0.0);
        phrase!(
            "no {}, so that it takes {}; the median of others of its kind is {}",
            *name,
            format!("{default:.0}"),
            format!("{median:.0}")
        )
    });
    set.into_iter().chain(without).collect()
}

/// Of each kin with at least three.
fn medians<'k>(values: impl Iterator<Item = (Option<&'k Kin>, f64)>) -> BTreeMap<Option<&'k Kin>, f64> {
    let mut of_kin: BTreeMap<Option<&Kin>, Vec<f64>> = BTreeMap::new();
    values.for_each(|(kin, value)| of_kin.entry(kin).or_default().push(value));
    let median = |(kin, mut all): (Option<&'k Kin>, Vec<f64>)| {
        all.sort_by(f64::total_cmp);
        Some((kin, all.get(all.len() / 2).copied().filter(|_| all.len() >= 3)?))
    };
    of_kin.into_iter().filter_map(median).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| set(facts, "osd.2", "osd_mclock_max_capacity_iops_hdd", "12000")),
            ["osd.2/osd_mclock_max_capacity_iops_hdd"]
        );
        assert_eq!(
            told(&RULE, |facts| [("osd.0", "20000"), ("osd.1", "21000"), ("osd.2", "3000")]
                .iter()
                .for_each(|(who, value)| set(facts, who, "osd_mclock_max_capacity_iops_ssd", value))),
            ["osd.2/osd_mclock_max_capacity_iops_ssd"]
        );
    }

    #[test]
    fn osds_without_a_capacity_are_told_where_the_default_is_far_from_what_the_others_measured() {
        let three = |value: &'static str| {
            told(&RULE, |facts| {
                hard_disks(facts);
                ["osd.0", "osd.1", "osd.4"]
                    .iter()
                    .for_each(|who| set(facts, who, "osd_mclock_max_capacity_iops_hdd", value))
            })
        };
        assert_eq!(three("87"), ["osd.*"]);
        assert_eq!(three("290"), NOBODY, "315 is as good");
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "osd.2", "osd_mclock_max_capacity_iops_ssd", "21500")), NOBODY);
    }

    #[test]
    fn the_older_scheduler_does_not_read_capacities() {
        assert_eq!(
            told(&RULE, |facts| {
                set(facts, "osd.2", "osd_mclock_max_capacity_iops_hdd", "12000");
                set(facts, "osd", "osd_op_queue", "wpq")
            }),
            NOBODY
        );
    }

    /// OSDs of both classes have the option for flash.
    #[test]
    fn flash_behind_sata_and_nvme_are_two_classes() {
        let by_class = |nvme: &'static str| {
            told(&RULE, move |facts| {
                each_osd(facts, |osd| osd.class = Some(if osd.id < 3 { "ssd" } else { "nvme" }.into()));
                let all = [("osd.0", "9000"), ("osd.1", "9500"), ("osd.2", "9900")];
                let all = all.into_iter().chain([("osd.3", "60000"), ("osd.4", "61000"), ("osd.5", nvme)]);
                all.for_each(|(who, value)| set(facts, who, "osd_mclock_max_capacity_iops_ssd", value))
            })
        };
        assert_eq!(by_class("59000"), NOBODY);
        assert_eq!(by_class("9500"), ["osd.5/osd_mclock_max_capacity_iops_ssd"]);
    }

    /// Ceph gives both the class ssd by itself.
    #[test]
    fn nvme_is_not_held_against_sata_flash_of_the_same_class() {
        let measured = |of_sata: &'static str| {
            told(&RULE, move |facts| {
                each_osd(facts, |osd| {
                    if osd.id < 3 {
                        osd.data_devices = vec![format!("sd{}", osd.id)]
                    }
                });
                let sata = [("osd.0", "12000"), ("osd.1", "12500"), ("osd.2", of_sata)];
                let all = sata.into_iter().chain([("osd.3", "50000"), ("osd.4", "51000"), ("osd.5", "49000")]);
                all.for_each(|(who, value)| set(facts, who, "osd_mclock_max_capacity_iops_ssd", value))
            })
        };
        assert_eq!(measured("11900"), NOBODY);
        assert_eq!(measured("50000"), ["osd.2/osd_mclock_max_capacity_iops_ssd"], "far above other SATA flash");
    }

    #[test]
    fn hard_disks_with_a_database_on_flash_are_no_peers_of_those_without() {
        let told = told(&RULE, |facts| {
            hard_disks(facts);
            each_osd(facts, |osd| {
                if osd.id < 3 {
                    (osd.dedicated_db, osd.db_rotational) = (Some(true), Some(false));
                    osd.db_devices = vec!["nvme0n1".into()];
                }
            });
            let with = ["osd.0", "osd.1", "osd.2"].map(|who| (who, "480"));
            let without = ["osd.3", "osd.4", "osd.5"].map(|who| (who, "180"));
            with.into_iter()
                .chain(without)
                .for_each(|(who, value)| set(facts, who, "osd_mclock_max_capacity_iops_hdd", value))
        });
        assert_eq!(told, NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
