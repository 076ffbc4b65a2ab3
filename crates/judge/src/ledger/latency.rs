//! Latency is a sum of stages on one path: what each layer adds to those below it.
//!
//! client write = round trip + OSD software + the slowest of the copies' commits; client read = round trip + OSD software +
//! the primary's read (`docs/method.md`, "The ledger").

use super::link::passed;
use super::{ASKED_LEAST, Books, less, not_known, scaled};
use crate::redundancy::{Redundancy, redundancy};
use crate::words::{count, number, percent};
use model::{Durability, Estimate, Layer, LedgerRow, Pattern, Sparse};
use std::collections::BTreeMap;

/// OSD software on a read, ms: 4,500 reads/s of one OSD on a local NVMe disk, less 0.10 of the disk and 0.02 of loopback.
const OSD_READ_MS: f64 = 0.10;

const TRIP_IN_HERE: &str =
    "network not measured: the round trip is in here, and how long it takes is not known, so there is no model";

pub fn rows(books: &Books, pattern: Pattern) -> Vec<LedgerRow> {
    let measured = |layer: Layer| books.cell(layer, pattern).map(|value| (layer, value));
    let top = Layer::ALL.into_iter().rev().filter(|layer| layer.of_ceph()).find_map(measured);
    let Some(top) = top else { return Vec::new() };
    let mut path = Path { books, pattern, top, local: None, trip: None, whole: None, notes: Vec::new() };
    Layer::ALL.into_iter().filter_map(|layer| path.climb(layer)).collect()
}

/// What lies below the layer that comes next.
struct Path<'p, 'b, 'a> {
    books: &'p Books<'b, 'a>,
    pattern: Pattern,
    top: (Layer, Estimate),
    /// What happens on the OSD's host: its disk, or its store.
    local: Option<(Layer, Estimate)>,
    trip: Option<Estimate>,
    /// The topmost layer so far that holds all below it.
    whole: Option<(Layer, Estimate)>,
    /// What is missing below and therefore inside the next row.
    notes: Vec<String>,
}

struct Model {
    expected: f64,
    because: String,
}

