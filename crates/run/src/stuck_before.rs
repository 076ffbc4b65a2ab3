//! Operations that were stuck before the run are no sign of what it does; more of them, or on other OSDs, are.

use std::cell::RefCell;
use std::collections::BTreeSet;

/// Operations of others that wait for the same thing become more as well, but not so many.
const TIMES: u64 = 2;
const MORE: u64 = 4;

/// What the cluster said of stuck operations when the run began; `None`: there were none, or they are done.
pub struct StuckBefore(RefCell<Option<String>>);

impl StuckBefore {
    pub fn of(slow: Option<String>) -> StuckBefore {
        StuckBefore(RefCell::new(slow))
    }

    /// What the cluster says now, if that is not as it was before the run.
    pub fn news(&self, now: Option<String>) -> Option<String> {
        let mut first = self.0.borrow_mut();
        let Some(now) = now else {
            *first = None;
            return None;
        };
        let is_news = first.as_ref().is_none_or(|first| is_worse(first, &now));
        is_news.then_some(now)
    }
}

/// `4 slow ops, oldest one blocked for 33 sec, daemons [osd.0,osd.2] have slow ops.` Of more than ten daemons it names ten.
fn is_worse(first: &str, now: &str) -> bool {
    let names_all = |says: &str| !says.contains("...");
    let others = names_all(first) && !(names_all(now) && osds(now).is_subset(&osds(first)));
    others || operations(now) > TIMES * operations(first) + MORE
}

fn operations(says: &str) -> u64 {
    says.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn osds(says: &str) -> BTreeSet<u32> {
    let number = |rest: &str| rest.split(|c: char| !c.is_ascii_digit()).next().and_then(|number| number.parse().ok());
    says.split("osd.").skip(1).filter_map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(operations: u32, seconds: u32, whose: &str) -> Option<String> {
        Some(format!("{operations} slow ops, oldest one blocked for {seconds} sec, {whose}"))
    }

    #[test]
    fn what_is_stuck_as_before_hides_nothing_that_the_run_does() {
        let one = "osd.3 has slow ops";
        let before = StuckBefore::of(says(2, 400, one));
        assert_eq!(before.news(says(2, 401, one)), None);
        assert_eq!(before.news(says(5, 410, one)), None, "others wait for the same");
        assert!(before.news(says(9, 420, one)).is_some(), "many more");
        let two = "daemons [osd.3,osd.12] have slow ops.";
        assert!(before.news(says(3, 430, two)).is_some(), "another OSD");
        assert_eq!(before.news(says(2, 440, one)), None, "as at first again");
        assert_eq!(before.news(None), None);
        assert!(before.news(says(1, 31, one)).is_some(), "what was stuck before is done");
    }

    #[test]
    fn of_many_osds_only_the_number_of_operations_counts() {
        let ten = |first: u32| {
            let names: Vec<String> = (first..first + 10).map(|osd| format!("osd.{osd}")).collect();
            format!("daemons [{}]... have slow ops.", names.join(","))
        };
        let before = StuckBefore::of(says(500, 60, &ten(0)));
        assert_eq!(before.news(says(600, 60, &ten(3))), None);
        assert!(before.news(says(1100, 60, &ten(0))).is_some());
        let two = StuckBefore::of(says(11, 60, "daemons [osd.0,osd.1] have slow ops."));
        assert!(two.news(says(11, 60, &ten(0))).is_some());
        assert!(StuckBefore::of(None).news(says(1, 31, "osd.0 has slow ops")).is_some());
    }
}
