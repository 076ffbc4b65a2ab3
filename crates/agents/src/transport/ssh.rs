//! The user's own ssh: its configuration, agent, keys, jump hosts and shared connections hold here, too.

use std::path::PathBuf;
use std::process::Command;

/// What is given to every ssh beside what the user's configuration says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SshOptions {
    pub config: Option<PathBuf>,
    pub identity: Option<PathBuf>,
    /// As after `-o`.
    pub options: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ssh {
    pub host: String,
    user: Option<String>,
    port: Option<u16>,
    options: SshOptions,
}

impl Ssh {
    pub fn of(text: &str, options: &SshOptions) -> Result<Ssh, String> {
        let (user, rest) = match text.rsplit_once('@') {
            Some((user, rest)) => (Some(user.to_string()), rest),
            None => (None, text),
        };
        // More than one colon is an IPv6 address; one with a port has brackets, which ssh does not know.
        let (host, port) = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((host, "")) => (host, None),
            Some((host, after)) => (host, Some(after.strip_prefix(':').unwrap_or(after))),
            None => match rest.split_once(':') {
                Some((host, port)) if !port.contains(':') => (host, Some(port)),
                _ => (rest, None),
            },
        };
        let number = |port: &str| port.parse().map_err(|_| format!("{port:?} is no port, and no way to a host either"));
        if host.is_empty() {
            return Err("the host's name is missing".into());
        }
        let port = port.map(number).transpose()?;
        super::prove_name("host", host)?;
        super::prove_name("user", user.as_deref().unwrap_or_default())?;
        Ok(Ssh { host: host.to_string(), user, port, options: options.clone() })
    }

    pub fn shell(&self, script: &str) -> Command {
        let mut command = Command::new("ssh");
        // No question may ever be asked: nobody would see it.
        command.args(["-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10"]);
        if let Some(config) = &self.options.config {
            command.arg("-F").arg(config);
        }
        if let Some(identity) = &self.options.identity {
            command.arg("-i").arg(identity);
        }
        for option in &self.options.options {
            command.args(["-o", option]);
        }
        if let Some(port) = self.port {
            command.args(["-p", &port.to_string()]);
        }
        let target = self.user.as_ref().map_or_else(|| self.host.clone(), |user| format!("{user}@{}", self.host));
        command.args(["--", &target, &format!("sh -c '{script}'")]);
        command
    }
}
