//! What labs there are and how they are.

use crate::dirs::Dirs;
use crate::errors::LabError;
use crate::lab::{LabCluster, State};
use crate::look::look;
use crate::{faults, monitor, registry};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// All labs of this user, by name. The clusters are not asked: whether OSDs are up stays unknown.
///
/// # Errors
/// Neither XDG_DATA_HOME nor HOME is set.
pub fn list() -> Result<Vec<LabCluster>, LabError> {
    Ok(registry::all()?.iter().filter_map(with_faults).collect())
}

/// One lab; its monitor is asked which OSDs are up and in. `None`: there is none of that name. Mind its state: only a lab that is
/// `Ready` can be used.
///
/// # Errors
/// The name is none for a lab.
pub fn status(name: &str) -> Result<Option<LabCluster>, LabError> {
    let Some(mut lab) = with_faults(&Dirs::of(name)?) else { return Ok(None) };
    if lab.state == State::Ready {
        // No answer is an answer: they stay unknown.
        let _ = ask_osds(&mut lab);
    }
    Ok(Some(lab))
}

fn with_faults(dirs: &Dirs) -> Option<LabCluster> {
    look(dirs).map(|lab| LabCluster { faults: faults::active(dirs), ..lab })
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
