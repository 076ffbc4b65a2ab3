//! Everything that a run tells goes through here: into the record, the archive, and then to whoever looks on.

use crate::cli::Common;
use crate::failure::Failure;
use archive::Archive;
use faces::progress::Progress;
use model::{Clock, Event, Face, Nanos, Record, RunHead};
use std::sync::Arc;

pub struct Telling {
    record: Record,
    faces: Vec<Box<dyn Face>>,
    clock: Arc<dyn Clock>,
    started: Nanos,
}

impl Telling {
    /// The archive first: it is written before anything is shown.
    pub fn open(common: &Common, head: &RunHead, clock: Arc<dyn Clock>) -> Result<Telling, Failure> {
        let path = common.archive.clone().unwrap_or_else(archive::default_path);
        let archive: Box<dyn Face> = Box::new(Archive::open(&path)?.writer());
        let progress: Box<dyn Face> = Box::new(Progress::stderr(common.quiet, crate::commands::progress_style()));
        Ok(Telling {
            record: Record { head: head.clone(), ..Record::default() },
            faces: vec![archive, progress],
            started: clock.now(),
            clock,
        })
    }

    /// Another face that is told from now on.
    pub fn also(&mut self, face: Box<dyn Face>) {
        self.faces.push(face);
    }

    /// Something that is shown while it goes on, and kept nowhere.
    pub fn shown(common: &Common, clock: Arc<dyn Clock>) -> Telling {
        let progress: Box<dyn Face> = Box::new(Progress::stderr(common.quiet, crate::commands::progress_style()));
        Telling { faces: vec![progress], ..Telling::silent(clock) }
    }

    /// A run that nobody looks on, and that is kept nowhere.
    pub fn silent(clock: Arc<dyn Clock>) -> Telling {
        Telling { record: Record::default(), faces: Vec::new(), started: clock.now(), clock }
    }

    pub fn tell(&mut self, event: Event) -> Result<(), Failure> {
        self.record.apply(&event);
        self.record.seconds = self.seconds();
        for face in &mut self.faces {
            face.take(&event).map_err(|error| Failure::Failed(error.to_string()))?;
        }
        Ok(())
    }

    /// Since the run's start.
    pub fn seconds(&self) -> f64 {
        (self.clock.now() - self.started) as f64 / model::clock::SECOND as f64
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
