//! What facts alone hint at, as blocks; and the pages of rules.

use crate::block::{self, Block, Emphasis, Item, Row, Table, Text};
use crate::numbers::counted;
use crate::phrase;
use crate::words::{self, Meaning};
use model::{Audit, Finding, Hint, NotLooked, RulePage};

/// At most this many hints are named in the first line.
const NAMED: usize = 3;

/// The answer first, then every hint, then what could not be looked at.
pub fn blocks(found: &Audit) -> Vec<Vec<Block>> {
    let mut head = vec![Block::Headline("Audit".into())];
    head.extend(says(found).into_iter().map(Block::paragraph));
    let hints = (!found.hints.is_empty()).then(|| {
        let note = "Each is a hint: it is seen in settings and states, and what it costs here is not measured.";
        vec![Block::title("Hints"), Block::note(note), Block::List(found.hints.iter().map(item).collect())]
    });
    let unseen: Vec<Block> = [
        block::list(found.not_looked.iter().map(lacking), Emphasis::Plain),
        block::list(found.left_out.iter().cloned(), Emphasis::Warn),
    ]
    .into_iter()
    .flatten()
    .collect();
    let unseen = (!unseen.is_empty()).then(|| [vec![Block::title("Not looked at")], unseen].concat());
    [Some(head), hints, unseen].into_iter().flatten().collect()
}

/// A label of figures, by its name: `few events`, `few-events`.
pub fn label(name: &str) -> Option<&'static Meaning> {
    let plain = |label: &str| label.replace('-', " ");
    words::MEANINGS.iter().chain([&words::SETTLED]).find(|one| plain(one.label) == plain(name))
}

/// What it means, and what to do then.
pub fn meaning(of: &Meaning) -> Vec<Block> {
    vec![Block::Headline(of.label.into()), Block::paragraph(of.means), Block::paragraph(of.then)]
}

