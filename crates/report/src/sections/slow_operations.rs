//! The slowest operations that OSDs remember, and for what each waited.

use crate::block::{Block, Cell, Column, Row, Table};
use crate::{numbers, words};
use model::{Estimate, Report, Scope, SlowestOfStep};

const NOTE: &str = "Of each step the slowest operation on its pool that the OSDs still remember, of any client, with the longest stretch between two of its \
                    events (dump_historic_ops). Both may be called the same: one replica's answer, and the next one's. An OSD that stands still shows \
                    the wait wherever it was. OSDs keep the slowest 20 of ten minutes, and six of them are asked after a slice: steps with faster \
                    operations are not here. One operation is no figure: it says where to look.";

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let known = report.slow_operations.iter().filter(|one| one.operation.ms.is_finite() && one.operation.ms > 0.0);
    let rows: Vec<Row> = known.map(row).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let heading = [
        Column::left("step"),
        Column::left("at"),
        Column::of("took", "ms"),
        Column::of("longest", "ms"),
        Column::left("after"),
        Column::left("until"),
    ];
    vec![Table::new(heading, rows).into(), Block::note(NOTE)]
}

fn row(one: &SlowestOfStep) -> Row {
    let operation = &one.operation;
    let ms = |ms: f64| {
        numbers::beside(ms, &Estimate { value: operation.ms, low: operation.ms * 0.99, high: operation.ms * 1.01 })
    };
    Row::new([
        Cell::from(format!("{} {}", words::place(one.layer, &one.target), one.pattern.name())),
        Cell::from(format!("osd.{}", operation.osd)),
        Cell::from(ms(operation.ms)),
        Cell::from(ms(operation.longest_ms)),
        Cell::from(operation.after.clone()),
        Cell::from(operation.until.clone()),
    ])
}
