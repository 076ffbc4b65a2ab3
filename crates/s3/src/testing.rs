//! What tests need of a gateway that is none.

use crate::requests::Requests;
use std::net::SocketAddr;

/// As if the gateway's name had these addresses.
pub fn at_addresses(mut requests: Requests, addresses: Vec<SocketAddr>) -> Requests {
    requests.addresses = addresses;
    requests
}
