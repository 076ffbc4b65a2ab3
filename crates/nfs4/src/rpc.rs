//! Calls of procedures over TCP (ONC RPC, RFC 5531), one at a time.

use crate::names::readable;
use nfs::v4::protocol::{CompoundArgs, CompoundResponse};
use nfs::xdr::{Decode, Decoder, Encode, Encoder, Error};
use nix::libc;
use nix::sys::socket::{
    AddressFamily, SockFlag, SockType, SockaddrStorage, bind, connect, setsockopt, socket, sockopt,
};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

/// The bit of a record's length that says that it is the last part of it.
const LAST: u32 = 1 << 31;
const CALL: u32 = 0;
const REPLY: u32 = 1;
const RPC_VERSION: u32 = 2;
/// NFS, its version 4, and its only procedure beside the empty one.
const PROGRAM: [u32; 3] = [100_003, 4, 1];
const AUTH_NONE: u32 = 0;
const AUTH_SYS: u32 = 1;
/// Longer answers than a session of ours asks for are none of ours.
const ANSWER_MOST: usize = 4 << 20;
/// Ports that only root may use: servers take such a client's word for its users (`secure`), as mount uses them.
const PRIVILEGED: std::ops::Range<u16> = 665..1024;
/// Where this process looks next: each connection has a port of its own.
static NEXT: AtomicU16 = AtomicU16::new(0);

pub struct Rpc {
    stream: TcpStream,
    transaction: u32,
    /// Who asks: this host's name, the user and the group of this process, as bytes of a call.
    credential: Vec<u8>,
    /// How long a whole answer may take.
    within: Duration,
    /// Nothing is asked by a connection over which an answer may be still to come.
    broken: bool,
}

