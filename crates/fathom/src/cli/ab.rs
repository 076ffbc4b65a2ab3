//! The word after `--ab`: what differs between two sides, and its values.

use super::words;
use experiments::planner::ab::WAYS;
use experiments::{PairedSetting, Varied};
use std::path::PathBuf;

/// `nothing`, `pool=fast,slow`, `option:osd/osd_max_backfills=1`.
pub fn setting(text: &str) -> Result<PairedSetting, String> {
    let wrong = || format!("`{text}` does not say what differs; there are: {WAYS}");
    if text == "nothing" {
        return Ok(PairedSetting { a: "A".into(), b: "B".into(), varied: Varied::Nothing });
    }
    let (what, values) = text.split_once('=').ok_or_else(wrong)?;
    if let Some(option) = what.strip_prefix("option:") {
        return match option.split_once('/') {
            Some((who, name)) if !who.is_empty() && !name.is_empty() && !values.is_empty() => {
                let varied = Varied::ClusterOption { option: option.into(), value: values.into() };
                Ok(PairedSetting { a: "as it is".into(), b: values.into(), varied })
            }
            _ => Err(wrong()),
        };
    }
    // An option is set on one side only: two values of it would be one, and the other a wrong name.
    if what.contains('/') {
        return Err(wrong());
    }
    match values.split_once(',') {
        Some((a, b)) if !a.is_empty() && !b.is_empty() && !b.contains(',') => {
            Ok(PairedSetting { a: a.into(), b: b.into(), varied: varied(what, a, b)? })
        }
        _ => Err(format!("`{text}` has not two values; write it as {what}=A,B")),
    }
}

fn varied(what: &str, a: &str, b: &str) -> Result<Varied, String> {
    let (own_a, own_b) = (a.to_string(), b.to_string());
    match what {
        "pool" => Ok(Varied::Pool(own_a, own_b)),
        "data-pool" => Ok(Varied::DataPool(own_a, own_b)),
        "placement" => Ok(Varied::Placement(words::placement(a)?, words::placement(b)?)),
        "engine" => Ok(Varied::Engine(own_a, own_b)),
        "path" => Ok(Varied::Path(PathBuf::from(a), PathBuf::from(b))),
        "block-size" => Ok(Varied::BlockSize(words::size(a)?, words::size(b)?)),
        "depth" => Ok(Varied::Depth(positive(a)?, positive(b)?)),
        "jobs" => Ok(Varied::Jobs(positive(a)?, positive(b)?)),
        "osd" => Ok(Varied::Osd(words::osd(a)?, words::osd(b)?)),
        other => Err(format!("--ab can't compare `{other}`; it can: {WAYS}")),
    }
}

fn positive(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|n| (1..=65_536).contains(n));
    number.ok_or_else(|| format!("`{text}` is not a number from 1 to 65536"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_said_in_a_few_ways() {
        let pool = Varied::Pool("fast".into(), "slow".into());
        assert_eq!(setting("pool=fast,slow"), Ok(PairedSetting { a: "fast".into(), b: "slow".into(), varied: pool }));
        assert_eq!(setting("nothing").map(|setting| setting.varied), Ok(Varied::Nothing));
        assert_eq!(setting("block-size=4k,1M").map(|setting| setting.varied), Ok(Varied::BlockSize(4096, 1 << 20)));
        let option = setting("option:osd/osd_max_backfills=1").unwrap();
        assert_eq!((option.a.as_str(), option.b.as_str()), ("as it is", "1"));
        assert_eq!(option.varied.name(), "osd/osd_max_backfills");
        for wrong in ["", "pool", "pool=a", "pool=a,", "pool=a,b,c", "option:osd=1", "option:/x=1", "option:osd/x="] {
            assert!(setting(wrong).is_err(), "{wrong}");
        }
        for wrong in ["osd/osd_max_backfills=1,2", "depth=0,1", "width=1,2", "block-size=4x,8k"] {
            assert!(setting(wrong).is_err(), "{wrong}");
        }
    }
}
