//! `rgw-nagle`: the object gateway holds back the end of an answer until its beginning was acknowledged.

use super::changes::{Change, Settings};
use super::target::TargetKind;
use super::{Asked, Fault};
use crate::errors::LabError;
use crate::rgw;
use crate::services::Service;

pub static FAULT: Fault = Fault {
    name: "rgw-nagle",
    what: "The object gateway starts again without TCP_NODELAY: the end of each answer waits, up to 40 ms, until its beginning was acknowledged.",
    target: TargetKind::Nothing,
    value: None,
    plan,
};

fn plan(asked: &Asked) -> Result<Vec<Change>, LabError> {
    let daemon = asked.access.need_service(asked.fault.name, Service::Rgw)?;
    let frontend = rgw::frontend(&rgw::address(&asked.access.lab), false);
    let (who, restart) = (rgw::SPEC.entity, vec![daemon.to_owned()]);
    Ok(vec![Change::Settings(Settings::new(asked.access, who, &[(rgw::FRONTENDS, frontend)], restart)?)])
}
