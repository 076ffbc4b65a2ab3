"""A lab of the comparison's own: a throwaway Ceph cluster in memory, gone at the end of the block."""

import contextlib
import dataclasses
import os
import shutil
import tempfile
from pathlib import Path

from ours import Ours
from programs import NotHere, run, which

MEMORY = Path("/dev/shm")
NEEDED = 4 << 30
OSDS = 3


@dataclasses.dataclass
class Lab:
    ours: Ours
    name: str
    told: dict
    folder: Path

    @property
    def conf(self):
        """Ours and theirs read the same one, without the cache of librbd, which would answer in place of the cluster."""
        return str(self.folder / "bench.conf")

    @property
    def osds(self):
        return self.told["osds"]

    def pid(self, daemon):
        return next(found["pid"] for found in self.told["daemons"] if found["name"] == daemon)

    def ceph(self, *words):
        return run([which("ceph"), "-c", self.conf, *words]).text

    def pool(self, name, application, replicas=None):
        self.ceph("osd", "pool", "create", name, "32")
        self.ceph("osd", "pool", "application", "enable", name, application)
        if replicas:
            self.ceph("osd", "pool", "set", name, "size", replicas, "--yes-i-really-mean-it")
        return name


@contextlib.contextmanager
def lab(ours, backing, services=()):
    """Everything of it lies in memory, so that this machine's disk and its other users have no part in it."""
    which("ceph-osd")
    if not MEMORY.is_dir() or shutil.disk_usage(MEMORY).free < NEEDED:
        raise NotHere(f"{MEMORY} has not {NEEDED >> 30} GiB free for a lab")
    name = f"bench-{os.getpid()}"
    with tempfile.TemporaryDirectory(prefix="fathom-bench-", dir=MEMORY) as folder, data_home(folder):
        try:
            told, _ = ours.say("lab", "up", "--name", name, "--backing", backing, "--osds", OSDS, *with_services(services))
            conf = Path(told["conf"]).read_text(encoding="utf-8") + "\n[client]\nrbd cache = false\n"
            Path(folder, "bench.conf").write_text(conf, encoding="utf-8")
            yield Lab(ours, name, told, Path(folder))
        finally:
            run([ours.fathom, "lab", "down", "--name", name], codes=range(256))


def with_services(services):
    return ("--with", ",".join(services)) if services else ()


@contextlib.contextmanager
def data_home(folder):
    """Where Fathom keeps labs and its archive: not among the user's."""
    before = os.environ.get("XDG_DATA_HOME")
    os.environ["XDG_DATA_HOME"] = folder
    try:
        yield
    finally:
        if before is None:
            del os.environ["XDG_DATA_HOME"]
        else:
            os.environ["XDG_DATA_HOME"] = before
