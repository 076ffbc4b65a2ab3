//! Steps of a job file of fio: each section a step, on what it names, in the file's order.

use super::draft::Draft;
use crate::Request;
use crate::layers::device;
use languages::fio::job_file::{Batch, Job};
use languages::fio::span;
use model::change::data_in;
use model::workload::MIB;
use model::{
    Bytes, Change, Client, ClientHost, Failure, Inventory, Layer, Metric, PathKind, Pattern, Place, Site, SiteWish,
    Step, StepId, Target, Workload,
};
use std::path::{Path, PathBuf};

/// The largest image: it stands in for a larger one, which would take hours to fill.
const IMAGE_MOST: Bytes = 4096 * MIB;

/// The paths of all sections, on each host that loads.
pub fn wanted(inventory: &Inventory, request: &Request) -> Vec<(Option<ClientHost>, SiteWish)> {
    let jobs = request.experiment.batches().iter().flatten().filter(|job| job.shape.layer.of_disks());
    let wish = |job: &Job| {
        let path = path_of(job);
        let given_up = request.targets.destroy_data_on.contains(&path);
        SiteWish { path, writes: job.shape.writes(), given_up }
    };
    let sites: Vec<SiteWish> = jobs.map(wish).collect();
    let on = |host: Option<ClientHost>| sites.iter().map(move |wish| (host.clone(), wish.clone()));
    loading(inventory).into_iter().flat_map(on).collect()
}

/// The hosts that load; `None`: this one.
fn loading(inventory: &Inventory) -> Vec<Option<ClientHost>> {
    let hosts: Vec<Option<ClientHost>> = inventory.clients().cloned().map(Some).collect();
    if hosts.is_empty() { vec![None] } else { hosts }
}

pub fn add(draft: &mut Draft, batches: &[Batch]) -> Result<(), Failure> {
    refuse_buffered(draft, batches)?;
    batches.iter().try_for_each(|batch| add_batch(draft, batch))
}

/// Fathom goes past the page cache; only a file in memory has none before it.
fn refuse_buffered(draft: &Draft, batches: &[Batch]) -> Result<(), Failure> {
    let on_disk = |job: &Job| {
        let known = |site: &&Site| site.seen.as_ref().is_ok_and(|seen| !seen.in_memory);
        sites(draft, &path_of(job)).iter().any(known)
    };
    let buffered = |job: &&Job| job.shape.layer.of_disks() && !job.shape.direct && on_disk(job);
    let faults: Vec<String> = batches
        .iter()
        .flatten()
        .filter(buffered)
        .map(|job| {
            let line = job.line_of("direct");
            format!("line {line}: [{}] goes through the page cache, Fathom past it; add direct=1", job.name)
        })
        .collect();
    if faults.is_empty() { Ok(()) } else { Err(Failure::Usage(faults.join("\nfathom: "))) }
}

fn path_of(job: &Job) -> PathBuf {
    let named = job.shape.filename.as_ref().or(job.shape.directory.as_ref());
    PathBuf::from(named.map_or(".", String::as_str))
}

/// The path on each host that loads.
fn sites<'a>(draft: &Draft<'a>, path: &Path) -> Vec<&'a Site> {
    draft.inventory.sites.iter().filter(|site| site.wish.path == path).collect()
}

