//! `primaries-on-one`: one OSD is the primary of all its placement groups, the others are of none.

use super::changes::{Affinity, Change};
use super::target::TargetKind;
use super::{Asked, Fault};
use crate::errors::LabError;

pub static FAULT: Fault = Fault {
    name: "primaries-on-one",
    what: "The primary affinity of all other OSDs is 0, so that this OSD serves all reads and orders all writes.",
    target: TargetKind::Osd,
    value: None,
    plan,
};

fn plan(asked: &Asked) -> Result<Vec<Change>, LabError> {
    Ok(Affinity::all_on(asked.access, asked.osd())?.into_iter().map(Change::Affinity).collect())
}
