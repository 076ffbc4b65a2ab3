//! What the coordinator and an agent say to each other. There are no versions: both are exactly the same build.

use cluster::journal::AgentOf;
use model::facts::HostSetup;
use model::{
    Bytes, Checked, Endpoint, HostChange, HostFacts, HostSecond, Key, Nanos, NotFree, OsdWish, ServiceLook, SiteSeen,
    SiteWish, SliceEnd, Step, WindowSet, Workload,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// From the coordinator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum AgentCommand {
    /// The coordinator lives.
    Beat,
    /// What do your clocks show?
    Ask {
        id: u64,
    },
    /// What kind of host are you?
    Describe,
    /// From now on this is what is loaded.
    Reach {
        access: Box<AgentAccess>,
    },
    /// Answered once, with the same number: an answer that comes too late is none to the next question.
    Question {
        id: u64,
        question: Question,
    },
    /// Make the step's targets ready, until it is done or `Stop` comes; then say [`AgentEvent::Ended`].
    Prepare {
        slice: u64,
        #[serde(with = "as_json")]
        step: Box<Step>,
        how: Preparation,
    },
    /// Be the passive end of a pair for this slice: open a port at `end` for a load of this kind. `target`: which of the step's it is.
    Answer {
        slice: u64,
        target: u32,
        end: Endpoint,
        #[serde(with = "as_json")]
        workload: Box<Workload>,
    },
    /// Keep the replica of this number of the step's only target for this slice, and say [`AgentEvent::Answers`] with `target`.
    Keep {
        slice: u64,
        target: u32,
        replica: u32,
        #[serde(with = "as_json")]
        step: Box<Step>,
    },
    /// Open what the step needs, and say [`AgentEvent::Ready`].
    Open {
        slice: u64,
        #[serde(with = "as_json")]
        step: Box<Step>,
        window_ns: Nanos,
        /// Write at most this many bytes to each target.
        most: Option<Bytes>,
    },
    /// Say [`AgentEvent::Verified`] of what was verified since this was last asked; before that read back what the slice wrote, until
    /// `Stop`, but not longer than `limit`.
    Verify {
        slice: u64,
        #[serde(with = "as_json")]
        step: Box<Step>,
        limit: Duration,
        /// When the run began, as the agent's clock shows it.
        run_started: Nanos,
    },
    /// Load from this time on, as the agent's clock shows it, until `Stop`.
    Start {
        slice: u64,
        at: Nanos,
    },
    /// Load no more.
    Stop {
        slice: u64,
    },
    /// Answer datagrams no more.
    Hush,
    /// Close the listeners and replicas that were opened for this slice.
    Close {
        slice: u64,
    },
    /// Tell every second what the kernel counts, and the threads of these OSDs, until `Unwatch`.
    Watch {
        slice: u64,
        osds: Vec<OsdWish>,
    },
    Unwatch {
        slice: u64,
    },
    Leave,
}

/// What is done with targets before they are loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Preparation {
    /// What is read later is written.
    Fill,
    /// Devices forget all that they hold.
    Discard,
}

/// What one agent is asked while the coordinator waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Question {
    /// May this path be loaded? Nothing is changed. `in_turn`: loads come one after the other, and may go to the same place.
    Look { wish: SiteWish, in_turn: bool },
    /// Change this host, for this run; of a file: from now on take it for its path.
    Make {
        of: AgentOf,
        #[serde(with = "as_json")]
        change: HostChange,
    },
    /// Undo this one change; answered as [`AgentAnswer::Made`].
    Undo(#[serde(with = "as_json")] HostChange),
    /// How is this setting of yours now?
    Value { setting: String },
    /// How hot is this disk of yours, by its name in /sys/block?
    Temperature { disk: String },
    /// Undo what agents that were killed left on this host.
    Restore,
    /// Undo all that was changed.
    RollBack,
    /// End this OSD, which is one of yours, and start it again; answered as [`AgentAnswer::Made`].
    Restart { osd: u32 },
    /// Answer datagrams at this end, until `Hush`.
    Echo(Endpoint),
    /// What is the largest packet, of at most `largest` bytes, that reaches an echo in one piece?
    PathMtu { from: Endpoint, to: Endpoint, key: Key, largest: u32 },
    /// How are you set up, and which of these OSDs run on you?
    Setup { osds: Vec<OsdWish> },
    /// What have gateways and metadata servers on you counted, of the cluster with this `fsid`?
    Services { fsid: String },
}

