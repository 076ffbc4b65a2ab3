//! An object that is put in parts (S3's multipart upload): begun, each part by a request of its own, and put together.

use crate::bucket::waited;
use crate::connection::Connection;
use crate::requests::{Requests, Speaks, VALID};
use instant_xml::FromXml;
use jiff::Timestamp;
use rusty_s3::actions::{AbortMultipartUpload, CompleteMultipartUpload, CreateMultipartUpload, S3Action, UploadPart};
use rusty_s3::{Method, signing};
use std::io;
use std::time::Instant;
use url::Position;

/// Parts of an object: as S3 of AWS, and RGW, have it.
pub const PARTS_MOST: u64 = 10_000;

/// One that was begun, and neither put together nor given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenUpload {
    pub key: String,
    pub id: String,
}

const NAMESPACE: &str = "http://s3.amazonaws.com/doc/2006-03-01/";

#[derive(FromXml)]
#[xml(rename = "ListMultipartUploadsResult", ns(NAMESPACE))]
struct UploadsListed {
    uploads: Vec<UploadListed>,
}

#[derive(FromXml)]
#[xml(rename = "Upload", ns(NAMESPACE))]
struct UploadListed {
    #[xml(rename = "Key")]
    key: String,
    #[xml(rename = "UploadId")]
    id: String,
}

/// The body of an answer to whoever gives an upload up: an error, at most.
const ANSWER_MOST: usize = 4096;

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

    /// Writes the request that gives it up: its parts are thrown away. By Swift there is none.
    pub(crate) fn abort_upload(&self, upload: &OpenUpload, head: &mut Vec<u8>) {
        if let Speaks::S3 { bucket, keys } = &self.speaks {
            let action = AbortMultipartUpload::new(bucket, Some(keys), &upload.key, &upload.id);
            self.signed("DELETE", action, None, &[], head);
        }
    }

    /// Writes the request for those under way whose names begin so, the first ones. By Swift there is none.
    pub(crate) fn uploads(&self, prefix: &str, most: usize, head: &mut Vec<u8>) {
        let Speaks::S3 { bucket, keys } = &self.speaks else { return };
        let most = most.to_string();
        // In the order of their names, in which they are signed.
        let query = [("max-uploads", most.as_str()), ("prefix", prefix), ("uploads", "")];
        let url = signing::sign(
            &Timestamp::now(),
            Method::Get,
            bucket.base_url().clone(),
            keys.key(),
            keys.secret(),
            keys.token(),
            bucket.region(),
            VALID.as_secs(),
            query.into_iter(),
            std::iter::empty(),
        );
        self.write("GET", &url[Position::BeforePath..Position::AfterQuery], None, &[], head);
    }

    /// Those of a list; `None`: it is none.
    pub(crate) fn uploads_on(body: &[u8]) -> Option<Vec<OpenUpload>> {
        let listed: UploadsListed = instant_xml::from_str(std::str::from_utf8(body).ok()?).ok()?;
        Some(listed.uploads.into_iter().map(|upload| OpenUpload { key: upload.key, id: upload.id }).collect())
    }
}

/// Gives these up, one after the other, each in the bucket of its requests, which are all at one gateway.
///
/// # Errors
/// It is not reached, or the time is up: some are under way still.
pub fn abort_all(uploads: &[(&Requests, OpenUpload)], until: Instant) -> io::Result<()> {
    let (mut kept, mut body): (Option<Connection>, _) = (None, vec![0; ANSWER_MOST]);
    for (requests, upload) in uploads {
        let open = kept.take().and_then(|mut open| (!open.is_closed()).then_some(open));
        let mut connection = open.map_or_else(|| requests.connect(0), Ok)?;
        connection.finish(until)?;
        connection.begin(|head| requests.abort_upload(upload, head));
        let left = until.saturating_duration_since(Instant::now());
        let answer = waited(&mut connection, &[], &mut body, left)?;
        kept = (!answer.close).then_some(connection);
    }
    Ok(())
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

    #[test]
    fn uploads_under_way_are_read_from_their_list() {
        let told = |text: &str| Requests::uploads_on(text.as_bytes());
        let upload = |key: &str, id: &str| OpenUpload { key: key.to_string(), id: id.to_string() };
        let list = r#"<?xml version="1.0" encoding="UTF-8"?><ListMultipartUploadsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Bucket>b</Bucket><Prefix>a</Prefix><NextKeyMarker></NextKeyMarker><MaxUploads>1000</MaxUploads><IsTruncated>false</IsTruncated><Upload><Key>a.1</Key><UploadId>2~x</UploadId><Initiator><ID>u</ID></Initiator><StorageClass>STANDARD</StorageClass></Upload><Upload><Key>a.2</Key><UploadId>2~y</UploadId></Upload></ListMultipartUploadsResult>"#;
        assert_eq!(told(list), Some(vec![upload("a.1", "2~x"), upload("a.2", "2~y")]));
        let none = r#"<ListMultipartUploadsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"></ListMultipartUploadsResult>"#;
        assert_eq!(told(none), Some(Vec::new()));
        // Whoever does not know the request lists objects.
        let objects = r#"<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"></ListBucketResult>"#;
        assert_eq!((told(objects), told("")), (None, None));
    }

    proptest! {
        #[test]
        fn whatever_is_answered_is_an_upload_or_none(body in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _either = Requests::upload_id(&body);
        }
    }
}
