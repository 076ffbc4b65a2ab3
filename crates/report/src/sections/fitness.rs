//! Is each drive fit for Ceph, why, and the figures that say so: one line for each, then every way of writing.

use super::fitness_by_model;
use super::fitness_reasons::because;
use crate::block::{self, Block, Cell, Column, Emphasis, Row, Table};
use crate::{numbers, words};
use model::facts::BlockQueue;
use model::fitness::{MANY, READ_PERCENT};
use model::{
    DriveAbout, DriveFound, DriveWrites, Durability, Estimate, Fitness, FitnessReason, Metric, Report, Scope,
    osds_named,
};

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let drives = report.answer.drives();
    if drives.is_empty() {
        return Vec::new();
    }
    // Of a drive alone the answer has the first already.
    let told = usize::from(drives.len() == 1);
    let why = drives.iter().flat_map(|drive| drive.reasons.iter().skip(told).map(move |reason| (drive, reason)));
    let why = block::list(
        why.map(|(drive, reason)| format!("{}: {}", drive.target, because(drive, reason))),
        Emphasis::Plain,
    );
    std::iter::once(overview(drives)).chain(why).chain(fitness_by_model::table(drives)).collect()
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
        Column::of("queue depth 1", Metric::Iops.unit()),
        Column::of(format!("queue depth {MANY}"), Metric::Iops.unit()),
    ];
    let rested = report.answer.drives().iter().filter_map(rested);
    std::iter::once(Table::new(columns, rows).into()).chain(block::list(rested, Emphasis::Quiet)).collect()
}

/// `/dev/sdx: a single read after a pause of 1 ms takes 0.120 ±0.002 ms, of 100 ms 2.50 ±0.05 ms`
fn rested(drive: &DriveFound) -> Option<String> {
    let mut each = drive
        .rested
        .iter()
        .filter(|reads| is_known(&reads.mean))
        .map(|reads| (reads.pause_ms, numbers::figure(&reads.mean, Metric::LatencyMean).plain()));
    let (pause, takes) = each.next()?;
    let further: String = each.map(|(pause, takes)| format!(", of {pause} ms {takes} ms")).collect();
    Some(format!("{}: a single read after a pause of {pause} ms takes {takes} ms{further}", drive.target))
}

/// What each drive is, and what it says of its own health.
pub(super) fn about(report: &Report, _: &Scope) -> Vec<Block> {
    let known = |drive: &&DriveFound| drive.about.is_some();
    let drives: Vec<&DriveFound> = report.answer.drives().iter().filter(known).collect();
    if drives.is_empty() {
        return Vec::new();
    }
    let columns = [
        Column::left("drive"),
        Column::left("firmware"),
        Column::left("medium"),
        Column::left("link"),
        Column::left("sectors"),
        Column::left("health"),
        Column::of("used up", "%"),
        Column::of("temperature before", "°C"),
        Column::of("hottest", "°C"),
        Column::of("running", "h"),
    ];
    let silent = |drive: &&&DriveFound| drive.about.as_ref().is_some_and(|about| about.health.is_err());
    let why = drives.iter().filter(silent).filter_map(|drive| {
        let why = drive.about.as_ref()?.health.as_ref().err()?;
        Some(format!("{}: its health is not known: {why}", drive.target))
    });
    let why = block::list(why, Emphasis::Quiet);
    std::iter::once(Table::new(columns, drives.iter().filter_map(|drive| about_row(drive))).into()).chain(why).collect()
}

