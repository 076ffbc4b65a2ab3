//! A guest of QEMU, emulated, with drives whose write caches can be switched. It sees the file system of this host, read-only, and runs
//! one script with its programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// How a drive is attached.
#[derive(Clone, Copy)]
pub enum Bus {
    Sata,
    Scsi,
    Nvme,
    /// An NVMe controller with two namespaces.
    TwoNamespaces,
}

impl Bus {
    fn device(self) -> &'static str {
        match self {
            Bus::Sata => "ide-hd,bus=sata.0",
            Bus::Scsi => "scsi-hd,bus=scsi.0,dpofua=on,wwn=0x5000c50015ea71ad",
            Bus::Nvme => "nvme,serial=nvme",
            Bus::TwoNamespaces => "nvme-ns,bus=two",
        }
    }
}

/// What a guest left when it had ended.
pub struct Guest {
    folder: tempfile::TempDir,
}

/// It is killed after so long: emulation takes ten times as long as the real thing, and tests beside it as well.
const SECONDS: &str = "600";

impl Guest {
    /// Runs the script, in bash, with the drives (files, or addresses of NBD servers); in /root it finds, and leaves, files.
    pub fn run(drives: &[(Bus, String)], script: &str) -> Guest {
        let boot = boot();
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        // By a name of its own: what lies in this host's /tmp or /root is not seen there. What runs from /root is read over 9p page by
        // page each time it starts, for minutes beside other tests: it runs, as its agents do, from memory, without its symbols.
        let program = folder.path().join("fathom");
        let stripped = Command::new("strip").arg("-o").arg(&program).arg(env!("CARGO_BIN_EXE_fathom")).status();
        assert!(stripped.expect("binutils come with the compiler").success());
        let paths = "fathom=/tmp/fathom\nexport PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root XDG_DATA_HOME=/tmp/data XDG_CACHE_HOME=/tmp/cache\n\
                     cp /root/fathom $fathom\n";
        fs::write(folder.path().join("job"), format!("{paths}set -u\n{script}")).unwrap();
        let mut qemu = Command::new("timeout");
        qemu.args([SECONDS, "qemu-system-x86_64", "-machine", "q35", "-cpu", "max", "-m", "768", "-smp", "1"]);
        qemu.args(["-display", "none", "-no-reboot", "-nic", "none", "-append", "console=ttyS0 quiet panic=1"]);
        qemu.arg("-serial").arg(format!("file:{}", folder.path().join("console").display()));
        qemu.arg("-kernel").arg(boot.join("vmlinuz")).arg("-initrd").arg(boot.join("initrd.gz"));
        for (name, path, more) in [("host", Path::new("/"), ",readonly=on"), ("job", folder.path(), "")] {
            let path = path.display();
            qemu.args(["-fsdev", &format!("local,id={name},path={path},security_model=none,multidevs=remap{more}")]);
            qemu.args(["-device", &format!("virtio-9p-pci,fsdev={name},mount_tag={name}")]);
        }
        qemu.args(["-device", "ich9-ahci,id=sata", "-device", "virtio-scsi-pci,id=scsi"]);
        let two = |one: &(Bus, String)| matches!(one.0, Bus::TwoNamespaces);
        if drives.iter().any(two) {
            // The other namespace is one of nothing.
            qemu.args(["-device", "nvme,serial=two,id=two", "-drive", "if=none,id=other,driver=null-co,size=16M"]);
            qemu.args(["-device", "nvme-ns,bus=two,drive=other,nsid=2"]);
        }
        for (number, (bus, file)) in drives.iter().enumerate() {
            qemu.args(["-drive", &format!("if=none,id=d{number},file={file},format=raw,cache=writeback")]);
            qemu.args(["-device", &format!("{},drive=d{number}", bus.device())]);
        }
        let ended = qemu.stdin(Stdio::null()).output().unwrap();
        let guest = Guest { folder };
        let told = String::from_utf8_lossy(&ended.stderr);
        let console = guest.file("console");
        assert_eq!(guest.file("ended").trim(), "0", "{told}\n{console}\n{}", guest.file("output"));
        guest
    }

    /// A file that the script left; empty: it left none.
    pub fn file(&self, name: &str) -> String {
        fs::read(self.folder.path().join(name))
            .map(|text| String::from_utf8_lossy(&text).into_owned())
            .unwrap_or_default()
    }
}

/// Kernel and initramfs, made once.
fn boot() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guest");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/guest");
    let made = Command::new(script).arg(&folder).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    folder
}

/// A drive in memory whose flush takes as long as one of flash without capacitors, served by nbdkit.
pub struct SlowFlush {
    server: Child,
    folder: tempfile::TempDir,
}

/// One flush.
pub const FLUSH_SECONDS: f64 = 0.0035;

impl SlowFlush {
    pub fn start(bytes: u64) -> SlowFlush {
        let folder = tempfile::tempdir().unwrap();
        let plugin = format!(
            "import time, nbdkit\nAPI_VERSION = 2\ndisk = bytearray({bytes})\n\
             def open(readonly): return 1\ndef get_size(h): return len(disk)\ndef can_flush(h): return True\n\
             def can_fua(h): return nbdkit.FUA_NATIVE\n\
             def pread(h, buf, offset, flags): buf[:] = disk[offset:offset + len(buf)]\n\
             def pwrite(h, buf, offset, flags):\n    disk[offset:offset + len(buf)] = buf\n    \
             if flags & nbdkit.FLAG_FUA: time.sleep({FLUSH_SECONDS})\n\
             def flush(h, flags): time.sleep({FLUSH_SECONDS})\n"
        );
        let script = folder.path().join("plugin.py");
        fs::write(&script, plugin).unwrap();
        let mut nbdkit = Command::new("nbdkit");
        nbdkit.arg("--foreground").arg("--unix").arg(folder.path().join("socket")).arg("python").arg(&script);
        let server = nbdkit.stdin(Stdio::null()).spawn().expect("nbdkit is installed: make test does so");
        let drive = SlowFlush { server, folder };
        super::eventually("nbdkit's socket", 20, || drive.folder.path().join("socket").exists());
        drive
    }

    /// As QEMU opens it.
    pub fn address(&self) -> String {
        format!("nbd+unix:///?socket={}", self.folder.path().join("socket").display())
    }
}

impl Drop for SlowFlush {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
