//! An image as a span of bytes, read and written in slots.

use super::flushes::Flushes;
use crate::api::EngineError;
use crate::rados::{Slots, broken, hopeless_anywhere};
use ceph::{Finished, Image, ImageIo};
use std::ops::Range;
use std::time::Duration;

pub struct ImageSlots {
    io: ImageIo,
    image: Image,
    /// Where in the image the span begins.
    base: u64,
    /// `None`: what the library says has ended has.
    flushes: Option<Flushes>,
    /// Kept, so that no call needs memory.
    ended: Vec<Finished>,
}

/// How long the flush may take after which librbd's cache answers writes.
const FIRST_FLUSH: Duration = Duration::from_secs(30);

impl ImageSlots {
    pub fn new(image: Image, base: u64, slots: u32, bytes: usize) -> Result<ImageSlots, EngineError> {
        let io = image.io(slots, bytes).map_err(broken)?;
        Ok(ImageSlots { io, image, base, flushes: None, ended: Vec::new() })
    }

    /// Writes end when they are flushed. Until the first flush librbd lets them through, since who never flushes may not know of caches: that
    /// one is done here.
    ///
    /// # Errors
    /// It is refused, or takes too long.
    pub fn flushed(image: Image, base: u64, slots: u32, bytes: usize) -> Result<ImageSlots, EngineError> {
        let mut io = image.io(slots + 1, bytes).map_err(broken)?;
        let flushes = Flushes::of(slots);
        let failed = |why: &str| {
            EngineError::Broken(format!("image {}/{} cannot be flushed: {why}", image.pool(), image.name()))
        };
        let in_words = |errno: i32| failed(&std::io::Error::from_raw_os_error(errno).to_string());
        let mut ended = Vec::with_capacity(slots as usize + 1);
        io.flush(flushes.slot()).map_err(in_words)?;
        io.wait(FIRST_FLUSH, &mut ended);
        match ended.pop() {
            Some(Finished { result: 0.., .. }) => Ok(ImageSlots { io, image, base, flushes: Some(flushes), ended }),
            Some(Finished { result, .. }) => Err(in_words(result.saturating_neg() as i32)),
            None => Err(failed("no answer within 30 s")),
        }
    }
}

impl Slots for ImageSlots {
    fn in_flight(&self) -> u32 {
        self.io.in_flight() + self.flushes.as_ref().map_or(0, Flushes::open)
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.io.buffer(slot)
    }

    #[inline]
    fn read(&mut self, slot: u32, offset: u64, into: Range<usize>) -> Result<(), i32> {
        self.flushes.as_mut().into_iter().for_each(|flushes| flushes.begin(slot, false));
        self.io.read(slot, self.base + offset, into)
    }

    #[inline]
    fn write(&mut self, slot: u32, offset: u64, from: Range<usize>) -> Result<(), i32> {
        self.flushes.as_mut().into_iter().for_each(|flushes| flushes.begin(slot, true));
        self.io.write(slot, self.base + offset, from)
    }

    fn wait(&mut self, timeout: Duration, finished: &mut Vec<Finished>) {
        let Some(flushes) = &mut self.flushes else { return self.io.wait(timeout, finished) };
        self.ended.clear();
        self.io.wait(timeout, &mut self.ended);
        flushes.sort(&self.ended, finished);
        flushes.go_on(&mut self.io, finished);
    }

    fn place(&self) -> String {
        format!("image {}/{}", self.image.pool(), self.image.name())
    }

    fn hopeless(&self, errno: i32) -> Option<String> {
        match errno {
            libc::EROFS => Some(format!("{} is locked by another client and cannot be written", self.place())),
            errno => hopeless_anywhere(errno, self.image.user(), self.image.pool()),
        }
    }
}
