//! A place for one request in flight, with its connections and buffers.

use crate::gateway::parts::Upload;
use model::{Bytes, OpClass};
use s3::Connection;
use std::collections::VecDeque;

/// What is in flight.
#[derive(Clone, Copy)]
pub struct Request {
    pub kind: OpClass,
    /// Its number: in the working set, or beside it where objects are put and deleted.
    pub object: u64,
    /// Where in it reading begins.
    pub from: Bytes,
    /// What is sent, or asked for.
    pub bytes: u32,
}

pub struct Slot {
    pub connection: Option<Connection>,
    /// Those to other addresses, in the order of their turns; which turn it is.
    pub others: VecDeque<Option<Connection>>,
    pub turn: usize,
    pub busy: Option<Request>,
    /// How far an object is that is put in parts, and the gateway's name for it.
    pub upload: Option<Upload>,
    pub upload_id: Option<String>,
    /// What it sends.
    pub content: Vec<u8>,
    /// The body of a request that is of no object alone.
    pub list: String,
    /// What it receives.
    pub into: Vec<u8>,
}

impl Slot {
    /// The next operation goes over the next connection.
    pub fn take_turn(&mut self) {
        if let Some(next) = self.others.pop_front() {
            self.others.push_back(std::mem::replace(&mut self.connection, next));
            self.turn = (self.turn + 1) % (self.others.len() + 1);
        }
    }
}
