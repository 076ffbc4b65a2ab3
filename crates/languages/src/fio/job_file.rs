//! Job files: sections of options, in the order and with the lines in which they were written.

use super::options::{Given, Options, Problem, canonical};
use super::shape::{Shape, shape};
use model::workload::OBJECT_MOST;
use model::{Durability, Layer};

/// What any device is addressed in at least.
const SECTOR: u64 = 512;

/// One section, with all that `[global]` said before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    pub name: String,
    /// Of its heading.
    pub line: u32,
    pub options: Options,
    pub shape: Shape,
}

impl Job {
    /// The line of an option; where it is not given, that of the section.
    pub fn line_of(&self, option: &str) -> u32 {
        self.options.get(option).map_or(self.line, |given| given.line)
    }
}

/// Jobs that run at the same time.
pub type Batch = Vec<Job>;

/// `line 7: …`, for each thing that stands in the way.
pub type Faults = Vec<(u32, String)>;

/// The batches of a job file in their order; of `wanted` sections only, if any are named. `variable` gives the values of
/// `${NAME}`.
pub fn parse(text: &str, wanted: &[String], variable: &dyn Fn(&str) -> Option<String>) -> Result<Vec<Batch>, Faults> {
    let mut faults = Faults::new();
    let sections = sections(text, variable, &mut faults);
    for name in wanted.iter().filter(|name| !sections.iter().any(|section| section.name == **name)) {
        let known: Vec<&str> = sections.iter().map(|section| section.name.as_str()).collect();
        faults.push((1, format!("has no section [{name}]; there are: {}", known.join(", "))));
    }
    if sections.is_empty() && faults.is_empty() {
        faults.push((1, "has no section; write [name], and below it the options of a job".to_string()));
    }
    let mut batches: Vec<Batch> = Vec::new();
    for section in sections.into_iter().filter(|section| wanted.is_empty() || wanted.contains(&section.name)) {
        let waits = ["stonewall", "wait_for_previous"].iter().any(|name| on(&section.options, name));
        let (shape, problems) = shape(&section.options);
        faults.extend(problems.iter().map(|problem| fault(problem, &section)));
        let job = Job { name: section.name, line: section.line, options: section.options, shape };
        faults.extend(unlike(&job));
        match batches.last_mut() {
            Some(batch) if !waits => batch.push(job),
            _ => batches.push(vec![job]),
        }
    }
    batches.iter().for_each(|batch| faults.extend(together(batch)));
    // What `[global]` says wrongly is wrong once, however many sections have it.
    faults.sort();
    faults.dedup();
    if faults.is_empty() { Ok(batches) } else { Err(faults) }
}

struct Section {
    name: String,
    line: u32,
    options: Options,
}

fn on(options: &Options, name: &str) -> bool {
    options.get(name).is_some_and(|given| super::values::switch(given.value.as_deref()) != Ok(false))
}

fn fault(problem: &Problem, section: &Section) -> (u32, String) {
    let value = if problem.value.is_empty() { String::new() } else { format!("={}", problem.value) };
    let line = if problem.line == 0 { section.line } else { problem.line };
    (line, format!("{}{value}: {}", problem.option, problem.says))
}

