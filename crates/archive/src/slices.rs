//! Slices as bytes: a format byte, then postcard of shapes that belong to the format and never change with the model.

use crate::stream::Sent;
use crate::windows::Windows;
use model::{Buckets, Effort, OpClass, Sample, Slice, Sparse, StepId};
use serde::de::DeserializeOwned;
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The first byte of every blob. A new shape gets the next number; the old ones are read for ever.
const FORMAT: u8 = 5;
/// The format of a slice whose samples are stored elsewhere.
const FORMAT_APART: u8 = 4;
const FORMAT_3: u8 = 3;
const FORMAT_2: u8 = 2;
const FORMAT_1: u8 = 1;

#[derive(Serialize, Deserialize)]
struct SliceShape<S> {
    step: u32,
    target: Option<u32>,
    /// Of its operations the class, by its code. (Once it was whether it wrote: the same bytes.)
    class: u8,
    pass: u32,
    started_seconds: f64,
    window_ns: u64,
    samples: Vec<S>,
    warmup: u32,
    settled: bool,
    void: Option<String>,
    error: Option<String>,
}

/// Without its samples, which are rows of windows.
#[derive(Serialize, Deserialize)]
struct SliceApart {
    slice: SliceV3<SampleV3>,
    samples: u32,
}

#[derive(Serialize, Deserialize)]
struct SampleV1 {
    window: u32,
    span_ns: u64,
    ops: u64,
    bytes: u64,
    errors: u64,
    service: SparseV1,
    response: Option<SparseV1>,
}

/// With the load generator's lateness, which an open loop has.
#[derive(Serialize, Deserialize)]
pub(crate) struct SampleV2 {
    sample: SampleV1,
    late: Option<SparseV1>,
}

/// With the time to the first byte of what was read, where an engine sees it.
#[derive(Serialize, Deserialize)]
pub(crate) struct SampleV3 {
    sample: SampleV2,
    first_byte: Option<SparseV1>,
}

/// With what the lanes took of the CPU.
#[derive(Serialize, Deserialize)]
struct SliceV3<S> {
    slice: SliceShape<S>,
    effort: Option<EffortV3>,
}

#[derive(Serialize, Deserialize)]
struct EffortV3 {
    seconds: f64,
    cpu_seconds: f64,
    queued_seconds: f64,
    operations: u64,
    operation_ns: f64,
}

#[derive(Serialize, Deserialize)]
struct SparseV1 {
    gaps: Gaps,
    sum_ns: u64,
    count: u64,
    max_ns: u64,
}

/// (distance from the bucket before, count): filled buckets lie close together, so most pairs take two bytes.
struct Gaps(Buckets);

impl Serialize for Gaps {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.iter().count()))?;
        let mut before = 0;
        for (index, count) in &self.0 {
            list.serialize_element(&(index - before, count))?;
            before = index;
        }
        list.end()
    }
}

impl<'de> Deserialize<'de> for Gaps {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Gaps, D::Error> {
        let gaps: Vec<(u32, u64)> = Vec::deserialize(deserializer)?;
        let mut at = 0u32;
        let bucket = |(gap, count): (u32, u64)| {
            at = at.wrapping_add(gap);
            (at, count)
        };
        Ok(Gaps(gaps.into_iter().map(bucket).collect()))
    }
}

/// Samples of a row at most: some ten MB, of which SQLite makes copies.
const SAMPLES: usize = 20_000;

/// What goes into one row each; at least one row, and of one slice never a part. Slices whose samples are in the file already
/// have rows of their own.
pub(crate) fn parts<'a>(slices: &'a [Slice], sent: &'a Sent) -> impl Iterator<Item = &'a [Slice]> {
    let alike = slices.chunk_by(|a, b| sent.holds(a) == sent.holds(b)).flat_map(|alike| {
        let longest = alike.iter().filter(|slice| !sent.holds(slice)).map(|slice| slice.samples.len()).max();
        alike.chunks((SAMPLES / longest.unwrap_or(0).max(1)).max(1))
    });
    let none = slices.is_empty().then_some(slices);
    alike.chain(none)
}

/// One of the [`parts`].
pub(crate) fn encode(slices: &[Slice], sent: &Sent) -> Result<Vec<u8>, postcard::Error> {
    let apart = slices.first().is_some_and(|slice| sent.holds(slice));
    // As a list of shapes, but made one by one: all at once would double what the slices of a thousand hosts take.
    let blob = postcard::to_extend(&slices.len(), vec![if apart { FORMAT_APART } else { FORMAT }])?;
    slices.iter().try_fold(blob, |blob, slice| match apart {
        true => {
            let samples = slice.samples.len() as u32;
            postcard::to_extend(&SliceApart { slice: SliceV3::of(slice, &[]), samples }, blob)
        }
        false => postcard::to_extend(&SliceV3::<SampleV3>::of(slice, &slice.samples), blob),
    })
}

