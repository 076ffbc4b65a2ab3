//! What a path of this host is, and whether it may be loaded.

use crate::holding::{Held, named_twice};
use cluster::devices::{Refusal, buffered, look_at};
use model::{Found, NotFree, SiteWish};
use std::path::PathBuf;

/// What was asked for so far, and what of it is held.
#[derive(Default)]
pub struct Looks {
    paths: Vec<PathBuf>,
    pub held: Held,
}

impl Looks {
    /// Nothing is changed; what may be written to is held from now on.
    ///
    /// # Errors
    /// It can't be used, or may not be written to.
    pub fn look(&mut self, wish: &SiteWish) -> Result<Found, NotFree> {
        let found = look_at(&wish.path).map_err(refused)?;
        if !self.paths.contains(&wish.path) {
            self.paths.push(wish.path.clone());
            let there = if wish.path.exists() { Some(wish.path.as_path()) } else { wish.path.parent() };
            self.held.note(there.map(buffered).unwrap_or_default());
        }
        if let Some(says) = named_twice(&self.paths) {
            return Err(NotFree { says, holds: false });
        }
        if wish.writes {
            self.held.take(&wish.path, wish.given_up).map_err(refused)?;
        }
        Ok(found)
    }
}

fn refused(refusal: Refusal) -> NotFree {
    NotFree { says: refusal.to_string(), holds: matches!(refusal, Refusal::Holds { .. }) }
}
