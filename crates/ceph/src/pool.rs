//! A pool: its objects, read and written one at a time or listed.

use crate::connect::c_text;
use crate::error::CephError;
use crate::librados::{Handle, Librados};
use crate::pool_io::PoolIo;
use crate::rados::Rados;
use libc::c_int;
use std::ffi::CStr;
use std::sync::Arc;

/// An I/O context of librados; closed when the last of its holders is gone.
pub(crate) struct IoContext {
    pub fns: &'static Librados,
    pub raw: Handle,
    pub rados: Arc<Rados>,
    pub name: String,
}

// SAFETY: librados.h: I/O contexts may be used by several threads at once as long as nobody changes their locator,
// namespace or snapshot; nothing here does.
unsafe impl Send for IoContext {}
// SAFETY: as above.
unsafe impl Sync for IoContext {}

impl Drop for IoContext {
    fn drop(&mut self) {
        // SAFETY: the last holder is gone; operations in flight hold it.
        unsafe { (self.fns.rados_ioctx_destroy)(self.raw) }
    }
}

/// A pool of a connection. Clones are the same handle.
#[derive(Clone)]
pub struct Pool {
    context: Arc<IoContext>,
}

impl Pool {
    pub(crate) fn open(rados: &Arc<Rados>, name: &str) -> Result<Pool, CephError> {
        let fns = rados.cluster().fns;
        let c_name = c_text(name)?;
        let mut raw: Handle = std::ptr::null_mut();
        // SAFETY: the name lives through the call; `raw` is filled on success.
        let code = unsafe { (fns.rados_ioctx_create)(rados.cluster().raw, c_name.as_ptr(), &mut raw) };
        rados.check(code, || format!("pool {name}"))?;
        Ok(Pool { context: Arc::new(IoContext { fns, raw, rados: rados.clone(), name: name.to_owned() }) })
    }

    /// Another handle of the same pool, for the objects of a namespace.
    ///
    /// # Errors
    /// The name has a zero in it, or the pool is gone.
    pub fn within(&self, namespace: &str) -> Result<Pool, CephError> {
        let namespace = c_text(namespace)?;
        let own = Pool::open(&self.context.rados, &self.context.name)?;
        // SAFETY: the context is this handle's alone, and nobody uses it yet.
        unsafe { (own.context.fns.rados_ioctx_set_namespace)(own.context.raw, namespace.as_ptr()) };
        Ok(own)
    }

    /// What a method of an object class, which runs in the OSD, answers; at most `most` bytes.
    ///
    /// # Errors
    /// No right to it (`class-read`), no such object or method, or a longer answer.
    pub fn call(
        &self,
        object: &str,
        [class, method]: [&str; 2],
        input: &[u8],
        most: usize,
    ) -> Result<Vec<u8>, CephError> {
        let [name, c_class, c_method] = [c_text(object)?, c_text(class)?, c_text(method)?];
        let mut answer = vec![0u8; most];
        let IoContext { fns, raw, .. } = &*self.context;
        let (data, into) = (input.as_ptr().cast(), answer.as_mut_ptr().cast());
        // SAFETY: names and input live through the call, and at most the buffer's length is written.
        let code = unsafe {
            let (name, class, method) = (name.as_ptr(), c_class.as_ptr(), c_method.as_ptr());
            (fns.rados_exec)(*raw, name, class, method, data, input.len(), into, most)
        };
        self.check(code, "ask", object)?;
        answer.truncate(code as usize);
        Ok(answer)
    }

    /// What frees room is done also where the pool or an OSD is full, instead of waiting until it is not; what takes room fails there.
    pub fn although_full(self) -> Pool {
        // SAFETY: the context is valid.
        unsafe { (self.context.fns.rados_set_osdmap_full_try)(self.context.raw) };
        self
    }

    pub fn name(&self) -> &str {
        &self.context.name
    }

    pub fn rados(&self) -> &Arc<Rados> {
        &self.context.rados
    }

    pub(crate) fn context(&self) -> &Arc<IoContext> {
        &self.context
    }

    /// Room for `slots` operations in flight at once, each with a buffer of `bytes`.
    ///
    /// # Errors
    /// The memory cannot be had.
    pub fn io(&self, slots: u32, bytes: usize) -> Result<PoolIo, CephError> {
        PoolIo::new(self, slots, bytes)
    }

    fn check(&self, code: c_int, verb: &str, object: &str) -> Result<(), CephError> {
        self.context.rados.check(code, || format!("{verb} object {object} of pool {}", self.context.name))
    }

    pub fn write(&self, object: &str, offset: u64, data: &[u8]) -> Result<(), CephError> {
        let name = c_text(object)?;
        let IoContext { fns, raw, .. } = &*self.context;
        // SAFETY: name and data live through the call.
        let code = unsafe { (fns.rados_write)(*raw, name.as_ptr(), data.as_ptr().cast(), data.len(), offset) };
        self.check(code, "write", object)
    }

    /// Fills `data` from `offset` on and says how many bytes there were.
    pub fn read(&self, object: &str, offset: u64, data: &mut [u8]) -> Result<usize, CephError> {
        let name = c_text(object)?;
        let IoContext { fns, raw, .. } = &*self.context;
        // SAFETY: the name lives through the call, and at most the buffer's length is written.
        let code = unsafe { (fns.rados_read)(*raw, name.as_ptr(), data.as_mut_ptr().cast(), data.len(), offset) };
        self.check(code, "read", object)?;
        Ok(code as usize)
    }

    pub fn remove(&self, object: &str) -> Result<(), CephError> {
        let name = c_text(object)?;
        // SAFETY: the name lives through the call.
        let code = unsafe { (self.context.fns.rados_remove)(self.context.raw, name.as_ptr()) };
        self.check(code, "remove", object)
    }

    /// The object's size in bytes.
    pub fn stat(&self, object: &str) -> Result<u64, CephError> {
        let name = c_text(object)?;
        let (mut size, mut modified) = (0, 0);
        // SAFETY: the name lives through the call; two numbers are filled.
        let code = unsafe { (self.context.fns.rados_stat)(self.context.raw, name.as_ptr(), &mut size, &mut modified) };
        self.check(code, "look at", object)?;
        Ok(size)
    }

    /// The names of all objects that begin with `prefix`. The whole pool is walked: Ceph has no index of names.
    pub fn objects(&self, prefix: &str) -> Result<Vec<String>, CephError> {
        let IoContext { fns, raw, rados, name } = &*self.context;
        let mut list: Handle = std::ptr::null_mut();
        // SAFETY: `list` is filled on success.
        let code = unsafe { (fns.rados_nobjects_list_open)(*raw, &mut list) };
        rados.check(code, || format!("list the objects of pool {name}"))?;
        let mut found = Vec::new();
        let code = loop {
            let (mut entry, none) = (std::ptr::null(), std::ptr::null_mut());
            // SAFETY: the list is open; the entry is valid until the next call.
            let code = unsafe { (fns.rados_nobjects_list_next)(list, &mut entry, none, none) };
            if code < 0 {
                break code;
            }
            // SAFETY: on success the entry is a text that ends with zero.
            let entry = unsafe { CStr::from_ptr(entry) };
            // Names that are no UTF-8 are none of ours.
            found.extend(entry.to_str().ok().filter(|entry| entry.starts_with(prefix)).map(str::to_owned));
        };
        // SAFETY: closed once.
        unsafe { (fns.rados_nobjects_list_close)(list) };
        if code != -libc::ENOENT {
            rados.check(code, || format!("list the objects of pool {name}"))?;
        }
        Ok(found)
    }
}
