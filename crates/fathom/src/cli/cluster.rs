//! How the cluster is reached: the options that Ceph's own programs have.

use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Cluster")]
pub struct ClusterArgs {
    /// ceph.conf (default: $CEPH_CONF, /etc/ceph/CLUSTER.conf)
    #[arg(long, short = 'c', global = true, value_name = "FILE")]
    pub conf: Option<PathBuf>,
    /// User without `client.`
    #[arg(long, global = true, value_name = "ID")]
    pub id: Option<String>,
    /// The user's keyring
    #[arg(long, short = 'k', global = true, value_name = "FILE")]
    pub keyring: Option<PathBuf>,
    /// Name of the cluster
    #[arg(long, global = true, value_name = "NAME")]
    pub cluster: Option<String>,
}

const CONNECT: Duration = Duration::from_secs(10);

impl ClusterArgs {
    pub fn access(&self) -> ceph::ClusterAccess {
        let from_environment = || std::env::var_os("CEPH_CONF").filter(|path| !path.is_empty()).map(PathBuf::from);
        ceph::ClusterAccess {
            conf: self.conf.clone().or_else(from_environment),
            cluster: self.cluster.clone(),
            id: self.id.clone(),
            keyring: self.keyring.clone(),
            options: Vec::new(),
            connect_timeout: CONNECT,
        }
    }
}
