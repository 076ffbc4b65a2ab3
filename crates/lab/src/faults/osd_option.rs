//! `osd-option`: any option of one OSD.

use super::changes::{Change, Settings};
use super::target::TargetKind;
use super::{Asked, Fault, Value};
use crate::errors::LabError;
use serde_json::json;

pub static FAULT: Fault = Fault {
    name: "osd-option",
    what: "An option of the OSD has this value; the OSD starts again if it takes the option only then.",
    target: TargetKind::Osd,
    value: Some(Value { default: "ms_tcp_nodelay=false", unit: "" }),
    plan,
};

fn plan(asked: &Asked) -> Result<Vec<Change>, LabError> {
    let usage = |text: String| Err(LabError::Usage(text));
    let Some((name, value)) = asked.value.split_once('=') else {
        return usage(format!("--value of osd-option is NAME=VALUE, not {:?}", asked.value));
    };
    let name = name.trim().replace([' ', '-'], "_");
    let Ok(known) = asked.access.tell(&json!({"prefix": "config help", "key": name})) else {
        return usage(format!("no option is called {name:?}; `ceph config ls` lists them"));
    };
    // Connections keep the options with which they were made.
    let at_start = known["can_update_at_runtime"] != true || name.starts_with("ms_");
    let restart = if at_start { vec![asked.daemon()] } else { Vec::new() };
    let options = [(name.as_str(), value.trim().to_owned())];
    Ok(vec![Change::Settings(Settings::new(asked.access, &asked.daemon(), &options, restart)?)])
}
