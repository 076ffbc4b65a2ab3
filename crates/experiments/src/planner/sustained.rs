//! Which devices are written to without pause, and how much of them: one of each model.

use super::draft::Draft;
use crate::SustainedOptions;
use model::fitness::MANY;
use model::units::bytes as shown;
use model::workload::MIB;
use model::{
    Access, Bytes, DeviceScope, Durability, Failure, FillLevel, Pattern, Site, SiteSeen, SiteWish, Step, SustainedTest,
    Target, Until, Workload,
};
use std::path::Path;

/// Share of the space that is written, unless the user says how much.
const SHARE: f64 = 0.30;
/// At most this share of a file system's free space is written: other files are there, too.
const FREE_MOST: f64 = 0.90;

/// At least this many times what is in flight has to be written.
const IN_FLIGHT_LEAST: Bytes = 4;

/// How much could be written.
pub enum WritableRoom {
    /// All of a device or file, which is empty or given up.
    All(Bytes),
    /// What is free on the file system of a file of our own.
    Free,
}

/// False: no test is wished for, or another one stands for it.
pub fn add(draft: &mut Draft, target: &Target, site: &Site, room: WritableRoom) -> Result<bool, Failure> {
    let Some(wished) = draft.request.experiment.sustained().cloned() else { return Ok(false) };
    let (Ok(seen), path) = (&site.seen, site.wish.path.as_path()) else { return Ok(false) };
    let whole = seen.drive.as_ref().and_then(|drive| drive.queue.bytes);
    // What is a twin is told by the drive's size, not by that of a part of it.
    let device = seen.device.clone().map(|device| DeviceScope { bytes: whole.or(device.bytes), ..device });
    if stands_for(draft, device.as_ref(), &target.name) {
        return Ok(false);
    }
    refuse_no_discards(&wished, &site.wish, (target, seen))?;
    let (usual, span) = (draft.options.clone(), volume(&wished, path, seen, &room)?);
    let mut tests = Vec::new();
    for until in &wished.until {
        let pattern = match until {
            Until::Falls => Pattern::WriteLinear,
            Until::Steady => Pattern::WriteParallel,
        };
        let canonical = Workload::canonical(pattern, span, usual.seed);
        let block = usual.block_size.unwrap_or(canonical.block);
        let depth = usual.depth.unwrap_or(if *until == Until::Steady { MANY } else { canonical.depth });
        refuse_senseless((path, *until), seen, span, block * Bytes::from(depth))?;
        let durability = Durability::None;
        let load = Workload { block, depth, durability, engine: usual.engine.clone(), ..canonical };
        match until {
            Until::Falls => tests.push(until_it_falls(target, &wished, span / block * block, load)),
            Until::Steady => tests.extend(until_steady(target, &wished, &room, span, &load)),
        }
    }
    if let Some(last) = tests.last_mut() {
        last.trim[1] = wished.trim[1];
    }
    let model = device.as_ref().and_then(|device| device.model.clone());
    for test in tests {
        draft.sustained_on.push(device.clone());
        draft.sustained.push(SustainedTest { model: model.clone(), seconds: wished.seconds, ..test });
    }
    Ok(true)
}

fn until_it_falls(target: &Target, wished: &SustainedOptions, span: Bytes, load: Workload) -> SustainedTest {
    let spread = target.bytes.filter(|bytes| *bytes > span);
    let load = Workload { access: Access::Sequential, span, spread, ..load };
    SustainedTest { trim: [wished.trim[0], false], ..of(target, load) }
}

/// One for each fill level. A file is written full before: what was never written would get its blocks meanwhile.
fn until_steady(
    target: &Target,
    wished: &SustainedOptions,
    room: &WritableRoom,
    span: Bytes,
    load: &Workload,
) -> Vec<SustainedTest> {
    let whole = target.bytes.unwrap_or(span);
    let level = |percent: u8| {
        let span = level_bytes(whole, percent);
        let filler = Workload::canonical(Pattern::WriteLinear, span, load.seed);
        FillLevel { percent, workload: Workload { engine: load.engine.clone(), ..filler } }
    };
    let levels: Vec<Option<FillLevel>> = match (wished.fill_levels.as_slice(), room) {
        ([], WritableRoom::Free) => vec![Some(level(100))],
        ([], WritableRoom::All(_)) => vec![None],
        (levels, _) => levels.iter().map(|percent| Some(level(*percent))).collect(),
    };
    let test = |fill: Option<FillLevel>| {
        let filled = fill.as_ref().map(|level| level.workload.span).filter(|bytes| *bytes > 0);
        let span = filled.unwrap_or(whole) / load.block * load.block;
        let trim = [wished.trim[0] || !wished.fill_levels.is_empty(), false];
        let load = Workload { access: Access::Random, span, ..load.clone() };
        SustainedTest { until: Until::Steady, most: wished.volume, fill, trim, ..of(target, load) }
    };
    levels.into_iter().map(test).collect()
}

fn of(target: &Target, load: Workload) -> SustainedTest {
    let pattern = Pattern::nearest(&load);
    let step = Step::new(u32::MAX, target.layer, pattern, vec![target.clone()], load);
    SustainedTest::of(Step { chart: false, ..step })
}

/// Whole blocks of this share of a device.
fn level_bytes(whole: Bytes, percent: u8) -> Bytes {
    whole / 100 * Bytes::from(percent) / MIB * MIB
}

