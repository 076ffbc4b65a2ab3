//! fio's rates: how much each job starts in a second, by a fixed schedule or at random, as an open loop of ours.
//!
//! fio (3.x, `usec_for_io` and `rate_ddir` in its sources) has a due time for the next operation of each direction, counted
//! from the job's start: the time that the bytes so far take at the rate (`linear`), or the sum of exponential gaps (`poisson`). A job
//! that is behind does not pause until it has caught up. That is a schedule of ours, with equal gaps or as Poisson.

use super::options::Reader;
use super::values::{size, whole};
use model::{Arrivals, Bytes, Rate};

/// What the rate is a rate of.
pub struct Of {
    pub kb_base: u64,
    pub read_percent: u8,
    pub block: Bytes,
    pub jobs: u32,
}

/// For reads and for writes; `None`: as fast as it goes.
type Sides = [Option<u64>; 2];

/// Over all jobs; `None`: none is given, or what is given can't be kept here, which is then noted.
pub fn rate(reader: &mut Reader, of: &Of) -> Option<Rate> {
    let arrivals = arrivals(reader);
    let operations = reader.value("rate_iops", |text| sides(text, &whole));
    let bytes = reader.value("rate", |text| sides(text, &|text| size(text, of.kb_base)));
    let set = |sides: &Option<Sides>| sides.is_some_and(|sides| sides.iter().any(Option::is_some));
    let (name, mut sides, mut unit) = match (set(&operations), set(&bytes)) {
        (true, true) => {
            reader.problem("rate", "and rate_iops exclude each other; take one of them out", true);
            return None;
        }
        (true, false) => ("rate_iops", operations?, 1),
        (false, true) => ("rate", bytes?, of.block.max(1)),
        (false, false) => return None,
    };
    if arrivals == Arrivals::Poisson {
        // fio draws the gaps of whole operations a second.
        (sides, unit) = (sides.map(|side| side.map(|amount| amount / unit)), 1);
        if sides.contains(&Some(0)) {
            reader.problem(name, "is less than one operation a second, which fio can't draw as poisson", true);
            return None;
        }
    }
    let amount = match (of.read_percent, sides) {
        (100, [reads, _]) => reads?,
        (0, [_, writes]) => writes?,
        (percent, [Some(reads), Some(writes)]) if one_series(percent, reads, writes, arrivals) => reads + writes,
        _ => {
            reader.problem(name, MIXED, false);
            return None;
        }
    };
    let per_second = amount as f64 / unit as f64 * f64::from(of.jobs);
    Some(Rate { per_second, arrivals, by_job: of.jobs > 1 })
}

/// fio keeps a schedule for each direction, and `rwmixread` gives way to them.
const MIXED: &str = "of reads and writes together is supported with rate_process=poisson and a rate for each in the ratio of \
                     rwmixread (rate_iops=700,300 with rwmixread=70); else make a section for each";

/// Two Poisson processes are one, of which each operation is a read with the same chance. Two series of equal gaps are none.
fn one_series(read_percent: u8, reads: u64, writes: u64, arrivals: Arrivals) -> bool {
    let all = u128::from(reads) + u128::from(writes);
    arrivals == Arrivals::Poisson
        && all <= u128::from(u64::MAX)
        && u128::from(reads) * 100 == u128::from(read_percent) * all
}

fn arrivals(reader: &mut Reader) -> Arrivals {
    match reader.text("rate_process").as_deref() {
        None | Some("linear") => Arrivals::Even,
        Some("poisson") => Arrivals::Poisson,
        Some(_) => {
            reader.problem("rate_process", "there are: linear, poisson", true);
            Arrivals::Even
        }
    }
}

/// `500`, `700,300`, `,300`: for reads, writes and trims. What does not end with a comma holds for those that follow.
fn sides(text: &str, number: &dyn Fn(&str) -> Result<u64, String>) -> Result<Sides, String> {
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 3 || text.is_empty() {
        return Err("is a rate for reads, writes and trims: 500, or 700,300".to_string());
    }
    let parse = |part: &str| if part.trim().is_empty() { Ok(None) } else { number(part).map(Some) };
    let all = parts.iter().map(|part| parse(part)).collect::<Result<Vec<_>, _>>()?;
    let set = |at: usize| all.get(at).or(all.last()).copied().flatten().filter(|amount| *amount > 0);
    Ok([set(0), set(1)])
}

#[cfg(test)]
mod tests {
    use crate::fio::options::{Given, Options};
    use crate::fio::shape::{Shape, shape};
    use model::{Arrivals, Rate};

    fn of(options: &str) -> (Shape, Vec<String>) {
        let given = |line: &str| {
            let (name, value) = line.split_once('=').unwrap();
            (name.to_string(), Given { value: Some(value.to_string()), line: 1 })
        };
        let options: Options = options.split(' ').map(given).collect();
        let (shape, problems) = shape(&options);
        (shape, problems.into_iter().map(|problem| format!("{}: {}", problem.option, problem.says)).collect())
    }

    #[track_caller]
    fn is(options: &str, rate: Option<(f64, Arrivals)>) {
        let (shape, problems) = of(options);
        assert_eq!(problems, [""; 0], "{options}");
        let by_job = options.contains("numjobs");
        assert_eq!(shape.rate, rate.map(|(per_second, arrivals)| Rate { per_second, arrivals, by_job }), "{options}");
    }

    #[test]
    fn rates_of_all_jobs() {
        use Arrivals::{Even, Poisson};
        is("rw=randread rate_iops=500", Some((500.0, Even)));
        is("rw=randread rate_iops=500 rate_process=poisson numjobs=4", Some((2000.0, Poisson)));
        is("rw=randwrite rate_iops=500,300", Some((300.0, Even)));
        is("rw=randwrite rate_iops=500,", None);
        is("rw=randread rate_iops=,300", None);
        is("rw=randread rate_iops=0", None);
        is("rw=read rate=1m bs=64k", Some((16.0, Even)));
        is("rw=write rate=10k bs=4k", Some((2.5, Even)));
        is("rw=read rate_process=poisson", None);
        is("rw=read rate=10k bs=4k rate_process=poisson", Some((2.0, Poisson)));
        is("rw=randrw rwmixread=70 rate_iops=700,300 rate_process=poisson", Some((1000.0, Poisson)));
    }

    #[test]
    fn what_would_be_another_load_is_named() {
        for (options, words) in [
            ("rw=randread rate_iops=500 rate=1m", "exclude each other"),
            ("rw=randrw rate_iops=500", "rate_iops: of reads and writes together"),
            ("rw=randrw rwmixread=70 rate_iops=700,300", "rate_process=poisson"),
            ("rw=randrw rwmixread=50 rate_iops=700,300 rate_process=poisson", "ratio of rwmixread"),
            ("rw=read rate=1k bs=4k rate_process=poisson", "less than one"),
            ("rw=randread rate_iops=x", "no whole number"),
            ("rw=randread rate_iops=1,2,3,4", "reads, writes and trims"),
            ("rw=randread rate_iops=1 rate_process=even", "linear, poisson"),
            ("rw=randread rate_iops=1 rate_min=1m", "rate_min: is not supported"),
            ("rw=randread ioengine=psync iodepth=4 io_submit_mode=offload", "io_submit_mode"),
            ("rw=randread io_submit_mode=other", "inline, offload"),
        ] {
            let (_, problems) = of(options);
            assert!(problems.iter().any(|problem| problem.contains(words)), "{options}: {problems:?}");
        }
    }
}
