//! Any report and any event that the types allow, sensible or not: for what no face may fall over.

mod causes;
mod host_loads;
mod latency;

use causes::{diagnosed, finding};
use host_loads::host_load;
use latency::{latency_parts, slowest, store};
use model::testing;
use model::*;
use model::{OpClass, OpMix};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

/// Numbers of all kinds, the usual ones often.
pub fn number() -> impl Strategy<Value = f64> {
    prop_oneof![4 => 1e-3..1e6f64, 2 => any::<f64>(), 1 => select(vec![0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY])]
}

const RUDE: [&str; 10] = [
    "",
    "\"a\\b\"} 1",
    "\u{1b}[31m",
    "</script>",
    "|",
    "a\nb",
    "\u{202e}",
    "osd.18446744073709551616",
    "日本",
    "e\u{301}",
];

/// Names and sentences, some with what breaks tables, terminals and markup.
pub fn text() -> impl Strategy<Value = String> {
    prop_oneof![3 => "[a-z.0-9]{1,12}", 1 => ".{0,80}", 1 => select(&RUDE[..]).prop_map(str::to_string)]
}

fn estimate() -> impl Strategy<Value = Estimate> {
    prop_oneof![
        3 => (number(), 0.0..2.0f64).prop_map(|(value, share)| Estimate::new(value, value.abs() * share)),
        1 => (number(), number(), number()).prop_map(|(value, low, high)| Estimate { value, low, high }),
    ]
}

fn layer() -> impl Strategy<Value = Layer> {
    select(Layer::ALL.to_vec())
}

fn pattern() -> impl Strategy<Value = Pattern> {
    select(Pattern::ALL.to_vec())
}

fn label() -> impl Strategy<Value = Label> {
    (0..11usize, text()).prop_map(|(which, why)| match which {
        0 => Label::Settled,
        1 => Label::Imprecise(why),
        2 => Label::Unsettled(why),
        3 => Label::Wandering(why),
        4 => Label::FewEvents(why),
        5 => Label::TwoLevels(why),
        6 => Label::Burst(why),
        7 => Label::GeneratorLimited(why),
        8 => Label::Implausible(why),
        9 => Label::Brief(why),
        _ => Label::Void(why),
    })
}

pub fn workload() -> impl Strategy<Value = Workload> {
    let access = prop_oneof![Just(Access::Random), Just(Access::Sequential), number().prop_map(Access::Zipf)];
    let sizes = (any::<u64>(), any::<u32>(), any::<u32>(), 0..=100u8, any::<u64>());
    (sizes, access, option::of(text()), btree_map(text(), text(), 0..3)).prop_map(|(sizes, access, engine, options)| {
        let (block, depth, jobs, read_percent, span) = sizes;
        let durability = if jobs % 2 == 0 { Durability::Fsync } else { Durability::None };
        let arrivals = if jobs % 3 == 0 { Arrivals::Even } else { Arrivals::Poisson };
        Workload {
            block,
            depth,
            rate: (jobs % 5 == 0).then(|| Rate { per_second: f64::from(depth), arrivals, by_job: jobs % 10 == 0 }),
            jobs,
            mix: OpMix::reads(read_percent),
            access,
            durability,
            span,
            spread: None,
            object: None,
            tree: None,
            buckets: 1 + jobs % 3,
            part: None,
            sizes: None,
            delete_at_once: None,
            seed: span,
            engine,
            options: options.clone(),
            verify: jobs % 3 == 0,
            clients: 1 + jobs % 4,
            settings: options,
        }
    })
}

fn percentile() -> impl Strategy<Value = Percentile> {
    (select(vec![50.0, 99.0, 99.9, 100.0]), number(), option::of(number()), option::of(number()))
        .prop_map(|(percent, value_ms, low_ms, high_ms)| Percentile { percent, value_ms, low_ms, high_ms })
}

