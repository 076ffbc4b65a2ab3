//! Everything that a run tells goes through here: into the record, the archive, and then to whoever looks on.

use archive::Archive;
use model::{Clock, Event, Failure, Nanos, Record, RunHead, Subscriber};
use std::path::Path;
use std::sync::Arc;

pub struct EventSink {
    record: Record,
    subscribers: Vec<Box<dyn Subscriber>>,
    clock: Arc<dyn Clock>,
    started: Nanos,
    /// Seconds that the run had lasted when it was taken up again; the time in which it lay still does not count.
    before: f64,
}

impl EventSink {
    /// A run that is kept in this archive, and told to these as well. The archive first: it is written before anything is shown.
    pub fn open(
        archive: &Path,
        head: &RunHead,
        clock: Arc<dyn Clock>,
        others: Vec<Box<dyn Subscriber>>,
    ) -> Result<EventSink, Failure> {
        let archive: Box<dyn Subscriber> = Box::new(Archive::open(archive)?.writer());
        let record = Record { head: head.clone(), ..Record::default() };
        let subscribers = std::iter::once(archive).chain(others).collect();
        Ok(EventSink { record, subscribers, ..EventSink::silent(clock) })
    }

    /// Goes on with a run that is in the archive.
    pub fn again(
        archive: &Path,
        record: Record,
        clock: Arc<dyn Clock>,
        others: Vec<Box<dyn Subscriber>>,
    ) -> Result<EventSink, Failure> {
        let archive: Box<dyn Subscriber> = Box::new(Archive::open(archive)?.writer_of(&record.head.run)?);
        let before = record.seconds;
        let subscribers = std::iter::once(archive).chain(others).collect();
        Ok(EventSink { record, subscribers, before, ..EventSink::silent(clock) })
    }

    /// Something that is shown while it goes on, and kept nowhere.
    pub fn shown(subscriber: Box<dyn Subscriber>, clock: Arc<dyn Clock>) -> EventSink {
        EventSink { subscribers: vec![subscriber], ..EventSink::silent(clock) }
    }

    /// A run without progress output that is not stored.
    pub fn silent(clock: Arc<dyn Clock>) -> EventSink {
        EventSink { record: Record::default(), subscribers: Vec::new(), started: clock.now(), clock, before: 0.0 }
    }

    pub fn tell(&mut self, event: Event) -> Result<(), Failure> {
        let told = self.subscribers.iter_mut().try_for_each(|subscriber| subscriber.take(&event));
        self.record.take(event);
        self.record.seconds = self.seconds();
        told.map_err(|error| Failure::Failed(error.to_string()))
    }

    /// Since the run's start.
    pub fn seconds(&self) -> f64 {
        self.before + (self.clock.now() - self.started) as f64 / model::clock::SECOND as f64
    }

    /// The run's start, by the run's clock.
    pub fn started(&self) -> Nanos {
        self.started
    }

    pub fn record(&self) -> &Record {
        &self.record
    }

    pub fn into_record(self) -> Record {
        self.record
    }
}
