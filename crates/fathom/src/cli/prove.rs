//! The arguments of `fathom prove`: a change that can be undone, and where it is to show.

use super::layers::LayersArgs;
use super::{ab, words};
use clap::Args;
use experiments::PairedSetting;
use model::Pattern;

#[derive(Args, Debug, Clone)]
pub struct ProveArgs {
    /// An option and the value to try: osd.3/debug_osd=1/5, osd/debug_bluestore=0/0. It is set and put back in turns, slice by
    /// slice, and at the end it is as it was
    #[arg(value_name = "WHO/OPTION=VALUE", value_parser = change)]
    pub change: PairedSetting,
    /// Only these patterns (default: write-latency, read-latency, write-parallel, read-parallel)
    #[arg(long, value_delimiter = ',', value_parser = words::pattern)]
    pub patterns: Vec<Pattern>,
    /// Half-width of the 95 % interval of the gain
    #[arg(long, value_parser = words::share, value_name = "PERCENT", default_value = "4%")]
    pub settle: f64,
    /// The most pairs of slices, with and without it
    #[arg(long, value_parser = clap::value_parser!(u32).range(2..=100), default_value_t = 36)]
    pub passes: u32,
    /// Seed of everything that is drawn by chance (default: another for each run; the report has it)
    #[arg(long, default_value_t = words::seed(), hide_default_value = true)]
    pub seed: u64,
    #[command(flatten)]
    pub of: LayersArgs,
}

fn change(text: &str) -> Result<PairedSetting, String> {
    let mend =
        || format!("`{text}` is no change; write it as WHO/OPTION=VALUE: osd.3/debug_osd=1/5, osd/debug_bluestore=0/0");
    let named = text.split_once('=').is_some_and(|(what, value)| what.contains('/') && !value.is_empty());
    if !named {
        return Err(mend());
    }
    ab::setting(&format!("option:{text}")).map_err(|_| mend())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_names_whom_what_and_the_value() {
        let found = change("osd.3/debug_osd=1/5").unwrap();
        assert_eq!((found.varied.name(), found.b.as_str()), ("osd.3/debug_osd", "1/5"));
        for wrong in ["", "osd_max_backfills=1", "osd/osd_max_backfills", "osd/x=", "/x=1", "pool=a,b"] {
            assert!(change(wrong).unwrap_err().contains("WHO/OPTION=VALUE"), "{wrong}");
        }
    }
}
