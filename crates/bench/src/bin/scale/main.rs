//! `scale`: what a thousand agents cost their coordinator, and how long a report of ten thousand OSDs takes to open.

mod coordinator;
mod cost;
mod opening;
mod swarm;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Parser)]
#[command(about = "What many agents and many OSDs cost (docs/scale.md)")]
struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Simulated agents in one process, the real coordinator in this one, on one processor
    Agents {
        /// How many, one run for each number
        #[arg(long, value_delimiter = ',', default_value = "10,100,1000")]
        agents: Vec<usize>,
        /// How long they load
        #[arg(long, default_value_t = 20.0)]
        seconds: f64,
    },
    /// A run of this many OSDs as one HTML file, opened in a headless Chromium
    Report {
        #[arg(long, value_delimiter = ',', default_value = "100,1000,10000")]
        osds: Vec<u32>,
        /// Leave the largest one here
        #[arg(long)]
        out: Option<PathBuf>,
    },
    /// The agents' side
    #[command(hide = true)]
    Swarm { socket: PathBuf, agents: usize },
}

fn main() -> ExitCode {
    let done = match Arguments::parse().what {
        What::Agents { agents, seconds } => coordinator::all(&agents, seconds),
        What::Report { osds, out } => opening::all(&osds, out.as_deref()),
        What::Swarm { socket, agents } => swarm::serve(&socket, agents),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("scale: {error}");
            ExitCode::FAILURE
        }
    }
}
