//! A container of this host: one that runs, or the shell of cephadm, which makes one.

use std::path::PathBuf;
use std::process::Command;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Container {
    program: String,
    name: String,
}

impl Container {
    pub fn of(program: &str, name: &str) -> Result<Container, String> {
        match (program, name.is_empty()) {
            // A name would be shown with what this host measures.
            ("cephadm", false) => {
                return Err("cephadm: is this host's own shell; for other hosts take --hosts orch".into());
            }
            ("cephadm", true) | (_, false) => {}
            (_, true) => return Err(format!("the container's name is missing: {program}:NAME")),
        }
        super::prove_name("container", name)?;
        Ok(Container { program: program.to_string(), name: name.to_string() })
    }

    pub fn host(&self) -> &str {
        if self.name.is_empty() { &self.program } else { &self.name }
    }

    pub fn program(&self) -> &str {
        &self.program
    }

    pub fn shell(&self, script: &str) -> Command {
        let mut command = Command::new(&self.program);
        match self.program.as_str() {
            "cephadm" => {
                // It makes a new container each time and removes it: what is to be there the next time lies on this host.
                let cache = cache();
                // That it can't be made, podman says.
                let _ = std::fs::create_dir_all(&cache);
                command.args(["shell", "--volume"]).arg(format!("{}:/root/.cache", cache.display())).arg("--")
            }
            _ => command.args(["exec", "-i", &self.name]),
        };
        command.args(["sh", "-c", script]);
        command
    }
}

/// Of this host's user (XDG base directory specification).
pub(super) fn cache() -> PathBuf {
    let named = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    named.unwrap_or_else(|| std::env::home_dir().unwrap_or_default().join(".cache"))
}
