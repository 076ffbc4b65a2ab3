//! What would confirm a suspect, in words for a person: with its names, and with no comparison that can't answer.

use super::facts::filled_in;
use super::{Case, Rule};
use crate::{harmful_options, lasting_options};
use model::Subject;

/// In place of a comparison of an option with itself, slice beside slice.
const BEFORE_AND_AFTER: &str = "fathom run before and after the change, then fathom compare";
/// Where a rule names the option of its suspect.
const OWN: &str = "WHO/";

/// Without a full stop.
pub fn to_be_certain(rule: &Rule, subject: &Subject, case: &Case) -> String {
    of(&rule.to_be_certain(), subject, case)
}

/// The same where no test of Fathom's own can be made.
pub fn by_hand(rule: &Rule, subject: &Subject, case: &Case) -> String {
    of(rule.confirm, subject, case)
}

/// With a full stop, or as the question that it is.
pub fn as_sentence(rule: &Rule, subject: &Subject, case: &Case) -> String {
    of(&rule.confirmed_by(), subject, case)
}

fn of(text: &str, subject: &Subject, case: &Case) -> String {
    let clause = |clause: &str| match clause.split_once(OWN) {
        Some((_, option)) if !can_be_tried(option, subject, case) => {
            let end = if clause.ends_with('.') { "." } else { "" };
            format!("{BEFORE_AND_AFTER}{end}")
        }
        Some(_) => loading(clause, subject),
        None => clause.to_string(),
    };
    let clauses: Vec<String> = text.split("; ").map(clause).collect();
    filled_in(&clauses.join("; "), subject)
}

/// `option` begins with its name, or with OPTION. What a run refuses to try (`run/src/sides.rs`), and what shows nothing where it is tried.
fn can_be_tried(option: &str, subject: &Subject, case: &Case) -> bool {
    let Subject::Setting { who, name } = subject else { return true };
    let name = match option.split_once('=').map(|(written, _)| written) {
        Some(written) if written != "OPTION" => written,
        _ => name,
    };
    let masked = who.contains('/');
    // What is set closer to the daemon counts more than what is tried, in the monitors' database.
    let closer = case.set(name).any(|set| set.who == *who && set.origin.is_some());
    !masked && !closer && harmful_options::why(name, false).is_none() && lasting_options::why(name).is_none()
}

/// `fathom run` loads neither gateways nor, in every cluster, metadata servers.
fn loading(clause: &str, subject: &Subject) -> String {
    let Subject::Setting { who, name } = subject else { return clause.to_string() };
    let command = match (who.split('.').next(), name.as_str()) {
        _ if who.starts_with("client.rgw") || name == "debug_rgw" => "fathom object --s3-url URL",
        (Some("mds"), _) | (_, "debug_mds") => "fathom file --cephfs NAME",
        _ => "fathom run",
    };
    clause.replace("fathom run", command)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::RULES;
    use crate::diagnose::testing_facts::{healthy, set, set_closer};
    use judge::assess;
    use model::facts::Facts;
    use model::{Observation, Record};

    fn said(id: &str, who: &str, name: &str, change: impl FnOnce(&mut Facts)) -> String {
        let rule = RULES.iter().find(|rule| rule.id == id).unwrap();
        let mut facts = healthy();
        change(&mut facts);
        let record = Record::default().with(Observation::Facts(Box::new(facts)));
        let subject = Subject::Setting { who: who.into(), name: name.into() };
        to_be_certain(rule, &subject, &Case::of(&assess(&record)))
    }

    #[test]
    fn a_comparison_names_the_option_and_loads_what_reads_it() {
        let of = |who: &str, name: &str| said("kern-debug-logging", who, name, |_| ());
        assert!(of("osd", "debug_osd").starts_with("fathom run --ab option:osd/debug_osd=1/5"));
        assert!(
            of("client.rgw.a", "debug_ms").starts_with("fathom object --s3-url URL --ab option:client.rgw.a/debug_ms")
        );
        assert!(of("global", "debug_rgw").starts_with("fathom object "));
        assert!(of("mds", "debug_mds").starts_with("fathom file --cephfs NAME --ab option:mds/debug_mds=1/5"));
    }

    #[test]
    fn what_a_run_refuses_or_can_not_show_is_measured_before_and_after() {
        let words = |who: &str, name: &str| said("kern-debug-logging", who, name, |_| ()) == BEFORE_AND_AFTER;
        assert!(words("osd/class:ssd", "debug_osd") && words("osd/host:b", "debug_osd") && !words("osd", "debug_osd"));
        let odd = |name: &str| said("osd-option-odd", "osd.1", name, |_| ());
        assert!(odd("debug_osd").starts_with("fathom prove osd.1/debug_osd=DEFAULT; "));
        assert!(odd("osd_max_object_size").starts_with(BEFORE_AND_AFTER), "it can cost data");
        assert!(odd("bluestore_cache_size").starts_with(BEFORE_AND_AFTER), "caches take longer");
    }

    #[test]
    fn what_is_set_closer_to_the_daemon_is_not_tried_in_the_database() {
        let of = |origin: Option<&str>| {
            said("kern-debug-logging", "osd.0", "debug_osd", |facts| match origin {
                Some(origin) => set_closer(facts, "osd.0", "debug_osd", "20/20", origin),
                None => set(facts, "osd.0", "debug_osd", "20/20"),
            })
        };
        assert!(of(None).contains("--ab option:osd.0/debug_osd"));
        assert_eq!([of(Some("file")), of(Some("env")), of(Some("override"))], [BEFORE_AND_AFTER; 3]);
    }
}
