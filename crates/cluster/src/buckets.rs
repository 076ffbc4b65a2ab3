//! Buckets of our own at a gateway: made, marked, emptied of what is ours, deleted.

use crate::apply::Unmade;
use crate::errors::ClusterError;
use model::{Change, Gateway};
use s3::{Bucket, S3Error, access_to};

fn open(gateway: &Gateway, name: &str) -> Result<Bucket, S3Error> {
    Bucket::of(gateway, name, &access_to(gateway)?)
}

/// Can this bucket be made? Asked before anything is changed. Other changes are not looked at.
///
/// # Errors
/// There are no keys, the gateway does not answer or does not take them, or there is one of this name.
pub fn prove(change: &Change) -> Result<(), ClusterError> {
    let Change::Bucket { gateway, name } = change else { return Ok(()) };
    let failed = |why: String| ClusterError::Make { what: change.what(), why };
    match exists(gateway, name) {
        Ok(false) => Ok(()),
        Ok(true) => Err(failed("there is one of this name already, which is not this run's".to_string())),
        Err(error) => Err(failed(error.to_string())),
    }
}

pub(crate) fn exists(gateway: &Gateway, name: &str) -> Result<bool, S3Error> {
    open(gateway, name)?.exists()
}

/// Its mark is its own name, which has the run's in it.
pub(crate) fn make(gateway: &Gateway, name: &str) -> Result<(), S3Error> {
    open(gateway, name)?.create(name)
}

/// Deletes the objects whose names begin with `prefix`, the mark, and the bucket, if nothing else is in it.
pub(crate) fn unmake(gateway: &Gateway, name: &str, prefix: &str) -> Result<Unmade, S3Error> {
    let mut bucket = open(gateway, name)?;
    if !bucket.exists()? {
        return Ok(Unmade::Undone);
    }
    let marked = bucket.mark()?;
    // Killed before it was marked: then there is nothing in it.
    if marked.as_deref() != Some(name) && !(marked.is_none() && bucket.names("")?.is_empty()) {
        return Ok(Unmade::Left("it does not bear the mark of this run".to_string()));
    }
    loop {
        // Until none is found: what a killed run had under way may have come after the first look.
        let names = bucket.names(prefix)?;
        if !names.is_empty() {
            bucket.delete(&names)?;
            continue;
        }
        bucket.delete(&[s3::MARK.to_string()])?;
        if bucket.remove()? {
            return Ok(Unmade::Undone);
        }
        let others = bucket.names("")?;
        if others.iter().all(|other| other.starts_with(prefix)) {
            continue;
        }
        let first = others.iter().find(|other| !other.starts_with(prefix)).map_or("", String::as_str);
        return Ok(Unmade::Left(format!(
            "it holds objects that are not Fathom's ({first}): whoever put them there deletes them, and it"
        )));
    }
}
