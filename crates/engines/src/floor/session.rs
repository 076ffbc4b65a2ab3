//! The client: sends writes, and waits for what the first replica says of them.

use super::{ACKNOWLEDGEMENT, HEADER};
use crate::api::{Done, EngineError, Op, OpError, Session};
use crate::buffers::{ALIGN, Slab, stamp};
use model::Workload;
use nix::sys::socket::{MsgFlags, recv};
use std::collections::VecDeque;
use std::io::Write;
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::time::Duration;

/// The same time as a load may stand still before its slice is given up.
const TIMEOUT: Duration = Duration::from_secs(10);

pub struct FloorSession {
    socket: TcpStream,
    name: String,
    /// The header ends where the block begins, which is aligned.
    slab: Slab,
    block: usize,
    /// Where the lane's part of the span begins.
    base: u64,
    /// Sent and not yet acknowledged, in order.
    sent: VecDeque<u32>,
    writes: u64,
    /// What has arrived of the oldest one's acknowledgement.
    heard: [u8; ACKNOWLEDGEMENT],
    bytes_heard: usize,
}

impl FloorSession {
    pub fn over(socket: TcpStream, name: String, load: &Workload, lane: u32) -> Result<FloorSession, EngineError> {
        let block = load.block as usize;
        // A large block to a host that fell silent fills the socket's buffer.
        let ready = socket.set_write_timeout(Some(TIMEOUT));
        ready.map_err(|error| EngineError::Broken(format!("{name}: {error}")))?;
        Ok(FloorSession {
            socket,
            name,
            slab: Slab::new(1, ALIGN + block, load.seed ^ u64::from(lane) << 32)?,
            block,
            base: u64::from(lane) * load.lane_span(),
            sent: VecDeque::with_capacity(load.lane_depth(lane) as usize),
            writes: 0,
            heard: [0; ACKNOWLEDGEMENT],
            bytes_heard: 0,
        })
    }

    #[cold]
    fn broken(&self, why: impl std::fmt::Display) -> EngineError {
        EngineError::Broken(format!("{}: the connection broke: {why}", self.name))
    }
}

impl Session for FloorSession {
    fn submit(&mut self, ops: &[Op]) -> Result<usize, EngineError> {
        for op in ops {
            self.writes += 1;
            let place = (self.base + op.offset).to_le_bytes();
            let whole = self.slab.buffer(0, ALIGN + self.block);
            stamp(&mut whole[ALIGN..], self.writes);
            whole[ALIGN - HEADER..ALIGN].copy_from_slice(&place);
            let sent = (&self.socket).write_all(&whole[ALIGN - HEADER..]);
            sent.map_err(|error| self.broken(error))?;
            self.sent.push_back(op.slot);
        }
        Ok(ops.len())
    }

    fn reap(&mut self, timeout: Duration, done: &mut Vec<Done>) -> Result<(), EngineError> {
        if self.sent.is_empty() {
            return Ok(());
        }
        let flags = if timeout.is_zero() { MsgFlags::MSG_DONTWAIT } else { MsgFlags::empty() };
        match recv(self.socket.as_raw_fd(), &mut self.heard[self.bytes_heard..], flags) {
            Ok(0) => return Err(self.broken("this replica, or one behind it, is gone")),
            Ok(bytes) => self.bytes_heard += bytes,
            Err(nix::Error::EAGAIN | nix::Error::EINTR) => return Ok(()),
            Err(error) => return Err(self.broken(error)),
        }
        if self.bytes_heard == ACKNOWLEDGEMENT {
            self.bytes_heard = 0;
            let result = match i32::from_le_bytes(self.heard) {
                0 => Ok(self.block as u32),
                errno => Err(OpError::of(errno)),
            };
            done.extend(self.sent.pop_front().map(|slot| Done::now(slot, result)));
        }
        Ok(())
    }
}
