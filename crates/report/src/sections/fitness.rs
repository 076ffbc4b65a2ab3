//! Is each drive fit for Ceph, why, and the figures that say so: one line for each, then every way of writing.

use super::fitness_by_model;
use crate::block::{self, Block, Cell, Column, Emphasis, Row, Table};
use crate::{numbers, words};
use model::fitness::{MANY, READ_PERCENT, slowest_durable};
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
    vec![Table::new(columns, rows).into()]
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
        text(link.or_else(|| queue.sata_speed.as_ref().map(|speed| format!("SATA {speed}")))),
        text(sectors),
        passed,
        rough(health.used),
        rough(health.temperature),
        rough(drive.hottest()),
        rough(health.hours.map(|hours| hours as f64)),
    ]))
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
    let linear = |estimate: Option<Estimate>| {
        estimate.filter(is_known).map_or_else(Cell::nothing, |estimate| Cell::value(&estimate, Metric::Bandwidth))
    };
    Row::new([
        Cell::from(name(drive)),
        Cell::from(short_name(drive.fitness)).with(emphasis),
        iops(drive.slowest_durable().map(|(_, estimate)| estimate)),
        iops(drive.plain()),
        iops(drive.reads[0]),
        linear(drive.linear[0]),
        linear(drive.linear[1]),
    ])
}

/// The reciprocal of a time that may be nothing has no upper end.
pub(super) fn is_known(estimate: &Estimate) -> bool {
    estimate.high.is_finite() && !numbers::is_unknown(estimate)
}

