//! What a drive would be good for, from its figures: what one OSD could do with it, and for how many drives it could hold the DB. Estimates,
//! since an OSD's own software is not measured here: catalogue of causes, formulas F3 (parallel), F4 (one in flight), F5 (writes of the
//! device for each of the client), F11 (DB devices).

use model::{DriveFound, Durability, Estimate, Fitness, OsdEstimate, ServesDbs};

/// ms that an OSD's own software takes for an operation alone: 300 to 2,500 writes, 2,000 to 4,000 reads a second on fast drives.
const WRITE_SOFTWARE_MS: [f64; 2] = [0.4, 1e3 / 300.0];
const READ_SOFTWARE_MS: [f64; 2] = [0.25, 0.5];
/// What the software of one OSD reaches on fast drives with many in flight: writes and reads a second, the least and the most.
const MANY_WRITES: [f64; 2] = [10_000.0, 20_000.0];
const MANY_READS: [f64; 2] = [20_000.0, 50_000.0];
/// Writes of the device for each write of 4 KiB: data, WAL, metadata.
const AMPLIFIED: [f64; 2] = [3.0, 5.0];
/// MB/s that disks write in order, from inner to outer tracks of usual models: where none was measured beside it.
const DISK_WRITES: [f64; 2] = [100.0, 250.0];

/// `None`: a figure is missing or hardly known, or its fitness is not decided: then nothing is estimated of it either.
pub fn one_osd(drive: &DriveFound) -> Option<OsdEstimate> {
    if drive.fitness == Fitness::Open {
        return None;
    }
    let writes = if drive.fitness == Fitness::FitIfCacheOff { &drive.switched } else { &drive.writes };
    let (_, durable) = model::fitness::slowest_durable(writes)?;
    let many = |durable: bool| {
        let of = writes.iter().filter(|one| (one.way != Durability::None) == durable).filter_map(|one| one.many);
        of.reduce(|a, b| if b.value < a.value { b } else { a })
    };
    let [alone, deep] = drive.reads;
    let (alone, deep, plain, flushed) = (alone?, deep?, many(false)?, many(true)?);
    let known = |of: &Estimate| of.low > 0.0 && of.high.is_finite();
    if ![alone, deep, plain, flushed, durable].iter().all(known) {
        return None;
    }
    let with = |of: Estimate, software: [f64; 2]| {
        let per_second = |drive: f64, software: f64| 1e3 / (1e3 / drive + software);
        [per_second(of.low.max(0.0), software[1]), per_second(of.high, software[0])]
    };
    // A flush is shared by all that wait for it, so that it is between those of every write and none.
    let most_writes = [flushed.low.min(plain.low) / AMPLIFIED[1], plain.high / AMPLIFIED[0]];
    // One alone makes no more than many.
    let within = |[low, high]: [f64; 2], most: [f64; 2]| [low.min(most[0]), high.min(most[1])];
    Some(OsdEstimate {
        writes_alone: within(with(durable, WRITE_SOFTWARE_MS), most_writes),
        writes_many: within(MANY_WRITES, most_writes),
        reads_alone: within(with(alone, READ_SOFTWARE_MS), [deep.low, deep.high]),
        reads_many: within(MANY_READS, [deep.low, deep.high]),
    })
}

/// For how many of its host's drives that are no good for it this one could hold WAL and DB. `others`: all drives of the run; one that an
/// OSD loaded meanwhile is quicker than it looks.
pub fn serves(drive: &DriveFound, others: &[DriveFound]) -> Option<ServesDbs> {
    if !matches!(drive.fitness, Fitness::Fit | Fitness::FitIfCacheOff) {
        return None;
    }
    let own = drive.linear[0].filter(|rate| rate.low > 0.0 && rate.high.is_finite())?;
    let data = |other: &&DriveFound| {
        other.fitness == Fitness::NotForJournals && other.host == drive.host && other.beside.is_empty()
    };
    let data = others.iter().filter(data);
    let rates: Vec<(&str, Estimate)> =
        data.filter_map(|other| Some((other.target.as_str(), other.linear[0]?))).collect();
    // The quickest of them needs most.
    let quickest = rates.into_iter().filter(|(_, rate)| rate.low > 0.0).max_by(|a, b| a.1.value.total_cmp(&b.1.value));
    let (of, [slow, quick]) = match quickest {
        Some((target, rate)) => (Some(target.to_string()), [rate.low, rate.high]),
        None => (None, DISK_WRITES),
    };
    Some(ServesDbs { drives: [own.low / quick, own.high / slow], of })
}

#[cfg(test)]
mod tests {
    use super::super::tests::drive;
    use super::*;
    use model::DriveWrites;

    fn known(durable: f64, many: f64, linear: f64, fitness: Fitness) -> DriveFound {
        let exact = |value: f64| Estimate::new(value, 0.0);
        let mut found = drive([durable, durable, durable, 30_000.0], 10_000.0);
        found.writes = found
            .writes
            .into_iter()
            .map(|one| DriveWrites { alone: one.alone.map(|of| exact(of.value)), many: Some(exact(many)), ..one })
            .collect();
        (found.reads, found.linear) = ([Some(exact(10_000.0)), Some(exact(100_000.0))], [Some(exact(linear)), None]);
        DriveFound { fitness, ..found }
    }

    fn near(found: [f64; 2], wanted: [f64; 2]) {
        let is = |a: f64, b: f64| (a / b - 1.0).abs() < 0.01;
        assert!(is(found[0], wanted[0]) && is(found[1], wanted[1]), "{found:?} and not {wanted:?}");
    }

    /// 25,000 durable writes a second take 0.04 ms, beside which an OSD's software is what takes time.
    #[test]
    fn an_osd_on_a_fast_drive_is_its_software_and_on_a_slow_one_the_drive() {
        let fast = one_osd(&known(25_000.0, 200_000.0, 2_000.0, Fitness::Fit)).unwrap();
        near(fast.writes_alone, [296.0, 2_273.0]);
        near(fast.writes_many, [10_000.0, 20_000.0]);
        near(fast.reads_alone, [1_667.0, 2_857.0]);
        near(fast.reads_many, [20_000.0, 50_000.0]);
        let slow = one_osd(&known(100.0, 300.0, 200.0, Fitness::Unfit)).unwrap();
        near(slow.writes_alone, [60.0, 96.2]);
        near(slow.writes_many, [60.0, 100.0]);
        let open = DriveFound { fitness: Fitness::Open, ..known(25_000.0, 200_000.0, 2_000.0, Fitness::Fit) };
        assert_eq!(one_osd(&open), None);
        assert_eq!(one_osd(&DriveFound { writes: Vec::new(), ..drive([1.0; 4], 1.0) }), None);
    }

    #[test]
    fn a_db_device_serves_as_many_drives_as_its_writes_in_order_are_faster() {
        let ssd = known(25_000.0, 200_000.0, 2_000.0, Fitness::Fit);
        let disk = DriveFound { target: "disk".into(), ..known(100.0, 300.0, 200.0, Fitness::NotForJournals) };
        let found = serves(&ssd, &[ssd.clone(), disk.clone()]).unwrap();
        assert_eq!((found.drives, found.of.as_deref()), ([10.0, 10.0], Some("disk")));
        let alone = serves(&ssd, std::slice::from_ref(&ssd)).unwrap();
        assert_eq!((alone.drives, alone.of), ([8.0, 20.0], None));
        let elsewhere = DriveFound { host: Some("b".into()), ..disk.clone() };
        assert_eq!(serves(&ssd, &[elsewhere]).unwrap().of, None);
        assert_eq!(serves(&disk, &[ssd]), None);
    }
}
