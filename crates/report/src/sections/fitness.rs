//! Is each drive fit for Ceph, why, and the figures that say so: one line for each, then every way of writing.

use crate::block::{self, Block, Cell, Column, Emphasis, Row, Table};
use crate::{numbers, words};
use model::fitness::{MANY, READ_PERCENT, slowest_durable};
use model::{DriveFound, DriveWrites, Durability, Estimate, Fitness, FitnessReason, Metric, Report, Scope};

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let drives = report.answer.drives();
    if drives.is_empty() {
        return Vec::new();
    }
    let why = drives.iter().flat_map(|drive| drive.reasons.iter().map(move |reason| (drive, reason)));
    let why = block::list(
        why.map(|(drive, reason)| format!("{}: {}", drive.target, because(drive, reason))),
        Emphasis::Plain,
    );
    std::iter::once(overview(drives)).chain(why).collect()
}

/// Every load of small blocks: writes by each way of making them durable, reads, and both together.
pub(super) fn loads(report: &Report, _: &Scope) -> Vec<Block> {
    let rows: Vec<Row> = report.answer.drives().iter().flat_map(small_loads).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let columns = [
        Column::left("drive"),
        Column::left("4 KiB, at random"),
        Column::of("one in flight", Metric::Iops.unit()),
        Column::of(format!("{MANY} in flight"), Metric::Iops.unit()),
    ];
    vec![Table::new(columns, rows).into()]
}

fn small_loads(drive: &DriveFound) -> Vec<Row> {
    let row =
        |what: String, alone, many| Row::new([Cell::from(drive.target.as_str()), what.into(), iops(alone), iops(many)]);
    let writes = |one: &DriveWrites, switched: &str| {
        let what = match one.way {
            Durability::None => "writes that need not be durable".to_string(),
            way => format!("writes, durable by {}", words::durability_name(way)),
        };
        row(format!("{what}{switched}"), one.alone, one.many)
    };
    let cache = drive.cache.as_ref().map_or("", |cache| if cache.on { ", cache off" } else { ", cache on" });
    let [reads, mixed] = [drive.reads, drive.mixed];
    let others = [
        row("reads".to_string(), reads[0], reads[1]),
        row(format!("{READ_PERCENT} % reads: its reads"), None, mixed[0]),
        row(format!("{READ_PERCENT} % reads: its writes"), None, mixed[1]),
    ];
    let as_it_is = drive.writes.iter().map(|one| writes(one, ""));
    as_it_is.chain(drive.switched.iter().map(|one| writes(one, cache))).chain(others).collect()
}

fn overview(drives: &[DriveFound]) -> Block {
    let linear = |title: &str| Column::of(title, Metric::Bandwidth.unit());
    let columns = [
        Column::left("drive"),
        Column::left("is"),
        Column::of("durable writes", "IOPS"),
        Column::of("other writes", "IOPS"),
        Column::of("reads", "IOPS"),
        linear("written in order"),
        linear("read in order"),
    ];
    Table::new(columns, drives.iter().map(row)).into()
}

fn row(drive: &DriveFound) -> Row {
    let emphasis = match drive.fitness {
        Fitness::Unfit => Emphasis::Bad,
        Fitness::FitIfCacheOff | Fitness::NotForJournals | Fitness::Open => Emphasis::Warn,
        Fitness::Fit => Emphasis::Plain,
    };
    let linear = |estimate: Option<Estimate>| {
        estimate.map_or_else(Cell::nothing, |estimate| Cell::value(&estimate, Metric::Bandwidth))
    };
    Row::new([
        Cell::from(name(drive)),
        Cell::from(drive.fitness.name()).with(emphasis),
        iops(drive.slowest_durable().map(|(_, estimate)| estimate)),
        iops(drive.plain()),
        iops(drive.reads[0]),
        linear(drive.linear[0]),
        linear(drive.linear[1]),
    ])
}

/// The reciprocal of a time that may be nothing has no upper end.
fn is_known(estimate: &Estimate) -> bool {
    estimate.high.is_finite() && !numbers::is_unknown(estimate)
}

fn iops(estimate: Option<Estimate>) -> Cell {
    estimate.filter(is_known).map_or_else(Cell::nothing, |estimate| Cell::value(&estimate, Metric::Iops))
}

/// `/dev/sdx (model)`
fn name(drive: &DriveFound) -> String {
    let model = drive.model.as_ref().map_or(String::new(), |model| format!(" ({model})"));
    format!("{}{model}", drive.target)
}

/// `/dev/sdx (model) is unfit for Ceph: 231 durable writes a second …`
pub(crate) fn sentence(drive: &DriveFound) -> String {
    let is = match drive.fitness {
        Fitness::Fit => "is fit for Ceph".to_string(),
        Fitness::FitIfCacheOff => "is fit for Ceph if its write cache is off".to_string(),
        Fitness::NotForJournals => "is fit for data alone, and not for journals and metadata (WAL, DB)".to_string(),
        Fitness::Unfit => "is unfit for Ceph".to_string(),
        Fitness::Open => "could not be decided".to_string(),
    };
    let rate = |estimate: &Estimate| numbers::figure(estimate, Metric::Iops).plain();
    let figures = drive.slowest_durable().filter(|(_, durable)| is_known(durable)).map(|(way, durable)| {
        let beside = drive.plain().filter(is_known).map(|plain| format!(", and {} that need not be", rate(&plain)));
        let way = words::durability_name(way);
        format!(": {} durable writes of 4 KiB a second ({way}){}", rate(&durable), beside.unwrap_or_default())
    });
    let file = if drive.through_file { ", through a file of its file system" } else { "" };
    let cache = drive
        .cache
        .as_ref()
        .map_or("", |cache| if cache.on { ", its write cache on" } else { ", its write cache off" });
    let cache = if figures.is_some() { cache } else { "" };
    format!("{} {is}{}{cache}{file}", name(drive), figures.unwrap_or_default())
}

