//! What a job's options ask for, as a workload of ours.

use super::options::{Options, Problem, Reader};
use super::rate::{self, rate};
use super::values::{seconds, size, whole};
use model::workload::KIB;
use model::{Access, Bytes, Durability, Layer, Rate};

/// Engines of fio that wait for each operation: their depth is 1, whatever `iodepth` says.
const ONE_BY_ONE: [&str; 6] = ["psync", "sync", "pvsync", "pvsync2", "vsync", "mmap"];
const MANY: [&str; 3] = ["libaio", "io_uring", "posixaio"];

/// A job as it is meant, with fio's defaults filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    pub layer: Layer,
    /// As fio calls it.
    pub engine: String,
    pub read_percent: u8,
    pub access: Access,
    pub block: Bytes,
    /// In flight, over all jobs.
    pub depth: u32,
    pub jobs: u32,
    /// An open loop, over all jobs.
    pub rate: Option<Rate>,
    /// Are operations submitted by threads of their own, so that none waits for those before?
    pub offload: bool,
    pub durability: Durability,
    pub direct: bool,
    /// Bytes that each job works on.
    pub size: Option<Bytes>,
    /// Files, or objects, that share the size of a job.
    pub files: u32,
    pub filename: Option<String>,
    pub directory: Option<String>,
    pub pool: Option<String>,
    pub image: Option<String>,
    pub client: Option<String>,
    /// The cluster's configuration file.
    pub conf: Option<String>,
    pub seed: Option<u64>,
    /// Its run time, if it has one.
    pub seconds: Option<f64>,
    pub ramp_seconds: f64,
    /// Does it run on when all of its size is done?
    pub time_based: bool,
}

impl Shape {
    /// Does it wait for each operation before the next?
    pub fn one_by_one(&self) -> bool {
        ONE_BY_ONE.contains(&self.engine.as_str())
    }

    pub fn reads(&self) -> bool {
        self.read_percent > 0
    }

    pub fn writes(&self) -> bool {
        self.read_percent < 100
    }
}

/// The shape, as far as it is known, and all that is in the way.
pub fn shape(options: &Options) -> (Shape, Vec<Problem>) {
    let mut reader = Reader::new(options);
    let kb_base = reader.value("kb_base", whole).unwrap_or(1024);
    let bytes = |text: &str| size(text, kb_base);
    let (layer, engine) = engine(&mut reader);
    let (read_percent, random) = direction(&mut reader);
    let jobs = number(&mut reader, "numjobs", 1);
    let asked = number(&mut reader, "iodepth", 1);
    let mut shape = Shape {
        layer,
        engine,
        read_percent,
        access: access(&mut reader, random),
        block: reader.value("bs", |text| block(text, kb_base)).unwrap_or(4 * KIB),
        depth: asked.saturating_mul(jobs),
        jobs,
        rate: None,
        offload: offload(&mut reader),
        durability: durability(&mut reader),
        direct: reader.switch("direct"),
        size: reader.value("size", bytes),
        files: number(&mut reader, "nrfiles", 1),
        filename: reader.text("filename"),
        directory: reader.text("directory"),
        pool: reader.text("pool"),
        image: reader.text("rbdname"),
        client: reader.text("clientname"),
        conf: reader.text("conf").filter(|_| layer != Layer::Device),
        seed: reader.value("randseed", whole),
        seconds: reader.value("runtime", seconds).filter(|seconds| *seconds > 0.0),
        ramp_seconds: reader.value("ramp_time", seconds).unwrap_or(0.0),
        time_based: reader.switch("time_based"),
    };
    if shape.one_by_one() {
        if shape.offload && asked > 1 {
            let says =
                "with an engine that waits for each operation is not supported; take ioengine=libaio or io_uring";
            reader.problem("io_submit_mode", says, false);
        }
        shape.depth = shape.jobs;
    }
    shape.rate = rate(&mut reader, &rate::Of { kb_base, read_percent, block: shape.block, jobs });
    let filesize = reader.value("filesize", bytes);
    if filesize.is_some() && filesize != shape.size {
        reader.problem("filesize", "other than size is not supported", false);
    }
    reader.rest();
    (shape, reader.problems)
}

fn engine(reader: &mut Reader) -> (Layer, String) {
    let name = reader.text("ioengine").unwrap_or_else(|| "psync".to_string());
    let layer = match name.as_str() {
        "rbd" => Layer::Rbd,
        "rados" => Layer::Rados,
        name if ONE_BY_ONE.contains(&name) || MANY.contains(&name) => Layer::Device,
        _ => {
            let known = "libaio, io_uring, psync, sync, pvsync, rbd, rados";
            reader.problem("ioengine", format!("is not supported; there are: {known}"), false);
            Layer::Device
        }
    };
    (layer, name)
}