impl Path<'_, '_, '_> {
    fn climb(&mut self, layer: Layer) -> Option<LedgerRow> {
        // It lies beside the stack, and has a table of its own.
        if layer == Layer::Floor {
            return None;
        }
        let Some(value) = self.value(layer) else {
            self.miss(layer);
            return None;
        };
        match layer {
            Layer::Device => {
                let Some((value, words)) = self.disk(value) else { return self.cached(value) };
                let row = self.bottom(layer, value, format!("the disk itself, one operation at a time{words}"));
                self.local = Some((layer, value));
                Some(row)
            }
            Layer::Network => {
                let loaded = self.books.figures(self.top.0, self.pattern);
                let link = passed(self.books, &loaded, self.pattern)?;
                self.trip = Some(link.value);
                let of = link.of.map_or(String::new(), |of| format!(", the mean {of}"));
                Some(self.bottom(layer, link.value, format!("{}{of}", round_trip_words(self.pattern))))
            }
            Layer::Store if self.local.is_some_and(|(_, disk)| value.high < disk.low) => {
                let took = number(value.value);
                self.notes.push(format!("the store's own bench keeps writes in flight ({took} ms each): no latency"));
                None
            }
            Layer::Store => {
                let below: Vec<(Layer, Estimate)> = self.local.into_iter().collect();
                let model = self.store_model();
                self.local = Some((layer, value));
                Some(self.modelled((layer, value), &below, model))
            }
            Layer::Floor | Layer::Osd | Layer::Rados | Layer::Rbd => {
                let below = self.below();
                // Of the layers that are reached over the network the lowest one holds its round trip.
                let holds_trip = self.whole.is_none() && self.trip.is_none();
                let model = if holds_trip { None } else { self.model(layer) };
                self.notes.extend(holds_trip.then(|| TRIP_IN_HERE.to_string()));
                self.notes.extend(self.books.unlike_below(layer, self.pattern).filter(|_| !self.pattern.writes()));
                self.whole = Some((layer, value));
                Some(LedgerRow { at_least: holds_trip, ..self.modelled((layer, value), &below, model) })
            }
        }
    }

    fn value(&self, layer: Layer) -> Option<Estimate> {
        match layer {
            Layer::Device if self.pattern == Pattern::WriteLatency => self.books.commit().map(|commit| commit.value),
            _ => self.books.cell(layer, self.pattern),
        }
    }

    /// In which of two ways its writes are made durable.
    fn way_words(&self) -> &'static str {
        match self.books.commit().filter(|_| self.pattern.writes()).and_then(|commit| commit.way) {
            Some(Durability::Dsync | Durability::Sync) => ", made durable by O_DSYNC",
            Some(_) => ", made durable by a flush",
            None => "",
        }
    }

    /// Everything below, as one or more parts.
    fn below(&self) -> Vec<(Layer, Estimate)> {
        match self.whole {
            Some(whole) => vec![whole],
            None => self.local.into_iter().chain(self.trip.map(|trip| (Layer::Network, trip))).collect(),
        }
    }

    fn miss(&mut self, layer: Layer) {
        // An OSD's bench command reads nothing, so that is no gap. A round trip is not in a store, which may come next.
        if layer != Layer::Network && (layer != Layer::Store || self.pattern.writes()) {
            let what = match self.books.only_others(layer, self.pattern) {
                true if layer == Layer::Device => "no disk of the pool's OSDs measured",
                true => "measured only where the pool does not lie",
                false => "not measured",
            };
            self.notes.push(format!("{} {what}: its part is in here", layer.name()));
        }
    }

    /// The part of a disk in an operation: of reads, where the OSDs told from where their bytes came, the share for which it was asked.
    /// `None`: it was not, or the OSD read faster than the disk.
    fn disk(&self, disk: Estimate) -> Option<(Estimate, String)> {
        if self.pattern.writes() {
            return Some((disk, self.way_words().to_string()));
        }
        read_part(self.books, disk)
    }

    fn cached(&mut self, disk: Estimate) -> Option<LedgerRow> {
        let known = self.books.asked(self.pattern);
        let known =
            known.map_or(String::new(), |share| format!(" ({} of the bytes came from devices)", percent(share)));
        self.notes.push(format!(
            "read from a cache{known}: the disk alone takes {} ms and isn't in the sum",
            number(disk.value)
        ));
        None
    }

    /// What lies on nothing else.
    fn bottom(&self, layer: Layer, value: Estimate, because: String) -> LedgerRow {
        self.row((layer, value), &[], None, vec![because])
    }

    fn modelled(&mut self, own: (Layer, Estimate), below: &[(Layer, Estimate)], model: Option<Model>) -> LedgerRow {
        let notes = self.notes.drain(..).collect();
        self.row(own, below, model, notes)
    }

    fn row(
        &self,
        (layer, value): (Layer, Estimate),
        below: &[(Layer, Estimate)],
        model: Option<Model>,
        notes: Vec<String>,
    ) -> LedgerRow {
        let parts: Vec<Estimate> = below.iter().map(|(_, part)| *part).collect();
        let adds = if parts.is_empty() { value } else { less(value, &parts) };
        let made_of: BTreeMap<Layer, Estimate> = below.iter().copied().chain([(layer, value), self.top]).collect();
        let unsure = made_of.into_iter().filter(|(_, part)| !part.is_known());
        let mut because: Vec<String> =
            unsure.map(|(layer, _)| not_known(&format!("{} {}", layer.name(), self.pattern.name()))).collect();
        let known = because.is_empty();
        let model = model.filter(|_| known);
        let expected = model.as_ref().map(|model| model.expected);
        because.extend(model.map(|model| model.because));
        because.extend(notes);
        because.extend(self.books.only_below(layer, self.pattern));
        LedgerRow {
            pattern: self.pattern,
            layer,
            adds,
            expected,
            unexplained: expected.map(|expected| adds.value - expected),
            share: known.then_some(adds.value / self.top.1.value),
            ceiling: None,
            at_least: false,
            because: because.join("; "),
        }
    }

    /// BlueStore writes the data, then its journal: a second commit of the same disk.
    fn store_model(&self) -> Option<Model> {
        let (_, disk) = self.local?;
        Some(Model { expected: disk.value, because: "a second commit, for BlueStore's journal".to_string() })
    }

    fn model(&mut self, layer: Layer) -> Option<Model> {
        match layer {
            Layer::Osd if self.pattern.writes() => self.osd_write_model(),
            Layer::Osd => Some(Model {
                expected: OSD_READ_MS,
                because: "messenger and OSD software on a fast CPU, by published figures".to_string(),
            }),
            Layer::Rados => self.rados_model(),
            // What librbd takes of one operation in flight nobody has published; how many a client can do at once says nothing of it.
            _ => {
                self.notes.push("librbd's own time: no model".to_string());
                None
            }
        }
    }

    /// The OSD's software costs a write what it costs a read.
    fn osd_write_model(&self) -> Option<Model> {
        let trip = self.trip.filter(Estimate::is_known)?;
        let software = (self.way()? - trip.value).max(0.0);
        let disk = self.value(Layer::Device).filter(Estimate::is_known);
        match (self.books.cell(Layer::Store, self.pattern), disk) {
            (None, Some(disk)) => Some(Model {
                expected: software + disk.value,
                because: format!(
                    "OSD software as on reads ({} ms) and a second commit for BlueStore's journal ({} ms)",
                    number(software),
                    number(disk.value)
                ),
            }),
            (Some(_), _) => Some(Model {
                expected: software,
                because: format!("OSD software as on reads ({} ms)", number(software)),
            }),
            (None, None) => None,
        }
    }

    /// One way through network and OSD without its disk, ms: what reads show.
    fn way(&self) -> Option<f64> {
        let read = self.books.cell(Layer::Osd, Pattern::ReadLatency).filter(Estimate::is_known)?;
        let disk = self.books.cell(Layer::Device, Pattern::ReadLatency);
        if disk.is_some_and(|disk| !disk.is_known()) {
            return None;
        }
        let disk = disk.and_then(|disk| read_part(self.books, disk));
        Some((read.value - disk.map_or(0.0, |(disk, _)| disk.value)).max(0.0))
    }

    fn rados_model(&mut self) -> Option<Model> {
        // What copies cost does not explain a row that holds an OSD's whole part.
        self.whole?;
        let pool = self.redundancy()?;
        match pool {
            Redundancy { erasure_k: Some(k), .. } if !self.pattern.writes() && k > 1 => {
                self.notes.push(format!(
                    "{}: the primary gathers a stripe's {k} chunks, {} of them from other OSDs, no model",
                    pool.words(),
                    k - 1
                ));
                None
            }
            _ if !self.pattern.writes() => {
                Some(Model { expected: 0.0, because: "a read is the primary OSD's alone".to_string() })
            }
            Redundancy { erasure_k: Some(_), .. } => {
                self.notes.push(format!("{}: a small write reads and writes whole stripes, no model", pool.words()));
                None
            }
            Redundancy { size: 0 | 1, .. } => {
                Some(Model { expected: 0.0, because: "1 replica: nothing to wait for".to_string() })
            }
            _ => self.replication_model(pool),
        }
    }

    /// The primary waits for the slowest of the others, each of which is an OSD's whole way of its own.
    fn replication_model(&self, pool: Redundancy) -> Option<Model> {
        let way = self.way()?;
        let others = pool.size - 1;
        let slowest = self.slowest_of(others)?;
        Some(Model {
            expected: way + slowest,
            because: format!(
                "{}: one more way through network and OSD ({} ms, as on reads), and the slowest of {} ({} ms over the mean)",
                pool.words(),
                number(way),
                count(others as usize, "commit", "commits"),
                number(slowest)
            ),
        })
    }

    /// How much longer than the mean the slowest of `n` writes takes, ms, by the measured distribution of the OSDs.
    fn slowest_of(&self, n: u32) -> Option<f64> {
        let figures = self.books.figures(Layer::Osd, self.pattern);
        let usable = figures.iter().filter(|entry| entry.usable().is_some());
        let samples = usable.flat_map(|entry| &entry.slices).filter(|slice| slice.void.is_none());
        let all = Sparse::merged(samples.flat_map(|slice| slice.counted()).map(|sample| &sample.service));
        mean_of_largest(&all, n).map(|largest| (largest - mean_of_largest(&all, 1).unwrap_or(largest)) / 1e6)
    }

    fn redundancy(&self) -> Option<Redundancy> {
        let figures = self.books.figures(Layer::Rados, self.pattern);
        redundancy(self.books.record, figures.first()?.loads()?)
    }
}

