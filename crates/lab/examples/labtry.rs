//! Tries the lab without the rest of Fathom.
use std::time::Instant;
fn main() -> std::process::ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let get = |name: &str| words.iter().position(|w| *w == name).and_then(|i| words.get(i + 1)).copied();
    let name = get("--name").unwrap_or("default");
    let begin = Instant::now();
    let result = match words[..] {
        ["lab", "warden", spec] => return lab::warden(spec).into(),
        ["lab", "up", ..] => {
            let spec = lab::Spec {
                name: name.into(),
                osds: get("--osds").map_or(3, |n| n.parse().unwrap()),
                hosts: get("--hosts").map_or(0, |n| n.parse().unwrap()),
                backing: serde_json::from_value(get("--backing").unwrap_or("file").into()).unwrap(),
                ..Default::default()
            };
            let mut say = |line: &str| eprintln!("{:.2} {line}", begin.elapsed().as_secs_f64());
            lab::up(&spec, &mut say).map(|lab| println!("{lab:#?}"))
        }
        ["lab", "down", ..] => lab::down(name),
        ["lab", "status", ..] => lab::status(name).map(|lab| println!("{lab:#?}")),
        ["lab", "list", ..] => {
            lab::list().map(|labs| labs.iter().for_each(|lab| println!("{} {}", lab.name, lab.state)))
        }
        ["lab", "daemon", act, daemon, ..] => lab::daemon(name, daemon, serde_json::from_value(act.into()).unwrap()),
        _ => return 2.into(),
    };
    eprintln!("{:.2} done", begin.elapsed().as_secs_f64());
    match result {
        Ok(()) => 0.into(),
        Err(error) => {
            eprintln!("{error}");
            error.exit_code().into()
        }
    }
}
