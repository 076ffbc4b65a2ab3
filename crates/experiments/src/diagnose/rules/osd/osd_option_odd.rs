//! A slow OSD with options that its twins do not have.

use super::by_position::{Slow, slow};
use super::{gains, osd_adds_time, osd_db_slow, osd_process_slow, osd_slow, osd_store_slow, osd_way_slow};
use crate::diagnose::rules::host::kern_debug_logging;
use crate::diagnose::rules::network::net_nodelay;
use crate::diagnose::{
    Area, Case, Explains, FactsPart, Fix, Rule, RuleTest, Source, Suspect, TestResult, Tried, facts, peers,
};
use judge::{Entry, Retest, retested};
use model::facts::SetOption;
use model::{Cost, Estimate, Gain, Phrase, Place, Quantity, Standing, Step, Subject, Target, phrase};
use std::collections::BTreeMap;

pub static RULE: Rule = Rule {
    id: "osd-option-odd",
    about: Area::Osd,
    what: "A slow OSD has options that its twins do not have.",
    why: "What differs between twins is the best hint there is.",
    evidence: "In writes between pairs of OSDs it adds at least 15 % of a usual write, by twice its 95 % interval, and in the monitors' database, or as it runs, an option is set for it that no \
               other OSD has. Only debug options and ms_inject_delay_probability in the database are tried, since no data and no service depend on them; all that are set for one OSD together, in one test. Not counted: what OSDs and orchestrators set for each OSD by itself (osd_mclock_max_capacity_iops_*, osd_memory_target, addresses, CRUSH \
               location).",
    sources: &["docs/method.md, \"By position\""],
    needs: &[Source::Positions, Source::Facts(FactsPart::Options)],
    suspect,
    test: Some(RuleTest {
        asks: "do its writes get faster with the values that its twins have, in turns with its own?",
        steps: in_turns_with_the_default,
        answer: is_faster_with_it,
        cost: cost_of_both_roles,
    }),
    explains: &[
        Explains { rule: &osd_process_slow::RULE, which: "that of the same OSD", follows: of_the_osd },
        Explains { rule: &osd_db_slow::RULE, which: "that of the same OSD", follows: of_the_osd },
        Explains { rule: &osd_store_slow::RULE, which: "that of the same OSD", follows: of_the_osd },
        Explains { rule: &osd_way_slow::RULE, which: "that of the same OSD", follows: of_the_osd },
        Explains { rule: &osd_adds_time::RULE, which: "that of the same OSD", follows: of_the_osd },
        Explains { rule: &osd_slow::RULE, which: "that of the same OSD", follows: of_the_osd },
        Explains { rule: &kern_debug_logging::RULE, which: "those of the same options", follows: of_the_option },
        Explains { rule: &net_nodelay::RULE, which: "that of the same option", follows: of_the_option },
    ],
    fix: FIX,
    risk: "what it was set for is lost; some options are read only when the daemon starts",
    special_fixes: &[&AS_IT_RUNS],
    confirm: "fathom prove WHO/OPTION=DEFAULT; an option that is read at the start needs a restart of that OSD in between",
    tried: Tried::Machines,
    ..Rule::USUAL
};

const FIX: &str = "ceph config rm WHO OPTION";
const AS_IT_RUNS: Fix = Fix {
    when: "it was set at run time (`ceph tell … config set`)",
    what: "ceph tell WHO config unset OPTION (or restart the OSD)",
};

/// These alone are tried while a cluster is diagnosed: whatever they are, no data and no service depend on them. Others may keep a sick OSD
/// alive, and are for a person to try (`fathom prove`). Of the options that delay messages the probability alone: an OSD looks at it for
/// each message, where the type counts for new connections only, and a longest delay of its default would be a second.
const TRIED: [&str; 2] = ["debug_", "ms_inject_delay_probability"];

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

