//! Made by build.mjs from fathom.run-1.schema.json: change nothing here.

/**
 * How a run came to its end.
 */
export type Ending = ("done" | "failed") | "stopped";
/**
 * Ordered from the bottom of the stack to the top; every table follows this order.
 */
export type Layer = ("device" | "network" | "store" | "osd" | "rados" | "rbd") | "floor" | "file" | "object" | "guest";
/**
 * What is done to a target. The order is the order of every table.
 */
export type Pattern =
  | "write-latency"
  | "read-latency"
  | "write-parallel"
  | "read-parallel"
  | "write-linear"
  | "read-linear"
  | "create-delete"
  | "stat"
  | "stat-cached"
  | "open-read"
  | "list"
  | "rename"
  | "mixed";
export type OpClass =
  ("write" | "rename" | "delete") | "read" | "create" | "append" | "rewrite" | "stat" | "stat-cached" | "open" | "list";
/**
 * How the starts of an open loop lie in time.
 */
export type Arrivals = "poisson" | "even" | "pauses";
/**
 * How offsets are drawn from the span.
 */
export type Access =
  | ("random" | "sequential")
  | {
      zipf: number | null;
    };
/**
 * When a write counts as done. Layers that are durable by nature (store, osd, rados, rbd without cache) ignore it.
 */
export type Durability = "none" | "sync" | "dsync" | "fsync" | "fdatasync" | "group-commit";
/**
 * How large each object, or file, is: by its number, so that whoever reads it knows.
 */
export type Sizes =
  | {
      between: {
        least: number;
        most: number;
      };
    }
  | {
      shares: SizeShare[];
    };
export type StepId = number;
export type Label =
  | "settled"
  | "imprecise"
  | "unsettled"
  | "wandering"
  | "few events"
  | "two levels"
  | "brief"
  | "burst"
  | "generator-limited"
  | "unwritten"
  | "implausible"
  | "void";
/**
 * What a figure's value is. Values are kept in the unit of [`Metric::unit`].
 */
export type Metric = "latency_mean" | "rtt" | "iops" | "bandwidth";
export type Unit = "ms" | "IOPS" | "MB/s";
/**
 * How a block that was read differs from what was written there.
 */
export type FlawKind = "wrong" | "stale" | "torn" | "misplaced";
export type Caches = "cold" | "mixed" | "warm";
/**
 * What is seen in a figure's windows. Values are in the figure's unit.
 */
export type Sight =
  | {
      shape: "two-levels";
      low: number | null;
      high: number | null;
      /**
       * Share of the time at `low`, which is the level of fewer operations a second.
       */
      share_low: number | null;
    }
  | {
      shape: "fall";
      before: number | null;
      after: number | null;
      /**
       * Seconds from the run's start.
       */
      at: number | null;
    }
  | {
      shape: "dips";
      level: number | null;
      dips: Dip[];
    }
  | {
      shape: "moving";
      pass: number;
      from: number | null;
      to: number | null;
    }
  | {
      shape: "slices";
      means: (number | null)[];
    };
/**
 * Where a part of the latency of an operation is spent.
 */
export type Part =
  | "client"
  | "network"
  | "client-and-network"
  | "client-and-data"
  | "client-and-server"
  | "gateway"
  | "gateway-and-osds"
  | "metadata-server"
  | "osds"
  | "messenger"
  | "queue"
  | "software"
  | "software-and-chunks"
  | "metadata"
  | "data"
  | "log"
  | "replicas"
  | "rest";
export type Outcome = "pass" | "fail" | "open";
export type Finds = "better" | "worse" | "same" | "undecided";
/**
 * One value of an axis. Sizes are bytes, shares percent.
 */
export type Setting = number | string;
/**
 * What more depth than the knee's brings.
 */
export type Beyond = "flat" | "rises" | "falls";
/**
 * What is written, and when it is enough.
 */
export type Until = "falls" | "steady";
/**
 * Why it was over.
 */
export type Ended = "broken" | "fell" | "steady" | "volume" | "time" | "stopped";
/**
 * For what a drive is good.
 */
export type Fitness = "unfit" | "fit" | "fit-if-cache-off" | "not-for-journals" | "open";
/**
 * Why a drive is judged as it is.
 */
export type FitnessReason =
  | {
      reason: "rotates";
    }
  | {
      reason: "nothing-emptied";
    }
  | {
      reason: "faster-than-flash";
    }
  | {
      reason: "cache-emptied";
    }
  | {
      reason: "sooner-than-medium";
      per_second: number | null;
    }
  | {
      reason: "ways-differ";
      factor: number | null;
    }
  | {
      reason: "slower-than-disks";
      least: number | null;
    }
  | {
      reason: "slower-than-osds";
      least: number | null;
    }
  | {
      reason: "slower-than-journals";
      least: number | null;
      protected: number | null;
    }
  | {
      reason: "cache-off-helps";
      factor: number | null;
      then: Fitness;
    }
  | {
      reason: "cache-off-slower";
      factor: number | null;
    }
  | {
      reason: "cache-off-does-not-help";
    }
  | {
      reason: "cache-off-unknown";
    }
  | {
      reason: "cache-on-helps";
      factor: number | null;
      then: Fitness;
    }
  | {
      reason: "cache-not-flushed";
    }
  | {
      reason: "failed";
      operations: number;
      of: number;
      first: string | null;
    }
  | {
      reason: "failing";
    }
  | {
      reason: "unreadable";
      sectors: number;
    }
  | {
      reason: "medium-errors";
      errors: number;
    }
  | {
      reason: "reallocated";
      sectors: number;
    }
  | {
      reason: "worn";
      percent: number | null;
    }
  | {
      reason: "slow-link";
      /**
       * @minItems 2
       * @maxItems 2
       */
      now: [unknown, unknown];
      /**
       * @minItems 2
       * @maxItems 2
       */
      most: [unknown, unknown];
    }
  | {
      reason: "slower-than-twins";
      what: string;
      slower_by: number | null;
      others: number;
    }
  | {
      reason: "falls-when-full";
      after: number;
      from: number | null;
      to: number | null;
    }
  | {
      reason: "slower-when-steady";
      filled: number | null;
      first: number | null;
      steady: number | null;
    }
  | {
      reason: "ran-hot";
      celsius: number | null;
      most: number | null;
    }
  | {
      reason: "not-steady";
      filled: number | null;
    }
  | {
      reason: "part-written";
      filled: number | null;
      covered: number | null;
    }
  | {
      reason: "sleeps";
      pause_ms: number | null;
      rested_ms: number | null;
      ms: number | null;
    }
  | {
      reason: "slow-reads";
      ms: number | null;
    }
  | {
      reason: "not-measured";
      what: string;
      why: string | null;
    }
  | {
      reason: "undecided";
      either: Fitness;
      or: Fitness;
      low: number | null;
      high: number | null;
    }
  | {
      reason: "reads-undecided";
      either: Fitness;
      or: Fitness;
      low_ms: number | null;
      high_ms: number | null;
    }
  | {
      reason: "beside";
      osds: number[];
    }
  | {
      reason: "cache-not-tried";
    }
  | {
      reason: "held-back";
      loads: number;
      of: number;
    };