impl Rpc {
    /// # Errors
    /// No address, or nobody answers at any within the time.
    pub fn connect(host: &str, port: u16, within: Duration) -> io::Result<Rpc> {
        let mut last = io::Error::new(io::ErrorKind::NotFound, "its name has no address");
        for address in (host, port).to_socket_addrs()? {
            match connected(address, within) {
                Ok(stream) => return Rpc::over(stream, within),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    fn over(stream: TcpStream, within: Duration) -> io::Result<Rpc> {
        stream.set_nodelay(true)?;
        let mut rpc =
            Rpc { stream, transaction: std::process::id().rotate_left(12), credential: own()?, within, broken: false };
        rpc.wait_at_most(within)?;
        Ok(rpc)
    }

    pub fn wait_at_most(&mut self, within: Duration) -> io::Result<()> {
        self.within = within;
        self.stream.set_read_timeout(Some(within))?;
        self.stream.set_write_timeout(Some(within))
    }

    /// Nothing can be asked over it any more.
    pub fn is_lost(&self) -> bool {
        self.broken
    }

    /// # Errors
    /// The connection's; nothing can be asked over it any more then.
    pub fn call(&mut self, args: &CompoundArgs) -> io::Result<CompoundResponse> {
        if self.broken {
            return Err(io::Error::new(io::ErrorKind::NotConnected, "the connection was lost before"));
        }
        self.broken = true;
        let answer = self.called(args)?;
        self.broken = false;
        Ok(answer)
    }

    fn called(&mut self, args: &CompoundArgs) -> io::Result<CompoundResponse> {
        self.transaction = self.transaction.wrapping_add(1);
        let [program, version, procedure] = PROGRAM;
        let mut call = Encoder::new();
        // The length is known at the end.
        for word in [0, self.transaction, CALL, RPC_VERSION, program, version, procedure] {
            call.write_u32(word);
        }
        call.write_u32(AUTH_SYS);
        call.write_opaque(&self.credential, 400).map_err(senseless)?;
        [AUTH_NONE, 0].iter().for_each(|word| call.write_u32(*word));
        args.encode(&mut call).map_err(senseless)?;
        let mut call = call.into_bytes();
        let mark = LAST | (call.len() - 4) as u32;
        call[..4].copy_from_slice(&mark.to_be_bytes());
        self.stream.write_all(&call)?;
        let answer = self.record()?;
        decoded(&answer, self.transaction)
    }

    fn record(&mut self) -> io::Result<Vec<u8>> {
        let (mut record, until) = (Vec::new(), Instant::now() + self.within);
        loop {
            let mut mark = [0; 4];
            filled(&mut self.stream, &mut mark, until)?;
            let mark = u32::from_be_bytes(mark);
            let (begin, bytes) = (record.len(), (mark & !LAST) as usize);
            if begin + bytes > ANSWER_MOST || (bytes == 0 && mark & LAST == 0) {
                return Err(senseless("what comes back is no answer of an NFS server"));
            }
            record.resize(begin + bytes, 0);
            filled(&mut self.stream, &mut record[begin..], until)?;
            if mark & LAST != 0 {
                return Ok(record);
            }
        }
    }
}

/// A server that sends a byte now and then does not hold up the caller beyond its time.
fn filled(from: &mut impl Read, into: &mut [u8], until: Instant) -> io::Result<()> {
    let mut done = 0;
    while done < into.len() {
        if Instant::now() > until {
            return Err(io::ErrorKind::TimedOut.into());
        }
        match from.read(&mut into[done..]) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(bytes) => done += bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn senseless(why: impl ToString) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.to_string())
}

fn decoded(answer: &[u8], transaction: u32) -> io::Result<CompoundResponse> {
    let mut from = Decoder::new(answer);
    let mut word = || from.read_u32().map_err(senseless);
    let (own, kind, denied) = (word()?, word()?, word()?);
    if own != transaction || kind != REPLY {
        return Err(senseless("it is no answer to this call"));
    }
    if denied != 0 {
        let (why, detail) = (word()?, word().unwrap_or_default());
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!("the call is denied ({why}, {detail}): it may ask for Kerberos, which Fathom does not speak"),
        ));
    }
    // A verifier, of which nothing is wanted.
    let _kind = word()?;
    from.read_opaque(400).map_err(senseless)?;
    match from.read_u32().map_err(senseless)? {
        0 => {
            let begin = from.position();
            match CompoundResponse::decode(&mut from) {
                Err(Error::InvalidUtf8) => {
                    CompoundResponse::decode(&mut Decoder::new(&readable(answer, begin)[begin..]))
                }
                read => read,
            }
            .map_err(senseless)
        }
        1 | 2 => Err(senseless("no NFS of version 4 is served there")),
        other => Err(senseless(format!("the call is not understood ({other})"))),
    }
}

/// From a privileged port, if this process may have one.
///
/// # Errors
/// Nobody answers; or all such ports are taken: a server that asks for them would refuse any other.
fn connected(address: SocketAddr, within: Duration) -> io::Result<TcpStream> {
    if !nix::unistd::geteuid().is_root() {
        return TcpStream::connect_timeout(&address, within);
    }
    let all = PRIVILEGED.end - PRIVILEGED.start;
    for _ in 0..all {
        // Processes begin at different ones.
        let nth = NEXT.fetch_add(1, Ordering::Relaxed).wrapping_add(std::process::id() as u16) % all;
        match from_port(address, PRIVILEGED.start + nth, within) {
            Err(error) if matches!(error.raw_os_error(), Some(libc::EADDRINUSE | libc::EADDRNOTAVAIL)) => {}
            // A container's root, who may have none.
            Err(error) if error.raw_os_error() == Some(libc::EACCES) => {
                return TcpStream::connect_timeout(&address, within);
            }
            // The send time limit ended it.
            Err(error) if error.raw_os_error() == Some(libc::EINPROGRESS) => return Err(io::ErrorKind::TimedOut.into()),
            connected => return connected,
        }
    }
    let text =
        format!("all ports of this host that are root's ({} to {}) are in use", PRIVILEGED.start, PRIVILEGED.end - 1);
    Err(io::Error::new(io::ErrorKind::AddrInUse, text))
}

fn from_port(address: SocketAddr, port: u16, within: Duration) -> io::Result<TcpStream> {
    let (family, any) = match address {
        SocketAddr::V4(_) => (AddressFamily::Inet, SocketAddr::from(([0, 0, 0, 0], port))),
        SocketAddr::V6(_) => (AddressFamily::Inet6, SocketAddr::from(([0u16; 8], port))),
    };
    let socket = socket(family, SockType::Stream, SockFlag::SOCK_CLOEXEC, None)?;
    // A port of which an earlier connection is still dying may be had, unless it was to the same server.
    setsockopt(&socket, sockopt::ReuseAddr, &true)?;
    // The kernel lets a send time limit hold for connecting as well (socket(7)).
    let limit = nix::sys::time::TimeVal::new(within.as_secs() as i64, 0);
    setsockopt(&socket, sockopt::SendTimeout, &limit)?;
    bind(socket.as_raw_fd(), &SockaddrStorage::from(any))?;
    connect(socket.as_raw_fd(), &SockaddrStorage::from(address))?;
    Ok(TcpStream::from(socket))
}

/// The credential of AUTH_SYS (RFC 5531, appendix A).
fn own() -> io::Result<Vec<u8>> {
    let host = nix::unistd::gethostname()?.to_string_lossy().into_owned();
    let mut text = Encoder::new();
    text.write_u32(0);
    text.write_string(host.get(..255).unwrap_or(&host), 255).map_err(senseless)?;
    text.write_u32(nix::unistd::geteuid().as_raw());
    text.write_u32(nix::unistd::getegid().as_raw());
    let groups = nix::unistd::getgroups().unwrap_or_default();
    let groups = &groups[..groups.len().min(16)];
    text.write_u32(groups.len() as u32);
    groups.iter().for_each(|group| text.write_u32(group.as_raw()));
    Ok(text.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use nfs::v4::Status;
    use nfs::v4::protocol::OperationResult;
    use proptest::prelude::*;

    const TRANSACTION: u32 = 7;

    fn words(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_be_bytes()).collect()
    }

    /// As far as the answer of NFS: a reply to this call, accepted, without a verifier, done.
    const DONE: [u32; 6] = [TRANSACTION, REPLY, 0, AUTH_NONE, 0, 0];

    #[test]
    fn an_answer_is_read_and_what_is_none_says_why() {
        let read = |text: &[u32]| decoded(&words(text), TRANSACTION);
        // NFS4ERR_DELAY, no tag, nothing done.
        let answer = read(&[&DONE[..], &[10008, 0, 0]].concat()).unwrap();
        assert_eq!((answer.status, answer.results.len()), (Status::Delay, 0));
        let why = |text: &[u32]| read(text).unwrap_err().to_string();
        assert!(why(&[TRANSACTION + 1, REPLY, 0]).contains("no answer to this call"));
        assert!(why(&[TRANSACTION, REPLY, 1, 1, 5]).contains("Kerberos"));
        assert!(why(&[TRANSACTION, REPLY, 0, AUTH_NONE, 0, 1]).contains("no NFS of version 4"));
        assert!(why(&[TRANSACTION, REPLY, 0, AUTH_NONE, 0, 5]).contains("not understood"));
        read(&DONE).unwrap_err();
        read(&[]).unwrap_err();
    }

    /// What others named in another encoding does not hide what is ours.
    #[test]
    fn a_name_that_is_no_utf8_is_told_and_is_none_of_ours() {
        let listing = |names: &[&[u8]]| {
            let mut answer = Encoder::new();
            DONE.iter().for_each(|word| answer.write_u32(*word));
            // Done, no tag, three results: of the session, of the handle, of the folder.
            [0, 0, 3, 53, 0].iter().for_each(|word| answer.write_u32(*word));
            answer.write_fixed_opaque(&[0; 36]);
            [22, 0, 26, 0].iter().for_each(|word| answer.write_u32(*word));
            answer.write_fixed_opaque(&[0; 8]);
            for name in names {
                answer.write_bool(true);
                answer.write_fixed_opaque(&[7; 8]);
                answer.write_opaque(name, 100).unwrap();
                // The type: a file.
                [1, 1 << 1, 4, 1].iter().for_each(|word| answer.write_u32(*word));
            }
            // No more, and it is the end.
            answer.write_bool(false);
            answer.write_bool(true);
            let answer = decoded(&answer.into_bytes(), TRANSACTION).unwrap();
            let Some(OperationResult::ReadDir { entries, .. }) = answer.results.last() else { panic!("{answer:?}") };
            entries.iter().map(|entry| entry.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(listing(&[b"1.fathom", "café".as_bytes()]), ["1.fathom", "café"]);
        assert_eq!(
            listing(&[b"1.fathom", b"caf\xe9", b"\xfc.fathom", b"2.fathom", "ü".as_bytes()]),
            ["1.fathom", "caf?", "?.fatho?", "2.fathom", "ü"]
        );
    }

    /// What a connection makes of a server that sends these bytes again and again, with a pause between.
    fn answered(bytes: &'static [u8], pause: Duration) -> io::Error {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            while stream.write_all(bytes).is_ok() {
                std::thread::sleep(pause);
            }
        });
        let mut rpc = Rpc::over(TcpStream::connect(address).unwrap(), Duration::from_millis(300)).unwrap();
        let nothing = CompoundArgs { tag: String::new(), minor_version: 2, operations: Vec::new() };
        let error = rpc.call(&nothing).unwrap_err();
        assert!(rpc.call(&nothing).unwrap_err().to_string().contains("lost before"));
        error
    }

