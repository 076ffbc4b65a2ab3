//! A change in the journal: what was there before it, whether it was made, by what it is known again, and which run may have made it.

use crate::own_folders;
use model::host_setting::HostSetting;
use model::working_set::is_bucket_of_set;
use model::{Change, HostChange, Undo};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JournalEntry {
    pub change: Change,
    /// The option's or flag's earlier value; `None`: there was none. Other changes need nothing.
    pub before: Option<String>,
    pub undone: bool,
    /// Written before the change is made: seconds since 1970, by this host's clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<i64>,
    /// The newest of its kind when it was written: the highest pool id, the version of the configuration, the epoch of the OSD
    /// map. What is not newer was not made by this change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// `None`: intended. The run may have been killed before or after it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<MadeThing>,
    /// Of a setting of this host: by what it is known again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<SettingOf>,
    /// Of a bucket: the id of the key with which it is made. Another user does not see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Of images and objects: the id of the pool in which they are made, which it keeps under any name. `None`: the journal of a release
    /// that did not tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pool: Option<u64>,
    /// In which of the values that the cluster keeps of its journal; known from where it stands.
    #[serde(skip)]
    pub part: u32,
}

/// The change was made, and this tells the thing from another of its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MadeThing {
    Pool(u64),
    Image(String),
    File {
        device: u64,
        inode: u64,
        /// On which mounted file system it is, in words. `None`: the kernel did not tell, or an older release wrote it down.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        on: Option<String>,
    },
    /// On which mounted file system it is, in words (`None`: the kernel did not tell), and its number there.
    Folder {
        on: Option<String>,
        inode: u64,
    },
    /// What has no identity of its own.
    Set,
}

/// What a host forgets with its start is nobody's to put back; and a name like `sdb` may be that of another drive then.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SettingOf {
    /// The kernel's boot_id; empty: it told none.
    pub boot: String,
    /// By its own name (SCSI, NVMe: wwid); `None`: the setting is of no drive, or the drive has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drive: Option<String>,
    /// The kernel's number of the disk, which no other one of this boot gets; `None`: it is of no drive, or the kernel is older than 5.15.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// Of a drive's cache: the kernel flushed it.
    #[serde(default)]
    pub flushed: bool,
    /// Of a scheduler or a governor: what the kernel sets anew with it, as it was.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tunables: BTreeMap<String, String>,
}

impl JournalEntry {
    pub fn of(change: Change) -> JournalEntry {
        let (before, written, since, made, of, key, pool) = (None, None, None, None, None, None, None);
        JournalEntry { change, before, undone: false, written, since, made, of, key, pool, part: 0 }
    }

    /// Is it made and undone in the cluster? Gateways and servers of NFS are asked without it.
    pub fn needs_cluster(&self) -> bool {
        !matches!(self.change, Change::OnHost { .. } | Change::Bucket { .. } | Change::NfsFolder { .. })
    }

    pub fn undo(&self) -> Undo {
        Undo { change: self.change.clone(), before: self.before.clone(), undone: self.undone, left: None }
    }
}

/// `20260102-030405-a1b2`: the only form that a run's name has.
pub fn is_run(name: &str) -> bool {
    let digits = |text: &str, count: usize| text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    let hex = |text: &str| text.len() == 4 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    match name.split('-').collect::<Vec<_>>().as_slice() {
        [day, time, tail] => digits(day, 8) && digits(time, 6) && hex(tail),
        _ => false,
    }
}

/// Names of pools, images and objects of this run begin so.
pub fn own_prefix(run: &str) -> String {
    format!("fathom.{run}.")
}

