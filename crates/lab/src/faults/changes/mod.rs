//! What a fault changes: each knows how it is made, and how it is undone, also when it was never made or is undone already.

mod cgroup;
mod cluster;
mod daemons;
mod db_device;
mod image;
mod own_bucket;
mod own_folder;
mod queue;
mod recovery;
mod service_conf;
mod settings;

use super::access::LabAccess;
use crate::cephfs::FILE_SYSTEM;
use crate::errors::LabError;
pub(super) use cgroup::{Cgroup, Limited};
pub(super) use cluster::{Affinity, Flag, NearfullRatio, OwnPool};
pub(super) use daemons::{Continue, StartAgain, Worker};
pub(super) use db_device::DbDevice;
pub(super) use image::{OwnImage, SNAPSHOT, Snapshots};
pub(super) use own_bucket::OwnBucket;
pub(super) use own_folder::{FILE, OwnFolder};
pub(super) use queue::{Interface, Mtu, Place, Queue};
pub(super) use recovery::Missed;
use serde::{Deserialize, Serialize};
pub(super) use service_conf::ServiceConf;
pub(super) use settings::Settings;

/// As it stands in the journal.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Change {
    Cgroup(Cgroup),
    Settings(Settings),
    Queue(Queue),
    Mtu(Mtu),
    Flag(Flag),
    Affinity(Affinity),
    NearfullRatio(NearfullRatio),
    OwnPool(OwnPool),
    OwnImage(OwnImage),
    Snapshots(Snapshots),
    Worker(Worker),
    Continue(Continue),
    StartAgain(StartAgain),
    Missed(Missed),
    DbDevice(DbDevice),
    ServiceConf(ServiceConf),
    OwnBucket(OwnBucket),
    OwnFolder(OwnFolder),
}

impl Change {
    pub fn make(&self, access: &LabAccess) -> Result<(), LabError> {
        match self {
            Change::Cgroup(change) => change.make(access),
            Change::Settings(change) => change.make(access),
            Change::Queue(change) => change.make(),
            Change::Mtu(change) => change.make(),
            Change::Flag(change) => change.make(access),
            Change::Affinity(change) => change.make(access),
            Change::NearfullRatio(change) => change.make(access),
            Change::OwnPool(change) => change.make(access),
            Change::OwnImage(change) => change.make(access),
            Change::Worker(change) => change.make(access),
            Change::Missed(change) => change.make(access),
            Change::DbDevice(change) => change.make(access),
            Change::ServiceConf(change) => change.make(access),
            Change::OwnBucket(change) => change.make(access),
            Change::OwnFolder(change) => change.make(access),
            Change::Snapshots(_) | Change::Continue(_) | Change::StartAgain(_) => Ok(()),
        }
    }

    /// `others`: what is still to stay of other faults.
    pub fn undo(&self, access: &LabAccess, others: &[Change]) -> Result<(), LabError> {
        match self {
            Change::Cgroup(change) => change.undo(access, others),
            Change::Settings(change) => change.undo(access),
            Change::Queue(change) => change.undo(),
            Change::Mtu(change) => change.undo(),
            Change::Flag(change) => change.undo(access),
            Change::Affinity(change) => change.undo(access),
            Change::NearfullRatio(change) => change.undo(access),
            Change::OwnPool(change) => change.undo(access),
            Change::Snapshots(change) => change.undo(access),
            Change::Worker(change) => change.undo(access),
            Change::Continue(change) => change.undo(access),
            Change::StartAgain(change) => change.undo(access),
            Change::Missed(change) => change.undo(access),
            Change::DbDevice(change) => change.undo(access, others),
            Change::ServiceConf(change) => change.undo(access),
            Change::OwnBucket(change) => change.undo(access),
            Change::OwnFolder(change) => change.undo(access),
            // It goes with its pool.
            Change::OwnImage(_) => Ok(()),
        }
    }

    /// What only one fault at a time can set.
    pub fn resources(&self) -> Vec<String> {
        match self {
            Change::Cgroup(change) => vec![change.resource()],
            Change::Settings(change) => change.resources(),
            Change::Queue(change) => vec![change.resource()],
            Change::Mtu(change) => vec![change.resource()],
            Change::Flag(change) => vec![change.resource()],
            Change::Affinity(change) => vec![change.resource()],
            Change::NearfullRatio(_) => vec!["nearfull ratio".to_owned()],
            Change::OwnPool(change) => vec![format!("pool {}", change.name)],
            Change::OwnImage(change) => vec![format!("image {}", change.spec())],
            Change::Snapshots(change) => vec![format!("snapshots of {}/{}", change.pool, change.image)],
            Change::Worker(change) => vec![format!("process {}", change.name)],
            Change::Continue(change) => vec![format!("stops of {}", change.daemon)],
            Change::StartAgain(change) => vec![format!("marks of {} as down", change.daemon)],
            Change::Missed(change) => vec![format!("recovery in {}", change.pool)],
            Change::DbDevice(change) => vec![change.resource()],
            Change::ServiceConf(change) => vec![change.resource()],
            Change::OwnBucket(change) => vec![format!("bucket {}", change.name)],
            Change::OwnFolder(change) => vec![format!("folder {}", change.path)],
        }
    }

    /// The name of the process that it starts in the lab.
    pub fn process(&self) -> Option<String> {
        match self {
            Change::Worker(change) => Some(change.name.clone()),
            _ => None,
        }
    }

    /// What it makes, for a user to measure.
    pub fn made(&self) -> Option<String> {
        match self {
            Change::OwnPool(change) => Some(format!("pool {}", change.name)),
            Change::OwnImage(change) => Some(format!("image {}", change.spec())),
            Change::OwnBucket(change) => Some(format!("bucket {}", change.name)),
            Change::OwnFolder(change) => Some(format!("folder {} of {FILE_SYSTEM}", change.path)),
            _ => None,
        }
    }
}
