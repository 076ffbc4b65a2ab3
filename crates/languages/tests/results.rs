//! Real results of other tools are read as what they are; whatever else comes is an error, never a panic.

use languages::{ImportedFigure, Results, events, read};
use model::{Access, Event, Layer, OpClass, Pattern, RunHead};
use proptest::prelude::*;
use serde_json::Value;

const FIO: &str = include_str!("../../../fixtures/import/fio.json+");
const TWO_JOBS: &str = include_str!("../../../fixtures/import/fio-two-jobs.json");
const GROUP: &str = include_str!("../../../fixtures/import/fio-group.json");
const RADOS: &str = include_str!("../../../fixtures/import/rados-write.txt");
const RADOS_TIMED: &str = include_str!("../../../fixtures/import/rados-show-time.txt");
const RADOS_JSON: &str = include_str!("../../../fixtures/import/rados-write.json");
const FIO_RBD: &str = include_str!("../../../fixtures/import/fio-rbd.json");
const FIO_RADOS: &str = include_str!("../../../fixtures/import/fio-rados.json");
const RADOS_SHORT: &str = include_str!("../../../fixtures/import/rados-short.txt");
const RADOS_SHORT_JSON: &str = include_str!("../../../fixtures/import/rados-short.json");
const RADOS_RAND: &str = include_str!("../../../fixtures/import/rados-rand.json");
const ELBENCHO: &str = include_str!("../../../fixtures/import/elbencho.csv");
const ELBENCHO_JSON: &str = include_str!("../../../fixtures/import/elbencho.json");
const ALL: [&str; 13] = [
    FIO,
    TWO_JOBS,
    GROUP,
    FIO_RBD,
    FIO_RADOS,
    RADOS,
    RADOS_TIMED,
    RADOS_JSON,
    RADOS_SHORT,
    RADOS_SHORT_JSON,
    RADOS_RAND,
    ELBENCHO,
    ELBENCHO_JSON,
];

/// With `--status-interval` fio tells of itself again and again: the last time counts, and is there as a whole.
#[test]
fn of_what_fio_told_again_and_again_the_last_counts() {
    let both = format!("{TWO_JOBS}\n{FIO}");
    assert_eq!(read(&both).unwrap(), read(FIO).unwrap());
    assert!(read(&both[..both.len() - FIO.len() / 2]).unwrap_err().contains("no JSON"));
}

#[track_caller]
fn only(results: &Results) -> &ImportedFigure {
    assert_eq!(results.measured.len(), 1, "{results:?}");
    &results.measured[0]
}

fn ops(measured: &ImportedFigure, kind: OpClass) -> u64 {
    let told = measured.told.iter().find(|told| told.kind == kind).unwrap();
    told.samples.iter().map(|sample| sample.ops).sum()
}

#[test]
fn a_job_of_fio() {
    let results = read(FIO).unwrap();
    let job = only(&results);
    assert_eq!(
        (results.tool.as_str(), job.target.as_str(), job.layer),
        ("fio-3.33", "/dev/shm/load.bin", Layer::Device)
    );
    assert_eq!((job.workload.block, job.workload.depth, job.workload.mix.percent(OpClass::Read)), (4096, 1, 100));
    assert_eq!((job.workload.access, job.workload.span), (Access::Random, 64 << 20));
    assert_eq!(ops(job, OpClass::Read), 1_616_746);
    let sample = &job.told[0].samples[0];
    assert_eq!(sample.span_ns, 2_001_000_000);
    assert!((sample.service.mean_ns().unwrap() - 1069.53).abs() < 0.1);
    // fio's own median is 844 ns, its p99 1640 ns.
    assert!((sample.service.quantile_ns(0.5).unwrap() / 844.0 - 1.0).abs() < 0.02);
    assert!((sample.service.quantile_ns(0.99).unwrap() / 1640.0 - 1.0).abs() < 0.02);
}

#[test]
fn the_jobs_of_one_section_are_one_figure_for_reads_and_one_for_writes() {
    let results = read(TWO_JOBS).unwrap();
    let job = only(&results);
    assert_eq!((job.workload.depth, job.workload.jobs, job.workload.mix.percent(OpClass::Read)), (8, 2, 70));
    assert_eq!(ops(job, OpClass::Read), 337_177 + 354_129);
    assert_eq!(job.told.len(), 2);
    // Plain JSON has percentiles only: those that were told come out again.
    let service = &job.told[0].samples[0].service;
    assert_eq!(service.count, 337_177 + 354_129);
    assert!(service.quantile_ns(0.5).is_some());
}

