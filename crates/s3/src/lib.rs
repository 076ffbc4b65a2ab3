//! Object gateways by S3: their keys, signed requests, connections, and buckets of our own.

mod bucket;
mod connection;
mod errors;
mod keys;
mod requests;

pub use bucket::{Bucket, MARK};
pub use connection::{Answer, Connection};
pub use errors::{S3Error, status_in_words};
pub use keys::{Keys, Named, REGION, gateway, keys_of};
pub use requests::Requests;