fn about_row(drive: &DriveFound) -> Option<Row> {
    let DriveAbout { queue, health } = drive.about.as_ref()?;
    let health = health.clone().unwrap_or_default();
    let rough = |value: Option<f64>| value.map_or_else(Cell::nothing, |value| numbers::rough(value).into());
    let text = |text: Option<String>| text.map_or_else(Cell::nothing, Cell::from);
    let link = queue.link.map(|(speed, lanes)| format!("PCIe {} GT/s × {lanes}", numbers::rough(speed)));
    let sectors = queue.logical_block.zip(queue.physical_block).map(|(logical, physical)| match logical == physical {
        true => format!("{logical}"),
        false => format!("{logical} on {physical}"),
    });
    let passed = match health.passed {
        Some(true) => Cell::from("passed"),
        Some(false) => Cell::from("FAILING").with(Emphasis::Bad),
        None => Cell::nothing(),
    };
    Some(Row::new([
        Cell::from(name(drive)),
        text(health.firmware.or_else(|| queue.firmware.clone())),
        text(medium(queue)),
        text(link.or_else(|| queue.sata_speed.as_ref().map(|speed| format!("SATA {speed}")))),
        text(sectors),
        passed,
        rough(health.used),
        rough(health.temperature),
        rough(drive.hottest()),
        rough(health.hours.map(|hours| hours as f64)),
    ]))
}

/// `turns 7,200 a minute, zoned (host-aware)`; of what only the kernel says rotates, which it says of all that it does not know, nothing.
fn medium(queue: &BlockQueue) -> Option<String> {
    let turns = queue.turns_a_minute.map(|turns| format!("turns {} a minute", numbers::count(u64::from(turns))));
    let kind = turns.or_else(|| (queue.rotational == Some(false)).then(|| "does not rotate".to_string()));
    let zoned = queue.zoned.as_ref().filter(|kind| *kind != "none").map(|kind| format!("zoned ({kind})"));
    let all: Vec<String> = kind.into_iter().chain(zoned).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

fn small_loads(drive: &DriveFound) -> Vec<Row> {
    let row =
        |what: String, alone, many| Row::new([Cell::from(drive.target.as_str()), what.into(), iops(alone), iops(many)]);
    let writes = |one: &DriveWrites, switched: &str| {
        let what = match one.way {
            Durability::None => "writes that need not be durable".to_string(),
            way => format!("writes, durable by {}", way_name(way)),
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
        Column::left("fitness"),
        Column::of("durable writes", "IOPS"),
        Column::of("other writes", "IOPS"),
        Column::of("reads", "IOPS"),
        linear("sequential writes"),
        linear("sequential reads"),
    ];
    Table::new(columns, drives.iter().map(row)).into()
}

fn row(drive: &DriveFound) -> Row {
    let emphasis = match drive.fitness {
        Fitness::Unfit => Emphasis::Bad,
        Fitness::FitIfCacheOff | Fitness::NotForJournals | Fitness::Open => Emphasis::Warn,
        Fitness::Fit => Emphasis::Plain,
    };
    Row::new([
        Cell::from(name(drive)),
        Cell::from(short_name(drive.fitness)).with(emphasis),
        iops(drive.slowest_durable().map(|(_, estimate)| estimate)),
        iops(drive.plain()),
        iops(drive.reads[0]),
        cell(drive.linear[0], Metric::Bandwidth),
        cell(drive.linear[1], Metric::Bandwidth),
    ])
}

/// The reciprocal of a time that may be nothing has no upper end.
pub(super) fn is_known(estimate: &Estimate) -> bool {
    estimate.high.is_finite() && !numbers::is_unknown(estimate)
}

fn iops(estimate: Option<Estimate>) -> Cell {
    cell(estimate, Metric::Iops)
}

/// A value, or, where the interval is too wide for one, that.
fn cell(estimate: Option<Estimate>, metric: Metric) -> Cell {
    let Some(estimate) = estimate else { return Cell::nothing() };
    let low = numbers::rough(estimate.low.max(0.0));
    match is_known(&estimate) {
        true => Cell::value(&estimate, metric),
        false if estimate.high.is_finite() => Cell::from(format!("{low} to {}", numbers::rough(estimate.high))),
        false if estimate.low > 0.0 => Cell::from(format!("over {low}")),
        false => Cell::nothing(),
    }
}

/// `/dev/sdx (model)`
pub(super) fn name(drive: &DriveFound) -> String {
    let model = drive.model.as_ref().map_or(String::new(), |model| format!(" ({model})"));
    format!("{}{model}", drive.target)
}

/// `/dev/sdx (model) is unfit for Ceph: 231 durable writes a second …`
pub(crate) fn sentence(drive: &DriveFound) -> String {
    let is = match drive.fitness {
        Fitness::Fit => " is fit for Ceph",
        Fitness::FitIfCacheOff => " is fit for Ceph if its write cache is off",
        Fitness::NotForJournals => " is fit for data alone, and not for journals and metadata (WAL, DB)",
        Fitness::Unfit => " is unfit for Ceph",
        Fitness::Open => ": not decided",
    };
    let rate = |estimate: &Estimate| match is_known(estimate) {
        true => numbers::figure(estimate, Metric::Iops).plain(),
        false => between(estimate.low, estimate.high),
    };
    let figures = drive.slowest_durable().filter(|(_, durable)| durable.low > 0.0 || durable.high.is_finite());
    let figures = figures.map(|(way, durable)| {
        let beside = drive.plain().filter(is_known).map(|plain| format!(", and {} that need not be", rate(&plain)));
        let way = way_name(way);
        format!(": {} durable writes of 4 KiB a second ({way}){}", rate(&durable), beside.unwrap_or_default())
    });
    // Of what is not decided the reason has them.
    let figures = figures.filter(|_| drive.fitness != Fitness::Open);
    let file = if drive.through_file { ", through a file of its file system" } else { "" };
    let cache = drive
        .cache
        .as_ref()
        .map_or("", |cache| if cache.on { ", its write cache on" } else { ", its write cache off" });
    let cache = if figures.is_some() { cache } else { "" };
    format!("{}{is}{}{cache}{file}{}", name(drive), figures.unwrap_or_default(), beside(drive))
}

/// For one of several: `/dev/sdx (model): unfit, between 100 and 610 durable writes a second`
pub(crate) fn line(drive: &DriveFound) -> String {
    let rate = drive.slowest_durable().map(|(_, durable)| match is_known(&durable) {
        true => numbers::figure(&durable, Metric::Iops).plain(),
        false => between(durable.low, durable.high),
    });
    let rate = rate.map_or(String::new(), |rate| format!(", {rate} durable writes a second"));
    let told = |reason: &&FitnessReason| reason.is_fault() || matches!(reason, FitnessReason::CacheOffHelps { .. });
    let why = drive.reasons.iter().find(told).map(|reason| format!("; {}", because(drive, reason)));
    format!("{}: {}{rate}{}{}", name(drive), drive.fitness.name(), beside(drive), why.unwrap_or_default())
}

/// `, under the load of osd.3`
fn beside(drive: &DriveFound) -> String {
    if drive.beside.is_empty() { String::new() } else { format!(", under the load of {}", osds_named(&drive.beside)) }
}

/// As manuals and other tools write it.
fn way_name(way: Durability) -> &'static str {
    match way {
        Durability::Sync => "O_SYNC",
        Durability::Dsync => "O_DSYNC",
        way => words::durability_name(way),
    }
}

/// In a table, where there is little room.
fn short_name(fitness: Fitness) -> &'static str {
    match fitness {
        Fitness::FitIfCacheOff => "fit, cache off",
        Fitness::NotForJournals => "not for journals",
        other => other.name(),
    }
}

