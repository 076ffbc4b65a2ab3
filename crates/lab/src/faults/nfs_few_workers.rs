//! `nfs-few-workers`: the NFS server has as few threads as it takes, so that others' requests wait while two are done.

use super::changes::{Change, ServiceConf};
use super::target::TargetKind;
use super::{Asked, Fault};
use crate::errors::LabError;
use crate::nfs;
use crate::services::Service;

pub static FAULT: Fault = Fault {
    name: "nfs-few-workers",
    what: "The NFS server starts again with its least number of worker threads, two: all other requests wait.",
    target: TargetKind::Nothing,
    value: None,
    plan,
};

fn plan(asked: &Asked) -> Result<Vec<Change>, LabError> {
    let access = asked.access;
    let daemon = access.need_service(asked.fault.name, Service::Nfs)?;
    let file = nfs::conf_in(&access.dirs.data(access.lab.backing).join(daemon));
    Ok(vec![Change::ServiceConf(ServiceConf::new(daemon, file, nfs::with_few_workers)?)])
}