/// Percent of reads, and whether places are drawn at random.
fn direction(reader: &mut Reader) -> (u8, bool) {
    let way = reader.text("rw").unwrap_or_else(|| "read".to_string());
    let percent = |text: &str| whole(text).ok().and_then(|n| u8::try_from(n).ok()).filter(|n| *n <= 100);
    let share = |text: &str| percent(text).ok_or_else(|| format!("`{text}` is no share; it is between 0 and 100"));
    let reads = reader.value("rwmixread", share);
    let writes = reader.value("rwmixwrite", share);
    // fio takes whichever stands last; of what a result lists nobody can tell.
    let apart = matches!((reads, writes), (Some(reads), Some(writes)) if reads + writes != 100);
    if apart && matches!(way.as_str(), "rw" | "readwrite" | "randrw") {
        let why = "and rwmixread do not add up to 100, and the last of them counts; leave one of them out";
        reader.problem("rwmixwrite", why.to_string(), false);
    }
    let mixed = reads.or(writes.map(|writes| 100 - writes)).unwrap_or(50);
    match way.as_str() {
        "read" => (100, false),
        "write" => (0, false),
        "rw" | "readwrite" => (mixed, false),
        "randread" => (100, true),
        "randwrite" => (0, true),
        "randrw" => (mixed, true),
        _ => {
            let known = "read, write, rw, randread, randwrite, randrw";
            reader.problem("rw", format!("is not supported; there are: {known}"), false);
            (100, true)
        }
    }
}

fn access(reader: &mut Reader, random: bool) -> Access {
    let text = reader.text("random_distribution").unwrap_or_else(|| "random".to_string());
    let exponent = text.strip_prefix("zipf:").and_then(|exponent| exponent.parse::<f64>().ok());
    match (random, text.as_str(), exponent) {
        (false, ..) => Access::Sequential,
        (true, "random", _) => Access::Random,
        (true, _, Some(exponent)) if exponent > 0.0 && exponent <= 5.0 => Access::Zipf(exponent),
        _ => {
            reader.problem("random_distribution", "is not supported; there are: random, zipf:1.2 (up to 5)", false);
            Access::Random
        }
    }
}

/// `4k`, or the same for reads, writes and trims: `4k,4k,4k`.
fn block(text: &str, kb_base: u64) -> Result<Bytes, String> {
    let mut parts = text.split(',').map(|part| size(part, kb_base));
    let first = parts.next().unwrap_or_else(|| Err("has no value".to_string()))?;
    if first == 0 {
        return Err("operations of 0 bytes measure nothing".to_string());
    }
    match parts.all(|part| part.as_ref() == Ok(&first)) {
        true => Ok(first),
        false => Err("several block sizes in one job are not supported; make a section for each".to_string()),
    }
}

fn durability(reader: &mut Reader) -> Durability {
    let opened = match reader.text("sync").as_deref() {
        None | Some("0" | "none") => Durability::None,
        Some("1" | "sync") => Durability::Sync,
        Some("dsync") => Durability::Dsync,
        Some(_) => {
            reader.problem("sync", "there are: none, sync, dsync", true);
            Durability::None
        }
    };
    let each = |reader: &mut Reader, name: &'static str| match reader.value(name, whole) {
        None | Some(0) => false,
        Some(1) => true,
        Some(_) => {
            reader.problem(name, "only after each write (1) is supported", false);
            false
        }
    };
    let (fsync, fdatasync) = (each(reader, "fsync"), each(reader, "fdatasync"));
    match (opened, fsync, fdatasync) {
        (opened, false, false) => opened,
        (Durability::None, true, false) => Durability::Fsync,
        (Durability::None, false, true) => Durability::Fdatasync,
        _ => {
            let name = if fsync { "fsync" } else { "fdatasync" };
            reader.problem(name, "one way of making writes durable at a time is supported", false);
            opened
        }
    }
}

fn offload(reader: &mut Reader) -> bool {
    match reader.text("io_submit_mode").as_deref() {
        None | Some("inline") => false,
        Some("offload") => true,
        Some(_) => {
            reader.problem("io_submit_mode", "there are: inline, offload", true);
            false
        }
    }
}

fn number(reader: &mut Reader, name: &'static str, default: u32) -> u32 {
    let parse = |text: &str| {
        let number = whole(text).ok().and_then(|n| u32::try_from(n).ok()).filter(|n| (1..=65_536).contains(n));
        number.ok_or_else(|| format!("`{text}` is not between 1 and 65536"))
    };
    reader.value(name, parse).unwrap_or(default)
}
