//! Processors' time (/proc/stat) and pressure stall information (/proc/pressure).

use model::Interrupts;
use std::collections::BTreeMap;

/// Clock ticks of one processor, or of all, since the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticks {
    idle: u64,
    /// In interrupts and softirqs.
    interrupts: u64,
    steal: u64,
    all: u64,
}

/// By its number.
pub type Processors = BTreeMap<u32, Ticks>;

impl Ticks {
    /// Shares of the time between: at work, and taken by the hypervisor.
    pub fn since(self, before: Ticks) -> (f64, f64) {
        let all = self.all.saturating_sub(before.all) as f64;
        let share = |part: u64| if all > 0.0 { (part as f64 / all).clamp(0.0, 1.0) } else { 0.0 };
        let (idle, steal) = (self.idle.saturating_sub(before.idle), self.steal.saturating_sub(before.steal));
        let busy = (all as u64).saturating_sub(idle + steal);
        (share(busy), share(steal))
    }

    /// Shares of the time between: in interrupts and softirqs, and idle. `None`: no time passed.
    fn interrupted_since(self, before: Ticks) -> Option<(f64, f64)> {
        let all = Some(self.all.saturating_sub(before.all)).filter(|all| *all > 0)? as f64;
        let share = |now: u64, before: u64| (now.saturating_sub(before) as f64 / all).min(1.0);
        Some((share(self.interrupts, before.interrupts), share(self.idle, before.idle)))
    }
}

/// Of all processors together.
pub fn ticks(stat: &str) -> Option<Ticks> {
    stat.lines().find(|line| line.starts_with("cpu ")).and_then(of_line)
}

/// Of each: `cpu0`, `cpu1`.
pub fn processors(stat: &str) -> Processors {
    let number = |line: &str| line.strip_prefix("cpu")?.split(' ').next()?.parse().ok();
    stat.lines().filter_map(|line| Some((number(line)?, of_line(line)?))).collect()
}

/// Of the one that spent the most of the time between in interrupts, and of the others.
pub fn interrupts(before: &Processors, now: &Processors) -> Option<Interrupts> {
    let both = now.iter().filter_map(|(number, now)| Some((*number, now.interrupted_since(*before.get(number)?)?)));
    let shares: Vec<(u32, (f64, f64))> = both.collect();
    let (processor, (share, idle)) = *shares.iter().max_by(|(_, a), (_, b)| a.0.total_cmp(&b.0))?;
    let others = shares.iter().filter(|(number, _)| *number != processor).map(|(_, shares)| shares);
    let mean = |of: fn(&(f64, f64)) -> f64| others.clone().map(of).sum::<f64>() / (shares.len() - 1).max(1) as f64;
    let (others_share, others_idle) = (mean(|shares| shares.0), mean(|shares| shares.1));
    Some(Interrupts { processor, processors: shares.len() as u32, share, idle, others_share, others_idle })
}

/// `cpu user nice system idle iowait irq softirq steal guest guest_nice`: the guests' are within user and nice.
fn of_line(line: &str) -> Option<Ticks> {
    let fields: Vec<u64> = line.split_whitespace().skip(1).take(8).filter_map(|field| field.parse().ok()).collect();
    let at = |index: usize| fields.get(index).copied().unwrap_or(0);
    let all = fields.iter().fold(0u64, |sum, field| sum.saturating_add(*field));
    let sum = |one: usize, other: usize| at(one).saturating_add(at(other));
    (fields.len() >= 4).then(|| Ticks { idle: sum(3, 4), interrupts: sum(5, 6), steal: at(7), all })
}

/// Microseconds in which some task was held up: `some avg10=0.00 avg60=0.00 avg300=0.00 total=12`.
pub fn pressure(text: &str) -> Option<u64> {
    let some = text.lines().find(|line| line.starts_with("some "))?;
    some.split_whitespace().find_map(|field| field.strip_prefix("total="))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shares_are_of_the_time_between() {
        let before = ticks("cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1 2 3 4\n").unwrap();
        let now = ticks("cpu  160 0 80 860 50 0 10 40 7 0\n").unwrap();
        // 200 ticks: 60 user, 30 system, 10 softirq; 60 idle; 40 stolen.
        assert_eq!(now.since(before), (0.5, 0.2));
        assert_eq!(before.since(now), (0.0, 0.0));
    }

    #[test]
    fn the_processor_with_the_most_interrupts_is_told_from_the_others() {
        let before = processors("cpu  9 9 9 9\ncpu0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0\ncpu3 5 0 5 0 0 0 0 0\n");
        let now = "cpu0 20 0 0 80 0 0 0 0\ncpu1 0 0 3 2 0 5 90 0\ncpu2 1 1 1 1\ncpu3 25 0 5 30 30 0 20 0\nintr 5 6\n";
        let found = interrupts(&before, &processors(now)).unwrap();
        assert_eq!((found.processor, found.processors, found.share, found.idle), (1, 3, 0.95, 0.02));
        assert!((found.others_share - 0.1).abs() < 1e-9 && (found.others_idle - 0.7).abs() < 1e-9, "{found:?}");
        assert_eq!(interrupts(&before, &before), None);
        let one = |text: &str| processors(&format!("cpu0 {text}\n"));
        let alone = interrupts(&one("0 0 0 0"), &one("0 0 0 5 0 5 0 0")).unwrap();
        assert_eq!((alone.processors, alone.share, alone.others_share, alone.others_idle), (1, 0.5, 0.0, 0.0));
    }

    #[test]
    fn stalls_are_read() {
        let text =
            "some avg10=1.53 avg60=0.87 avg300=0.21 total=2468\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=9\n";
        assert_eq!(pressure(text), Some(2468));
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "(cpu |some )?[0-9a-z =\n.]{0,80}", other in "cpu [0-9 ]{0,200}") {
            let _ = pressure(&text);
            if let (Some(a), Some(b)) = (ticks(&text), ticks(&other)) {
                let (cpu, steal) = a.since(b);
                prop_assert!((0.0..=1.0).contains(&cpu) && (0.0..=1.0).contains(&steal));
            }
        }

        #[test]
        fn shares_of_a_processor_are_shares(one in "(cpu[0-3] [0-9 ]{0,60}\n){0,4}", other in "(cpu[0-3] [0-9 ]{0,60}\n){0,4}") {
            if let Some(found) = interrupts(&processors(&one), &processors(&other)) {
                let shares = [found.share, found.idle, found.others_share, found.others_idle];
                prop_assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)), "{found:?}");
            }
        }
    }
}
