//! The `store` engine: one OSD's object store, through the OSD's own bench command; no network, no replication.

mod bench;
mod session;

use crate::api::{Context, Engine, EngineError, Session};
use crate::rados::connection;
use crate::verify;
use model::{Bytes, Place, Target, Workload};

/// The largest block that the OSD takes, unless `osd_bench_max_block_size` says otherwise.
const BLOCK_MAX: Bytes = 64 << 20;

pub struct StoreEngine;

impl Engine for StoreEngine {
    fn name(&self) -> &'static str {
        "osd-bench"
    }

    fn refuse(&self, target: &Target, workload: &Workload) -> Option<String> {
        if let Err(why) = osd_of(target) {
            return Some(why);
        }
        if let Some(why) = verify::refusal(self, workload, true) {
            return Some(why);
        }
        if workload.reads() {
            return Some("an OSD's bench command only writes; measure reads on the osd layer".into());
        }
        if workload.jobs > 1 {
            return Some("an OSD runs one bench command at a time; choose one job".into());
        }
        if workload.block == 0 || workload.block > BLOCK_MAX {
            return Some(format!(
                "an OSD's bench command writes blocks of 1 byte to 64 MiB, not {}; choose another block size",
                workload.block
            ));
        }
        None
    }

    fn times_itself(&self) -> bool {
        true
    }

    fn unverifiable(&self) -> Option<&'static str> {
        Some("an OSD's bench command makes up its own data, so there is nothing to verify; leave the layer out")
    }

    fn open(
        &self,
        context: &Context,
        target: &Target,
        workload: &Workload,
        _lane: u32,
    ) -> Result<Box<dyn Session>, EngineError> {
        let osd = osd_of(target).map_err(EngineError::Refused)?;
        Ok(Box::new(session::StoreSession::open(connection(context)?.clone(), osd, workload)?))
    }
}

fn osd_of(target: &Target) -> Result<u32, String> {
    match target.place {
        Place::Store { osd } => Ok(osd),
        _ => Err(format!("{} is no OSD: the store layer works on one OSD's object store", target.name)),
    }
}
