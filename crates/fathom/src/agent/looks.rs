//! What a path of this host is, and whether it may be loaded.

use cluster::devices::{Refusal, look_at, prove_free};
use model::{Found, NotFree, SiteWish};

/// Nothing is changed.
pub fn look(wish: &SiteWish) -> Result<Found, NotFree> {
    let found = look_at(&wish.path).map_err(refused)?;
    if wish.writes {
        prove_free(&wish.path, wish.given_up).map_err(refused)?;
    }
    Ok(found)
}

fn refused(refusal: Refusal) -> NotFree {
    NotFree { says: refusal.to_string(), holds: matches!(refusal, Refusal::Holds { .. }) }
}
