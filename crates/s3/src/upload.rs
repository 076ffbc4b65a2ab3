//! An object that is put in parts (S3's multipart upload): begun, each part by a request of its own, and put together.

use crate::requests::{Requests, Speaks, VALID};
use jiff::Timestamp;
use rusty_s3::actions::{CompleteMultipartUpload, CreateMultipartUpload, S3Action, UploadPart};
use url::Position;

/// Parts of an object: as S3 of AWS, and RGW, have it.
pub const PARTS_MOST: u64 = 10_000;

impl Requests {
    /// Writes the request that begins it; by Swift there is none, and nothing is written.
    pub fn begin_upload(&self, key: &str, head: &mut Vec<u8>) {
        if let Speaks::S3 { bucket, keys } = &self.speaks {
            self.signed("POST", CreateMultipartUpload::new(bucket, Some(keys), key), Some(0), &[], head);
        }
    }

    /// By which it is known, of the answer to its beginning; `None`: it is no such answer.
    pub fn upload_id(body: &[u8]) -> Option<String> {
        let text = std::str::from_utf8(body).ok()?;
        let told = CreateMultipartUpload::parse_response(text).ok()?;
        Some(told.upload_id().to_string()).filter(|id| !id.is_empty())
    }

    /// Writes the head of the request that puts a part; the first is 1.
    pub fn put_part(&self, key: &str, (upload, number): (&str, u16), bytes: usize, head: &mut Vec<u8>) {
        if let Speaks::S3 { bucket, keys } = &self.speaks {
            self.signed("PUT", UploadPart::new(bucket, Some(keys), key, number, upload), Some(bytes), &[], head);
        }
    }

    /// Writes the head of the request that puts the parts together; returns its body. `tags`: what the answer to each part had.
    pub fn end_upload(&self, key: &str, upload: &str, tags: &[String], head: &mut Vec<u8>) -> String {
        let Speaks::S3 { bucket, keys } = &self.speaks else { return String::new() };
        let tags = tags.iter().map(String::as_str);
        let action = CompleteMultipartUpload::new(bucket, Some(keys), key, upload, tags);
        let url = action.sign_with_time(VALID, &Timestamp::now());
        let body = action.body();
        self.write("POST", &url[Position::BeforePath..Position::AfterQuery], Some(body.len()), &[], head);
        body
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_upload_is_known_by_what_its_beginning_is_answered() {
        let told = |text: &str| Requests::upload_id(text.as_bytes());
        let answer = r#"<?xml version="1.0" encoding="UTF-8"?><InitiateMultipartUploadResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Bucket>b</Bucket><Key>k</Key><UploadId>2~abc</UploadId></InitiateMultipartUploadResult>"#;
        assert_eq!(told(answer).as_deref(), Some("2~abc"));
        assert_eq!(told("<Error><Code>NoSuchBucket</Code></Error>"), None);
        assert_eq!(told(&answer.replace("2~abc", "")), None);
    }

    proptest! {
        #[test]
        fn whatever_is_answered_is_an_upload_or_none(body in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _either = Requests::upload_id(&body);
        }
    }
}
