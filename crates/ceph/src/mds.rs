//! Commands for metadata servers, through libcephfs: librados has no way to them. No file system is mounted.

use crate::connect::c_text;
use crate::error::CephError;
use crate::libcephfs::{Libcephfs, Mount};
use crate::librados::Text;
use crate::rados::{Rados, Reply};
use libc::c_char;
use serde_json::Value;
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// A client of metadata servers that mounts nothing.
struct Client {
    fns: &'static Libcephfs,
    raw: Mount,
}

impl Drop for Client {
    fn drop(&mut self) {
        // SAFETY: it is not mounted, and used no more.
        unsafe { (self.fns.ceph_release)(self.raw) };
    }
}

impl Client {
    fn new(rados: &Rados) -> Result<Client, CephError> {
        let fns = Libcephfs::get()?;
        let mut raw: Mount = std::ptr::null_mut();
        let what = || "prepare to ask metadata servers".to_owned();
        // SAFETY: the cluster's handle is valid; `raw` is filled on success.
        rados.check(unsafe { (fns.ceph_create_from_rados)(&mut raw, rados.cluster().raw) }, what)?;
        let client = Client { fns, raw };
        // SAFETY: the client is valid, and begun once.
        rados.check(unsafe { (fns.ceph_init)(raw) }, what)?;
        Ok(client)
    }

    fn ask(&self, rados: &Rados, server: &str, command: &Value) -> Result<Reply, CephError> {
        let (to, text) = (c_text(server)?, c_text(&command.to_string())?);
        let mut texts: [Text; 1] = [text.as_ptr()];
        let null: *mut c_char = std::ptr::null_mut();
        let (mut out, mut out_len, mut status, mut status_len) = (null, 0, null, 0);
        // SAFETY: server and command live through the call, there is no input, and the four results are filled.
        let code = unsafe {
            let (list, none) = (texts.as_mut_ptr(), std::ptr::null());
            let ask = self.fns.ceph_mds_command;
            ask(self.raw, to.as_ptr(), list, 1, none, 0, &mut out, &mut out_len, &mut status, &mut status_len)
        };
        let reply = Reply {
            out: self.taken(out, out_len),
            status: String::from_utf8_lossy(&self.taken(status, status_len)).into(),
        };
        let prefix = command["prefix"].as_str().unwrap_or("command");
        rados.check(code, || format!("metadata server {server}: {prefix}"))?;
        Ok(reply)
    }

    /// A copy of what the library leaves, which is freed.
    fn taken(&self, from: *mut c_char, bytes: usize) -> Vec<u8> {
        if from.is_null() {
            return Vec::new();
        }
        // SAFETY: the library filled pointer and length together; it is freed once.
        unsafe {
            let copy = std::slice::from_raw_parts(from.cast::<u8>(), bytes).to_vec();
            (self.fns.ceph_buffer_free)(from);
            copy
        }
    }
}

/// Asks metadata servers, one question after the other: to whom (`a`, or its gid), and the command. As many answers as there was time for
/// within `limit`; whatever comes later is waited for on a thread that nobody waits for.
///
/// # Errors
/// Of each answer: libcephfs is missing, there is no such server, or no right to ask it (`mds 'allow *'`).
pub fn ask_mds(rados: &Arc<Rados>, questions: Vec<(String, Value)>, limit: Duration) -> Vec<Result<Reply, CephError>> {
    let (answer, answers) = mpsc::channel();
    let (rados, count) = (rados.clone(), questions.len());
    let ask = move || match Client::new(&rados) {
        Ok(client) => {
            for (server, command) in questions {
                if answer.send(client.ask(&rados, &server, &command)).is_err() {
                    break;
                }
            }
        }
        Err(error) => drop(answer.send(Err(error))),
    };
    if std::thread::Builder::new().name("ceph-mds".into()).spawn(ask).is_err() {
        return Vec::new();
    }
    let until = std::time::Instant::now() + limit;
    let next = || answers.recv_timeout(until.saturating_duration_since(std::time::Instant::now())).ok();
    std::iter::from_fn(next).take(count).collect()
}