/// In the order of the questions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum AgentAnswer {
    /// `unseen`: what could not be looked at, in words.
    Looked {
        seen: Result<Box<SiteSeen>, NotFree>,
        unseen: Vec<String>,
    },
    Made(Result<(), String>),
    Value(Result<String, String>),
    /// °C; `None`: it does not tell.
    Temperature(Option<f64>),
    /// What was undone or left as it is, and what could not be undone, in words.
    Restored(Vec<String>, Vec<String>),
    /// What could not be undone, and why.
    RolledBack(Vec<String>),
    /// The way to the echo.
    Echoes(Result<Key, String>),
    /// `None`: not even a small packet is answered.
    Probed(Result<Option<u32>, String>),
    Setup(#[serde(with = "as_json")] Box<HostSetup>),
    Services(Vec<ServiceLook>),
}

/// How what is loaded is reached. Kept in memory alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentAccess {
    pub cluster: Option<ClusterTexts>,
    /// To the object gateways, by their URLs.
    pub s3: BTreeMap<String, S3Texts>,
}

/// The texts of conf and keyring, since the agent's host may have neither.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct ClusterTexts {
    pub conf: String,
    pub keyring: String,
    /// The user, without `client.`.
    pub id: String,
    /// Connections, for workloads of several clients.
    pub clients: u32,
}

#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct S3Texts {
    pub access: String,
    pub secret: String,
    pub token: Option<String>,
    pub authorities: Option<String>,
}

impl From<&s3::Access> for S3Texts {
    fn from(s3::Access { keys, authorities }: &s3::Access) -> S3Texts {
        let (token, authorities) = (keys.token().map(str::to_string), authorities.clone());
        S3Texts { access: keys.key().to_string(), secret: keys.secret().to_string(), token, authorities }
    }
}

/// A key is never printed.
impl std::fmt::Debug for ClusterTexts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClusterTexts").field("id", &self.id).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for S3Texts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("S3Texts").finish_non_exhaustive()
    }
}

/// What the archive keeps leaves out what is empty, which only a form with names can read again: it travels as text.
mod as_json {
    use serde::de::{DeserializeOwned, Error as _};
    use serde::ser::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<T: Serialize, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&serde_json::to_string(value).map_err(S::Error::custom)?)
    }

    pub fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
        serde_json::from_str(&String::deserialize(from)?).map_err(D::Error::custom)
    }
}

