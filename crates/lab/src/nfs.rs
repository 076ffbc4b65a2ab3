//! The file system by NFS version 4: an NFS server that is itself a client of the file system.

use crate::build::wait;
use crate::cephfs::{FILE_SYSTEM, wait_until_active};
use crate::errors::LabError;
use crate::lab::LabCluster;
use crate::monitor::Monitor;
use crate::preflight::Need;
use crate::services::{self, Place, Service, ServiceSpec, Url, host_and_port};
use crate::supervisor::Supervisor;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The folder below which the file system is found, as in `mount -t nfs4 ADDRESS:/cephfs`.
pub(crate) const EXPORT: &str = "/cephfs";

/// 56 MB when it starts, and up to 200 MB of what was read and written by it (`client_oc_size`).
const NFS_MB: u64 = 300;

pub(crate) const SPEC: ServiceSpec = ServiceSpec {
    service: Service::Nfs,
    name: "nfs",
    daemon: "nfs.a",
    entity: "client.nfs.a",
    caps: &[("mon", "allow r"), ("osd", "allow rw tag cephfs data=cephfs"), ("mds", "allow rw")],
    program: "ganesha.nfsd",
    package: "nfs-ganesha",
    needs: &[Need::Library("ganesha/libfsalceph.so", "nfs-ganesha-ceph")],
    builds_on: &[Service::Cephfs],
    memory_mb: NFS_MB,
    // It would unregister an NFS server of this host there, and register itself.
    hidden: &["/run/rpcbind.sock"],
    arguments,
    pools: &[],
    own_address: None,
    url: Some(Url { scheme: "nfs", port: 2049, path: EXPORT }),
    paths: |_| Vec::new(),
    keys: false,
    fetch: || Ok(()),
    conf,
    prepare,
    wait: wait_until_it_answers,
};

fn arguments(place: &Place) -> Vec<String> {
    let path = |path: PathBuf| path.to_string_lossy().into_owned();
    let (own, pid) = (path(own_conf(place)), path(place.data.join("pid")));
    ["-F", "-f", &own, "-L", "STDERR", "-p", &pid].map(str::to_owned).into()
}

fn own_conf(place: &Place) -> PathBuf {
    conf_in(&place.data)
}

/// The server's configuration, in the folder of its data.
pub(crate) fn conf_in(data: &Path) -> PathBuf {
    data.join("ganesha.conf")
}

/// Where the parameters of the server itself begin.
const CORE: &str = "NFS_CORE_PARAM {\n";

/// The same configuration with as few threads as nfs-ganesha takes: two do what is asked, beside those that wait for requests. Version 4
/// takes no smaller number than two (`(1) is out of range`).
pub(crate) fn with_few_workers(conf: &str) -> String {
    conf.replacen(CORE, &format!("{CORE}  RPC_Ioq_ThrdMin = 2;\n  RPC_Ioq_ThrdMax = 2;\n"), 1)
}

/// As a client of the cluster.
fn conf(place: &Place) -> String {
    format!("admin socket = {}\nlog file = {}", place.socket.display(), place.log.display())
}

/// As cephadm sets it where it shapes what is served: no cache of its own, since the client of Ceph in it has one. Owners are numbers, since
/// a client without a service for names would take all for nobody's. Where a server that has just started waits for clients of an
/// earlier one, it waits for as long as a lease lasts: 90 s by default.
fn ganesha_conf(place: &Place) -> String {
    let Place { data, conf, address, port, .. } = place;
    let (data, conf) = (data.display(), conf.display());
    let user = SPEC.entity.trim_start_matches("client.");
    format!(
        "{CORE}  Protocols = 4;\n  Bind_addr = {address};\n  NFS_Port = {port};\n  Enable_UDP = false;\n  \
         Enable_NLM = false;\n  Enable_RQUOTA = false;\n}}\n\
         NFS_KRB5 {{\n  Active_krb5 = false;\n  CCacheDir = \"{data}\";\n}}\n\
         NFSv4 {{\n  RecoveryBackend = fs;\n  RecoveryRoot = \"{data}\";\n  Minor_Versions = 1, 2;\n  \
         Lease_Lifetime = 15;\n  Grace_Period = 15;\n  Only_Numeric_Owners = true;\n}}\n\
         MDCACHE {{\n  Dir_Chunk = 0;\n}}\n\
         CEPH {{\n  Ceph_Conf = \"{conf}\";\n}}\n\
         EXPORT {{\n  Export_ID = 1;\n  Path = \"/\";\n  Pseudo = \"{EXPORT}\";\n  Protocols = 4;\n  Transports = TCP;\n  \
         Access_Type = RW;\n  Squash = No_Root_Squash;\n  SecType = sys;\n  Attr_Expiration_Time = 0;\n  \
         FSAL {{\n    Name = CEPH;\n    Filesystem = \"{FILE_SYSTEM}\";\n    User_Id = \"{user}\";\n  }}\n}}\n"
    )
}