/// `between 100 and 610`
pub(super) fn between(low: f64, high: f64) -> String {
    match high.is_finite() {
        true => format!("between {} and {}", numbers::rough(low.max(0.0)), numbers::rough(high)),
        false => format!("more than {}", numbers::rough(low.max(0.0))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::RestedReads;

    #[test]
    fn drives_of_one_model_have_a_line_together() {
        let of = |rate: f64, fitness| drive(Estimate::new(rate, 5.0), fitness, Vec::new());
        let other = DriveFound { model: Some("OTHER".to_string()), ..of(1.0, Fitness::Fit) };
        let three = [of(231.0, Fitness::Unfit), of(20_000.0, Fitness::Fit), of(21_000.0, Fitness::Fit), other];
        let text = crate::markdown::text(&[Vec::from_iter(fitness_by_model::table(&three))]);
        assert!(text.contains("MODEL 9") && text.contains("1 unfit, 2 fit"), "{text}");
        assert!(text.contains("231") && text.contains("21,000") && !text.contains("OTHER"), "{text}");
        assert!(fitness_by_model::table(&three[..1]).is_none());
    }

    fn drive(durable: Estimate, fitness: Fitness, reasons: Vec<FitnessReason>) -> DriveFound {
        let by = |way, alone| DriveWrites { way, alone: Some(alone), many: None };
        DriveFound {
            target: "/dev/sdx".to_string(),
            host: None,
            model: Some("MODEL 9".to_string()),
            about: None,
            through_file: false,
            beside: Vec::new(),
            fitness,
            reasons,
            cache: None,
            switched: Vec::new(),
            writes: vec![by(Durability::Fsync, durable), by(Durability::None, Estimate::new(5836.0, 100.0))],
            reads: [None; 2],
            mixed: [None; 2],
            rested: Vec::new(),
            temperatures: Vec::new(),
            linear: [None; 2],
            one_osd: None,
            serves: None,
        }
    }

    #[test]
    fn the_answer_has_its_figures_and_what_is_not_known_is_not_one() {
        let unfit = drive(Estimate::new(231.0, 5.0), Fitness::Unfit, Vec::new());
        assert_eq!(
            sentence(&unfit),
            "/dev/sdx (MODEL 9) is unfit for Ceph: 231 ±2.2 % durable writes of 4 KiB a second (fsync), and 5,840 ±1.8 % that need not be"
        );
        let open = drive(Estimate::new(231.0, 400.0), Fitness::Open, Vec::new());
        assert_eq!(sentence(&open), "/dev/sdx (MODEL 9): not decided");
        let unbounded = Estimate { value: 231.0, low: 100.0, high: f64::INFINITY };
        assert_eq!(sentence(&drive(unbounded, Fitness::Open, Vec::new())), "/dev/sdx (MODEL 9): not decided");
    }

    #[test]
    fn what_a_medium_is_stands_beside_the_drive_as_far_as_that_is_known() {
        let queue = |rotational: Option<bool>, turns_a_minute: Option<u16>, zoned: &str| BlockQueue {
            rotational,
            turns_a_minute,
            zoned: Some(zoned.into()),
            ..BlockQueue::default()
        };
        let told = medium(&queue(Some(true), Some(7200), "host-aware"));
        assert_eq!(told.as_deref(), Some("turns 7,200 a minute, zoned (host-aware)"));
        assert_eq!(medium(&queue(Some(false), None, "none")).as_deref(), Some("does not rotate"));
        assert_eq!(medium(&queue(Some(true), None, "none")), None, "as of virtual ones");
    }

    #[test]
    fn what_is_hardly_known_is_a_range_in_tables_and_pauses_are_told() {
        let text = |estimate| cell(estimate, Metric::Iops).text;
        assert_eq!(text(Some(Estimate { value: 231.0, low: 100.0, high: 610.0 })), "100 to 610");
        assert_eq!(text(Some(Estimate { value: 231.0, low: 100.0, high: f64::INFINITY })), "over 100");
        assert_eq!(text(Some(Estimate { value: 231.0, low: 0.0, high: f64::INFINITY })), numbers::NOTHING);
        assert_eq!(text(Some(Estimate::new(231.0, 5.0))), "231");
        let rests = |pause_ms: f64, ms: f64| RestedReads { pause_ms, mean: Estimate::new(ms, ms / 50.0) };
        let mut drive = drive(Estimate::new(231.0, 5.0), Fitness::Unfit, Vec::new());
        assert_eq!(rested(&drive), None);
        drive.rested = vec![rests(1.0, 0.12), rests(100.0, 2.5)];
        assert_eq!(
            rested(&drive).unwrap(),
            "/dev/sdx: a single read after a pause of 1 ms takes 0.1200 ±0.0024 ms, of 100 ms 2.50 ±0.05 ms"
        );
    }

    #[test]
    fn each_drive_has_a_row_for_each_load() {
        let drive =
            drive(Estimate::new(231.0, 5.0), Fitness::Unfit, vec![FitnessReason::SlowerThanOsds { least: 1000.0 }]);
        assert_eq!(small_loads(&drive).len(), 5);
        assert!(because(&drive, &drive.reasons[0]).starts_with("fewer durable writes than the 1,000 a second"));
    }
}
