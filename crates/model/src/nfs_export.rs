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
    /// Is it meant as one? Also where it is written as for `mount` (`HOST:/FOLDER`), or otherwise wrongly.
    pub fn is_meant(text: &str) -> bool {
        let before = text.split_once(":/").map_or("", |(before, _)| before);
        !before.is_empty() && !before.contains('/')
    }

    /// A folder of it, by its path from there on.
    pub fn folder(&self, path: &str) -> String {
        format!("{}/{}", self.to_string().trim_end_matches('/'), path.trim_start_matches('/'))
    }
}

impl FromStr for NfsExport {
    type Err = String;

    fn from_str(text: &str) -> Result<NfsExport, String> {
        let wrong = |why: &str| format!("{text}: {why}; write nfs://HOST/FOLDER or nfs://HOST:PORT/FOLDER");
        let scheme = text.get(..SCHEME.len()).filter(|scheme| scheme.eq_ignore_ascii_case(SCHEME));
        let rest = &text[scheme.ok_or_else(|| wrong("does not begin with nfs://"))?.len()..];
        let (server, path) = rest.split_once('/').unwrap_or((rest, ""));
        if server.contains('@') {
            return Err(wrong("NFS asks as the user who runs this, and for no other"));
        }
        let (host, port) = match server.strip_prefix('[') {
            None if server.matches(':').count() > 1 => {
                return Err(wrong("an IPv6 address stands in brackets, [fd00::1]"));
            }
            Some(v6) => v6.split_once(']').ok_or_else(|| wrong("a bracket is missing"))?,
            None => server.split_at(server.find(':').unwrap_or(server.len())),
        };
        let port = match port.strip_prefix(':') {
            None if port.is_empty() => PORT,
            None => return Err(wrong("what follows the brackets is no port")),
            Some(port) => {
                let number = port.parse().ok().filter(|port| *port > 0);
                number.ok_or_else(|| wrong(&format!("{port:?} is no port (1 to 65535)")))?
            }
        };
        match () {
            () if host.is_empty() => Err(wrong("there is no host")),
            () if path.contains(['?', '#']) => Err(wrong("it has no options")),
            () if path.split('/').any(|name| name == "..") => Err(wrong("`..` leads out of it")),
            () => {
                let names = path.split('/').filter(|name| !name.is_empty() && *name != ".");
                let path = format!("/{}", names.collect::<Vec<_>>().join("/"));
                Ok(NfsExport { host: host.to_string(), port, path })
            }
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
        assert_eq!(of("NFS://server:2049/./a//"), of("nfs://server/a"));
        assert_eq!(of("nfs://server/a").folder("/b"), "nfs://server/a/b");
        assert_eq!(of("nfs://server").folder("/b"), "nfs://server/b");
        for meant in ["nfs://x/y", "NFS://x/y", "nfs:/y", "nfs4://x/y", "server:/cephfs", "10.0.0.1:/"] {
            assert!(NfsExport::is_meant(meant), "{meant}");
        }
        for folder in ["/mnt/a", "a", "./a:/b", "/a:/b", ":/"] {
            assert!(!NfsExport::is_meant(folder), "{folder}");
        }
    }

    #[test]
    fn what_is_none_is_told_with_how_it_is_written() {
        for (text, why) in [
            ("server:/cephfs", "does not begin"),
            ("nfs:///cephfs", "no host"),
            ("nfs://server:0/x", "\"0\" is no port"),
            ("nfs://fd00::1/x", "brackets"),
            ("nfs://[fd00::1]x/y", "brackets"),
            ("nfs://user@server/x", "no other"),
            ("nfs4://server/x", "does not begin"),
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
