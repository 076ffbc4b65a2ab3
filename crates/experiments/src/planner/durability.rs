//! In which way, or in which two, the writes of a step are made durable.

use super::Draft;
use model::{Durability, DurableBy, Layer, Pattern, Workload};

impl Draft<'_> {
    /// A durable write of a device with O_DSYNC and with fdatasync, of which the worse counts: drives treat FUA and a flush apart,
    /// and stores flush. Where the way is given, or one figure is compared with itself, there is one.
    pub(super) fn both_ways(&self, layer: Layer, pattern: Pattern, workload: Workload) -> Vec<(Pattern, Workload)> {
        let options = &self.options;
        let plain = !self.request.experiment.compares_steps() && workload.rate.is_none();
        let durable = (layer.of_paths() || layer.of_folders()) && workload.writes() && pattern == Pattern::WriteLatency;
        let flushed = (durable && plain && options.durability.is_none() && !options.as_fio)
            .then(|| (pattern, Workload { durability: Durability::Fdatasync, ..workload.clone() }));
        std::iter::once((pattern, workload)).chain(flushed).collect()
    }

    /// A store's writes are durable when it answers, so that its device's have to be.
    pub(super) fn durability(&self, layer: Layer, workload: &Workload) -> Durability {
        let given = self.options.durability;
        match layer.spec().durable_by {
            // fio's engine flushes as often as it is told to.
            DurableBy::Acknowledgement if workload.cache_answers_writes() && !self.options.as_fio => {
                Durability::GroupCommit
            }
            DurableBy::Acknowledgement => Durability::None,
            DurableBy::EachWrite => given.filter(|given| *given != Durability::None).unwrap_or(Durability::Dsync),
            DurableBy::Request => {
                let as_it_is = workload.durability != Durability::None || !workload.writes() || self.options.as_fio;
                given.unwrap_or(if as_it_is { workload.durability } else { Durability::GroupCommit })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Request;
    use super::super::testing::{self, request};
    use super::*;
    use crate::WorkloadOptions;
    use model::{Inventory, SweepAxis};

    fn inventory() -> Inventory {
        Inventory::default()
    }

    #[test]
    fn writes_of_a_device_are_durable_in_two_ways_or_as_stores_commit_or_as_asked_for() {
        use Durability::{Dsync, Fdatasync, Fsync, GroupCommit, None as Not};
        let inventory = inventory();
        let plain = WorkloadOptions { patterns: Pattern::ALL.to_vec(), ..WorkloadOptions::default() };
        let ways = |layer: Layer,
                    pattern: Pattern,
                    options: &WorkloadOptions,
                    change: &dyn Fn(&mut Request)|
         -> Vec<Durability> {
            let mut request = Request { workload: options.clone(), ..request(&[testing::disks()]) };
            change(&mut request);
            let all = Draft::new(&inventory, &request).workloads(layer, 1 << 30).into_iter();
            all.filter(|(own, _)| *own == pattern).map(|(_, load)| load.durability).collect()
        };
        let usual = |layer, pattern| ways(layer, pattern, &plain, &|_| ());
        for layer in [testing::disks(), testing::replicas()] {
            assert_eq!(usual(layer, Pattern::WriteLatency), [Dsync, Fdatasync], "{layer:?}");
        }
        assert_eq!(usual(testing::disks(), Pattern::WriteParallel), [GroupCommit]);
        assert_eq!(usual(testing::disks(), Pattern::WriteLinear), [GroupCommit]);
        assert_eq!(usual(testing::disks(), Pattern::ReadLatency), [Not]);
        assert_eq!(usual(testing::osds(), Pattern::WriteLatency), [Not]);
        for sync in [Not, Dsync, Fsync] {
            let asked = WorkloadOptions { durability: Some(sync), ..plain.clone() };
            for pattern in [Pattern::WriteLatency, Pattern::WriteParallel] {
                assert_eq!(ways(testing::disks(), pattern, &asked, &|_| ()), [sync]);
            }
        }
        let nothing = WorkloadOptions { durability: Some(Not), ..plain.clone() };
        assert_eq!(
            ways(testing::replicas(), Pattern::WriteLatency, &nothing, &|_| ()),
            [Dsync],
            "replicas are durable"
        );
        // What fio is to do as well, and what has one figure.
        let as_fio = WorkloadOptions { as_fio: true, ..plain.clone() };
        assert_eq!(ways(testing::disks(), Pattern::WriteLatency, &as_fio, &|_| ()), [Dsync]);
        assert_eq!(ways(testing::disks(), Pattern::WriteParallel, &as_fio, &|_| ()), [Not]);
        let rated = WorkloadOptions { rate: Some(WorkloadOptions::at_rate(100.0, None)), ..plain.clone() };
        assert_eq!(ways(testing::disks(), Pattern::WriteLatency, &rated, &|_| ()), [Dsync]);
        let swept = |request: &mut Request| {
            request.experiment =
                crate::Experiment::Sweep { axes: vec![SweepAxis { name: "depth".into(), values: Vec::new() }] }
        };
        assert_eq!(ways(testing::disks(), Pattern::WriteLatency, &plain, &swept), [Dsync]);
    }

    #[test]
    fn a_way_to_make_writes_durable_is_refused_where_nothing_is_written() {
        let mut inventory = inventory();
        inventory.folders = vec![testing::folder("/mnt")];
        let plan = |patterns: &[Pattern]| {
            let mut request = request(&[testing::folders()]);
            request.targets.folders = vec!["/mnt".into()];
            request.workload.patterns = patterns.to_vec();
            request.workload.durability = Some(Durability::Fsync);
            crate::planner::plan(&inventory, &request).map_err(|failure| failure.to_string())
        };
        assert!(plan(&[Pattern::CreateDelete]).is_ok() && plan(&[Pattern::Stat, Pattern::WriteLatency]).is_ok());
        let why = plan(&[Pattern::Stat, Pattern::ReadLatency]).unwrap_err();
        assert!(why.starts_with("--sync: nothing is written by read-latency, stat;"), "{why}");
    }
}