/// `: 25,100 ±2 % a second`
fn switched(drive: &DriveFound) -> String {
    let known = slowest_durable(&drive.switched).filter(|(_, rate)| is_known(rate));
    known.map_or(String::new(), |(_, rate)| format!(": {} a second", numbers::figure(&rate, Metric::Iops).plain()))
}

/// One reason, in words.
pub(crate) fn because(drive: &DriveFound, reason: &FitnessReason) -> String {
    match reason {
        FitnessReason::Rotates => {
            let read = drive.reads[0].map(|reads| format!("a random read takes {} ms", numbers::rough(1e3 / reads.value)));
            let read = read.unwrap_or_else(|| "the kernel says so".to_string());
            format!("its medium rotates ({read}); as for every disk, WAL and DB of its OSD belong on an SSD")
        }
        FitnessReason::NothingEmptied => "durable writes are about as fast as others: it is protected against power loss, or its \
                                          writes are not durable at all; no test can tell these two apart without cutting the power"
            .to_string(),
        FitnessReason::CacheEmptied => "a durable write takes far longer than another one, since a volatile cache is emptied for it: \
                                        it has no protection against power loss, or its write cache were better off"
            .to_string(),
        FitnessReason::SoonerThanMedium { per_second } => format!(
            "more than {} durable writes a second are more than a medium can turn for: a cache of the controller or of the drive \
             keeps them; they are safe if that has a battery or flash of its own, and as fast only until it is full",
            numbers::rough(*per_second)
        ),
        FitnessReason::WaysDiffer { factor } => format!(
            "O_DSYNC and fdatasync differ by {} times, though both are to make a write durable: the quicker one may do nothing, so \
             the slower one counts",
            numbers::rough(*factor)
        ),
        FitnessReason::SlowerThanDisks { least } => format!(
            "fewer than {} durable writes a second: it is shingled (SMR), or broken",
            numbers::rough(*least)
        ),
        FitnessReason::SlowerThanOsds { least } => format!(
            "fewer durable writes than the {} a second that an OSD's own software does with one operation in flight: the drive would \
             hold it back",
            numbers::rough(*least)
        ),
        FitnessReason::CacheOffHelps { factor } => {
            format!("with its write cache off it makes {} times as many writes durable{}", numbers::rough(*factor), switched(drive))
        }
        FitnessReason::CacheOffDoesNotHelp => format!("with its write cache off it makes no more writes durable{}", switched(drive)),
        FitnessReason::CacheOnHelps { factor } => format!(
            "its write cache is off; with it on it makes {} times as many writes durable{}",
            numbers::rough(*factor),
            switched(drive)
        ),
        FitnessReason::CacheNotFlushed => "its write cache is on, and the kernel takes it for write through and never flushes it: what is \
                                           said to be durable is lost with the power"
            .to_string(),
        FitnessReason::NotMeasured { what } => format!("{what} could not be measured, without which nothing is said"),
        FitnessReason::Undecided { either, or } => format!(
            "{} or {}: the interval reaches over the bound between them; give it more time (--time-max 5m)",
            either.name(),
            or.name()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drive(durable: Estimate, fitness: Fitness, reasons: Vec<FitnessReason>) -> DriveFound {
        let by = |way, alone| DriveWrites { way, alone: Some(alone), many: None };
        DriveFound {
            target: "/dev/sdx".to_string(),
            host: None,
            model: Some("MODEL 9".to_string()),
            through_file: false,
            fitness,
            reasons,
            cache: None,
            switched: Vec::new(),
            writes: vec![by(Durability::Fsync, durable), by(Durability::None, Estimate::new(5836.0, 100.0))],
            reads: [None; 2],
            mixed: [None; 2],
            linear: [None; 2],
        }
    }

    #[test]
    fn the_answer_has_its_figures_and_what_is_not_known_is_not_one() {
        let unfit = drive(Estimate::new(231.0, 5.0), Fitness::Unfit, Vec::new());
        assert_eq!(
            sentence(&unfit),
            "/dev/sdx (MODEL 9) is unfit for Ceph: 231 ±2 % durable writes of 4 KiB a second (fsync), and 5,840 ±2 % that need not be"
        );
        let open = drive(Estimate::new(231.0, 400.0), Fitness::Open, Vec::new());
        assert_eq!(sentence(&open), "/dev/sdx (MODEL 9) could not be decided");
        let unbounded = Estimate { value: 231.0, low: 100.0, high: f64::INFINITY };
        assert_eq!(sentence(&drive(unbounded, Fitness::Open, Vec::new())), "/dev/sdx (MODEL 9) could not be decided");
    }

    #[test]
    fn each_drive_has_a_row_for_each_load() {
        let drive =
            drive(Estimate::new(231.0, 5.0), Fitness::Unfit, vec![FitnessReason::SlowerThanOsds { least: 1000.0 }]);
        assert_eq!(small_loads(&drive).len(), 5);
        assert!(because(&drive, &drive.reasons[0]).starts_with("fewer durable writes than the 1,000 a second"));
    }
}