/**
 * In which state an image is.
 */
export type ImageState = "fresh" | "filled" | "overwritten" | "snapshot" | "clone" | "flattened" | "two-writers";
/**
 * One operation at a time; which of them.
 */
export type StateOperation = "read" | "first-write" | "later-write";
export type Standing = "hint" | "confirmed";

/**
 * A run of Fathom; json.md says what each field means. Fields may be added.
 */
export interface RunDocument {
  schema: "fathom.run/1";
  /**
   * null: the command failed before there was a run.
   */
  run: string | null;
  started: string | null;
  seconds: number | null;
  version: string;
  command: string | null;
  imported: Imported | null;
  passes: number;
  finished: boolean;
  ending: Ending | null;
  overhead: Overhead | null;
  /**
   * null: another tool was asked for nothing of the kind.
   */
  goal: Goal | null;
  scope: Scope | null;
  figures: FigureDocument[];
  chart: CellDocument[];
  ledger: LedgerDocument[];
  latency_parts: LatencyPartsDocument[];
  /**
   * Of writes: what OSDs' stores did on which of their devices.
   */
  stores: StoreTimes[];
  slow_operations: SlowestOfStep[];
  positions: PositionsDocument | null;
  floor: DistanceDocument[];
  doors: DoorDocument[];
  /**
   * Of several gateways the slowest beside the quickest.
   */
  gateways: GatewayDocument[];
  verdicts: VerdictDocument[];
  limits: LimitDocument[];
  clients: ClientsDocument[];
  ab: AbDocument | null;
  sweep: SweepDocument | null;
  sustained: SustainedDocument[];
  drives: DriveDocument[];
  image_states: StatesDocument | null;
  path_mtus: PathMtu[];
  bonds: HostBond[];
  host_loads: HostLoadDocument[];
  outliers: OutlierDocument[];
  findings: FindingDocument[];
  refuted: RefutedDocument[];
  untested: UntestedDocument[];
  changes: ChangeDocument[];
  warnings: string[];
  errors: string[];
}
/**
 * Which other tool measured what is recorded, and where that was read.
 */
export interface Imported {
  /**
   * With its version, where it tells that: `fio-3.33`.
   */
  tool: string;
  file: string;
}
/**
 * What an operation costs that does nothing, ns: drawing it, handing it over, two time stamps, counting it.
 */
export interface Overhead {
  /**
   * One in flight.
   */
  operation_ns: number | null;
  /**
   * Many in flight, which share time stamps.
   */
  deep_operation_ns: number | null;
  /**
   * One reading of the clock.
   */
  clock_ns: number | null;
}
/**
 * When a figure is good enough, and on which side of what it is to be.
 */
export interface Goal {
  /**
   * Half-width of the 95 % interval, as a share of the value: 0.05.
   */
  settle: number | null;
  /**
   * Measuring time of one figure, warm-up included.
   */
  seconds_max: number | null;
  passes_min: number;
  passes_max: number;
  /**
   * Settled data of one slice that only reads, or that loads a raw device or a network.
   */
  read_slice_seconds: number | null;
  /**
   * Settled data of one slice that writes through a store: longer, to see compaction dips.
   */
  write_slice_seconds: number | null;
  /**
   * Slices end at their length, settled or not.
   */
  fixed: boolean;
  /**
   * Steps have their turns as they stand in the plan; else they are shuffled in each pass.
   */
  in_order: boolean;
  window_ms: number;
  seed: number;
  /**
   * Writes to a device take a slice of writes, as those through a store: its own cache is full within seconds, which a short
   * slice of reads does not outlast.
   */
  outlast_caches?: boolean;
  /**
   * After the first slice of a figure that needs no warm-up, many short ones; `None`: all slices are long.
   */
  short?: ShortSlices | null;
  /**
   * Seconds that the run may take before passes beyond the least are left out; `None`: 13 minutes.
   */
  run_seconds?: number | null;
  /**
   * A figure is done as soon as it is known on which side of these it lies. Empty: how much it is.
   */
  thresholds?: Threshold[];
  /**
   * What is asked is the highest rate that keeps this.
   */
  bound?: Bound | null;
}
/**
 * Short slices see more moments in the same time (docs/method.md, "Rare and long events").
 */
export interface ShortSlices {
  /**
   * Counted seconds of one.
   */
  seconds: number | null;
  /**
   * At its front, and not counted: until as many operations are in flight as shall be.
   */
  front_seconds: number | null;
  /**
   * From the end of one slice of a step to the next one's begin, at least.
   */
  apart_seconds: number | null;
}
/**
 * A bound on the figures of one cell of the depth chart: at most that much where less is better, else at least.
 */
export interface Threshold {
  layer: Layer;
  pattern: Pattern;
  /**
   * Of which operations of a load that reads and writes. `None`: of those that the pattern is about.
   */
  kind?: OpClass | null;
  /**
   * `None`: every target of the cell.
   */
  target: string | null;
  /**
   * In the metric's unit.
   */
  value: number | null;
  /**
   * What was loaded when an earlier run had it; `None`: somebody wrote it down.
   */
  workload?: Workload | null;
  /**
   * The depth chart has no figure of this target; it is about those beside the chart.
   */
  beside?: boolean;
}
/**
 * As it is written: of reads and writes the percent of reads, else the percent of each class.
 */
