//! An image as a span of bytes, read and written in slots.

use crate::api::EngineError;
use crate::rados::{Slots, broken, hopeless_anywhere};
use ceph::{Finished, Image, ImageIo};
use std::ops::Range;
use std::time::Duration;

pub struct ImageSlots {
    io: ImageIo,
    image: Image,
}

impl ImageSlots {
    pub fn new(image: Image, slots: u32, bytes: usize) -> Result<ImageSlots, EngineError> {
        let io = image.io(slots, bytes).map_err(broken)?;
        Ok(ImageSlots { io, image })
    }
}

impl Slots for ImageSlots {
    fn in_flight(&self) -> u32 {
        self.io.in_flight()
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.io.buffer(slot)
    }

    #[inline]
    fn read(&mut self, slot: u32, offset: u64, into: Range<usize>) -> Result<(), i32> {
        self.io.read(slot, offset, into)
    }

    #[inline]
    fn write(&mut self, slot: u32, offset: u64, from: Range<usize>) -> Result<(), i32> {
        self.io.write(slot, offset, from)
    }

    fn wait(&mut self, timeout: Duration, finished: &mut Vec<Finished>) {
        self.io.wait(timeout, finished);
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
