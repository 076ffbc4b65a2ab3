//! A real run for other programs: windows that add up, and JSON that fio's own tool reads.

use crate::common::Home;
use serde_json::Value;

#[test]
fn windows_add_up_to_the_figure_and_fios_own_reader_reads_the_run() {
    let home = Home::new();
    let file = home.path().join("load");
    let path = file.to_str().unwrap();
    let load = ["disk", path, "--duration", "1s", "--patterns", "write-latency,read-parallel", "--working-set", "8M"];
    let measured = home.run(&[&load[..], &["--format", "json"]].concat()).json();

    let windows = home.run(&["show", "last", "--format", "windows"]);
    let text = windows.ends(0, &[]).out.clone();
    let mut lines = text.lines();
    let heading: Vec<&str> = lines.next().unwrap().split(',').collect();
    let at = |name: &str| heading.iter().position(|title| *title == name).unwrap();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    for figure in measured["figures"].as_array().unwrap() {
        // write-latency is measured in two ways, each a step.
        let step = figure["step"].to_string();
        let own = rows.iter().filter(|row| row[at("step")] == step && row[at("warmup")] == "false");
        let sum: u64 = own.map(|row| row[at("operations")].parse::<u64>().unwrap()).sum();
        assert_eq!(Some(sum), figure["operations"].as_u64(), "{figure}");
    }

    let fio = home.run(&["show", "last", "--format", "fio-json"]);
    let document: Value = fio.ends(0, &[]).json();
    let write =
        document["jobs"].as_array().unwrap().iter().find(|job| job["job options"]["rw"] == "randwrite").unwrap();
    assert!(write["write"]["iops"].as_f64().is_some_and(|iops| iops > 0.0), "{write}");
    assert_eq!(write["read"]["total_ios"], 0);
    let side = |name: &str| write["write"][name].as_f64().unwrap();
    assert!(side("iops_min") <= side("iops_mean") && side("iops_mean") <= side("iops_max"), "{write}");
    assert!(side("iops_samples") >= 5.0 && side("bw_dev") >= 0.0 && side("iops_stddev") >= 0.0, "{write}");
    let shares = ["latency_ns", "latency_us", "latency_ms"].map(|unit| write[unit].as_object().unwrap().values());
    let shares: f64 = shares.into_iter().flatten().map(|share| share.as_f64().unwrap()).sum();
    assert!((shares - 100.0).abs() < 1e-6, "{shares} %");
    let (input, output) = (home.path().join("run.json"), home.path().join("run.csv"));
    std::fs::write(&input, document.to_string()).unwrap();
    crate::common::tool("fio_jsonplus_clat2csv", &[input.to_str().unwrap(), output.to_str().unwrap()]);
    for job in 0..2 {
        let table = std::fs::read_to_string(home.path().join(format!("run_job{job}.csv"))).unwrap();
        assert!(table.starts_with("nsec") && table.lines().count() > 2, "{table}");
    }

    home.run(&["show", "last", "--format", "openmetrics"]).ends(0, &[]);
    home.run(&["runs", "--format", "csv"]).ends(2, &["--format", "show"]);
}
