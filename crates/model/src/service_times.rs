//! How long requests took inside a gateway or a metadata server while a slice was measured, by its own counters.

use crate::osd_times::Spent;
use crate::step_id::StepId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Of one slice of a step. The requests of all clients count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServiceTimes {
    pub step: StepId,
    pub pass: u32,
    /// Daemons that were asked before and after.
    pub daemons: Vec<TimesOfService>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimesOfService {
    /// `mds.a`, `client.rgw.a`: as its command line calls it.
    pub daemon: String,
    /// What it does not count is not there.
    pub spent: BTreeMap<ServiceTimer, Spent>,
}

/// What a daemon has counted since it started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServiceLook {
    pub daemon: String,
    /// No other process has it, on whichever host: two agents that see the same process tell the same.
    pub process: String,
    pub spent: BTreeMap<ServiceTimer, Spent>,
}

/// What is timed. `cluster::service_counters` knows the counters' names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ServiceTimer {
    /// A client's request at a metadata server, from its receipt to its first answer.
    Request,
    /// A GET at an object gateway, from when its header was read until its data has been sent.
    Get,
    /// A PUT at an object gateway, from when its header was read to its end.
    Put,
}
