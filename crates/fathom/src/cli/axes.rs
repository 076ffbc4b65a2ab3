//! Lists of values on the command line: `depth=1,2,4..256`, `read-share=0..100+25`.

use super::words;
use model::{Axis, Setting};

/// What a sweep can vary.
const NAMES: [&str; 8] = ["block-size", "depth", "jobs", "read-share", "working-set", "object-size", "images", "pgs"];
/// More values of one axis than anyone looks at.
const VALUES_MOST: usize = 256;

/// `NAME=LIST`: values, and ranges that double (`1..256`) or go in steps (`0..100+25`); the end of a range belongs to it.
pub fn axis(text: &str) -> Result<Axis, String> {
    let (name, list) = text
        .split_once('=')
        .ok_or_else(|| format!("`{text}` is not an axis; write it as depth=1,2,4..256 or block-size=4k,64k"))?;
    if !NAMES.contains(&name) {
        let why = match name.split([':', '_']).next().unwrap_or(name) {
            "clients" => "clients can't be swept yet: this host is one; its threads are --axis jobs",
            "osds" => {
                "the number of OSDs can't be swept yet: start labs of several sizes (fathom lab up --osds N) and compare their runs"
            }
            "option" | "config" | "osd" | "bluestore" | "rbd" => {
                "options of Ceph can't be swept yet: set one by hand and compare two sweeps"
            }
            _ => "is no axis",
        };
        return Err(format!("`{name}`: {why}; there are: {}", NAMES.join(", ")));
    }
    let mut values: Vec<u64> = Vec::new();
    for item in list.split(',') {
        for value in expanded(name, item.trim())? {
            if values.contains(&value) {
                return Err(format!("{name}: {item} names {value} a second time; each value is measured once"));
            }
            values.push(value);
            if values.len() > VALUES_MOST {
                return Err(format!("{name}: more than {VALUES_MOST} values; take larger steps"));
            }
        }
    }
    values.sort_unstable();
    Ok(Axis { name: name.to_string(), values: values.into_iter().map(Setting::Number).collect() })
}

fn expanded(name: &str, item: &str) -> Result<Vec<u64>, String> {
    let Some((from, rest)) = item.split_once("..") else { return Ok(vec![value(name, item)?]) };
    let (to, step) = match rest.split_once('+') {
        Some((to, step)) => (to, Some(step)),
        None => (rest, None),
    };
    let (from, to) = (value(name, from)?, value(name, to)?);
    if from >= to {
        return Err(format!("{name}: {item} is no range: it begins at {from} and ends at {to}"));
    }
    let step = match step {
        None if from == 0 => return Err(format!("{name}: {item}: 0 can't be doubled; write steps, as in 0..100+25")),
        None => None,
        Some(step) => Some(distance(name, step)?),
    };
    let next = |at: &u64| Some(step.map_or(at.saturating_mul(2), |step| at.saturating_add(step))).filter(|at| *at < to);
    let mut values: Vec<u64> = std::iter::successors(Some(from), next).take(VALUES_MOST + 1).collect();
    values.push(to);
    Ok(values)
}

/// A value in the axis's unit: bytes, percent, or a number within the bounds that the option of that name has.
fn value(name: &str, text: &str) -> Result<u64, String> {
    let most = match name {
        "block-size" | "working-set" | "object-size" => {
            return words::size(text).map_err(|why| format!("{name}: {why}"));
        }
        "read-share" => return words::percent(text).map(u64::from).map_err(|why| format!("{name}: {why}")),
        "jobs" | "images" => 1024,
        _ => 65_536,
    };
    let number = text.parse().ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| format!("{name}: `{text}` is not a whole number from 1 to {most}"))
}

fn distance(name: &str, text: &str) -> Result<u64, String> {
    let wrong = || format!("{name}: `{text}` is not a step; write it as in 4..64+4");
    value(name, text).ok().filter(|step| *step > 0).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbers(text: &str) -> Vec<u64> {
        axis(text).unwrap().values.iter().filter_map(Setting::number).collect()
    }

    #[test]
    fn lists_and_ranges() {
        assert_eq!(numbers("depth=1,2,4..256"), [1, 2, 4, 8, 16, 32, 64, 128, 256]);
        assert_eq!(numbers("depth=1..100"), [1, 2, 4, 8, 16, 32, 64, 100]);
        assert_eq!(numbers("read-share=0..100+25"), [0, 25, 50, 75, 100]);
        assert_eq!(numbers("read-share=0%..100%+30%"), [0, 30, 60, 90, 100]);
        assert_eq!(numbers("block-size=64k,4k"), [4096, 65536]);
        assert_eq!(numbers("block-size=4k..16k+4k"), [4096, 8192, 12288, 16384]);
        assert_eq!(numbers("jobs= 1 , 3"), [1, 3]);
    }

    #[test]
    fn what_is_no_axis_says_how_to_write_one() {
        for (text, word) in [
            ("depth", "depth=1,2,4"),
            ("width=1", "block-size"),
            ("clients=1,2", "jobs"),
            ("osds=3,5", "lab up"),
            ("option:osd_op_queue=wpq", "by hand"),
            ("osd_op_num_shards=1,2", "by hand"),
            ("depth=", "whole number"),
            ("depth=0", "from 1"),
            ("depth=1,,2", "whole number"),
            ("depth=1,2,1", "second time"),
            ("block-size=4k,4096", "second time"),
            ("depth=1..8,8..64", "second time"),
            ("depth=8..2", "no range"),
            ("depth=4..4", "no range"),
            ("depth=1..", "whole number"),
            ("depth=-1", "whole number"),
            ("depth=1e3", "whole number"),
            ("depth=1..65536+1", "more than 256"),
            ("depth=1..8+0", "step"),
            ("read-share=0..100", "0..100+25"),
            ("read-share=101", "70%"),
            ("block-size=4x", "4KiB"),
            ("jobs=2000", "1024"),
        ] {
            let said = axis(text).unwrap_err();
            assert!(said.contains(word), "{text}: {said}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(name in proptest::sample::select(&NAMES[..]), list in "\\PC{0,30}|[0-9.,+k%]{0,20}") {
            if let Ok(axis) = axis(&format!("{name}={list}")) {
                prop_assert!(!axis.values.is_empty() && axis.values.len() <= VALUES_MOST);
                prop_assert!(axis.values.is_sorted_by(|a, b| a < b));
            }
            let _ = super::axis(&list);
        }
    }
}