export interface Workload {
  /**
   * Bytes of one operation; where sizes differ, of the largest.
   */
  block: number;
  /**
   * Operations in flight, over all jobs; in an open loop the most of them: what is due beyond that waits.
   */
  depth: number;
  /**
   * `None`: a closed loop, in which the next operation starts when one has ended.
   */
  rate?: Rate | null;
  /**
   * Lanes (threads) that share the depth.
   */
  jobs: number;
  /**
   * Connections to the cluster that share the lanes, in turns; never more than there are lanes.
   */
  clients?: number;
  /**
   * 0 = only writes, 100 = only reads; absent: of other operations.
   */
  read_percent?: number | null;
  /**
   * Of other operations than reads and writes: how many of a hundred are of each class.
   */
  operations?: {
    [k: string]: number;
  } | null;
  access: Access;
  durability: Durability;
  /**
   * Bytes of the working set, over all jobs (images, objects, region of a device); where sizes differ, as if all were the largest.
   */
  span: number;
  /**
   * Bytes of the device (of several, the smallest) over all of which the working set lies in pieces; `None`: it lies together, at
   * the beginning.
   */
  spread?: number | null;
  /**
   * Bytes of one object, for the layers made of objects.
   */
  object: number | null;
  /**
   * Of operations on files by their names: which files there are.
   */
  tree?: Tree | null;
  /**
   * Buckets among which objects are spread, by their numbers.
   */
  buckets?: number;
  /**
   * Objects are put in parts of this many bytes, one after the other; `None`: each as one.
   */
  part?: number | null;
  /**
   * How large whole objects, and files, are; `None`: each has `block` bytes (objects: `object`).
   */
  sizes?: Sizes | null;
  /**
   * Objects that one request deletes; `None`: one.
   */
  delete_at_once?: number | null;
  seed: number;
  /**
   * Which engine of the layer does it (`io_uring`, `psync`); `None`: the layer chooses.
   */
  engine: string | null;
  /**
   * Further engine options, by name.
   */
  options: {
    [k: string]: string;
  };
  /**
   * Blocks carry stamps, and those that are read are checked.
   */
  verify?: boolean;
  /**
   * Options of the cluster that hold while it is loaded, `WHO/NAME` to value; all others are as they are.
   */
  settings?: {
    [k: string]: string;
  };
}
/**
 * An open loop: operations are due at their times, whether or not earlier ones have ended.
 */
export interface Rate {
  /**
   * Operations per second on each target, over all jobs; with pauses as many as there would be if they took no time.
   */
  per_second: number | null;
  arrivals: Arrivals;
  /**
   * Each job keeps its share by itself, as fio's jobs do: what is due while it is busy waits for it, also where other jobs are idle. Else
   * whichever has a slot free begins what is due.
   */
  by_job?: boolean;
}
/**
 * Folders in folders, and files in the lowest of them.
 */
export interface Tree {
  /**
   * Levels of folders.
   */
  levels: number;
  /**
   * Folders in each folder, of each level.
   */
  folders: number;
  /**
   * Files in each folder of the lowest level.
   */
  files: number;
  /**
   * All jobs work in the same folders; else each has a tree of its own.
   */
  shared?: boolean;
}
export interface SizeShare {
  bytes: number;
  percent: number;
}
/**
 * `p99<10ms`: at least `percent` percent of the operations respond in less than `ms`.
 */
export interface Bound {
  /**
   * Above 0, below 100.
   */
  percent: number | null;
  ms: number | null;
  /**
   * How the starts of an open loop lie in time.
   */
  arrivals: "poisson" | "even" | "pauses";
}
export interface Scope {
  /**
   * `None`: no cluster was asked for.
   */
  fsid: string | null;
  /**
   * `lab:NAME` for a lab.
   */
  cluster: string | null;
  /**
   * `HEALTH_OK`, …, with the checks that are not fine.
   */
  health: string | null;
  health_checks: string[];
  /**
   * Daemon type to versions: `osd` to `16.2.15`.
   */
  versions: {
    [k: string]: string[];
  };
  /**
   * Version of the client library that was used.
   */
  client_version: string | null;
  hosts: HostScope[];
  devices: DeviceScope[];
  osds: OsdScope[];
  pools: PoolScope[];
  /**
   * The OSDs on which a pool may lie that is made without a word on its rule, as those of a run are. Empty: all, or not known.
   */
  new_pool_osds: number[];
  /**
   * What keeps replicas of such a pool apart: `host`, `osd`, `rack`; `None`: not known.
   */
  new_pool_apart: string | null;
  /**
   * As `PoolScope::takes`, of the rule of such a pool.
   */
  new_pool_takes?: RuleTake[];
  /**
   * Replicas of placement groups that the monitors allow for each OSD (`mon_max_pg_per_osd`).
   */
  pgs_per_osd_most: number | null;
  /**
   * From which share of its room on an OSD is called nearly full (`mon_osd_nearfull_ratio`, `ceph osd set-nearfull-ratio`).
   */
  nearfull: number | null;
  /**
   * May placement groups be bound to OSDs one by one (`pg-upmap`: `require-min-compat-client` is luminous or later)?
   */
  pg_upmap: boolean | null;
  /**
   * Options of the cluster that differ from their defaults: `osd.2/debug_osd` to its value.
   */
  options: {
    [k: string]: string;
  };
}
export interface HostScope {
  name: string;
  address: string | null;
  /**
   * Network namespace, for a lab's host.
   */
  namespace: string | null;
  kernel: string | null;
  cpu: string | null;
  cores: number | null;
  memory: number | null;
  /**
   * The host on which Fathom runs.
   */
  here: boolean;
}
export interface DeviceScope {
  path: string;
  host: string | null;
  model: string | null;
  bytes: number | null;
  rotational: boolean | null;
  /**
   * The OSDs that live on it, or have their database or journal there.
   */
  osds: number[];
}
export interface OsdScope {
  id: number;
  host: string;
  /**
   * What of the CRUSH map it lies in between its host and the root: `rack` to the rack's name.
   */
  within?: {
    [k: string]: string;
  };
  class: string | null;
  /**
   * The disk of its data; several with commas between them.
   */
  device: string | null;
  up: boolean;
  inside: boolean;
  /**
   * How often it leads placement groups, of 1; `None`: not known.
   */
  primary_affinity?: number | null;
  /**
   * Its share of the data in the CRUSH map.
   */
  crush_weight: number | null;
  address: string | null;
  /**
   * Where other OSDs reach it, if that is another address.
   */
  cluster_address: string | null;
  version: string | null;
  /**
   * `bluestore`, `memstore`.
   */
  store: string | null;
  bytes: number | null;
  bytes_used: number | null;
}
export interface PoolScope {
  id: number;
  name: string;
  /**
   * Replicas, or k+m of an erasure-coded pool.
   */
  size: number;
  min_size: number;
  /**
   * Data chunks of an erasure-coded pool.
   */
  erasure_k: number | null;
  /**
   * Parts of its objects may be written: of every replicated pool, and of an erasure-coded one that is told to.
   */
  overwrites?: boolean | null;
  pg_num: number;
  /**
   * `on`, `warn`, `off`; `None`: the release has no autoscaler, or an older record does not tell.
   */
  pg_autoscale_mode: string | null;
  applications: string[];
  /**
   * The OSDs on which its CRUSH rule lets it lie. Empty: all, or not known.
   */
  osds: number[];
  /**
   * What keeps its replicas apart: `host`, `osd`, `rack`; `None`: not known.
   */
  apart?: string | null;
  /**
   * Where its rule takes more than once, as one that keeps a first copy on faster disks: each of them. Empty: it takes once, or not known.
   */
  takes?: RuleTake[];
  /**
   * `None`: none, as of the next.
   */
  quota_bytes?: Quota | null;
  quota_objects?: Quota | null;
  /**
   * Writes to it wait until there is room: of its quota, or on an OSD.
   */
  full?: boolean;
}
/**
 * What a CRUSH rule places from one `take` to its `emit`.
 */