/// Those that can be tried are suspected together, since one test with all of them takes as long as one with one.
fn suspect(case: &Case) -> Vec<Suspect> {
    let slow = slow(case);
    let of_osd = |one: &Slow| {
        let (tried, others): (Vec<&SetOption>, Vec<&SetOption>) =
            odd(case, one.osd.osd).into_iter().partition(|option| can_be_tried(option));
        let alone = others.into_iter().map(|option| vec![option]);
        let groups = (!tried.is_empty()).then_some(tried).into_iter().chain(alone);
        groups.map(|options| made(one, &options, case)).collect::<Vec<_>>()
    };
    slow.iter().flat_map(of_osd).collect()
}

/// Options that are set for this OSD, and for no other.
fn odd<'c>(case: &Case<'c>, osd: u32) -> Vec<&'c SetOption> {
    let options = case.cluster().options.as_deref().unwrap_or_default();
    let mut set: BTreeMap<&str, Vec<&SetOption>> = BTreeMap::new();
    options
        .iter()
        .filter(|option| option.who.starts_with("osd."))
        .for_each(|option| set.entry(&option.name).or_default().push(option));
    let odd = set.into_values().filter_map(|who| <[&SetOption; 1]>::try_from(who).ok().map(|[only]| only));
    let odd = odd.filter(|option| option.origin.as_deref().is_none_or(|origin| origin == "override"));
    let odd = odd.filter(|option| !OWN.iter().any(|own| option.name.starts_with(own)));
    odd.filter(|option| option.who == format!("osd.{osd}")).collect()
}

fn can_be_tried(option: &SetOption) -> bool {
    let known = option.default.is_some() && option.at_runtime == Some(true) && option.origin.is_none();
    known && TRIED.iter().any(|tried| option.name.starts_with(tried))
}

fn made(slow: &Slow, options: &[&SetOption], case: &Case) -> Suspect {
    let osd = Subject::Osd(slow.osd.osd);
    let names: Vec<&str> = options.iter().map(|option| option.name.as_str()).collect();
    let (names, are) = match names.as_slice() {
        [only] => (only.to_string(), "is"),
        [first @ .., last] => (format!("{} and {last}", first.join(", ")), "are"),
        [] => (String::new(), "are"),
    };
    let mut found = slow.suspect(phrase!("{} is slow, and {} {} set for it alone", osd.clone(), names, are), case);
    found.standing = Standing::Hint;
    let setting = |option: &&SetOption| Subject::Setting { who: option.who.clone(), name: option.name.clone() };
    found.subject = match options {
        [only] => setting(only),
        _ => osd,
    };
    let fixes = options.iter().map(|option| {
        let fix = if option.origin.is_some() { AS_IT_RUNS.what } else { FIX };
        facts::filled_in(fix, &setting(option))
    });
    found.fix = Some(fixes.collect::<Vec<_>>().join("; "));
    found.evidence.extend(options.iter().map(|option| {
        let default = option.default.as_deref().unwrap_or("another value");
        phrase!("{} = {}; its twins have {}", option.name.as_str(), option.value.as_str(), default)
    }));
    found
}

/// The OSD, and the options that are suspected together.
fn suspected<'c>(suspect: &Suspect, case: &Case<'c>) -> Option<(u32, Vec<&'c SetOption>)> {
    let osd = osd_of(suspect)?;
    let all = odd(case, osd).into_iter();
    let own = |option: &&SetOption| match &suspect.subject {
        Subject::Setting { name, .. } => option.name == *name,
        _ => can_be_tried(option),
    };
    Some((osd, all.filter(own).collect()))
}

fn osd_of(suspect: &Suspect) -> Option<u32> {
    match &suspect.subject {
        Subject::Setting { who, .. } => who.strip_prefix("osd.")?.parse().ok(),
        Subject::Osd(osd) => Some(*osd),
        _ => None,
    }
}