fn add_batch(draft: &mut Draft, batch: &Batch) -> Result<(), Failure> {
    let Some(first) = batch.first() else { return Ok(()) };
    let mut parts = Vec::new();
    for job in batch {
        match job.shape.layer {
            layer if layer.can().images => parts.extend(on_image(draft, job)?),
            layer if layer.can().objects => parts.extend(on_objects(draft, job)?),
            _ => {
                for site in sites(draft, &path_of(job)) {
                    let part = on_path(draft, job, site, batch.len() > 1);
                    parts.push(part.map_err(|failure| device::on_host(site, failure))?);
                }
            }
        }
    }
    // Side by side they have one workload: the smallest of the places says how much there is of it.
    let span = parts.iter().map(|(_, span)| *span).min().unwrap_or(0);
    let targets: Vec<Target> = parts.into_iter().map(|(target, _)| target).collect();
    let workload = workload(draft, batch, span);
    let (layer, pattern) = (first.shape.layer, Pattern::nearest(&workload));
    let same = |step: &Step| (step.layer, step.pattern) == (layer, pattern) && step.targets[0].name == targets[0].name;
    // As in every open loop: how long it takes is the figure, and that is no cell of the chart.
    let open = workload.rate.is_some();
    let metric = if open { Metric::LatencyMean } else { pattern.metric(layer) };
    // A cell of the chart has one figure of each target: the first.
    let chart = !open && !draft.steps.iter().any(same);
    let id = StepId(draft.steps.len() as u32);
    draft.steps.push(Step { id, layer, pattern, targets, workload, metric, chart, apart: false, in_turns: false });
    Ok(())
}

fn in_memory(site: &Site) -> bool {
    site.seen.as_ref().is_ok_and(|seen| seen.in_memory)
}

/// As the first section has it.
fn workload(draft: &Draft, batch: &[Job], span: Bytes) -> Workload {
    let shape = &batch[0].shape;
    let device = shape.layer.of_disks();
    let memory = device && batch.iter().flat_map(|job| sites(draft, &path_of(job))).any(in_memory);
    Workload {
        engine: match (device && !memory, shape.one_by_one()) {
            (false, _) => None,
            (true, true) => Some("psync".to_string()),
            (true, false) => Some("io_uring".to_string()),
        },
        ..languages::fio::workload(shape, span, shape.seed.unwrap_or(draft.options.seed))
    }
}

/// A device or file that is named, or one of our own: where nothing is, and in a folder.
fn on_path(draft: &mut Draft, job: &Job, site: &Site, several: bool) -> Result<(Target, Bytes), Failure> {
    let (shape, path) = (&job.shape, path_of(job));
    let wanted = span(shape);
    let shown = path.display().to_string();
    let made = draft.makes_on(site.host.as_ref(), &path);
    match site.seen.as_ref().map_err(|not| Failure::from(not.clone()))?.found {
        PathKind::Device(bytes) | PathKind::File(bytes) if bytes > 0 && !made => {
            if wanted.is_some_and(|wanted| wanted > bytes) {
                let line = job.line_of("size");
                return Err(Failure::Usage(format!("line {line}: [{}] {shown} has only {bytes} bytes", job.name)));
            }
            Ok((target(draft, shape.layer, site, (path, shown), shape.writes()), wanted.unwrap_or(bytes / MIB * MIB)))
        }
        PathKind::File(_) if !made => Err(device::empty_file(&path)),
        PathKind::Device(_) => Err(Failure::Usage(format!("{shown}: is a device of 0 bytes"))),
        PathKind::Folder if shape.filename.is_some() => {
            let line = job.line_of("filename");
            Err(Failure::Usage(format!("line {line}: [{}] {shown} is a folder; write directory={shown}", job.name)))
        }
        PathKind::Folder => {
            let number = draft.changes.len();
            let file = path.join(draft.name(&format!("file{number}")));
            let name = if several { format!("{shown}/{}", job.name) } else { shown };
            own(draft, job, site, (file, name), wanted)
        }
        _ if shape.filename.is_none() => {
            let line = job.line_of("directory");
            Err(Failure::Usage(format!("line {line}: [{}] {shown} is not there; make the folder first", job.name)))
        }
        _ => {
            device::refuse_missing_device(&path)?;
            own(draft, job, site, (path, shown), wanted)
        }
    }
}

fn target(draft: &Draft, layer: Layer, site: &Site, (path, name): (PathBuf, String), writable: bool) -> Target {
    let known_as = site.host.as_ref().map_or(&draft.inventory.here.name, |host| &host.known_as);
    let name = device::name_on(site, &name);
    let client = site.host.as_ref().map(|host| Client { host: host.end.host.clone(), of: name.clone() });
    let host = Some(known_as.clone());
    Target { host, client, ..Target::new(layer, name, Place::Path { path, writable }) }
}

