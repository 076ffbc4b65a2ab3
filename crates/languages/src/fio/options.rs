//! A job's options by their canonical names, and a reader that notes everything that it can't take.

use std::collections::{BTreeMap, BTreeSet};

/// An option as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// `None`: the name stood alone.
    pub value: Option<String>,
    /// From 1; 0: it came from no file of lines.
    pub line: u32,
}

/// By canonical name.
pub type Options = BTreeMap<String, Given>;

/// An option that can't be taken as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub option: String,
    pub value: String,
    pub line: u32,
    /// What is wrong with it, and how to fix it.
    pub says: String,
    /// fio would not take it either.
    pub wrong: bool,
}

/// The names that fio has for the same option.
pub fn canonical(name: &str) -> &str {
    match name {
        "readwrite" => "rw",
        "blocksize" => "bs",
        "timeout" => "runtime",
        "nr_files" => "nrfiles",
        "io_limit" => "io_size",
        "blocksize_range" => "bsrange",
        other => other,
    }
}

/// Options that change nothing about the operations, or say what holds here anyway: names, and the values that are taken
/// (none: all).
const TAKEN: [(&str, &[&str]); 25] = [
    ("name", &[]),
    ("description", &[]),
    ("group_reporting", &[]),
    ("thread", &[]),
    ("new_group", &[]),
    ("stonewall", &[]),
    ("wait_for_previous", &[]),
    ("norandommap", &["1"]),
    ("randrepeat", &[]),
    ("allrandrepeat", &[]),
    ("refill_buffers", &["1"]),
    ("scramble_buffers", &["1"]),
    ("invalidate", &["1"]),
    ("disk_util", &[]),
    ("clat_percentiles", &[]),
    ("lat_percentiles", &[]),
    ("slat_percentiles", &[]),
    ("percentile_list", &[]),
    ("busy_poll", &["0"]),
    ("touch_objects", &[]),
    ("exitall", &["0"]),
    ("loops", &["1"]),
    ("offset", &["0"]),
    ("ddir", &[]),
    ("kb_base", &["1000", "1024"]),
];

/// Hands out options one by one; an option that was not asked for in the end is a problem.
pub struct Reader<'a> {
    options: &'a Options,
    asked: BTreeSet<&'static str>,
    pub problems: Vec<Problem>,
}

impl<'a> Reader<'a> {
    pub fn new(options: &'a Options) -> Reader<'a> {
        Reader { options, asked: BTreeSet::new(), problems: Vec::new() }
    }

    pub fn given(&mut self, name: &'static str) -> Option<&'a Given> {
        self.asked.insert(name);
        self.options.get(name)
    }

    /// The value as `parse` reads it; what it can't read is a problem, and then `None`.
    pub fn value<T>(&mut self, name: &'static str, parse: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        let given = self.given(name)?;
        let text = given.value.as_deref().unwrap_or("").trim();
        match parse(text) {
            Ok(value) => Some(value),
            Err(says) => {
                self.problem(name, says, true);
                None
            }
        }
    }

    pub fn text(&mut self, name: &'static str) -> Option<String> {
        self.value(name, |text| if text.is_empty() { Err("has no value".to_string()) } else { Ok(text.to_string()) })
    }

    pub fn switch(&mut self, name: &'static str) -> bool {
        let Some(given) = self.given(name) else { return false };
        match super::values::switch(given.value.as_deref()) {
            Ok(on) => on,
            Err(says) => {
                self.problem(name, says, true);
                false
            }
        }
    }

    pub fn problem(&mut self, name: &str, says: impl Into<String>, wrong: bool) {
        let given = self.options.get(name);
        self.problems.push(Problem {
            option: name.to_string(),
            value: given.and_then(|given| given.value.clone()).unwrap_or_default(),
            line: given.map_or(0, |given| given.line),
            says: says.into(),
            wrong,
        });
    }

    /// All options that were not asked for.
    pub fn rest(&mut self) {
        let unasked: Vec<&String> = self.options.keys().filter(|name| !self.asked.contains(name.as_str())).collect();
        for name in unasked {
            let given = self.options.get(name).and_then(|given| given.value.as_deref()).unwrap_or("1").trim();
            match TAKEN.iter().find(|(known, _)| known == name) {
                Some((_, values)) if values.is_empty() || values.contains(&given) => {}
                Some((_, values)) => {
                    let says = format!("only {} is supported", values.join(" or "));
                    self.problem(name, says, false);
                }
                None => self.problem(name, "is not supported; take it out, if the job is the same without", false),
            }
        }
    }
}
