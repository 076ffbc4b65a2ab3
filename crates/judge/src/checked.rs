//! What was verified, by figure: reads carry what they showed; of nothing but writes, they carry what was read back.

use model::{Checked, OpClass, Record, Step};

/// `target`: `None` for all of the step together.
pub fn checked(record: &Record, step: &Step, target: Option<u32>, kind: OpClass) -> Option<Checked> {
    let bearer = step.workload.mix.classes().next();
    if !step.workload.verify || Some(kind) != bearer {
        return None;
    }
    let own =
        record.verified.iter().filter(|one| one.step == step.id && target.is_none_or(|target| target == one.target));
    let mut all = Checked::default();
    own.for_each(|one| all.add(&one.checked));
    Some(all)
}