fn figure() -> impl Strategy<Value = Figure> {
    let place = (layer(), text(), option::of(text()), pattern(), workload());
    let value = (option::of(estimate()), label(), any::<bool>(), 0..4u32, vec(percentile(), 0..5));
    (place, value, number(), any::<[u32; 4]>()).prop_map(|(place, value, seconds, counts)| {
        let (layer, target, host, pattern, workload) = place;
        let (estimate, label, chart, at_once, percentiles) = value;
        Figure {
            other_way: None,
            overlap: None,
            unseen: None,
            step: StepId(counts[0]),
            layer,
            target,
            network: host.clone().filter(|_| counts[2] % 3 == 0),
            way: host.clone().map(|host| (host, format!("h{}", counts[3] % 4))),
            host,
            pattern,
            kind: if counts[1] % 2 == 0 { OpClass::Read } else { OpClass::Write },
            workload,
            metric: pattern.metric(layer),
            estimate,
            label,
            chart,
            at_once,
            slices: counts[2],
            seconds,
            operations: counts[3].into(),
            bytes: u64::MAX,
            errors: 0,
            response: percentiles.clone(),
            first_byte: percentiles.clone(),
            percentiles,
            effort: counts[1].is_multiple_of(2).then_some(Shares {
                busy: seconds,
                queued: 0.5,
                overhead: Some(seconds),
            }),
            checked: counts[0].is_multiple_of(2).then(|| checked(counts)),
            valid_up_to: counts[1].is_multiple_of(3).then(|| counts[2].into()),
            gaps: Vec::new(),
            pgs_seen: Vec::new(),
            per_second: estimate.filter(|_| counts[0].is_multiple_of(2)),
            first_error: None,
            empty_pages: None,
            background: counts[2].is_multiple_of(2).then(|| background(counts, seconds)),
            sight: sight(counts, seconds),
        }
    })
}

fn limit() -> impl Strategy<Value = Limit> {
    let probe = (number(), any::<bool>(), any::<bool>(), number(), option::of(percentile())).prop_map(
        |(rate, confirms, kept, over, median)| TriedRate {
            rate,
            confirms,
            kept,
            seconds: over,
            over,
            over_low: over,
            over_high: over,
            median: median.clone(),
            bounded: median,
        },
    );
    (layer(), text(), pattern(), number(), option::of(number()), vec(probe, 0..4), option::of(text())).prop_map(
        |(layer, target, pattern, ms, rate, probes, why)| Limit {
            layer,
            target,
            pattern,
            bound: ResponseBound { percent: 99.0, ms, arrivals: Arrivals::Poisson },
            rate,
            capacity: rate,
            seconds: ms,
            probes,
            why,
        },
    )
}

fn checked(counts: [u32; 4]) -> Checked {
    let [wrong, stale, torn, misplaced] = counts.map(u64::from);
    let flaw = |kind: FlawKind| Flaw {
        kind,
        place: format!("object \u{1b}[31m{wrong}"),
        offset: stale,
        bytes: torn,
        seconds: f64::from(counts[3]),
        says: "</script>|`x`".to_string(),
    };
    let read_back = counts[1].is_multiple_of(2).then_some(ReadBack { bytes: wrong, of: stale });
    let flaws = FlawKind::ALL.map(flaw).to_vec();
    Checked { bytes: wrong, unknown: stale, wrong, stale, torn, misplaced, flaws, read_back }
}

fn background(counts: [u32; 4], number: f64) -> Background {
    let [osds, of, slices, dips] = counts;
    let says = of.is_multiple_of(3).then(|| "|</script>\u{1b}[31m".to_string());
    let chance = dips.is_multiple_of(2).then_some(number);
    let slowed =
        slices.is_multiple_of(2).then_some(Slowed { by: number, at_least: -number, stretches: dips, chance: number });
    let caches = if of > 1 { Caches::Warm } else { Caches::Cold };
    let reads = osds.is_multiple_of(2).then_some(ReadFrom {
        caches,
        from_device: number,
        onodes_in_memory: chance,
        rocksdb: None,
    });
    Background {
        osds,
        of,
        seconds: number,
        busy: number,
        slices,
        quiet: of,
        dips,
        in_step: osds,
        chance,
        dips_beyond_chance: osds.is_multiple_of(2),
        slowed,
        slower_beyond_chance: osds.is_multiple_of(3),
        says,
        reads,
    }
}

