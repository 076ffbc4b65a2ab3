//! What is asked of the kernel and what it answers about TCP connections: the bytes of sock_diag(7), whose structures grow with the kernel.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TcpConnection {
    /// No other socket has the same until the host starts again.
    pub cookie: u64,
    pub inode: u64,
    pub peer: SocketAddr,
    pub info: TcpInfo,
}

/// Of `struct tcp_info` what is told. Counts are since the connection began, and may begin again at 0 after 2³².
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpInfo {
    /// Microseconds, smoothed; and the shortest so far, if there was one.
    pub rtt: u32,
    pub rtt_min: Option<u32>,
    pub cwnd: u32,
    pub segments: u32,
    pub retransmitted: u32,
    /// Sent again, and the receiver had it already (DSACK, RFC 2883); since Linux 4.19.
    pub needless: Option<u32>,
}

// linux/netlink.h, linux/sock_diag.h, linux/inet_diag.h
const HEADER: usize = 16;
const SOCK_DIAG_BY_FAMILY: u16 = 20;
const NLMSG_DONE: u16 = 3;
const NLM_F_REQUEST_DUMP: u16 = 0x301;
const INET_DIAG_INFO: u16 = 2;
const ESTABLISHED: u32 = 1 << 1;
// linux/tcp.h
const TCPI_OPT_SACK: u8 = 2;
/// `struct inet_diag_msg`, after which attributes begin.
const MESSAGE: usize = 72;

