//! Fathom measures a Ceph cluster: every layer from the disk to the RBD image, with honest intervals.

/// In place of the standard library's, which panics where standard error is full or gone: a run then goes on, and undoes what
/// it changed. Before the modules, so that it holds in all of them.
macro_rules! eprintln {
    ($($told:tt)*) => { $crate::output::remark(format_args!($($told)*)) };
}

pub mod cli;
pub mod commands;
pub mod exit_codes;
mod live;
mod output;
mod still_at;
mod typed;

use clap::Parser;
use model::Failure;
use typed::{arguments, wants_json};

/// What a person types, done; the exit code.
pub fn run() -> u8 {
    let arguments = arguments();
    if let Some(word) = std::env::args_os().skip(1).find(|word| word.to_str().is_none()) {
        let text = format!(
            "{}: is not UTF-8, and a run is recorded as text; give the file another name, or a link to it",
            word.to_string_lossy()
        );
        return finish(&arguments, Err(Failure::Usage(text)));
    }
    match cli::Cli::try_parse() {
        Ok(cli) => finish(&arguments, commands::run(cli)),
        Err(shown) if !shown.use_stderr() => finish(&arguments, output::written(shown.print()).map(|()| 0)),
        Err(error) => {
            if !wants_json(&arguments) {
                match arguments.iter().any(|word| report::tame(word) != **word) {
                    true => eprintln!("{error}"),
                    false => drop(error.print()),
                }
                return 2;
            }
            finish(&arguments, Err(Failure::Usage(error.to_string().trim().to_string())))
        }
    }
}

fn finish(arguments: &[String], outcome: Result<u8, Failure>) -> u8 {
    match outcome {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("fathom: {failure}");
            if wants_json(arguments) && !failure.told() {
                // If that can't be written either, the exit code and standard error still say it.
                let document = report::json::failed(&failure.to_string(), env!("CARGO_PKG_VERSION"));
                let _ = output::say(&format!("{document:#}\n"));
            }
            failure.exit_code()
        }
    }
}
