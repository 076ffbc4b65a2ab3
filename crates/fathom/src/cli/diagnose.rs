//! The arguments of `fathom diagnose`.

use super::run_options::RunOptions;
use super::words;
use clap::Args;
use model::Layer;
use std::path::PathBuf;

#[derive(Args, Debug, Clone)]
pub struct DiagnoseArgs {
    /// Only these layers
    #[arg(long, value_delimiter = ',', value_parser = words::layer)]
    pub layers: Vec<Layer>,
    /// Devices and files to load as well (written to only if they are empty)
    #[arg(long = "device", value_name = "PATH")]
    pub devices: Vec<PathBuf>,
    /// A pool for the rados and rbd layers, instead of temporary ones
    #[arg(long)]
    pub pool: Option<String>,
    /// No test begins later than this
    #[arg(long, value_parser = words::seconds, default_value = "20m", value_name = "DURATION")]
    pub time_max: f64,
    /// Seed of everything that is drawn by chance (default: another for each run; the report has it)
    #[arg(long, default_value_t = words::seed(), hide_default_value = true)]
    pub seed: u64,
    #[command(flatten)]
    pub run: RunOptions,
}
