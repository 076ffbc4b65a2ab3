//! What each section says as blocks, and what the terminal and Markdown make of every kind of block.
//! `UPDATE_GOLDEN=1 cargo test -p report --test texts` writes the files anew; then look at the difference.

use crate::golden_file::compare;
use crate::sample::{SampleRun, run};
use model::{Pattern, Report};
use report::block::{Block, Cell, Column, Emphasis, Item, Row, Table, Text};
use report::markdown;
use report::sections::{SECTIONS, Section};
use report::terminal::{self, Style};

/// A line for each block of each section.
#[test]
fn the_blocks_of_every_section() {
    let SampleRun { report, record } = run();
    let line = |section: &Section| {
        let blocks = section.blocks(&report, &record.scope);
        let line = |block| format!("{} {}\n", section.id, serde_json::to_string(block).unwrap());
        blocks.iter().map(line).collect::<String>()
    };
    compare("blocks.txt", &SECTIONS.iter().map(line).collect::<String>());
}

#[test]
fn a_picture_of_the_chart_says_what_was_done_and_not_what_its_pattern_usually_does() {
    let SampleRun { mut report, record } = run();
    let of_reads = |report: &Report| {
        let chart = SECTIONS.iter().find(|section| section.id == "chart").unwrap();
        let blocks = chart.blocks(report, &record.scope);
        let whole = blocks.iter().map(|block| serde_json::to_string(block).unwrap());
        whole.filter(|text| text.contains("random read, depth 128")).collect::<String>()
    };
    assert!(of_reads(&report).contains("\"4 KiB random read, depth 128\""), "{}", of_reads(&report));
    let own = report.figures.iter_mut().filter(|figure| figure.pattern == Pattern::ReadParallel);
    own.for_each(|figure| figure.workload.block = 16 << 20);
    assert!(of_reads(&report).contains("\"16 MiB random read, depth 128\""), "{}", of_reads(&report));
    let own = report.figures.iter_mut().find(|figure| figure.pattern == Pattern::ReadParallel && figure.chart);
    own.unwrap().workload.block = 8 << 20;
    let both = "\"16 MiB random read, depth 128 or 8 MiB random read, depth 128\"";
    assert!(of_reads(&report).contains(both), "{}", of_reads(&report));
}

/// What the page's types are made of.
#[test]
fn the_schema_of_the_page_is_that_of_the_types() {
    compare("../../page/page.schema.json", &format!("{:#}\n", report::html::schema()));
}

fn figure(text: &str, within: &str, label: &str) -> Cell {
    Cell { within: within.into(), ..Cell::from(text).labelled(label) }
}

/// Every kind of block, and every kind of cell.
fn all_kinds() -> Vec<Vec<Block>> {
    let columns = [
        Column::left("target"),
        Column::of("write-latency", "ms"),
        Column::of("read-parallel", "IOPS"),
        Column::left("share"),
        Column::right("count"),
        Column { spare: true, ..Column::left("because") },
    ];
    let because = "a reason that is long enough to be left out where there is little room for it";
    let row = |cells: [Cell; 3], bar: [f64; 2]| {
        Row::new(cells.into_iter().chain([Cell { bar: Some(bar), ..Cell::default() }, "7".into(), because.into()]))
    };
    let missing = Cell { note: Some(1), ..Cell::nothing().labelled("void").with(Emphasis::Warn) };
    let rows = [
        row(["osd.0".into(), figure("1.404", "±0.029", "settled"), figure("5,420", "±4 %", "imprecise")], [0.0, 0.4]),
        row(["osd|1".into(), figure("12.1", "±0.4", "wandering").with(Emphasis::Outlier), missing], [0.4, 0.9]),
        row(["osd.2".into(), figure("0.2", "±0.1", "implausible").with(Emphasis::Struck), Cell::default()], [0.9, 0.8])
            .with(Emphasis::Bad),
    ];
    let note = Item { number: Some(1), text: Text::from("osd|1 is void"), more: vec!["it went *down*".into()] };
    let text = Text::with_commands("Run `fathom restore` and look at ").and("12 %", Emphasis::Strong);
    let fold = Block::fold("more", vec![Block::title("Folded"), Block::note("in small letters")]);
    vec![
        vec![Block::Headline("Every kind of block".into()), Block::Paragraph(text)],
        vec![Block::title("A table"), Table::new(columns, rows).into(), Block::List(vec![note]), fold],
    ]
}

#[test]
fn every_kind_of_block_on_a_terminal_and_in_markdown() {
    let blocks = all_kinds();
    for width in [60, 80, 160] {
        let text = terminal::text(&blocks, &Style { width, colours: false });
        assert!(text.lines().all(|line| line.chars().count() <= width && !line.ends_with(' ')), "{text}");
        compare(&format!("kinds-{width}.txt"), &text);
    }
    compare("kinds.md", &markdown::text(&blocks));
}

#[test]
fn colours_are_put_in_last() {
    let plain = terminal::text(&all_kinds(), &Style { width: 80, colours: false });
    let coloured = terminal::text(&all_kinds(), &Style { width: 80, colours: true });
    let mut parts = coloured.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_string();
    let bare = first + &parts.filter_map(|part| Some(part.split_once('m')?.1)).collect::<String>();
    assert_eq!(bare, plain);
    assert_ne!(coloured, plain);
}

#[test]
fn of_too_many_rows_those_that_stand_out_are_shown() {
    let row = |n: usize| {
        let emphasis = if n == 90 { Emphasis::Outlier } else { Emphasis::Plain };
        Row::new([Cell::from(format!("osd.{n}")), figure("1.0", "±0.1", "settled").with(emphasis)])
    };
    let columns = [Column::left("target"), Column::of("write-latency", "ms")];
    let table = Table { rows_most: Some(32), ..Table::new(columns, (0..100).map(row)) };
    let text = terminal::text(&[vec![table.into()]], &Style::default());
    assert!(text.contains("\nosd.90 ") && text.contains("\nand 68 more; `fathom report` shows all\n"), "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with("osd.")).count(), 32);
}
