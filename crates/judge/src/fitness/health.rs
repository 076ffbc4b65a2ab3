//! What a drive says of itself that speaks against it: its health, and a link that is slower than it could be.

use model::{DriveAbout, DriveFound, FitnessReason};

/// From this share of its promised endurance on its end is told.
const WORN: f64 = 80.0;

/// The drive itself expects to fail: no figure makes it fit.
pub fn is_failing(about: &DriveAbout) -> bool {
    about.health.as_ref().is_ok_and(|health| health.passed == Some(false))
}

pub fn reasons(about: &DriveAbout) -> Vec<FitnessReason> {
    let health = about.health.as_ref().ok();
    let failing = is_failing(about).then_some(FitnessReason::Failing);
    let some = |count: Option<u64>| count.filter(|count| *count > 0);
    let unread = some(health.and_then(|health| health.pending)).map(|sectors| FitnessReason::Unreadable { sectors });
    let errors = health.and_then(|health| health.uncorrected);
    let errors = some(errors).map(|errors| FitnessReason::MediumErrors { errors });
    let replaced = health.and_then(|health| health.reallocated);
    let replaced = some(replaced).map(|sectors| FitnessReason::Reallocated { sectors });
    let used = health.and_then(|health| health.used).filter(|used| *used >= WORN);
    let worn = used.map(|percent| FitnessReason::Worn { percent });
    [failing, unread, errors, replaced, worn, slow_link(about)].into_iter().flatten().collect()
}

/// As hot as its maker lets it get, or hotter.
pub fn ran_hot(drive: &DriveFound) -> Option<FitnessReason> {
    let most = drive.health()?.temperature_most?;
    let celsius = drive.hottest().filter(|celsius| *celsius >= most)?;
    Some(FitnessReason::RanHot { celsius, most })
}

/// GT/s times lanes is what it can move.
fn slow_link(about: &DriveAbout) -> Option<FitnessReason> {
    let (now, most) = (about.queue.link?, about.queue.link_most?);
    let moves = |(speed, lanes): (f64, u32)| speed * f64::from(lanes);
    (moves(now) < moves(most)).then_some(FitnessReason::SlowLink { now, most })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::DriveHealth;
    use model::facts::BlockQueue;

    fn about(health: DriveHealth) -> DriveAbout {
        DriveAbout { queue: BlockQueue::default(), health: Ok(health) }
    }

    #[test]
    fn only_what_speaks_against_a_drive_is_told() {
        let well = DriveHealth {
            passed: Some(true),
            used: Some(12.0),
            reallocated: Some(0),
            pending: Some(0),
            uncorrected: Some(0),
            ..DriveHealth::default()
        };
        assert_eq!(reasons(&about(well.clone())), []);
        let unknown = DriveAbout { queue: BlockQueue::default(), health: Err("x".into()) };
        assert_eq!((reasons(&unknown), is_failing(&unknown)), (vec![], false));
        let ill = about(DriveHealth {
            passed: Some(false),
            used: Some(104.0),
            reallocated: Some(3),
            pending: Some(2),
            uncorrected: Some(1),
            ..well
        });
        assert!(is_failing(&ill));
        let (sectors, percent) = (2, 104.0);
        let all = [
            FitnessReason::Failing,
            FitnessReason::Unreadable { sectors },
            FitnessReason::MediumErrors { errors: 1 },
            FitnessReason::Reallocated { sectors: 3 },
            FitnessReason::Worn { percent },
        ];
        assert_eq!(reasons(&ill), all);
    }

    #[test]
    fn a_link_of_fewer_lanes_or_less_speed_is_told() {
        let link = |now: (f64, u32)| {
            let queue = BlockQueue { link: Some(now), link_most: Some((16.0, 4)), ..BlockQueue::default() };
            reasons(&DriveAbout { queue, health: Err("x".into()) })
        };
        assert_eq!(link((16.0, 4)), []);
        assert_eq!(link((16.0, 2)), [FitnessReason::SlowLink { now: (16.0, 2), most: (16.0, 4) }]);
        assert_eq!(link((8.0, 4)), [FitnessReason::SlowLink { now: (8.0, 4), most: (16.0, 4) }]);
    }
}