fn sections(text: &str, variable: &dyn Fn(&str) -> Option<String>, faults: &mut Faults) -> Vec<Section> {
    let mut global = Options::new();
    let mut sections: Vec<Section> = Vec::new();
    let mut inside = None;
    for (line, written) in (1..).zip(text.lines()) {
        // A comment also ends a line.
        let plain = written.split([';', '#']).next().unwrap_or("").trim();
        if plain.is_empty() {
            continue;
        }
        if let Some(rest) = plain.strip_prefix('[') {
            match rest.split_once(']') {
                Some((name, "")) if !name.trim().is_empty() => inside = Some(name.trim().to_string()),
                _ => faults.push((line, format!("`{plain}` is no heading; write [name]"))),
            }
            if let Some(name) = inside.clone().filter(|name| !is_global(name)) {
                sections.push(Section { name, line, options: global.clone() });
            }
            continue;
        }
        if plain == "include" || plain.starts_with("include ") {
            faults.push((line, "include is not supported; put the other file's lines here".to_string()));
            continue;
        }
        let given = match option(plain, line, variable) {
            Ok(given) => given,
            Err(why) => {
                faults.push((line, why));
                continue;
            }
        };
        match (inside.as_deref(), sections.last_mut()) {
            (Some(name), _) if is_global(name) => global.insert(given.0, given.1),
            (Some(_), Some(section)) => section.options.insert(given.0, given.1),
            _ => {
                faults.push((line, format!("`{plain}` stands before the first section; write [global] above it")));
                None
            }
        };
    }
    sections
}

/// fio takes every name that begins so for that section (`strncmp(name, "global", 6)`).
fn is_global(name: &str) -> bool {
    name.starts_with("global")
}

fn option(plain: &str, line: u32, variable: &dyn Fn(&str) -> Option<String>) -> Result<(String, Given), String> {
    let (name, value) = match plain.split_once('=') {
        Some((name, value)) => (name.trim(), Some(value.trim())),
        None => (plain, None),
    };
    if name.is_empty() || name.contains(char::is_whitespace) {
        return Err(format!("`{plain}` is no option; write it as name=value"));
    }
    let value = value.map(|value| expanded(value, variable)).transpose()?;
    Ok((canonical(name).to_string(), Given { value, line }))
}

/// `${NAME}` is a variable of the environment, as for fio.
fn expanded(value: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let (mut text, mut rest) = (String::new(), value);
    while let Some((before, after)) = rest.split_once("${") {
        let (name, behind) = after.split_once('}').ok_or_else(|| format!("`{value}`: a `}}` is missing"))?;
        let known =
            variable(name).ok_or_else(|| format!("the variable {name} is not set; set it, or write its value"))?;
        text = text + before + &known;
        rest = behind;
    }
    if rest.contains('$') {
        return Err(format!("`{value}`: of variables only ${{NAME}} is supported; write the value"));
    }
    Ok(text + rest)
}

/// What these options mean together and can't be done alike here.
fn unlike(job: &Job) -> Faults {
    let shape = &job.shape;
    let device = shape.layer == Layer::Device;
    let mut faults = Faults::new();
    let mut fault = |option: &str, says: &str| faults.push((job.line_of(option), format!("[{}] {says}", job.name)));
    if !super::divisible(shape) {
        fault(
            "numjobs",
            "several jobs on one file, other than at random, are not supported: each would go through all of \
                          it; use numjobs=1, or directory= for a file each",
        );
    }
    if shape.layer == Layer::Rbd && shape.jobs > 1 {
        fault("numjobs", "several jobs on one image are not supported; use numjobs=1 with a larger iodepth");
    }
    if shape.layer == Layer::Rbd && shape.writes() && shape.durability != Durability::None {
        let flush = ["fsync", "fdatasync", "sync"].into_iter().find(|name| job.options.contains_key(*name));
        fault(flush.unwrap_or("sync"), "writes to an image are not flushed one by one here; leave it out");
    }
    let object = super::object(shape).unwrap_or(0);
    if object > OBJECT_MOST {
        let text =
            format!("objects of {object} bytes are too large: at most 64 MiB; share size among more, with nrfiles=");
        fault("size", &text);
    }
    if shape.layer != Layer::Rados && shape.files > 1 {
        fault("nrfiles", "several files in one job are not supported; use nrfiles=1");
    }
    if shape.filename.as_deref().is_some_and(|name| name.contains(':')) {
        fault("filename", "several files in one job are not supported; make a section for each");
    }
    if device && !shape.block.is_multiple_of(SECTOR) {
        fault("bs", "of a file or device, blocks are multiples of 512 bytes");
    }
    if shape.size.is_some_and(|size| size < shape.block) {
        fault("size", "is smaller than one block");
    }
    if device && shape.filename.is_some() && shape.directory.is_some() {
        fault("directory", "filename and directory together are not supported; write the whole path as filename");
    }
    if !device && shape.pool.is_none() {
        fault("ioengine", "has no pool; add pool=NAME");
    }
    if shape.layer == Layer::Rados && shape.size.is_none() {
        fault("size", "has no size; add size=1g");
    }
    if device && shape.size.is_none() && shape.filename.is_none() {
        fault("size", "has no size and no file that is there; add size=1g");
    }
    if shape.time_based && shape.seconds.is_none() {
        fault("time_based", "is time_based and has no runtime; add runtime=30");
    }
    if shape.layer == Layer::Rbd && shape.reads() && !shape.writes() && shape.image.is_none() {
        fault("ioengine", "reads an image and names none; add rbdname=NAME");
    }
    faults
}

