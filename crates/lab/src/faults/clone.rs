//! `clone`: an image whose first writes copy from its parent.

use super::changes::{Change, OwnImage, OwnPool};
use super::target::TargetKind;
use super::{Asked, Fault, Value};
use crate::errors::LabError;

pub static FAULT: Fault = Fault {
    name: "clone",
    what: "There is an image, fault.clone/image, whose parent holds this much data: the first write to each object copies 4 MiB.",
    target: TargetKind::Nothing,
    value: Some(Value { default: "64", unit: "MiB" }),
    plan,
};

fn plan(asked: &Asked) -> Result<Vec<Change>, LabError> {
    let bytes = (asked.number(4.0..=65_536.0)?.round() as u64) << 20;
    asked.need_rbd()?;
    let pool = OwnPool::new(asked.fault.name, 32);
    let parent = Some("parent".to_owned());
    let image = OwnImage { pool: pool.name.clone(), image: "image".to_owned(), bytes, parent };
    Ok(vec![Change::OwnPool(pool), Change::OwnImage(image)])
}
