//! A slow OSD with an option that its twins do not have.

use super::by_position::slow;
use super::{osd_process_slow, osd_slow, osd_store_slow, osd_way_slow};
use crate::diagnose::rules::host::kern_debug_logging;
use crate::diagnose::rules::network::net_nodelay;
use crate::diagnose::{Area, Case, Explains, Fix, Part, Rule, RuleTest, Source, Suspect, TestResult, Tried};
use judge::{Entry, retested};
use model::facts::SetOption;
use model::{Place, Quantity, Standing, Step, Subject, Target, phrase};
use std::collections::BTreeMap;

pub static RULE: Rule = Rule {
    id: "osd-option-odd",
    about: Area::Osd,
    what: "A slow OSD has an option that its twins do not have.",
    why: "What differs between twins is the best hint there is.",
    evidence: "In writes between pairs of OSDs it adds at least 15 % of a usual write, by twice its 95 % interval, and in the monitors' database, or as it runs, an option is set for it that no \
               other OSD has. Only debug options in the database are tried, since no data and no service depend on them. Not counted: what OSDs and orchestrators set for each OSD by itself (osd_mclock_max_capacity_iops_*, osd_memory_target, addresses, CRUSH \
               location).",
    sources: &["docs/method.md, \"By position\""],
    needs: &[Source::Positions, Source::Facts(Part::Options)],
    suspect,
    test: Some(RuleTest {
        asks: "do its writes get faster with the value that its twins have, in turns with its own?",
        steps: in_turns_with_the_default,
        answer: is_faster_with_it,
    }),
    explains: &[
        Explains { rule: &osd_process_slow::RULE, which: "that of the same OSD", follows: of_the_osd },
        Explains { rule: &osd_store_slow::RULE, which: "that of the same OSD", follows: of_the_osd },
        Explains { rule: &osd_way_slow::RULE, which: "that of the same OSD", follows: of_the_osd },
        Explains { rule: &osd_slow::RULE, which: "that of the same OSD", follows: of_the_osd },
        Explains { rule: &kern_debug_logging::RULE, which: "that of the same option", follows: of_the_option },
        Explains { rule: &net_nodelay::RULE, which: "that of the same option", follows: of_the_option },
    ],
    fix: "ceph config rm WHO OPTION",
    risk: "what it was set for is lost; some options are read only when the daemon starts",
    special_fixes: &[&AS_IT_RUNS],
    confirm: "fathom prove WHO/OPTION=DEFAULT; an option that is read at the start needs a restart of that OSD in between",
    tried: Tried::Machines,
    ..Rule::USUAL
};

const AS_IT_RUNS: Fix =
    Fix { when: "Where it was set as the daemon runs", what: "ceph tell WHO config unset OPTION (or restart the OSD)" };

/// These alone are tried while a cluster is diagnosed: whatever they are, no data and no service depend on them. Others may keep a sick OSD
/// alive, and are for a person to try (`fathom prove`).
const TRIED: &str = "debug_";

/// Set for each OSD by itself, by the OSD or by an orchestrator.
const OWN: [&str; 8] = [
    "osd_mclock_max_capacity_iops",
    "osd_memory_target",
    "public_addr",
    "cluster_addr",
    "public_network",
    "cluster_network",
    "crush_location",
    "container_image",
];

fn suspect(case: &Case) -> Vec<Suspect> {
    let slow = slow(case);
    let options = case.cluster().options.as_deref().unwrap_or_default();
    let mut set: BTreeMap<&str, Vec<&SetOption>> = BTreeMap::new();
    options
        .iter()
        .filter(|option| option.who.starts_with("osd."))
        .for_each(|option| set.entry(&option.name).or_default().push(option));
    let odd = set.into_values().filter_map(|who| <[&SetOption; 1]>::try_from(who).ok().map(|[only]| only));
    let odd = odd.filter(|option| option.origin.as_deref().is_none_or(|origin| origin == "override"));
    let odd = odd.filter(|option| !OWN.iter().any(|own| option.name.starts_with(own)));
    odd.filter_map(|option| {
        let one = slow.iter().find(|one| option.who == format!("osd.{}", one.osd.osd))?;
        let name = Subject::Osd(one.osd.osd);
        let mut found = one.suspect(phrase!("{} is slow, and {} is set for it alone", name, option.name.as_str()));
        found.subject = Subject::Setting { who: option.who.clone(), name: option.name.clone() };
        found.standing = Standing::Hint;
        found.fix = option.origin.as_ref().map(|_| AS_IT_RUNS.what);
        let default = option.default.as_deref().unwrap_or("another value");
        found.evidence.push(phrase!(
            "{} = {}; its twins have {}",
            option.name.as_str(),
            option.value.as_str(),
            default
        ));
        Some(found)
    })
    .collect()
}