export interface RuleTake {
  /**
   * The OSDs below what it takes.
   */
  osds: number[];
  /**
   * How many copies, or chunks: as many as this if positive, else so many fewer than the pool has.
   */
  copies: number;
  /**
   * What keeps these apart, as of the pool.
   */
  apart: string | null;
}
/**
 * How much of a pool there may be, before all writes to it wait.
 */
export interface Quota {
  most: number;
  /**
   * As the cluster counts it: bytes without replicas, holes as well.
   */
  used: number;
}
export interface FigureDocument {
  step: StepId;
  layer: Layer;
  target: string;
  host: string | null;
  /**
   * Of a pair of hosts: on which network; null: that of the load.
   */
  network: string | null;
  pattern: Pattern;
  kind: OpClass;
  workload: Workload;
  other_way: OtherWayDocument | null;
  metric: Metric;
  unit: Unit;
  /**
   * null exactly if the label is void.
   */
  value: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  ci95: [number | null, number | null] | null;
  label: Label;
  why: string | null;
  chart: boolean;
  at_once: number;
  slices: number;
  seconds: number | null;
  operations: number;
  bytes: number;
  errors: number;
  per_second: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  per_second_ci95: [number | null, number | null] | null;
  first_error: string | null;
  percentiles: {
    [k: string]: number | null;
  };
  percentiles_ci95: {
    /**
     * @minItems 2
     * @maxItems 2
     */
    [k: string]: [number | null, number | null];
  };
  response_percentiles: {
    [k: string]: number | null;
  };
  response_percentiles_ci95: {
    /**
     * @minItems 2
     * @maxItems 2
     */
    [k: string]: [number | null, number | null];
  };
  first_byte_percentiles: {
    [k: string]: number | null;
  };
  first_byte_percentiles_ci95: {
    /**
     * @minItems 2
     * @maxItems 2
     */
    [k: string]: [number | null, number | null];
  };
  effort: Shares | null;
  verified: Checked | null;
  valid_up_to: number | null;
  gaps: string[];
  overlap: number | null;
  unseen: Unseen | null;
  empty_pages: EmptyPages | null;
  pgs_seen: PgsDocument[];
  background: Background | null;
  sight: Sight | null;
}
export interface OtherWayDocument {
  durability: Durability;
  value: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  ci95: [number | null, number | null] | null;
  label: Label;
}
/**
 * The same of a figure, as shares.
 */
export interface Shares {
  /**
   * Of the lanes' time, that they ran.
   */
  busy: number | null;
  /**
   * Of the lanes' time, that they waited for a processor.
   */
  queued: number | null;
  /**
   * Fathom's own part: of the latency with one operation in flight in a lane, else of the lanes' CPU. `None`: not known.
   */
  overhead: number | null;
}
/**
 * What was read back and checked on one target.
 */
export interface Checked {
  /**
   * Bytes that were compared with what was written.
   */
  bytes: number;
  /**
   * Bytes that were read but say nothing: their last write was not acknowledged.
   */
  unknown: number;
  /**
   * Blocks with a flaw, each counted once, however often it was read.
   */
  wrong: number;
  stale: number;
  torn: number;
  misplaced: number;
  /**
   * The first some of them.
   */
  flaws: Flaw[];
  /**
   * Where nothing but writes was asked for: what was read back of it afterwards.
   */
  read_back: ReadBack | null;
}
/**
 * One block that was not as it was written.
 */
export interface Flaw {
  kind: FlawKind;
  /**
   * The device, the image, the object.
   */
  place: string;
  /**
   * Where in it, and how far what is flawed reaches.
   */
  offset: number;
  bytes: number;
  /**
   * Seconds from the run's start to when it was read.
   */
  seconds: number | null;
  /**
   * What was found instead, in words.
   */
  says: string;
}
/**
 * A bounded look at what a slice had written.
 */
export interface ReadBack {
  /**
   * Bytes that were read back.
   */
  bytes: number;
  /**
   * Bytes that the slice had written, each place counted once.
   */
  of: number;
}
/**
 * What a figure speaks of, and what it may have missed there.
 */
export interface Unseen {
  /**
   * Seconds from the beginning of its first slice to the end of its last one.
   */
  stretch_seconds: number | null;
  /**
   * Moments at which it was looked at, 4 s or more apart.
   */
  looks: number;
  /**
   * Events that come less often than once in this many seconds may have been missed. It is a third of the counted time: of a
   * Poisson process none is seen in three times its mean gap with a chance of 5 %.
   */
  rarer_than_seconds: number | null;
  /**
   * The share of the value that slower events could take which no look met (95 %).
   */
  share: number | null;
  /**
   * The figure's interval is at least as wide as `share` says.
   */
  in_interval: boolean;
}
/**
 * Of a sample of the reads, a page each.
 */
export interface EmptyPages {
  looked_at: number;
  /**
   * All of whose bytes are the same.
   */
  empty: number;
}
export interface PgsDocument {
  pass: number;
  states: {
    [k: string]: number;
  };
}
/**
 * Of a figure: how its dips and its level lie to the compactions.
 */
export interface Background {
  /**
   * OSDs that were looked at, of those that serve it.
   */
  osds: number;
  of: number;
  /**
   * Counted seconds in which somebody looked, and the share of them in which tables were written.
   */
  seconds: number | null;
  busy: number | null;
  /**
   * Slices in which somebody looked, and those of them without any compaction.
   */
  slices: number;
  quiet: number;
  dips: number;
  /**
   * Dips during which tables were written.
   */
  in_step: number;
  /**
   * The chance of this many dips in step, or more, if dips came at any time; `None`: there was no dip.
   */
  chance: number | null;
  /**
   * There are too many of them for chance, among all figures of the run.
   */
  dips_beyond_chance: boolean;
  /**
   * `None`: tables were written always or never, or there is too little of either to compare.
   */
  slowed: Slowed | null;
  /**
   * It is too much for chance, among all figures of the run, and worth a word.
   */
  slower_beyond_chance: boolean;
  /**
   * What else is worth knowing of it; `None`: nothing is.
   */
  says: string | null;
  /**
   * Of reads: from where their bytes came; `None`: not known.
   */
  reads: ReadFrom | null;
}
/**
 * How much slower a figure is while tables are written.
 */
