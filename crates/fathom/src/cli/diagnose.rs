//! The arguments of `fathom diagnose`.

use super::layers::LayersArgs;
use super::words;
use clap::Args;

#[derive(Args, Debug, Clone)]
pub struct DiagnoseArgs {
    #[command(flatten)]
    pub of: LayersArgs,
    /// This image of the pool instead of images of our own: it is only read
    #[arg(long, requires = "pool")]
    pub image: Option<String>,
    /// No test begins later than this
    #[arg(long, value_parser = words::seconds, default_value = "20m", value_name = "DURATION")]
    pub time_max: f64,
    /// Seed of everything that is drawn by chance (default: another for each run; the report has it)
    #[arg(long, default_value_t = words::seed(), hide_default_value = true)]
    pub seed: u64,
}
