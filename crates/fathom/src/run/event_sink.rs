//! Everything that a run tells goes through here: into the record, the archive, and then to whoever looks on.

use crate::cli::Common;
use archive::Archive;
use model::{Clock, Event, Failure, Nanos, Record, RunHead, Subscriber};
use report::progress::Progress;
use std::path::{Path, PathBuf};
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
    /// The archive first: it is written before anything is shown.
    pub fn open(common: &Common, head: &RunHead, clock: Arc<dyn Clock>) -> Result<EventSink, Failure> {
        let archive: Box<dyn Subscriber> = Box::new(Archive::open(&path_of(common))?.writer());
        let record = Record { head: head.clone(), ..Record::default() };
        Ok(EventSink { record, subscribers: vec![archive, progress(common)], started: clock.now(), clock, before: 0.0 })
    }

    /// A run that nobody looks on, and that is kept.
    pub fn kept_in(archive: &Path, head: &RunHead, clock: Arc<dyn Clock>) -> Result<EventSink, Failure> {
        let archive: Box<dyn Subscriber> = Box::new(Archive::open(archive)?.writer());
        let record = Record { head: head.clone(), ..Record::default() };
        Ok(EventSink { record, subscribers: vec![archive], ..EventSink::silent(clock) })
    }

    /// Goes on with a run that is in the archive.
    pub fn again(common: &Common, record: Record, clock: Arc<dyn Clock>) -> Result<EventSink, Failure> {
        let archive: Box<dyn Subscriber> = Box::new(Archive::open(&path_of(common))?.writer_of(&record.head.run)?);
        let before = record.seconds;
        Ok(EventSink { record, subscribers: vec![archive, progress(common)], started: clock.now(), clock, before })
    }

    /// Another subscriber that is told from now on.
    pub fn also(&mut self, subscriber: Box<dyn Subscriber>) {
        self.subscribers.push(subscriber);
    }

    /// Something that is shown while it goes on, and kept nowhere.
    pub fn shown(common: &Common, clock: Arc<dyn Clock>) -> EventSink {
        let progress: Box<dyn Subscriber> = Box::new(Progress::stderr(common.quiet, crate::commands::progress_style()));
        EventSink { subscribers: vec![progress], ..EventSink::silent(clock) }
    }

    /// A run that nobody looks on, and that is kept nowhere.
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

fn path_of(common: &Common) -> PathBuf {
    common.archive.clone().unwrap_or_else(archive::default_path)
}

fn progress(common: &Common) -> Box<dyn Subscriber> {
    Box::new(Progress::stderr(common.quiet, crate::commands::progress_style()))
}
