//! This host itself, or one of its network namespaces: a child process.

use std::process::Command;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Here {
    pub name: String,
    namespace: bool,
}

impl Here {
    pub fn of(kind: &str, name: &str) -> Result<Here, String> {
        super::prove_name("host", name)?;
        match name.is_empty() {
            true => Err(format!("its name is missing: {kind}:NAME")),
            false => Ok(Here { name: name.to_string(), namespace: kind == "netns" }),
        }
    }

    pub fn program(&self) -> &'static str {
        if self.namespace { "ip" } else { "sh" }
    }

    pub fn shell(&self, script: &str) -> Command {
        if !self.namespace {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            return command;
        }
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.name, "sh", "-c", script]);
        command
    }
}
