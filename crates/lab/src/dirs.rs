//! Where a lab lives: all of it in one directory, and one in `/dev/shm` if its data is in memory.

use crate::errors::LabError;
use crate::spec::Backing;
use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

const SOCKET_PATH_MAX: usize = 107;

/// The directories and names of one lab. All follow from the lab's name and the place of labs, so that what a crash left is
/// found without any record of it.
#[derive(Clone, Debug)]
pub(crate) struct Dirs {
    pub name: String,
    /// `…/fathom/labs/NAME`.
    pub dir: PathBuf,
    /// Where it is in memory: `/dev/shm/fathom-NAME-TAG`.
    pub memory: PathBuf,
    /// Eight hexadecimal digits that tell this lab from all others on this host, also from another user's of the same name.
    pub tag: String,
}

/// `$XDG_DATA_HOME/fathom/labs`, else `~/.local/share/fathom/labs`; links on the way to `fathom` are followed.
pub(crate) fn labs() -> Result<PathBuf, LabError> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = set("XDG_DATA_HOME").or_else(|| set("HOME").map(|home| home.join(".local/share")));
    let base = base.ok_or_else(|| LabError::Usage("neither XDG_DATA_HOME nor HOME is set; set one".to_owned()))?;
    if !base.is_absolute() {
        return Err(LabError::Usage(format!("XDG_DATA_HOME is {}; give an absolute path", base.display())));
    }
    Ok(real(&base).join("fathom/labs"))
}

/// Without links, `..` and doubled slashes, as far as it exists: a lab's names follow from its path, which must not depend on how that is
/// spelt.
fn real(path: &Path) -> PathBuf {
    let mut real = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                real.pop();
            }
            part => real.push(part),
        }
        // What is not there yet is no link.
        real = real.canonicalize().unwrap_or(real);
    }
    real
}

impl Dirs {
    pub fn of(name: &str) -> Result<Dirs, LabError> {
        crate::spec::check_name(name)?;
        Ok(Dirs::in_labs(&labs()?, name))
    }

    pub fn in_labs(labs: &Path, name: &str) -> Dirs {
        let dir = labs.join(name);
        // Stable across runs of this program, which is all that it must be: `DefaultHasher::new` has fixed keys.
        let mut hasher = DefaultHasher::new();
        dir.as_os_str().as_bytes().hash(&mut hasher);
        let tag = format!("{:08x}", hasher.finish() as u32);
        let memory = PathBuf::from(format!("/dev/shm/fathom-{name}-{tag}"));
        Dirs { name: name.to_owned(), dir, memory, tag }
    }

    /// Where daemons keep their data.
    pub fn data(&self, backing: Backing) -> &Path {
        match backing {
            Backing::File | Backing::Loop => &self.dir,
            Backing::Memory => &self.memory,
        }
    }

    pub fn conf(&self) -> PathBuf {
        self.dir.join("ceph.conf")
    }

    pub fn keyring(&self) -> PathBuf {
        self.dir.join("keyring")
    }

    /// Of the object gateway's user, as the AWS tools read them.
    pub fn s3_credentials(&self) -> PathBuf {
        self.dir.join("s3-credentials")
    }

    /// Locked as long as the supervisor lives; holds its process id.
    pub fn lock(&self) -> PathBuf {
        self.dir.join("lock")
    }

    /// What the lab is made of, as JSON.
    pub fn record(&self) -> PathBuf {
        self.dir.join("lab.json")
    }

    /// The faults that are on, as JSON.
    pub fn faults(&self) -> PathBuf {
        self.dir.join("faults.json")
    }

    /// The supervisor's socket.
    pub fn control(&self) -> PathBuf {
        self.run().join("supervisor")
    }

    pub fn run(&self) -> PathBuf {
        self.dir.join("run")
    }

    pub fn logs(&self) -> PathBuf {
        self.dir.join("log")
    }

    pub fn log(&self, daemon: &str) -> PathBuf {
        self.logs().join(format!("{daemon}.log"))
    }

