//! What holds of every rule: it is whole, it is registered once, it names no cause where nothing is known, and docs/rules.md is made of it.

use experiments::diagnose::{Area, Explains, Fix, RULES, Rule, Tried};
use experiments::{harmful_options, lasting_options};
use model::Record;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/diagnose/rules")
}

fn file(rule: &Rule) -> String {
    rule.id.replace('-', "_")
}

#[test]
fn every_rule_has_an_id_of_its_own_words_a_fix_and_a_risk() {
    let ids: BTreeSet<&str> = RULES.iter().map(|rule| rule.id).collect();
    assert_eq!(ids.len(), RULES.len());
    for rule in RULES {
        assert!(rule.test.as_ref().is_none_or(|test| test.asks.ends_with('?')), "{}", rule.id);
        let words = [rule.what, rule.evidence, rule.fix, rule.risk];
        assert!(
            rule.test.is_some() || rule.confirm.len() > 10,
            "{} says no measurement that would confirm it",
            rule.id
        );
        let special = rule.special_fixes.iter().flat_map(|fix| [fix.when, fix.what]);
        let words = words.into_iter().chain(special).chain(rule.sources.iter().copied());
        assert!({ words }.all(|words| words.len() > 10 && words.trim() == words), "{}", rule.id);
        assert!(!rule.sources.is_empty() && !rule.needs.is_empty(), "{}", rule.id);
        assert!(rule.id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), "{}", rule.id);
    }
}

/// A rule that told a fault of a lab first has been tried.
#[test]
fn what_was_found_in_a_lab_is_told_as_tried() {
    let causes = fs::read_to_string(folder().join("../../../../../docs/causes.md")).unwrap();
    let table = causes.lines().filter(|line| line.contains("  ") && !line.starts_with("with a rule"));
    let told: Vec<&Rule> = table
        .filter(|line| {
            line.split_whitespace().nth(2).is_some_and(|first| first.parse::<u32>().is_ok_and(|first| first > 0))
        })
        .filter_map(|line| {
            RULES.iter().copied().find(|rule| line.trim_end_matches(" (hint)").ends_with(&format!("  {}", rule.id)))
        })
        .collect();
    assert!(told.len() > 20, "{}", told.len());
    let untried: Vec<&str> = told.iter().filter(|rule| rule.tried != Tried::Machines).map(|rule| rule.id).collect();
    assert!(untried.is_empty(), "{untried:?}");
}

/// Options and flags that Ceph takes by another name, or not at all.
#[test]
fn no_fix_has_a_command_that_ceph_does_not_know() {
    for rule in RULES {
        let special = rule.special_fixes.iter().map(|fix| fix.what);
        for fix in special.chain([rule.fix]) {
            let wrong =
                ["osd pool unset", "allow_ec_optimizations on", "osd unset pauserd", "osd unset pausewr"].into_iter();
            let found: Vec<&str> = wrong.filter(|command| fix.contains(command)).collect();
            assert!(found.is_empty(), "{}: {found:?}", rule.id);
        }
    }
}

/// The options that its confirm line tries slice beside slice: those that it writes, else all that its file names as settings. Which ones
/// `osd-option-odd` finds is not known before, and is looked at then.
fn tried(rule: &Rule) -> Vec<String> {
    let (area, name) = (rule.about.name(), file(rule));
    let text = fs::read_to_string(folder().join(area).join(format!("{name}.rs"))).unwrap();
    let code = text.split("#[cfg(test)]").next().unwrap();
    let of_file = || {
        let quoted = code.split('"').skip(1).step_by(2).filter(|_| code.contains("of_settings("));
        let option = |text: &&str| text.contains('_') && text.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        quoted.filter(option).map(str::to_string).collect::<Vec<_>>()
    };
    let commands = ["--ab option:", "fathom prove "].into_iter();
    let words =
        commands.flat_map(|command| rule.confirm.split(command).skip(1)).filter_map(|rest| rest.split(' ').next());
    let options = words.filter_map(|word| word.split_once('/')?.1.split('=').next());
    options.flat_map(|option| if option == "OPTION" { of_file() } else { vec![option.to_string()] }).collect()
}

#[test]
fn what_a_confirm_line_tries_in_turns_is_neither_refused_nor_lasts_longer_than_a_slice() {
    let all: Vec<(&str, String)> =
        RULES.iter().flat_map(|rule| tried(rule).into_iter().map(|option| (rule.id, option))).collect();
    assert!(all.len() > 15, "{all:?}");
    for (id, option) in &all {
        assert_eq!(harmful_options::why(option, false), None, "{id}: no run tries {option}");
        assert_eq!(lasting_options::why(option), None, "{id}: slices do not show {option}");
    }
    let unread = |rule: &&&Rule| tried(rule).iter().any(|option| option.starts_with("rgw_"));
    let unread =
        RULES.iter().filter(unread).filter(|rule| !rule.confirm.contains("fathom object --s3-url URL --ab option:"));
    assert_eq!(unread.map(|rule| rule.id).collect::<Vec<_>>(), [""; 0], "fathom run loads no gateway");
}