    #[test]
    fn answers_without_end_end() {
        let none = answered(&[0; 4000], Duration::ZERO);
        assert!(none.to_string().contains("no answer of an NFS server"), "{none}");
        // A record of 4096 bytes, of which some come now and then.
        let late = answered(&[0x80, 0, 0x10, 0], Duration::from_millis(20));
        assert_eq!(late.kind(), io::ErrorKind::TimedOut);
        let http = answered(b"HTTP/1.1 400 Bad Request\r\n\r\n", Duration::from_secs(1));
        assert!(http.to_string().contains("no answer of an NFS server"), "{http}");
    }

    proptest! {
        /// Whatever a server sends is an answer or an error.
        #[test]
        fn no_answer_is_too_much(rest in proptest::collection::vec(any::<u8>(), 0..400), whole in any::<bool>()) {
            let begin = if whole { words(&DONE) } else { Vec::new() };
            let _either = decoded(&[begin, rest].concat(), TRANSACTION);
        }

        /// Lengths that lie are no reason to take memory.
        #[test]
        fn lengths_that_lie_are_refused(status in 0u32..80, count in any::<u32>(), rest in proptest::collection::vec(any::<u32>(), 0..40)) {
            let _either = decoded(&words(&[&DONE[..], &[status, 0, count], &rest].concat()), TRANSACTION);
        }
    }
}
