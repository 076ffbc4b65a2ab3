//! What a cluster and its hosts say of themselves, without any load: looked at once, changed never. What was not told is `None`, not a default.

mod cluster;
mod door;
mod host;
mod image;
mod osd;
mod pool;
mod version;

pub use cluster::{
    Balancer, Bucket, ClientRelease, ClusterFacts, CrushRule, FileSystem, HealthCheck, MonitorFacts, SetOption,
    Tunables,
};
pub use door::{BucketIndex, FileClient, FileClientKind, MetadataServer, WaitingRequest};
pub use host::{BlockQueue, DaemonProcess, FileMount, Guest, HostSetup, IdleState, NicSetup};
pub use image::ImageFacts;
pub use osd::OsdFacts;
pub(crate) use osd::is_made;
pub use pool::{PoolFacts, PoolLoad};
pub use version::Version;

use crate::change::Change;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    pub cluster: ClusterFacts,
    /// Of those hosts that could be looked at.
    pub hosts: Vec<HostSetup>,
    /// What could not be looked at, and what it would need.
    pub left_out: Vec<String>,
}

impl Facts {
    /// Without what the run itself made: its flags, options and pools say nothing of the cluster.
    pub fn forget(&mut self, changes: &[Change]) {
        for change in changes {
            match change {
                Change::Flag { name } => {
                    self.cluster.flags.iter_mut().for_each(|flags| flags.retain(|flag| flag != name));
                    self.cluster.health.iter_mut().for_each(|checks| checks.retain(|check| check.id != "OSDMAP_FLAGS"));
                }
                Change::Option { who, name, .. } => {
                    let own = |option: &SetOption| option.who == *who && option.name == *name;
                    self.cluster.options.iter_mut().for_each(|options| options.retain(|option| !own(option)));
                }
                Change::Pool { name, .. } => {
                    self.cluster.pools.iter_mut().for_each(|pools| pools.retain(|pool| pool.name != *name));
                }
                Change::BalancerOff => self.cluster.balancer = None,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn facts_of_other_releases_are_read() {
        let known: Facts = serde_json::from_value(json!({
            "cluster": {"osds": [{"id": 1, "up": true, "of_a_later_release": 1}], "flags": ["noscrub"]},
            "of_a_later_release": {},
        }))
        .unwrap();
        assert_eq!(known.cluster.osds.as_ref().unwrap()[0].id, 1);
        assert_eq!((known.cluster.osds.unwrap()[0].rotational, known.cluster.options), (None, None));
        let empty = serde_json::to_value(Facts::default()).unwrap();
        assert_eq!(serde_json::from_value::<Facts>(empty).unwrap(), Facts::default());
    }

    #[test]
    fn what_the_run_made_itself_is_forgotten() {
        let mut facts = Facts::default();
        facts.cluster.flags = Some(vec!["noscrub".into(), "noout".into()]);
        facts.cluster.pools = Some(vec![PoolFacts { name: "own".into(), ..PoolFacts::default() }]);
        let pool = Change::Pool { name: "own".into(), pg_num: 1, size: None, on: vec![], like: None };
        facts.forget(&[Change::Flag { name: "noscrub".into() }, pool]);
        assert_eq!((facts.cluster.flags, facts.cluster.pools), (Some(vec!["noout".into()]), Some(vec![])));
    }
}
