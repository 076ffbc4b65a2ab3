//! Steps of the floor: writes that two and three hosts keep, as any replicated store must make them.

use super::device::{self, disk, named, writable};
use crate::Request;
use crate::planner::draft::Draft;
use model::inventory::CLUSTER;
use model::pattern::Family;
use model::workload::{GIB, MIB};
use model::{
    Access, Bytes, Client, ClientHost, Failure, Inventory, Layer, Pattern, Place, Plan, Replica, Site, SiteWish, Step,
    Target, Workload,
};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What stores keep of a write.
const REPLICAS: [usize; 2] = [2, 3];

const SPAN: Bytes = GIB;
const LAB_SPAN: Bytes = 64 * MIB;

/// Where each host could keep a replica: what the user names, or beside the data of a lab's OSD.
pub fn wanted(inventory: &Inventory, request: &Request) -> Vec<(Option<ClientHost>, SiteWish)> {
    if !request.layers.contains(&Layer::Floor) || loads(&Draft::new(inventory, request), MIB).is_empty() {
        return Vec::new();
    }
    let of = |host: &ClientHost| match (&inventory.lab, request.targets.paths.is_empty()) {
        (_, false) => named(request, true),
        (Some(lab), true) => {
            let own = lab.osds.iter().filter(|osd| osd.host == host.known_as);
            own.map(|osd| SiteWish { path: osd.spare.path().clone(), writes: true, given_up: true }).collect()
        }
        (None, true) => Vec::new(),
    };
    let machines = inventory.machines().into_iter();
    machines.flat_map(|host| of(host).into_iter().map(|wish| (Some(host.clone()), wish))).collect()
}

pub fn add(draft: &mut Draft) -> Result<(), Failure> {
    let span = if draft.small() { LAB_SPAN } else { SPAN };
    let loads = loads(draft, span);
    let alone = draft.request.layers.as_slice() == [Layer::Floor];
    if loads.is_empty() {
        let text = "the floor is of random writes; other patterns are one disk and one round trip".to_string();
        return if alone { Err(Failure::Usage(text)) } else { Ok(()) };
    }
    if !draft.inventory.hosts.is_empty() && draft.inventory.clients().next().is_none() {
        let text = "the floor is of what hosts write; name some that load (--hosts a,b,c)".to_string();
        return if alone { Err(Failure::Usage(text)) } else { Ok(()) };
    }
    let replica_hosts = replica_hosts(draft, draft.options.working_set.unwrap_or(span))?;
    if replica_hosts.len() < REPLICAS[0] {
        let text = "the floor is of writes that two hosts keep: name hosts (--hosts a,b,c) and a folder, an empty device or a \
                    file that isn't there yet, the same on each";
        // In a run of all layers it is one less.
        return if alone { Err(Failure::Usage(text.to_string())) } else { Ok(()) };
    }
    let bytes = replica_hosts.iter().map(|replica_host| replica_host.bytes).min().unwrap_or(0);
    for (pattern, workload) in loads {
        // A connection has one write in flight at its replicas.
        let jobs = workload.depth;
        let span = workload.span.min(bytes) / MIB * MIB;
        let sizes: Option<Vec<Bytes>> = replica_hosts.iter().map(|replica_host| replica_host.device).collect();
        let whole = sizes.and_then(|sizes| sizes.into_iter().min());
        let spread = whole.filter(|bytes| *bytes > span && draft.options.working_set.is_none());
        let workload = Workload { span, spread, jobs, ..workload };
        let sizes: Vec<usize> = REPLICAS.into_iter().filter(|size| *size <= replica_hosts.len()).collect();
        for size in &sizes {
            let targets = targets(draft, &replica_hosts, *size);
            draft.step(pattern, targets, workload.clone(), Some(size) == sizes.last());
        }
    }
    Ok(())
}

/// What it can be loaded with: random writes, one in flight or many.
fn loads(draft: &Draft, span: Bytes) -> Vec<(Pattern, Workload)> {
    let fits = |pattern: Pattern, load: &Workload| {
        let random = load.access != Access::Sequential && load.writes() && !load.reads();
        random && pattern.family() != Family::Linear
    };
    draft.workloads(Layer::Floor, span).into_iter().filter(|(pattern, load)| fits(*pattern, load)).collect()
}

