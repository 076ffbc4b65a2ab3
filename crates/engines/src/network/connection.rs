//! Two connected sockets, each in its host's network namespace, that have proven to each other to be ours.

use crate::api::EngineError;
use model::{Endpoint, Key};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sched::{CloneFlags, setns};
use nix::sys::socket::{self, AddressFamily, SockFlag, SockType, SockaddrStorage, sockopt};
use nix::sys::time::{TimeVal, TimeValLike};
use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long a connection may take to stand.
const CONNECT: Duration = Duration::from_secs(5);
/// A receive returns at least this often, so that windows are cut and a stop is heard.
const HEARTBEAT: Duration = Duration::from_millis(20);
/// How often a wait for a connection checks whether it is still wanted.
const LOOK_MS: u8 = 50;

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
    let Endpoint { host, address, namespace, .. } = end;
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
        let listening = Listening::at(to).map_err(|error| broken(&name, error))?;
        let (own, _) = reach(from, to, &listening.key())?;
        let other = listening.accept().map_err(|error| broken(&name, error))?;
        set_up(&other).map_err(|error| broken(&name, error))?;
        Ok(Ends { from: own, to: other, name })
    }
}

/// Connects from one end to a listener at the other one. The connection, and its name.
///
/// # Errors
/// In words: which address, which namespace.
pub fn reach(from: &Endpoint, to: &Endpoint, key: &Key) -> Result<(TcpStream, String), EngineError> {
    let name = format!("{} → {}", from.address, to.address);
    let connect = || {
        let (source, there) = (address(from, 0)?, address(to, key.port)?);
        // The kernel completes the connection before it is accepted.
        let own = inside(from, move || dial(source, there))?;
        (&own).write_all(&key.token)?;
        set_up(&own)?;
        Ok(own)
    };
    connect().map(|own| (own, name.clone())).map_err(|error| broken(&name, error))
}

fn broken(name: &str, error: io::Error) -> EngineError {
    EngineError::Broken(format!("{name}: no TCP connection: {error}"))
}

fn set_up(end: &TcpStream) -> io::Result<()> {
    end.set_nodelay(true)?;
    end.set_read_timeout(Some(HEARTBEAT))
}

/// A port of one end, for whoever knows its token; it is closed when this is dropped.
pub struct Listening {
    listener: TcpListener,
    key: Key,
}

impl Listening {
    /// # Errors
    /// The address is not this host's, or there is no such namespace.
    pub fn at(end: &Endpoint) -> io::Result<Listening> {
        let here = address(end, 0)?;
        let listener = inside(end, move || TcpListener::bind(here))?;
        let key = Key { port: listener.local_addr()?.port(), token: token()? };
        listener.set_nonblocking(true)?;
        Ok(Listening { listener, key })
    }

    pub fn key(&self) -> Key {
        self.key.clone()
    }

    /// The one connection that knows the token.
    fn accept(&self) -> io::Result<TcpStream> {
        let deadline = Instant::now() + CONNECT;
        let late = || Instant::now() > deadline;
        self.accept_unless(&late)
            .ok_or_else(|| io::Error::new(io::ErrorKind::TimedOut, "nobody came to the port that was opened"))
    }

    /// As long as nobody has `closed` it.
    pub fn accept_until(&self, closed: &AtomicBool) -> Option<TcpStream> {
        self.accept_unless(&|| closed.load(Ordering::Relaxed))
    }

    fn accept_unless(&self, over: &dyn Fn() -> bool) -> Option<TcpStream> {
        while !over() {
            let mut ready = [PollFd::new(self.listener.as_fd(), PollFlags::POLLIN)];
            let _ = poll(&mut ready, PollTimeout::from(LOOK_MS));
            let Ok((mut stream, _)) = self.listener.accept() else { continue };
            let mut said = [0; 16];
            let heard = stream
                .set_nonblocking(false)
                .and_then(|()| stream.set_read_timeout(Some(Duration::from_secs(1))))
                .and_then(|()| stream.read_exact(&mut said))
                .and_then(|()| set_up(&stream));
            if heard.is_ok() && said == self.key.token {
                return Some(stream);
            }
        }
        None
    }
}

/// An address of this end; port 0: one that the kernel chooses.
fn address(end: &Endpoint, port: u16) -> io::Result<SocketAddr> {
    let ip = end.address.parse::<IpAddr>().map_err(io::Error::other)?;
    Ok(SocketAddr::new(ip, port))
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
    let timeout = TimeVal::seconds(CONNECT.as_secs() as i64);
    socket::setsockopt(&socket, sockopt::SendTimeout, &timeout)?;
    socket::bind(socket.as_raw_fd(), &SockaddrStorage::from(source))?;
    socket::connect(socket.as_raw_fd(), &SockaddrStorage::from(to)).map_err(|error| match error {
        nix::Error::EINPROGRESS => io::Error::new(io::ErrorKind::TimedOut, format!("{to} does not answer")),
        error => error.into(),
    })?;
    let stream = TcpStream::from(socket);
    stream.set_write_timeout(None)?;
    Ok(stream)
}

/// Not drawn from the workload's seed: nobody else may know it.
pub fn token() -> io::Result<[u8; 16]> {
    let mut token = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut token)?;
    Ok(token)
}

/// The other end, at work in a thread of its own; it ends when its socket is shut down.
pub struct Peer {
    socket: TcpStream,
    /// Further sockets that its thread may wait for.
    more: Vec<TcpStream>,
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
        Ok(Peer { socket, more: Vec::new(), thread: Some(spawned.map_err(broken)?) })
    }

    /// These are shut down with its own.
    pub fn and_ends(mut self, more: Vec<TcpStream>) -> Peer {
        self.more = more;
        self
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // Wakes the thread, whatever it waits for.
        for socket in self.more.iter().chain([&self.socket]) {
            let _ = socket.shutdown(Shutdown::Both);
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
