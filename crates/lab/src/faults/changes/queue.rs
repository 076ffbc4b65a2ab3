//! How packets leave one end of a link: a queueing discipline, or a filter before it.

use crate::errors::LabError;
use crate::preflight::system;
use crate::process_group::run;
use serde::{Deserialize, Serialize};
use std::process::Command;

/// An interface, in the network namespace of a host or in that of this machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Interface {
    pub namespace: Option<String>,
    pub device: String,
}

impl Interface {
    /// `tc` or `ip`, with these words.
    pub fn tool(&self, program: &'static str, words: &[&str]) -> Result<String, LabError> {
        let mut command = Command::new(system(program));
        if let Some(namespace) = &self.namespace {
            command.args(["-n", namespace]);
        }
        let output = run(command.args(words))?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn name(&self) -> String {
        format!("{} of {}", self.device, self.namespace.as_deref().unwrap_or("this machine"))
    }
}

/// What is put on an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Place {
    /// The queueing discipline of what leaves it.
    Root,
    /// A filter of what leaves it.
    Clsact,
}

impl Place {
    fn word(self) -> &'static str {
        match self {
            Place::Root => "root",
            Place::Clsact => "clsact",
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Queue {
    fault: String,
    interface: Interface,
    place: Place,
    /// Of tc, one after the other; `DEV` stands for the interface.
    commands: Vec<String>,
}

impl Queue {
    pub fn new(fault: &str, interface: Interface, place: Place, commands: &[&str]) -> Queue {
        let commands = commands.iter().map(|command| (*command).to_owned()).collect();
        Queue { fault: fault.to_owned(), interface, place, commands }
    }

    pub fn resource(&self) -> String {
        format!("{} of {}", self.place.word(), self.interface.name())
    }

    pub fn make(&self) -> Result<(), LabError> {
        for command in &self.commands {
            let words = command.split(' ').map(|word| if word == "DEV" { &self.interface.device } else { word });
            self.interface.tool("tc", &words.collect::<Vec<_>>()).map_err(|error| self.explained(error))?;
        }
        Ok(())
    }

    fn explained(&self, error: LabError) -> LabError {
        const MISSING: [&str; 2] = ["qdisc kind is unknown", "classifier not found"];
        match error {
            LabError::Tool { command, why } if MISSING.iter().any(|text| why.contains(text)) => {
                LabError::FaultNotHere {
                    fault: self.fault.clone(),
                    why: format!("this kernel does not have what `{command}` asks for"),
                    mend: "load its module (sch_netem, sch_tbf, sch_htb, cls_bpf), or take another fault",
                }
            }
            other => other,
        }
    }

    pub fn undo(&self) -> Result<(), LabError> {
        let device = &self.interface.device;
        let there = |text: String| match self.place {
            Place::Root => ["qdisc tbf", "qdisc htb", "qdisc netem"].iter().any(|kind| text.contains(kind)),
            Place::Clsact => text.contains("qdisc clsact"),
        };
        let show = || self.interface.tool("tc", &["qdisc", "show", "dev", device]).map(there);
        if show()? {
            self.interface.tool("tc", &["qdisc", "del", "dev", device, self.place.word()])?;
        }
        Ok(())
    }
}

/// The size of the largest packet of an interface.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Mtu {
    interface: Interface,
    mtu: u32,
    before: u32,
}

impl Mtu {
    pub fn new(interface: Interface, mtu: u32) -> Result<Mtu, LabError> {
        let shown = interface.tool("ip", &["link", "show", "dev", &interface.device])?;
        let mut words = shown.split_whitespace().skip_while(|word| *word != "mtu").skip(1);
        let before = words.next().and_then(|word| word.parse().ok()).unwrap_or(1500);
        Ok(Mtu { interface, mtu, before })
    }

    pub fn resource(&self) -> String {
        format!("MTU of {}", self.interface.name())
    }

    fn set(&self, mtu: u32) -> Result<(), LabError> {
        let words = ["link", "set", "dev", &self.interface.device, "mtu", &mtu.to_string()];
        self.interface.tool("ip", &words).map(drop)
    }

    pub fn make(&self) -> Result<(), LabError> {
        self.set(self.mtu)
    }

    pub fn undo(&self) -> Result<(), LabError> {
        self.set(self.before)
    }
}
