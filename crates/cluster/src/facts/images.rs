//! Images that are measured and not the run's own: their parent, their snapshots, and who has them open. Each is opened for reading alone.

use crate::admin::Cluster;
use ceph::{Cache, CephError, Image, OpenFor};
use model::facts::ImageFacts;
use std::time::{SystemTime, UNIX_EPOCH};

/// `names`: pool and image. What does not answer is said.
pub fn images(cluster: &Cluster, names: &[(String, String)], left_out: &mut Vec<String>) -> Vec<ImageFacts> {
    let mut look = |(pool, name): &(String, String)| {
        let found = cluster.rados.open_pool(pool).and_then(|open| {
            let image = open.open_image(name, OpenFor::Reading, Cache::Off)?;
            one(pool, &image)
        });
        found.map_err(|error| left_out.push(format!("image {pool}/{name}: {error}"))).ok()
    };
    names.iter().filter_map(&mut look).collect()
}

fn one(pool: &str, image: &Image) -> Result<ImageFacts, CephError> {
    let times = image.snapshot_times()?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64());
    let newest = times.iter().max().map(|time| (now - *time as f64).max(0.0));
    Ok(ImageFacts {
        pool: pool.to_string(),
        name: image.name().to_string(),
        overlap: Some(image.overlap()?),
        snapshots: Some(times.len() as u32),
        newest_snapshot_seconds: newest,
        writers: Some(image.writers()? as u32),
    })
}