/// A host, and where it keeps what it is given.
struct ReplicaHost {
    host: ClientHost,
    path: PathBuf,
    bytes: Bytes,
    /// The same of a device; `None`: it is a file.
    device: Option<Bytes>,
}

/// The first place of each host that may be written to. What Ceph stands on is what is asked about: if enough hosts carry OSDs, those
/// that only load keep nothing.
fn replica_hosts(draft: &mut Draft, file_bytes: Bytes) -> Result<Vec<ReplicaHost>, Failure> {
    let (inventory, named) = (draft.inventory, !draft.request.targets.paths.is_empty());
    let sites = || inventory.replica_hosts.iter().filter_map(|site| Some((site.host.as_ref()?, site)));
    let carries = |(host, _): &(&ClientHost, &Site)| inventory.scope.osds.iter().any(|osd| osd.host == host.known_as);
    let (first, second): (Vec<_>, Vec<_>) = sites().partition(carries);
    let hosts = first.iter().map(|(host, _)| &host.end.host).collect::<BTreeSet<_>>().len();
    let sites = if hosts >= REPLICAS[1] { first } else { [first, second].concat() };
    let mut replica_hosts: Vec<ReplicaHost> = Vec::new();
    for (host, site) in sites {
        if replica_hosts.iter().any(|replica_host| replica_host.host.end.host == host.end.host) {
            continue;
        }
        match disk(draft, site, file_bytes) {
            Ok(disk) if writable(&disk.target) => {
                device::make(draft, &disk);
                let (bytes, device) = (disk.bytes, disk.target.bytes);
                if let Place::Path { path, .. } = disk.target.place {
                    replica_hosts.push(ReplicaHost { host: host.clone(), path, bytes, device });
                }
            }
            Err(failure) if named => return Err(failure),
            _ => {}
        }
    }
    Ok(replica_hosts)
}

/// Each host that loads has replicas on the hosts after it, in turns: as many clients on as many disks as a pool has. The first one is
/// never its own host.
fn targets(draft: &Draft, replica_hosts: &[ReplicaHost], size: usize) -> Vec<Target> {
    let of = format!("{size} replicas");
    let client = |(number, client): (usize, &ClientHost)| {
        let own = replica_hosts.iter().position(|replica_host| draft.inventory.one_machine(&replica_host.host, client));
        let begin = own.map_or(number, |own| own + 1);
        let of_turn: Vec<&ReplicaHost> =
            (0..size).map(|turn| &replica_hosts[(begin + turn) % replica_hosts.len()]).collect();
        // As OSDs do, where all of them can.
        let apart = of_turn.iter().all(|replica_host| replica_host.host.others.contains_key(CLUSTER));
        let replica = |replica_host: &&ReplicaHost| Replica {
            end: replica_host.host.end.clone(),
            among: replica_host.host.others.get(CLUSTER).filter(|_| apart).cloned(),
            path: replica_host.path.clone(),
            listener: None,
        };
        let place = Place::Replicas { from: client.end.clone(), replicas: of_turn.iter().map(replica).collect() };
        let name = format!("{of} from {}", client.end.host);
        let client = Some(Client { host: client.end.host.clone(), of: of.clone() });
        Target { client, ..Target::new(Layer::Floor, name, place) }
    };
    draft.inventory.clients().enumerate().map(client).collect()
}

/// As the device layer has them: the files of all replicas, to be written full before the first slice.
pub fn files(plan: &Plan) -> Vec<Step> {
    let of = |step: &Step| {
        let replicas = step.targets.iter().flat_map(|target| match &target.place {
            Place::Replicas { replicas, .. } => replicas.as_slice(),
            _ => &[],
        });
        let file = |replica: &Replica| {
            let name = format!("{}:{}", replica.end.host, replica.path.display());
            let client = Some(Client { host: replica.end.host.clone(), of: name.clone() });
            let place = Place::Path { path: replica.path.clone(), writable: true };
            Target { client, ..Target::new(Layer::Device, name, place) }
        };
        let targets: Vec<Target> = replicas.map(file).collect();
        let (layer, pattern) = (Layer::Device, Pattern::WriteLatency);
        let workload = Workload { jobs: 1, depth: 1, ..step.workload.clone() };
        Step { layer, pattern, targets, workload, ..step.clone() }
    };
    plan.steps.iter().filter(|step| step.layer == Layer::Floor).map(of).collect()
}
