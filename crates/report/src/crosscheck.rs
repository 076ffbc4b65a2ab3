//! Two programs under the same load, as blocks.

use crate::block::{self, Block, Emphasis, Row, Table};
use crate::numbers::{self, NOTHING};
use crate::words;
use model::{Agrees, Crosscheck, Crosschecked, Estimate, Pair, Turn};

const HEADING: [&str; 8] = ["finds", "target", "workload", "measure", "fathom", "fio", "ratio (95 %)", "within"];

/// What was compared, and what was found.
pub fn blocks(found: &Crosscheck) -> Vec<Vec<Block>> {
    let head = vec![Block::Headline(title(found)), Block::paragraph(format!("{}.", counts(found)))];
    let rows = found.rows.iter().flat_map(|row| {
        let emphasis = if row.agreement.finds == Agrees::Differs { Emphasis::Bad } else { Emphasis::Plain };
        // Two lines for each: the two figures that are judged.
        [Row::new(rates(row)).with(emphasis), Row::new(times(row))]
    });
    vec![
        head,
        vec![Table::plain(HEADING, rows).into()],
        block::list(notes(found), Emphasis::Plain).into_iter().collect(),
    ]
}

/// Of all rows: the gravest.
pub fn overall(found: &Crosscheck) -> Agrees {
    let any = |finds| found.rows.iter().any(|row| row.agreement.finds == finds);
    match () {
        () if any(Agrees::Differs) => Agrees::Differs,
        () if any(Agrees::Open) || found.rows.is_empty() => Agrees::Open,
        () => Agrees::Agrees,
    }
}

/// Median over the pairs: what struck one of them is not shown.
pub(crate) fn middle(row: &Crosschecked, of: impl Fn(&Pair) -> Option<f64>) -> Option<f64> {
    let mut values = row.pairs.iter().map(of).collect::<Option<Vec<f64>>>()?;
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    let value = match values.len() % 2 {
        1 => values[half],
        _ => (values.get(half.checked_sub(1)?)? + values[half]) / 2.0,
    };
    value.is_finite().then_some(value)
}

fn title(found: &Crosscheck) -> String {
    format!("Fathom {} against {}", found.version, found.peer)
}

fn counts(found: &Crosscheck) -> String {
    let count = |finds| found.rows.iter().filter(|row| row.agreement.finds == finds).count();
    let all = [Agrees::Differs, Agrees::Open, Agrees::Agrees].map(|finds| (count(finds), finds.name()));
    let said: Vec<String> =
        all.into_iter().filter(|(count, _)| *count > 0).map(|(count, name)| format!("{count} {name}")).collect();
    let pairs = found.rows.iter().map(|row| row.pairs.len() as u64).sum();
    let pairs = numbers::counted(pairs, "pair", "pairs");
    let said = if said.is_empty() { "nothing was compared".to_string() } else { said.join(", ") };
    format!("{said}; {pairs} of loads in {}", numbers::seconds(found.seconds))
}

fn rates(row: &Crosschecked) -> Vec<String> {
    let side = |of: fn(&Pair) -> f64| middle(row, |pair| Some(of(pair))).map_or(NOTHING.to_string(), numbers::rough);
    vec![
        row.agreement.finds.name().to_string(),
        words::place(row.layer, &row.target),
        load(row),
        "IOPS".to_string(),
        side(|pair| pair.ours.iops),
        side(|pair| pair.theirs.iops),
        ratio(row.agreement.iops),
        numbers::relative(row.tolerance),
    ]
}

fn times(row: &Crosschecked) -> Vec<String> {
    let side = |of: fn(&Pair) -> &Turn| {
        let mean = middle(row, |pair| Some(of(pair).mean_ms)).map_or(NOTHING.to_string(), numbers::rough);
        let p99 = middle(row, |pair| of(pair).p99_ms).map(|ms| format!(" (p99 {})", numbers::rough(ms)));
        mean + &p99.unwrap_or_default()
    };
    let engines = format!("{} / {}", row.our_engine, row.their_engine);
    let pairs = numbers::counted(row.pairs.len() as u64, "pair", "pairs");
    vec![
        String::new(),
        engines,
        pairs,
        "mean, ms".to_string(),
        side(|pair| &pair.ours),
        side(|pair| &pair.theirs),
        ratio(row.agreement.latency),
        if row.workload.depth > 1 { "not judged".to_string() } else { String::new() },
    ]
}

