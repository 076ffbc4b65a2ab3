//! How a connection comes about, or fails with the reason, within the time that it is given.

use crate::access::ClusterAccess;
use crate::conf_file;
use crate::error::CephError;
use crate::librados::{Handle, Librados};
use std::ffi::{CStr, CString};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

/// How many seconds monitor commands wait for a monitor to come back, unless the caller says otherwise: a monitor may be away for
/// some seconds, and nothing may hang for ever. It costs nothing per I/O operation.
const MON_OP_TIMEOUT: (&str, &str) = ("rados_mon_op_timeout", "60");

/// The library keeps the limit itself as a rule, and then leaves nothing running behind.
const GRACE: Duration = Duration::from_secs(1);

/// The library is silent: what it has to say comes back as results.
const QUIET: [(&str, &str); 4] =
    [("log_to_stderr", "false"), ("err_to_stderr", "false"), ("log_file", ""), ("admin_socket", "")];

/// The library's threads for the network and for completions, each with the number that it starts by default. On hosts
/// with few processors they mostly wake one another: with one of each on two processors, the same machine does 1.2 times
/// the operations per second, at 0.8 times the CPU time for each (4 KiB, 16 in flight; librbd: 128).
const THREADS: [(&str, usize); 2] = [("ms_async_op_threads", 3), ("librados_thread_count", 2)];

/// A cluster handle of librados. Dropping it ends the connection.
pub struct ClusterHandle {
    pub fns: &'static Librados,
    pub raw: Handle,
    pub entity: String,
}

// SAFETY: librados.h: a cluster handle may be used by any thread, by several at once.
unsafe impl Send for ClusterHandle {}
// SAFETY: as above.
unsafe impl Sync for ClusterHandle {}

impl Drop for ClusterHandle {
    fn drop(&mut self) {
        // SAFETY: `raw` is valid and is used no more; pools and images hold this handle as long as they live.
        unsafe { (self.fns.rados_shutdown)(self.raw) }
    }
}

pub fn c_text(text: &str) -> Result<CString, CephError> {
    CString::new(text).map_err(|_| CephError::BadName { name: text.to_owned() })
}

/// The library opens the keyring as soon as it hears of it, and reads it whole: a device without an end, or a pipe that nobody writes to, would
/// hold it for ever.
fn prove_keyrings(value: &str) -> Result<(), CephError> {
    let endless =
        |file: &&str| std::fs::metadata(file).is_ok_and(|found| !found.is_file() || found.len() > KEYRING_MOST);
    match value.split([',', ';', ' ']).map(str::trim).find(endless) {
        Some(file) => {
            let why = format!("{file} is no regular file of at most {} MiB", KEYRING_MOST >> 20);
            Err(CephError::BadOption { name: "keyring".into(), value: value.to_string(), why })
        }
        None => Ok(()),
    }
}

/// The keyrings that a configuration names, in any section; those with variables in their names are known only later.
fn keyrings_of(conf: &str) -> impl Iterator<Item = &str> {
    let lines = conf.lines().filter_map(|line| line.split_once('='));
    let named = lines.filter(|(name, _)| matches!(name.trim(), "keyring" | "keyfile"));
    named.map(|(_, value)| value.split(['#', ';']).next().unwrap_or_default().trim().trim_matches(['"', '\'']))
}

/// Bytes of a keyring: one of ten thousand users is smaller.
const KEYRING_MOST: u64 = 16 << 20;

impl ClusterHandle {
    pub fn connect(access: &ClusterAccess) -> Result<ClusterHandle, CephError> {
        let fns = Librados::get()?;
        access.prove_user()?;
        let conf = access.conf_file()?;
        let cluster = ClusterHandle::create(fns, access)?;
        cluster.read_conf(&conf)?;
        cluster.set_options(access)?;
        cluster.connect_within(access.timeout(), conf)
    }

    fn create(fns: &'static Librados, access: &ClusterAccess) -> Result<ClusterHandle, CephError> {
        let entity = access.entity();
        let (name, user) = (c_text(access.cluster())?, c_text(&entity)?);
        let mut raw: Handle = std::ptr::null_mut();
        // SAFETY: both texts live through the call; `raw` is filled on success.
        let code = unsafe { (fns.rados_create2)(&mut raw, name.as_ptr(), user.as_ptr(), 0) };
        if code < 0 {
            return Err(CephError::from_code(format!("prepare a connection as {entity}"), &entity, code, ""));
        }
        Ok(ClusterHandle { fns, raw, entity })
    }

    fn read_conf(&self, conf: &Path) -> Result<(), CephError> {
        let bad = |why: String| CephError::BadConf { path: conf.to_owned(), why };
        let text = conf_file::read(conf)?;
        let pipe = |file: &&str| std::fs::metadata(file).is_ok_and(|found| found.file_type().is_fifo());
        keyrings_of(&text).filter(pipe).try_for_each(prove_keyrings)?;
        let path = c_text(&conf.to_string_lossy())?;
        // SAFETY: the handle is valid and the path lives through the call.
        let code = unsafe { (self.fns.rados_conf_read_file)(self.raw, path.as_ptr()) };
        if code < 0 {
            return Err(bad(match -code {
                libc::EINVAL | libc::EDOM => conf_file::explain(&text),
                errno => std::io::Error::from_raw_os_error(errno).to_string(),
            }));
        }
        // SAFETY: null stands for the variable CEPH_ARGS.
        unsafe { (self.fns.rados_conf_parse_env)(self.raw, std::ptr::null()) };
        Ok(())
    }

