//! Every rule, in the order in which what they find is told; of what several explain the first one's is evidence.

mod device;
mod network;
mod osd;

use super::Rule;

pub static RULES: &[&Rule] = &[
    &network::host_way_slow::RULE,
    &device::device_slow::RULE,
    &osd::osd_process_slow::RULE,
    &osd::osd_store_slow::RULE,
    &osd::osd_way_slow::RULE,
    &osd::osd_slow::RULE,
    &network::host_network_slow::RULE,
    &network::link_slow::RULE,
    &network::uplink_oversubscribed::RULE,
    &network::bond_leg::RULE,
    &network::cluster_network_narrow::RULE,
    &device::disks_share_a_ceiling::RULE,
    &osd::compaction_dips::RULE,
    &network::segments_sent_again::RULE,
    &network::mtu::RULE,
];
