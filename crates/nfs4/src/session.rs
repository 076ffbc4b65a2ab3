//! A session with a server (RFC 8881, 2.10): one slot, so that one thing is asked at a time.

use crate::errors::NfsError;
use crate::rpc::Rpc;
use nfs::v4::Status;
use nfs::v4::protocol::{
    ChannelAttrs, ClientOwner, CompoundArgs, CompoundResponse, CreateSessionArgs, EXCHGID4_FLAG_USE_NON_PNFS,
    ExchangeIdArgs, Operation, OperationResult, SequenceArgs, SessionId,
};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// The versions 4.2 and 4.1, as they are asked for: all that is asked is of 4.1, and some servers have no later one.
const MINOR_VERSIONS: [u32; 2] = [2, 1];
/// Of a call or an answer: a megabyte of data, and what goes with it.
const CHANNEL: u32 = (1 << 20) + OVERHEAD;
/// What a call or an answer has beside its data, at most: sequence, handle, credential, names.
pub(crate) const OVERHEAD: u32 = 4096;
/// A server that has just started, or is busy, asks to be asked again.
const AGAIN: Duration = Duration::from_millis(100);
/// How long a server that is gone may hold up the end.
const GOODBYE: Duration = Duration::from_secs(1);

static CLIENTS: AtomicU64 = AtomicU64::new(0);

pub(crate) struct Session {
    rpc: Rpc,
    minor_version: u32,
    id: SessionId,
    sequence: u32,
    pub(crate) client: u64,
    /// Bytes of a call, of an answer.
    pub(crate) call_most: u32,
    pub(crate) answer_most: u32,
    /// How long an answer is waited for.
    within: Duration,
    /// The server knows it no more.
    forgotten: bool,
}

impl Session {
    /// # Errors
    /// Nobody answers, or not with NFS 4.1 or 4.2.
    pub(crate) fn open(host: &str, port: u16, within: Duration) -> Result<Session, NfsError> {
        let what = "connect to the NFS server";
        let rpc = Rpc::connect(host, port, within).map_err(|error| NfsError::Connection { what, error })?;
        let mut session = Session {
            rpc,
            minor_version: 0,
            id: SessionId::default(),
            sequence: 0,
            client: 0,
            call_most: CHANNEL,
            answer_most: CHANNEL,
            within,
            forgotten: false,
        };
        session.begin()?;
        Ok(session)
    }

    fn begin(&mut self) -> Result<(), NfsError> {
        let what = "open a session with the NFS server";
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos() as u64;
        let nth = CLIENTS.fetch_add(1, Ordering::Relaxed);
        let owner_id = format!("fathom {} {now:x} {nth}", std::process::id()).into_bytes();
        let client_owner = ClientOwner { verifier: now.to_be_bytes(), owner_id };
        let known = ExchangeIdArgs { client_owner, flags: EXCHGID4_FLAG_USE_NON_PNFS };
        let mut answers = Err(missing(what));
        for minor_version in MINOR_VERSIONS {
            self.minor_version = minor_version;
            answers = self.alone(what, Operation::ExchangeId(known.clone()));
            if !matches!(&answers, Err(error) if error.is_of_version()) {
                break;
            }
        }
        let answers = answers?;
        let Some(OperationResult::ExchangeId { result: Some(known), .. }) = answers.first() else {
            return Err(missing(what));
        };
        self.client = known.client_id;
        let channel = |size: u32, operations| ChannelAttrs {
            header_pad_size: 0,
            max_request_size: size,
            max_response_size: size,
            max_response_size_cached: OVERHEAD,
            max_operations: operations,
            max_requests: 1,
            rdma_ird: Vec::new(),
        };
        let wanted = CreateSessionArgs {
            client_id: known.client_id,
            sequence_id: known.sequence_id,
            flags: 0,
            fore_channel_attrs: channel(CHANNEL, 16),
            back_channel_attrs: channel(OVERHEAD, 2),
            callback_program: 0,
            callback_sec_parms: Vec::new(),
        };
        let answers = self.alone(what, Operation::CreateSession(wanted))?;
        let Some(OperationResult::CreateSession { result: Some(made), .. }) = answers.first() else {
            return Err(missing(what));
        };
        self.id = made.session_id;
        self.call_most = made.fore_channel_attrs.max_request_size.min(CHANNEL);
        self.answer_most = made.fore_channel_attrs.max_response_size.min(CHANNEL);
        self.ask(what, vec![Operation::ReclaimComplete { one_fs: false }]).map(drop)
    }

    /// What is asked outside of a session.
    fn alone(&mut self, what: &'static str, operation: Operation) -> Result<Vec<OperationResult>, NfsError> {
        let answer = self.called(what, &self.call_of(vec![operation]))?;
        match answer.status.is_ok() {
            true => Ok(answer.results),
            false => Err(NfsError::Refused { what, status: answer.status }),
        }
    }

    /// All of it, in order, or as far as it succeeds; the answers without that of the sequence.
    ///
    /// # Errors
    /// The first that fails. What the server asks to be asked again is asked again, for as long as an answer is waited for.
    pub(crate) fn ask(
        &mut self,
        what: &'static str,
        operations: Vec<Operation>,
    ) -> Result<Vec<OperationResult>, NfsError> {
        let begin = Instant::now();
        let mut call = self.call_of(std::iter::once(Operation::PutRootFh).chain(operations).collect());
        loop {
            call.operations[0] = Operation::Sequence(SequenceArgs {
                session_id: self.id,
                sequence_id: self.sequence.wrapping_add(1),
                slot_id: 0,
                highest_slot_id: 0,
                cache_this: false,
            });
            let CompoundResponse { status, mut results, .. } = self.called(what, &call)?;
            if results.first().is_some_and(|sequence| sequence.status().is_ok()) {
                self.sequence = self.sequence.wrapping_add(1);
            }
            match status {
                Status::Ok if !results.is_empty() => {
                    results.remove(0);
                    return Ok(results);
                }
                Status::Delay | Status::Grace if begin.elapsed() < self.within => std::thread::sleep(AGAIN),
                status => {
                    use Status::{BadSession, DeadSession, Expired, StaleClientId};
                    self.forgotten |= matches!(status, BadSession | DeadSession | Expired | StaleClientId);
                    return Err(NfsError::Refused { what, status });
                }
            }
        }
    }

    pub(crate) fn is_lost(&self) -> bool {
        self.forgotten || self.rpc.is_lost()
    }

    fn call_of(&self, operations: Vec<Operation>) -> CompoundArgs {
        CompoundArgs { tag: String::new(), minor_version: self.minor_version, operations }
    }

    fn called(&mut self, what: &'static str, call: &CompoundArgs) -> Result<CompoundResponse, NfsError> {
        self.rpc.call(call).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => NfsError::Answer { what, why: error.to_string() },
            _ => NfsError::Connection { what, error },
        })
    }
}

pub(crate) fn missing(what: &'static str) -> NfsError {
    NfsError::Answer { what, why: "an answer is missing".to_string() }
}

/// The server forgets this client.
impl Drop for Session {
    fn drop(&mut self) {
        let what = "close the session";
        // Whoever does not answer forgets it when its lease has ended.
        if self.rpc.wait_at_most(GOODBYE).is_ok() && self.alone(what, Operation::DestroySession(self.id)).is_ok() {
            let _forgotten = self.alone(what, Operation::DestroyClientId(self.client));
        }
    }
}