fn sight(counts: [u32; 4], number: f64) -> Option<Sight> {
    match counts[3] % 6 {
        0 => Some(Sight::TwoLevels { low: number, high: -number, share_low: number }),
        1 => Some(Sight::Fall { before: number, after: 1.0, at: number }),
        2 => Some(Sight::Dips { level: number, dips: vec![Dip { pass: counts[0], from: number, to: 0.0 }] }),
        3 => Some(Sight::Moving { pass: counts[1], from: number, to: number }),
        4 => Some(Sight::Slices { means: vec![number; 3] }),
        _ => None,
    }
}

/// Bytes that do not fit each other.
fn endurance() -> impl Strategy<Value = Endurance> {
    let lists = (vec(prop_oneof![any::<u32>().prop_map(u64::from), Just(u64::MAX >> 8)], 0..40), vec(text(), 0..2));
    (text(), option::of(text()), lists, any::<[u64; 5]>(), option::of(estimate()), number()).prop_map(
        |(target, model, (each_second, also), [written, before, held, low, high], rate, fall)| Endurance {
            says: target.clone(),
            target,
            until: if before % 2 == 0 { Until::Falls } else { Until::Steady },
            filled: (held % 3 == 0).then_some((high % 101) as u8),
            rounds: (held % 2 == 0).then(|| Rounds {
                seconds: fall,
                each: each_second.iter().map(|bytes| *bytes as f64).collect(),
                block: low,
                steady: (low % 2 == 0).then_some(high % 2 == 0),
                covered: fall,
                first: rate,
                last: rate,
            }),
            error: model.clone(),
            model,
            also,
            ended: if low % 2 == 0 { Ended::Fell } else { Ended::Broken },
            written: written % (1 << 50),
            seconds: fall,
            before,
            held,
            cliff: (low % 3 > 0).then_some(Cliff { written: held, low, high, from: rate, to: rate, fall }),
            rate,
            each_second,
        },
    )
}

fn cell() -> impl Strategy<Value = ChartCell> {
    (layer(), pattern(), option::of(estimate()), any::<u32>(), option::of(text()), label()).prop_map(
        |(layer, pattern, estimate, targets, worst, label)| ChartCell {
            door: None,
            only: Vec::new(),
            layer,
            pattern,
            estimate,
            targets,
            worst,
            label: label.name().to_string(),
            why: label.why().map(str::to_string),
        },
    )
}

fn row() -> impl Strategy<Value = LedgerRow> {
    let numbers = (option::of(number()), option::of(number()), option::of(number()), option::of(number()));
    (pattern(), layer(), estimate(), numbers, text()).prop_map(|(pattern, layer, adds, numbers, because)| {
        let (expected, unexplained, share, ceiling) = numbers;
        LedgerRow { pattern, layer, adds, expected, unexplained, share, ceiling, at_least: share > Some(0.5), because }
    })
}

pub fn undo() -> impl Strategy<Value = Undo> {
    let change = (0..4usize, text(), text(), any::<u64>()).prop_map(|(which, pool, name, bytes)| match which {
        0 => Change::Pool { name, pg_num: 8, size: None, on: Vec::new(), like: None },
        1 => Change::Image { pool, data_pool: None, name, bytes },
        2 => Change::Option { who: pool, name, value: "1".into() },
        _ => Change::file(Some(&pool), name.into(), bytes),
    });
    (change, any::<bool>(), option::of(text())).prop_map(|(change, undone, left)| Undo {
        change,
        before: None,
        undone,
        left,
    })
}

fn phrase() -> impl Strategy<Value = Phrase> {
    let metric = || select(vec![Metric::Iops, Metric::LatencyMean]);
    let quantity = prop_oneof![
        (estimate(), metric()).prop_map(|(estimate, metric)| Quantity::Measured { estimate, metric }),
        (number(), metric()).prop_map(|(value, metric)| Quantity::Value { value, metric }),
        number().prop_map(Quantity::Share),
        number().prop_map(Quantity::Chance),
        number().prop_map(Quantity::Times),
        any::<u64>().prop_map(Quantity::Count),
        any::<u32>().prop_map(Quantity::Megabits),
    ];
    let piece = prop_oneof![
        2 => text().prop_map(Piece::Text),
        1 => text().prop_map(|name| Piece::Subject(Subject::Host(name))),
        2 => quantity.prop_map(Piece::Quantity),
    ];
    vec(piece, 0..5).prop_map(Phrase)
}