#[test]
fn a_group_of_different_sections_is_no_figure_of_one_of_them() {
    let results = read(GROUP).unwrap();
    assert_eq!(only(&results).workload.depth, 2);
    assert!(results.notes[0].contains("group_reporting"), "{:?}", results.notes);
}

#[test]
fn seconds_of_rados_bench_are_windows() {
    let results = read(RADOS).unwrap();
    let bench = only(&results);
    let told = &bench.told[0];
    assert_eq!((told.samples.len(), ops(bench, OpClass::Write)), (21, 12_497));
    assert_eq!((bench.workload.block, bench.workload.depth, bench.workload.object), (65_536, 4, Some(65_536)));
    let (sum, count) =
        told.samples.iter().fold((0, 0), |(sum, count), sample| (sum + sample.service.sum_ns, count + sample.ops));
    assert!((sum as f64 / count as f64 / 6_718_660.0 - 1.0).abs() < 1e-4);
    let json = read(RADOS_JSON).unwrap();
    assert_eq!((only(&json).told[0].samples.len(), ops(only(&json), OpClass::Write)), (6, 3_851));
    let timed = read(RADOS_TIMED).unwrap();
    assert_eq!((only(&timed).told[0].samples.len(), ops(only(&timed), OpClass::Read)), (3, 13_064));
}

#[test]
fn the_number_of_objects_of_rados_bench_is_told_with_what_it_means() {
    let written = read(RADOS).unwrap().notes.join(" ");
    assert!(written.contains("wrote 12497 new objects of 64 KiB, 0.76 GiB in all"), "{written}");
    assert!(written.contains("12497 / pg_num"), "{written}");
    let read_back = read(RADOS_TIMED).unwrap().notes.join(" ");
    assert!(read_back.contains("at most 13064 of"), "{read_back}");
    assert!(read_back.contains("memory of OSDs") && read_back.contains("placement groups"), "{read_back}");
}

#[test]
fn a_load_that_was_done_within_a_second_has_its_totals() {
    for (text, ops, ms) in [(RADOS_SHORT, 815, 4.21593), (RADOS_SHORT_JSON, 1047, 1.675)] {
        let results = read(text).unwrap();
        let sample = &only(&results).told[0].samples[0];
        assert_eq!((ops, only(&results).told[0].samples.len()), (sample.ops, 1));
        assert!((sample.service.mean_ns().unwrap() / 1e6 / ms - 1.0).abs() < 1e-3, "{sample:?}");
    }
    assert_eq!(ops(only(&read(RADOS_RAND).unwrap()), OpClass::Read), 4004);
}

#[test]
fn images_and_objects_of_fio() {
    let results = read(FIO_RBD).unwrap();
    let [write, mix] = results.measured.as_slice() else { panic!("{results:?}") };
    assert_eq!((write.layer, write.target.as_str(), write.workload.depth), (Layer::Rbd, "pool vms", 4));
    assert_eq!((mix.workload.mix.percent(OpClass::Read), mix.told.len(), mix.workload.depth), (70, 2, 8));
    let results = read(FIO_RADOS).unwrap();
    let objects = only(&results);
    assert_eq!((objects.layer, objects.target.as_str()), (Layer::Rados, "pool vms"));
    assert_eq!((objects.workload.object, objects.workload.span), (Some(4 << 20), 8 << 20));
    assert!(objects.workload.options.is_empty(), "{:?}", objects.workload.options);
}

/// Of a rate that was given, fio tells other times than an open loop of ours: the two are not the same work.
#[test]
fn a_job_with_a_rate_is_no_cell_of_the_chart_and_no_open_loop() {
    let rated = FIO.replace("\"runtime\"", "\"rate_iops\" : \"500\", \"runtime\"");
    let results = read(&rated).unwrap();
    let workload = &only(&results).workload;
    assert_eq!((workload.rate, workload.options.get("rate_iops").map(String::as_str)), (None, Some("500")));
    assert!(results.notes[0].contains("from submission"), "{:?}", results.notes);
    let events = events(&results, RunHead::default(), &|_, _| (0, true));
    let Event::Planned { plan } = &events[1] else { panic!("{events:?}") };
    assert!(!plan.steps[0].chart);
}

