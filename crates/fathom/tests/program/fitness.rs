//! Is a drive fit for Ceph? On a real loop device that is made as slow as a disk, and as an SSD that makes few writes durable.

use crate::common::throttle::{Limit, Throttle};
use crate::common::{Home, LoopDevice};
use serde_json::Value;

const SHORT: [&str; 9] =
    ["--fit", "--working-set", "16M", "--duration", "1s", "--passes", "1", "--destroy-data-on", "DEVICE"];

/// The document of one judgement, of a device that makes so many reads and writes a second; 0: as many as it can.
fn judged(home: &Home, device: &LoopDevice, throttle: &Throttle, [reads, writes]: [u64; 2]) -> Value {
    throttle.to(Limit::Reads, reads);
    throttle.to(Limit::Writes, writes);
    let mut command = home.fathom(&["disk", &device.path, "--format", "json"]);
    command.args(SHORT.map(|word| if word == "DEVICE" { device.path.as_str() } else { word }));
    let output = throttle.start(&command).wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let run: Value =
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}\n{}", String::from_utf8_lossy(&output.stderr)));
    let unfit = run["drives"][0]["fitness"] == "unfit";
    assert_eq!(output.status.code() == Some(5), unfit, "{:?}: {run}", output.status);
    run
}

fn reasons(drive: &Value) -> Vec<&str> {
    drive["reasons"].as_array().unwrap().iter().map(|reason| reason["reason"].as_str().unwrap()).collect()
}

/// No other answer than this one. Beside other tests the interval of a second may be too wide for any, which is said.
fn is(drive: &Value, wanted: &str) -> bool {
    assert!([wanted, "open"].contains(&drive["fitness"].as_str().unwrap()), "{drive}");
    drive["fitness"] == wanted
}

#[test]
fn a_drive_is_judged_by_its_durable_writes_and_its_reads() {
    let device = LoopDevice::of(256 << 20);
    let Some(throttle) = Throttle::on(&device) else {
        eprintln!("skipped: no cgroup v1 blkio here");
        return;
    };
    let home = Home::new();
    // Some kernels know that what lies below does not rotate.
    let name = device.path.trim_start_matches("/dev/");
    std::fs::write(format!("/sys/block/{name}/queue/rotational"), "1").unwrap();
    let run = judged(&home, &device, &throttle, [75, 100]);
    let drive = &run["drives"][0];
    assert_eq!(drive["target"], device.path.as_str());
    let decided = is(drive, "not-for-journals");
    assert!(!decided || reasons(drive).contains(&"rotates"), "{drive}");
    assert!(run["chart"].as_array().unwrap().is_empty(), "no cell of the chart: {}", run["chart"]);
    // The slowest of the ways counts, and is one of the figures.
    let by = drive["durable_by"].as_str().unwrap();
    let of_way = |figure: &&Value| figure["workload"]["durability"] == by && figure["workload"]["depth"] == 1;
    let figure = run["figures"].as_array().unwrap().iter().find(of_way).unwrap();
    let (ms, rate) = (figure["value"].as_f64().unwrap(), drive["durable"].as_f64().unwrap());
    assert!((1000.0 / ms / rate - 1.0).abs() < 1e-6, "{figure} {drive}");
    for (format, words) in [
        (
            "text",
            [
                if decided { "is fit for data alone" } else { ": not decided" },
                "Fit for Ceph?",
                "writes, durable by fdatasync",
            ],
        ),
        (
            "markdown",
            [
                if decided { "is fit for data alone" } else { ": not decided" },
                "## Fit for Ceph?",
                "writes, durable by fdatasync",
            ],
        ),
    ] {
        let shown = home.run(&["show", "last", "--format", format]).out;
        words.iter().for_each(|word| assert!(shown.contains(word), "{word} is not in\n{shown}"));
    }

    let slow = judged(&home, &device, &throttle, [0, 300]);
    let drive = &slow["drives"][0];
    assert!(!is(drive, "unfit") || reasons(drive)[0] == "slower-than-osds", "{drive}");
    is_compared(&home, [&run, &slow]);
}

/// A drive that is fit for less than it was is worse, whatever its figures do.
fn is_compared(home: &Home, runs: [&Value; 2]) {
    let [before, after] = runs.map(|run| run["drives"][0]["fitness"].as_str().unwrap());
    let finds = match (before, after) {
        ("open", _) | (_, "open") => "undecided",
        _ => "worse",
    };
    let runs = runs.map(|run| run["run"].as_str().unwrap());
    let compared = home.run(&["compare", runs[0], runs[1], "--format", "json"]);
    let document = compared.json();
    let drive = &document["drives"][0];
    assert_eq!((&drive["before"], &drive["after"]), (&before.into(), &after.into()), "{document}");
    assert_eq!(drive["finds"], finds, "{document}");
    assert!(finds != "worse" || compared.code == 5, "{}: {document}", compared.code);
    let shown = home.run(&["compare", runs[0], runs[1]]);
    assert!(shown.out.lines().nth(1).is_some_and(|line| line.contains(finds)), "{}", shown.out);
}

#[test]
fn what_cannot_be_judged_is_refused() {
    let home = Home::new();
    home.run(&["disk", "/dev/shm", "--fit"]).ends(2, &["/dev/shm", "lies in memory", "--fit needs a device"]);
    home.run(&["disk", "/tmp", "--fit", "--depth", "4"]).ends(2, &["--fit", "--depth"]);
    home.run(&["disk", "/tmp", "--fit", "--ab", "engine=psync,io_uring"]).ends(2, &["--fit", "--ab"]);
}
