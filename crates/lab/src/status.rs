//! What labs there are and how they are.

use crate::dirs::Dirs;
use crate::errors::LabError;
use crate::lab::{LabCluster, State};
use crate::{faults, monitor, process_group, registry};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// All labs of this user, by name. The clusters are not asked: whether OSDs are up stays unknown.
///
/// # Errors
/// Neither XDG_DATA_HOME nor HOME is set.
pub fn list() -> Result<Vec<LabCluster>, LabError> {
    Ok(registry::all()?.iter().filter_map(look).collect())
}

/// One lab; its monitor is asked which OSDs are up and in. `None`: there is none of that name. Mind its state: only a lab that is
/// `Ready` can be used.
///
/// # Errors
/// The name is none for a lab.
pub fn status(name: &str) -> Result<Option<LabCluster>, LabError> {
    let Some(mut lab) = look(&Dirs::of(name)?) else { return Ok(None) };
    if lab.state == State::Ready {
        // No answer is an answer: they stay unknown.
        let _ = ask_osds(&mut lab);
    }
    Ok(Some(lab))
}

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
    lab.faults = faults::active(dirs);
    Some(lab)
}

/// A lab that is just beginning has no lock yet for an instant, but its maker holds that of all labs then.
fn is_alive(dirs: &Dirs) -> bool {
    registry::alive(dirs) || {
        let _alone = dirs.dir.parent().map(registry::alone);
        registry::alive(dirs)
    }
}

fn ask_osds(lab: &mut LabCluster) -> Result<(), LabError> {
    let rados = monitor::connect(Path::new(&lab.conf), Duration::from_secs(5))?;
    let dump = rados.mon_command(&json!({"prefix": "osd dump", "format": "json"}))?.json()?;
    for osd in &mut lab.osds {
        let known = dump["osds"].as_array().into_iter().flatten().find(|known| known["osd"] == osd.id);
        let flag = |name: &str| known.and_then(|known: &Value| known[name].as_u64()).map(|value| value == 1);
        (osd.up, osd.inside) = (flag("up"), flag("in"));
    }
    Ok(())
}