/// Of the pairs that were written to one with it as the replica, and one with it as the primary: each as it is, then with all defaults.
fn in_turns_with_the_default(suspect: &Suspect, case: &Case) -> Vec<Step> {
    let found = || {
        let (osd, options) = suspected(suspect, case)?;
        let pairs = case.record.plan.steps.iter().find(|step| step.in_turns)?;
        let default = |option: &&SetOption| {
            let value = option.default.clone().filter(|_| can_be_tried(option))?;
            Some((format!("{}/{}", option.who, option.name), value))
        };
        let defaults = options.iter().map(default).collect::<Option<BTreeMap<String, String>>>()?;
        Some((osd, defaults, pairs))
    };
    let Some((osd, defaults, pairs)) = found().filter(|(_, defaults, _)| !defaults.is_empty()) else {
        return Vec::new();
    };
    let with = |target: &Target, settings: BTreeMap<String, String>| Step {
        targets: vec![target.clone()],
        in_turns: false,
        workload: model::Workload { settings, ..pairs.workload.clone() },
        ..pairs.clone()
    };
    let chosen = [role(pairs, |_, replicas| replicas.contains(&osd)), role(pairs, |primary, _| primary == osd)];
    let both = |target: &Target| [with(target, BTreeMap::new()), with(target, defaults.clone())];
    chosen.into_iter().flatten().flat_map(both).collect()
}

fn role(pairs: &Step, wanted: impl Fn(u32, &[u32]) -> bool) -> Option<&Target> {
    pairs.targets.iter().find(|target| match &target.place {
        Place::Osd { osd, replicas, .. } => wanted(*osd, replicas),
        _ => false,
    })
}

/// Of each role: the figure as it is, and what it is against that with the default. `None`: one of them has no value.
fn roles<'e>(entries: &[&'e Entry<'e>]) -> Option<Vec<(&'e Entry<'e>, Retest)>> {
    let one = |two: &[&'e Entry<'e>]| Some((two[0], retested(two[0], &two[1..])?));
    entries.chunks_exact(2).map(one).collect::<Option<Vec<_>>>().filter(|roles| !roles.is_empty())
}

fn is_faster_with_it(suspect: &Suspect, entries: &[&Entry]) -> TestResult {
    let Some(roles) = roles(entries) else {
        return TestResult::Open("one of the figures has no value".into());
    };
    let all = match suspect.subject {
        Subject::Osd(_) => "the twins' values of all of them together",
        _ => "the twins' value",
    };
    let said = |(own, found): &(&Entry, Retest)| {
        phrase!(
            "writes to {}: as it is {}, with {} {}",
            own.figure.target.as_str(),
            Quantity::Measured { estimate: found.own, metric: found.metric },
            all,
            Quantity::Measured { estimate: found.others, metric: found.metric }
        )
    };
    match roles.iter().find(|(_, found)| found.is_slower()) {
        Some(slower) => TestResult::Confirmed(said(slower)),
        // Alike: that may only mean that the OSD does not take it up while it runs.
        None => TestResult::Open(Phrase::joined(roles.iter().map(said), "; ")),
    }
}

/// What either role gained, as it was measured; and of all writes the part in which it has these roles.
fn cost_of_both_roles(suspect: &Suspect, entries: &[&Entry], case: &Case) -> Option<Cost> {
    let all = case.positions?;
    let osd = all.osds.iter().find(|osd| Some(osd.osd) == osd_of(suspect))?;
    let roles = roles(entries)?;
    let gained = |(own, found): &(&Entry, Retest)| {
        let of = phrase!("writes to {}", own.figure.target.as_str());
        Some(Gain { of, ..peers::gain(own, found)? })
    };
    let mut gains: Vec<Gain> = roles.iter().filter(|(_, found)| found.is_slower()).filter_map(gained).collect();
    if roles.len() == 2 {
        let share = 1.0 / all.osds.len() as f64;
        let less: f64 = roles.iter().map(|(_, found)| found.own.value - found.others.value).sum();
        let errors = roles.iter().flat_map(|(_, found)| [found.own.half_width(), found.others.half_width()]);
        let half = errors.map(|half| half.powi(2)).sum::<f64>().sqrt();
        gains.extend(gains::of_all(Estimate::new(less * share, half * share), 0.0, all));
    }
    (!gains.is_empty()).then_some(Cost { gains, until: gains::next(&[osd], case)? })
}

/// What is only a hint explains nothing that is certain.
fn of_the_osd(cause: &Suspect, slow: &Suspect, _: &Case) -> bool {
    let sure = cause.standing == Standing::Confirmed || slow.standing == Standing::Hint;
    sure && osd_of(cause).is_some_and(|osd| slow.subject == Subject::Osd(osd))
}

