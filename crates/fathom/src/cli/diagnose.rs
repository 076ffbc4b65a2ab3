//! The arguments of `fathom diagnose`.

use super::layers::LayersArgs;
use super::words;
use clap::Args;
use experiments::diagnose::About;

#[derive(Args, Debug, Clone)]
pub struct DiagnoseArgs {
    #[command(flatten)]
    pub of: LayersArgs,
    /// This image of the pool instead of images of our own: it is only read
    #[arg(long, requires = "pool")]
    pub image: Option<String>,
    /// Only this layer, or this pattern of it, and what lies below it
    #[arg(long, conflicts_with = "layers", value_parser = words::about, value_name = "LAYER[/PATTERN]")]
    pub about: Option<About>,
    /// Begins with an earlier run of the same cluster (`last`, or as `fathom runs` lists it): its cluster, hosts and pool, and where it lost
    /// most, as --about names it; that is measured again, since what was true then need not be true now
    #[arg(long, conflicts_with_all = ["layers", "with"])]
    pub run: Option<String>,
    /// No test begins later than this
    #[arg(long, value_parser = words::seconds, default_value = "20m", value_name = "DURATION", allow_hyphen_values = true)]
    pub time_max: f64,
    /// Seed of everything that is drawn by chance (default: another for each run; the report has it)
    #[arg(long, value_parser = words::whole::<u64>(0, u64::MAX), default_value_t = words::seed(), hide_default_value = true, allow_hyphen_values = true)]
    pub seed: u64,
}
