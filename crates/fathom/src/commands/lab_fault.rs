//! `fathom lab fault`: what can be made wrong with a lab, and undone.

use super::style;
use crate::cli::Format;
use crate::cli::lab::{FaultArgs, FaultCommand};
use crate::output::say_plain;
use lab::ActiveFault;
use lab::faults::{self, Fault};
use model::Failure;
use report::block::{Row, Table};
use serde_json::{Value, json};

pub fn run(format: Format, args: &FaultArgs) -> Result<(), Failure> {
    match &args.command {
        FaultCommand::List => list(format),
        FaultCommand::On(args) => {
            let fault = faults::on(&args.name.name, &args.fault, &args.target, args.value.as_deref())?;
            changed(format, &args.name.name, "on", &[fault])
        }
        FaultCommand::Off(args) => {
            let gone = faults::off(&args.name.name, args.fault.as_deref(), &args.target)?;
            changed(format, &args.name.name, "off", &gone)
        }
    }
}

fn list(format: Format) -> Result<(), Failure> {
    if format == Format::Json {
        let faults: Vec<Value> = faults::list().map(document).collect();
        return say_plain(&format!("{:#}\n", json!({"schema": "fathom.lab-faults/1", "faults": faults})));
    }
    let of = |fault: &Fault| {
        let value = fault.value.as_ref().map(|value| format!("{} {}", value.default, value.unit));
        let target = fault.targets();
        Row::new([
            fault.name.to_string(),
            target.to_string(),
            value.unwrap_or_default().trim().to_string(),
            fault.what.to_string(),
        ])
    };
    let table = Table::plain(["fault", "target", "default value", "what it does"], faults::list().map(of));
    let blocks = [vec![table.into()]];
    say_plain(&match format {
        Format::Markdown => report::markdown::text(&blocks),
        _ => report::terminal::text(&blocks, &style()),
    })
}

fn document(fault: &Fault) -> Value {
    let value = fault.value.as_ref().map(|value| json!({"default": value.default, "unit": value.unit}));
    json!({"name": fault.name, "what": fault.what, "target": fault.targets(), "value": value})
}

/// What was turned on or off.
fn changed(format: Format, lab: &str, state: &str, faults: &[ActiveFault]) -> Result<(), Failure> {
    match format {
        Format::Json => {
            let document = json!({"schema": "fathom.lab-fault/1", "lab": lab, "state": state, "faults": faults});
            say_plain(&format!("{document:#}\n"))
        }
        _ if faults.is_empty() => say_plain(&format!("no fault is on in the lab {lab}\n")),
        _ => say_plain(&faults.iter().map(|fault| format!("{state:<4} {}\n", line(fault))).collect::<String>()),
    }
}

/// A fault that is on, in a line.
pub fn line(fault: &ActiveFault) -> String {
    let mut words = vec![fault.name.clone(), fault.target.clone(), fault.value.clone()];
    words.retain(|word| !word.is_empty());
    let mut line = words.join(" ");
    if !fault.made.is_empty() {
        line += &format!(" (made {})", fault.made.join(", "));
    }
    if !fault.complete {
        line += " (interrupted; fathom lab fault off undoes what there is of it)";
    }
    if !fault.ended.is_empty() {
        line += &format!(" (has ended: {})", fault.ended.join(", "));
    }
    line
}
