//! How a cluster is reached: configuration, user, key, and how long to try.

use crate::error::CephError;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The least capabilities that suffice for a whole run. `osd 'allow *'` is needed by the store layer alone (the OSD's own bench
/// command demands it); `allow rwx` does for the other layers. `allow rw` does not open the config-key store, where the
/// journal's copy is: a monitor wants that named. `ceph auth caps` replaces all of a user's, so whoever is told of one is told of all.
pub const CAPS_LEAST: &str = "mon 'allow rw, allow service config-key rw' mgr 'allow r' osd 'allow *'";

/// Named as Ceph's own programs name it; everything may be left out.
#[derive(Clone, Debug, Default)]
pub struct ClusterAccess {
    /// `ceph.conf`; `None`: where Ceph's own programs look for it.
    pub conf: Option<PathBuf>,
    /// The cluster's name; `None`: `ceph`.
    pub cluster: Option<String>,
    /// The user, with or without `client.`; `None`: `admin`.
    pub id: Option<String>,
    pub keyring: Option<PathBuf>,
    /// Further options of the client library, such as `rados_osd_op_timeout`; they win over the configuration.
    pub options: Vec<(String, String)>,
    /// How long a connection may take to come about; zero: 10 s.
    pub connect_timeout: Duration,
}

impl ClusterAccess {
    pub(crate) fn entity(&self) -> String {
        match self.id.as_deref() {
            None => "client.admin".to_owned(),
            Some(id) if id.starts_with("client.") => id.to_owned(),
            Some(id) => format!("client.{id}"),
        }
    }

    /// # Errors
    /// What is named of the user makes no sense.
    pub(crate) fn prove_user(&self) -> Result<(), CephError> {
        match &self.id {
            Some(id) if id.strip_prefix("client.").unwrap_or(id).trim().is_empty() => {
                Err(CephError::NoUser { id: id.clone() })
            }
            _ => self.keyring.as_deref().map_or(Ok(()), crate::conf_file::prove_named_keyring),
        }
    }

    pub(crate) fn cluster(&self) -> &str {
        self.cluster.as_deref().unwrap_or("ceph")
    }

    pub(crate) fn timeout(&self) -> Duration {
        if self.connect_timeout.is_zero() { Duration::from_secs(10) } else { self.connect_timeout }
    }

    /// The configuration file that is used.
    ///
    /// # Errors
    /// The one named is not there, or none is where Ceph's own programs look.
    pub fn conf_file(&self) -> Result<PathBuf, CephError> {
        let searched = match (&self.conf, std::env::var_os("CEPH_CONF")) {
            (Some(path), _) => vec![path.clone()],
            (None, Some(path)) if !path.is_empty() => vec![PathBuf::from(path)],
            _ => usual_places(self.cluster(), std::env::var_os("HOME").as_deref().map(Path::new)),
        };
        if let [folder] = searched.as_slice()
            && folder.is_dir()
        {
            return Err(CephError::BadConf { path: folder.clone(), why: "it is a folder; name the file in it".into() });
        }
        searched.iter().find(|path| path.is_file()).cloned().ok_or(CephError::NoConf { searched })
    }
}

fn usual_places(cluster: &str, home: Option<&Path>) -> Vec<PathBuf> {
    let file = format!("{cluster}.conf");
    let mut places = vec![Path::new("/etc/ceph").join(&file)];
    places.extend(home.map(|home| home.join(".ceph").join(&file)));
    places.push(PathBuf::from(file));
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_named_with_and_without_their_type() {
        let named = |id: Option<&str>| ClusterAccess { id: id.map(str::to_owned), ..ClusterAccess::default() }.entity();
        assert_eq!(named(None), "client.admin");
        assert_eq!(named(Some("bench")), "client.bench");
        assert_eq!(named(Some("client.bench")), "client.bench");
    }

    #[test]
    fn a_user_without_a_name_and_a_folder_are_told_before_anything_is_reached() {
        for id in ["", " ", "client."] {
            let access = ClusterAccess { id: Some(id.to_owned()), ..ClusterAccess::default() };
            assert!(access.prove_user().unwrap_err().to_string().contains("has no name"), "{id}");
        }
        let access = ClusterAccess { conf: Some("/".into()), ..ClusterAccess::default() };
        assert!(
            access.conf_file().unwrap_err().to_string().contains("/ cannot be used as a ceph.conf: it is a folder")
        );
    }

    #[test]
    fn a_missing_conf_is_named() {
        let access = ClusterAccess { conf: Some("/nowhere/ceph.conf".into()), ..ClusterAccess::default() };
        let text = access.conf_file().expect_err("no such file").to_string();
        assert!(text.contains("/nowhere/ceph.conf"), "{text}");
        assert_eq!(usual_places("ceph", None), [Path::new("/etc/ceph/ceph.conf"), Path::new("ceph.conf")]);
    }
}
