//! What a fault is pointed at: an OSD, a host, the way between two hosts, an image, or nothing.

use super::access::LabAccess;
use super::changes::{Change, Limited, OwnImage, OwnPool};
use super::{Asked, Fault};
use crate::errors::LabError;
use crate::lab::Host;
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TargetKind {
    Nothing,
    Osd,
    /// That of one of the lab's own hosts, to one of its networks.
    Link,
    /// From one host to another.
    Path,
    /// One that is there, or none: the fault makes its own.
    Image,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Nothing,
    Osd(u32),
    Link(LinkEnd),
    Path(LinkEnd, LinkEnd),
    Image { pool: String, image: String },
}

/// A host on one of its networks: `host1`, `host1:cluster`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LinkEnd {
    pub host: String,
    /// On the network on which the OSDs talk to each other.
    pub cluster: bool,
}

impl fmt::Display for LinkEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.host, if self.cluster { ":cluster" } else { "" })
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Nothing => Ok(()),
            Target::Osd(id) => write!(f, "osd.{id}"),
            Target::Link(end) => write!(f, "{end}"),
            Target::Path(from, to) => write!(f, "{from} {to}"),
            Target::Image { pool, image } => write!(f, "{pool}/{image}"),
        }
    }
}

impl TargetKind {
    pub fn words(self) -> &'static str {
        match self {
            TargetKind::Nothing => "none",
            TargetKind::Osd => "osd.N",
            TargetKind::Link => "HOST",
            TargetKind::Path => "HOST HOST",
            TargetKind::Image => "[POOL/IMAGE]",
        }
    }

    pub fn parse(self, fault: &Fault, words: &[String], access: &LabAccess) -> Result<Target, LabError> {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let wrong = |targets: String| {
            Err(LabError::NoSuchTarget { fault: fault.name.to_owned(), target: words.join(" "), targets })
        };
        if matches!(self, TargetKind::Link | TargetKind::Path) {
            access.need_hosts(fault.name)?;
        }
        let ends = ends(access);
        let end = |word: &str| ends.iter().find(|end| end.to_string() == word).cloned();
        let all = || ends.iter().map(LinkEnd::to_string).collect::<Vec<_>>().join(", ");
        match (self, words.as_slice()) {
            (TargetKind::Nothing | TargetKind::Image, []) => Ok(Target::Nothing),
            (TargetKind::Nothing, _) => wrong("none".to_owned()),
            (TargetKind::Osd, [word]) => match access.lab.osds.iter().find(|osd| format!("osd.{}", osd.id) == *word) {
                Some(osd) => Ok(Target::Osd(osd.id)),
                None => wrong(osds(access)),
            },
            (TargetKind::Osd, _) => wrong(osds(access)),
            (TargetKind::Link, [word]) => end(word).map_or_else(|| wrong(all()), |end| Ok(Target::Link(end))),
            (TargetKind::Link, _) => wrong(all()),
            (TargetKind::Path, [from, to]) => match (end(from), end(to)) {
                (Some(from), Some(to)) if from.host != to.host && from.cluster == to.cluster => {
                    Ok(Target::Path(from, to))
                }
                _ => wrong(format!("two hosts on the same network, of {}", all())),
            },
            (TargetKind::Path, _) => wrong(format!("two of {}", all())),
            (TargetKind::Image, [word]) => match word.split_once('/') {
                Some((pool, image)) if !pool.is_empty() && !image.is_empty() => {
                    Ok(Target::Image { pool: pool.to_owned(), image: image.to_owned() })
                }
                _ => wrong("POOL/IMAGE, or none: an image is made then".to_owned()),
            },
            (TargetKind::Image, _) => wrong("one POOL/IMAGE, or none: an image is made then".to_owned()),
        }
    }
}

fn osds(access: &LabAccess) -> String {
    access.lab.osds.iter().map(|osd| format!("osd.{}", osd.id)).collect::<Vec<_>>().join(", ")
}

fn ends(access: &LabAccess) -> Vec<LinkEnd> {
    let end = |host: &Host, cluster| LinkEnd { host: host.name.clone(), cluster };
    let public = access.lab.hosts.iter().map(|host| end(host, false));
    let cluster = access.lab.hosts.iter().filter(|host| host.cluster_address.is_some()).map(|host| end(host, true));
    public.chain(cluster).collect()
}

impl Asked<'_> {
    /// The daemon that it is pointed at, for limits of its control group.
    pub fn limited(&self) -> Limited<'_> {
        Limited { fault: self.fault.name, access: self.access, daemon: self.daemon() }
    }

    /// The OSD that was named; only for faults whose target is one.
    pub(super) fn osd(&self) -> u32 {
        match self.target {
            Target::Osd(id) => id,
            _ => unreachable!("the target was parsed as an OSD"),
        }
    }

    /// `osd.1`
    pub(super) fn daemon(&self) -> String {
        crate::daemons::osd(self.osd())
    }

    /// For faults that start the OSD again: one that was ended on purpose stays so, whether the fault can be made or not.
    pub(super) fn need_running(&self) -> Result<(), LabError> {
        let daemon = self.daemon();
        match self.access.pid(&daemon) {
            Some(_) => Ok(()),
            None => Err(LabError::WrongState { daemon, state: "not running", mend: "start it first" }),
        }
    }

    /// The image that was named, which is there, or one of the fault's own, with what makes it.
    pub(super) fn image(&self) -> Result<(Vec<Change>, String, String), LabError> {
        let Target::Image { pool, image } = &self.target else {
            let (pool, image) = (OwnPool::new(self.fault.name, 32), "image".to_owned());
            let own = OwnImage { pool: pool.name.clone(), image: image.clone(), bytes: 1 << 30, parent: None };
            let name = pool.name.clone();
            return Ok((vec![Change::OwnPool(pool), Change::OwnImage(own)], name, image));
        };
        match self.access.images(pool)? {
            Some(images) if images.contains(image) => Ok((Vec::new(), pool.clone(), image.clone())),
            Some(images) => {
                let in_pool = images.iter().map(|image| format!("{pool}/{image}")).collect::<Vec<_>>().join(", ");
                self.no_such_image(if in_pool.is_empty() { format!("no image: pool {pool} has none") } else { in_pool })
            }
            None => {
                let pools = self.access.rados()?.pools()?.join(", ");
                self.no_such_image(format!("an image of one of the pools {pools}"))
            }
        }
    }

    fn no_such_image<T>(&self, targets: String) -> Result<T, LabError> {
        let (fault, target) = (self.fault.name.to_owned(), self.target.to_string());
        Err(LabError::NoSuchTarget { fault, target, targets })
    }

    /// For what librbd is asked through its own program.
    pub(super) fn need_rbd(&self) -> Result<(), LabError> {
        crate::preflight::find("rbd", "ceph-common").map(drop)
    }
}
