//! A workload as a job of fio: the same block, depth, span and order, the same front, nothing else.

use model::{Access, Bytes, Durability, OpClass, Place, Target, Workload};
use nix::sys::resource::{Resource, getrlimit};
use nix::unistd::geteuid;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What is not in the workload.
pub struct Terms<'a> {
    pub engine: &'a str,
    /// Seconds that are not counted, and that are.
    pub front: f64,
    pub seconds: f64,
    pub seed: u64,
    /// The user without `client.`, and the cluster's name, if one is given.
    pub user: &'a str,
    pub cluster: Option<&'a str>,
    pub conf: Option<PathBuf>,
}

/// The objects of a workload with one job, as the engine makes them.
pub struct Objects {
    pub count: u64,
    pub bytes: Bytes,
}

impl Objects {
    pub fn of(load: &Workload) -> Objects {
        let bytes = load.object.unwrap_or(load.block).max(load.block).max(1);
        Objects { count: load.lane_span().div_ceil(bytes).max(1), bytes }
    }

    pub fn name(&self, prefix: &str, number: &str) -> String {
        format!("{prefix}{}.{number}", self.bytes)
    }
}

/// The job file, to be read from standard input; `Err`: fio can't be told, and why.
pub fn job(target: &Target, load: &Workload, terms: &Terms) -> Result<String, String> {
    let mut text = String::from("[global]\n");
    for (name, value) in common(load, terms).into_iter().chain(reach(target, load, terms)?) {
        let _ = writeln!(text, "{name}={value}");
    }
    for lane in 0..load.jobs.max(1) {
        let _ = writeln!(text, "[lane{lane}]");
        for (name, value) in own(target, load, lane) {
            let _ = writeln!(text, "{name}={value}");
        }
    }
    Ok(text)
}

type Options = Vec<(&'static str, String)>;

fn common(load: &Workload, terms: &Terms) -> Options {
    let micros = |seconds: f64| format!("{}us", (seconds * 1e6).round());
    let mut options: Options = vec![
        ("ioengine", terms.engine.to_string()),
        ("rw", order(load).to_string()),
        ("bs", load.block.to_string()),
        ("iodepth", load.lane_depth(0).to_string()),
        // What has ended is taken all at once, as Fathom takes it: one by one wakes both ends for each operation.
        ("iodepth_batch_complete_min", "1".to_string()),
        ("iodepth_batch_complete_max", load.lane_depth(0).to_string()),
        ("time_based", "1".to_string()),
        ("ramp_time", micros(terms.front)),
        ("runtime", micros(terms.seconds)),
        ("randseed", terms.seed.to_string()),
        // No map of the blocks it has been to, which Fathom has not either.
        ("norandommap", "1".to_string()),
        // One process, all jobs and both kinds in one figure.
        ("thread", "1".to_string()),
        ("group_reporting", "1".to_string()),
        ("unified_rw_reporting", "1".to_string()),
        // Percentiles of what the mean is of: from submission to completion.
        ("lat_percentiles", "1".to_string()),
        ("clat_percentiles", "0".to_string()),
        ("percentile_list", "50:99".to_string()),
    ];
    if load.reads() && load.writes() {
        options.push(("rwmixread", load.mix.percent(OpClass::Read).to_string()));
    }
    options
}

fn order(load: &Workload) -> &'static str {
    match (load.access == Access::Sequential, load.reads(), load.writes()) {
        (false, true, true) => "randrw",
        (false, true, false) => "randread",
        (false, false, _) => "randwrite",
        (true, true, true) => "rw",
        (true, true, false) => "read",
        (true, false, _) => "write",
    }
}

/// How the target is reached.
fn reach(target: &Target, load: &Workload, terms: &Terms) -> Result<Options, String> {
    let mut options = Options::new();
    match &target.place {
        Place::Path { path, .. } => {
            options.push(("filename", file_name(path)?));
            options.push(("direct", u8::from(engines::disk::direct(path)).to_string()));
            options.push(("allow_file_create", "0".to_string()));
            if terms.engine == "io_uring" {
                // As Fathom has its file and its buffers, where the kernel lets it.
                options.push(("registerfiles", "1".to_string()));
                options.push(("fixedbufs", u8::from(may_lock(load.block * u64::from(load.depth))).to_string()));
            }
            let sync = match load.durability {
                Durability::Sync => Some("sync"),
                Durability::Dsync => Some("dsync"),
                _ => None,
            };
            options.extend(sync.filter(|_| load.writes()).map(|sync| ("sync", sync.to_string())));
        }
        Place::Images { pool, .. } => options.push(("pool", pool.clone())),
        Place::Pool { pool, prefix } => {
            let objects = Objects::of(load);
            options.push(("pool", pool.clone()));
            // Its rados engine looks nowhere else.
            options.extend(terms.conf.as_deref().map(plain).transpose()?.map(|conf| ("conf", conf)));
            options.push(("filename_format", objects.name(prefix, "$filenum")));
            options.push(("nrfiles", objects.count.to_string()));
            options.push(("filesize", objects.bytes.to_string()));
            options.push(("size", (objects.count * objects.bytes).to_string()));
            options.push(("file_service_type", "random".to_string()));
            options.push(("touch_objects", "0".to_string()));
        }
        _ => return Err(format!("{} is nothing that fio loads", target.name)),
    }
    if matches!(target.place, Place::Images { .. } | Place::Pool { .. }) {
        options.push(("clientname", terms.user.to_string()));
        options.extend(terms.cluster.map(|name| ("clustername", name.to_string())));
    }
    Ok(options)
}