/// Fill levels and trimming are of a device, all of which is given up.
fn refuse_no_discards(
    wished: &SustainedOptions,
    wish: &SiteWish,
    (target, seen): (&Target, &SiteSeen),
) -> Result<(), Failure> {
    let option = match (wished.fill_levels.is_empty(), wished.trim) {
        (false, _) => "--fill-levels",
        (true, [false, false]) => return Ok(()),
        (true, _) => "--trim",
    };
    let (shown, refused) = (wish.path.display(), |text: String| Err(Failure::Usage(format!("{option}: {text}"))));
    let Some(bytes) = target.bytes else {
        return refused(format!("{shown} is a file, and all of a device is discarded (trimmed) for it; name a device"));
    };
    if !seen.discards {
        return refused(format!("{shown} does not discard (trim) its blocks; leave {option} out"));
    }
    // That a device looks empty rests on samples of it, which is enough to write to a part of it, but not to discard all.
    if !wish.given_up {
        return refused(format!("all that {shown} holds is discarded; if that may be, add --destroy-data-on {shown}"));
    }
    let low = wished.fill_levels.iter().find(|level| **level > 0 && level_bytes(bytes, **level) == 0);
    low.map_or(Ok(()), |level| refused(format!("{level} % of {shown} are less than 1 MiB; name 0 or a higher level")))
}

/// Memory has nothing that could get full; and of a volume that is hardly more than what is in flight nothing is seen.
fn refuse_senseless(
    (path, until): (&Path, Until),
    seen: &SiteSeen,
    span: Bytes,
    in_flight: Bytes,
) -> Result<(), Failure> {
    let option = if until == Until::Falls { "--sustained" } else { "--until-steady" };
    if seen.in_memory {
        return Err(Failure::Usage(format!(
            "{}: lies in memory, where no write reaches a device; {option} needs a device, or a file on one",
            path.display()
        )));
    }
    let least = IN_FLIGHT_LEAST * in_flight;
    (span >= least).then_some(()).ok_or_else(|| {
        Failure::Usage(format!(
            "{}: {option} could write {}, and with {} in flight it takes {} at least; give a larger --volume, or a smaller \
             --block-size or --depth",
            path.display(),
            shown(span),
            shown(in_flight),
            shown(least)
        ))
    })
}

/// Is there a test of the same model of device, or of the very same device? Then it is one for this target as well.
fn stands_for(draft: &mut Draft, device: Option<&DeviceScope>, target: &str) -> bool {
    let Some(device) = device else { return false };
    let same = |known: &Option<DeviceScope>| {
        known.as_ref().is_some_and(|known| {
            let same_model = device.model.is_some() && (&known.model, known.bytes) == (&device.model, device.bytes);
            same_model || (&known.path, &known.host) == (&device.path, &device.host)
        })
    };
    let tests = draft.sustained_on.iter().zip(&mut draft.sustained).filter(|(known, _)| same(known));
    tests.map(|(_, test)| test.also.push(target.to_string())).count() > 0
}

/// Bytes that are written in order; of small random writes into a file of our own its size.
fn volume(wished: &SustainedOptions, path: &Path, seen: &SiteSeen, room: &WritableRoom) -> Result<Bytes, Failure> {
    let (there, most, what) = match room {
        // Written at random, it is written again and again.
        WritableRoom::All(bytes) if !wished.until.contains(&Until::Falls) => return Ok(*bytes),
        WritableRoom::All(bytes) => (*bytes, *bytes, "it has"),
        WritableRoom::Free => {
            let unknown = || Failure::Failed(format!("{}: how much is free there is not known", path.display()));
            let free = seen.free.ok_or_else(unknown)?;
            (free, (free as f64 * FREE_MOST) as Bytes, "of the free space of its file system, nine tenths are")
        }
    };
    match wished.volume {
        Some(bytes) if bytes > most => Err(Failure::Usage(format!(
            "--volume: {} asked for on {}, and {what} {}",
            shown(bytes),
            path.display(),
            shown(most)
        ))),
        Some(bytes) => Ok(bytes),
        None => Ok((there as f64 * SHARE) as Bytes / MIB * MIB),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::{self, testing};
    use crate::{Experiment, Request};
    use model::PlannedExperiment;

    /// Model and size are what tells drives apart whose names are cut short.
    #[test]
    fn one_drive_of_each_model_and_size_stands_for_the_others() {
        let mut inventory = testing::inventory(0);
        let drives = [("/dev/sda", 1_u64 << 40), ("/dev/sdb", 1 << 40), ("/dev/sdc", 2 << 40)];
        let site = |(path, bytes): (&str, Bytes)| {
            let mut site = testing::folder(path);
            let device = DeviceScope { path: path.into(), model: Some("Samsung SSD 870".into()), ..Default::default() };
            let seen = site.seen.as_mut().unwrap();
            (seen.found, seen.device) =
                (model::PathKind::Device(bytes), Some(DeviceScope { bytes: Some(bytes), ..device }));
            site
        };
        inventory.sites = drives.map(site).to_vec();
        let wished = SustainedOptions {
            until: vec![Until::Falls],
            fill_levels: Vec::new(),
            trim: [false; 2],
            seconds: 60.0,
            volume: None,
            alone: true,
        };
        let mut request =
            Request { experiment: Experiment::SustainedWrites(wished), ..testing::request(&[testing::disks()]) };
        request.targets.paths = drives.map(|(path, _)| path.into()).to_vec();
        let plan = planner::plan(&inventory, &request).unwrap();
        let PlannedExperiment::SustainedWrites(tests) = plan.experiment else { unreachable!() };
        let told: Vec<_> = tests.iter().map(|test| (test.also.join(" "), test.model.as_deref())).collect();
        assert_eq!(told, [("/dev/sdb".to_string(), Some("Samsung SSD 870")), (String::new(), Some("Samsung SSD 870"))]);
    }
}
