//! Is a drive fit for Ceph? The loads by which that is told, and the drives that can be asked.

use crate::WorkloadOptions;
use model::fitness::{MANY, READ_PERCENT};
use model::{Bytes, Durability, Failure, JudgedDrive, OpMix, PathKind, Pattern, Site, Workload};

/// The ways that stores, databases and file systems use. Drives treat FUA and a flush apart, so that each is measured.
const WAYS: [Durability; 4] = [Durability::Dsync, Durability::Fsync, Durability::Fdatasync, Durability::None];

/// Small random writes in every way with one and with many in flight, reads likewise, a mixed load, and large blocks in order.
pub fn loads(options: &WorkloadOptions, span: Bytes) -> Vec<(Pattern, Workload)> {
    let span = options.working_set.unwrap_or(span);
    let usual = |pattern: Pattern| Workload {
        engine: options.engine.clone(),
        ..Workload::canonical(pattern, span, options.seed)
    };
    let many = |pattern: Pattern| Workload { depth: MANY, ..usual(pattern) };
    let writes = WAYS.into_iter().flat_map(|durability| {
        [usual(Pattern::WriteLatency), many(Pattern::WriteParallel)].map(|load| Workload { durability, ..load })
    });
    let mixed = Workload { mix: OpMix::reads(READ_PERCENT), ..many(Pattern::ReadParallel) };
    let linear = Workload { durability: Durability::None, ..usual(Pattern::WriteLinear) };
    let others = [usual(Pattern::ReadLatency), many(Pattern::ReadParallel), mixed, linear, usual(Pattern::ReadLinear)];
    writes.chain(others).map(|load| (Pattern::nearest(&load), load)).collect()
}

/// # Errors
/// It may not be written to, or lies in memory, where no write reaches a drive.
pub fn drive(target: &str, site: &Site, writable: bool) -> Result<JudgedDrive, Failure> {
    if !writable {
        return Err(Failure::Usage(format!(
            "{target}: is only read, and whether a drive is fit is told by its writes; name a device that is empty, or a folder on it: \
             fathom disk PATH --fit"
        )));
    }
    let seen = site.seen.as_ref().map_err(|not| Failure::from(not.clone()))?;
    match seen.in_memory {
        true => Err(Failure::Usage(format!(
            "{target}: lies in memory, where no write reaches a drive; --fit needs a device, or a file on one"
        ))),
        false => Ok(JudgedDrive {
            target: target.to_string(),
            device: seen.device.clone(),
            through_file: !matches!(seen.found, PathKind::Device(_)),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::workload::GIB;

    #[test]
    fn every_way_of_a_write_is_measured_with_one_and_with_many_in_flight() {
        let all = loads(&WorkloadOptions::default(), GIB);
        let small_writes =
            |(_, load): &&(Pattern, Workload)| load.writes() && !load.reads() && load.block == 4096 && load.span == GIB;
        let mut ways: Vec<(u32, Durability)> =
            all.iter().filter(small_writes).map(|(_, load)| (load.depth, load.durability)).collect();
        ways.sort_by_key(|(depth, way)| (*depth, WAYS.iter().position(|one| one == way)));
        let wanted: Vec<(u32, Durability)> =
            [1, MANY].into_iter().flat_map(|depth| WAYS.map(|way| (depth, way))).collect();
        assert_eq!(ways, wanted);
        let others = all.iter().filter(|one| !small_writes(one)).map(|(pattern, _)| *pattern).collect::<Vec<_>>();
        use Pattern::{ReadLatency, ReadLinear, ReadParallel, WriteLinear};
        assert_eq!(others, [ReadLatency, ReadParallel, ReadParallel, WriteLinear, ReadLinear]);
        assert!(all.iter().any(|(_, load)| load.mix.is_mixed()));
    }

    #[test]
    fn a_working_set_that_is_given_is_kept() {
        let options = WorkloadOptions { working_set: Some(1 << 24), ..WorkloadOptions::default() };
        assert!(loads(&options, GIB).iter().all(|(_, load)| load.span == 1 << 24));
    }
}
