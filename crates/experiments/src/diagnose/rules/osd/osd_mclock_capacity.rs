//! Capacities of OSDs that can not be right.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-mclock-capacity",
    about: Area::Osd,
    what: "The capacity that mClock takes an OSD for was measured wrongly.",
    why: "From it all shares of clients and recovery are computed: with a wrong one recovery takes days, or clients are held back. Newer releases refuse such results.",
    evidence: "osd_mclock_max_capacity_iops_hdd of an OSD is outside of 50 to 500, or osd_mclock_max_capacity_iops_ssd outside of 1,000 to 80,000; or an OSD's is below half, or above twice, the median of at least three. An OSD of the same kind of disk that has none counts with the default, 315 or 21,500. What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &[
        "Ceph's documentation, \"mClock Config Reference\"",
        "ceph/ceph pull request 59743: bounds for measured capacities",
    ],
    needs: &[Source::Facts(FactsPart::Options), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "ceph config rm WHO OPTION, then restart the OSD, which measures again (osd_mclock_force_run_benchmark_on_init); or set what fathom osd measures",
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
    CAPACITIES.iter().flat_map(|capacity| odd(case, capacity)).collect()
}

fn odd(case: &Case, (name, least, most, default, meant): &Capacity) -> Vec<Suspect> {
    let of_one = |option: &&SetOption| option.who.starts_with("osd.");
    let mut all: Vec<f64> = case.set(name).filter(of_one).filter_map(number).collect();
    all.sort_by(f64::total_cmp);
    let median = all.get(all.len() / 2).copied().filter(|_| all.len() >= 3);
    let apart = |value: f64| median.is_some_and(|median| value < median / 2.0 || value > median * 2.0);
    let wrong = |value: f64| !(*least..=*most).contains(&value) || apart(value);
    let set = of_settings(
        case,
        name,
        |option| of_one(&option) && number(option).is_some_and(wrong),
        "the capacity can not be right",
    );
    // What is set for all of them is no default.
    let for_all = case.set(name).any(|option| !of_one(&option));
    let has = |osd: &OsdFacts| case.set(name).any(|option| option.who == format!("osd.{}", osd.id));
    let none = |osd: &OsdFacts| osd.up == Some(true) && meant(osd) && !has(osd);
    let without = match apart(*default) && !for_all {
        true => of_osds(case, none, "the capacity was not measured", |_| {
            phrase!(
                "no {}, so that it takes {}; the others' median is {}",
                *name,
                format!("{default:.0}"),
                format!("{:.0}", median.unwrap_or(0.0))
            )
        }),
        false => Vec::new(),
    };
    set.into_iter().chain(without).collect()
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
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
