//! What tests ask a cluster again and again, through librados: each call of Ceph's own program takes a third of a second of a processor.

use ceph::{ClusterAccess, Rados};
use serde_json::{Map, Value};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// A command, what its further words are called, and whether the manager answers it.
type Known = (&'static [&'static str], &'static [&'static str], bool);

const KNOWN: [Known; 12] = [
    (&["osd", "pool", "application", "get"], &["pool"], false),
    (&["osd", "pool", "ls"], &["detail"], false),
    (&["osd", "pool", "stats"], &["pool_name"], true),
    (&["osd", "crush", "dump"], &[], false),
    (&["osd", "dump"], &[], false),
    (&["osd", "stat"], &[], false),
    (&["osd", "tree"], &[], false),
    (&["config", "dump"], &[], false),
    (&["config", "get"], &["who", "key"], false),
    (&["config-key", "ls"], &[], false),
    (&["balancer", "status"], &[], true),
    (&["pg", "ls-by-pool"], &["poolstr"], true),
];

#[derive(Default)]
pub struct Asked(OnceLock<Arc<Rados>>);

impl Asked {
    /// `None`: it is not one of these. What Ceph's own program would print.
    pub fn ask(&self, conf: &str, words: &[&str]) -> Option<String> {
        let (words, format) = match words {
            [own @ .., "--format", format] => (own, Some(*format)),
            own => (own, None),
        };
        let fits =
            |(command, names, _): &&Known| words.starts_with(command) && words.len() <= command.len() + names.len();
        let (command, names, of_manager) = KNOWN.iter().find(fits)?;
        let mut question = Map::new();
        question.insert("prefix".into(), command.join(" ").into());
        let further =
            names.iter().zip(&words[command.len()..]).map(|(name, word)| (name.to_string(), Value::from(*word)));
        question.extend(further);
        question.extend(format.map(|format| ("format".to_string(), format.into())));
        let rados = self.0.get_or_init(|| {
            let conf = Some(Path::new(conf).to_path_buf());
            Arc::new(Rados::connect(&ClusterAccess { conf, ..ClusterAccess::default() }).unwrap())
        });
        let question = Value::from(question);
        let reply = if *of_manager { rados.mgr_command(&question) } else { rados.mon_command(&question) };
        Some(String::from_utf8_lossy(&reply.unwrap_or_else(|error| panic!("{question}: {error}")).out).into_owned())
    }
}
