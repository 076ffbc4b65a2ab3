//! An object gateway, with one user whose keys, by S3 and by Swift, lie in a file of the lab.

use crate::build::wait;
use crate::errors::LabError;
use crate::lab::LabCluster;
use crate::monitor::Monitor;
use crate::preflight::{self, Need};
use crate::process_group::tool;
use crate::services::{MEMORY_MB, Place, Service, ServicePool, ServiceSpec, Url, host_and_port};
use crate::supervisor::Supervisor;
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

/// Of its pools that hold next to nothing.
const FEW: u32 = 8;
const APPLICATION: Option<&str> = Some("rgw");

pub(crate) const SPEC: ServiceSpec = ServiceSpec {
    service: Service::Rgw,
    name: "rgw",
    daemon: "rgw.a",
    entity: "client.rgw.a",
    caps: &[("mon", "allow rw"), ("mgr", "allow rw"), ("osd", "allow rwx")],
    program: "radosgw",
    package: "radosgw",
    needs: &[Need::Program("radosgw-admin", "ceph-common")],
    builds_on: &[],
    memory_mb: MEMORY_MB,
    hidden: &[],
    arguments: |place| ["-f", "-n", "client.rgw.a", "-c", &place.conf.to_string_lossy()].map(str::to_owned).into(),
    pools: &[
        ServicePool { name: ".rgw.root", pgs: FEW, application: APPLICATION },
        ServicePool { name: "default.rgw.log", pgs: FEW, application: APPLICATION },
        ServicePool { name: "default.rgw.control", pgs: FEW, application: APPLICATION },
        ServicePool { name: "default.rgw.meta", pgs: FEW, application: APPLICATION },
        ServicePool { name: "default.rgw.buckets.index", pgs: FEW, application: APPLICATION },
        ServicePool { name: "default.rgw.buckets.non-ec", pgs: FEW, application: APPLICATION },
        ServicePool { name: "default.rgw.buckets.data", pgs: 32, application: APPLICATION },
    ],
    own_address: None,
    url: Some(Url { scheme: "http", port: 8080, path: "" }),
    paths: |_| Vec::new(),
    keys: true,
    fetch: || Ok(()),
    conf,
    prepare,
    wait: wait_until_it_answers,
};

fn conf(place: &Place) -> String {
    let Place { data, socket, log, .. } = place;
    format!(
        "rgw data = {}\nadmin socket = {}\nlog file = {}\nrgw swift account in url = false",
        data.display(),
        socket.display(),
        log.display()
    )
}

fn prepare(supervisor: &Supervisor, lab: &LabCluster, monitor: &Monitor) -> Result<(), LabError> {
    set_frontend(lab, monitor)?;
    make_user(supervisor, lab)
}

/// In the monitors' database, where orchestrators have it.
fn set_frontend(lab: &LabCluster, monitor: &Monitor) -> Result<(), LabError> {
    let value = frontend(&address(lab), true);
    monitor.tell(&json!({"prefix": "config set", "who": SPEC.entity, "name": FRONTENDS, "value": value})).map(drop)
}

pub(crate) const FRONTENDS: &str = "rgw_frontends";

/// `nodelay`: nothing that is sent waits until what was sent before is acknowledged.
pub(crate) fn frontend(address: &str, nodelay: bool) -> String {
    format!("beast endpoint={address} tcp_nodelay={}", u8::from(nodelay))
}

/// `HOST:PORT` of the lab's gateway; empty: it has none.
pub(crate) fn address(lab: &LabCluster) -> String {
    let own = lab.services.iter().find(|one| one.service == Service::Rgw);
    own.and_then(|own| host_and_port(own.url.as_deref()?)).unwrap_or_default().to_owned()
}

/// Makes a user, of which the gateway draws the keys, and writes these down.
fn make_user(supervisor: &Supervisor, lab: &LabCluster) -> Result<(), LabError> {
    let user = ["user", "create", "--uid", "fathom", "--display-name", "Fathom"];
    let [access, secret] = keys(supervisor, lab, &user, "keys", ["access_key", "secret_key"])?;
    let by_swift = ["subuser", "create", "--uid", "fathom", "--subuser", SWIFT_USER, "--access", "full"];
    let by_swift = [&by_swift[..], &["--key-type", "swift", "--gen-secret"]].concat();
    let [swift_user, swift_key] = keys(supervisor, lab, &by_swift, "swift_keys", ["user", "secret_key"])?;
    let path = supervisor.dirs.s3_credentials();
    let profile = |name: &str, access: &str, secret: &str| {
        format!("[{name}]\naws_access_key_id = {access}\naws_secret_access_key = {secret}\n")
    };
    let text = profile("default", &access, &secret) + &profile(SWIFT_PROFILE, &swift_user, &swift_key);
    write_secret(&path, &text).map_err(LabError::io("cannot write", &path))
}

/// The part of the lab's user that asks by Swift, and the profile in which its keys are.
const SWIFT_USER: &str = "fathom:swift";
pub const SWIFT_PROFILE: &str = "swift";

/// The first pair of keys that a command tells.
fn keys(
    supervisor: &Supervisor,
    lab: &LabCluster,
    words: &[&str],
    of: &str,
    names: [&str; 2],
) -> Result<[String; 2], LabError> {
    let mut command = tool(&preflight::find("radosgw-admin", "ceph-common")?, &lab.conf, &supervisor.dirs);
    command.args(words);
    let output = supervisor.process_group.run(&mut command)?;
    let user: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    match names.map(|name| user[of][0][name].as_str().map(str::to_owned)) {
        [Some(access), Some(secret)] => Ok([access, secret]),
        _ => {
            let why = "it told no keys of the user that it made".to_owned();
            Err(LabError::Tool { command: format!("radosgw-admin {} {}", words[0], words[1]), why })
        }
    }
}

fn write_secret(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())
}

fn wait_until_it_answers(supervisor: &Supervisor, lab: &LabCluster, _: &Monitor) -> Result<(), LabError> {
    let address = address(lab);
    wait(supervisor, "the start of the object gateway", 60, || {
        Ok(ask(&address).map_err(|error| format!("{address}: {error}")))
    })
}

/// Does something answer there by HTTP?
pub(crate) fn ask(address: &str) -> std::io::Result<()> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(2)))?;
    write!(stream, "GET / HTTP/1.0\r\nHost: {address}\r\n\r\n")?;
    let mut begins = [0; 5];
    stream.read_exact(&mut begins)?;
    if begins == *b"HTTP/" { Ok(()) } else { Err(std::io::Error::other("what answers there is no gateway")) }
}