pub fn head() -> impl Strategy<Value = RunHead> {
    (text(), text(), text(), text()).prop_map(|(run, started, version, command)| RunHead {
        imported: None,
        short_answers: true,
        own_lab: false,
        run,
        started,
        version,
        command,
    })
}

pub fn report() -> impl Strategy<Value = Report> {
    let outlier = (layer(), pattern(), text(), number(), any::<bool>(), phrase()).prop_map(
        |(layer, pattern, target, slower_by, sure, says)| {
            let standing = if sure { Standing::Confirmed } else { Standing::Hint };
            let subject = Subject::Thing { layer, name: target.clone() };
            Outlier { layer, pattern, subject, target, slower_by, standing, says }
        },
    );
    let outcome = prop_oneof![Just(Outcome::Pass), Just(Outcome::Fail), Just(Outcome::Open)];
    let threshold = (layer(), pattern(), option::of(text()), number())
        .prop_map(|(layer, pattern, target, value)| Threshold::of(layer, pattern, target.as_deref(), value));
    let verdict = (threshold, text(), option::of(estimate()), outcome, option::of(text()))
        .prop_map(|(threshold, target, estimate, outcome, why)| Verdict { threshold, target, estimate, outcome, why });
    let answer = prop_oneof![
        Just(Answer::Survey),
        vec(verdict, 0..4).prop_map(Answer::Verdicts),
        vec(limit(), 0..2).prop_map(Answer::HighestRates),
        swept().prop_map(|swept| Answer::Sweep(Box::new(swept))),
        vec(endurance(), 0..2).prop_map(Answer::SustainedWrites),
        vec(finding(), 0..3).prop_map(|found| Answer::Diagnosis(diagnosed(&found))),
    ];
    let lists = (vec(figure(), 0..12), vec(cell(), 0..12), vec(row(), 0..8), vec(outlier, 0..3), answer);
    let words = (
        vec(finding(), 0..3),
        vec(undo(), 0..3),
        vec(text(), 0..3),
        vec(host_load(), 0..3),
        vec(latency_parts(), 0..3),
        vec(store(), 0..3),
        vec(slowest(), 0..3),
    );
    (head(), number(), any::<bool>(), lists, words).prop_map(|(head, seconds, finished, lists, words)| {
        let (figures, chart, ledger, outliers, answer) = lists;
        let (findings, changes, errors, host_loads, latency_parts, stores, slow_operations) = words;
        let passes = figures.len() as u32;
        Report {
            warnings: errors.iter().rev().cloned().collect(),
            head,
            seconds,
            passes,
            ending: finished.then_some(Ending::Done),
            overhead: Some(Overhead { operation_ns: seconds, deep_operation_ns: 21.0, clock_ns: 25.0 }),
            figures,
            chart,
            ledger,
            latency_parts,
            stores,
            slow_operations,
            positions: None,
            distances: Vec::new(),
            doors: Vec::new(),
            gateways: Vec::new(),
            answer,
            host_loads,
            outliers,
            findings,
            changes,
            errors,
        }
    })
}

fn axis() -> impl Strategy<Value = SweepAxis> {
    let value = prop_oneof![any::<u64>().prop_map(Setting::Number), text().prop_map(Setting::Text)];
    let name = prop_oneof![select(vec!["depth", "block-size", "read-share"]).prop_map(String::from), text()];
    (name, vec(value, 0..4)).prop_map(|(name, values)| SweepAxis { name, values })
}

