//! `secure-mode`: everything that OSDs send and receive is encrypted.

use super::changes::{Change, Settings};
use super::target::TargetKind;
use super::{Asked, Fault};
use crate::errors::LabError;

pub static FAULT: Fault = Fault {
    name: "secure-mode",
    what: "Connections of the OSDs, with each other and with clients, are encrypted (ms_*_mode = secure); the OSDs start again for that.",
    target: TargetKind::Nothing,
    value: None,
    plan,
};

fn plan(asked: &Asked) -> Result<Vec<Change>, LabError> {
    let options = ["ms_cluster_mode", "ms_service_mode", "ms_client_mode"].map(|name| (name, "secure".to_owned()));
    let restart = asked.access.osd_names();
    Ok(vec![Change::Settings(Settings::new(asked.access, "global", &options, restart)?)])
}