/// `12 hints: the three worst …`, `nothing to hint at: 71 rules looked, 9 could not: …`
pub(crate) fn says(found: &Audit) -> Vec<String> {
    let unable: usize = found.not_looked.iter().map(|one| one.rules.len()).sum();
    let looked = counted(u64::from(found.looked), "rule looked", "rules looked");
    let lacks: Vec<&str> = found.not_looked.iter().map(|one| one.lacks.as_str()).collect();
    let unable = match unable {
        0 => looked,
        _ => format!("{looked}, {unable} could not: {} not known", lacks.join(", ")),
    };
    let mut says: Vec<String> = found
        .hints
        .iter()
        .filter(|hint| hint.of_state)
        .map(|hint| capital(&format!("{}.", line(&hint.finding))))
        .collect();
    let others: Vec<&Hint> = found.hints.iter().filter(|hint| !hint.of_state).collect();
    let worst: Vec<String> = others.iter().take(NAMED).map(|hint| line(&hint.finding)).collect();
    let more = others.len().saturating_sub(NAMED);
    says.push(match others.len() {
        0 if says.is_empty() => format!("Nothing to hint at: {unable}."),
        0 => format!("Nothing else to hint at: {unable}."),
        count if more == 0 => format!("{}: {} ({unable}).", counted(count as u64, "hint", "hints"), worst.join("; ")),
        count => format!("{count} hints, the {NAMED} worst: {}; and {more} more ({unable}).", worst.join("; ")),
    });
    says
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn line(finding: &Finding) -> String {
    let says = phrase::text(&finding.says);
    if finding.says.begins_with(&finding.subject) || finding.subject == model::Subject::Cluster {
        return says;
    }
    format!("{}: {says}", finding.subject)
}

fn item(hint: &Hint) -> Item {
    let finding = &hint.finding;
    let says = format!(" ({}): {}", finding.subject, phrase::text(&finding.says));
    let lines = [
        ("seen", phrase::list(&finding.evidence)),
        ("why", hint.why.clone()),
        ("confirm", hint.confirm.clone()),
        ("fix", finding.fix.clone()),
        ("risk", finding.risk.clone()),
    ];
    let lines = lines.into_iter().filter(|(_, what)| !what.is_empty());
    Item {
        number: None,
        text: Text::new(&finding.id, Emphasis::Strong).and(says, Emphasis::Plain),
        more: lines.map(|(name, what)| Text::new(format!("{name}: {what}"), Emphasis::Quiet)).collect(),
    }
}

fn lacking(one: &NotLooked) -> String {
    let rules = counted(one.rules.len() as u64, "rule", "rules");
    format!("{}: {rules} ({}); it needs {}", one.lacks, one.rules.join(", "), one.needs)
}

/// A rule's page.
pub fn page(rule: &RulePage) -> Vec<Vec<Block>> {
    let lines = [
        ("why", rule.why.clone()),
        ("seen", rule.seen.clone()),
        ("from", rule.from.join(", or ")),
        ("confirm", rule.confirm.clone()),
        ("explains", rule.explains.join("; ")),
        ("fix", [std::slice::from_ref(&rule.fix), &rule.special_fixes].concat().join("; ")),
        ("risk", rule.risk.clone()),
        ("releases", rule.releases.clone()),
        ("figures and thresholds", rule.sources.join("; ")),
        ("tried", rule.tried.clone()),
    ];
    let lines = lines.into_iter().filter(|(_, what)| !what.is_empty());
    let item = |(name, what): (&str, String)| {
        Item::from(Text::new(format!("{name}:"), Emphasis::Strong).and(format!(" {what}"), Emphasis::Plain))
    };
    let head = vec![Block::Headline(format!("{} ({})", rule.id, rule.area)), Block::paragraph(rule.what.clone())];
    vec![head, vec![Block::List(lines.map(item).collect())]]
}

/// All rules, a line each.
pub fn list(rules: &[RulePage]) -> Vec<Vec<Block>> {
    let rows = rules.iter().map(|rule| Row::new([rule.area.as_str(), rule.id.as_str(), rule.what.as_str()]));
    let head = Block::Headline(counted(rules.len() as u64, "rule", "rules"));
    vec![
        vec![head],
        vec![
            Table::plain(["area", "rule", "what it is"], rows).into(),
            Block::note("One of them: fathom explain RULE"),
        ],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::{self, Style};
    use model::{Standing, Subject};

    fn hint(id: &str, of_state: bool) -> Hint {
        let finding = Finding {
            id: id.into(),
            standing: Standing::Hint,
            subject: Subject::Setting { who: "osd".into(), name: id.into() },
            says: "it is odd".into(),
            evidence: vec!["seen".into()],
            explains: vec![],
            cost: None,
            slows_nothing: false,
            confirm: String::new(),
            fix: "ceph config rm osd x".into(),
            risk: "none".into(),
        };
        Hint {
            finding,
            area: "osd".into(),
            why: "slow".into(),
            confirm: "measure it".into(),
            sources: vec!["a book".into()],
            of_state,
        }
    }

    fn text(found: &Audit) -> String {
        terminal::text(&blocks(found), &Style { width: 200, colours: false })
    }

    #[test]
    fn every_label_has_a_meaning_and_no_blank_is_strong() {
        assert!(label("settled").is_some_and(|one| one.means.starts_with("The interval is as narrow")));
        assert!(label("few-events").is_some() && label("nosuch").is_none());
        let rule = RulePage { id: "mtu".into(), seen: "of each host".into(), ..RulePage::default() };
        let page = crate::markdown::text(&page(&rule));
        assert!(page.contains("- **seen:** of each host"), "{page}");
    }

    #[test]
    fn the_first_lines_are_the_answer() {
        let none = Audit { looked: 71, ..Audit::default() };
        assert_eq!(says(&none), ["Nothing to hint at: 71 rules looked."]);
        let lacking =
            NotLooked { rules: vec!["x".into(), "y".into()], lacks: "options".into(), needs: "rights".into() };
        let some = Audit { not_looked: vec![lacking], ..none };
        assert_eq!(says(&some), ["Nothing to hint at: 71 rules looked, 2 could not: options not known."]);
        let all = Audit { hints: ["a", "b", "c", "d"].map(|id| hint(id, false)).to_vec(), ..some };
        let said = &says(&all)[0];
        assert!(
            said.starts_with(
                "4 hints, the 3 worst: osd/a: it is odd; osd/b: it is odd; osd/c: it is odd; and 1 more ("
            ),
            "{said}"
        );
        let busy = Audit { hints: vec![hint("st", true)], looked: 2, ..Audit::default() };
        assert_eq!(says(&busy), ["Osd/st: it is odd.", "Nothing else to hint at: 2 rules looked."]);
    }

    #[test]
    fn a_hint_has_its_experiment_its_fix_and_its_risk() {
        let found =
            Audit { hints: vec![hint("a", false)], looked: 1, left_out: vec!["osd df: no".into()], ..Audit::default() };
        let text = text(&found);
        for part in ["confirm: measure it", "fix: ceph config rm osd x", "risk: none", "why: slow", "osd df: no"] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
    }
}
