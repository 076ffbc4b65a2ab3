//! How a shell is reached on another host. Each way is a program that the user has anyway, with the user's own settings.

mod container;
mod here;
mod kubectl;
mod ssh;

use crate::names::NamesError;
use std::process::Command;

pub use ssh::SshOptions;

/// One way to one host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transport {
    /// `ssh [USER@]HOST[:PORT]`
    Ssh(ssh::Ssh),
    /// `kube:[NAMESPACE/]POD[/CONTAINER]`
    Kubectl(kubectl::Pod),
    /// `podman:NAME`, `docker:NAME`, `cephadm:`
    Container(container::Container),
    /// `here:NAME`, `netns:NAME`: this host, or a network namespace of it.
    Here(here::Here),
}

impl Transport {
    /// The transport for a host as it is written in a list.
    ///
    /// # Errors
    /// What is missing in it.
    pub fn of(host: &str, options: &SshOptions) -> Result<Transport, NamesError> {
        let parsed = match host.split_once(':') {
            Some(("kube", pod)) => kubectl::Pod::of(pod).map(Transport::Kubectl),
            Some((program @ ("podman" | "docker" | "cephadm"), name)) => {
                container::Container::of(program, name).map(Transport::Container)
            }
            Some((kind @ ("here" | "netns"), name)) => here::Here::of(kind, name).map(Transport::Here),
            _ => ssh::Ssh::of(host, options).map(Transport::Ssh),
        };
        parsed.map_err(|why| NamesError { text: host.to_string(), why })
    }

    /// The host, as it is shown.
    pub fn host(&self) -> &str {
        match self {
            Transport::Ssh(ssh) => &ssh.host,
            Transport::Kubectl(pod) => &pod.pod,
            Transport::Container(container) => container.host(),
            Transport::Here(here) => &here.name,
        }
    }

    /// The program that reaches it.
    pub fn program(&self) -> &str {
        match self {
            Transport::Ssh(_) => "ssh",
            Transport::Kubectl(_) => "kubectl",
            Transport::Container(container) => container.program(),
            Transport::Here(here) => here.program(),
        }
    }

    /// Runs `sh -c SCRIPT` there. The script holds no single quote, exclamation mark or line break: a login shell may be any.
    pub fn shell(&self, script: &str) -> Command {
        debug_assert!(!script.contains(['\'', '!', '\n']), "{script}");
        match self {
            Transport::Ssh(ssh) => ssh.shell(script),
            Transport::Kubectl(pod) => pod.shell(script),
            Transport::Container(container) => container.shell(script),
            Transport::Here(here) => here.shell(script),
        }
    }
}

/// A name becomes a word of a command: it is no option of it, and nothing that a shell or a terminal obeys.
fn prove_name(what: &str, name: &str) -> Result<(), String> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '%');
    if name.starts_with('-') {
        return Err(format!("{name:?} begins with a dash: it would be an option, and no {what}"));
    }
    match name.chars().find(|c| !plain(*c)) {
        Some(c) => Err(format!("{c:?} is in the name of no {what}")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(host: &str, options: &SshOptions) -> String {
        let command = Transport::of(host, options).unwrap().shell("exit 0");
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn each_way_is_the_users_own_program() {
        let plain = SshOptions::default();
        assert_eq!(
            words("ceph@a:2222", &plain),
            "ssh -T -o BatchMode=yes -o ConnectTimeout=10 -p 2222 -- ceph@a sh -c 'exit 0'"
        );
        for (host, ssh) in [
            ("[2001:db8::1]:22", "-p 22 -- 2001:db8::1 "),
            ("root@[::1]:2222", "-p 2222 -- root@::1 "),
            ("[::1]", "10 -- ::1 "),
            ("2001:db8::1", "10 -- 2001:db8::1 "),
        ] {
            assert!(words(host, &plain).contains(ssh), "{host}: {}", words(host, &plain));
        }
        let own = SshOptions { config: Some("/x".into()), identity: Some("/k".into()), options: vec!["Port=3".into()] };
        assert_eq!(
            words("a", &own),
            "ssh -T -o BatchMode=yes -o ConnectTimeout=10 -F /x -i /k -o Port=3 -- a sh -c 'exit 0'"
        );
        assert_eq!(words("kube:rook/tools", &plain), "kubectl exec -i --namespace rook tools -- sh -c exit 0");
        assert_eq!(words("kube:a/b/c", &plain), "kubectl exec -i --namespace a b --container c -- sh -c exit 0");
        assert_eq!(words("docker:x", &plain), "docker exec -i x sh -c exit 0");
        let volume = format!("{}:/root/.cache", container::cache().display());
        assert_eq!(words("cephadm:", &plain), format!("cephadm shell --volume {volume} -- sh -c exit 0"));
        assert_eq!(words("netns:h1", &plain), "ip netns exec h1 sh -c exit 0");
        assert_eq!(words("here:x", &plain), "sh -c exit 0");
    }

    #[test]
    fn what_is_missing_is_named() {
        for host in ["kube:", "docker:", "netns:", "a:b", "a:99999", "here:", "[::1]x", "[]:22"] {
            assert!(Transport::of(host, &SshOptions::default()).is_err(), "{host}");
        }
        for host in
            ["docker:--privileged", "podman:-v/:/x", "kube:-x/y", "kube:x/-y", "kube:x/y/--tty", "netns:-n", "-x"]
        {
            let said = Transport::of(host, &SshOptions::default()).unwrap_err().to_string();
            assert!(said.contains("dash"), "{said}");
        }
        for host in ["docker:a b", "docker:$(x)", "kube:a/b;c", "netns:../x", "-x@a", "a\u{1b}[1m", "x'y@a"] {
            assert!(Transport::of(host, &SshOptions::default()).is_err(), "{host}");
        }
        let other = Transport::of("cephadm:ceph2", &SshOptions::default()).unwrap_err().to_string();
        assert!(other.contains("--hosts orch"), "{other}");
    }
}
