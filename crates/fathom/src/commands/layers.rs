//! The commands of one layer each: `disk`, `network`, `floor`, `store`, `osd`, `rados`, `rbd`, `file`, `object`.

use super::experiment::{experiment, refuse_senseless_scaling};
use super::run::sound_and_print;
use crate::cli::crosscheck::On;
use crate::cli::experiment::{ExperimentArgs, FiguresAndRates};
use crate::cli::layers::{
    DiskArgs, DiskCommand, FileCommand, GuestCommand, LayerArgs, NetworkArgs, ObjectCommand, OsdArgs, PoolArgs,
    RadosArgs, RbdArgs, RbdCommand, StoreArgs, SustainedArgs, TrimWhen,
};
use crate::cli::workload::{NamesArgs, OwnNumbers, TreeArgs, WorkloadArgs};
use crate::cli::{Common, Format};
use clap::Args;
use experiments::{Experiment, Request, SustainedOptions, Targets};
use model::{Durability, Failure, Layer, NfsExport, OpMix, Tree, Until};
use std::path::PathBuf;

/// What the command of one layer asks for, by whichever experiment.
pub struct OneLayer<'a, E: Args> {
    pub layer: Layer,
    pub targets: Targets,
    pub own: OwnNumbers,
    pub args: &'a LayerArgs<E>,
}

pub fn of_disk<E: Args>(args: &DiskArgs<E>) -> Result<OneLayer<'_, E>, Failure> {
    of_paths(Layer::Device, args)
}

fn of_paths<E: Args>(layer: Layer, args: &DiskArgs<E>) -> Result<OneLayer<'_, E>, Failure> {
    refuse_unnamed(&args.destroy_data_on, &args.paths)?;
    let (paths, destroy_data_on) = (args.paths.clone(), args.destroy_data_on.clone());
    let targets = Targets { paths, destroy_data_on, ..Targets::default() };
    let own = OwnNumbers { sync: args.sync.sync, ..OwnNumbers::default() };
    Ok(OneLayer { layer, targets, own, args: &args.layer })
}

pub fn of_guest<E: Args>(args: &GuestCommand<E>) -> Result<OneLayer<'_, E>, Failure> {
    refuse_unnamed(&args.destroy_data_on, &args.paths)?;
    let (guest_paths, destroy_data_on) = (args.paths.clone(), args.destroy_data_on.clone());
    let targets = Targets { guest_paths, destroy_data_on, ..Targets::default() };
    let own = OwnNumbers { sync: args.sync.sync, ..OwnNumbers::default() };
    Ok(OneLayer { layer: Layer::Guest, targets, own, args: &args.layer })
}

/// Whoever mistypes a path is not to lose what is on another one.
fn refuse_unnamed(given_up: &[PathBuf], paths: &[PathBuf]) -> Result<(), Failure> {
    match given_up.iter().find(|path| !paths.contains(path)) {
        Some(given_up) => Err(Failure::Usage(format!(
            "--destroy-data-on {}: is none of the paths to measure; name the same path twice",
            given_up.display()
        ))),
        None => Ok(()),
    }
}

fn of_store<E: Args>(args: &StoreArgs<E>) -> OneLayer<'_, E> {
    let targets = Targets { osds: args.osds.clone(), each_alone: args.alone, ..Targets::default() };
    OneLayer { layer: Layer::Store, targets, own: OwnNumbers::default(), args: &args.layer }
}

pub fn of_osd<E: Args>(args: &OsdArgs<E>) -> OneLayer<'_, E> {
    let own = OwnNumbers { object_size: args.objects.object_size, ..OwnNumbers::default() };
    OneLayer { layer: Layer::Osd, own, ..of_store(&args.osds) }
}

fn of_pool<E: Args>(layer: Layer, args: &PoolArgs<E>) -> OneLayer<'_, E> {
    let targets = Targets { pool: args.pool.clone(), ..Targets::default() };
    let own = OwnNumbers { pgs: args.pgs.pgs, ..OwnNumbers::default() };
    OneLayer { layer, targets, own, args: &args.layer }
}

