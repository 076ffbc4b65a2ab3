"""Files of a cluster: by libcephfs beside the same through ceph-fuse, and blocks of a file in a mount beside fio."""

import contextlib
import os
import subprocess
import tempfile
import time
from pathlib import Path

import disk
import fio
import rados
from book import Judged
from lab import lab
from ours import as_root
from programs import Failed, ended_with_us, run, which

NAME = "files of a cluster"
PEER = "ceph-fuse"
SERVICES = ("cephfs",)
FILE_SYSTEM = "cephfs"
JOBS = 8
# (what, pattern of ours); on the other side our own engine of mounted file systems does the same.
ROWS = [
    (f"CephFS, create and delete files of 4 KiB by libcephfs, {JOBS} jobs", "create-delete"),
    (f"CephFS, open and read files of 4 KiB by libcephfs, {JOBS} jobs", "open-read"),
    (f"CephFS, list folders by libcephfs, {JOBS} jobs", "list"),
]
MOUNTED = "file in ceph-fuse"
BYTES = 64 << 20
MOUNTED_WITHIN = 30


def compare(book, ours):
    blocks = any(book.wants(name) for name in disk.rows(MOUNTED, (1,)))
    wanted = [row for row in ROWS if book.wants(row[0])]
    if not wanted and not blocks:
        return
    as_root("a mount")
    with lab(ours, "memory", SERVICES) as cluster, mounted(cluster) as mount:
        if wanted:
            with book.attempt(PEER):
                by_names(book, cluster, mount, wanted)
        if blocks:
            with book.attempt(MOUNTED):
                path = Path(mount, "data")
                path.write_bytes(bytes(BYTES))
                ours.fill(path)
                for way in ("read", "write"):
                    load = lambda: ours.measure("psync", path, way, 1, seconds=book.seconds)
                    peer = disk.fio_engine(path, way, 1, book.seconds, "psync", size=BYTES)
                    book.row(disk.row_name(way, MOUNTED, 1), load, {"fio psync": peer}, disk.SAME, fio.version())


def by_names(book, cluster, mount, wanted):
    name, own, theirs = f"cephfs:{FILE_SYSTEM}", "/library", Path(mount, "mount")
    theirs.mkdir()
    cluster.ours.measure_cluster(cluster.conf, name, "fill-open-read", JOBS, 0, 0, own)
    cluster.ours.told("measure", "fill", theirs, "open-read", JOBS, 1, 4096, limit=600)
    for what, pattern in wanted:
        book.row(
            what,
            lambda: cluster.ours.measure_cluster(cluster.conf, name, pattern, JOBS, book.seconds, 0, own),
            {PEER: lambda: cluster.ours.measure("posix", theirs, pattern, JOBS, seconds=book.seconds)},
            [Judged("iops", "operations/s", "higher", 1.0)],
            rados.version(),
        )


@contextlib.contextmanager
def mounted(cluster):
    fuse, unmount = which("ceph-fuse"), which("umount")
    with tempfile.TemporaryDirectory(prefix="fathom-bench-") as folder:
        # In the foreground it is our child, and ends before its cluster does.
        with ended_with_us([fuse, "-f", "-c", cluster.conf, "-n", "client.admin", folder]) as child:
            deadline = time.monotonic() + MOUNTED_WITHIN
            while not os.path.ismount(folder):
                if child.poll() is not None or time.monotonic() > deadline:
                    raise Failed(f"{fuse} did not mount")
                time.sleep(0.1)
            try:
                yield folder
            finally:
                run([unmount, folder], limit=60, codes=range(256))
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.wait(MOUNTED_WITHIN)
