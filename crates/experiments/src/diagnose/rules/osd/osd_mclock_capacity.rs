//! Capacities of OSDs that can not be right.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-mclock-capacity",
    about: Area::Osd,
    what: "The capacity that mClock takes an OSD for was measured wrongly.",
    why: "From it all shares of clients and recovery are computed: with a wrong one recovery takes days, or clients are held back. Newer releases refuse such results.",
    evidence: "osd_mclock_max_capacity_iops_hdd of an OSD is outside of 50 to 500, or osd_mclock_max_capacity_iops_ssd outside of 1,000 to 80,000; or an OSD's is below half, or above twice, the median of at least three. What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &[
        "Ceph's documentation, \"mClock Config Reference\"",
        "ceph/ceph pull request 59743: bounds for measured capacities",
    ],
    needs: &[Source::Facts(Part::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION, then restart the OSD, which measures again (osd_mclock_force_run_benchmark_on_init); or set what fathom osd measures",
    risk: "while it measures, that OSD is loaded",
    confirm: "fathom store measures each OSD by its own bench: compare with what is set",
    releases: Releases::from(17, 2, 0),
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let bounds =
        [("osd_mclock_max_capacity_iops_hdd", 50.0, 500.0), ("osd_mclock_max_capacity_iops_ssd", 1000.0, 80_000.0)];
    let odd = |(name, least, most): &(&str, f64, f64)| {
        let mut all: Vec<f64> =
            case.set(name).filter(|option| option.who.starts_with("osd.")).filter_map(number).collect();
        all.sort_by(f64::total_cmp);
        let median = all.get(all.len() / 2).copied().filter(|_| all.len() >= 3);
        let wrong = |value: f64| {
            !(*least..=*most).contains(&value)
                || median.is_some_and(|median| value < median / 2.0 || value > median * 2.0)
        };
        of_settings(
            case,
            name,
            |option| option.who.starts_with("osd.") && number(option).is_some_and(wrong),
            "the capacity can not be right",
        )
    };
    bounds.iter().flat_map(odd).collect()
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
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "osd.2", "osd_mclock_max_capacity_iops_ssd", "21500")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
