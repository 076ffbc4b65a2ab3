//! How much memory an OSD aims at, and who keeps that as it is.

use super::facts::{filled_in, number, on};
use super::{Case, Fix, origins};
use model::Subject;
use model::facts::{OsdFacts, SetOption};

const OPTION: &str = "osd_memory_target";
/// Ceph's default.
const DEFAULT: f64 = 4_294_967_296.0;
/// Of the special mends of rules about this target.
pub const TUNED: &str = "cephadm sets the target by itself (osd_memory_target_autotune is on)";

/// Bytes; `None`: what is set is not known.
pub fn target(case: &Case, osd: &OsdFacts) -> Option<f64> {
    case.cluster().options.as_ref()?;
    let set = || running(case, osd).or_else(|| in_database(case, osd, OPTION));
    Some(set().and_then(number).unwrap_or(DEFAULT))
}

/// Does cephadm compute it anew every few minutes? `who` is set in the monitors' database, which is where cephadm writes.
pub fn is_tuned(case: &Case, who: &str) -> bool {
    // Without the module the option does nothing.
    let no_module =
        case.cluster().manager_modules.as_ref().is_some_and(|all| !all.iter().any(|name| name == "cephadm"));
    let osd = case.osds().iter().find(|osd| who == format!("osd.{}", osd.id));
    let set = match osd {
        Some(osd) => in_database(case, osd, AUTOTUNE),
        None => [who, "osd", "global"].into_iter().find_map(|who| set_for(case, who, AUTOTUNE)),
    };
    !no_module && set.is_some_and(on)
}

const AUTOTUNE: &str = "osd_memory_target_autotune";

/// In place of a rule's own mend, where the targets of these OSDs are not set by `ceph config set`; `tuned`: where cephadm sets them.
pub fn mend(case: &Case, osds: &[&OsdFacts], tuned: &Fix) -> Option<String> {
    let closer = osds.iter().find_map(|osd| running(case, osd)).and_then(|option| {
        let subject = Subject::Setting { who: option.who.clone(), name: option.name.clone() };
        Some(filled_in(origins::mend(option)?, &subject))
    });
    let by_cephadm = || osds.iter().any(|osd| is_tuned(case, &format!("osd.{}", osd.id)));
    closer.or_else(|| by_cephadm().then(|| tuned.what.to_string()))
}

/// What counts more than the database. Of one OSD all is told, of others what differs from that: what stands in its file, environment or
/// command line counts for those of which nothing is told.
fn running<'c>(case: &Case<'c>, osd: &OsdFacts) -> Option<&'c SetOption> {
    let of =
        |id: u32| case.set(OPTION).find(move |option| option.origin.is_some() && option.who == format!("osd.{id}"));
    let asked = case.osds().iter().filter(|osd| osd.up == Some(true)).map(|osd| osd.id).min();
    let shared = || of(asked?).filter(|option| option.origin.as_deref() != Some("override"));
    of(osd.id).or_else(shared)
}

/// Ceph takes what is set for fewer: a host is less than a class (`MaskedOption::get_precision`).
fn in_database<'c>(case: &Case<'c>, osd: &OsdFacts, name: &str) -> Option<&'c SetOption> {
    let class = osd.class.as_ref().map(|class| format!("osd/class:{class}"));
    let all = [Some(format!("osd.{}", osd.id)), Some(format!("osd/host:{}", osd.host)), class];
    let all = all.into_iter().flatten().chain(["osd".to_string(), "global".to_string()]);
    { all }.find_map(|who| set_for(case, &who, name))
}

fn set_for<'c>(case: &Case<'c>, who: &str, name: &str) -> Option<&'c SetOption> {
    case.set(name).find(|option| option.origin.is_none() && option.who == who)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::{healthy, set, set_closer};
    use judge::assess;
    use model::facts::Facts;
    use model::{Observation, Record};

    fn with<T>(change: impl FnOnce(&mut Facts), look: impl FnOnce(&Case) -> T) -> T {
        let mut facts = healthy();
        change(&mut facts);
        let record = Record::default().with(Observation::Facts(Box::new(facts)));
        look(&Case::of(&assess(&record)))
    }

    fn targets(change: impl FnOnce(&mut Facts)) -> Vec<Option<f64>> {
        with(change, |case| case.osds().iter().map(|osd| target(case, osd)).collect())
    }

    #[test]
    fn what_is_set_for_fewer_counts_more() {
        let all = targets(|facts| {
            set(facts, "global", OPTION, "1G");
            set(facts, "osd/class:ssd", OPTION, "2G");
            set(facts, "osd/host:b", OPTION, "3G");
            set(facts, "osd.3", OPTION, "5G");
        });
        let gib = [2.0, 2.0, 3.0, 5.0, 2.0, 2.0];
        assert_eq!(all, gib.map(|gib| Some(gib * 1_073_741_824.0)));
        assert_eq!(targets(|_| ())[0], Some(DEFAULT));
        assert_eq!(targets(|facts| facts.cluster.options = None)[0], None);
    }

    #[test]
    fn what_the_asked_osd_has_from_its_pod_counts_for_all_that_say_nothing_else() {
        let all = targets(|facts| {
            set(facts, "osd", OPTION, "8000");
            set_closer(facts, "osd.0", OPTION, "6000", "env");
            set_closer(facts, "osd.4", OPTION, "5000", "env");
        });
        assert_eq!(all, [6000.0, 6000.0, 6000.0, 6000.0, 5000.0, 6000.0].map(Some));
        // Set as one daemon runs, or for another one than the first that was asked: that one alone.
        let one = |who: &'static str, origin: &'static str| {
            targets(|facts| {
                set(facts, "osd", OPTION, "8000");
                set_closer(facts, who, OPTION, "6000", origin)
            })
        };
        assert_eq!(one("osd.0", "override")[..2], [Some(6000.0), Some(8000.0)]);
        assert_eq!(one("osd.2", "file")[..3], [Some(8000.0), Some(8000.0), Some(6000.0)]);
    }

    #[test]
    fn cephadm_tunes_those_for_which_it_is_told_to() {
        let tuned = |who: &str, modules: Option<Vec<String>>, change: fn(&mut Facts)| {
            let change = |facts: &mut Facts| {
                facts.cluster.manager_modules = modules;
                change(facts)
            };
            with(change, |case| is_tuned(case, who))
        };
        let cephadm = || Some(vec!["cephadm".to_string()]);
        let on_for_all = |facts: &mut Facts| set(facts, "osd", AUTOTUNE, "true");
        assert!(tuned("osd", cephadm(), on_for_all) && tuned("osd/host:b", None, on_for_all));
        assert!(!tuned("osd", Some(vec![]), on_for_all) && !tuned("osd", cephadm(), |_| ()));
        let off_for_host = |facts: &mut Facts| {
            set(facts, "osd", AUTOTUNE, "true");
            set(facts, "osd/host:b", AUTOTUNE, "false")
        };
        assert!(!tuned("osd/host:b", cephadm(), off_for_host) && !tuned("osd.2", cephadm(), off_for_host));
        assert!(tuned("osd.0", cephadm(), off_for_host));
    }
}