/// The same document, of a fio that does not tell this of its operations.
fn without(text: &str, object: &str, field: &str) -> String {
    fn strip(value: &mut Value, object: &str, field: &str) {
        match value {
            Value::Object(map) => {
                if let Some(Value::Object(inner)) = map.get_mut(object) {
                    inner.remove(field);
                }
                map.values_mut().for_each(|inner| strip(inner, object, field));
            }
            Value::Array(list) => list.iter_mut().for_each(|inner| strip(inner, object, field)),
            _ => {}
        }
    }
    let mut document: Value = serde_json::from_str(text).unwrap();
    strip(&mut document, object, field);
    document.to_string()
}

/// fio 3.1 to about 3.9: the mean of latencies without their number.
#[test]
fn latencies_that_nobody_counted_are_those_of_all_operations() {
    for text in [FIO, TWO_JOBS] {
        let older = read(&without(text, "lat_ns", "N")).unwrap();
        assert_eq!(older, read(text).unwrap());
        assert!(older.measured[0].told[0].samples[0].service.quantile_ns(0.99).is_some());
    }
}

/// The rate gives a mean latency only where nothing else sets the rate.
#[test]
fn a_latency_that_cannot_be_known_is_left_out_with_a_note() {
    let silent = without(&without(&without(FIO, "read", "lat_ns"), "read", "clat_ns"), "write", "lat_ns");
    let closed = read(&silent).unwrap();
    assert_eq!(only(&closed).told[0].samples[0].service.count, 0);
    assert!(closed.notes.is_empty(), "{:?}", closed.notes);
    for (from, to, word) in [
        ("\"runtime\":\"2\"", "\"runtime\":\"2\",\"rate_iops\":\"500\"", "at a rate that was given"),
        ("\"randread\"", "\"randrw\"", "beside those of the other kind"),
    ] {
        let why = read(&silent.replace(from, to)).unwrap_err();
        assert!(why.contains("(rr4k): reads left out") && why.contains(word), "{why}");
    }
    // What is counted is counted, whatever sets the rate.
    let many = silent.replace("\"psync\"", "\"libaio\",\"iodepth\":\"8\",\"rate_iops\":\"500\"");
    assert_eq!(ops(only(&read(&many).unwrap()), OpClass::Read), 1_616_746);
}

#[test]
fn phases_of_elbencho() {
    let results = read(ELBENCHO).unwrap();
    let [write, read_back, mix] = results.measured.as_slice() else { panic!("{results:?}") };
    assert_eq!((write.target.as_str(), results.tool.as_str()), ("/mnt/ceph", "elbencho-3.0-27"));
    assert_eq!((write.workload.block, write.workload.depth, write.workload.jobs), (1 << 20, 32, 8));
    assert_eq!((write.workload.span, write.workload.access), (8 << 30, Access::Sequential));
    assert_eq!((ops(write, OpClass::Write), ops(read_back, OpClass::Read)), (8192, 8192));
    assert_eq!((mix.workload.mix.percent(OpClass::Read), mix.told.len(), mix.workload.depth), (70, 2, 32));
    assert!(results.notes.iter().any(|note| note.contains("line 2") && note.contains("MKDIRS")), "{:?}", results.notes);
    let json = read(ELBENCHO_JSON).unwrap();
    assert_eq!((json.measured.len(), json.measured[0].target.as_str()), (2, "/mnt/disk/file"));
    assert_eq!(ops(&json.measured[0], OpClass::Write), 16_384);
}

#[test]
fn what_was_measured_twice_makes_two_passes_of_one_step() {
    let twice =
        Results { measured: [read(FIO).unwrap().measured, read(FIO).unwrap().measured].concat(), ..read(FIO).unwrap() };
    let events = events(&twice, RunHead::default(), &|_, _| (0, true));
    let Event::Planned { plan } = &events[1] else { panic!("{events:?}") };
    assert_eq!((plan.steps.len(), plan.steps[0].pattern), (1, Pattern::ReadLatency));
    let passes: Vec<u32> = events
        .iter()
        .filter_map(|event| if let Event::StepFinished { pass, .. } = event { Some(*pass) } else { None })
        .collect();
    assert_eq!(passes, [1, 2]);
}

