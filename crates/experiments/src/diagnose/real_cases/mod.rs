//! Fifteen published cases, as what Fathom could have read there: what it tells first, and whether that is the published cause.

mod sites;
mod stories;

use super::{Area, RULES, audit};
use crate::explain;
use model::facts::Facts;
use model::{Record, Standing};
use std::path::Path;

/// A case as it was published.
struct Story {
    name: &'static str,
    /// Its cause, and what its mend brought.
    published: &'static str,
    source: &'static str,
    /// What of it can be read on the site.
    read: &'static str,
    site: fn(Cause) -> Site,
    /// Rules that name this cause.
    rules: &'static [&'static str],
    claim: Claim,
}

/// Is it there, or mended as was published?
#[derive(Clone, Copy, PartialEq)]
enum Cause {
    There,
    Mended,
}

/// What there was to look at.
#[allow(clippy::large_enum_variant)] // fifteen of them, in a test
enum Site {
    Facts(Facts),
    UnderLoad(Record),
}

enum Claim {
    First,
    /// What is slow is named first, but not why; it does not count.
    InPart(&'static str),
    /// It is told, and after what.
    Later(&'static str),
    NotTold(&'static str),
}

/// A finding: the rule, its area, how sure it is.
struct Told {
    id: String,
    of_state: bool,
    standing: Standing,
}

impl Story {
    fn told(&self, cause: Cause) -> Vec<Told> {
        let findings: Vec<_> = match (self.site)(cause) {
            Site::Facts(facts) => audit(facts).hints.into_iter().map(|hint| hint.finding).collect(),
            Site::UnderLoad(record) => explain(&record).findings,
        };
        let told = |finding: model::Finding| {
            let rule = RULES.iter().find(|rule| rule.id == finding.id);
            let of_state = rule.is_some_and(|rule| rule.about == Area::State);
            Told { id: finding.id, of_state, standing: finding.standing }
        };
        findings.into_iter().map(told).collect()
    }

    /// What goes on in a cluster is told apart from, and above, what may be the cause of it; unless it is the published cause itself.
    fn first<'t>(&self, told: &'t [Told]) -> Option<&'t str> {
        let state = self.rules.iter().any(|id| id.starts_with("st-"));
        told.iter().find(|one| state || !one.of_state).map(|one| one.id.as_str())
    }

    fn names(&self, id: &str) -> bool {
        self.rules.contains(&id)
    }
}

fn first_told() -> usize {
    stories::ALL.iter().filter(|story| matches!(story.claim, Claim::First)).count()
}

#[test]
fn of_fifteen_published_causes_at_least_twelve_are_told_first() {
    assert_eq!(stories::ALL.len(), 15);
    assert!(first_told() >= 12, "{}", first_told());
    for story in stories::ALL {
        let told = story.told(Cause::There);
        let ids: Vec<&str> = told.iter().map(|one| one.id.as_str()).collect();
        let first = story.first(&told);
        let found = ids.iter().any(|id| story.names(id));
        match story.claim {
            Claim::First | Claim::InPart(_) => {
                assert!(first.is_some_and(|id| story.names(id)), "{}: {ids:?}", story.name)
            }
            Claim::Later(_) => {
                assert!(found && !first.is_some_and(|id| story.names(id)), "{}: {ids:?}", story.name)
            }
            Claim::NotTold(_) => assert!(!found, "{}: {ids:?}", story.name),
        }
    }
}

#[test]
fn where_the_cause_was_mended_it_is_told_no_more() {
    for story in stories::ALL.iter().filter(|story| !matches!(story.claim, Claim::NotTold(_))) {
        let told: Vec<String> = story.told(Cause::Mended).into_iter().map(|one| one.id).collect();
        assert!(!told.iter().any(|id| story.names(id)), "{}: {told:?}", story.name);
    }
}

#[test]
fn nothing_but_a_state_is_confirmed_where_no_experiment_was_made() {
    for story in stories::ALL {
        let sure = story.told(Cause::There).into_iter();
        let sure = sure.filter(|one| one.standing == Standing::Confirmed && !one.of_state);
        let ids: Vec<String> = sure.map(|one| one.id).collect();
        assert!(ids.is_empty(), "{}: {ids:?}", story.name);
    }
}

#[test]
fn every_rule_that_is_claimed_exists_and_every_story_says_its_source() {
    for story in stories::ALL {
        let known = |id: &&str| RULES.iter().any(|rule| rule.id == *id);
        let claimed = !matches!(story.claim, Claim::NotTold(_));
        assert!(!claimed || story.rules.iter().all(known), "{}: {:?}", story.name, story.rules);
        let words = [story.published, story.source, story.read];
        assert!(words.iter().all(|words| words.len() > 10), "{}", story.name);
    }
}

/// `UPDATE_GOLDEN=1 cargo test -p experiments real_cases` writes it anew.
#[test]
fn the_document_is_made_of_the_stories() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/real-cases.md");
    let document = document();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        assert!(std::fs::write(&path, &document).is_ok(), "docs can be written");
    }
    let stands = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stands == document, "docs/real-cases.md is not as the stories are: UPDATE_GOLDEN=1 writes it anew");
}

const HEAD: &str = "# Fifteen real cases

Made of `crates/experiments/src/diagnose/real_cases/`; a test holds it. Each is a published story of a slow cluster. Its site is made anew as facts: what the story tells of it is set,
all else is as in a healthy cluster of its kind and size. Then every rule looks, as it does in `fathom audit`, or, where counters under load are part of the story, in `fathom diagnose`.

No machine of this project ever was such a site: that a rule names the cause in made facts does not show that its threshold is right, only that nothing else is told before it. All
findings here are hints; a test demands that none is *confirmed* without an experiment, and that the cause is told no more where it was mended as published. What goes on in the
cluster (recovery, flags) is told apart, above the causes, and counts as the first only where it is the published cause.
";

fn document() -> String {
    let rows: String = (1..).zip(stories::ALL).map(|(number, story)| row(number, story)).collect();
    let table = format!(
        "| | case | published cause | what is read there | told first | is it the cause? |\n|---|---|---|---|---|---|\n{rows}"
    );
    let sources: String = (1..)
        .zip(stories::ALL)
        .map(|(number, story): (usize, &Story)| format!("{number}. {}\n", story.source))
        .collect();
    format!(
        "{HEAD}\nThe published cause is told first in {} of {}.\n\n{table}\n## Sources\n{sources}",
        first_told(),
        stories::ALL.len()
    )
}

fn row(number: usize, story: &Story) -> String {
    let told = story.told(Cause::There);
    let first = story.first(&told).map_or("nothing".to_string(), |id| format!("`{id}`"));
    let claim = match story.claim {
        Claim::First => "yes".to_string(),
        Claim::InPart(why) => format!("in part: {why}"),
        Claim::Later(why) | Claim::NotTold(why) => format!("no: {why}"),
    };
    format!("| {number} | {} | {} | {} | {first} | {claim} |\n", story.name, story.published, story.read)
}
