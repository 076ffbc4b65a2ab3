//! Two connected sockets, each in its host's network namespace, that have proven to each other to be ours.

use crate::api::EngineError;
use model::Endpoint;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sched::{CloneFlags, setns};
use nix::sys::socket::{self, AddressFamily, SockFlag, SockType, SockaddrStorage, sockopt};
use nix::sys::time::{TimeVal, TimeValLike};
use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd};
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long a connection may take to stand.
const CONNECT: Duration = Duration::from_secs(5);
/// A receive returns at least this often, so that windows are cut and a stop is heard.
const HEARTBEAT: Duration = Duration::from_millis(20);

type Token = [u8; 16];

/// Both ends of one connection.
pub struct Ends {
    /// On the first host of the pair.
    pub from: TcpStream,
    /// On the second one.
    pub to: TcpStream,
    /// As shown: `10.0.0.1 → 10.0.0.2`.
    pub name: String,
}

/// Why there can be no socket at this end.
pub fn refuse_endpoint(end: &Endpoint) -> Option<String> {
    let Endpoint { host, address, namespace } = end;
    if address.parse::<IpAddr>().is_err() {
        return Some(format!("{address:?} of host {host} is not an IP address"));
    }
    let missing = namespace.as_deref().map(namespace_path).filter(|path| !path.exists());
    missing.map(|path| format!("host {host} has no network namespace {}", path.display()))
}

fn namespace_path(name: &str) -> PathBuf {
    PathBuf::from("/run/netns").join(name)
}

impl Ends {
    /// # Errors
    /// In words: which address, which namespace.
    pub fn connect(from: &Endpoint, to: &Endpoint) -> Result<Ends, EngineError> {
        let name = format!("{} → {}", from.address, to.address);
        let broken = |error: io::Error| EngineError::Broken(format!("{name}: no TCP connection: {error}"));
        let token = token().map_err(broken)?;
        let here = address(to).map_err(broken)?;
        let listener = inside(to, move || TcpListener::bind(here)).map_err(broken)?;
        let there = listener.local_addr().map_err(broken)?;
        let source = address(from).map_err(broken)?;
        // The kernel completes the connection before it is accepted.
        let from = inside(from, move || dial(source, there)).map_err(broken)?;
        (&from).write_all(&token).map_err(broken)?;
        let to = accept(&listener, &token).map_err(broken)?;
        for end in [&from, &to] {
            end.set_nodelay(true).and_then(|()| end.set_read_timeout(Some(HEARTBEAT))).map_err(broken)?;
        }
        Ok(Ends { from, to, name })
    }
}

/// An address of this end, with a port that the kernel chooses.
fn address(end: &Endpoint) -> io::Result<SocketAddr> {
    let ip = end.address.parse::<IpAddr>().map_err(io::Error::other)?;
    Ok(SocketAddr::new(ip, 0))
}

/// Makes a socket in the end's network namespace: a thread enters it and ends; the socket stays.
fn inside<S: Send>(end: &Endpoint, make: impl FnOnce() -> io::Result<S> + Send) -> io::Result<S> {
    let Some(name) = &end.namespace else { return make() };
    let path = namespace_path(name);
    let enter = || {
        let namespace = File::open(&path)?;
        setns(namespace.as_fd(), CloneFlags::CLONE_NEWNET)?;
        make()
    };
    let made = std::thread::scope(|scope| scope.spawn(enter).join());
    let made = made.unwrap_or_else(|_| Err(io::Error::other("the thread that makes the socket ended early")));
    made.map_err(|error| io::Error::new(error.kind(), format!("{error} (network namespace {})", path.display())))
}

/// Connects from a certain address.
fn dial(source: SocketAddr, to: SocketAddr) -> io::Result<TcpStream> {
    let family = if to.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 };
    let socket = socket::socket(family, SockType::Stream, SockFlag::SOCK_CLOEXEC, None)?;
    // Without it a packet that nobody answers holds the connect for minutes.
    let patience = TimeVal::seconds(CONNECT.as_secs() as i64);
    socket::setsockopt(&socket, sockopt::SendTimeout, &patience)?;
    socket::bind(socket.as_raw_fd(), &SockaddrStorage::from(source))?;
    socket::connect(socket.as_raw_fd(), &SockaddrStorage::from(to)).map_err(|error| match error {
        nix::Error::EINPROGRESS => io::Error::new(io::ErrorKind::TimedOut, format!("{to} does not answer")),
        error => error.into(),
    })?;
    let stream = TcpStream::from(socket);
    stream.set_write_timeout(None)?;
    Ok(stream)
}

/// Takes the one connection that knows the token; the port is closed when the listener is dropped after it.
fn accept(listener: &TcpListener, token: &Token) -> io::Result<TcpStream> {
    let deadline = Instant::now() + CONNECT;
    listener.set_nonblocking(true)?;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let mut ready = [PollFd::new(listener.as_fd(), PollFlags::POLLIN)];
        poll(&mut ready, PollTimeout::try_from(left).unwrap_or(PollTimeout::ZERO))?;
        if left.is_zero() {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "nobody came to the port that was opened"));
        }
        let Ok((mut stream, _)) = listener.accept() else { continue };
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(Duration::from_secs(1)))?;
        let mut said = Token::default();
        if stream.read_exact(&mut said).is_ok() && said == *token {
            return Ok(stream);
        }
    }
}

/// Not drawn from the workload's seed: nobody else may know it.
fn token() -> io::Result<Token> {
    let mut token = Token::default();
    File::open("/dev/urandom")?.read_exact(&mut token)?;
    Ok(token)
}

/// The other end, at work in a thread of its own; it ends when its socket is shut down.
pub struct Peer {
    socket: TcpStream,
    thread: Option<JoinHandle<()>>,
}

impl Peer {
    /// # Errors
    /// No thread, no second handle to the socket.
    pub fn start(end: TcpStream, work: impl FnOnce(&TcpStream) + Send + 'static) -> Result<Peer, EngineError> {
        let broken = |error: io::Error| EngineError::Broken(format!("the other end of the connection: {error}"));
        end.set_read_timeout(None).map_err(broken)?;
        let socket = end.try_clone().map_err(broken)?;
        let spawned = std::thread::Builder::new().name("fathom-peer".into()).spawn(move || work(&end));
        Ok(Peer { socket, thread: Some(spawned.map_err(broken)?) })
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // Wakes the thread, whatever it waits for.
        let _ = self.socket.shutdown(Shutdown::Both);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
