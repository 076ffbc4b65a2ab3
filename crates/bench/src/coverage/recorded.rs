//! Recorded series: what real disks did, taken up at many places; the truth is the whole recording.

use crate::coverage::noise::DT;
use crate::coverage::replay::SeriesSource;
use crate::coverage::trial::{PERCENTILES, Truth};
use model::Latencies;
use model::{Failure, OpClass, Sparse};
use rand::RngExt;
use rand::rngs::StdRng;
use std::path::{Path, PathBuf};

/// Windows between the places at which a recording is taken up.
pub const EVERY: usize = 50;
/// A figure takes at most this many windows.
const LONGEST: usize = 600;

pub struct Recording {
    pub name: String,
    pub kind: OpClass,
    /// Operations per 100 ms, corrected for the windows' real lengths.
    pub rates: Vec<f64>,
    /// Latencies of each second, as (lowest ns, first ns above, operations); empty: not recorded.
    seconds: Vec<Vec<(f64, f64, f64)>>,
}

/// All recordings of a folder, by name.
pub fn all(folder: &Path) -> Result<Vec<Recording>, Failure> {
    let mut names: Vec<PathBuf> = std::fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
    names.retain(|path| path.to_string_lossy().ends_with(".csv") && !path.to_string_lossy().ends_with(".hist.csv"));
    names.sort();
    names.iter().map(|path| read(path)).collect()
}

fn read(path: &Path) -> Result<Recording, Failure> {
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let wrong = |line: usize| Failure::Failed(format!("{}:{line}: is no recorded window", path.display()));
    let text = std::fs::read_to_string(path)?;
    let window = |(number, line): (usize, &str)| {
        let field = |at: usize| line.split(',').nth(at).and_then(|field| field.parse::<f64>().ok());
        let (length, ops) = field(1).zip(field(2)).ok_or_else(|| wrong(number + 1))?;
        Ok(ops / length * 100.0)
    };
    let rates = text.lines().enumerate().skip(1).map(window).collect::<Result<Vec<f64>, Failure>>()?;
    let beside = path.with_extension("hist.csv");
    let seconds = match std::fs::read_to_string(&beside) {
        Ok(text) => text.lines().skip(1).map(latencies).collect(),
        Err(_) => Vec::new(),
    };
    let kind = if name.contains("rw") || name.contains("sw") { OpClass::Write } else { OpClass::Read };
    Ok(Recording { name, kind, rates, seconds })
}

/// `0,387:2 388:10`: fio's bins, two of them joined.
fn latencies(line: &str) -> Vec<(f64, f64, f64)> {
    let bins = line.split_once(',').map_or("", |(_, bins)| bins);
    let pairs = bins.split(' ').filter_map(|pair| pair.split_once(':'));
    pairs
        .filter_map(|(bin, count)| Some((bin.parse::<u64>().ok()?, count.parse::<f64>().ok()?)))
        .map(|(bin, count)| (lowest(2 * bin), lowest(2 * bin + 2), count))
        .collect()
}

/// The lowest ns of a bin of fio: 64 to a doubling.
fn lowest(bin: u64) -> f64 {
    match bin >> 6 {
        0 | 1 => bin as f64,
        group => ((64 + bin % 64) << (group - 1)) as f64,
    }
}

impl Recording {
    /// Means and percentiles of all of it. Percentiles are 0 where latencies were not recorded.
    pub fn truth(&self, chance: &mut StdRng) -> Truth {
        let rate = self.rates.iter().sum::<f64>() / self.rates.len() as f64 / DT;
        let whole = |second: &Vec<(f64, f64, f64)>| second.iter().map(|bin| bin.2).sum::<f64>();
        let parts: Vec<Sparse> =
            self.seconds.iter().map(|second| dealt(second, whole(second) as u64, chance)).collect();
        let all = Sparse::merged(&parts);
        let percentiles = PERCENTILES.map(|percent| all.quantile_ns(percent / 100.0).unwrap_or(0.0) / 1e6);
        Truth { rate, percentiles }
    }

    /// Operations in flight, by Little's law: with fewer or more asked for, the loop would not be closed.
    pub fn depth(&self, truth: &Truth) -> u32 {
        let all = self.seconds.iter().flatten();
        let (time, count) =
            all.fold((0.0, 0.0), |(time, count), (low, high, n)| (time + n * (low + high) / 2.0, count + n));
        if count > 0.0 {
            (truth.rate * time / count / 1e9).round().max(1.0) as u32
        } else {
            crate::coverage::latency::DEPTH
        }
    }

    /// Where it may be taken up.
    pub fn starts(&self) -> impl Iterator<Item = usize> + use<> {
        (0..=self.rates.len().saturating_sub(LONGEST)).step_by(EVERY)
    }
}

/// Slices are spread over the whole recording, from `start` on, and wrap around.
pub struct Taken<'a> {
    pub recording: &'a Recording,
    pub start: usize,
    pub chance: StdRng,
    /// Where the present slice began.
    pub from: usize,
}

impl SeriesSource for Taken<'_> {
    fn rates(&mut self, _slice: u32, second: f64) -> Vec<f64> {
        let all = &self.recording.rates;
        self.from = (self.start + (second / DT) as usize) % all.len();
        all.iter().cycle().skip(self.from).take(all.len()).copied().collect()
    }

    fn latencies(&mut self, ops: u64, at: usize) -> Sparse {
        let seconds = &self.recording.seconds;
        let window = (self.from + at) % self.recording.rates.len();
        match seconds.get((window as f64 * DT) as usize) {
            Some(second) => dealt(second, ops, &mut self.chance),
            None => Sparse::default(),
        }
    }
}

/// `ops` operations in the proportions of a second's latencies.
fn dealt(second: &[(f64, f64, f64)], ops: u64, chance: &mut StdRng) -> Sparse {
    let all: f64 = second.iter().map(|bin| bin.2).sum();
    let mut latencies = Latencies::default();
    for (low, high, count) in second {
        let share = count / all * ops as f64;
        let times = (share + chance.random::<f64>()).floor() as u64;
        if times > 0 {
            latencies.record_times((low + (high - low) * chance.random::<f64>()) as u64, times);
        }
    }
    latencies.sparse()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_of_fio_are_read() {
        assert_eq!([lowest(5), lowest(127), lowest(128), lowest(130), lowest(192)], [5.0, 127.0, 128.0, 132.0, 256.0]);
        assert_eq!(latencies("7,2:3 64:1"), [(4.0, 6.0, 3.0), (128.0, 132.0, 1.0)]);
    }
}