/// `4 KiB random read, depth 128`.
fn load(row: &Crosschecked) -> String {
    let load = &row.workload;
    let kind = words::mix(load.mix);
    let access = if load.access == model::Access::Sequential { "sequential" } else { "random" };
    let jobs = if load.jobs > 1 { format!(", {} jobs", load.jobs) } else { String::new() };
    let sync = if load.durability == model::Durability::None { "" } else { ", durable" };
    format!("{} {access} {kind}, depth {}{jobs}{sync}", numbers::bytes(load.block), load.depth)
}

/// `0.995 (0.981–1.009)`.
fn ratio(ratio: Option<Estimate>) -> String {
    ratio.map_or(NOTHING.to_string(), |ratio| numbers::ratio(&ratio))
}

fn notes(found: &Crosscheck) -> Vec<String> {
    let broken = found.rows.iter().filter_map(|row| {
        let why = row.why.as_ref()?;
        Some(format!("{} {}: {why}", words::place(row.layer, &row.target), load(row)))
    });
    let ended = found.interrupted.then(|| "Ended by the user before its end.".to_string());
    let how = format!(
        "Each load lasted {}, after {} that are not counted. Ratios are ours over theirs.",
        numbers::seconds(found.load_seconds),
        numbers::seconds(found.front_seconds)
    );
    let empty = found.rows.iter().filter_map(left_out);
    let fewer = found.rows.iter().filter_map(fewer_in_flight);
    broken.chain(ended).chain(empty).chain(fewer).chain([how]).chain(found.notes.iter().cloned()).collect()
}

fn left_out(row: &Crosschecked) -> Option<String> {
    let pairs = numbers::counted(u64::from(row.left_out), "pair was", "pairs were");
    let place = words::place(row.layer, &row.target);
    (row.left_out > 0).then(|| {
        format!(
            "{place} {}: {pairs} left out, since no operation of one of the loads ended in the time that counts.",
            load(row)
        )
    })
}