#[test]
fn every_rule_is_a_file_with_tests_and_one_line_of_the_list() {
    let list = fs::read_to_string(folder().join("mod.rs")).unwrap();
    for rule in RULES {
        let (area, name) = (rule.about.name(), file(rule));
        let text = fs::read_to_string(folder().join(area).join(format!("{name}.rs"))).unwrap();
        assert_eq!(list.matches(&format!("&{area}::{name}::RULE,")).count(), 1, "{}", rule.id);
        // It fires, it does not, and it does not where something is missing.
        let least = if rule.of_facts() { 3 } else { 2 };
        assert!(text.matches("#[test]").count() >= least, "{}", rule.id);
    }
}

#[test]
fn no_rule_is_by_way_of_others_its_own_consequence() {
    fn reached(rule: &Rule, path: &[&str]) {
        assert!(!path.contains(&rule.id), "{} → {}", path.join(" → "), rule.id);
        let path = [path, &[rule.id]].concat();
        // Of one rule, suspects of one kind may explain those of another.
        for other in rule.explains.iter().map(|arrow| arrow.rule).filter(|other| other.id != rule.id) {
            assert!(RULES.iter().any(|known| known.id == other.id), "{} is in no list", other.id);
            reached(other, &path);
        }
    }
    RULES.iter().for_each(|rule| reached(rule, &[]));
}

#[test]
fn where_nothing_is_known_no_cause_is_named() {
    assert_eq!(experiments::explain(&Record::default()).findings, []);
}

/// `UPDATE_GOLDEN=1 cargo test -p experiments --test rules` writes it anew.
#[test]
fn the_document_is_made_of_the_rules() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rules.md");
    let document = document();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &document).unwrap();
    }
    let stands = fs::read_to_string(&path).unwrap_or_default();
    assert!(stands == document, "docs/rules.md is not as the rules are: UPDATE_GOLDEN=1 writes it anew");
}

const HEAD: &str = "# The rules

Made of the rules in `crates/experiments/src/diagnose/rules/`; a test holds it. A rule knows one cause: how it is seen, what it explains, and what to do.
A finding is *confirmed* by a measurement, or a *hint*. What a cause explains is no finding of its own, but evidence of it. Where a rule has a test, `fathom diagnose`
measures what tells its suspect from what only looks like it; a suspect that the test refutes is reported as such, with the figure.

Rules whose evidence is facts alone (settings and states) are what `fathom audit` looks at; of these a run tells the state, and `fathom diagnose` all. What they find
is a hint until what is named under \"confirm\" was measured. `fathom explain RULE` shows one of them.
";

fn document() -> String {
    let of = |area: Area| RULES.iter().filter(move |rule| rule.about == area);
    let counts = Area::ALL.map(|area| format!("{} {}", of(area).count(), area.name())).join(", ");
    let areas = Area::ALL.into_iter().map(|area| {
        let own: String = of(area).map(|rule| page(rule)).collect();
        format!("\n## {}\n{own}", area.name())
    });
    format!("{HEAD}\n{} rules: {counts}.\n{}", RULES.len(), areas.collect::<String>())
}

fn page(rule: &Rule) -> String {
    let special = |fix: &&Fix| format!(" Where {}: {}.", fix.when, fix.what);
    let special: String = rule.special_fixes.iter().map(special).collect();
    let explains = |arrow: &Explains| format!("`{}` ({})", arrow.rule.id, arrow.which);
    let explains: Vec<String> = rule.explains.iter().map(explains).collect();
    let needs: Vec<&str> = rule.needs.iter().map(|source| source.name()).collect();
    let joined = if rule.of_facts() { needs.join(", and ") } else { needs.join(", or ") };
    let why = if rule.why.is_empty() { String::new() } else { format!("{}\n\n", rule.why) };
    let lines = [
        ("Seen", rule.evidence.to_string()),
        ("From", joined),
        ("Test", rule.test.as_ref().map_or(String::new(), |test| test.asks.to_string())),
        ("Confirm", if rule.test.is_some() { String::new() } else { rule.confirmed_by() }),
        ("Explains", explains.join("; ")),
        ("Fix", format!("{}.{special}", rule.fix)),
        ("Risk", rule.risk.to_string()),
        (
            "Releases",
            if rule.releases == experiments::diagnose::Releases::ALL { String::new() } else { rule.releases.words() },
        ),
        ("Thresholds", rule.sources.join("; ")),
        ("Tried", if rule.tried == Tried::Facts { rule.tried.words().to_string() } else { String::new() }),
    ];
    let lines =
        lines.into_iter().filter(|(_, what)| !what.is_empty()).map(|(name, what)| format!("- {name}: {what}\n"));
    format!("\n### `{}`\n{}\n\n{why}{}", rule.id, rule.what, lines.collect::<String>())
}