    fn set_options(&self, access: &ClusterAccess) -> Result<(), CephError> {
        let processors = std::thread::available_parallelism().map_or(usize::MAX, usize::from);
        for (name, default) in THREADS {
            let enough = (processors / 2).clamp(1, default);
            // Another number than the default is somebody's wish. Releases without the option have no such threads.
            if enough < default && self.option(name) == default.to_string() {
                self.set(name, &enough.to_string())?;
            }
        }
        // Whole seconds; what is above the limit is cut off by `connect_within`.
        self.set("client_mount_timeout", &format!("{:.0}", access.timeout().as_secs_f64().ceil()))?;
        for (name, value) in QUIET.into_iter().chain([MON_OP_TIMEOUT]) {
            self.set(name, value)?;
        }
        if let Some(keyring) = &access.keyring {
            let keyring = keyring.to_string_lossy();
            prove_keyrings(&keyring)?;
            self.set("keyring", &keyring)?;
        }
        access.options.iter().try_for_each(|(name, value)| self.set(name, value))?;
        prove_keyrings(&self.option("keyring"))
    }

    pub fn set(&self, name: &str, value: &str) -> Result<(), CephError> {
        let (c_name, c_value) = (c_text(name)?, c_text(value)?);
        // SAFETY: the handle is valid and both texts live through the call.
        let code = unsafe { (self.fns.rados_conf_set)(self.raw, c_name.as_ptr(), c_value.as_ptr()) };
        if code < 0 {
            let why = std::io::Error::from_raw_os_error(-code).to_string();
            return Err(CephError::BadOption { name: name.to_owned(), value: value.to_owned(), why });
        }
        Ok(())
    }

    /// An option's value as the library has it; empty if it knows none of that name.
    pub fn option(&self, name: &str) -> String {
        let mut text = [0u8; 4096];
        let Ok(name) = c_text(name) else { return String::new() };
        // SAFETY: the library writes at most the given length, with a zero at the end.
        let code = unsafe { (self.fns.rados_conf_get)(self.raw, name.as_ptr(), text.as_mut_ptr().cast(), text.len()) };
        if code < 0 {
            return String::new();
        }
        CStr::from_bytes_until_nul(&text).map(|text| text.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// The library's threads as they are: what another program needs to be the same kind of client.
    pub fn threads(&self) -> impl Iterator<Item = (&'static str, String)> {
        THREADS.iter().map(|(name, _)| (*name, self.option(name))).filter(|(_, number)| !number.is_empty())
    }

    /// Connects on a thread of its own: the library's own limit covers only a part of what it does.
    fn connect_within(self, timeout: Duration, conf: PathBuf) -> Result<ClusterHandle, CephError> {
        let seconds = timeout.as_secs_f64();
        let unreachable = CephError::Unreachable { monitors: self.option("mon_host"), seconds };
        let (answer, answers) = mpsc::sync_channel(1);
        let connect = move || {
            // SAFETY: the handle is valid and not connected yet.
            let code = unsafe { (self.fns.rados_connect)(self.raw) };
            // If nobody waits any more, the handle comes back with the error and is shut down here.
            drop(answer.send((self, code)));
        };
        let spawned = std::thread::Builder::new().name("ceph-connect".into()).spawn(connect);
        spawned.map_err(|error| CephError::Errno {
            what: "start a thread to connect".into(),
            errno: error.raw_os_error().unwrap_or(libc::EAGAIN),
        })?;
        let Ok((cluster, code)) = answers.recv_timeout(timeout + GRACE) else { return Err(unreachable) };
        match -code {
            ..=0 => Ok(cluster),
            libc::ETIMEDOUT => Err(unreachable),
            // Neither named in the file nor found by DNS, where they may be published.
            libc::ENOENT if cluster.option("mon_host").is_empty() => {
                let text = std::fs::read_to_string(&conf).unwrap_or_default();
                let why = if conf_file::is_empty(&text) { "it is empty, and" } else { "it" };
                let why = format!("{why} names no monitors (mon_host); nor does DNS");
                Err(CephError::BadConf { path: conf, why })
            }
            libc::EINVAL => {
                let keys = ["key", "keyfile"].map(|name| (name, cluster.option(name)));
                let likely = match keys.iter().find(|(_, value)| !value.is_empty()) {
                    Some((name, _)) => format!("its {name} is most likely none of Ceph's"),
                    None => format!("mon_host = {} is most likely no address", cluster.option("mon_host")),
                };
                let why = format!("the library can't connect with it; {likely}: correct it");
                Err(CephError::BadConf { path: conf, why })
            }
            libc::EACCES | libc::EPERM | libc::ENOENT => Err(cluster.key_error()),
            _ => Err(CephError::from_code("connect to the cluster".into(), &cluster.entity, code, "")),
        }
    }

    /// The library says the same for a key that is wrong and for one that it did not find.
    fn key_error(&self) -> CephError {
        let (entity, keyring) = (self.entity.clone(), self.option("keyring"));
        let given = ["key", "keyfile"].iter().any(|option| !self.option(option).is_empty());
        let section = format!("[{entity}]");
        // That they have an end was proven before.
        let holds = |file: &str| std::fs::read_to_string(file.trim()).is_ok_and(|text| text.contains(&section));
        if given || keyring.split(',').any(holds) {
            CephError::WrongKey { entity, keyring }
        } else {
            CephError::NoKey { entity, keyring }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_is_no_keyring_and_is_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe").display().to_string();
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let why = prove_keyrings(&format!("/nowhere,{pipe}")).unwrap_err().to_string();
        assert!(why.contains("no regular file") && why.contains(&pipe), "{why}");
        assert!(prove_keyrings("/nowhere").is_ok() && prove_keyrings("").is_ok());
        let conf = format!("[global]\nfsid = x\nkeyring = {pipe}\n[client.a]\n\tkeyfile=\"/y\" # z\n");
        assert_eq!(keyrings_of(&conf).collect::<Vec<_>>(), [pipe.as_str(), "/y"]);
    }
}
