//! Has anybody else changed meanwhile what a run sets for its sides? Then slices before and after that are of different clusters.

use cluster::option_values;
use model::change::who_and_name;
use model::host_setting::{host_and_name, same_value};
use model::{Change, Failure, HostChange, Undo, secrets};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// By option, what was there before the run set it first; `None`: nothing was set.
#[derive(Default)]
pub struct Untouched(RefCell<BTreeMap<String, Option<String>>>);

impl Untouched {
    /// Before each time it is set. `before`: what is there now.
    ///
    /// # Errors
    /// It is not what was there the first time.
    pub fn prove(&self, option: &str, before: Option<&str>) -> Result<(), Failure> {
        let mut all = self.0.borrow_mut();
        let first = all.entry(option.to_string()).or_insert_with(|| before.map(str::to_string)).as_deref();
        let is_same = match (first, before) {
            (Some(first), Some(now)) => same(option, first, now),
            (first, now) => first == now,
        };
        let name = who_and_name(option).1;
        let word = |value: Option<&str>| value.map_or("not set".to_string(), |value| secrets::value(name, value));
        match is_same {
            true => Ok(()),
            false => Err(changed(
                option,
                &format!("before the run set it first it was {}, and now {}", word(first), word(before)),
            )),
        }
    }
}

/// After a side was undone.
///
/// # Errors
/// It was left as it is, since it was not any more what the run had set.
pub fn prove_undone(option: &str, undo: Option<&Undo>) -> Result<(), Failure> {
    let Some(Undo { change, before, left: Some(left), .. }) = undo else { return Ok(()) };
    let set = match change {
        Change::Option { value, .. } | Change::OnHost { what: HostChange::Setting { value, .. }, .. } => value,
        _ => return Ok(()),
    };
    // What the run set was there before: nothing had to be undone.
    if before.as_ref().is_some_and(|before| same(option, before, set)) {
        return Ok(());
    }
    Err(changed(option, left))
}

fn same(option: &str, a: &str, b: &str) -> bool {
    if host_and_name(option).is_some() { same_value(a, b) } else { option_values::same(a, b) }
}

fn changed(option: &str, how: &str) -> Failure {
    Failure::Failed(format!(
        "{option} was changed by somebody else while the run tried it ({how}): what is measured from now on can not be compared with what was \
         measured before; run again when nobody changes it"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_that_is_not_what_it_was_before_the_first_slice_is_told() {
        let seen = Untouched::default();
        let prove = |before| seen.prove("osd/osd_max_backfills", before);
        assert!(prove(None).is_ok() && prove(None).is_ok());
        let why = prove(Some("7")).unwrap_err().to_string();
        assert!(why.contains("it was not set, and now 7"), "{why}");
        assert!(prove(None).is_ok() && seen.prove("osd/other", Some("7")).is_ok());
        assert!(seen.prove("osd/other", Some("7")).is_ok() && seen.prove("osd/other", Some("8")).is_err());
        let rmem = |value| seen.prove("host:a/sysctl.net.ipv4.tcp_rmem", Some(value));
        assert!(rmem("4096 131072").is_ok() && rmem("4096\t131072").is_ok() && rmem("4096 1").is_err());
    }

    #[test]
    fn what_is_left_since_somebody_else_set_it_is_told_and_what_was_so_before_is_not() {
        let undo = |before: Option<&str>, left: Option<&str>| {
            let (before, left) = (before.map(str::to_string), left.map(str::to_string));
            let undo = Undo { change: Change::option("osd/x", "4"), before, undone: true, left };
            prove_undone("osd/x", Some(&undo))
        };
        assert!(undo(Some("1"), None).is_ok() && undo(None, None).is_ok() && prove_undone("osd/x", None).is_ok());
        let why = undo(Some("1"), Some("it is 9 now, which the run did not set")).unwrap_err().to_string();
        assert!(why.contains("osd/x was changed by somebody else") && why.contains("it is 9 now"), "{why}");
        assert!(undo(Some("4"), Some("it is as it was before the run already")).is_ok());
    }
}