/// `windows`: the samples that came before. Errors: in words, for a damaged archive.
pub(crate) fn decode(blob: &[u8], windows: &mut Windows) -> Result<Vec<Slice>, String> {
    match blob.split_first() {
        Some((&FORMAT_APART, rest)) => {
            let filled = |SliceApart { slice, samples }| {
                let mut slice = Slice::try_from(slice)?;
                windows.fill(&mut slice, samples).map(|()| slice)
            };
            shapes::<SliceApart>(rest)?.into_iter().map(filled).collect()
        }
        Some((&FORMAT, rest)) => slices_of::<SliceV3<SampleV3>>(rest),
        Some((&FORMAT_3, rest)) => slices_of::<SliceV3<SampleV2>>(rest),
        Some((&FORMAT_2, rest)) => slices_of::<SliceShape<SampleV2>>(rest),
        Some((&FORMAT_1, rest)) => slices_of::<SliceShape<SampleV1>>(rest),
        Some((other, _)) => Err(format!("slices of the unknown format {other}")),
        None => Err("slices without bytes".to_string()),
    }
}

fn shapes<S: DeserializeOwned>(bytes: &[u8]) -> Result<Vec<S>, String> {
    postcard::from_bytes(bytes).map_err(|error| format!("slices: {error}"))
}

fn slices_of<S: DeserializeOwned>(bytes: &[u8]) -> Result<Vec<Slice>, String>
where
    Slice: TryFrom<S, Error = String>,
{
    shapes::<S>(bytes)?.into_iter().map(Slice::try_from).collect()
}

impl<'a, S: From<&'a Sample>> SliceV3<S> {
    fn of(slice: &Slice, samples: &'a [Sample]) -> SliceV3<S> {
        let effort = slice.effort.map(|Effort { seconds, cpu_seconds, queued_seconds, operations, operation_ns }| {
            EffortV3 { seconds, cpu_seconds, queued_seconds, operations, operation_ns }
        });
        SliceV3 { slice: SliceShape::of(slice, samples), effort }
    }
}

impl<S> TryFrom<SliceV3<S>> for Slice
where
    Sample: From<S>,
{
    type Error = String;

    fn try_from(shape: SliceV3<S>) -> Result<Slice, String> {
        let effort = shape.effort.map(|EffortV3 { seconds, cpu_seconds, queued_seconds, operations, operation_ns }| {
            Effort { seconds, cpu_seconds, queued_seconds, operations, operation_ns }
        });
        Ok(Slice { effort, ..Slice::try_from(shape.slice)? })
    }
}

impl<'a, S: From<&'a Sample>> SliceShape<S> {
    fn of(slice: &Slice, samples: &'a [Sample]) -> SliceShape<S> {
        SliceShape {
            step: slice.step.0,
            target: slice.target,
            class: slice.kind.spec().code,
            pass: slice.pass,
            started_seconds: slice.started_seconds,
            window_ns: slice.window_ns,
            samples: samples.iter().map(S::from).collect(),
            warmup: slice.warmup,
            settled: slice.settled,
            void: slice.void.clone(),
            error: slice.error.clone(),
        }
    }
}

impl<S> TryFrom<SliceShape<S>> for Slice
where
    Sample: From<S>,
{
    type Error = String;

    fn try_from(shape: SliceShape<S>) -> Result<Slice, String> {
        let class = shape.class;
        let unknown = || format!("slices of a class of operations that this program does not know ({class})");
        Ok(Slice {
            step: StepId(shape.step),
            target: shape.target,
            kind: OpClass::from_code(class).ok_or_else(unknown)?,
            pass: shape.pass,
            started_seconds: shape.started_seconds,
            window_ns: shape.window_ns,
            samples: shape.samples.into_iter().map(Sample::from).collect(),
            warmup: shape.warmup,
            settled: shape.settled,
            void: shape.void,
            error: shape.error,
            effort: None,
        })
    }
}

impl From<&Sample> for SampleV1 {
    fn from(sample: &Sample) -> SampleV1 {
        SampleV1 {
            window: sample.window,
            span_ns: sample.span_ns,
            ops: sample.ops,
            bytes: sample.bytes,
            errors: sample.errors,
            service: SparseV1::from(&sample.service),
            response: sample.response.as_ref().map(SparseV1::from),
        }
    }
}

impl From<SampleV1> for Sample {
    fn from(shape: SampleV1) -> Sample {
        Sample {
            window: shape.window,
            span_ns: shape.span_ns,
            ops: shape.ops,
            bytes: shape.bytes,
            errors: shape.errors,
            service: Sparse::from(shape.service),
            response: shape.response.map(Sparse::from),
            late: None,
            first_byte: None,
        }
    }
}

impl From<&Sample> for SampleV2 {
    fn from(sample: &Sample) -> SampleV2 {
        SampleV2 { sample: SampleV1::from(sample), late: sample.late.as_ref().map(SparseV1::from) }
    }
}

impl From<SampleV2> for Sample {
    fn from(shape: SampleV2) -> Sample {
        Sample { late: shape.late.map(Sparse::from), ..Sample::from(shape.sample) }
    }
}

