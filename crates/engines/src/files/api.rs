//! What a file system is asked, one call after the other.

use crate::api::OpError;

/// Is what is told of a file to come from whoever keeps it, or may this client's cache answer?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskedOf {
    Keeper,
    Cache,
}

/// Where in a file that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenTo {
    /// What it holds goes first.
    Nothing,
    End,
}

/// Paths are relative to the run's own folder, or to one in it that was entered.
pub trait FileSystem: Send {
    /// Paths begin in this folder from now on.
    fn enter(&mut self, path: &str) -> Result<(), OpError>;
    fn make_folder(&mut self, path: &str) -> Result<(), OpError>;
    /// Makes a file that is not there, writes the content, closes it. `durable`: synced before it is closed.
    fn create(&mut self, path: &str, content: &[u8], durable: bool) -> Result<(), OpError>;
    /// Opens a file that is there, writes, closes it. `durable`: synced before it is closed.
    fn write(&mut self, path: &str, content: &[u8], to: WrittenTo, durable: bool) -> Result<(), OpError>;
    /// How large it is.
    fn stat(&mut self, path: &str, of: AskedOf) -> Result<u64, OpError>;
    /// Opens, reads as much as `into` holds, closes. How much that was.
    fn read(&mut self, path: &str, into: &mut [u8]) -> Result<usize, OpError>;
    /// How many files of ours there are.
    fn list(&mut self, path: &str) -> Result<u64, OpError>;
    fn rename(&mut self, from: &str, to: &str) -> Result<(), OpError>;
    fn delete(&mut self, path: &str) -> Result<(), OpError>;
    /// What was written so far is with whoever keeps it; nothing waits in memory to be written beside what is measured.
    fn flush(&mut self) -> Result<(), OpError> {
        Ok(())
    }
    /// The connection over which all of it goes is gone: nothing can be asked any more.
    fn is_lost(&self) -> bool {
        false
    }
}