/// A file of our own, as large as the largest section on it.
fn own(
    draft: &mut Draft,
    job: &Job,
    site: &Site,
    (path, shown): (PathBuf, String),
    wanted: Option<Bytes>,
) -> Result<(Target, Bytes), Failure> {
    let Some(wanted) = wanted else {
        let text = format!("line {}: [{}] {shown} is not there and has no size; add size=1g", job.line, job.name);
        return Err(Failure::Usage(text));
    };
    draft.own_file(site.host.as_ref(), path.clone(), wanted);
    Ok((target(draft, job.shape.layer, site, (path, shown), true), wanted))
}

/// An image that is named is only read; writes go to one of our own in the same pool.
fn on_image(draft: &mut Draft, job: &Job) -> Result<Vec<(Target, Bytes)>, Failure> {
    let shape = &job.shape;
    let pool = pool(draft, job)?;
    let there = draft.inventory.image.clone();
    let data_pool = || there.as_ref().and_then(|image| image.data_pool.clone());
    if !shape.writes() {
        let image = shape.image.clone().unwrap_or_default();
        let line = job.line_of("rbdname");
        let bytes = there.as_ref().map(|image| image.bytes).ok_or_else(|| {
            Failure::Usage(format!("line {line}: [{}] image {image} does not exist in pool {pool}", job.name))
        })?;
        let wanted = shape.size.unwrap_or(bytes);
        if wanted > bytes {
            let line = job.line_of("size");
            return Err(Failure::Usage(format!("line {line}: [{}] image {image} has only {bytes} bytes", job.name)));
        }
        let place = |_: &str| Place::Images { pool: pool.clone(), data_pool: data_pool(), images: vec![image.clone()] };
        return Ok(each(
            draft.by_clients(shape.layer, &format!("{pool}/{image}{}", data_in(data_pool().as_deref())), place),
            wanted,
        ));
    }
    let Some(wanted) = shape.size.or(there.as_ref().map(|image| image.bytes.min(IMAGE_MOST))) else {
        return Err(Failure::Usage(format!("line {}: [{}] has no size; add size=1g", job.line, job.name)));
    };
    let (run, number) = (draft.name(""), draft.changes.len());
    let image = |part: &str| format!("{run}{part}{number}");
    let bytes = wanted.next_multiple_of(4 * MIB);
    for part in draft.clients_parts() {
        draft.changes.push(Change::Image { pool: pool.clone(), data_pool: data_pool(), name: image(&part), bytes });
    }
    let place = |part: &str| Place::Images { pool: pool.clone(), data_pool: data_pool(), images: vec![image(part)] };
    Ok(each(draft.by_clients(shape.layer, &format!("pool {pool}{}", data_in(data_pool().as_deref())), place), wanted))
}

fn each(targets: Vec<Target>, bytes: Bytes) -> Vec<(Target, Bytes)> {
    targets.into_iter().map(|target| (target, bytes)).collect()
}

fn on_objects(draft: &mut Draft, job: &Job) -> Result<Vec<(Target, Bytes)>, Failure> {
    let pool = pool(draft, job)?;
    let prefix = draft.name(&format!("{}.", draft.changes.len()));
    draft.changes.push(Change::Objects { pool: pool.clone(), prefix: prefix.clone() });
    let place = |part: &str| Place::Pool { pool: pool.clone(), prefix: format!("{prefix}{part}") };
    Ok(each(draft.by_clients(job.shape.layer, &format!("pool {pool}"), place), span(&job.shape).unwrap_or(0)))
}

fn pool(draft: &Draft, job: &Job) -> Result<String, Failure> {
    let pool = job.shape.pool.clone().unwrap_or_default();
    let scope = &draft.inventory.scope;
    if scope.pools.iter().any(|one| one.name == pool) {
        return Ok(pool);
    }
    let (line, there) = (job.line_of("pool"), scope.pools_to_name());
    Err(Failure::Usage(format!("line {line}: [{}] pool {pool} does not exist; there are: {there}", job.name)))
}
