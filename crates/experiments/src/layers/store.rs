//! Steps of the store layer: each OSD's own bench, alone for the latency, all at once for the rest.

use super::osd::{check_wished, group};
use crate::planner::draft::Draft;
use model::workload::GIB;
use model::{Failure, Layer, Place};

pub fn add(draft: &mut Draft) -> Result<(), Failure> {
    check_wished(draft, Layer::Store)?;
    for (pattern, workload) in draft.workloads(Layer::Store, GIB) {
        // The OSD's bench only writes.
        if !workload.reads() {
            group(draft, Layer::Store, |osd| Place::Store { osd }, pattern, workload);
        }
    }
    Ok(())
}