/// Of the pairs that were written to, one with the OSD as the replica, and one with it as the primary: each as it is, then with the default.
fn in_turns_with_the_default(suspect: &Suspect, case: &Case) -> Vec<Step> {
    let found = || {
        let Subject::Setting { who, name } = &suspect.subject else { return None };
        if !name.starts_with(TRIED) {
            return None;
        }
        let option = case.set(name).find(|option| option.who == *who)?;
        let default = option.default.clone().filter(|_| option.at_runtime == Some(true) && option.origin.is_none())?;
        let pairs = case.record.plan.steps.iter().find(|step| step.in_turns)?;
        let id: u32 = who.strip_prefix("osd.")?.parse().ok()?;
        Some((format!("{who}/{name}"), default, pairs, id))
    };
    let Some((option, default, pairs, id)) = found() else { return Vec::new() };
    let with = |target: &Target, settings: BTreeMap<String, String>| Step {
        targets: vec![target.clone()],
        in_turns: false,
        workload: model::Workload { settings, ..pairs.workload.clone() },
        ..pairs.clone()
    };
    let chosen = [role(pairs, |_, replicas| replicas.contains(&id)), role(pairs, |primary, _| primary == id)];
    let both = |target: &Target| {
        [with(target, BTreeMap::new()), with(target, BTreeMap::from([(option.clone(), default.clone())]))]
    };
    chosen.into_iter().flatten().flat_map(both).collect()
}

fn role(pairs: &Step, wanted: impl Fn(u32, &[u32]) -> bool) -> Option<&Target> {
    pairs.targets.iter().find(|target| match &target.place {
        Place::Osd { osd, replicas, .. } => wanted(*osd, replicas),
        _ => false,
    })
}

/// Each pair of figures is one role: as it is, and with the default.
fn is_faster_with_it(_: &Suspect, entries: &[&Entry]) -> TestResult {
    let roles = entries.chunks_exact(2).map(|two| Some((two[0], two[1], retested(two[0], &two[1..])?)));
    let Some(roles) = roles.collect::<Option<Vec<_>>>().filter(|roles| !roles.is_empty()) else {
        return TestResult::Open("one of the figures has no value".into());
    };
    let said = |(own, _, found): &(&Entry, &Entry, judge::Retest)| {
        phrase!(
            "writes to {}: as it is {}, with the twins' value {}",
            own.figure.target.as_str(),
            Quantity::Measured { estimate: found.own, metric: found.metric },
            Quantity::Value { value: found.others, metric: found.metric }
        )
    };
    match roles.iter().find(|(.., found)| found.is_slower()) {
        Some(slower) => TestResult::Confirmed(said(slower)),
        // Alike: that may only mean that the OSD does not take it up while it runs.
        None => TestResult::Open(said(&roles[0])),
    }
}

/// What is only a hint explains nothing that is certain.
fn of_the_osd(cause: &Suspect, slow: &Suspect, _: &Case) -> bool {
    let Subject::Setting { who, .. } = &cause.subject else { return false };
    let sure = cause.standing == Standing::Confirmed || slow.standing == Standing::Hint;
    sure && *who == slow.subject.to_string()
}

fn of_the_option(cause: &Suspect, other: &Suspect, _: &Case) -> bool {
    cause.subject == other.subject
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::by_position_cases::*;
    use crate::diagnose::testing::made::Made;
    use crate::diagnose::testing_facts::{healthy, set};
    use judge::assess;
    use model::{Observation, Pattern, Workload};

    /// The suspects and the steps of their tests, if one option is set and osd.1 adds this.
    fn asked(adds: Adds, option: (&str, &str), at_runtime: bool) -> Vec<(String, usize)> {
        let mut facts = healthy();
        set(&mut facts, option.0, option.1, "20/20");
        let last = facts.cluster.options.as_mut().unwrap().last_mut().unwrap();
        (last.default, last.at_runtime) = (Some("1/5".into()), Some(at_runtime));
        let mut record = Made::cluster().record.with(Observation::Facts(Box::new(facts)));
        let target = |(osd, replica): (u32, u32)| {
            let place = Place::Osd { osd, pool: "p".into(), replicas: vec![replica] };
            Target::new(model::testing::osds(), format!("{osd} {replica}"), place)
        };
        let targets = [(0, 1), (1, 2), (2, 3)].map(target).to_vec();
        let workload = Workload::canonical(Pattern::WriteLatency, 1 << 19, 1);
        record.plan.steps.push(Step {
            in_turns: true,
            ..Step::new(9, model::testing::osds(), Pattern::WriteLatency, targets, workload)
        });
        let assessed = assess(&record);
        let positions = positions(|osd| if osd == 1 { adds } else { NOTHING });
        let case = Case { positions: Some(&positions), ..Case::of(&assessed) };
        let steps = |one: &Suspect| in_turns_with_the_default(one, &case).len();
        suspect(&case).iter().map(|one| (one.subject.to_string(), steps(one))).collect()
    }

    #[test]
    fn what_is_set_for_a_slow_osd_alone_is_tried_with_the_value_of_its_twins() {
        let wanted = ("osd.1/debug_osd".to_string(), 4);
        assert_eq!(asked(DEBUG_LOGGING, ("osd.1", "debug_osd"), true), [wanted]);
        // One that is read at the start can't be tried so.
        assert_eq!(asked(DEBUG_LOGGING, ("osd.1", "debug_osd"), false)[0].1, 0);
    }

    #[test]
    fn what_others_have_or_a_healthy_osd_has_or_is_set_for_each_is_not_suspected() {
        assert!(asked(NOTHING, ("osd.1", "debug_osd"), true).is_empty());
        assert!(asked(DEBUG_LOGGING, ("osd.2", "debug_osd"), true).is_empty());
        assert!(asked(DEBUG_LOGGING, ("osd", "debug_osd"), true).is_empty());
        assert!(asked(DEBUG_LOGGING, ("osd.1", "osd_memory_target"), true).is_empty());
    }

    #[test]
    fn nobody_is_suspected_where_nothing_is_known() {
        let record = Made::cluster().record;
        assert!(suspect(&Case::of(&assess(&record))).is_empty());
    }
}
