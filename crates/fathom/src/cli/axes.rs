//! Lists of values on the command line: `depth=1,2,4..256`, `read-share=0..100+25`, `option:osd/osd_op_queue=wpq,mclock_scheduler`.

use super::words;
use cluster::option_values;
use model::sweep::OPTION;
use model::workload::{IMAGE_CACHE, IMAGE_CACHES, OBJECTS_MOST};
use model::{Setting, SweepAxis};

/// What a sweep can vary.
const NAMES: [&str; 12] = [
    "block-size",
    "depth",
    "jobs",
    "clients",
    "read-share",
    "working-set",
    "object-size",
    "objects",
    "images",
    "pgs",
    "osds",
    IMAGE_CACHE,
];
/// More values of one axis than anyone looks at.
const VALUES_MOST: usize = 256;

/// `NAME=LIST`: values, and ranges that double (`1..256`) or go in steps (`0..100+25`); the end of a range belongs to it.
pub fn axis(text: &str) -> Result<SweepAxis, String> {
    let (name, list) = text
        .split_once('=')
        .ok_or_else(|| format!("`{text}` is not an axis; write it as depth=1,2,4..256 or block-size=4k,64k"))?;
    if let Some(option) = name.strip_prefix(OPTION) {
        return of_option(name, option, list);
    }
    if !NAMES.contains(&name) {
        return Err(format!(
            "`{name}` is no axis; there are: {}, option:WHO/NAME (option:osd/osd_op_queue)",
            NAMES.join(", ")
        ));
    }
    if name == IMAGE_CACHE {
        return of_caches(list);
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
    Ok(SweepAxis { name: name.to_string(), values: values.into_iter().map(Setting::Number).collect() })
}

/// What librbd's cache does.
fn of_caches(list: &str) -> Result<SweepAxis, String> {
    let mut values: Vec<Setting> = Vec::new();
    for item in list.split(',').map(str::trim) {
        if !IMAGE_CACHES.contains(&item) {
            let why = if item == "on" { ": as the cluster configures it, which is one of them" } else { "" };
            return Err(format!("{IMAGE_CACHE}: `{item}` is none of {}{why}", IMAGE_CACHES.join(", ")));
        }
        let value = Setting::Text(item.to_string());
        if values.contains(&value) {
            return Err(format!("{IMAGE_CACHE}: {item} is named a second time; each value is measured once"));
        }
        values.push(value);
    }
    Ok(SweepAxis { name: IMAGE_CACHE.to_string(), values })
}

/// Values of an option of the cluster: numbers if all are, else words in the order in which they are given.
fn of_option(axis: &str, option: &str, list: &str) -> Result<SweepAxis, String> {
    let wrong =
        || format!("`{axis}` does not say whose option; write it as option:osd/osd_op_queue=wpq,mclock_scheduler");
    let (who, name) = option.split_once('/').ok_or_else(wrong)?;
    let plain = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_graphic());
    if !plain(who) || !plain(name) {
        return Err(wrong());
    }
    let mut values: Vec<String> = Vec::new();
    for item in list.split(',').map(str::trim) {
        for value in range(axis, item)?.unwrap_or_else(|| vec![item.to_string()]) {
            if value.is_empty() || value.chars().any(char::is_control) {
                return Err(format!("{axis}: a value is missing; write them as A,B,C"));
            }
            if values.iter().any(|other| option_values::same(other, &value)) {
                return Err(format!("{axis}: {item} names `{value}` a second time; each value is measured once"));
            }
            values.push(value);
        }
        if values.len() > VALUES_MOST {
            return Err(format!("{axis}: more than {VALUES_MOST} values; take larger steps"));
        }
    }
    // As a number and as a word it must be the same text.
    let number = |text: &String| text.parse::<u64>().ok().filter(|number| number.to_string() == *text);
    let values = match values.iter().map(number).collect::<Option<Vec<u64>>>() {
        Some(mut numbers) => {
            numbers.sort_unstable();
            numbers.into_iter().map(Setting::Number).collect()
        }
        None => values.into_iter().map(Setting::Text).collect(),
    };
    Ok(SweepAxis { name: axis.to_string(), values })
}