/// Sections that fio would run at the same time must be one workload on several targets: anything else can't be done here.
fn together(batch: &[Job]) -> Faults {
    let Some((first, others)) = batch.split_first() else { return Faults::new() };
    let core = |job: &Job| Shape { filename: None, directory: None, ..job.shape.clone() };
    let fault = |job: &Job| {
        let same = batch.iter().filter(|other| other.line < job.line);
        let shared =
            same.clone().any(|other| other.shape.filename.is_some() && other.shape.filename == job.shape.filename);
        let says = match (core(job) == core(first), shared || job.shape.layer != Layer::Device) {
            (true, false) => return None,
            (false, _) => "with other options",
            (true, true) => "on the same target",
        };
        let mend = "add stonewall to it, so that it comes after";
        Some((
            job.line,
            format!("[{}] would run at the same time as [{}], {says}: not supported; {mend}", job.name, first.name),
        ))
    };
    others.iter().filter_map(fault).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Access;
    use proptest::prelude::*;

    fn parsed(text: &str) -> Result<Vec<Batch>, Faults> {
        parse(text, &[], &|name| (name == "DISK").then(|| "/dev/sdx".to_string()))
    }

    #[test]
    fn global_options_hold_for_what_follows() {
        let text = "; a comment\n[global]\nbs=4k # four\nrw = randread\nfilename=${DISK}\nruntime=10\ndirect=1\n\n[one]\n\
                    iodepth=8\nioengine=libaio\n[global-further]\nbs=8k\n[two]\nstonewall\nrw=randrw\nrwmixread=70\n\
                    random_distribution=zipf:1.2\n";
        let batches = parsed(text).unwrap();
        let [one, two] = batches.iter().map(|batch| &batch[0]).collect::<Vec<_>>()[..] else { panic!("{batches:?}") };
        assert_eq!((one.name.as_str(), one.line, one.shape.block, one.shape.depth), ("one", 9, 4096, 8));
        assert_eq!(
            (one.shape.filename.as_deref(), one.shape.access, one.shape.direct),
            (Some("/dev/sdx"), Access::Random, true)
        );
        assert_eq!((two.shape.block, two.shape.read_percent, two.shape.access), (8192, 70, Access::Zipf(1.2)));
        assert_eq!((two.shape.depth, two.shape.seconds), (1, Some(10.0)));
    }

    #[test]
    fn all_that_is_not_supported_is_named_at_once_with_its_lines() {
        let text = "[global]\nbs=4k\nverify=crc32c\n[a]\nfilename=/dev/sdx\nrw=randtrim\nbssplit=4k/50:8k/50\nsize=1q\n\
                    [b]\nfilename=/dev/sdx\nstonewall\nfsync=8\nnorandommap=0\ninclude x.fio\n";
        let faults = parsed(text).unwrap_err();
        let lines: Vec<u32> = faults.iter().map(|fault| fault.0).collect();
        assert_eq!(lines, [3, 6, 7, 8, 12, 13, 14], "{faults:?}");
        let both = |writes: u8| {
            format!("[a]\nfilename=/dev/sdx\nrw=randrw\nrwmixread=70\nrwmixwrite={writes}\nsize=1g\ndirect=1\n")
        };
        assert!(parsed(&both(30)).is_ok());
        let faults = parsed(&both(80)).unwrap_err();
        assert!(faults[0].0 == 5 && faults[0].1.contains("add up to 100"), "{faults:?}");
    }

    #[test]
    fn what_runs_at_once_is_one_workload_on_several_targets_or_refused() {
        let same = "[global]\nrw=randread\nsize=1g\n[a]\nfilename=/dev/sdx\n[b]\nfilename=/dev/sdy\n";
        assert_eq!(parsed(same).unwrap()[0].len(), 2);
        for (text, line, words) in [
            ("[a]\nfilename=/dev/sdx\n[b]\nfilename=/dev/sdy\nbs=8k\n", 3, "other options"),
            ("[a]\nfilename=/dev/sdx\n[b]\nfilename=/dev/sdx\n", 3, "same target"),
        ] {
            let faults = parsed(text).unwrap_err();
            assert!(
                faults[0].0 == line && faults[0].1.contains(words) && faults[0].1.contains("stonewall"),
                "{faults:?}"
            );
        }
        assert_eq!(
            parse("[a]\nfilename=/dev/sdx\n[b]\nfilename=/dev/sdx\n", &["b".into()], &|_| None).unwrap().len(),
            1
        );
    }

    #[test]
    fn what_would_be_done_otherwise_is_refused() {
        for (text, words) in [
            ("", "no section"),
            ("bs=4k\n[a]\nfilename=x\n", "[global]"),
            ("[a\nfilename=x\n", "no heading"),
            ("[a]\nfilename=x\n4k bs\n", "name=value"),
            ("[a]\nfilename=$jobnum\n", "${NAME}"),
            ("[a]\nfilename=${NOWHERE}\n", "NOWHERE"),
            ("[a]\nfilename=x\nrw=write\nnumjobs=2\n", "numjobs=1"),
            ("[a]\nfilename=x:y\n", "section for each"),
            ("[a]\nrw=write\n", "add size"),
            ("[a]\nfilename=x\ntime_based\n", "add runtime"),
            ("[a]\nioengine=rbd\nrw=write\n", "add pool"),
            ("[a]\nioengine=rbd\npool=p\nrw=read\n", "add rbdname"),
            ("[a]\nioengine=rbd\npool=p\nrw=write\nsize=1g\nfsync=1\n", "not flushed"),
            ("[a]\nioengine=rados\npool=p\nrw=write\nsize=128m\n", "nrfiles="),
            ("[a]\nioengine=http\nfilename=x\n", "ioengine=http"),
            ("[a]\nfilename=x\nbs=4k,8k\n", "section for each"),
            ("[a]\nfilename=x\nsize=4ki\n", "4kib"),
            ("[a]\nfilename=x\nbs=3\n", "512"),
            ("[a]\nfilename=x\nbs=1m\nsize=4k\n", "one block"),
        ] {
            let faults = parsed(text).unwrap_err();
            assert!(faults.iter().any(|fault| fault.1.contains(words)), "{text:?}: {faults:?}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "(\\[?[a-z]{0,6}\\]?[=;# ]?[0-9a-z:,$\\{\\}.%-]{0,8}\n){0,12}", any in "\\PC*") {
            let _ = (parsed(&text), parsed(&any));
        }

        #[test]
        fn options_of_any_value(
            name in prop::sample::select(vec!["bs", "rw", "size", "iodepth", "numjobs", "runtime", "ramp_time", "sync", "fsync",
                "random_distribution", "rwmixread", "randseed", "direct", "kb_base", "nrfiles", "filesize"]),
            value in "[0-9a-z:,.%-]{0,10}",
        ) {
            let _ = parsed(&format!("[a]\nfilename=x\n{name}={value}\n"));
        }
    }
}
