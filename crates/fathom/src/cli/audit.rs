//! The arguments of `fathom audit` and `fathom explain`.

use super::hosts::HostArgs;
use clap::Args;

#[derive(Args, Debug)]
pub struct AuditArgs {
    /// Of a lab
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "default")]
    pub lab: Option<String>,
    #[command(flatten)]
    pub hosts: HostArgs,
}

#[derive(Args, Debug)]
pub struct ExplainArgs {
    /// Its name, as findings and hints have it; or a label of figures (unsettled, few-events)
    #[arg(value_name = "RULE")]
    pub rule: Option<String>,
}