export interface Slowed {
  /**
   * Share of the level without that is missing with them, and the lower end of its 95 % interval; negative: it is faster. Somebody
   * looks once a second, so that the seconds in which writing began or ended count whole: both are rather too low than too high.
   */
  by: number | null;
  at_least: number | null;
  /**
   * Stretches of the series in which tables were written.
   */
  stretches: number;
  /**
   * The chance of a difference this large or larger if writing tables slowed nothing.
   */
  chance: number | null;
}
/**
 * From where a figure's reads came, by the OSDs' own counters.
 */
export interface ReadFrom {
  caches: Caches;
  /**
   * Share of the bytes that came from the OSDs' devices, and not from BlueStore's memory.
   */
  from_device: number | null;
  /**
   * Share of the lookups of objects' metadata that were answered from memory.
   */
  onodes_in_memory: number | null;
  /**
   * Bytes that RocksDB read meanwhile, below its own block cache.
   */
  rocksdb: number | null;
}
export interface Dip {
  pass: number;
  /**
   * Seconds from the slice's start.
   */
  from: number | null;
  to: number | null;
}
export interface CellDocument {
  layer: Layer;
  /**
   * Which of several gateways, or file systems.
   */
  door?: string | null;
  pattern: Pattern;
  metric: Metric;
  unit: Unit;
  value: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  ci95: [number | null, number | null] | null;
  targets: number;
  worst: string | null;
  label: Label;
  why: string | null;
}
export interface LedgerDocument {
  pattern: Pattern;
  layer: Layer;
  unit: Unit;
  adds: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  ci95: [number | null, number | null];
  expected: number | null;
  unexplained: number | null;
  share: number | null;
  ceiling: number | null;
  /**
   * The share may be lower; and the ceiling, where there is one, higher.
   */
  at_least: boolean;
  because: string;
}
export interface LatencyPartsDocument {
  layer: Layer;
  pattern: Pattern;
  target: string;
  mean_ms: number | null;
  /**
   * They add up to the mean.
   */
  parts: LatencyPart[];
  /**
   * Share of the operations that the OSDs, or the gateways, counted which were the run's own; null for a metadata server.
   */
  own: number | null;
  /**
   * Requests to a gateway or a metadata server in one operation; null where nobody stands between the client and the OSDs.
   */
  requests: number | null;
  osds: number;
  of: number;
  doubt: string | null;
}
export interface LatencyPart {
  part: Part;
  ms: number | null;
}
/**
 * Of one OSD, in the slices of one figure of writes; everybody's operations count.
 */
export interface StoreTimes {
  layer: Layer;
  pattern: Pattern;
  target: string;
  /**
   * How many targets were loaded at once.
   */
  at_once: number;
  /**
   * The store was loaded by the OSD's own bench, and not by clients.
   */
  by_itself: boolean;
  osd: number;
  devices: StoreDevices;
  /**
   * Transactions that became durable, and how long one took, ms.
   */
  commits: number;
  commit: number | null;
  /**
   * Of that, ms; null: the OSD does not count it.
   */
  parts: CommitParts | null;
  /**
   * A flush of the data's device by the thread that commits (`kv_flush_lat`), and a write of RocksDB's log, made durable
   * (`kv_commit_lat`), ms; null: not counted.
   */
  flush: number | null;
  log: number | null;
  /**
   * Null: the database has no device of its own, or that was not told.
   */
  database: DatabaseLook | null;
}
/**
 * Kernel names of the devices of an OSD; empty: not told.
 */
export interface StoreDevices {
  data: string[];
  /**
   * Of RocksDB's log: those of the log alone, else those of the database.
   */
  log: string[];
  /**
   * Does the log lie on other devices than the data? Null: not told.
   */
  apart: boolean | null;
}
/**
 * Of a mean commit, ms.
 */
export interface CommitParts {
  /**
   * Data written, and that device flushed.
   */
  data: number | null;
  /**
   * RocksDB's log written and made durable.
   */
  log: number | null;
}
/**
 * A database that has a device of its own, at the end of a slice, and what RocksDB did meanwhile.
 */
export interface DatabaseLook {
  /**
   * Bytes of its own device, and those of them in use.
   */
  size: number;
  used: number;
  /**
   * Bytes of the database that lie on the data's device, since they found no room or no place on its own (spillover).
   */
  spilled: number;
  /**
   * By how much that grew in the slice.
   */
  grown: number;
  /**
   * Bytes that RocksDB read from its devices in the slice, and those of them from the data's device; null: the release does not count
   * them.
   */
  read: number | null;
  read_spilled: number | null;
}
/**
 * The slowest operation that was seen in all slices of a step.
 */
export interface SlowestOfStep {
  layer: Layer;
  pattern: Pattern;
  target: string;
  osd: number;
  /**
   * From its receipt to its answer.
   */
  ms: number | null;
  /**
   * The longest stretch between two events that follow each other.
   */
  longest_ms: number | null;
  /**
   * The event before it: `waiting for subops from 1,2`.
   */
  after: string;
  /**
   * The event that ended it: `sub_op_commit_rec`.
   */
  until: string;
}
/**
 * Of writes with one in flight, in turns over pairs of OSDs; ms.
 */
export interface PositionsDocument {
  layer: Layer;
  pattern: Pattern;
  usual_median: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  usual_median_ci95: [number | null, number | null];
  usual_mean: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  usual_mean_ci95: [number | null, number | null];
  usual_p90: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  usual_p90_ci95: [number | null, number | null];
  /**
   * Over all OSDs, each as often the primary as the replica.
   */
  mean: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  mean_ci95: [number | null, number | null];
  operations: number;
  osds: PositionDocument[];
  pairs: PairDocument[];
}
export interface PositionDocument {
  osd: number;
  host: string;
  primary: RoleDocument;
  replica: RoleDocument;
  /**
   * What the OSD says of its own part; null: it was not asked, or does not count it.
   */
  own_stages: OsdStages | null;
}
/**
 * What it adds in this role, more than the median OSD.
 */
export interface RoleDocument {
  median: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  median_ci95: [number | null, number | null];
  mean: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  mean_ci95: [number | null, number | null];
  p90: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  p90_ci95: [number | null, number | null];
}
/**
 * What an OSD says of its own part, ms; everybody's operations count.
 */
