//! Which devices are written to until they fall, and how much of them: one of each model.

use super::draft::Draft;
use model::units::bytes as shown;
use model::workload::MIB;
use model::{
    Access, Bytes, DeviceScope, Durability, Failure, Pattern, Site, SiteSeen, Step, SustainedTest, Target, Workload,
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
    let Some(wished) = draft.request.experiment.sustained() else { return Ok(false) };
    let (Ok(seen), path) = (&site.seen, site.wish.path.as_path()) else { return Ok(false) };
    let device = seen.device.clone();
    if let Some(known) = stands_for(draft, device.as_ref()) {
        known.also.push(target.name.clone());
        return Ok(false);
    }
    let usual = Workload::canonical(Pattern::WriteLinear, 0, draft.options.seed);
    let block = draft.options.block_size.unwrap_or(usual.block);
    let depth = draft.options.depth.unwrap_or(usual.depth);
    let span = volume(wished.volume, path, seen, room)? / block * block;
    refuse_senseless(path, seen, span, block * Bytes::from(depth))?;
    let workload = Workload {
        block,
        depth,
        access: Access::Sequential,
        durability: Durability::None,
        span,
        spread: target.bytes.filter(|bytes| *bytes > span),
        engine: draft.options.engine.clone(),
        ..usual
    };
    let pattern = Pattern::WriteLinear;
    let step = Step { chart: false, ..Step::new(u32::MAX, target.layer, pattern, vec![target.clone()], workload) };
    let model = device.as_ref().and_then(|device| device.model.clone());
    draft.sustained_on.push(device);
    draft.sustained.push(SustainedTest { step, model, also: Vec::new(), seconds: wished.seconds });
    Ok(true)
}

/// Memory has nothing that could get full; and of a volume that is hardly more than what is in flight nothing is seen.
fn refuse_senseless(path: &Path, seen: &SiteSeen, span: Bytes, in_flight: Bytes) -> Result<(), Failure> {
    if seen.in_memory {
        return Err(Failure::Usage(format!(
            "{}: lies in memory, where no write reaches a device; --sustained needs a device, or a file on one",
            path.display()
        )));
    }
    let least = IN_FLIGHT_LEAST * in_flight;
    (span >= least).then_some(()).ok_or_else(|| {
        Failure::Usage(format!(
            "{}: --sustained could write {}, and with {} in flight it takes {} at least; give a larger --volume, or a smaller \
             --block-size or --depth",
            path.display(),
            shown(span),
            shown(in_flight),
            shown(least)
        ))
    })
}

/// A test of the same model of device, or of the very same device.
fn stands_for<'d>(draft: &'d mut Draft, device: Option<&DeviceScope>) -> Option<&'d mut SustainedTest> {
    let device = device?;
    let same = |(known, _): &(&Option<DeviceScope>, &mut SustainedTest)| {
        known.as_ref().is_some_and(|known| {
            let same_model = device.model.is_some() && known.model == device.model;
            same_model || (&known.path, &known.host) == (&device.path, &device.host)
        })
    };
    draft.sustained_on.iter().zip(&mut draft.sustained).find(same).map(|(_, test)| test)
}

fn volume(wished: Option<Bytes>, path: &Path, seen: &SiteSeen, room: WritableRoom) -> Result<Bytes, Failure> {
    let (there, most, what) = match room {
        WritableRoom::All(bytes) => (bytes, bytes, "it has"),
        WritableRoom::Free => {
            let unknown = || Failure::Failed(format!("{}: how much is free there is not known", path.display()));
            let free = seen.free.ok_or_else(unknown)?;
            (free, (free as f64 * FREE_MOST) as Bytes, "of the free space of its file system, nine tenths are")
        }
    };
    match wished {
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
