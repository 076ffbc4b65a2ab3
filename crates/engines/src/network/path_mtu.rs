//! How large a packet reaches another host in one piece: datagrams that must not be fragmented, answered by the other end.

use super::connection::token;
use model::Key;
use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// IP and UDP headers.
const HEADERS_V4: u32 = 28;
const HEADERS_V6: u32 = 48;
/// Bytes that every path carries in one piece (RFC 791: 576; RFC 8200: 1280, which no router fragments).
const LEAST: u32 = 576;
/// How often a size is tried: a datagram may be lost for other reasons than its size.
const TRIES: u32 = 3;
const TIMEOUT: Duration = Duration::from_millis(100);
/// Token and number.
const ANSWER: usize = 24;

/// Answers datagrams that begin with its token, in few bytes, until it is dropped.
pub struct Echo {
    pub key: Key,
    shut: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Echo {
    /// # Errors
    /// The address is not this host's.
    pub fn open(address: IpAddr) -> io::Result<Echo> {
        let socket = UdpSocket::bind((address, 0))?;
        socket.set_read_timeout(Some(TIMEOUT))?;
        let key = Key { port: socket.local_addr()?.port(), token: token()? };
        let shut = Arc::new(AtomicBool::new(false));
        let (closed, known) = (shut.clone(), key.token);
        let answer = move || {
            let mut packet = vec![0; usize::from(u16::MAX)];
            while !closed.load(Ordering::Relaxed) {
                if let Ok((len, from)) = socket.recv_from(&mut packet)
                    && len >= ANSWER
                    && packet[..16] == known
                {
                    let _ = socket.send_to(&packet[..ANSWER], from);
                }
            }
        };
        let thread = std::thread::Builder::new().name("fathom-echo".into()).spawn(answer)?;
        Ok(Echo { key, shut, thread: Some(thread) })
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        self.shut.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The largest packet, up to `largest` bytes, that gets from this address to an [`Echo`] in one piece. `None`: not even a small one does.
///
/// # Errors
/// The address is not this host's.
pub fn carries(from: IpAddr, to: IpAddr, key: &Key, largest: u32) -> io::Result<Option<u32>> {
    let socket = UdpSocket::bind((from, 0))?;
    socket.connect(SocketAddr::new(to, key.port))?;
    forbid_fragments(&socket, to.is_ipv6())?;
    let headers = if to.is_ipv6() { HEADERS_V6 } else { HEADERS_V4 };
    let largest = largest.clamp(LEAST, u32::from(u16::MAX));
    let mut number = 0;
    let mut arrives = |size: u32| {
        (0..TRIES).any(|_| {
            number += 1;
            ask(&socket, key, number, (size - headers) as usize)
        })
    };
    if arrives(largest) {
        return Ok(Some(largest));
    }
    if !arrives(LEAST) {
        return Ok(None);
    }
    let (mut good, mut bad) = (LEAST, largest);
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if arrives(middle) { good = middle } else { bad = middle }
    }
    Ok(Some(good))
}

/// Is a datagram of `bytes` bytes answered?
fn ask(socket: &UdpSocket, key: &Key, number: u64, bytes: usize) -> bool {
    let mut packet = vec![0; bytes.max(ANSWER)];
    packet[..16].copy_from_slice(&key.token);
    packet[16..ANSWER].copy_from_slice(&number.to_le_bytes());
    if socket.send(&packet).is_err() {
        // Larger than this host's own interface lets through.
        return false;
    }
    let deadline = Instant::now() + TIMEOUT;
    let mut answer = [0; ANSWER];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || socket.set_read_timeout(Some(left)).is_err() {
            return false;
        }
        if let Ok(ANSWER) = socket.recv(&mut answer)
            && answer[16..] == number.to_le_bytes()
        {
            return true;
        }
    }
}

/// Also not by what this host believes to know of the path.
fn forbid_fragments(socket: &UdpSocket, v6: bool) -> io::Result<()> {
    let (level, option, value) = match v6 {
        true => (libc::IPPROTO_IPV6, libc::IPV6_MTU_DISCOVER, libc::IPV6_PMTUDISC_PROBE),
        false => (libc::IPPROTO_IP, libc::IP_MTU_DISCOVER, libc::IP_PMTUDISC_PROBE),
    };
    let length = size_of::<libc::c_int>() as libc::socklen_t;
    // SAFETY: the option is one integer, which outlives the call.
    let done = unsafe { libc::setsockopt(socket.as_raw_fd(), level, option, (&raw const value).cast(), length) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    #[test]
    fn loopback_carries_what_is_asked_for() {
        let echo = Echo::open(HERE).unwrap();
        assert_eq!(carries(HERE, HERE, &echo.key, 9000).unwrap(), Some(9000));
    }

    #[test]
    fn without_the_token_nobody_answers() {
        let echo = Echo::open(HERE).unwrap();
        let other = Key { token: [7; 16], ..echo.key.clone() };
        assert_eq!(carries(HERE, HERE, &other, 1500).unwrap(), None);
    }
}
