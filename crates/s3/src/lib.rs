//! Object gateways by S3, and by Swift: their keys, signed requests, connections, and buckets of our own.

mod answer;
mod bucket;
mod connection;
mod errors;
mod keys;
mod own_certificate;
mod requests;
mod swift;
pub mod testing;
mod tls;
mod upload;

pub use answer::Answer;
pub use bucket::{ANSWER_WITHIN, Bucket, MARK, deleted, is_plain};
pub use connection::Connection;
pub use errors::{S3Error, status_in_words};
pub use keys::{Access, AccessByUrl, Keys, Named, REGION, access_to, access_to_all, gateway};
pub use requests::{Requests, SWIFT_LOG_IN, address};
pub use upload::{OpenUpload, PARTS_MOST, abort_all};