/// It mounts the file system when it starts.
fn prepare(supervisor: &Supervisor, lab: &LabCluster, monitor: &Monitor) -> Result<(), LabError> {
    wait_until_active(supervisor, lab, monitor)?;
    for own in lab.services.iter().filter(|own| own.service == Service::Nfs) {
        let place = services::place(supervisor, lab, own);
        let path = own_conf(&place);
        fs::write(&path, ganesha_conf(&place)).map_err(LabError::io("cannot write", &path))?;
    }
    Ok(())
}

pub(crate) fn wait_until_it_answers(supervisor: &Supervisor, lab: &LabCluster, _: &Monitor) -> Result<(), LabError> {
    let address = address(lab);
    wait(supervisor, "the start of the NFS server", 60, || {
        Ok(ask(address).map_err(|error| format!("{address}: {error}")))
    })
}

/// `HOST:PORT` of the lab's NFS server; empty: it has none.
pub(crate) fn address(lab: &LabCluster) -> &str {
    let own = lab.services.iter().find(|one| one.service == Service::Nfs);
    own.and_then(|own| host_and_port(own.url.as_deref()?)).unwrap_or_default()
}

/// Calls the procedure that does nothing (ONC RPC, RFC 5531).
pub(crate) fn ask(address: &str) -> std::io::Result<()> {
    const LAST_FRAGMENT: u32 = 1 << 31;
    const TRANSACTION: u32 = 0x0fa7_4031;
    const NFS: u32 = 100_003;
    // A call of RPC version 2: program, its version, procedure 0; neither credentials nor a verifier.
    let call = [TRANSACTION, 0, 2, NFS, 4, 0, 0, 0, 0, 0];
    let mark = LAST_FRAGMENT | (call.len() * 4) as u32;
    let bytes: Vec<u8> = [mark].iter().chain(&call).flat_map(|word| word.to_be_bytes()).collect();
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(2)))?;
    stream.write_all(&bytes)?;
    // The mark, the transaction, a reply, accepted, an empty verifier, done.
    let mut answer = [0; 28];
    stream.read_exact(&mut answer)?;
    let done = answer[4..8] == TRANSACTION.to_be_bytes()
        && answer[8..12] == 1u32.to_be_bytes()
        && answer[12..].iter().all(|byte| *byte == 0);
    if done { Ok(()) } else { Err(std::io::Error::other("what answers there is no NFS server")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_keeps_to_its_folder_and_its_rights() {
        let place = Place {
            data: "/labs/x/nfs.a".into(),
            socket: "/labs/x/run/nfs.a.asok".into(),
            log: "/labs/x/log/nfs.a.own.log".into(),
            output: "/labs/x/log/nfs.a.log".into(),
            conf: "/labs/x/ceph.conf".into(),
            link: String::new(),
            address: "10.1.2.1".to_owned(),
            port: 2049,
        };
        let text = ganesha_conf(&place) + &conf(&place) + &arguments(&place).join("\n");
        for line in
            text.lines().filter(|line| line.contains("\"/") && !line.contains("Path") && !line.contains("Pseudo"))
        {
            assert!(line.contains("/labs/x/"), "{line}");
        }
        assert!(text.contains("User_Id = \"nfs.a\""), "{text}");
        let few = with_few_workers(&ganesha_conf(&place));
        assert!(
            few.starts_with("NFS_CORE_PARAM {\n  RPC_Ioq_ThrdMin = 2;\n  RPC_Ioq_ThrdMax = 2;\n  Protocols = 4;"),
            "{few}"
        );
    }
}