export interface OsdStages {
  /**
   * From receipt to the queue's end, and preparing a write as the primary.
   */
  software: number | null;
  /**
   * Its store's commit.
   */
  commit: number | null;
  /**
   * Of that on the device of its data, and in RocksDB's log; `None`: it does not count it.
   */
  parts: CommitParts | null;
}
export interface PairDocument {
  primary: number;
  replica: number;
  mean: number | null;
  /**
   * What of it neither of both explains.
   */
  beyond: number | null;
}
export interface DistanceDocument {
  pattern: Pattern;
  replicas: number;
  on: string;
  unit: Unit;
  floor: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  floor_ci95: [number | null, number | null];
  ceph: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  ceph_ci95: [number | null, number | null];
  floor_label: Label;
  ceph_label: Label;
  times: number | null;
  /**
   * Without an upper end: the floor may be next to nothing.
   *
   * @minItems 2
   * @maxItems 2
   */
  times_ci95: [number | null, number | null];
}
export interface DoorDocument {
  layer: Layer;
  pattern: Pattern;
  target: string;
  unit: Unit;
  /**
   * Through the door.
   */
  value: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  ci95: [number | null, number | null];
  label: Label;
  /**
   * Objects of RADOS under the same work.
   */
  rados: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  rados_ci95: [number | null, number | null];
  rados_label: Label;
  /**
   * How many times slower it is through the door.
   */
  times: number | null;
  /**
   * Without an upper end: what it is divided by may be next to nothing.
   *
   * @minItems 2
   * @maxItems 2
   */
  times_ci95: [number | null, number | null];
}
export interface GatewayDocument {
  pattern: Pattern;
  kind: OpClass;
  unit: Unit;
  slow: string;
  value: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  ci95: [number | null, number | null];
  quick: string;
  quick_value: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  quick_ci95: [number | null, number | null];
  /**
   * How many times slower the one is.
   */
  times: number | null;
  /**
   * Without an upper end: what it is divided by may be next to nothing.
   *
   * @minItems 2
   * @maxItems 2
   */
  times_ci95: [number | null, number | null];
  /**
   * It is slower beyond the noise, by at least a tenth.
   */
  apart: boolean;
}
export interface VerdictDocument {
  layer: Layer;
  pattern: Pattern;
  kind: OpClass;
  target: string;
  unit: Unit;
  bound: "at most" | "at least";
  threshold: number | null;
  value: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  ci95: [number | null, number | null] | null;
  outcome: Outcome;
  why: string | null;
}
export interface LimitDocument {
  layer: Layer;
  target: string;
  pattern: Pattern;
  percent: number | null;
  below_ms: number | null;
  rate: number | null;
  confirmed_seconds: number | null;
  closed_loop: number | null;
  tried: TriedDocument[];
  why: string | null;
}
export interface TriedDocument {
  rate: number | null;
  confirms: boolean;
  kept: boolean;
  seconds: number | null;
  slower: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  slower_ci90: [number | null, number | null];
  /**
   * Value, low, high.
   *
   * @minItems 3
   * @maxItems 3
   */
  p50_ms: [number | null, number | null, number | null] | null;
  /**
   * @minItems 3
   * @maxItems 3
   */
  percentile_ms: [number | null, number | null, number | null] | null;
}
/**
 * One load by more and more clients.
 */
export interface ClientsDocument {
  layer: Layer;
  target: string;
  pattern: Pattern;
  unit: string;
  full: number | null;
  says: string;
  tried: ScaledDocument[];
}
export interface ScaledDocument {
  clients: number;
  hosts: number;
  value: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  ci95: [number | null, number | null] | null;
  label: Label;
}
/**
 * One setting against another; widths are of logarithms.
 */
export interface AbDocument {
  what: string;
  a: string;
  b: string;
  pairs: number;
  /**
   * null: there is no pair.
   */
  half_width: number | null;
  half_width_apart: number | null;
  restarts: number[];
  permanent: string[];
  /**
   * As in `fathom.compare/1`.
   */
  differences: DifferenceDocument[];
}
/**
 * One figure on both sides.
 */
export interface DifferenceDocument {
  layer: Layer;
  target: string;
  pattern: Pattern;
  kind: OpClass;
  at_once: number;
  workload: Workload;
  unit: Unit;
  finds: Finds;
  before: number | null;
  after: number | null;
  before_known: boolean;
  after_known: boolean;
  /**
   * As a share of the value before.
   */
  change: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  ci95: [number | null, number | null];
}
export interface SweepDocument {
  axes: AxisDocument[];
  left_out: number;
  points: PointDocument[];
  knees: KneeDocument[];
}
export interface AxisDocument {
  name: string;
  unit: string | null;
  values: Setting[];
}
/**
 * One combination on one target; null where the figure is void, implausible or unwritten.
 */
export interface PointDocument {
  figure: number;
  at: {
    [k: string]: Setting | null;
  };
  throughput: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  throughput_ci95: [number | null, number | null] | null;
  throughput_unit: Unit;
  latency: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  latency_ci95: [number | null, number | null] | null;
}
export interface KneeDocument {
  points: number[];
  depth: number;
  /**
   * @minItems 2
   * @maxItems 2
   */
  between: [number, number];
  reaches: number | null;
  best: number;
  balance: number;
  /**
   * @minItems 2
   * @maxItems 2
   */
  balance_between: [number, number];
  beyond: Beyond;
  says: string;
}
/**
 * How much a device took before its rate fell.
 */
export interface SustainedDocument {
  target: string;
  until: Until;
  /**
   * Percent of the device that were written before, after all of it was discarded; null: it was taken as it was.
   */
  fill_level: number | null;
  model: string | null;
  also: string[];
  ended: Ended;
  error: string | null;
  written: number;
  seconds: number | null;
  written_before: number;
  held: number;
  unit: Unit;
  rate: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  rate_ci95: [number | null, number | null] | null;
  cliff: CliffDocument | null;
  /**
   * Of small random writes; null: too few, or none were asked for.
   */
  rounds: RoundsDocument | null;
  each_second: number[];
  says: string;
}
export interface CliffDocument {
  written: number;
  /**
   * @minItems 2
   * @maxItems 2
   */
  between: [number, number];
  from: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  from_ci95: [number | null, number | null] | null;
  to: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  to_ci95: [number | null, number | null] | null;
  fall: number | null;
}
/**
 * Rates are writes a second.
 */