impl From<&Sample> for SampleV3 {
    fn from(sample: &Sample) -> SampleV3 {
        SampleV3 { sample: SampleV2::from(sample), first_byte: sample.first_byte.as_ref().map(SparseV1::from) }
    }
}

impl From<SampleV3> for Sample {
    fn from(shape: SampleV3) -> Sample {
        Sample { first_byte: shape.first_byte.map(Sparse::from), ..Sample::from(shape.sample) }
    }
}

impl From<&Sparse> for SparseV1 {
    fn from(sparse: &Sparse) -> SparseV1 {
        let gaps = Gaps(sparse.buckets.clone());
        SparseV1 { gaps, sum_ns: sparse.sum_ns, count: sparse.count, max_ns: sparse.max_ns }
    }
}

impl From<SparseV1> for Sparse {
    fn from(shape: SparseV1) -> Sparse {
        Sparse { buckets: shape.gaps.0, sum_ns: shape.sum_ns, count: shape.count, max_ns: shape.max_ns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::testing;

    #[test]
    fn many_slices_are_parted_and_none_is_a_part_too() {
        let slice = |target: u32, samples: usize| Slice {
            target: Some(target),
            ..testing::slice(StepId(1), 1, 1, vec![Sample::default(); samples])
        };
        let none = Sent::default();
        let lengths = |slices: &[Slice]| parts(slices, &none).map(<[Slice]>::len).collect::<Vec<_>>();
        let many: Vec<Slice> = (0..250).map(|target| slice(target, 200)).collect();
        assert_eq!(lengths(&many), [100, 100, 50]);
        assert_eq!(
            parts(&many, &none).flatten().map(|slice| slice.target).collect::<Vec<_>>(),
            (0..250).map(Some).collect::<Vec<_>>()
        );
        assert_eq!(lengths(&[slice(0, SAMPLES * 2), slice(1, 3)]), [1, 1]);
        assert_eq!((lengths(&[]), lengths(&[slice(0, 0)])), (vec![0], vec![1]));
    }

    #[test]
    fn every_class_of_operations_comes_back_and_an_unknown_one_is_an_error() {
        let none = Sent::default();
        for class in OpClass::all() {
            let slice = Slice { kind: class, ..testing::slice(StepId(1), 1, 1, vec![Sample::default()]) };
            let blob = encode(std::slice::from_ref(&slice), &none).unwrap();
            assert_eq!(decode(&blob, &mut Windows::default()), Ok(vec![slice]));
        }
        let mut shape = SliceV3::<SampleV3>::of(&testing::slice(StepId(1), 1, 1, Vec::new()), &[]);
        shape.slice.class = 250;
        let blob = postcard::to_extend(&vec![shape], vec![FORMAT]).unwrap();
        assert!(decode(&blob, &mut Windows::default()).unwrap_err().contains("does not know (250)"));
    }

    #[test]
    fn slices_of_the_earlier_formats_are_read_for_ever() {
        let sparse = Sparse { buckets: [(7, 3), (900, 1)].into_iter().collect(), sum_ns: 5000, count: 4, max_ns: 4000 };
        let sample = Sample { window: 2, span_ns: 100, ops: 4, service: sparse.clone(), ..Sample::default() };
        let slice = Slice {
            target: Some(1),
            kind: OpClass::Write,
            started_seconds: 1.5,
            warmup: 1,
            error: Some("once".into()),
            ..testing::slice(StepId(3), 2, 100, vec![Sample { response: Some(sparse), ..sample }])
        };
        let shapes: Vec<SliceShape<SampleV1>> = vec![SliceShape::of(&slice, &slice.samples)];
        let blob = postcard::to_extend(&shapes, vec![FORMAT_1]).unwrap();
        assert_eq!(decode(&blob, &mut Windows::default()), Ok(vec![slice.clone()]));
        let shapes: Vec<SliceShape<SampleV2>> = vec![SliceShape::of(&slice, &slice.samples)];
        let blob = postcard::to_extend(&shapes, vec![FORMAT_2]).unwrap();
        assert_eq!(decode(&blob, &mut Windows::default()), Ok(vec![slice.clone()]));
        let effort = Effort { seconds: 2.0, cpu_seconds: 0.5, queued_seconds: 0.25, operations: 7, operation_ns: 59.5 };
        let kept = Slice { effort: Some(effort), ..slice };
        let blob = postcard::to_extend(&vec![SliceV3::<SampleV2>::of(&kept, &kept.samples)], vec![FORMAT_3]).unwrap();
        assert_eq!(decode(&blob, &mut Windows::default()), Ok(vec![kept.clone()]));
        let first_byte = kept.samples[0].response.clone();
        let seen = Slice { samples: vec![Sample { first_byte, ..kept.samples[0].clone() }], ..kept };
        let blob = encode(std::slice::from_ref(&seen), &Sent::default()).unwrap();
        assert_eq!(decode(&blob, &mut Windows::default()), Ok(vec![seen]));
    }
}
