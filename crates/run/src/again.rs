//! A sweep that was stopped or killed goes on: its paths are looked at again before they are written to.

use agents::holding::Held;
use cluster::devices::look_at;
use model::{Change, Failure, PathKind, Place, Plan};
use std::path::Path;

/// Minutes or months lie between. `destroy`: a device that may be written to although it is not empty any more.
pub fn prove_paths(plan: &Plan, destroy: Option<&Path>, held: &Held) -> Result<(), Failure> {
    let made =
        |path: &Path| plan.changes.iter().any(|change| matches!(change, Change::File { path: own, .. } if own == path));
    for step in &plan.steps {
        for target in &step.targets {
            let Place::Path { path, writable } = &target.place else { continue };
            if made(path) {
                continue;
            }
            let least = step.workload.span.max(step.workload.spread.unwrap_or(0));
            match look_at(path)? {
                PathKind::Device(bytes) | PathKind::File(bytes) if bytes >= least => {}
                _ => return Err(Failure::Failed(format!("{}: is not there any more, or smaller", path.display()))),
            }
            if *writable {
                held.take(path, destroy == Some(path))?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::testing;

    #[test]
    fn a_path_is_looked_at_again_before_it_is_written_to() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), vec![7u8; 1 << 20]).unwrap();
        let place = |writable| Place::Path { path: file.path().to_path_buf(), writable };
        let plan = |writable, span| {
            let workload = model::Workload::canonical(model::Pattern::ReadParallel, span, 1);
            let target = model::Target::new(testing::disks(), "x", place(writable));
            let step = model::Step {
                chart: false,
                ..model::Step::new(0, testing::disks(), model::Pattern::ReadParallel, vec![target], workload)
            };
            Plan { steps: vec![step], ..Plan::default() }
        };
        assert!(prove_paths(&plan(false, 1 << 20), None, &Held::default()).is_ok());
        assert!(prove_paths(&plan(true, 1 << 20), Some(file.path()), &Held::default()).is_ok());
        assert!(matches!(prove_paths(&plan(true, 1 << 20), None, &Held::default()), Err(Failure::Refused(_))));
        assert!(matches!(prove_paths(&plan(false, 2 << 20), None, &Held::default()), Err(Failure::Failed(_))));
    }
}
