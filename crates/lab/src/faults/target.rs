//! What a fault is pointed at: an OSD, a host, the way between two hosts, an image, or nothing.

use super::access::LabAccess;
use super::{Asked, Fault};
use crate::errors::LabError;
use crate::lab::Host;
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TargetKind {
    Nothing,
    Osd,
    /// One of the lab's own hosts.
    Host,
    /// From one host to another.
    Way,
    /// One that is there, or none: the fault makes its own.
    Image,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Nothing,
    Osd(u32),
    Host(String),
    Way(String, String),
    Image { pool: String, image: String },
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Nothing => Ok(()),
            Target::Osd(id) => write!(f, "osd.{id}"),
            Target::Host(name) => f.write_str(name),
            Target::Way(from, to) => write!(f, "{from} {to}"),
            Target::Image { pool, image } => write!(f, "{pool}/{image}"),
        }
    }
}

impl TargetKind {
    pub fn words(self) -> &'static str {
        match self {
            TargetKind::Nothing => "none",
            TargetKind::Osd => "osd.N",
            TargetKind::Host => "HOST",
            TargetKind::Way => "FROM TO (hosts)",
            TargetKind::Image => "[POOL/IMAGE]",
        }
    }

    pub fn parse(self, fault: &Fault, words: &[String], access: &LabAccess) -> Result<Target, LabError> {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let wrong = |targets: String| {
            Err(LabError::NoSuchTarget { fault: fault.name.to_owned(), target: words.join(" "), targets })
        };
        let host = |name: &&str| access.lab.hosts.iter().any(|host| host.name == *name);
        if matches!(self, TargetKind::Host | TargetKind::Way) {
            access.need_hosts(fault.name)?;
        }
        match (self, words.as_slice()) {
            (TargetKind::Nothing | TargetKind::Image, []) => Ok(Target::Nothing),
            (TargetKind::Nothing, _) => wrong("none".to_owned()),
            (TargetKind::Osd, [word]) => match access.lab.osds.iter().find(|osd| format!("osd.{}", osd.id) == *word) {
                Some(osd) => Ok(Target::Osd(osd.id)),
                None => wrong(osds(access)),
            },
            (TargetKind::Osd, _) => wrong(osds(access)),
            (TargetKind::Host, [name]) if host(name) => Ok(Target::Host((*name).to_owned())),
            (TargetKind::Host, _) => wrong(hosts(access)),
            (TargetKind::Way, [from, to]) if host(from) && host(to) && from != to => {
                Ok(Target::Way((*from).to_owned(), (*to).to_owned()))
            }
            (TargetKind::Way, _) => wrong(format!("two of {}", hosts(access))),
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

fn hosts(access: &LabAccess) -> String {
    access.lab.hosts.iter().map(|host| host.name.clone()).collect::<Vec<_>>().join(", ")
}

impl Asked<'_> {
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

    pub(super) fn host(&self) -> &Host {
        match &self.target {
            Target::Host(name) | Target::Way(name, _) => self.access.lab.host(name),
            _ => unreachable!("the target was parsed as a host"),
        }
    }
}
