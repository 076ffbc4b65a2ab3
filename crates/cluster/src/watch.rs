//! Watching a cluster while it is loaded: which OSDs are up, whether pools get full, whether operations get stuck.

use crate::admin::Cluster;
use crate::pg_states;
use model::PgStates;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

const LOOK_EVERY: Duration = Duration::from_secs(1);

/// What the last look showed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    pub down: BTreeSet<u32>,
    /// A pool, or the cluster, is nearly full: nothing more may be written.
    pub full: Option<String>,
    /// OSDs complain that operations, anybody's, take longer than `osd_op_complaint_time`: in their words.
    pub slow: Option<String>,
    /// Placement groups that are anything but `active+clean`.
    pub pgs: PgStates,
}

/// Looks every second in threads of its own, since a command blocks while monitors, or the manager, are away.
pub struct Watch {
    seen: Arc<Mutex<Seen>>,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Watch {
    pub fn start(cluster: &Cluster) -> Watch {
        let mut watch = Watch { seen: Arc::default(), stop: Arc::default(), threads: Vec::new() };
        watch.look_every_second(cluster, look, |seen, now| *seen = Seen { pgs: std::mem::take(&mut seen.pgs), ..now });
        let states = |cluster: &Cluster| pg_states::look(cluster).ok().map(|(states, _)| states);
        watch.look_every_second(cluster, states, |seen, now| seen.pgs = now);
        watch
    }

    /// What can't be known now, stays as it was: monitors that do not answer are no reason to stop a load that goes on.
    fn look_every_second<T>(
        &mut self,
        cluster: &Cluster,
        look: impl Fn(&Cluster) -> Option<T> + Send + 'static,
        put: impl Fn(&mut Seen, T) + Send + 'static,
    ) {
        let (cluster, seen, stop) = (cluster.clone(), self.seen.clone(), self.stop.clone());
        let take = move || {
            if let (Some(now), Ok(mut seen)) = (look(&cluster), seen.lock()) {
                put(&mut seen, now);
            }
        };
        take();
        self.threads.push(std::thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                std::thread::park_timeout(LOOK_EVERY);
                take();
            }
        }));
    }

    pub fn seen(&self) -> Seen {
        self.seen.lock().map(|seen| seen.clone()).unwrap_or_default()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.threads.iter().for_each(|thread| thread.thread().unpark());
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

fn look(cluster: &Cluster) -> Option<Seen> {
    let dump = cluster.ask(json!({"prefix": "osd dump"})).ok()?;
    let down = dump.get("osds")?.as_array()?.iter().filter(|osd| osd.get("up") == Some(&json!(0)));
    let down = down.filter_map(|osd| osd.get("osd")?.as_u64()).map(|id| id as u32).collect();
    let full = dump.get("pools")?.as_array()?.iter().find_map(full_pool);
    let health = cluster.ask(json!({"prefix": "health"})).ok()?;
    Some(Seen { down, full, slow: slow_operations(&health), ..Seen::default() })
}

/// Monitors may have slow operations, too: they serve no I/O.
fn slow_operations(health: &Value) -> Option<String> {
    let says = health.get("checks")?.get("SLOW_OPS")?.get("summary")?.get("message")?.as_str()?;
    says.contains("osd.").then(|| says.to_owned())
}

fn full_pool(pool: &Value) -> Option<String> {
    let flags = pool.get("flags_names")?.as_str()?;
    let full = flags.split(',').any(|flag| matches!(flag, "full" | "nearfull" | "backfillfull"));
    full.then(|| format!("pool {} is nearly full", pool.get("pool_name").and_then(Value::as_str).unwrap_or("?")))
}