/// From an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum AgentEvent {
    /// The first word: which build speaks.
    Hello {
        build: String,
        pid: u32,
    },
    /// The agent lives, and nothing else has happened.
    Beat,
    /// What its clocks show: the one that only moves forwards, and the time of day, in ns since 1970.
    Clock {
        id: u64,
        now: Nanos,
        wall: Nanos,
    },
    Description {
        facts: Box<HostFacts>,
    },
    /// All of it is reached, or why not.
    Reached {
        error: Option<String>,
    },
    Answer {
        id: u64,
        answer: AgentAnswer,
    },
    /// How many bytes have been filled.
    Filling {
        slice: u64,
        bytes: Bytes,
    },
    /// The port of a pair's passive end, or of who keeps a replica; or why there is none.
    Answers {
        slice: u64,
        target: u32,
        listener: Result<Key, String>,
    },
    /// The slice's sessions are open, or why not: then nothing is loaded.
    Ready {
        slice: u64,
        error: Option<String>,
    },
    Window {
        slice: u64,
        set: WindowSet,
    },
    /// A second of the host that ended at this time, as the agent's clock shows it.
    Second {
        slice: u64,
        at: Nanos,
        second: Box<HostSecond>,
    },
    /// Nothing is loaded any more.
    Ended {
        slice: u64,
        end: SliceEnd,
    },
    /// By index of the target; and the first thing that went wrong while it was looked at.
    Verified {
        slice: u64,
        checked: Vec<(u32, Checked)>,
        error: Option<String>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame;
    use model::testing;
    use model::{PathKind, Pattern, Place, Target};

    /// Of every kind one: a field that is left out when empty would shift all that follows it.
    #[test]
    fn every_message_comes_as_it_went() {
        let workload = Workload::canonical(Pattern::ReadLatency, 1 << 20, 1);
        let target = Target::new(testing::pools(), "pool", Place::Pool { pool: "p".into(), prefix: "x".into() });
        let step = Step::new(3, testing::pools(), Pattern::ReadLatency, vec![target], workload);
        let cluster = ClusterTexts { conf: "c".into(), keyring: "k".into(), id: "admin".into(), clients: 1 };
        let keys = S3Texts { access: "a".into(), secret: "s".into(), token: None, authorities: None };
        let access = AgentAccess { cluster: Some(cluster), s3: BTreeMap::from([("http://g".to_string(), keys)]) };
        let end = Endpoint::new("h", "10.0.0.1");
        let key = Key { port: 1, token: [2; 16] };
        let ask = |question: Question| AgentCommand::Question { id: 4, question };
        let tell = |answer: AgentAnswer| AgentEvent::Answer { id: 4, answer };
        let orders = [
            AgentCommand::Beat,
            AgentCommand::Ask { id: 1 },
            AgentCommand::Describe,
            AgentCommand::Reach { access: Box::new(access) },
            ask(Question::Look {
                wish: SiteWish { path: "/dev/x".into(), writes: true, given_up: false },
                in_turn: true,
            }),
            ask(Question::Make {
                of: AgentOf { run: "r".into(), host: "h".into() },
                change: HostChange::File { path: "/x".into(), bytes: 1 },
            }),
            ask(Question::Undo(HostChange::Setting { name: "governor".into(), value: "x".into() })),
            ask(Question::Value { setting: "governor".into() }),
            ask(Question::Restore),
            ask(Question::RollBack),
            ask(Question::Restart { osd: 3 }),
            AgentCommand::Prepare { slice: 1, step: Box::new(step.clone()), how: Preparation::Fill },
            AgentCommand::Prepare { slice: 2, step: Box::new(step.clone()), how: Preparation::Discard },
            AgentCommand::Answer { slice: 1, target: 2, end: end.clone(), workload: Box::new(step.workload.clone()) },
            AgentCommand::Keep { slice: 1, target: 3, replica: 2, step: Box::new(step.clone()) },
            ask(Question::Echo(end.clone())),
            ask(Question::PathMtu { from: end.clone(), to: end.clone(), key: key.clone(), largest: 9000 }),
            ask(Question::Temperature { disk: "x".into() }),
            ask(Question::Services { fsid: "f".into() }),
            AgentCommand::Hush,
            AgentCommand::Open { slice: 1, step: Box::new(step.clone()), window_ns: 5, most: Some(7) },
            AgentCommand::Verify { slice: 1, step: Box::new(step), limit: Duration::from_millis(5), run_started: 3 },
            AgentCommand::Start { slice: 1, at: 7 },
            AgentCommand::Stop { slice: 1 },
            AgentCommand::Close { slice: 1 },
            AgentCommand::Watch { slice: 1, osds: vec![OsdWish { osd: 3, address: Some("10.0.0.1".into()) }] },
            AgentCommand::Unwatch { slice: 1 },
            AgentCommand::Leave,
        ];
        let seen = SiteSeen {
            found: PathKind::Device(5),
            leads_to: Some("/dev/x".into()),
            device: Some(model::DeviceScope { path: "/dev/x".into(), ..Default::default() }),
            in_memory: true,
            free: Some(7),
            files_free: Some(8),
            file_system: None,
            holes: Some(model::Holes { file: "/f".into(), bytes: 5, free: Some(6), file_system: 7 }),
            discards: true,
            write_cache: Some(model::WriteCache {
                disk: "x".into(),
                on: true,
                flushed: false,
                alone: true,
                shared: false,
                identity: Some("naa.5".into()),
            }),
            drive: Some(model::DriveAbout { queue: model::facts::BlockQueue::default(), health: Err("x".into()) }),
            disks: vec!["x".into()],
            osds: vec![3],
            images: vec!["rbd0: a/b".into()],
            attached: vec!["vda: virtio-blk".into()],
        };
        let sample = model::Sample { ops: 4, ..model::Sample::default() };
        let set = WindowSet { window: 2, samples: vec![(0, model::OpClass::Write, sample)] };
        let end = SliceEnd { gap: Some("g".into()), windows: 3, ..SliceEnd::default() };
        let mds = model::MdsSecond { name: "mds.a".into(), threads: [("ms_dispatch".to_string(), 0.9)].into() };
        let second = HostSecond { cpu: 0.5, metadata_servers: vec![mds], ..HostSecond::default() };
        let mount = model::facts::FileMount { at: "/mnt".into(), options: vec!["wsync".into()] };
        let setup = model::facts::HostSetup { file_mounts: Some(vec![mount]), ..Default::default() };
        let news = [
            tell(AgentAnswer::Setup(Box::new(setup))),
            AgentEvent::Hello { build: "b".into(), pid: 1 },
            AgentEvent::Beat,
            AgentEvent::Clock { id: 1, now: 2, wall: 3 },
            AgentEvent::Description { facts: Box::default() },
            AgentEvent::Reached { error: None },
            tell(AgentAnswer::Looked { seen: Ok(Box::new(seen)), unseen: vec!["u".into()] }),
            tell(AgentAnswer::Looked { seen: Err(NotFree { says: "s".into(), holds: true }), unseen: Vec::new() }),
            tell(AgentAnswer::Made(Ok(()))),
            tell(AgentAnswer::Value(Ok("v".into()))),
            tell(AgentAnswer::Temperature(Some(31.0))),
            tell(AgentAnswer::Restored(vec!["u".into()], vec!["w".into()])),
            tell(AgentAnswer::RolledBack(vec!["w".into()])),
            tell(AgentAnswer::Echoes(Ok(key))),
            tell(AgentAnswer::Probed(Ok(Some(1500)))),
            tell(AgentAnswer::Services(vec![ServiceLook {
                daemon: "mds.a".into(),
                process: "b/1/2".into(),
                spent: BTreeMap::from([(model::ServiceTimer::Request, model::Spent { times: 3, seconds: 0.5 })]),
            }])),
            AgentEvent::Filling { slice: 1, bytes: 3 },
            AgentEvent::Answers { slice: 1, target: 2, listener: Ok(Key { port: 7, token: [3; 16] }) },
            AgentEvent::Answers { slice: 1, target: 2, listener: Err("e".into()) },
            AgentEvent::Ready { slice: 1, error: Some("e".into()) },
            AgentEvent::Window { slice: 1, set },
            AgentEvent::Second { slice: 1, at: 2, second: Box::new(second) },
            AgentEvent::Ended { slice: 1, end },
            AgentEvent::Verified { slice: 1, checked: vec![(2, Checked::default())], error: Some("e".into()) },
        ];
        let mut stream = Vec::new();
        orders.iter().for_each(|order| frame::write(&mut stream, order).unwrap());
        news.iter().for_each(|news| frame::write(&mut stream, news).unwrap());
        let mut rest = &stream[..];
        for order in &orders {
            assert_eq!(&frame::read::<AgentCommand>(&mut rest).unwrap(), order);
        }
        for news in &news {
            assert_eq!(&frame::read::<AgentEvent>(&mut rest).unwrap(), news);
        }
    }

    #[test]
    fn a_key_is_never_printed() {
        let cluster = ClusterTexts { conf: "c".into(), keyring: "SECRET".into(), id: "admin".into(), clients: 1 };
        let keys = S3Texts {
            access: "SECRET".into(),
            secret: "SECRET".into(),
            token: Some("SECRET".into()),
            authorities: None,
        };
        let access = AgentAccess { cluster: Some(cluster), s3: BTreeMap::from([("http://g".to_string(), keys)]) };
        assert!(!format!("{:?}", AgentCommand::Reach { access: Box::new(access) }).contains("SECRET"));
    }
}