fn iops(estimate: Option<Estimate>) -> Cell {
    estimate.filter(is_known).map_or_else(Cell::nothing, |estimate| Cell::value(&estimate, Metric::Iops))
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

/// `: 25,100 ±2 % a second`
fn switched(drive: &DriveFound) -> String {
    let known = slowest_durable(&drive.switched).filter(|(_, rate)| is_known(rate));
    known.map_or(String::new(), |(_, rate)| format!(": {} a second", numbers::figure(&rate, Metric::Iops).plain()))
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

/// One reason, in words.
pub(crate) fn because(drive: &DriveFound, reason: &FitnessReason) -> String {
    match reason {
        FitnessReason::Rotates => {
            let read = drive.reads[0].filter(is_known).map(|reads| numbers::rough(1e3 / reads.value));
            let read = read.map_or(String::new(), |ms| format!(" ({ms} ms at random)"));
            format!("its reads are as slow as a disk's{read}, and it is judged as one: WAL and DB of its OSD belong on an SSD")
        }
        FitnessReason::Sleeps { pause_ms, rested_ms, ms } => format!(
            "a read after a pause of {} ms takes {} ms, and {} ms without: it saves power in between (NVMe: nvme_core.default_ps_max_latency_us=0; \
             SATA: link_power_management_policy=max_performance, hdparm -B 255)",
            numbers::rough(*pause_ms),
            numbers::rough(*rested_ms),
            numbers::rough(*ms)
        ),
        FitnessReason::FallsWhenFull { after, from, to } => format!(
            "large writes in order fall from {} to {} MB/s after {} without pause, when its cache is full",
            numbers::rough(*from),
            numbers::rough(*to),
            numbers::bytes(*after)
        ),
        FitnessReason::SlowerWhenSteady { filled, first, steady } => format!(
            "small random writes go on at {} a second once they are steady{}, and began at {}: count on the steady rate",
            numbers::rough(*steady),
            filled_to(*filled),
            numbers::rough(*first)
        ),
        FitnessReason::PartWritten { filled, covered } => format!(
            "small random writes had reached only {} % of the working set{} when they ended, so that it is not known whether they are \
             steady: write all of it before (--fill-levels 100), or give them longer (--for) and more to write (--volume)",
            numbers::rough(covered * 100.0),
            filled_to(*filled)
        ),
        FitnessReason::NotSteady { filled } => {
            format!("small random writes{} were not steady when they ended: give them longer (--for)", filled_to(*filled))
        }
        FitnessReason::SlowReads { ms } => format!(
            "a random read takes {} ms, longer than flash or an idle disk needs: something holds it back, as a limit, a network or a path that fails",
            numbers::rough(*ms)
        ),
        FitnessReason::NothingEmptied => "durable writes are about as fast as others: it is protected against power loss, or its \
                                          writes are not durable at all; no test can tell these two apart without cutting the power"
            .to_string(),
        FitnessReason::FasterThanFlash => "durable writes are faster than flash could keep them one by one: it is protected against power \
                                           loss, or its writes are not durable at all; no test can tell these two apart without \
                                           cutting the power"
            .to_string(),
        FitnessReason::CacheEmptied => "a durable write takes far longer than another one, since a volatile cache is emptied for it: \
                                        it has no protection against power loss, or would do better with its write cache off"
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
            "fewer than {} durable writes a second, which every disk makes that is not shingled (SMR) or broken",
            numbers::count(*least as u64)
        ),
        FitnessReason::SlowerThanJournals { least, protected } => format!(
            "fewer durable writes than the {} a second that journals and metadata are to have ({} do where that is at least a fifth of the \
             writes that need not be durable): put WAL and DB on another drive",
            numbers::rough(*least),
            numbers::rough(*protected)
        ),
        FitnessReason::SlowerThanOsds { least } => format!(
            "fewer durable writes than the {} a second that an OSD's own software does with one operation in flight: the drive would \
             hold it back",
            numbers::rough(*least)
        ),
        FitnessReason::CacheOffHelps { factor, then } => {
            let then = if *then == Fitness::Open { String::new() } else { format!(", and is {} then", then.name()) };
            let times = numbers::rough(*factor);
            format!("with its write cache off it makes {times} times as many durable writes{}{then}", switched(drive))
        }
        FitnessReason::CacheOffSlower { factor } => format!(
            "with its write cache off it makes fewer durable writes, by a factor of {}{}",
            numbers::rough(*factor),
            switched(drive)
        ),
        FitnessReason::CacheOffDoesNotHelp => format!("switching its write cache off does not help{}", switched(drive)),
        FitnessReason::CacheOffUnknown => {
            format!("whether switching its write cache off helps is not known{}", switched(drive))
        }
        FitnessReason::CacheOnHelps { factor, then } => {
            let then = if *then == Fitness::Open { String::new() } else { format!(", and is {} then", then.name()) };
            let times = numbers::rough(*factor);
            format!("its write cache is off; with it on it makes {times} times as many durable writes{}{then}", switched(drive))
        }
        FitnessReason::CacheNotFlushed => "its write cache is on, and the kernel takes it for write through and never flushes it: what is \
                                           said to be durable is lost with the power"
            .to_string(),
        FitnessReason::Failing => "the drive itself expects to fail (smartctl -x), whatever its figures are".to_string(),
        FitnessReason::Unreadable { sectors } => {
            format!("{} could not be read and wait to be replaced (pending sectors)", numbers::counted(*sectors, "sector", "sectors"))
        }
        FitnessReason::MediumErrors { errors } => format!("{} of its medium were not mended", numbers::counted(*errors, "error", "errors")),
        FitnessReason::Reallocated { sectors } => {
            format!("{} were replaced; a number that grows is a drive that fails", numbers::counted(*sectors, "sector", "sectors"))
        }
        FitnessReason::Worn { percent } => {
            format!("{} % of the endurance that its maker promises are used up", numbers::rough(*percent))
        }
        FitnessReason::SlowLink { now, most } => format!(
            "its PCIe link runs at {} GT/s with {} lanes and could run at {} GT/s with {}: look at the slot, the riser and their settings",
            numbers::rough(now.0),
            now.1,
            numbers::rough(most.0),
            most.1
        ),
        FitnessReason::SlowerThanTwins { what, slower_by, others } => {
            let slower = numbers::rough(slower_by * 100.0);
            format!("{what}: {slower} % slower than the median of the other {others} of its model; compare firmware, link and health")
        }
        FitnessReason::NotMeasured { what, why } => {
            let why = why.as_ref().map_or(String::new(), |why| format!(" ({why})"));
            format!("{what} have no usable figure{why}, without which nothing is said of it")
        }
        FitnessReason::Undecided { either, or, low, high } => format!(
            "either {}, or {}: it makes {} durable writes a second",
            either.name(),
            or.name(),
            between(*low, high.unwrap_or(f64::INFINITY))
        ),
        FitnessReason::ReadsUndecided { either, or, low_ms, high_ms } => {
            let up_to = high_ms.map_or("more".to_string(), numbers::rough);
            format!(
                "either {}, or {}: a random read takes {} to {up_to} ms, and from 2 ms on it is judged as a disk",
                either.name(),
                or.name(),
                numbers::rough(*low_ms)
            )
        }
        FitnessReason::RanHot { celsius, most } => format!(
            "it was {} °C hot while it was measured, and its maker wants less than {}: it may have slowed itself down; cool it, and \
             measure it again",
            numbers::rough(*celsius),
            numbers::rough(*most)
        ),
        FitnessReason::Beside { osds } => format!(
            "it lies on the disk of {}, which served {} cluster meanwhile: without that load it may do better than this",
            osds_named(osds),
            if osds.len() > 1 { "their" } else { "its" }
        ),
        FitnessReason::CacheNotTried => format!(
            "its write cache is on and was not switched off, since other things are on the drive: `fathom prove drive-cache=off --device \
             /dev/{}` tries that, with the OSDs of the drive, and puts it back",
            drive.cache.as_ref().map_or("", |cache| &cache.disk)
        ),
        FitnessReason::HeldBack { loads, of } => format!(
            "{loads} of {of} loads waited for the processors of the host that put them on: stop what else runs there"
        ),
    }
}

/// ` with 90 % of it full`
fn filled_to(percent: Option<u8>) -> String {
    percent.map_or(String::new(), |percent| format!(" with {percent} % of it full"))
}

/// `between 100 and 610`
fn between(low: f64, high: f64) -> String {
    match high.is_finite() {
        true => format!("between {} and {}", numbers::rough(low.max(0.0)), numbers::rough(high)),
        false => format!("more than {}", numbers::rough(low.max(0.0))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            "/dev/sdx (MODEL 9) is unfit for Ceph: 231 ±2 % durable writes of 4 KiB a second (fsync), and 5,840 ±2 % that need not be"
        );
        let open = drive(Estimate::new(231.0, 400.0), Fitness::Open, Vec::new());
        assert_eq!(sentence(&open), "/dev/sdx (MODEL 9): not decided");
        let unbounded = Estimate { value: 231.0, low: 100.0, high: f64::INFINITY };
        assert_eq!(sentence(&drive(unbounded, Fitness::Open, Vec::new())), "/dev/sdx (MODEL 9): not decided");
    }

    #[test]
    fn each_drive_has_a_row_for_each_load() {
        let drive =
            drive(Estimate::new(231.0, 5.0), Fitness::Unfit, vec![FitnessReason::SlowerThanOsds { least: 1000.0 }]);
        assert_eq!(small_loads(&drive).len(), 5);
        assert!(because(&drive, &drive.reasons[0]).starts_with("fewer durable writes than the 1,000 a second"));
    }
}
