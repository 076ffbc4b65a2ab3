//! The admin socket of a daemon on this host: a command in JSON, and its answer.

use procfs::process::{FDTarget, Process};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A daemon answers within milliseconds, or it hangs.
const TIMEOUT: Duration = Duration::from_secs(1);
/// The counters of a daemon are some 100 KB.
const LARGEST: u32 = 64 << 20;
/// `__SO_ACCEPTCON` of a socket in /proc/net/unix: it listens.
const LISTENS: u32 = 1 << 16;

/// Where this process listens for commands, as this host finds it, whatever its root is. `None`: it does not, or we may not see it.
pub fn of(process: &Process) -> Option<PathBuf> {
    let own = |target| if let FDTarget::Socket(inode) = target { Some(inode) } else { None };
    let own: BTreeSet<u64> = process.fd().ok()?.flatten().filter_map(|file| own(file.target)).collect();
    let table = std::fs::read_to_string(format!("/proc/{}/net/unix", process.pid())).ok()?;
    let path = table.lines().find_map(|line| listening(line, &own))?;
    Some(Path::new("/proc").join(process.pid().to_string()).join("root").join(path.strip_prefix("/").ok()?))
}

/// A line of the kernel's table: `ffff…: 00000002 00000000 00010000 0001 01 12345 /run/ceph/x.asok`.
fn listening<'l>(line: &'l str, own: &BTreeSet<u64>) -> Option<&'l Path> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let [_, _, _, flags, _, _, inode, path] = words[..] else { return None };
    let listens = u32::from_str_radix(flags, 16).ok()? & LISTENS != 0;
    (listens && own.contains(&inode.parse().ok()?)).then_some(Path::new(path))
}

/// What the daemon answers to this command. `None`: nothing that can be read, within a second.
pub fn ask(socket: &Path, command: &Value) -> Option<Value> {
    let mut stream = UnixStream::connect(socket).ok()?;
    stream.set_read_timeout(Some(TIMEOUT)).ok()?;
    stream.set_write_timeout(Some(TIMEOUT)).ok()?;
    stream.write_all(format!("{command}\0").as_bytes()).ok()?;
    let mut length = [0; 4];
    stream.read_exact(&mut length).ok()?;
    let length = u32::from_be_bytes(length);
    let mut answer = Vec::new();
    stream.take(u64::from(length.min(LARGEST))).read_to_end(&mut answer).ok()?;
    serde_json::from_slice(&answer).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::os::unix::net::UnixListener;

    #[test]
    fn the_socket_on_which_a_process_listens_is_found_and_asked() {
        let dir = std::env::temp_dir().join(format!("fathom-asok-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let path = dir.join("x.asok");
        let listener = UnixListener::bind(&path).unwrap();
        let shown = path.to_str().unwrap();
        let inode =
            |line: &str| line.ends_with(shown).then(|| line.split_ascii_whitespace().nth(6)?.parse().ok()).flatten();
        let table = std::fs::read_to_string("/proc/self/net/unix").unwrap();
        let own: BTreeSet<u64> = table.lines().filter_map(inode).collect();
        let found: Vec<&Path> = table.lines().filter_map(|line| listening(line, &own)).collect();
        assert_eq!(found, [path.as_path()]);
        assert!(table.lines().all(|line| listening(line, &BTreeSet::new()).is_none()));
        let daemon = std::thread::spawn(move || {
            let (mut client, _) = listener.accept().unwrap();
            let mut asked = vec![0; json!({"prefix": "status"}).to_string().len() + 1];
            client.read_exact(&mut asked).unwrap();
            client.write_all(&2u32.to_be_bytes()).unwrap();
            client.write_all(b"{}").unwrap();
            asked
        });
        assert_eq!(ask(&path, &json!({"prefix": "status"})), Some(json!({})));
        assert_eq!(daemon.join().unwrap(), b"{\"prefix\":\"status\"}\0");
        assert_eq!(ask(&dir.join("none"), &json!({})), None);
        std::fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn an_answer_that_is_cut_off_is_none() {
        let dir = std::env::temp_dir().join(format!("fathom-asok-cut-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let listener = UnixListener::bind(dir.join("x.asok")).unwrap();
        let daemon = std::thread::spawn(move || {
            let (mut client, _) = listener.accept().unwrap();
            client.write_all(&100u32.to_be_bytes()).unwrap();
            client.write_all(b"{\"a\":").unwrap();
        });
        assert_eq!(ask(&dir.join("x.asok"), &json!({})), None);
        daemon.join().unwrap();
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
