//! A setting with two values that are compared in one run.

use model::Bytes;
use std::path::PathBuf;

/// What differs, and how both sides are called, as they were written.
#[derive(Clone, Debug, PartialEq)]
pub struct PairedSetting {
    pub a: String,
    pub b: String,
    pub varied: Varied,
}

/// Values of A and of B.
#[derive(Clone, Debug, PartialEq)]
pub enum Varied {
    /// Both sides are the same: shows what chance alone does.
    Nothing,
    Pool(String, String),
    /// Where the bytes of images, or of files, lie.
    DataPool(String, String),
    /// Where a gateway puts buckets.
    Placement(String, String),
    Engine(String, String),
    BlockSize(Bytes, Bytes),
    Depth(u32, u32),
    Jobs(u32, u32),
    Path(PathBuf, PathBuf),
    Osd(u32, u32),
    /// A setting of a pool like this one: both sides are temporary pools like it, and B has the setting.
    PoolLike {
        /// As in `pool:vms/size`.
        setting: String,
        value: String,
    },
    /// An option of the cluster (`osd/osd_max_backfills`) as it is, against a value.
    ClusterOption {
        option: String,
        value: String,
    },
}

/// One of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    A,
    B,
}

impl Side {
    pub fn of<T>(self, a: T, b: T) -> T {
        match self {
            Side::A => a,
            Side::B => b,
        }
    }
}

impl Varied {
    /// As it stands before the equals sign: `pool`, `block-size`, `osd/osd_max_backfills`.
    pub fn name(&self) -> &str {
        match self {
            Varied::Nothing => "nothing",
            Varied::Pool(..) => "pool",
            Varied::DataPool(..) => "data-pool",
            Varied::Placement(..) => "placement",
            Varied::Engine(..) => "engine",
            Varied::BlockSize(..) => "block-size",
            Varied::Depth(..) => "depth",
            Varied::Jobs(..) => "jobs",
            Varied::Path(..) => "path",
            Varied::Osd(..) => "osd",
            Varied::PoolLike { setting, .. } => setting,
            Varied::ClusterOption { option, .. } => option,
        }
    }
}

/// Of `pool:vms/size` the pool and what is set of it. Pools may have a slash in their names.
pub fn pool_and_name(setting: &str) -> Option<(&str, &str)> {
    setting.strip_prefix("pool:")?.rsplit_once('/').filter(|(pool, name)| !pool.is_empty() && !name.is_empty())
}

impl PairedSetting {
    /// As it was given.
    pub fn shown(&self) -> String {
        format!("--ab {}={},{}", self.varied.name(), self.a, self.b)
    }
}