/// As the network engine asks and answers.
fn round_trip_words(pattern: Pattern) -> &'static str {
    match pattern.writes() {
        true => "one round trip: 4 KiB there, a short acknowledgement back",
        false => "one round trip: a short request there, 4 KiB back",
    }
}

/// The disk's part in a read, and what is to be said of it.
fn read_part(books: &Books, disk: Estimate) -> Option<(Estimate, String)> {
    match books.asked(Pattern::ReadLatency) {
        Some(share) if share < ASKED_LEAST => None,
        Some(share) => {
            let words = format!(
                " ({} ms), for {} of the bytes: the others came from memory",
                number(disk.value),
                percent(share)
            );
            Some((scaled(disk, share), if share < 0.995 { words } else { String::new() }))
        }
        None => (!served_from_cache(books, disk)).then(|| (disk, String::new())),
    }
}

fn served_from_cache(books: &Books, disk: Estimate) -> bool {
    let mut upper = Layer::ALL.into_iter().filter(|layer| layer.can().reads_from_osds);
    upper.find_map(|layer| books.cell(layer, Pattern::ReadLatency)).is_some_and(|read| read.high < disk.low)
}

/// Mean of the largest of `n` independent draws, ns: Σ v (F(v)^n − F(v−)^n).
fn mean_of_largest(all: &Sparse, n: u32) -> Option<f64> {
    if all.count == 0 {
        return None;
    }
    let (mut below, mut mean) = (0.0, 0.0);
    for (index, ops) in &all.buckets {
        let (low, high) = Sparse::bucket_range(index);
        let up_to = below + ops as f64 / all.count as f64;
        mean += (low + high) as f64 / 2.0 * (up_to.powi(n as i32) - f64::powi(below, n as i32));
        below = up_to;
    }
    Some(mean)
}