/// Rate times mean time is how many operations a program had in flight (Little's law); told where that is not as many as it was told.
fn fewer_in_flight(row: &Crosschecked) -> Option<String> {
    let depth = f64::from(row.workload.depth);
    let in_flight = |of: fn(&Pair) -> &Turn| middle(row, |pair| Some(of(pair).iops * of(pair).mean_ms / 1e3));
    let (ours, theirs) = (in_flight(|pair| &pair.ours)?, in_flight(|pair| &pair.theirs)?);
    let fewer = ours.min(theirs) < depth * (1.0 - row.tolerance);
    let digits = if depth > 1.0 { 0 } else { 2 };
    let then =
        if depth > 1.0 { ", and the rates are compared" } else { "; of one in flight both are judged all the same" };
    fewer.then(|| {
        format!(
            "{} {}: in flight were {ours:.digits$} of Fathom's operations and {theirs:.digits$} of fio's, as rate times mean time says. What has \
             ended and was not yet started anew is in flight for neither, so the means are of different things{then}.",
            words::place(row.layer, &row.target),
            load(row)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::Style;
    use crate::{markdown, terminal};
    use model::testing;
    use model::{Agreement, Pattern, Workload};
    use serde_json::{Value, json};

    fn found() -> Crosscheck {
        let turn = |iops| Turn { iops, mean_ms: 1000.0 / iops, p99_ms: Some(3000.0 / iops) };
        let pair = |ours, theirs| Pair { ours: turn(ours), theirs: turn(theirs), ours_first: true };
        let estimate = Some(Estimate { value: 1.1, low: 1.05, high: 1.15 });
        let row = Crosschecked {
            layer: testing::disks(),
            target: "/dev/vdb".into(),
            pattern: Pattern::WriteLatency,
            workload: Workload::canonical(Pattern::WriteLatency, 1 << 20, 1),
            our_engine: "psync".into(),
            their_engine: "libaio".into(),
            tolerance: 0.03,
            pairs: vec![pair(200.0, 100.0), pair(50.0, 100.0)],
            left_out: 1,
            agreement: Agreement { iops: estimate, latency: None, finds: Agrees::Differs },
            why: None,
        };
        let empty = Crosschecked {
            pairs: Vec::new(),
            left_out: 0,
            agreement: Agreement { iops: None, latency: None, finds: Agrees::Open },
            why: Some("osd.1 went down".into()),
            ..row.clone()
        };
        Crosscheck {
            version: "0.1.0".into(),
            peer: "fio 3.33".into(),
            started: String::new(),
            seconds: 65.0,
            front_seconds: 2.0,
            load_seconds: 4.0,
            rows: vec![row, empty],
            notes: vec!["Note.".into()],
            interrupted: false,
        }
    }

    fn summary(found: &Crosscheck, style: &Style) -> String {
        terminal::text(&blocks(found), style)
    }

    #[test]
    fn a_table_says_what_both_said() {
        let text = summary(&found(), &Style { width: 160, colours: false });
        for part in [
            "Fathom 0.1.0 against fio 3.33\n1 differs, 1 open; 2 pairs of loads in 1 min 5 s.\n",
            "4 KiB random write, depth 1, durable",
            "psync / libaio",
            "1.100 (1.050–1.150)",
            "12.5 (p99 37.5)",
            "device /dev/vdb 4 KiB random write, depth 1, durable: osd.1 went down",
            "device /dev/vdb 4 KiB random write, depth 1, durable: 1 pair was left out, since no operation",
            "Each load lasted 4.0 s, after 2.0 s",
        ] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
        assert!(markdown::text(&blocks(&found())).contains("| differs | device /dev/vdb |"));
    }

    #[test]
    fn who_has_fewer_in_flight_than_told_is_named() {
        let mut deep = found();
        let row = &mut deep.rows[0];
        row.workload.depth = 128;
        row.pairs = vec![row.pairs[0]];
        (row.pairs[0].ours, row.pairs[0].theirs) =
            (Turn { iops: 1000.0, mean_ms: 128.0, p99_ms: None }, Turn { iops: 1000.0, mean_ms: 113.0, p99_ms: None });
        let told = "in flight were 128 of Fathom's operations and 113 of fio's";
        let style = Style { width: 160, colours: false };
        let text = summary(&deep, &style);
        assert!(text.contains(told) && text.contains("not judged"), "{text}");
        deep.rows[0].pairs[0].theirs.mean_ms = 127.0;
        assert!(!summary(&deep, &style).contains("in flight were"));
        // One at a time, and the thread wakes up some time after its operation ended.
        deep.rows[0].workload.depth = 1;
        deep.rows[0].pairs[0].ours.mean_ms = 0.93;
        deep.rows[0].pairs[0].theirs.mean_ms = 1.0;
        let text = summary(&deep, &Style { width: 400, colours: false });
        assert!(text.contains("in flight were 0.93 of Fathom's operations and 1.00 of fio's"), "{text}");
    }

    #[test]
    fn a_document_holds_every_pair() {
        let document = crate::json::crosscheck(&found());
        let row = &document["rows"][0];
        assert_eq!((&document["finds"], &row["finds"]), (&json!("differs"), &json!("differs")));
        assert_eq!((&row["iops"]["ci95"], &row["latency_mean"]["ratio"]), (&json!([1.05, 1.15]), &Value::Null));
        assert!((row["iops"]["ours"].as_f64().unwrap() - 125.0).abs() < 1e-9);
        assert_eq!(row["pairs"][1]["ours"]["iops"], 50.0);
        assert_eq!(document["rows"][1]["latency_p99"]["ours"], Value::Null);
    }
}
