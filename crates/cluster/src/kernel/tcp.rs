//! The TCP connections of this network namespace with what the kernel counts of each, through a netlink socket (sock_diag(7)).

use super::inet_diag::{TcpConnection, part, request};
use nix::errno::Errno;
use nix::sys::socket::sockopt::ReceiveTimeout;
use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, recv, send, setsockopt, socket};
use nix::sys::time::TimeVal;
use std::os::fd::AsRawFd;

/// The kernel answers at once; this only keeps us from waiting for ever.
const LONGEST_SECONDS: i64 = 1;
/// The kernel takes about a microsecond for each, once a second: of hosts with more of them they are not told.
const CONNECTIONS_MOST: usize = 5000;
/// A part of an answer has at most 32 KiB (net/netlink/af_netlink.c).
const BUFFER: usize = 64 << 10;

/// All that are established. `None`: there are too many, the kernel does not tell, or is too old to tell enough. Where tcp_diag is a module, the kernel loads
/// it by itself when it is asked.
pub fn established() -> Option<Vec<TcpConnection>> {
    let [four, six] = [libc::AF_INET, libc::AF_INET6].map(|family| asked(family as u8));
    if six == Err(Errno::E2BIG) {
        return None;
    }
    // A host without IPv6 has no such sockets.
    let all: Vec<Option<TcpConnection>> = four.ok()?.into_iter().chain(six.unwrap_or_default()).collect();
    let unread = !all.is_empty() && all.iter().all(Option::is_none);
    (!unread).then(|| all.into_iter().flatten().collect())
}

/// `None` in the place of each of which too little is told.
fn asked(family: u8) -> Result<Vec<Option<TcpConnection>>, Errno> {
    let netlink = SockProtocol::NetlinkSockDiag;
    let socket = socket(AddressFamily::Netlink, SockType::Raw, SockFlag::SOCK_CLOEXEC, netlink)?;
    setsockopt(&socket, ReceiveTimeout, &TimeVal::new(LONGEST_SECONDS, 0))?;
    send(socket.as_raw_fd(), &request(family), MsgFlags::empty())?;
    let (mut buffer, mut all) = (vec![0; BUFFER], Vec::new());
    loop {
        let length = recv(socket.as_raw_fd(), &mut buffer, MsgFlags::empty())?;
        let part = buffer.get(..length).and_then(part).ok_or(Errno::EBADMSG)?;
        all.extend(part.connections);
        if all.len() > CONNECTIONS_MOST {
            return Err(Errno::E2BIG);
        }
        if part.last {
            return Ok(all);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    fn pair(address: &str) -> Option<(TcpStream, TcpStream)> {
        let listener = TcpListener::bind((address, 0)).ok()?;
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        Some((client, listener.accept().unwrap().0))
    }

    #[test]
    fn a_connection_is_found_with_what_it_sent() {
        for address in ["127.0.0.1", "::1"] {
            let Some((mut client, mut server)) = pair(address) else { continue };
            let mut bytes = vec![0; 100_000];
            client.write_all(&bytes).unwrap();
            server.read_exact(&mut bytes).unwrap();
            let inode = std::fs::read_link(format!("/proc/self/fd/{}", client.as_raw_fd())).unwrap();
            let all = established().unwrap();
            let own = |found: &&TcpConnection| inode.to_str() == Some(&format!("socket:[{}]", found.inode));
            let found = all.iter().find(own).unwrap();
            assert_eq!(found.peer, client.peer_addr().unwrap());
            assert!(found.info.segments > 0 && found.info.cwnd > 0 && found.info.rtt > 0, "{found:?}");
            assert!(found.info.rtt_min.is_none_or(|least| least > 0), "{found:?}");
            assert_eq!(all.iter().filter(|other| other.cookie == found.cookie).count(), 1);
        }
    }
}
