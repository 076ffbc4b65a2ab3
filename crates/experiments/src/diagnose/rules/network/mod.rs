//! What slows the network between hosts: links, hosts, uplinks, bonds, packet sizes, losses.

mod again;
pub mod bond_leg;
pub mod cluster_network_narrow;
pub mod host_network_slow;
pub mod link_slow;
mod matrix;
pub mod mtu;
pub mod net_nodelay;
pub mod segments_sent_again;
pub mod uplink_oversubscribed;
