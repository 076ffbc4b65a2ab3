//! Every rule, in the order in which what they find is told; of what several explain the first one's is evidence.

mod device;
mod host;
mod network;
mod osd;
mod state;

use super::Rule;

pub static RULES: &[&Rule] = &[
    &state::st_flags::RULE,
    &device::device_slow::RULE,
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
    &network::net_nodelay::RULE,
    &host::kern_debug_logging::RULE,
];
