//! The cost of measuring: a load generator whose only processor is taken says so, one that has a processor does not.

use crate::common::Home;
use serde_json::Value;
use std::process::{Child, Command, Output, Stdio};

/// The first processor that this process may use.
fn processor() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
    list.trim().split([',', '-']).next().unwrap().to_string()
}

/// Threads that do nothing on one processor, until they are dropped.
struct Busy(Vec<Child>);

impl Busy {
    fn on(processor: &str, threads: usize) -> Busy {
        let spin = || Command::new("taskset").args(["-c", processor, "sh", "-c", "while :; do :; done"]).spawn();
        Busy((0..threads).map(|_| spin().unwrap()).collect())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The program behind another one (`taskset`, `chrt`) that says how it gets a processor.
fn behind(before: &[&str], home: &Home, more: &[&str]) -> Value {
    let file = home.path().join("load");
    let load = ["--working-set", "8M", "--patterns", "read-latency", "--duration", "1s", "--format", "json"];
    let mut command = Command::new(before[0]);
    command.args(&before[1..]).arg(env!("CARGO_BIN_EXE_fathom")).arg("disk").arg(file).args(load).args(more);
    let Output { stdout, stderr, .. } =
        command.env("XDG_DATA_HOME", home.path()).stdin(Stdio::null()).output().unwrap();
    let err = String::from_utf8_lossy(&stderr);
    serde_json::from_slice(&stdout).unwrap_or_else(|error| panic!("{error}: {err}"))
}

fn why(document: &Value) -> &str {
    document["figures"][0]["why"].as_str().unwrap_or_default()
}

#[test]
fn a_generator_whose_only_processor_is_taken_is_labelled_with_the_reason() {
    let (home, processor) = (Home::new(), processor());
    let _busy = Busy::on(&processor, 3);
    let document = behind(&["taskset", "-c", &processor], &home, &[]);
    let figure = &document["figures"][0];
    assert_eq!(figure["label"], "generator-limited", "{figure}");
    assert!(why(&document).contains("waited for a processor"), "{figure}");
    assert!(figure["effort"]["queued"].as_f64().unwrap() > 0.1, "{figure}");
    // It is in the archive, and whoever reads it is told the same.
    let shown = home.run(&["show", "last", "--details"]);
    assert!(shown.ends(0, &[]).out.contains("waited for a processor"), "{}", shown.out);
    assert_eq!(home.run(&["show", "last", "--format", "json"]).json()["figures"][0]["effort"], figure["effort"]);
}

/// Before all others it gets a processor whenever it wants one, also on a machine that is busy with other tests.
#[test]
fn a_generator_that_has_a_processor_is_not_labelled() {
    let home = Home::new();
    let document = behind(&["chrt", "--rr", "1"], &home, &[]);
    let figure = &document["figures"][0];
    assert_ne!(figure["label"], "generator-limited", "{figure}");
    assert!(figure["effort"]["queued"].as_f64().unwrap() < 0.1, "{figure}");
    assert!(figure["effort"]["overhead"].as_f64().unwrap() < 0.02, "{figure}");
}

#[test]
fn what_measuring_costs_is_shown_and_a_figure_of_nothing_else_is_labelled() {
    let home = Home::new();
    let document = behind(&["chrt", "--rr", "1"], &home, &["--engine", "null"]);
    let overhead = &document["overhead"];
    let ns = |name: &str| overhead[name].as_f64().unwrap();
    assert!(ns("operation_ns") > ns("clock_ns") && ns("clock_ns") > 1.0, "{overhead}");
    assert!(ns("deep_operation_ns") > 1.0, "{overhead}");
    assert_eq!(document["figures"][0]["label"], "generator-limited");
    assert!(why(&document).contains("measuring costs"), "{}", why(&document));
    assert!(home.run(&["show", "last", "--details"]).out.contains("Measuring costs"));
    assert!(home.run(&["show", "last", "--format", "markdown"]).out.contains("Measuring costs"));
}
