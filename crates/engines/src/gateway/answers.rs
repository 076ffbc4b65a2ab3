//! What an answer of a gateway means for its operation: is what came what was asked for?

use super::session::GatewaySession;
use super::slot::Request;
use crate::api::{EngineError, OpError};
use crate::content;
use model::{Bytes, OpClass};
use s3::{Answer, S3Error};

impl GatewaySession {
    /// What an answer means for its operation.
    ///
    /// # Errors
    /// No later operation could do better.
    pub(super) fn result(
        &self,
        request: &Request,
        index: usize,
        answer: &Answer,
    ) -> Result<Result<u32, OpError>, EngineError> {
        let into = &self.slots[index].into;
        let told = &into[..(answer.bytes as usize).min(into.len())];
        let (kind, status) = (request.kind, answer.status);
        let good = match kind {
            OpClass::Write | OpClass::Create => matches!(status, 200 | 201 | 204),
            OpClass::Delete if self.at_once > 1 => status == 200,
            OpClass::Delete => matches!(status, 200 | 204),
            // Others may have taken it away; its answer has no body that could say so.
            OpClass::Stat if status == 404 => return Ok(Err(OpError::saying(libc::EIO, s3::status_in_words(status)))),
            OpClass::Read if self.in_parts() => status == 206,
            // A page without a name, by Swift.
            OpClass::List => matches!(status, 200 | 204),
            _ => status == 200,
        };
        if good {
            return Ok(self.looked_at(request, answer, told));
        }
        // Whoever does not know ranges sends all of it.
        if kind == OpClass::Read && status == 200 {
            return Ok(Err(OpError::saying(
                libc::EOPNOTSUPP,
                "the gateway sent the whole object, and a part was asked for",
            )));
        }
        match self.first().hopeless(answer, told) {
            true => {
                let what = format!("{} of object {} at {}", kind.name(), self.name(request), self.first().url);
                Err(EngineError::Broken(S3Error::refused(&what, answer, told).to_string()))
            }
            false => Ok(Err(OpError::saying(libc::EIO, s3::status_in_words(status)))),
        }
    }

    fn in_parts(&self) -> bool {
        (self.bytes as Bytes) < self.names.size
    }

    /// Is what came what was asked for?
    fn looked_at(&self, request: &Request, answer: &Answer, told: &[u8]) -> Result<u32, OpError> {
        let (bytes, whole) = (u64::from(request.bytes), Ok(request.bytes));
        let wrong = |errno: i32, says: &'static str| Err(OpError::saying(errno, says));
        match request.kind {
            OpClass::Write | OpClass::Create if answer.early => {
                wrong(libc::EPROTO, "the gateway said that it has all before all was sent")
            }
            OpClass::Write | OpClass::Create if S3Error::is_error_body(told) => {
                wrong(libc::EIO, "the gateway answered 200 with an error as its body")
            }
            OpClass::Delete if self.at_once > 1 && s3::deleted(told).is_err() => {
                wrong(libc::EIO, "the gateway says that it has not deleted all of them")
            }
            OpClass::Write | OpClass::Create | OpClass::Delete => whole,
            OpClass::Stat if answer.length != Some(self.names.bytes(request.object)) => {
                wrong(libc::EBADMSG, "it is not as large as it was written")
            }
            OpClass::Stat => whole,
            OpClass::List => {
                let after = self.names.name(request.object);
                match self.first().names_on(told, self.names.prefix(), &after) {
                    None => {
                        wrong(libc::EBADMSG, "what was listed are not the names that come after the one that was named")
                    }
                    Some(names) if names < self.names.on_page(request.object) => {
                        wrong(libc::EBADMSG, "fewer names were listed than there are objects")
                    }
                    Some(_) => whole,
                }
            }
            _ if answer.bytes != bytes => Ok(u32::try_from(answer.bytes).unwrap_or(u32::MAX)),
            _ if self.in_parts() => {
                let wanted = format!("bytes {}-{}/{}", request.from, request.from + bytes - 1, self.names.size);
                match answer.range.as_deref() == Some(wanted.as_str()) {
                    true => whole,
                    false => wrong(libc::EBADMSG, "the gateway sent another part than was asked for"),
                }
            }
            _ if content::is_whole(told, request.object) => whole,
            _ => wrong(libc::EBADMSG, "what was read is not what was written (checksum)"),
        }
    }
}
