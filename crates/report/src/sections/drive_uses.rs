//! What drives would be good for: one OSD on each, and WAL and DB of others.

use super::fitness;
use crate::block::{self, Block, Cell, Column, Emphasis, Row, Table};
use crate::numbers;
use model::{DriveFound, OsdEstimate, Report, Scope, ServesDbs};

/// What each drive would be good for.
pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let drives = report.answer.drives();
    let rows: Vec<Row> = drives.iter().filter_map(row).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let columns = [
        Column::left("drive"),
        Column::left("writes/s, depth 1"),
        Column::left("writes/s, depth 32"),
        Column::left("reads/s, depth 1"),
        Column::left("reads/s, depth 32"),
    ];
    let serves = block::list(drives.iter().filter_map(serves), Emphasis::Plain);
    std::iter::once(Table::new(columns, rows).into()).chain(serves).collect()
}

fn row(drive: &DriveFound) -> Option<Row> {
    let OsdEstimate { writes_alone, writes_many, reads_alone, reads_many } = drive.one_osd?;
    let range = |[low, high]: [f64; 2]| match low < 1.0 {
        true => format!("at most {}", numbers::rough(high)),
        false => format!("{} to {}", numbers::rough(low), numbers::rough(high)),
    };
    let cells = [writes_alone, writes_many, reads_alone, reads_many].map(|of| Cell::from(range(of)));
    Some(Row::new(std::iter::once(Cell::from(fitness::name(drive))).chain(cells)))
}

/// `/dev/sdx could hold WAL and DB of 4 to 10 disks`
fn serves(drive: &DriveFound) -> Option<String> {
    let ServesDbs { drives: [least, most], of } = drive.serves.as_ref()?;
    let whole = |drives: f64| numbers::count(drives.floor() as u64);
    let like =
        of.as_ref().map_or("usual disks (100 to 250 MB/s)".to_string(), |target| format!("drives like {target}"));
    let many = match (least.floor(), most.floor()) {
        (_, 0.0) => return Some(format!("{} is too slow to hold WAL and DB of one of {like}", drive.target)),
        (least, most) if least == most => format!("{} of {like}", whole(most)),
        (least, most) => format!("{} to {} of {like}", whole(least.max(1.0)), whole(most)),
    };
    Some(format!(
        "{} could hold WAL and DB of {many}: its sequential writes over theirs; all of them fail with it",
        drive.target
    ))
}