    pub fn pid(&self, daemon: &str) -> PathBuf {
        self.run().join(format!("{daemon}.pid"))
    }

    /// Prefix of the names of this lab's network namespaces.
    pub fn namespace_prefix(&self) -> String {
        format!("fathom-{}-{}-", self.name, self.tag)
    }

    /// Name of its bridge; an interface's name has at most 15 bytes.
    pub fn bridge(&self) -> String {
        format!("fl{}", self.tag)
    }

    /// Of the network on which the OSDs talk to each other.
    pub fn cluster_bridge(&self) -> String {
        format!("fc{}", self.tag)
    }

    pub fn cluster_port_prefix(&self) -> String {
        format!("{}-", self.cluster_bridge())
    }

    pub fn cluster_port(&self, host: usize) -> String {
        format!("{}{host}", self.cluster_port_prefix())
    }

    pub fn port_prefix(&self) -> String {
        format!("{}-", self.bridge())
    }

    pub fn port(&self, host: usize) -> String {
        format!("{}{host}", self.port_prefix())
    }

    /// Of the guest, on the bridge.
    pub fn guest_port(&self) -> String {
        format!("{}g", self.port_prefix())
    }

    /// The longest socket is a daemon's admin socket.
    pub fn check_length(&self) -> Result<(), LabError> {
        let longest = self.run().join("osd.199.asok");
        let length = longest.as_os_str().len();
        if length > SOCKET_PATH_MAX {
            return Err(LabError::PathTooLong { path: self.dir.clone(), length });
        }
        if self.dir.to_str().is_none() {
            return Err(LabError::Usage(format!(
                "{} is not UTF-8; set XDG_DATA_HOME to another path",
                self.dir.display()
            )));
        }
        // The path stands unquoted in ceph.conf.
        let odd = |byte: &u8| byte.is_ascii_control() || b" \"'#;$\\=".contains(byte);
        if OsStr::as_bytes(self.dir.as_os_str()).iter().any(odd) {
            return Err(LabError::Usage(format!(
                "{} holds a blank or one of \"'#;$\\= and can't stand in a ceph.conf; set XDG_DATA_HOME to another path",
                self.dir.display()
            )));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn however_a_path_is_spelt_the_labs_in_it_are_the_same() -> std::io::Result<()> {
        let place = tempfile::tempdir()?;
        let home = place.path().canonicalize()?.join("home");
        fs::create_dir(&home)?;
        let link = place.path().join("link");
        symlink(&home, &link)?;
        let yet_to_be_made = home.join("data");
        let spelt = |text: String| real(Path::new(&text));
        for made in [false, true] {
            if made {
                fs::create_dir(&yet_to_be_made)?;
            }
            assert_eq!(real(&link.join("data")), yet_to_be_made);
            assert_eq!(spelt(format!("{}//./data/", home.display())), yet_to_be_made);
            assert_eq!(spelt(format!("{}/none/../data", home.display())), yet_to_be_made);
            assert_eq!(spelt(format!("{}/../home/data", link.display())), yet_to_be_made);
        }
        Ok(())
    }

    #[test]
    fn labs_of_the_same_name_in_other_places_share_nothing() {
        let (one, two) = (Dirs::in_labs(Path::new("/a"), "x"), Dirs::in_labs(Path::new("/b"), "x"));
        assert_ne!(one.tag, two.tag);
        assert_ne!(one.memory, two.memory);
        assert_eq!(one.tag, Dirs::in_labs(Path::new("/a"), "x").tag);
        assert!(one.port(63).len() <= 15);
    }

    #[test]
    fn paths_that_ceph_cannot_take_are_refused() {
        assert!(Dirs::in_labs(Path::new("/home/me/.local/share/fathom/labs"), "default").check_length().is_ok());
        let long = PathBuf::from(format!("/{}", "a".repeat(90)));
        assert!(Dirs::in_labs(&long, "default").check_length().is_err());
        assert!(Dirs::in_labs(Path::new("/my home"), "default").check_length().is_err());
    }
}