/// Places and indices that may lead nowhere.
fn swept() -> impl Strategy<Value = Swept> {
    let reading = (0..4usize, vec(0..5u32, 0..4), option::of(estimate()), option::of(estimate())).prop_map(
        |(figure, at, throughput, latency)| Reading { figure, at, throughput, metric: Metric::Iops, latency },
    );
    let knee =
        (vec(0..6usize, 0..4), any::<[u32; 5]>(), number(), text()).prop_map(|(curve, depths, reaches, says)| {
            let [depth, from, to, best, other] = depths;
            let (knee, balance) = (Choice { depth, from, to }, Choice { depth: other, from, to });
            Knee { curve, knee, reaches, best, balance, beyond: Beyond::Falls, says }
        });
    (vec(axis(), 0..4), vec(reading, 0..5), vec(knee, 0..3)).prop_map(|(axes, readings, knees)| Swept {
        sweep: Sweep { axes, ..plan_sweep() },
        readings,
        knees,
    })
}

/// A point of one axis, of which there is none.
fn plan_sweep() -> Sweep {
    Sweep { axes: vec![], points: vec![sweep::SweepPoint { step: StepId(1), at: vec![7] }], left_out: 3 }
}

pub fn scope() -> impl Strategy<Value = Scope> {
    let osd = (any::<u32>(), text(), option::of(text()), option::of(text()))
        .prop_map(|(id, host, class, device)| OsdScope { id, host, class, device, ..OsdScope::default() });
    (option::of(text()), option::of(text()), vec(osd, 0..4), btree_map(text(), text(), 0..3))
        .prop_map(|(fsid, cluster, osds, options)| Scope { fsid, cluster, osds, options, ..Scope::default() })
}

pub fn plan() -> impl Strategy<Value = Plan> {
    let step = (layer(), pattern(), vec(text(), 0..5), workload()).prop_map(|(layer, pattern, names, workload)| {
        let target = |name: String| Target::new(layer, name, Place::Null);
        let targets = names.into_iter().map(target).collect();
        Step::new(1, layer, pattern, targets, workload)
    });
    (vec(step, 0..5), vec(undo().prop_map(|undo| undo.change), 0..3), number()).prop_map(|(steps, changes, settle)| {
        let goal = Goal { settle, seconds_max: settle, ..Goal::default() };
        Plan { changes, steps, goal, experiment: PlannedExperiment::Sweep(plan_sweep()), ..Plan::default() }
    })
}

pub fn slice() -> impl Strategy<Value = Slice> {
    (option::of(0..3u32), any::<[u16; 4]>(), option::of(text()), 0..5u32).prop_map(|(target, n, void, warmup)| Slice {
        target,
        started_seconds: f64::from(n[1]),
        warmup,
        settled: n[0] % 2 == 0,
        void,
        ..testing::slice(
            StepId(1),
            u32::from(n[0]),
            u64::from(n[2]),
            vec![Sample { span_ns: n[2].into(), ops: n[3].into(), ..Sample::default() }; usize::from(n[0] % 4)],
        )
    })
}

pub fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        (head(), scope()).prop_map(|(head, scope)| Event::RunStarted { head, scope }),
        plan().prop_map(|plan| Event::Planned { plan }),
        undo().prop_map(|undo| Event::Changed { undo }),
        (text(), number()).prop_map(|(what, share)| Event::Progress { what, share }),
        (any::<u32>(), plan(), number()).prop_filter_map("a plan with a step", |(pass, plan, seconds_expected)| {
            plan.steps.into_iter().next().map(|step| Event::StepStarted { pass, step, seconds_expected })
        }),
        (any::<u32>(), vec(slice(), 0..4)).prop_map(|(pass, slices)| Event::StepFinished { pass, slices }),
        (any::<u32>(), report()).prop_map(|(pass, report)| Event::PassFinished { pass, report: Box::new(report) }),
        any::<[u32; 4]>().prop_map(|n| Event::Verified {
            verified: Verified { step: StepId(n[0]), target: n[1], pass: n[2], checked: checked(n) }
        }),
        text().prop_map(|text| Event::Warned { text }),
        text().prop_map(|text| Event::Failed { text }),
        number().prop_map(|seconds| Event::RunFinished { seconds, ending: Ending::Done }),
    ]
}