export interface RoundsDocument {
  round_seconds: number | null;
  /**
   * null: too few rounds.
   */
  steady: boolean | null;
  /**
   * Share of the working set that was written at least once.
   */
  covered: number | null;
  each: (number | null)[];
  first: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  first_ci95: [number | null, number | null] | null;
  /**
   * Over the last rounds, at most five.
   */
  last: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  last_ci95: [number | null, number | null] | null;
}
/**
 * Is a drive fit for Ceph? Rates are of 4 KiB with one operation in flight; its other figures stand among `figures`.
 */
export interface DriveDocument {
  target: string;
  host: string | null;
  model: string | null;
  serial: string | null;
  firmware: string | null;
  /**
   * Bytes of a sector: as it is addressed, and as it lies on the medium.
   *
   * @minItems 2
   * @maxItems 2
   */
  sectors: [number | null, number | null];
  /**
   * As the kernel has it, which takes what it does not know for a disk.
   */
  rotational: boolean | null;
  /**
   * By the drive's own word; null: it tells nothing, or is flash.
   */
  turns_a_minute: number | null;
  /**
   * `none`, `host-aware` or `host-managed`, by the kernel.
   */
  zoned: string | null;
  /**
   * GT/s and lanes of its PCIe link, as it is and as it could be.
   *
   * @minItems 2
   * @maxItems 2
   */
  link: [[unknown, unknown] | null, [unknown, unknown] | null];
  /**
   * null: it tells nothing, or smartctl is not installed on its host.
   */
  health: DriveHealth | null;
  through_file: boolean;
  /**
   * OSDs that had a part of the same disk, and served their cluster meanwhile.
   */
  beside: number[];
  fitness: Fitness;
  reasons: FitnessReason[];
  /**
   * The slowest way of making a write durable: that counts.
   */
  durable_by: Durability | null;
  unit: Unit;
  durable: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  durable_ci95: [number | null, number | null] | null;
  plain: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  plain_ci95: [number | null, number | null] | null;
  /**
   * null: it can't be asked.
   */
  cache: WriteCache | null;
  /**
   * With the cache switched the other way; null: not tried.
   */
  durable_switched: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  durable_switched_ci95: [number | null, number | null] | null;
  /**
   * Single reads after pauses, the shortest pause first.
   */
  rested: Rested[];
  /**
   * Seconds of the run, and °C then.
   */
  temperatures: [unknown, unknown][];
  /**
   * An estimate; null: a figure for it is missing.
   */
  one_osd: OsdEstimate | null;
  /**
   * null: it is not fit to hold WAL and DB of others.
   */
  serves: ServesDbs | null;
  says: string;
}
/**
 * By SMART, or the health log of NVMe. `None`: the drive does not tell.
 */
export interface DriveHealth {
  serial: string | null;
  firmware: string | null;
  /**
   * In full: of an ATA drive the kernel keeps its first 16 characters.
   */
  model: string | null;
  /**
   * By its own word: `false` is a drive that expects to fail.
   */
  passed: boolean | null;
  /**
   * Percent of the endurance that its maker promises; may be above 100.
   */
  used: number | null;
  /**
   * °C.
   */
  temperature: number | null;
  /**
   * °C from which on it is too hot for its maker: it may slow itself down.
   */
  temperature_most: number | null;
  hours: number | null;
  /**
   * Sectors that were replaced (SCSI: grown defects).
   */
  reallocated: number | null;
  /**
   * Sectors that could not be read and wait to be replaced.
   */
  pending: number | null;
  /**
   * Errors of the medium that the drive could not mend.
   */
  uncorrected: number | null;
}
/**
 * A drive's volatile write cache, by the drive's own word.
 */
export interface WriteCache {
  /**
   * As in /sys/block.
   */
  disk: string;
  on: boolean;
  /**
   * The kernel flushes it, or would if it were on; else what is said to be durable is lost with the power while it is on.
   */
  flushed: boolean;
  /**
   * Nothing else is on the drive: its cache may be switched for a trial.
   */
  alone: boolean;
  /**
   * Other disks have the same cache (namespaces of one NVMe controller, paths to one drive): it is switched for none of them.
   */
  shared: boolean;
  /**
   * The drive's own name, which stays with it (`wwid`); `None`: it has none.
   */
  identity: string | null;
}
/**
 * Reads of 4 KiB, each after a pause.
 */
export interface Rested {
  pause_ms: number | null;
  /**
   * Of a read.
   */
  ms: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  ms_ci95: [number | null, number | null] | null;
}
/**
 * What one OSD could do with a drive, by its figures and by what OSDs' software usually takes: operations of 4 KiB a second, without
 * replication, the least and the most.
 */
export interface OsdEstimate {
  /**
   * One in flight.
   *
   * @minItems 2
   * @maxItems 2
   */
  writes_alone: [number | null, number | null];
  /**
   * Many in flight.
   *
   * @minItems 2
   * @maxItems 2
   */
  writes_many: [number | null, number | null];
  /**
   * @minItems 2
   * @maxItems 2
   */
  reads_alone: [number | null, number | null];
  /**
   * @minItems 2
   * @maxItems 2
   */
  reads_many: [number | null, number | null];
}
/**
 * For how many drives one could hold WAL and DB.
 */
export interface ServesDbs {
  /**
   * The least and the most.
   *
   * @minItems 2
   * @maxItems 2
   */
  drives: [number | null, number | null];
  /**
   * The drive of the run that it was held against; `None`: usual disks.
   */
  of: string | null;
}
/**
 * What operations cost in each state of an image.
 */
export interface StatesDocument {
  pool: string;
  /**
   * Bytes of each image, and of one operation.
   */
  image_bytes: number;
  block: number;
  /**
   * Bytes of the images' objects; null: nothing was timed.
   */
  object_bytes: number | null;
  /**
   * Is every mean and every ratio as narrow as was asked for?
   */
  as_asked: boolean;
  states: StateDocument[];
}
/**
 * One operation at a time on an image in one of its states.
 */
export interface StateDocument {
  state: ImageState;
  operation: StateOperation;
  operations: number;
  rounds: number;
  unit: Unit;
  /**
   * The mean over the rounds; null: fewer than two of them.
   */
  mean: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  mean_ci95: [number | null, number | null] | null;
  longest: number | null;
  /**
   * How many times that of a filled image, round by round; null: it is that, or there were too few rounds.
   */
  times: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  times_ci95: [number | null, number | null] | null;
}
/**
 * Of an ordered pair of hosts, in bytes of an IP packet.
 */
export interface PathMtu {
  from: string;
  to: string;
  /**
   * As of a target: between which of their addresses.
   */
  network: string | null;
  /**
   * Of the interfaces at both ends.
   */
  sender: number;
  receiver: number;
  /**
   * The largest that arrived, up to the sender's; `None`: none did.
   */
  carries: number | null;
}
/**
 * A bond of a host that takes part in a run.
 */
