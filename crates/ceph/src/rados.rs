//! A connection to a cluster: who it is, what it is asked, and the way to its pools.

use crate::access::ClusterAccess;
use crate::connect::{ClusterHandle, c_text};
use crate::error::CephError;
use crate::librados::Text;
use crate::manager::Manager;
use crate::pool::Pool;
use libc::{c_char, c_int};
use serde_json::Value;
use std::ffi::CString;
use std::sync::Arc;

/// A connection to a cluster; clones of its `Arc` and everything opened from it keep it open.
pub struct Rados {
    cluster: ClusterHandle,
    manager: Manager,
}

/// The answer to a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    pub out: Vec<u8>,
    /// What the cluster says beside the answer.
    pub status: String,
}

impl Reply {
    /// The answer as JSON.
    ///
    /// # Errors
    /// It is none.
    pub fn json(&self) -> Result<Value, CephError> {
        serde_json::from_slice(&self.out).map_err(|error| CephError::BadReply {
            what: "a command's answer".into(),
            why: format!("{error} in {:?}", String::from_utf8_lossy(&self.out[..self.out.len().min(80)])),
        })
    }
}

/// Where the library leaves an answer; freed when dropped.
struct Answer<'a> {
    cluster: &'a ClusterHandle,
    out: *mut c_char,
    out_len: usize,
    status: *mut c_char,
    status_len: usize,
}

impl<'a> Answer<'a> {
    fn empty(cluster: &'a ClusterHandle) -> Answer<'a> {
        let null = std::ptr::null_mut();
        Answer { cluster, out: null, out_len: 0, status: null, status_len: 0 }
    }

    fn reply(&self) -> Reply {
        let bytes = |at: *mut c_char, len: usize| {
            if at.is_null() {
                return Vec::new();
            }
            // SAFETY: the library filled pointers and lengths together, or left both empty.
            unsafe { std::slice::from_raw_parts(at.cast::<u8>(), len) }.to_vec()
        };
        let status = String::from_utf8_lossy(&bytes(self.status, self.status_len)).into_owned();
        Reply { out: bytes(self.out, self.out_len), status }
    }
}

impl Drop for Answer<'_> {
    fn drop(&mut self) {
        for buffer in [self.out, self.status] {
            if !buffer.is_null() {
                // SAFETY: allocated by the library for this answer, freed once.
                unsafe { (self.cluster.fns.rados_buffer_free)(buffer) }
            }
        }
    }
}

/// To whom a command goes.
pub(crate) enum Daemon {
    /// Whichever monitor this connection has.
    Mon,
    /// This one, about itself.
    OneMon(CString),
    Mgr,
    Osd(u32),
}

/// # Errors
/// As [`Rados::mon_command`].
pub(crate) fn ask(cluster: &ClusterHandle, to: Daemon, command: &Value) -> Result<Reply, CephError> {
    let text = c_text(&command.to_string())?;
    let mut texts: [Text; 1] = [text.as_ptr()];
    let mut answer = Answer::empty(cluster);
    let (fns, raw, list, none) = (cluster.fns, cluster.raw, texts.as_mut_ptr(), std::ptr::null());
    let Answer { out, out_len, status, status_len, .. } = &mut answer;
    // SAFETY: the command's text lives through the call, there is no input, and the four results are filled.
    let code = unsafe {
        match &to {
            Daemon::Mon => (fns.rados_mon_command)(raw, list, 1, none, 0, out, out_len, status, status_len),
            Daemon::Mgr => (fns.rados_mgr_command)(raw, list, 1, none, 0, out, out_len, status, status_len),
            Daemon::OneMon(name) => {
                let to = name.as_ptr();
                (fns.rados_mon_command_target)(raw, to, list, 1, none, 0, out, out_len, status, status_len)
            }
            Daemon::Osd(osd) => {
                (fns.rados_osd_command)(raw, *osd as c_int, list, 1, none, 0, out, out_len, status, status_len)
            }
        }
    };
    let reply = answer.reply();
    if code < 0 {
        let prefix = command["prefix"].as_str().unwrap_or("command");
        let what = match to {
            Daemon::Osd(osd) => format!("osd.{osd} {prefix}"),
            Daemon::OneMon(name) => format!("mon.{} {prefix}", name.to_string_lossy()),
            _ => prefix.to_owned(),
        };
        return Err(CephError::from_code(what, &cluster.entity, code, &reply.status));
    }
    Ok(reply)
}

impl Rados {
    /// Connects, within the time that `access` gives.
    ///
    /// # Errors
    /// The library is missing, there is no `ceph.conf`, no monitor answers, or the key is missing or wrong.
    pub fn connect(access: &ClusterAccess) -> Result<Rados, CephError> {
        let cluster = ClusterHandle::connect(access)?;
        let manager = Manager::new(access, &cluster);
        Ok(Rados { cluster, manager })
    }