pub fn of_rados<E: Args>(args: &RadosArgs<E>) -> OneLayer<'_, E> {
    let of = of_pool(Layer::Rados, &args.of);
    OneLayer { own: OwnNumbers { object_size: args.objects.object_size, ..of.own }, ..of }
}

pub fn of_rbd<E: Args>(args: &RbdArgs<E>) -> OneLayer<'_, E> {
    let of = of_pool(Layer::Rbd, &args.of);
    let (image, data_pool) = (args.image.clone(), args.data_pool.clone());
    OneLayer { targets: Targets { image, data_pool, ..of.targets }, ..of }
}

pub fn of_file<E: Args>(args: &FileCommand<E>) -> Result<OneLayer<'_, E>, Failure> {
    let ((folders, exports), cephfs) = (folders(&args.folders)?, args.cephfs.clone());
    let targets = Targets { folders, exports, cephfs, data_pool: args.data_pool.clone(), ..Targets::default() };
    let mix = mix(Layer::File, &args.names)?;
    refuse_what_names_have_not(args)?;
    let (sync, tree, sizes) = (args.sync.sync, tree(&args.tree), args.names.sizes.clone());
    let own = OwnNumbers { sync, tree, mix, sizes, ..OwnNumbers::default() };
    Ok(OneLayer { layer: Layer::File, targets, own, args: &args.layer })
}

/// Those of mounted file systems, and what NFS servers export. What is made in a folder is known, and undone, by its whole path, wherever the
/// program is started then.
pub fn folders(named: &[PathBuf]) -> Result<(Vec<PathBuf>, Vec<NfsExport>), Failure> {
    let (mut folders, mut exports) = (Vec::new(), Vec::new());
    for name in named {
        match name.to_str().filter(|name| NfsExport::is_meant(name)) {
            Some(name) => exports.push(name.parse().map_err(Failure::Usage)?),
            None => folders.push(
                std::path::absolute(name).map_err(|error| Failure::Usage(format!("{}: {error}", name.display())))?,
            ),
        }
    }
    Ok((folders, exports))
}

/// `None`: the usual one.
pub fn tree(args: &TreeArgs) -> Option<Tree> {
    let shared = args.shared_folders;
    let tree = args.tree.or_else(|| shared.then_some(SHARED_TREE))?;
    Some(Tree { shared, ..tree })
}

/// Of all jobs together, unless said otherwise.
const SHARED_TREE: Tree = Tree { levels: 1, folders: 8, files: 2048, shared: true };

pub fn of_object<E: Args>(args: &ObjectCommand<E>) -> Result<OneLayer<'_, E>, Failure> {
    // A lab has its own; the environment may name one far away.
    let gateways = args.gateway.gateways(args.layer.run.lab.is_none())?;
    let targets = Targets { gateways, swift: args.gateway.swift.is_some(), ..Targets::default() };
    let (object_size, mix) = (args.objects.object_size, mix(Layer::Object, &args.names)?);
    let (buckets, part, sizes) = (args.buckets.buckets, args.buckets.part_size, args.names.sizes.clone());
    let (objects, delete_at_once) = (args.buckets.objects, args.buckets.delete_at_once);
    let placement = args.buckets.placement.clone();
    let own = OwnNumbers { object_size, mix, objects, placement, ..OwnNumbers::default() };
    let own = OwnNumbers { buckets, part, sizes, delete_at_once, ..own };
    Ok(OneLayer { layer: Layer::Object, targets, own, args: &args.layer })
}

