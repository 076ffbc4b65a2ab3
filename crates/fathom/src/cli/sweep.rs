//! The command line of `fathom sweep`: a layer's own options, and lists instead of numbers.

use super::axes;
use super::hosts::HostArgs;
use super::layers::{DiskArgs, FileCommand, GuestCommand, ObjectCommand, OsdArgs, RadosArgs, RbdArgs};
use super::words;
use clap::{Args, Subcommand};
use model::{Goal, SweepAxis};
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(subcommand_help_heading = "What is swept", subcommand_value_name = "LAYER")]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, arg_required_else_help = true)]
pub struct SweepArgs {
    /// Go on with a sweep that was stopped or killed
    #[arg(long, value_name = "RUN", required = true)]
    pub resume: Option<String>,
    /// With --resume: the lab that it ran on, if it has another name now
    #[arg(long, value_name = "NAME", requires = "resume", num_args = 0..=1, default_missing_value = "default")]
    pub lab: Option<String>,
    /// With --resume: write to this device again, which holds what the sweep has written
    #[arg(long, value_name = "PATH", requires = "resume")]
    pub destroy_data_on: Vec<PathBuf>,
    /// With --resume: also write a report here
    #[arg(long, value_name = "FILE", requires = "resume")]
    pub report: Option<PathBuf>,
    /// With --resume: its hosts are reached as they are named there, unless they are named here
    #[command(flatten)]
    pub hosts: HostArgs,
    #[command(subcommand)]
    pub layer: Option<SweepCommand>,
}

#[derive(Subcommand, Debug)]
pub enum SweepCommand {
    /// Disks, partitions or files
    Disk(DiskArgs<SweepExperimentArgs>),
    /// OSDs, through librados: one, or several at once
    Osd(OsdArgs<SweepExperimentArgs>),
    /// Objects of a pool
    Rados(RadosArgs<SweepExperimentArgs>),
    /// Images of a pool, one a job
    Rbd(RbdArgs<SweepExperimentArgs>),
    /// A mounted file system: blocks of a file, or files by their names
    File(FileCommand<SweepExperimentArgs>),
    /// Whole objects of a bucket, at an object gateway (S3 or Swift)
    Object(ObjectCommand<SweepExperimentArgs>),
    /// Disks of virtual machines, and folders that are mounted in them, loaded inside
    Guest(GuestCommand<SweepExperimentArgs>),
}

/// Settled data of one slice: 64 windows of 50 ms are what the interval's finest batch size needs.
const SLICE: &str = "3.2s";
const PASSES: u32 = 3;
/// With a precision to reach, a figure may need more.
const PASSES_PRECISE: u32 = 6;
/// Wanted of each point, if nothing else is said: points are compared with each other, which needs less than a figure
/// that stands alone.
const SETTLE: f64 = 0.10;

#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "Sweep")]
pub struct SweepExperimentArgs {
    /// A list to go through: depth, block-size, jobs, clients, read-share, working-set, object-size, objects (object), images (rbd), cache (rbd: off, writethrough, writeback, writearound),
    /// pgs (rados, rbd), osds (rados, rbd, in a lab), option:WHO/NAME (an option of Ceph: numbers or words); ranges double (1..256) or go in steps
    /// (0..100+25). Several axes: every combination
    #[arg(long = "axis", value_name = "NAME=LIST", required = true, value_parser = axes::axis)]
    pub axes: Vec<SweepAxis>,
    /// Length of one slice
    #[arg(long, value_parser = words::seconds, default_value = SLICE, value_name = "DURATION", allow_hyphen_values = true)]
    pub duration: f64,
    /// Slices of each point, each in another pass over all of them (default: 3; with --settle at most 6)
    #[arg(long, value_parser = words::whole::<u32>(1, 100), allow_negative_numbers = true)]
    pub passes: Option<u32>,
    /// More passes for points whose 95 % interval is wider than this
    #[arg(long, value_parser = words::share, value_name = "PERCENT", allow_hyphen_values = true)]
    pub settle: Option<f64>,
}

impl SweepExperimentArgs {
    pub fn goal(&self, seed: u64) -> Goal {
        let passes_max = self.passes.unwrap_or(if self.settle.is_some() { PASSES_PRECISE } else { PASSES });
        Goal {
            settle: self.settle.unwrap_or(SETTLE),
            // Nothing but the passes ends it: a slice in which hardly anything ends lasts three times its length.
            seconds_max: 3.0 * f64::from(passes_max) * (self.duration + 1.0),
            passes_min: if self.settle.is_some() { PASSES.min(passes_max) } else { passes_max },
            passes_max,
            read_slice_seconds: self.duration,
            write_slice_seconds: self.duration,
            fixed: true,
            window_ms: if self.duration < 6.4 { 50 } else { 100 },
            seed,
            ..Goal::default()
        }
    }
}