/// `1..64`, `0..100+25`; `None`: it is one value.
fn range(axis: &str, item: &str) -> Result<Option<Vec<String>>, String> {
    let whole = |text: &str| text.chars().next().is_some_and(|c| c.is_ascii_digit());
    match item.split_once("..") {
        Some((from, to)) if whole(from) && whole(to) => {
            Ok(Some(expanded(axis, item)?.iter().map(u64::to_string).collect()))
        }
        _ => Ok(None),
    }
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
        "clients" => 64,
        "osds" => 200,
        "objects" => OBJECTS_MOST,
        _ if name.starts_with(OPTION) => u64::MAX,
        _ => 65_536,
    };
    let least = u64::from(!name.starts_with(OPTION));
    let number = text.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("{name}: `{text}` is not a whole number from {least} to {most}"))
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
    fn caches_are_words_that_are_known() {
        let words = axis("cache=writeback,off").unwrap().values;
        assert_eq!(words, ["writeback", "off"].map(|word| Setting::Text(word.into())));
        for (text, why) in [
            ("cache=on", "`on` is none of off, writethrough"),
            ("cache=off,off", "a second time"),
            ("cache=", "`` is none"),
        ] {
            assert!(axis(text).unwrap_err().contains(why), "{text}");
        }
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
        assert_eq!(numbers("objects=1000,100000,10000"), [1000, 10_000, 100_000]);
    }

    #[test]
    fn values_of_an_option_are_numbers_or_words() {
        let name = "option:osd/x";
        let words = |list: &str| -> Vec<String> {
            let axis = axis(&format!("{name}={list}")).unwrap();
            assert_eq!((axis.name.as_str(), axis.option()), (name, Some("osd/x")));
            axis.values.iter().map(Setting::to_string).collect()
        };
        assert_eq!(words("wpq, mclock_scheduler"), ["wpq", "mclock_scheduler"]);
        assert_eq!(words("8,1..4"), ["1", "2", "4", "8"]);
        assert_eq!(words("0..100+50"), ["0", "50", "100"]);
        assert_eq!(words("64K,4K"), ["64K", "4K"]);
        assert_eq!(words("0.5,0.25"), ["0.5", "0.25"]);
        assert_eq!(words("a=b,c..d"), ["a=b", "c..d"]);
        assert_eq!(words("-1"), ["-1"]);
        assert_eq!(numbers("option:osd/x=10,9"), [9, 10]);
        assert!(numbers("option:osd/x=10,09").is_empty(), "09 is a word, since it could not be set as it was written");
    }

    #[test]
    fn what_is_no_axis_says_how_to_write_one() {
        for (text, word) in [
            ("depth", "depth=1,2,4"),
            ("width=1", "block-size"),
            ("option:osd_op_queue=wpq", "whose option"),
            ("option:/osd_op_queue=wpq", "whose option"),
            ("option:osd/=wpq", "whose option"),
            ("option:osd/a b=wpq", "whose option"),
            ("option:osd/osd_op_queue", "depth=1,2,4"),
            ("option:osd/osd_op_queue=", "missing"),
            ("option:osd/osd_op_queue=wpq,,x", "missing"),
            ("option:osd/osd_op_queue=wpq,WPQ", "second time"),
            ("option:osd/x=64K,65536", "second time"),
            ("option:osd/x=1..8,4", "second time"),
            ("option:osd/x=8..1", "no range"),
            ("option:osd/x=1..1000+1", "more than 256"),
            ("osd_op_num_shards=1,2", "option:WHO/NAME"),
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
            ("clients=65", "from 1 to 64"),
            ("osds=0,1", "from 1 to 200"),
            ("objects=1000,20000000", "from 1 to 10000000"),
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
            if let Ok(axis) = axis(&format!("option:osd/x={list}")) {
                prop_assert!(!axis.values.is_empty() && axis.values.len() <= VALUES_MOST);
            }
            let _ = super::axis(&list);
        }
    }
}
