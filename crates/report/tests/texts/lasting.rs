//! Writes without pause, on a terminal and in Markdown.

use crate::golden_file::{compare, fits};
use crate::sample::{SampleRun, run};
use model::{Answer, Cliff, Ended, Endurance, Estimate, Rounds, Until};
use report::markdown;
use report::terminal::{self, Detail, Style};

#[test]
fn sustained_writes_on_a_terminal_and_in_markdown() {
    let SampleRun { mut report, record } = run();
    let (from, to) = (Some(Estimate::new(480.0, 42.0)), Some(Estimate::new(110.0, 12.0)));
    let fell = Endurance {
        target: "/dev/sda".into(),
        until: Until::Falls,
        filled: None,
        rounds: None,
        model: Some("Example 870".into()),
        also: vec!["/dev/sdb".into()],
        ended: Ended::Fell,
        error: None,
        written: 15_500_000_000,
        seconds: 40.0,
        before: 0,
        held: 14_300_000_000,
        cliff: Some(Cliff { written: 14_400_000_000, low: 14_300_000_000, high: 14_900_000_000, from, to, fall: 0.77 }),
        rate: None,
        each_second: (0..40).map(|second| if second < 30 { 480_000_000 } else { 110_000_000 }).collect(),
        says: "fell by 77 % after 13.4 GiB written without pause".into(),
    };
    let short = Endurance { target: "x".into(), model: None, also: vec![], held: 0, cliff: None, ..fell.clone() };
    let steady = Endurance {
        until: Until::Steady,
        filled: Some(90),
        ended: Ended::Steady,
        rounds: Some(Rounds {
            seconds: 5.0,
            each: [vec![27_000.0; 2], vec![9_000.0; 6]].concat(),
            block: 4096,
            steady: Some(true),
            covered: 1.0,
            first: Some(Estimate::new(27_000.0, 900.0)),
            last: Some(Estimate::new(9_000.0, 200.0)),
        }),
        says: "random writes, 90 % of it full: steady after 8 rounds of 5 s at 9,000 ±2 % a second".into(),
        also: vec![],
        ..short.clone()
    };
    let short = Endurance { rate: from, says: "too short to tell".into(), ..short };
    report.answer = Answer::SustainedWrites(vec![fell, short, steady]);
    let text = terminal::summary(&report, &record.scope, Detail::Full, &Style { width: 80, colours: false });
    fits(&text, 80);
    let part = |text: &str, begins: &str| {
        let from = text.find(begins).unwrap();
        text[from..from + text[from..].find("Depth chart").unwrap()].to_string()
    };
    compare("sustained.txt", &part(&text, "Sustained writes"));
    compare("sustained.md", &part(&markdown::page(&report, &record), "## Sustained writes"));
}
