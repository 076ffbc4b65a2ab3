//! An object that is put in parts, one after the other: which request comes next.

use model::workload::PART_LEAST;
use model::{Bytes, units};
use s3::{Answer, PARTS_MOST, Requests};

/// Why objects of this size can't be put in such parts, in words.
pub fn refusal(part: Bytes, size: Bytes, swift: bool) -> Option<String> {
    let told = |why: String| Some(format!("parts of {}: {why}", units::bytes(part)));
    match () {
        () if swift => told("Swift has none; leave --part-size out, or ask by S3".to_string()),
        () if part < PART_LEAST => told(format!(
            "a part has at least {} (only an object's last one may have less); choose a larger --part-size",
            units::bytes(PART_LEAST)
        )),
        () if size.div_ceil(part) > PARTS_MOST => told(format!(
            "objects of {} have more than {PARTS_MOST} of them; choose a larger --part-size",
            units::bytes(size)
        )),
        () => None,
    }
}

/// What is in flight of it.
pub enum Upload {
    /// It is begun.
    Begun,
    /// This part is put; the tags of those before it are known.
    Part { id: String, tags: Vec<String> },
    /// Its parts are put together; what is sent for that.
    Together { body: String },
}

impl Upload {
    /// What is sent now of an object of this content.
    pub fn body<'b>(&'b self, content: &'b [u8], part: Bytes) -> &'b [u8] {
        match self {
            Upload::Begun => &[],
            Upload::Part { tags, .. } => piece(content, part, tags.len()),
            Upload::Together { body } => body.as_bytes(),
        }
    }

    /// Does this answer say that what was sent of it is there? One of another success, as a PUT as one may have, is none of an upload.
    ///
    /// # Errors
    /// It is an answer of success, and says less.
    pub fn is_taken(answer: &Answer) -> Result<bool, &'static str> {
        match answer.status {
            200 if answer.early => Err("the gateway said that it has a part before all of it was sent"),
            200 => Ok(true),
            201..300 => Err("the gateway answered a part of an upload as nothing that S3 knows"),
            _ => Ok(false),
        }
    }

    /// Writes the request after a good answer: `told` is its body, `tag` that of the part. `None`: that was the last one.
    ///
    /// # Errors
    /// The answer lacks what the next request needs.
    pub fn next(
        self,
        (requests, key): (&Requests, &str),
        (content, part): (&[u8], Bytes),
        (told, tag): (&[u8], Option<&str>),
        head: &mut Vec<u8>,
    ) -> Result<Option<Upload>, &'static str> {
        let (id, mut tags) = match self {
            Upload::Begun => {
                (Requests::upload_id(told).ok_or("the gateway began an upload and did not name it")?, Vec::new())
            }
            Upload::Part { id, mut tags } => {
                tags.push(tag.ok_or("the gateway took a part and gave it no ETag")?.to_string());
                (id, tags)
            }
            Upload::Together { .. } => return Ok(None),
        };
        let bytes = piece(content, part, tags.len()).len();
        if bytes > 0 {
            let number = u16::try_from(tags.len() + 1).unwrap_or(u16::MAX);
            requests.put_part(key, (&id, number), bytes, head);
            return Ok(Some(Upload::Part { id, tags: std::mem::take(&mut tags) }));
        }
        Ok(Some(Upload::Together { body: requests.end_upload(key, &id, &tags, head) }))
    }
}

/// The part of this number, from 0 on; empty beyond the last one.
fn piece(content: &[u8], part: Bytes, number: usize) -> &[u8] {
    let part = usize::try_from(part).unwrap_or(usize::MAX);
    let begin = part.saturating_mul(number).min(content.len());
    &content[begin..begin.saturating_add(part).min(content.len())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::workload::MIB;
    use proptest::prelude::*;

    #[test]
    fn parts_that_can_not_be_are_told() {
        let why = |part, size, swift| refusal(part, size, swift).unwrap_or_default();
        assert_eq!(refusal(8 * MIB, 64 * MIB, false), None);
        assert!(why(MIB, 64 * MIB, false).contains("at least 5 MiB"));
        assert!(why(5 * MIB, 64 << 30, false).contains("more than 10000"));
        assert!(why(8 * MIB, 64 * MIB, true).contains("Swift has none"));
    }

    #[test]
    fn no_other_success_and_none_that_came_early_counts() {
        let of = |status, early| Upload::is_taken(&Answer { status, early, ..Answer::default() });
        assert_eq!((of(200, false), of(503, false), of(404, true)), (Ok(true), Ok(false), Ok(false)));
        for (status, early) in [(200, true), (201, false), (204, false)] {
            assert!(of(status, early).is_err(), "{status} {early}");
        }
    }

    proptest! {
        #[test]
        fn the_parts_are_the_whole(size in 1usize..4000, part in 1u64..500) {
            let content: Vec<u8> = (0..size).map(|byte| byte as u8).collect();
            let parts = (0..).map(|number| piece(&content, part, number)).take_while(|piece| !piece.is_empty());
            prop_assert_eq!(parts.collect::<Vec<_>>().concat(), content);
        }
    }
}
