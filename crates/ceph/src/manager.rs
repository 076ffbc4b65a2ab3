//! Commands for the manager, on a connection of their own.
//!
//! With `rados_mon_op_timeout` the library gives up waiting for the manager, and writes an answer that comes later into memory that is
//! gone (<https://tracker.ceph.com/issues/65985>): the process crashes. This connection has no such limit; who asks waits no longer than
//! it would have, and what is asked is waited for to its end on a thread that nobody waits for.

use crate::access::ClusterAccess;
use crate::connect::ClusterHandle;
use crate::error::CephError;
use crate::rados::{Daemon, Reply, ask};
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

const LIMIT: &str = "rados_mon_op_timeout";

pub struct Manager {
    access: ClusterAccess,
    /// `None`: for ever.
    limit: Option<Duration>,
    /// From the first command on.
    cluster: Mutex<Option<Arc<ClusterHandle>>>,
}

impl Manager {
    /// With the time limit of that connection.
    pub fn new(access: &ClusterAccess, cluster: &ClusterHandle) -> Manager {
        let seconds = cluster.option(LIMIT).parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
        let mut access = access.clone();
        access.options.push((LIMIT.to_string(), "0".to_string()));
        let limit = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        Manager { access, limit, cluster: Mutex::default() }
    }

    /// # Errors
    /// As [`crate::Rados::mon_command`].
    pub fn command(&self, command: &Value) -> Result<Reply, CephError> {
        let cluster = self.connected()?;
        let Some(limit) = self.limit else { return ask(&cluster, Daemon::Mgr, command) };
        let entity = cluster.entity.clone();
        let (answer, answers) = mpsc::sync_channel(1);
        let asked = command.clone();
        let thread = std::thread::Builder::new().name("ceph-manager".into());
        let spawned = thread.spawn(move || drop(answer.send(ask(&cluster, Daemon::Mgr, &asked))));
        spawned.map_err(|error| CephError::Errno {
            what: "start a thread to ask the manager".into(),
            errno: error.raw_os_error().unwrap_or(libc::EAGAIN),
        })?;
        answers.recv_timeout(limit).unwrap_or_else(|_| {
            let prefix = command["prefix"].as_str().unwrap_or("command").to_owned();
            Err(CephError::from_code(prefix, &entity, -libc::ETIMEDOUT, ""))
        })
    }

    fn connected(&self) -> Result<Arc<ClusterHandle>, CephError> {
        let mut cluster = self.cluster.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cluster) = &*cluster {
            return Ok(cluster.clone());
        }
        let new = Arc::new(ClusterHandle::connect(&self.access)?);
        *cluster = Some(new.clone());
        Ok(new)
    }
}