/// What is of blocks alone, or of names alone, is not taken for the other.
fn refuse_what_names_have_not<E: Args>(args: &FileCommand<E>) -> Result<(), Failure> {
    let (load, patterns) = (&args.layer.workload, &args.layer.workload.common.patterns);
    let only_names = args.names.mix.is_some() || (!patterns.is_empty() && patterns.iter().all(|one| one.is_metadata()));
    let only_blocks = args.names.mix.is_none() && !patterns.is_empty() && !patterns.iter().any(|one| one.is_metadata());
    let of_blocks = "is of blocks, and files by their names have none";
    let of_names = "is of files by their names, and only blocks are loaded";
    let senseless = [
        ("--working-set", only_names && load.working_set.is_some(), of_blocks),
        ("--read-share", only_names && load.read_share.is_some(), of_blocks),
        ("--tree", only_blocks && args.tree.tree.is_some(), of_names),
        ("--shared-folders", only_blocks && args.tree.shared_folders, of_names),
        ("--sizes", only_blocks && args.names.sizes.is_some(), of_names),
    ];
    match senseless.into_iter().find(|(_, given, _)| *given) {
        Some((option, _, why)) => Err(Failure::Usage(format!("{option}: {why}; leave it out"))),
        None => Ok(()),
    }
}

/// Of operations that the layer has.
fn mix(layer: Layer, args: &NamesArgs) -> Result<Option<OpMix>, Failure> {
    let lacks = |mix: OpMix| mix.classes().find(|class| !layer.has_all_of(OpMix::only(*class)));
    match args.mix.and_then(lacks) {
        Some(class) => Err(Failure::Usage(format!(
            "--mix: the {} layer has no {}; it has {}",
            layer.name(),
            class.name(),
            layer.spec().operations.iter().map(|class| class.name()).collect::<Vec<_>>().join(", ")
        ))),
        None => Ok(args.mix),
    }
}

/// The layer on which Fathom and fio are compared.
pub fn of_crosscheck(on: &On) -> Layer {
    match on {
        On::Disk(_) => Layer::Device,
        On::Rados(_) => Layer::Rados,
        On::Rbd(_) => Layer::Rbd,
    }
}

/// One layer, by any experiment but a sweep.
fn request<E: FiguresAndRates>(common: &Common, one: OneLayer<'_, E>) -> Result<Request, Failure> {
    let OneLayer { layer, targets, own, args } = one;
    let (figures, rates) = (args.experiment.figures(), &args.experiment.rates());
    refuse_senseless_scaling(figures, rates, &args.workload, &[layer], targets.image.is_some())?;
    let (experiment, goal) = experiment(common, figures, rates, &args.workload, &[layer])?;
    Ok(Request {
        layers: vec![layer],
        all_layers: false,
        targets,
        workload: own.onto(rates.workload(&args.workload)),
        goal,
        experiment,
        quiesce: args.run.quiesce,
        thorough: true,
        restarts: None,
        sets_twice: false,
    })
}

fn measure<E: FiguresAndRates>(common: &Common, one: OneLayer<'_, E>) -> Result<u8, Failure> {
    sound_and_print(common, &one.args.run, &request(common, one)?)
}

pub fn disk(common: &Common, args: &DiskCommand) -> Result<u8, Failure> {
    let layer = &args.disk.layer;
    let one = of_disk(&args.disk)?;
    let sync = one.own.sync;
    let mut request = request(common, one)?;
    let lasting = sustained(&args.sustained, &layer.workload)?;
    request.experiment = match lasting {
        lasting if args.fit.fit => {
            if request.targets.paths.is_empty() && layer.run.lab.is_none() {
                let text = "--fit writes to what it judges, and nothing is named; name it: fathom disk PATH --fit --hosts LIST";
                return Err(Failure::Usage(text.to_string()));
            }
            Experiment::Fitness(lasting.map(|asked| SustainedOptions { alone: false, ..asked }))
        }
        Some(lasting) => {
            refuse_beside_sustained(layer, sync)?;
            Experiment::SustainedWrites(lasting)
        }
        None => request.experiment,
    };
    let format = if args.fit.export { Format::Drives } else { common.format };
    sound_and_print(&Common { format, ..common.clone() }, &layer.run, &request)
}

/// The longest that it lasts, unless said otherwise.
const SUSTAINED_SECONDS: f64 = 15.0 * 60.0;

/// Less is none that five rounds fit into.
const STEADY_SECONDS_LEAST: f64 = 5.0;