/// A bucket of a run: at its first gateway, or at a further one (`-2`, …); of all its objects, or of one set of them (`-o1000x4096`); the
/// first one of these, or a further one (`-b2`, …).
fn is_own_bucket(name: &str, run: &str) -> bool {
    let further = |number: &str| number.parse::<u16>().is_ok_and(|parsed| parsed > 1 && parsed.to_string() == number);
    let Some(rest) = name.strip_prefix("fathom-").and_then(|rest| rest.strip_prefix(run)) else { return false };
    let mut parts = rest.split('-');
    let begins = parts.next() == Some("");
    let mut parts = parts.peekable();
    parts.next_if(|part| further(part));
    parts.next_if(|part| is_bucket_of_set(part));
    parts.next_if(|part| part.strip_prefix('b').is_some_and(further));
    begins && parts.next().is_none()
}

/// Could this run have made that? Options are proven when they are undone.
pub fn may_be_ours(run: &str, change: &Change) -> bool {
    let own = own_prefix(run);
    match change {
        Change::Pool { name, .. }
        | Change::Spread { pool: name }
        | Change::Image { name, .. }
        | Change::Clone { name, .. } => name.starts_with(&own),
        Change::Objects { prefix, .. } => prefix.starts_with(&own),
        Change::CephfsFolder { path, .. } | Change::NfsFolder { path, .. } => {
            path.strip_prefix('/').is_some_and(|name| name.starts_with(&own) && !name.contains('/'))
        }
        Change::Bucket { name, .. } => is_own_bucket(name, run),
        Change::Flag { name } => FLAGS.contains(&name.as_str()),
        Change::Option { .. } | Change::Restart { .. } | Change::BalancerOff => true,
        Change::PoolSetting { name, value, .. } => (name.as_str(), value.as_str()) == ("pg_autoscale_mode", "off"),
        Change::OnHost { host, what: HostChange::File { path, .. } } => host.is_none() && path.is_absolute(),
        Change::OnHost { host, what: HostChange::Folder { path } } => {
            host.is_none() && own_folders::is_own_path(path, run)
        }
        Change::OnHost { host, what: HostChange::Setting { name, .. } } => {
            host.is_none() && HostSetting::parse(name).is_ok()
        }
    }
}

/// The flags that runs set.
pub const FLAGS: [&str; 3] = ["noscrub", "nodeep-scrub", "noout"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_known_form_is_a_run() {
        assert!(is_run("20260102-030405-a1b2"));
        for wrong in [
            "",
            "../../../x",
            "20260102-030405-A1B2",
            "20260102-030405-a1b2/x",
            "20260102-030405-a1b2-c",
            "2026010-0304055-a1b2",
            "20260102-030405-a1b",
            "20260102-030405-a1é",
        ] {
            assert!(!is_run(wrong), "{wrong}");
        }
    }

    #[test]
    fn a_run_has_a_bucket_at_each_gateway_and_no_others() {
        let run = "20260102-030405-a1b2";
        for own in [
            "fathom-20260102-030405-a1b2",
            "fathom-20260102-030405-a1b2-2",
            "fathom-20260102-030405-a1b2-17",
            "fathom-20260102-030405-a1b2-b2",
            "fathom-20260102-030405-a1b2-3-b12",
            "fathom-20260102-030405-a1b2-o1000x4096",
            "fathom-20260102-030405-a1b2-3-l16x4194304-b12",
        ] {
            assert!(is_own_bucket(own, run), "{own}");
        }
        for other in ["fathom-", "fathom-20260102-030405-a1b3", "fathom-20260102-030405-a1b2-", "backup"] {
            assert!(!is_own_bucket(other, run), "{other}");
        }
        for other in [
            "-1", "-02", "-x", "-2-3", "2", "-+2", "-70000", "-b1", "-b", "-b2-2", "-bx", "b2", "-o1x1-2", "-o1x",
            "-b2-o1x1",
        ] {
            assert!(!is_own_bucket(&format!("fathom-{run}{other}"), run), "{other}");
        }
    }

    #[test]
    fn an_entry_of_the_first_release_is_read_as_intended() {
        let old = r#"{"change":{"change":"flag","name":"noscrub"},"before":null,"undone":false}"#;
        let entry: JournalEntry = serde_json::from_str(old).unwrap();
        assert_eq!(entry, JournalEntry::of(Change::Flag { name: "noscrub".into() }));
    }
}