fn of_the_option(cause: &Suspect, other: &Suspect, case: &Case) -> bool {
    let Subject::Setting { who, name } = &other.subject else { return false };
    let options = suspected(cause, case).map(|(_, options)| options).unwrap_or_default();
    options.iter().any(|option| option.who == *who && option.name == *name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::by_position_cases::*;
    use crate::diagnose::testing::made::Made;
    use crate::diagnose::testing::text;
    use crate::diagnose::testing_facts::{healthy, set};
    use judge::assess;
    use model::{Observation, Pattern, Workload};

    /// The suspects and the steps of their tests, if these options are set and osd.1 adds this.
    fn asked_of<T>(
        adds: Adds,
        options: &[(&str, &str)],
        at_runtime: bool,
        ask: impl Fn(&Suspect, &Case) -> T,
    ) -> Vec<T> {
        let mut facts = healthy();
        for (who, name) in options {
            set(&mut facts, who, name, "20/20");
            let last = facts.cluster.options.as_mut().unwrap().last_mut().unwrap();
            (last.default, last.at_runtime) = (Some("1/5".into()), Some(at_runtime));
        }
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
        suspect(&case).iter().map(|one| ask(one, &case)).collect()
    }

    fn asked(adds: Adds, option: (&str, &str), at_runtime: bool) -> Vec<(String, usize)> {
        let steps = |one: &Suspect, case: &Case| (one.subject.to_string(), in_turns_with_the_default(one, case).len());
        asked_of(adds, &[option], at_runtime, steps)
    }

    #[test]
    fn several_options_of_one_osd_are_one_suspect_and_one_test() {
        let options = ["debug_osd", "debug_ms", "debug_bluestore"].map(|name| ("osd.1", name));
        let told = asked_of(DEBUG_LOGGING, &options, true, |one, case| {
            let steps = in_turns_with_the_default(one, case);
            let set: Vec<usize> = steps.iter().map(|step| step.workload.settings.len()).collect();
            (one.subject.to_string(), text(&one.says), one.fix.clone().unwrap(), set)
        });
        let [(subject, says, fix, set)] = &told[..] else { panic!("{told:?}") };
        assert_eq!((subject.as_str(), set.as_slice()), ("osd.1", &[0, 3, 0, 3][..]));
        assert_eq!(says, "osd.1 is slow, and debug_bluestore, debug_ms and debug_osd are set for it alone");
        let wanted =
            "ceph config rm osd.1 debug_bluestore; ceph config rm osd.1 debug_ms; ceph config rm osd.1 debug_osd";
        assert_eq!(fix, wanted);
        let explained = asked_of(DEBUG_LOGGING, &options, true, |one, case| {
            let of = |who: &str, name: &str| {
                let subject = Subject::Setting { who: who.into(), name: name.into() };
                of_the_option(one, &Suspect { subject, ..one.clone() }, case)
            };
            [of("osd.1", "debug_ms"), of("osd.1", "debug_rocksdb"), of("osd.2", "debug_ms")]
        });
        assert_eq!(explained, [[true, false, false]]);
    }

    #[test]
    fn what_may_not_be_tried_is_a_suspect_of_its_own() {
        let options = ["debug_osd", "osd_op_complaint_time", "debug_ms"].map(|name| ("osd.1", name));
        let steps = |one: &Suspect, case: &Case| (one.subject.to_string(), in_turns_with_the_default(one, case).len());
        let wanted = [("osd.1".to_string(), 4), ("osd.1/osd_op_complaint_time".to_string(), 0)];
        assert_eq!(asked_of(DEBUG_LOGGING, &options, true, steps), wanted);
        // With a longest delay of its default, and the probability as it is, each message would wait for up to a second.
        let delays = ["ms_inject_delay_max", "ms_inject_delay_probability"].map(|name| ("osd.1", name));
        let wanted =
            [("osd.1/ms_inject_delay_probability".to_string(), 4), ("osd.1/ms_inject_delay_max".to_string(), 0)];
        assert_eq!(asked_of(DEBUG_LOGGING, &delays, true, steps), wanted);
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