export interface HostBond {
  /**
   * As it stands in the list of hosts.
   */
  host: string;
  nic: string;
  /**
   * Its own; none: a bridge or a VLAN on it has them, or an older run did not tell.
   */
  addresses: string[];
  bond: Bond;
}
export interface Bond {
  /**
   * `802.3ad`, `active-backup`.
   */
  mode: string;
  /**
   * What of a packet decides on its leg: `layer3+4`. Of `layer2` all that goes to one host takes one leg.
   */
  spread: string | null;
  legs: Leg[];
}
export interface Leg {
  name: string;
  up: boolean;
  /**
   * As negotiated; `None`: the driver does not say.
   */
  megabits: number | null;
  full_duplex: boolean | null;
  /**
   * How often its link has failed since it joined.
   */
  failures: number | null;
  /**
   * It belongs to another aggregate (LACP) than the one in use, and carries nothing.
   */
  apart: boolean;
}
/**
 * Of one step on one host: what its kernel counted.
 */
export interface HostLoadDocument {
  host: string;
  step: number;
  layer: Layer;
  target: string;
  pattern: Pattern;
  seconds: number | null;
  cpu: number | null;
  steal: number | null;
  pressure: Pressure | null;
  disks: DiskSecond[];
  nics: NicSecond[];
  segments: number;
  retransmitted: number;
  osds: OsdSecond[];
  interrupts: Interrupts | null;
  metadata_servers: MdsSecond[];
}
/**
 * Share of the time in which some task waited for it (pressure stall information: `some`).
 */
export interface Pressure {
  cpu: number | null;
  io: number | null;
  memory: number | null;
}
export interface DiskSecond {
  /**
   * `sdb`
   */
  name: string;
  /**
   * Per second.
   */
  reads: number | null;
  writes: number | null;
  read_bytes: number | null;
  written_bytes: number | null;
  /**
   * From the queue's entry to the answer, in ms; `None`: there was none.
   */
  read_ms: number | null;
  write_ms: number | null;
  /**
   * Operations in flight on average.
   */
  queue: number | null;
}
export interface NicSecond {
  name: string;
  /**
   * Bytes per second.
   */
  sent: number | null;
  received: number | null;
  /**
   * Packets that were lost or broken, in either direction.
   */
  lost: number;
}
export interface OsdSecond {
  osd: number;
  /**
   * Processors used, by kind of thread: `tp_osd_tp`, `msgr-worker`, `bstore_kv_sync`.
   */
  threads: {
    [k: string]: number | null;
  };
  /**
   * The same of the busiest single thread of each kind, 0 to 1.
   */
  busiest: {
    [k: string]: number | null;
  };
  /**
   * `None`: not known, since its sockets could not be looked at, or an older run did not.
   */
  connections: Connections | null;
}
/**
 * What an OSD's TCP connections did.
 */
export interface Connections {
  count: number;
  /**
   * Segments that all of them sent.
   */
  segments: number;
  /**
   * Of these, sent again.
   */
  retransmitted: number;
  /**
   * Of these, the ones that the receiver says it had already (DSACK); `None`: that is not known (no SACK, or before Linux 4.19).
   */
  needless: number | null;
  /**
   * That which lost the most segments; where none lost any, the one with the longest round trip among those that sent much.
   */
  worst: Connection | null;
}
/**
 * One TCP connection, seen from the OSD.
 */
export interface Connection {
  /**
   * Address and port of the other end.
   */
  peer: string;
  /**
   * Round trips as the kernel smooths them.
   */
  rtt_ms: number | null;
  /**
   * The shortest one so far; `None`: there was none yet.
   */
  rtt_min_ms: number | null;
  /**
   * The congestion window, in segments.
   */
  cwnd: number;
  /**
   * As of all connections, since it was told last or the watching began.
   */
  segments: number;
  retransmitted: number;
  needless: number | null;
}
/**
 * The processor that spent the most of its time in interrupts and softirqs, beside all others.
 */
export interface Interrupts {
  /**
   * Its number.
   */
  processor: number;
  /**
   * How many processors there are.
   */
  processors: number;
  /**
   * Of its time, in interrupts and softirqs.
   */
  share: number | null;
  idle: number | null;
  /**
   * The means of all others; 0 if there are none.
   */
  others_share: number | null;
  others_idle: number | null;
}
/**
 * A metadata server of CephFS.
 */
export interface MdsSecond {
  /**
   * `mds.a`
   */
  name: string;
  /**
   * Processors used, by kind of thread: `ms_dispatch`, `msgr-worker`, `mds_rank_progr`.
   */
  threads: {
    [k: string]: number | null;
  };
}
export interface OutlierDocument {
  layer: Layer;
  pattern: Pattern;
  target: string;
  slower_by: number | null;
  standing: Standing;
  says: string;
}
export interface FindingDocument {
  id: string;
  standing: Standing;
  target: string;
  says: string;
  evidence: string[];
  /**
   * What is a consequence of it.
   */
  explains: ExplainedDocument[];
  /**
   * null: it was not measured.
   */
  cost: CostDocument | null;
  /**
   * The measurement that would make a hint certain; of what is confirmed empty.
   */
  confirm: string;
  fix: string;
  risk: string;
}
export interface ExplainedDocument {
  id: string;
  target: string;
  says: string;
  evidence: string[];
}
/**
 * What mending a cause would gain.
 */
export interface CostDocument {
  gains: GainDocument[];
  /**
   * What is the limit then.
   */
  until: string;
}
/**
 * What one figure is with the cause, and what it would be without.
 */
export interface GainDocument {
  of: string;
  /**
   * Of all operations of a pool, and not only of those that the cause is in the way of.
   */
  whole: boolean;
  layer: Layer;
  pattern: Pattern;
  target: string;
  metric: Metric;
  unit: Unit;
  from: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  from_ci95: [number | null, number | null];
  to: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  to_ci95: [number | null, number | null];
  /**
   * Share: -0.37 is 37 % less.
   */
  change: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  change_ci95: [number | null, number | null];
}
export interface RefutedDocument {
  id: string;
  target: string;
  says: string;
  because: string;
}
/**
 * What would have told more, and was not measured.
 */
export interface UntestedDocument {
  id: string;
  target: string;
  says: string;
  why: string;
  /**
   * What would make it possible.
   */
  needs: string;
}
export interface ChangeDocument {
  what: string;
  undone: boolean;
  /**
   * Why it was not undone, if what bears its name is not, or no more, the run's.
   */
  left_as_it_is: string | null;
}
