//! The arguments of `fathom prove`: a change that can be undone, and where it is to show.

use super::layers::LayersArgs;
use super::{ab, words};
use clap::Args;
use experiments::ab::pool_and_name;
use experiments::{OsdsOf, PairedSetting, Varied};
use model::host_setting::{HostSetting, host_and_name};
use model::{Bytes, Pattern};

#[derive(Args, Debug, Clone)]
pub struct ProveArgs {
    /// What to try. An option: osd.3/debug_osd=1/5, osd/debug_bluestore=0/0; it is set and put back in turns, slice by slice, and at the
    /// end it is as it was. A setting of a pool: pool:vms/size=2, pool:vms/pg_num=64, pool:vms/compression_mode=aggressive; on two
    /// temporary pools like that one. A setting of a host, by its agent, or of this host: host:b7/read_ahead_kb.sdb=4096,
    /// host:b7/sysctl.net.ipv4.tcp_rmem='4096 131072 6291456', also cpu_dma_latency, governor, scheduler.DISK;
    /// of the drive that --device names: drive-cache=off
    #[arg(value_name = "WHO/OPTION=VALUE", value_parser = change)]
    pub change: PairedSetting,
    /// Only these patterns (default: write-latency, read-latency, write-parallel, read-parallel)
    #[arg(long, value_delimiter = ',', value_parser = words::pattern)]
    pub patterns: Vec<Pattern>,
    /// Bytes that are read and written, over all jobs
    #[arg(long, value_parser = words::size, value_name = "SIZE", allow_hyphen_values = true)]
    pub working_set: Option<Bytes>,
    /// Slices of this length, settled or not
    #[arg(long, value_parser = words::seconds, value_name = "DURATION", allow_hyphen_values = true)]
    pub duration: Option<f64>,
    /// Half-width of the 95 % interval of the gain
    #[arg(long, value_parser = words::share, value_name = "PERCENT", default_value = "4%", allow_hyphen_values = true)]
    pub settle: f64,
    /// The most pairs of slices, with and without it. With fewer than six pairs noise can look like an effect
    #[arg(long, value_parser = words::whole::<u32>(6, 100), allow_negative_numbers = true, default_value_t = 36)]
    pub passes: u32,
    /// Seed of everything that is drawn by chance (default: another for each run; the report has it)
    #[arg(long, value_parser = words::whole::<u64>(0, u64::MAX), default_value_t = words::seed(), hide_default_value = true, allow_hyphen_values = true)]
    pub seed: u64,
    /// OSDs that may be restarted for an option that is read only when they start: osd.3,osd.7, or osd for all that it is for. At every
    /// change of side one after the other, with noout, the next one when all placement groups are active+clean again (in a lab: as needed)
    #[arg(long, value_delimiter = ',', value_parser = restart, value_name = "OSDS")]
    pub restart: Vec<OsdsOf>,
    #[command(flatten)]
    pub of: LayersArgs,
}

fn restart(text: &str) -> Result<OsdsOf, String> {
    let one = text.strip_prefix("osd.").and_then(|id| id.parse().ok());
    match (text, one) {
        ("osd", _) => Ok(OsdsOf::TheOption),
        (_, Some(id)) => Ok(OsdsOf::One(id)),
        _ => Err(format!(
            "`{text}`: only OSDs are restarted, neither monitors nor managers; write osd.3, or osd for all that the option is for"
        )),
    }
}

/// Of the drive that --device names: `drive-cache=off`.
pub const DRIVE_CACHE: &str = "drive-cache";

fn change(text: &str) -> Result<PairedSetting, String> {
    let mend = || {
        format!(
            "`{text}` is no change; write it as WHO/OPTION=VALUE: osd.3/debug_osd=1/5, osd/debug_bluestore=0/0, pool:vms/size=2"
        )
    };
    if let Some(value) = text.strip_prefix("drive-cache=") {
        if !["on", "off"].contains(&value) {
            return Err(format!("`{text}`: a cache is on or off"));
        }
        let varied = Varied::ClusterOption { option: DRIVE_CACHE.into(), value: value.into() };
        return Ok(PairedSetting { a: "as it is".into(), b: value.into(), varied });
    }
    let Some((what, value)) = text.split_once('=').filter(|(what, value)| what.contains('/') && !value.is_empty())
    else {
        return Err(mend());
    };
    if what.starts_with("host:") {
        let (_, name) = host_and_name(what).ok_or_else(mend)?;
        let setting = HostSetting::parse(name)?;
        setting.prove_value(value).map_err(|why| format!("{what}: {why}"))?;
        let varied = Varied::ClusterOption { option: what.into(), value: value.into() };
        return Ok(PairedSetting { a: "as it is".into(), b: value.into(), varied });
    }
    if what.starts_with("pool:") {
        pool_and_name(what).ok_or_else(mend)?;
        let varied = Varied::PoolLike { setting: what.into(), value: value.into() };
        return Ok(PairedSetting { a: "as it is".into(), b: value.into(), varied });
    }
    ab::setting(&format!("option:{text}")).map_err(|_| mend())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_of_a_drive_is_on_or_off() {
        assert_eq!(change("drive-cache=off").unwrap().varied.name(), DRIVE_CACHE);
        assert!(change("drive-cache=0").unwrap_err().contains("on or off"));
    }

    #[test]
    fn a_change_names_whom_what_and_the_value() {
        let found = change("osd.3/debug_osd=1/5").unwrap();
        assert_eq!((found.varied.name(), found.b.as_str()), ("osd.3/debug_osd", "1/5"));
        let of_pool = change("pool:a/b/size=2").unwrap();
        assert_eq!(of_pool.varied, Varied::PoolLike { setting: "pool:a/b/size".into(), value: "2".into() });
        for wrong in [
            "pool:x=1",
            "pool:/size=2",
            "pool:x/=2",
            "",
            "osd_max_backfills=1",
            "osd/osd_max_backfills",
            "osd/x=",
            "/x=1",
            "pool=a,b",
        ] {
            assert!(change(wrong).unwrap_err().contains("WHO/OPTION=VALUE"), "{wrong}");
        }
    }
}
