//! In which way, or in which two, the writes of a step are made durable.

use super::Draft;
use model::{Durability, Layer, Pattern, Workload};

impl Draft<'_> {
    /// A durable write of a device with O_DSYNC and with fdatasync, of which the worse counts: drives treat FUA and a flush apart,
    /// and stores flush. Where the way is given, or one figure is compared with itself, there is one.
    pub(super) fn both_ways(&self, layer: Layer, pattern: Pattern, workload: Workload) -> Vec<(Pattern, Workload)> {
        let knobs = &self.knobs;
        let goal = &self.wishes.goal;
        let plain =
            self.wishes.axes.is_empty() && knobs.ab.is_none() && goal.bound.is_none() && workload.rate.is_none();
        let durable =
            matches!(layer, Layer::Device | Layer::Floor) && workload.writes() && pattern == Pattern::WriteLatency;
        let flushed = (durable && plain && knobs.sync.is_none() && !knobs.as_fio)
            .then(|| (pattern, Workload { durability: Durability::Fdatasync, ..workload.clone() }));
        std::iter::once((pattern, workload)).chain(flushed).collect()
    }

    /// A store's writes are durable when it answers, so that its device's have to be.
    pub(super) fn durability(&self, layer: Layer, workload: &Workload) -> Durability {
        let given = self.knobs.sync;
        match layer {
            Layer::Device if workload.durability != Durability::None || !workload.writes() || self.knobs.as_fio => {
                given.unwrap_or(workload.durability)
            }
            Layer::Device => given.unwrap_or(Durability::GroupCommit),
            // Replicas that are not durable are no floor.
            Layer::Floor => given.filter(|given| *given != Durability::None).unwrap_or(Durability::Dsync),
            // They are durable whenever they answer.
            _ => Durability::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::wishes;
    use super::super::{Ground, Wishes};
    use super::*;
    use crate::cli::knobs::Knobs;
    use model::{Axis, Scope};

    fn ground() -> Ground {
        Ground {
            run: String::new(),
            scope: Scope::default(),
            lab: None,
            image_bytes: None,
            hosts: Vec::new(),
            sites: Vec::new(),
            keepers: Vec::new(),
            held: Default::default(),
        }
    }

    #[test]
    fn writes_of_a_device_are_durable_in_two_ways_or_as_stores_commit_or_as_asked_for() {
        use Durability::{Dsync, Fdatasync, Fsync, GroupCommit, None as Not};
        let ground = ground();
        let plain = Knobs { patterns: Pattern::ALL.to_vec(), ..Knobs::default() };
        let ways = |layer: Layer, pattern: Pattern, knobs: &Knobs, change: &dyn Fn(&mut Wishes)| -> Vec<Durability> {
            let mut wishes = Wishes { knobs: knobs.clone(), ..wishes(&[Layer::Device]) };
            change(&mut wishes);
            let all = Draft::new(&ground, &wishes).workloads(layer, 1 << 30).into_iter();
            all.filter(|(own, _)| *own == pattern).map(|(_, load)| load.durability).collect()
        };
        let usual = |layer, pattern| ways(layer, pattern, &plain, &|_| ());
        for layer in [Layer::Device, Layer::Floor] {
            assert_eq!(usual(layer, Pattern::WriteLatency), [Dsync, Fdatasync], "{layer:?}");
        }
        assert_eq!(usual(Layer::Device, Pattern::WriteParallel), [GroupCommit]);
        assert_eq!(usual(Layer::Device, Pattern::WriteLinear), [GroupCommit]);
        assert_eq!(usual(Layer::Device, Pattern::ReadLatency), [Not]);
        assert_eq!(usual(Layer::Osd, Pattern::WriteLatency), [Not]);
        for sync in [Not, Dsync, Fsync] {
            let asked = Knobs { sync: Some(sync), ..plain.clone() };
            for pattern in [Pattern::WriteLatency, Pattern::WriteParallel] {
                assert_eq!(ways(Layer::Device, pattern, &asked, &|_| ()), [sync]);
            }
        }
        let nothing = Knobs { sync: Some(Not), ..plain.clone() };
        assert_eq!(ways(Layer::Floor, Pattern::WriteLatency, &nothing, &|_| ()), [Dsync], "replicas are durable");
        // What fio is to do as well, and what has one figure.
        let as_fio = Knobs { as_fio: true, ..plain.clone() };
        assert_eq!(ways(Layer::Device, Pattern::WriteLatency, &as_fio, &|_| ()), [Dsync]);
        assert_eq!(ways(Layer::Device, Pattern::WriteParallel, &as_fio, &|_| ()), [Not]);
        let rated = Knobs { rate: Some(100.0), ..plain.clone() };
        assert_eq!(ways(Layer::Device, Pattern::WriteLatency, &rated, &|_| ()), [Dsync]);
        let swept = |wishes: &mut Wishes| wishes.axes = vec![Axis { name: "depth".into(), values: Vec::new() }];
        assert_eq!(ways(Layer::Device, Pattern::WriteLatency, &plain, &swept), [Dsync]);
    }
}
