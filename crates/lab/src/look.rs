//! How a lab is, by its files and processes; the cluster is not asked.

use crate::dirs::Dirs;
use crate::lab::{LabCluster, State};
use crate::{process_group, registry};
use std::fs;

pub(crate) fn look(dirs: &Dirs) -> Option<LabCluster> {
    if !dirs.dir.is_dir() {
        return None;
    }
    let alive = is_alive(dirs);
    let recorded = fs::read(dirs.record()).ok().and_then(|text| serde_json::from_slice::<LabCluster>(&text).ok());
    let mut lab = recorded.unwrap_or_else(|| LabCluster::unknown(dirs));
    if !alive {
        lab.state = State::Broken;
    }
    for osd in &mut lab.osds {
        (osd.up, osd.inside) = (None, None);
    }
    lab.daemons = if alive { process_group::daemons(dirs) } else { Vec::new() };
    Some(lab)
}

/// A lab that is just beginning has no lock yet for an instant, but its maker holds that of all labs then.
fn is_alive(dirs: &Dirs) -> bool {
    registry::alive(dirs) || {
        let _alone = dirs.dir.parent().map(registry::alone);
        registry::alive(dirs)
    }
}
