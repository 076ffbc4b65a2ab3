//! What an NFS server exports, by its address: `nfs://HOST:PORT/FOLDER`.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The port that NFS has.
const PORT: u16 = 2049;
const SCHEME: &str = "nfs://";

/// As it is mounted: `HOST:FOLDER`, at a port.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NfsExport {
    /// A name or an address; of IPv6 without its brackets.
    pub host: String,
    pub port: u16,
    /// From the server's root on; begins with `/`.
    pub path: String,
}

impl NfsExport {
    /// Is it meant as one?
    pub fn is_meant(text: &str) -> bool {
        text.starts_with(SCHEME)
    }
}

impl FromStr for NfsExport {
    type Err = String;

    fn from_str(text: &str) -> Result<NfsExport, String> {
        let wrong = |why: &str| format!("{text}: {why}; write nfs://HOST/FOLDER or nfs://HOST:PORT/FOLDER");
        let rest = text.strip_prefix(SCHEME).ok_or_else(|| wrong("does not begin with nfs://"))?;
        let (server, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (host, port) = match server.strip_prefix('[') {
            Some(v6) => v6.split_once(']').ok_or_else(|| wrong("a bracket is missing"))?,
            None => server.split_at(server.find(':').unwrap_or(server.len())),
        };
        let port = match port.strip_prefix(':') {
            None if port.is_empty() => PORT,
            None => return Err(wrong("there is no host")),
            Some(port) => port.parse().ok().filter(|port| *port > 0).ok_or_else(|| wrong("its port is none"))?,
        };
        match () {
            () if host.is_empty() => Err(wrong("there is no host")),
            () if path.contains(['?', '#']) => Err(wrong("it has no options")),
            () if path.split('/').any(|name| name == "..") => Err(wrong("`..` leads out of it")),
            () => Ok(NfsExport { host: host.to_string(), port, path: format!("/{}", path.trim_matches('/')) }),
        }
    }
}

impl fmt::Display for NfsExport {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NfsExport { host, port, path } = self;
        match (host.contains(':'), *port) {
            (true, PORT) => write!(to, "{SCHEME}[{host}]{path}"),
            (true, port) => write!(to, "{SCHEME}[{host}]:{port}{path}"),
            (false, PORT) => write!(to, "{SCHEME}{host}{path}"),
            (false, port) => write!(to, "{SCHEME}{host}:{port}{path}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_they_are_written() {
        for text in ["nfs://server/cephfs", "nfs://10.0.0.1:20490/a/b", "nfs://[fd00::1]:1/", "nfs://[fd00::1]/x"] {
            assert_eq!(text.parse::<NfsExport>().unwrap().to_string(), text);
        }
        let of = |text: &str| text.parse::<NfsExport>().unwrap();
        assert_eq!(of("nfs://server"), NfsExport { host: "server".into(), port: 2049, path: "/".into() });
        assert_eq!(of("nfs://server:2049/a//"), of("nfs://server/a"));
    }

    #[test]
    fn what_is_none_is_told_with_how_it_is_written() {
        for (text, why) in [
            ("server:/cephfs", "does not begin"),
            ("nfs:///cephfs", "no host"),
            ("nfs://server:0/x", "port"),
            ("nfs://server:x/y", "port"),
            ("nfs://[fd00::1/x", "bracket"),
            ("nfs://server/a/../b", "leads out"),
            ("nfs://server/a?version=4", "no options"),
        ] {
            let told = text.parse::<NfsExport>().unwrap_err();
            assert!(told.contains(why) && told.contains("nfs://HOST/FOLDER"), "{text}: {told}");
        }
    }
}
