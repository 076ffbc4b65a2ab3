//! What can go wrong between this program and a cluster, each with what, where and how to fix it.

use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CephError {
    #[error("Ceph's client library {file} is not on this host ({why}); install the package {package}")]
    LibraryMissing { file: &'static str, package: &'static str, why: String },

    #[error("no ceph.conf found (looked for {}); name one with --conf or CEPH_CONF", list(.searched))]
    NoConf { searched: Vec<PathBuf> },

    #[error("{} cannot be used as a ceph.conf: {why}", .path.display())]
    BadConf { path: PathBuf, why: String },

    #[error("--keyring {}: {why}; name the keyring of the user, or leave it out", .path.display())]
    BadKeyring { path: PathBuf, why: String },

    #[error("the user {id:?} has no name; name it as in --id admin")]
    NoUser { id: String },

    #[error("Ceph's client library refuses the option {name} = {value}: {why}")]
    BadOption { name: String, value: String, why: String },

    #[error(
        "no monitor answered within {seconds:.0} s (mon_host = {monitors}); check that the monitors run and that this host reaches them"
    )]
    Unreachable { monitors: String, seconds: f64 },

    #[error(
        "no key for {entity} found (keyring = {keyring}); name the keyring with --keyring or another user with --id"
    )]
    NoKey { entity: String, keyring: String },

    #[error(
        "the cluster refuses the key of {entity} (keyring = {keyring}); compare it with what `ceph auth get {entity}` prints"
    )]
    WrongKey { entity: String, keyring: String },

    #[error("{what}: the user {entity} has no right to do that{}; see `ceph auth get {entity}`", said(.status))]
    NotPermitted { what: String, entity: String, status: String },

    #[error("{what}: does not exist{}", said(.status))]
    NotFound { what: String, status: String },

    #[error("{what}: exists already{}", said(.status))]
    Exists { what: String, status: String },

    #[error("{what}: in use{}", said(.status))]
    Busy { what: String, status: String },

    #[error("{what}: no answer in time{}; see `ceph status`", said(.status))]
    TimedOut { what: String, status: String },

    /// The cluster understood and said no.
    #[error("{what}: {status} ({})", words(*.errno))]
    Refused { what: String, status: String, errno: i32 },

    #[error("{what}: {}", words(*.errno))]
    Errno { what: String, errno: i32 },

    #[error("{what}: the answer is not what was expected: {why}")]
    BadReply { what: String, why: String },

    /// A name that C cannot take: it has a zero byte inside.
    #[error("the name {name:?} has a zero byte in it; choose another")]
    BadName { name: String },
}

fn list(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

fn said(status: &str) -> String {
    if status.is_empty() { String::new() } else { format!(": {status}") }
}

fn words(errno: i32) -> std::io::Error {
    std::io::Error::from_raw_os_error(errno)
}

impl CephError {
    /// From a negative result `code` of `what`, with the cluster's own words, if any.
    pub(crate) fn from_code(what: String, entity: &str, code: i32, status: &str) -> CephError {
        let errno = code.saturating_neg();
        let status = status.trim().to_owned();
        match errno {
            libc::EPERM | libc::EACCES => CephError::NotPermitted { what, entity: entity.to_owned(), status },
            libc::ENOENT => CephError::NotFound { what, status },
            libc::EEXIST => CephError::Exists { what, status },
            libc::EBUSY => CephError::Busy { what, status },
            libc::ETIMEDOUT => CephError::TimedOut { what, status },
            errno if status.is_empty() => CephError::Errno { what, errno },
            errno => CephError::Refused { what, status, errno },
        }
    }

    /// The errno that stands for this error; 0 where none does.
    pub fn errno(&self) -> i32 {
        match self {
            CephError::LibraryMissing { .. } => libc::ELIBACC,
            CephError::NoConf { .. } | CephError::NotFound { .. } | CephError::NoKey { .. } => libc::ENOENT,
            CephError::BadConf { .. }
            | CephError::BadKeyring { .. }
            | CephError::NoUser { .. }
            | CephError::BadOption { .. }
            | CephError::BadName { .. } => libc::EINVAL,
            CephError::Unreachable { .. } | CephError::TimedOut { .. } => libc::ETIMEDOUT,
            CephError::WrongKey { .. } | CephError::NotPermitted { .. } => libc::EACCES,
            CephError::Exists { .. } => libc::EEXIST,
            CephError::Busy { .. } => libc::EBUSY,
            CephError::Refused { errno, .. } | CephError::Errno { errno, .. } => *errno,
            CephError::BadReply { .. } => 0,
        }
    }
}

impl From<CephError> for model::Failure {
    fn from(error: CephError) -> model::Failure {
        use CephError::{BadConf, BadKeyring, BadName, BadOption, NoConf, NoKey, NoUser};
        match error {
            NoConf { .. }
            | BadConf { .. }
            | BadKeyring { .. }
            | NoUser { .. }
            | BadOption { .. }
            | NoKey { .. }
            | BadName { .. } => model::Failure::Usage(error.to_string()),
            _ => model::Failure::Failed(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_say_what_and_the_mend() {
        let from = |code, status: &str| CephError::from_code("osd pool create x".into(), "client.a", code, status);
        let denied = from(-13, "access denied");
        assert_eq!(
            denied.to_string(),
            "osd pool create x: the user client.a has no right to do that: access denied; see `ceph auth get client.a`"
        );
        assert_eq!(from(-2, "").to_string(), "osd pool create x: does not exist");
        assert_eq!(from(-22, "pg_num 0").to_string(), "osd pool create x: pg_num 0 (Invalid argument (os error 22))");
        assert_eq!((from(-28, "").errno(), from(-110, "").errno()), (libc::ENOSPC, libc::ETIMEDOUT));
    }
}
