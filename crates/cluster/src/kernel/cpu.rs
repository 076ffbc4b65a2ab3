//! Processors' time (/proc/stat) and pressure stall information (/proc/pressure).

/// Clock ticks of all processors since the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticks {
    idle: u64,
    steal: u64,
    all: u64,
}

impl Ticks {
    /// Shares of the time between: at work, and taken by the hypervisor.
    pub fn since(self, before: Ticks) -> (f64, f64) {
        let all = self.all.saturating_sub(before.all) as f64;
        let share = |part: u64| if all > 0.0 { (part as f64 / all).clamp(0.0, 1.0) } else { 0.0 };
        let (idle, steal) = (self.idle.saturating_sub(before.idle), self.steal.saturating_sub(before.steal));
        let busy = (all as u64).saturating_sub(idle + steal);
        (share(busy), share(steal))
    }
}

/// `cpu user nice system idle iowait irq softirq steal guest guest_nice`: the guests' are within user and nice.
pub fn ticks(stat: &str) -> Option<Ticks> {
    let line = stat.lines().find(|line| line.starts_with("cpu "))?;
    let fields: Vec<u64> = line.split_whitespace().skip(1).take(8).filter_map(|field| field.parse().ok()).collect();
    let at = |index: usize| fields.get(index).copied().unwrap_or(0);
    let all = fields.iter().fold(0u64, |sum, field| sum.saturating_add(*field));
    (fields.len() >= 4).then(|| Ticks { idle: at(3).saturating_add(at(4)), steal: at(7), all })
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
    }
}
