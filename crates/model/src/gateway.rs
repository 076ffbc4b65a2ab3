//! Where an object gateway is, and where the keys for it lie: never the keys themselves.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A service that speaks S3 or Swift: Ceph's gateway, or another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gateway {
    /// `http://HOST:PORT`, without a slash at its end.
    pub url: String,
    /// For which requests are signed.
    pub region: String,
    /// The bucket's name is a part of the host's: `http://BUCKET.HOST`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub virtual_host: bool,
    /// It is asked by Swift instead of S3: the address is that where users log in (v1), and buckets are containers.
    #[serde(default, skip_serializing_if = "is_false")]
    pub swift: bool,
    /// A file of keys of its own, as the AWS tools have it; `None`: those of the user's environment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credentials: Option<PathBuf>,
    /// The profile that the user named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// A file of certificates of those who sign its own; `None`: this host's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorities: Option<PathBuf>,
}

fn is_false(flag: &bool) -> bool {
    !flag
}