/// `None`: nothing of it was asked for.
fn sustained(args: &SustainedArgs, workload: &WorkloadArgs) -> Result<Option<SustainedOptions>, Failure> {
    let wished = [(args.sustained, Until::Falls), (args.until_steady, Until::Steady)];
    let until: Vec<Until> = wished.into_iter().filter(|(asked, _)| *asked).map(|(_, until)| until).collect();
    if until.is_empty() {
        return Ok(None);
    }
    let levels = &args.fill_levels;
    if let Some((_, twice)) = levels.iter().enumerate().find(|(at, level)| levels[..*at].contains(level)) {
        return Err(Failure::Usage(format!("--fill-levels: {twice} is named twice; name it once")));
    }
    let seconds = args.most_time.unwrap_or(SUSTAINED_SECONDS);
    if args.until_steady && seconds < STEADY_SECONDS_LEAST {
        return Err(Failure::Usage(format!(
            "--for: --until-steady needs five rounds of a second at least; give it {STEADY_SECONDS_LEAST} s or more"
        )));
    }
    Ok(Some(SustainedOptions {
        until,
        fill_levels: levels.clone(),
        trim: [TrimWhen::Before, TrimWhen::After].map(|when| args.trim.contains(&when)),
        seconds,
        volume: args.volume,
        alone: workload.common.patterns.is_empty(),
    }))
}

/// Without patterns there is no survey that could have these.
fn refuse_beside_sustained(args: &LayerArgs, sync: Option<Durability>) -> Result<(), Failure> {
    let workload = &args.workload;
    let senseless = [
        ("--read-share", workload.read_share.is_some()),
        ("--rate", args.experiment.rates.rate.is_some()),
        ("--access", workload.access.is_some()),
        ("--sync", sync.is_some()),
        ("--jobs", workload.common.jobs.is_some()),
        ("--working-set", workload.working_set.is_some()),
        ("--verify", args.experiment.rates.verify),
    ];
    match senseless.into_iter().find(|(_, given)| *given && workload.common.patterns.is_empty()) {
        Some((option, _)) => Err(Failure::Usage(format!(
            "{option}: --sustained and --until-steady have their own way of writing; for figures beside them, name their --patterns"
        ))),
        None => Ok(()),
    }
}

pub fn network(common: &Common, args: &NetworkArgs) -> Result<u8, Failure> {
    if args.run.lab.is_none() && !args.run.hosts.named() && !args.loopback {
        let text = "which hosts? The network is measured between two or more: name them with --hosts a,b[1-9] (or --lab); \
                    --loopback measures within this host alone";
        return Err(Failure::Usage(text.to_string()));
    }
    let (targets, own) = (Targets::default(), OwnNumbers::default());
    let workload = WorkloadArgs { common: args.workload.clone(), ..WorkloadArgs::default() };
    let args = &LayerArgs { run: args.run.clone(), workload, experiment: args.experiment.clone() };
    measure(common, OneLayer { layer: Layer::Network, targets, own, args })
}

pub fn floor(common: &Common, args: &DiskArgs<ExperimentArgs>) -> Result<u8, Failure> {
    measure(common, of_paths(Layer::Floor, args)?)
}

pub fn store(common: &Common, args: &StoreArgs<ExperimentArgs>) -> Result<u8, Failure> {
    measure(common, of_store(args))
}

pub fn osd(common: &Common, args: &OsdArgs) -> Result<u8, Failure> {
    measure(common, of_osd(args))
}

pub fn rados(common: &Common, args: &RadosArgs) -> Result<u8, Failure> {
    measure(common, of_rados(args))
}

pub fn rbd(common: &Common, args: &RbdCommand) -> Result<u8, Failure> {
    let one = of_rbd(&args.images);
    let run = &one.args.run;
    let mut request = request(common, one)?;
    if args.states {
        request.experiment = Experiment::ImageStates;
    }
    sound_and_print(common, run, &request)
}

pub fn file(common: &Common, args: &FileCommand) -> Result<u8, Failure> {
    measure(common, of_file(args)?)
}

pub fn object(common: &Common, args: &ObjectCommand) -> Result<u8, Failure> {
    measure(common, of_object(args)?)
}

pub fn guest(common: &Common, args: &GuestCommand) -> Result<u8, Failure> {
    measure(common, of_guest(args)?)
}