    pub fn fsid(&self) -> Result<String, CephError> {
        let mut text = [0u8; 37];
        // SAFETY: the library writes 36 characters and a zero.
        let code =
            unsafe { (self.cluster.fns.rados_cluster_fsid)(self.cluster.raw, text.as_mut_ptr().cast(), text.len()) };
        self.check(code, || "ask for the cluster's id".into())?;
        Ok(String::from_utf8_lossy(&text[..36]).into_owned())
    }

    /// The user that is connected: `client.admin`.
    pub fn entity(&self) -> &str {
        &self.cluster.entity
    }

    /// Ceph's release as its client library has it, or else the version of its interface: `16.2.15`, `librados 3.0.0`.
    pub fn client_version(&self) -> String {
        if let Some(release) = crate::library::release() {
            return release;
        }
        let (mut major, mut minor, mut extra) = (0, 0, 0);
        // SAFETY: three numbers are filled.
        unsafe { (self.cluster.fns.rados_version)(&mut major, &mut minor, &mut extra) };
        format!("librados {major}.{minor}.{extra}")
    }

    /// An option's value as the client library has it; empty if there is none.
    pub fn option(&self, name: &str) -> String {
        self.cluster.option(name)
    }

    /// The options that say how many threads the library has, with their values: what another program needs to be the same
    /// kind of client.
    pub fn threads(&self) -> impl Iterator<Item = (&'static str, String)> {
        self.cluster.threads()
    }

    /// # Errors
    /// No right, no such thing, no answer in time, or refused with the monitor's words.
    pub fn mon_command(&self, command: &Value) -> Result<Reply, CephError> {
        ask(&self.cluster, Daemon::Mon, command)
    }

    /// Asks this monitor about itself, as `ceph tell mon.NAME` does; it answers only users with all rights (`mon 'allow *'`).
    ///
    /// # Errors
    /// As [`Rados::mon_command`].
    pub fn tell_mon(&self, name: &str, command: &Value) -> Result<Reply, CephError> {
        ask(&self.cluster, Daemon::OneMon(c_text(name)?), command)
    }

    /// # Errors
    /// As [`Rados::mon_command`].
    pub fn mgr_command(&self, command: &Value) -> Result<Reply, CephError> {
        self.manager.command(command)
    }

    /// Waits for the OSD's answer as long as the OSD is up and no `rados_osd_op_timeout` is set.
    ///
    /// # Errors
    /// As [`Rados::mon_command`]; an OSD that is down: `Errno` or `Refused` with ENXIO.
    pub fn osd_command(&self, osd: u32, command: &Value) -> Result<Reply, CephError> {
        ask(&self.cluster, Daemon::Osd(osd), command)
    }

    /// The names of all pools.
    pub fn pools(&self) -> Result<Vec<String>, CephError> {
        let mut names = vec![0u8; 4096];
        loop {
            // SAFETY: at most the buffer's length is written.
            let needed =
                unsafe { (self.cluster.fns.rados_pool_list)(self.cluster.raw, names.as_mut_ptr().cast(), names.len()) };
            self.check(needed, || "list the pools".into())?;
            let needed = needed as usize;
            if needed <= names.len() {
                let used = names[..needed].split(|byte| *byte == 0).filter(|name| !name.is_empty());
                return Ok(used.map(|name| String::from_utf8_lossy(name).into_owned()).collect());
            }
            names.resize(needed, 0);
        }
    }

    pub fn pool_id(&self, name: &str) -> Result<i64, CephError> {
        let c_name = c_text(name)?;
        // SAFETY: the name lives through the call.
        let id = unsafe { (self.cluster.fns.rados_pool_lookup)(self.cluster.raw, c_name.as_ptr()) };
        self.check(id.max(c_int::MIN.into()).min(0) as c_int, || format!("pool {name}"))?;
        Ok(id)
    }

    /// Waits until this connection knows the cluster's newest map (a pool made by another connection).
    ///
    /// The library's call waits for ever where no monitor answers, so one is asked something first, with this connection's time-out.
    pub fn refresh(&self) -> Result<(), CephError> {
        self.mon_command(&serde_json::json!({"prefix": "fsid"}))?;
        // SAFETY: the handle is valid.
        let code = unsafe { (self.cluster.fns.rados_wait_for_latest_osdmap)(self.cluster.raw) };
        self.check(code, || "get the newest map of the cluster".into())
    }

    /// # Errors
    /// No such pool.
    pub fn open_pool(self: &Arc<Self>, name: &str) -> Result<Pool, CephError> {
        Pool::open(self, name)
    }

    pub(crate) fn cluster(&self) -> &ClusterHandle {
        &self.cluster
    }

    pub(crate) fn check(&self, code: c_int, what: impl FnOnce() -> String) -> Result<(), CephError> {
        if code < 0 { Err(CephError::from_code(what(), &self.cluster.entity, code, "")) } else { Ok(()) }
    }
}
