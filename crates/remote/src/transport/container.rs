//! A container of this host: one that runs, or the shell of cephadm, which makes one.

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
            "cephadm" => command.args(["shell", "--"]),
            _ => command.args(["exec", "-i", &self.name]),
        };
        command.args(["sh", "-c", script]);
        command
    }
}
