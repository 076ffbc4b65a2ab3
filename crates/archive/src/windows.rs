//! Windows of slices with many targets as bytes: stored as they come, and put back into their slices when those are read.

use crate::slices::{SampleV2, SampleV3};
use model::{Sample, Slice, WindowSet};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The first byte of every blob, as for slices.
const FORMAT: u8 = 2;
const FORMAT_1: u8 = 1;

/// Which slice a window belongs to is known by when that began.
#[derive(Serialize, Deserialize)]
struct WindowShape<S> {
    started_seconds: f64,
    /// Target, the class of its operations by its code, and what it did. (Once it was whether it wrote: the same bytes.)
    samples: Vec<(u32, u8, S)>,
}

pub(crate) fn encode(started_seconds: f64, set: &WindowSet) -> Result<Vec<u8>, postcard::Error> {
    let samples = set.samples.iter();
    let samples = samples.map(|(target, kind, sample)| (*target, kind.spec().code, SampleV3::from(sample))).collect();
    postcard::to_extend(&WindowShape { started_seconds, samples }, vec![FORMAT])
}

/// Windows whose slices have not come yet. Those of a slice that was given up never do.
#[derive(Default)]
pub(crate) struct Windows {
    started_seconds: f64,
    series: BTreeMap<(u32, u8), Vec<Sample>>,
}

impl Windows {
    /// Errors: in words, for a damaged archive.
    pub(crate) fn put(&mut self, blob: &[u8]) -> Result<(), String> {
        match blob.split_first() {
            Some((&FORMAT, rest)) => self.take::<SampleV3>(rest),
            Some((&FORMAT_1, rest)) => self.take::<SampleV2>(rest),
            Some((other, _)) => Err(format!("windows of the unknown format {other}")),
            None => Err("windows without bytes".to_string()),
        }
    }

    fn take<S: DeserializeOwned>(&mut self, bytes: &[u8]) -> Result<(), String>
    where
        Sample: From<S>,
    {
        let shape: WindowShape<S> = postcard::from_bytes(bytes).map_err(|error| format!("windows: {error}"))?;
        if shape.started_seconds != self.started_seconds {
            *self = Windows { started_seconds: shape.started_seconds, series: BTreeMap::new() };
        }
        for (target, class, sample) in shape.samples {
            self.series.entry((target, class)).or_default().push(Sample::from(sample));
        }
        Ok(())
    }

    /// Gives the slice its samples; there must be `samples` of them. Errors: in words, for a damaged archive.
    pub(crate) fn fill(&mut self, slice: &mut Slice, samples: u32) -> Result<(), String> {
        let own = slice.started_seconds == self.started_seconds;
        let kept = key(slice).filter(|_| own).and_then(|key| self.series.remove(&key)).unwrap_or_default();
        if kept.len() != samples as usize {
            return Err(format!("a slice has {samples} windows, {} of them are there", kept.len()));
        }
        slice.samples = kept;
        Ok(())
    }
}

/// `None`: of all targets together, which is stored with its slice.
pub(crate) fn key(slice: &Slice) -> Option<(u32, u8)> {
    slice.target.map(|target| (target, slice.kind.spec().code))
}