/// `struct nlmsghdr` and `struct inet_diag_req_v2`.
pub fn request(family: u8) -> [u8; 72] {
    let mut bytes = [0; 72];
    bytes[..4].copy_from_slice(&72u32.to_ne_bytes());
    bytes[4..6].copy_from_slice(&SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    bytes[6..8].copy_from_slice(&NLM_F_REQUEST_DUMP.to_ne_bytes());
    bytes[16..19].copy_from_slice(&[family, libc::IPPROTO_TCP as u8, 1 << (INET_DIAG_INFO - 1)]);
    bytes[20..24].copy_from_slice(&ESTABLISHED.to_ne_bytes());
    bytes
}

/// `None` in the place of each connection of which too little is told.
pub struct Part {
    pub connections: Vec<Option<TcpConnection>>,
    pub last: bool,
}

/// One datagram with several messages. `None`: it tells of an error, or is no answer.
pub fn part(bytes: &[u8]) -> Option<Part> {
    let (mut rest, mut connections) = (Some(bytes).filter(|bytes| !bytes.is_empty())?, Vec::new());
    while !rest.is_empty() {
        let length = u32_at(rest, 0)? as usize;
        let message = rest.get(HEADER..length)?;
        match u16_at(rest, 4)? {
            NLMSG_DONE => return Some(Part { connections, last: true }),
            SOCK_DIAG_BY_FAMILY => connections.push(connection(message)),
            _ => return None,
        }
        rest = rest.get(aligned(length)..).unwrap_or_default();
    }
    Some(Part { connections, last: false })
}

/// `struct inet_diag_msg` with its attributes.
fn connection(message: &[u8]) -> Option<TcpConnection> {
    let port = u16::from_be_bytes(array(message, 6)?);
    let address = match i32::from(*message.first()?) {
        libc::AF_INET => IpAddr::from(Ipv4Addr::from(array::<4>(message, 24)?)),
        _ => IpAddr::from(Ipv6Addr::from(array::<16>(message, 24)?)).to_canonical(),
    };
    let cookie = u64::from_ne_bytes(array(message, 44)?);
    let inode = u32_at(message, 68)?.into();
    let info = info(attribute(message.get(MESSAGE..)?, INET_DIAG_INFO)?)?;
    Some(TcpConnection { cookie, inode, peer: SocketAddr::new(address, port), info })
}

/// `struct rtattr`: length, kind, value.
fn attribute(bytes: &[u8], wanted: u16) -> Option<&[u8]> {
    let mut rest = bytes;
    loop {
        let (length, kind) = (usize::from(u16_at(rest, 0)?), u16_at(rest, 2)?);
        let value = rest.get(4..length)?;
        if kind == wanted {
            return Some(value);
        }
        rest = rest.get(aligned(length)..)?;
    }
}

/// `struct tcp_info` (linux/tcp.h), which grows at its end: segments are counted since Linux 4.2.
fn info(bytes: &[u8]) -> Option<TcpInfo> {
    let at = |offset| u32_at(bytes, offset);
    // Without selective acknowledgements nobody says what was needless.
    let says = bytes.get(5)? & TCPI_OPT_SACK != 0;
    Some(TcpInfo {
        rtt: at(68)?,
        cwnd: at(80)?,
        retransmitted: at(100)?,
        segments: at(136)?,
        // None so far: all bits are set.
        rtt_min: at(148).filter(|least| *least != u32::MAX),
        needless: at(216).filter(|_| says),
    })
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    array(bytes, at).map(u16::from_ne_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    array(bytes, at).map(u32::from_ne_bytes)
}

/// Messages and attributes begin at multiples of four.
fn aligned(length: usize) -> usize {
    length.saturating_add(3) & !3
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    /// As the kernel writes it: an attribute of another kind, then `struct tcp_info` of this length.
    fn message(info: usize) -> Vec<u8> {
        let mut bytes = vec![0; MESSAGE];
        bytes[0] = libc::AF_INET as u8;
        bytes[6..8].copy_from_slice(&6801u16.to_be_bytes());
        bytes[24..28].copy_from_slice(&[10, 0, 0, 5]);
        bytes[44] = 9;
        bytes[68] = 7;
        bytes.extend([5, 0, 8, 0, 1, 0, 0, 0]);
        bytes.extend((info as u16 + 4).to_ne_bytes());
        bytes.extend(INET_DIAG_INFO.to_ne_bytes());
        let begin = bytes.len();
        bytes.extend((0..info as u32 / 4).flat_map(|word| word.to_ne_bytes()));
        bytes.get_mut(begin + 5).into_iter().for_each(|options| *options = TCPI_OPT_SACK);
        bytes
    }

    fn framed(kind: u16, message: &[u8]) -> Vec<u8> {
        let mut bytes = ((HEADER + message.len()) as u32).to_ne_bytes().to_vec();
        bytes.extend(kind.to_ne_bytes());
        bytes.extend([0; 10]);
        bytes.extend(message);
        bytes
    }

    #[test]
    fn kernels_of_all_ages_are_understood() {
        let info =
            TcpInfo { rtt: 17, rtt_min: Some(37), cwnd: 20, segments: 34, retransmitted: 25, needless: Some(54) };
        let peer = "10.0.0.5:6801".parse().unwrap();
        let found = TcpConnection { cookie: 9, inode: 7, peer, info };
        assert_eq!(connection(&message(280)), Some(found.clone()));
        let older = TcpConnection { info: TcpInfo { needless: None, ..info }, ..found.clone() };
        assert_eq!(connection(&message(216)), Some(older));
        let older = TcpConnection { info: TcpInfo { needless: None, rtt_min: None, ..info }, ..found };
        assert_eq!(connection(&message(140)), Some(older));
        assert_eq!(connection(&message(104)), None);
        let mut without_sack = message(280);
        without_sack[MESSAGE + 8 + 4 + 5] = 0;
        assert_eq!(connection(&without_sack).map(|found| found.info.needless), Some(None));
    }

    #[test]
    fn an_answer_comes_in_parts_and_an_error_is_none() {
        let socket = framed(SOCK_DIAG_BY_FAMILY, &message(280));
        let first = part(&[socket.clone(), socket.clone()].concat()).unwrap();
        assert_eq!((first.connections.len(), first.last), (2, false));
        let last = part(&[socket.clone(), framed(NLMSG_DONE, &[0; 4])].concat()).unwrap();
        assert_eq!((last.connections.len(), last.last), (1, true));
        let error = 2;
        assert!(part(&[socket.clone(), framed(error, &[0; 4])].concat()).is_none());
        assert!(part(&socket[..100]).is_none() && part(&[]).is_none());
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(bytes in vec(any::<u8>(), 0..400), kind in 0u16..32) {
            let _ = (part(&bytes), connection(&bytes), attribute(&bytes, INET_DIAG_INFO), info(&bytes));
            let _ = part(&framed(kind, &bytes));
            let _ = connection(&[message(0), bytes].concat());
        }
    }
}