#[test]
fn errors_name_the_place() {
    for (text, words) in [
        ("", "is empty"),
        ("hello", "is no result"),
        ("{", "line 1: no JSON"),
        ("fio: note\n{\n\"a\":", "line 3: no JSON"),
        ("{}", "line 1: JSON without"),
        (r#"{"fio version":"fio-2.1","jobs":[]}"#, "fio 3"),
        (r#"{"fio version":"fio-3.1"}"#, "jobs: is no list"),
        (r#"{"fio version":"fio-3.1","jobs":[]}"#, "no operation that moved data"),
        (r#"{"fio version":"fio-3.1","jobs":[{"jobname":"a","job options":{"bs":"x"}}]}"#, "jobs[0] (a): bs=x"),
        (r#"{"fio version":"fio-3.1","jobs":[{"jobname":"a","read":{"runtime":1}}]}"#, "jobs[0] (a).read.total_ios"),
        ("Total time run: 3\nWrite size: x", "line 2: Write size"),
        ("  sec Cur ops started finished\n 1 1 1", "end of the output is missing"),
        (r#"{"datas":[{"sec":"1"}],"write_size":"4096"}"#, "datas[0]"),
        (r#"{"phase_type":"READ"}"#, "document 1: last_done.elapsed_time_ms is missing"),
        ("operation,time ms [last],block size\nREAD,x\n", "line 2: has 2 fields, the heading 3"),
        ("operation,time ms [last],block size\nREAD,1,\"4096", "line 2: has no end"),
        ("Total time run: 3\nTotal reads made: 9\nRead size: 655", "end of the output is missing"),
        ("operation,time ms [last],block size\nREAD,x,4096\n", "line 2: last_done.elapsed_time_ms is no whole number"),
        (r#"{"schema":"fathom.run/1"}"#, "Fathom itself"),
    ] {
        let why = read(text).unwrap_err();
        assert!(why.contains(words), "{text}: {why}");
    }
}

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC*") {
        let _ = read(&text);
    }

    /// The front of a real file: nothing is made of what might be half a number.
    #[test]
    fn what_is_cut_off_is_an_error(which in 0usize..13, share in 0.0..1.0f64) {
        let text = ALL[which].trim_end();
        // The last lines of these say no more than was said: the largest latency, the command.
        let least = text.rfind(['\n', '}']).unwrap_or(text.len());
        let at = (least as f64 * share) as usize;
        prop_assume!(text.is_char_boundary(at));
        // Whole rows of a table are a table, and whole documents, one a line, are documents.
        let in_rows = ["ISO date", "{\"phase_type\""].iter().any(|begin| text.starts_with(begin));
        let whole_rows = in_rows && (text[..at].ends_with('\n') || text[at..].starts_with('\n'));
        prop_assert!(whole_rows || read(&text[..at]).is_err(), "{}", &text[..at]);
    }

    /// A real file with a piece cut out, doubled, or overwritten.
    #[test]
    fn no_damage_panics(which in 0usize..13, from in 0usize..20_000, long in 0usize..400, by in "[0-9a-z:{}\",.-]{0,12}") {
        let text = ALL[which];
        let from = from % text.len();
        let until = (from + long).min(text.len());
        if text.is_char_boundary(from) && text.is_char_boundary(until) {
            let damaged = format!("{}{by}{}", &text[..from], &text[until..]);
            if let Ok(results) = read(&damaged) {
                let _ = events(&results, RunHead::default(), &|_, _| (0, true));
            }
        }
    }

    #[test]
    fn numbers_beyond_all_bounds_are_no_results(number: u64, times in 1u64..u64::MAX) {
        let text = format!(
            r#"{{"fio version":"fio-3.1","jobs":[{{"jobname":"a","read":{{"total_ios":{number},"io_bytes":{times},"runtime":{times},
                "lat_ns":{{"mean":{number},"N":{times},"max":{number}}},"clat_ns":{{"bins":{{"{number}":{times}}}}}}}}}]}}"#
        );
        if let Ok(results) = read(&text) {
            let _ = events(&results, RunHead::default(), &|_, _| (0, true));
        }
    }
}