/// A lane's own part, where Fathom's lane has it.
fn own(target: &Target, load: &Workload, lane: u32) -> Options {
    let span = load.lane_span();
    match &target.place {
        Place::Path { .. } => {
            vec![("offset", (u64::from(lane) * span).to_string()), ("size", span.to_string())]
        }
        Place::Images { images, .. } if !images.is_empty() => {
            let (image, base) = (lane as usize % images.len(), (lane as usize / images.len()) as u64 * span);
            let (name, offset) = (images[image].clone(), base.to_string());
            vec![("rbdname", name), ("offset", offset), ("size", span.to_string())]
        }
        _ => Vec::new(),
    }
}

/// A path as fio reads it: a colon would separate two files.
/// May this much memory be kept in place? (Root may have any.)
fn may_lock(bytes: Bytes) -> bool {
    let least = getrlimit(Resource::RLIMIT_MEMLOCK).map_or(0, |(soft, _)| soft);
    geteuid().is_root() || bytes <= least
}

fn file_name(path: &Path) -> Result<String, String> {
    Ok(plain(path)?.replace(':', "\\:"))
}

/// A path that means the same to fio, which knows variables, keywords and escapes.
pub fn plain(path: &Path) -> Result<String, String> {
    let path = std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let text =
        path.to_str().ok_or_else(|| format!("{}: fio can't be told a path that is not UTF-8", path.display()))?;
    let special = |c: char| c.is_control() || "$\\\"'".contains(c);
    if text.contains(special) || text.ends_with(char::is_whitespace) {
        return Err(format!(
            "{text:?}: fio can't be told this path; choose one without quotes, $, \\ and blanks at its end"
        ));
    }
    Ok(text.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::OpMix;
    use model::Pattern;
    use model::testing;

    const TERMS: Terms<'static> =
        Terms { engine: "libaio", front: 2.0, seconds: 0.5, seed: 9, user: "me", cluster: Some("east"), conf: None };

    fn at(place: Place) -> Target {
        Target::new(testing::disks(), "x", place)
    }

    fn path(path: &str) -> Target {
        at(Place::Path { path: PathBuf::from(path), writable: true })
    }

    #[track_caller]
    fn has(text: &str, lines: &[&str]) {
        for line in lines {
            assert!(text.lines().any(|own| own == *line), "{line} is not in\n{text}");
        }
    }

    #[test]
    fn a_device_is_loaded_in_the_same_parts() {
        let load = Workload { jobs: 2, ..Workload::canonical(Pattern::ReadParallel, 1 << 20, 1) };
        let text = job(&path("/dev/a:b"), &load, &TERMS).unwrap();
        has(&text, &["filename=/dev/a\\:b", "direct=1", "rw=randread", "bs=4096", "iodepth=64", "ioengine=libaio"]);
        has(
            &text,
            &["ramp_time=2000000us", "runtime=500000us", "randseed=9", "[lane1]", "offset=524288", "size=524288"],
        );
        assert!(!text.contains("sync=") && !text.contains("clientname") && !text.contains("registerfiles"));
        let text = job(&path("/dev/a"), &load, &Terms { engine: "io_uring", ..TERMS }).unwrap();
        has(&text, &["registerfiles=1"]);
    }

    #[test]
    fn durable_and_mixed() {
        let load = Workload::canonical(Pattern::WriteLatency, 1 << 20, 1);
        has(&job(&path("/dev/a"), &load, &TERMS).unwrap(), &["sync=dsync", "rw=randwrite", "iodepth=1"]);
        let mixed = Workload { mix: OpMix::reads(70), durability: Durability::None, ..load };
        let text = job(&path("/dev/a"), &mixed, &TERMS).unwrap();
        has(&text, &["rw=randrw", "rwmixread=70"]);
        assert!(!text.contains("sync="));
    }

    #[test]
    fn images_and_objects_are_named_as_they_were_filled() {
        let images = Place::Images { pool: "p".into(), data_pool: None, images: vec!["a.fio".into(), "b.fio".into()] };
        let load = Workload { jobs: 2, ..Workload::canonical(Pattern::ReadParallel, 8 << 20, 1) };
        let text = job(&at(images), &load, &TERMS).unwrap();
        has(&text, &["pool=p", "rbdname=a.fio", "rbdname=b.fio", "size=4194304", "clientname=me", "clustername=east"]);
        let objects = Place::Pool { pool: "p".into(), prefix: "fathom.x.64k.fio.".into() };
        let load = Workload { object: Some(65_536), ..Workload::canonical(Pattern::ReadLatency, 1 << 20, 1) };
        let text = job(&at(objects), &load, &TERMS).unwrap();
        has(&text, &["filename_format=fathom.x.64k.fio.65536.$filenum", "nrfiles=16", "filesize=65536"]);
    }

    #[test]
    fn paths_that_would_say_something_else_are_refused() {
        let load = Workload::canonical(Pattern::ReadLatency, 1 << 20, 1);
        for wrong in ["/tmp/a\nrw=write", "/tmp/$ncpus", "/tmp/a\\:b", "/tmp/a "] {
            assert!(job(&path(wrong), &load, &TERMS).unwrap_err().contains("fio can't be told"), "{wrong}");
        }
    }
}
