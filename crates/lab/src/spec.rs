//! What kind of lab is wanted.

use crate::db::DB_BYTES_LEAST;
use crate::errors::LabError;
use crate::services::Service;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;

/// What the OSDs keep their data on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Backing {
    /// BlueStore on sparse files in the lab's directory.
    #[default]
    File,
    /// BlueStore on a loop device per OSD, over such files. Needs root.
    Loop,
    /// BlueStore on sparse files in `/dev/shm`. Not memstore: with BlueStore the device below the OSD can be measured, the
    /// size is bounded, and the path of an operation is that of a real OSD.
    Memory,
}

impl fmt::Display for Backing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Backing::File => "file",
            Backing::Loop => "loop",
            Backing::Memory => "memory",
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spec {
    pub name: String,
    pub backing: Backing,
    pub osds: u32,
    /// Bytes of each OSD; the files are sparse.
    pub size: u64,
    /// Bytes of a device of its own for each OSD's database, with its write-ahead log in it (needs backing `loop`); `None`: it lies with
    /// the data.
    #[serde(default)]
    pub db: Option<u64>,
    /// Hosts made of network namespaces (needs root); 0: everything on this host's loopback.
    pub hosts: u32,
    /// The hosts have a second network, on which the OSDs talk to each other.
    #[serde(default)]
    pub cluster_network: bool,
    /// What it offers beside its pools; what these build on comes by itself.
    #[serde(default)]
    pub with: Vec<Service>,
    /// The monitor's port (msgr2; msgr1 has the next one); `None`: free ones are found.
    pub port: Option<u16>,
    /// The `fathom` program, which holds the lab: it is started again as `PROGRAM lab supervisor …`.
    pub program: PathBuf,
}

pub const GIB: u64 = 1 << 30;
pub(crate) const SIZE_MIN: u64 = GIB;
/// Bytes of an OSD that are enough for any measurement of a lab.
pub(crate) const SIZE_ENOUGH: u64 = 10 * GIB;
/// Bytes of an OSD: the largest file of ext4 is not much larger.
const SIZE_MAX: u64 = 15 << 40;
/// What a lab has at most.
pub const OSDS_MAX: u32 = 200;
const HOSTS_MAX: u32 = 64;
const NAME_MAX: usize = 32;

impl Default for Spec {
    fn default() -> Spec {
        Spec {
            name: "default".to_owned(),
            backing: Backing::File,
            osds: 3,
            size: SIZE_ENOUGH,
            db: None,
            hosts: 0,
            cluster_network: false,
            with: Vec::new(),
            port: None,
            program: PathBuf::from("/proc/self/exe"),
        }
    }
}

impl Spec {
    /// What no lab can be; before anything is made.
    ///
    /// # Errors
    /// A number, or a combination, with what would do.
    pub fn check(&self) -> Result<(), LabError> {
        check_name(&self.name)?;
        let usage = |text: String| Err(LabError::Usage(text));
        if !(1..=OSDS_MAX).contains(&self.osds) {
            return usage(format!("a lab has 1 to {OSDS_MAX} OSDs, not {}", self.osds));
        }
        if self.size < SIZE_MIN {
            return usage(format!("an OSD needs at least 1 GiB, not {} bytes; give a larger --size", self.size));
        }
        if self.size > SIZE_MAX {
            return usage(format!("an OSD of a lab has at most {} TiB; give a smaller --size", SIZE_MAX >> 40));
        }
        if self.db.is_some() && self.backing != Backing::Loop {
            return usage(format!(
                "--db gives each OSD's database a device of its own, which backing {} has not; give --backing loop (root)",
                self.backing
            ));
        }
        if let Some(bytes) = self.db.filter(|bytes| *bytes < DB_BYTES_LEAST) {
            return usage(format!("a database needs at least {} MiB, not {bytes} bytes", DB_BYTES_LEAST >> 20));
        }
        if self.hosts > HOSTS_MAX || self.hosts > self.osds {
            let most = HOSTS_MAX.min(self.osds);
            return usage(format!("a lab of {} OSDs has at most {most} hosts, not {}", self.osds, self.hosts));
        }
        if self.cluster_network && self.hosts == 0 {
            return usage("a cluster network lies between hosts; give --hosts as well".to_owned());
        }
        if self.with.contains(&Service::Guest) && self.hosts == 0 {
            return usage("a guest is on the network between hosts; give --hosts as well".to_owned());
        }
        Ok(())
    }

    /// How many copies the default pool has.
    pub(crate) fn replicas(&self) -> u32 {
        self.osds.min(3)
    }
}

/// Names end up in paths, in names of namespaces and on command lines.
pub(crate) fn check_name(name: &str) -> Result<(), LabError> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    let begins_well = name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
    if begins_well && name.len() <= NAME_MAX && name.chars().all(plain) {
        return Ok(());
    }
    Err(LabError::Usage(format!(
        "{name:?} is no name for a lab; take up to {NAME_MAX} of a-z, 0-9, - and _, beginning with a letter or digit"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_would_hurt_in_a_path_are_refused() {
        for good in ["default", "a", "0", "my-lab_2"] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        for bad in ["", ".", "..", "a/b", "-a", "A", "a b", "a.b", "ä", &"a".repeat(33)] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn numbers_out_of_range_are_wrong_usage() {
        let wrong = [
            Spec { osds: 0, ..Spec::default() },
            Spec { osds: 201, ..Spec::default() },
            Spec { size: 1 << 20, ..Spec::default() },
            Spec { size: 9 << 50, ..Spec::default() },
            Spec { hosts: 4, ..Spec::default() },
            Spec { cluster_network: true, ..Spec::default() },
            Spec { with: vec![Service::Guest], ..Spec::default() },
            Spec { db: Some(2 * GIB), ..Spec::default() },
            Spec { db: Some(2 * GIB), backing: Backing::Memory, ..Spec::default() },
            Spec { db: Some(1 << 20), backing: Backing::Loop, ..Spec::default() },
        ];
        for spec in wrong {
            assert_eq!(spec.check().map_err(|error| error.exit_code()), Err(2), "{spec:?}");
        }
        assert!(Spec::default().check().is_ok());
        assert!(Spec { db: Some(2 * GIB), backing: Backing::Loop, ..Spec::default() }.check().is_ok());
    }
}
