"""The device layer: the null engine, a file on tmpfs, a loop device on tmpfs, a file on the local disk; the peer is fio."""

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

import fio
from book import Judged
from ours import as_root
from programs import NotHere, run, which

NAME = "the device layer"
MEMORY = Path("/dev/shm")
LOOP = "loop device on tmpfs"
SIZE = 512 << 20
# One in flight on a loop device: a new process has its first second or so on the same processor as the kernel's worker, at
# up to twice its later speed. Loads that are this many times as long end well after that.
SETTLED = 3
SPEED = [Judged("iops", "operations/s", "higher", 1.0), Judged("cpu_us", "CPU per operation", "lower", 1.0)]
SAME = [
    Judged("mean_ns", "mean latency, at most", "lower", 1.03),
    Judged("mean_ns", "mean latency, at least", "higher", 0.97),
]


def compare(book, ours):
    version = fio.version()
    null(book, ours, version)
    for name, made in (("file on tmpfs", tmpfs_file), (LOOP, loop_device)):
        if any(book.wants(row) for row in rows(name)):
            with book.attempt(name), made() as path:
                ours.fill(path)
                device(book, ours, version, name, path)
    if any(book.wants(row) for row in rows("file on the local disk", (1,))):
        with book.attempt("file on the local disk"), file_in(ours.fathom.parent.parent) as path:
            ours.fill(path)
            local(book, ours, version, path)


def null(book, ours, version):
    for depth, bound in ((1, 1.3), (32, 3.0)):
        book.row(
            f"null engine, depth {depth}",
            lambda: ours.measure("null", "-", "read", depth, seconds=book.seconds),
            {"fio null": lambda: fio.load("read", depth, book.seconds, "--ioengine=null", "--size=1g")},
            [Judged("iops", "operations/s on one core", "higher", bound)],
            version,
        )


def rows(name, depths=(1, 128)):
    return [row_name(way, name, depth) for way in ("read", "write") for depth in depths]


def row_name(way, name, depth):
    return f"4 KiB random {way}, {name}, depth {depth}"


def device(book, ours, version, name, path):
    for depth in (1, 128):
        seconds = book.seconds * (SETTLED if depth == 1 and name == LOOP else 1)
        for way in ("read", "write"):
            load = lambda: ours.measure("auto", path, way, depth, seconds=seconds)
            book.row(row_name(way, name, depth), load, contenders(path, way, depth, seconds), SPEED, version)


def local(book, ours, version, path):
    for way in ("read", "write"):
        what = row_name(way, "file on the local disk", 1)
        load = lambda: ours.measure("psync", path, way, 1, seconds=book.seconds)
        book.row(what, load, {"fio psync": fio_engine(path, way, 1, book.seconds, "psync")}, SAME, version)


def contenders(path, way, depth, seconds):
    """fio's engines for this load; psync has no depth."""
    engine = lambda name, *options: fio_engine(path, way, depth, seconds, name, *options)
    peers = {
        "fio io_uring": engine("io_uring"),
        "fio io_uring, registered": engine("io_uring", "--registerfiles=1", "--fixedbufs=1"),
        "fio libaio": engine("libaio"),
    }
    return peers | ({"fio psync": engine("psync")} if depth == 1 else {})


def fio_engine(path, way, depth, seconds, name, *options, size=SIZE):
    place = (f"--filename={path}", f"--size={size}", "--direct=1", "--allow_file_create=0")
    return lambda: fio.load(way, depth, seconds, f"--ioengine={name}", *place, *options)


@contextlib.contextmanager
def file_in(folder):
    """A file of SIZE, to be filled before it is read."""
    if shutil.disk_usage(folder).free < 2 * SIZE:
        raise NotHere(f"{folder} has not {2 * SIZE >> 20} MiB free")
    with tempfile.TemporaryDirectory(prefix="fathom-bench-", dir=folder) as own:
        path = Path(own) / "data"
        with path.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, SIZE)
        yield path


def tmpfs_file():
    if not MEMORY.is_dir():
        raise NotHere(f"{MEMORY} is not there")
    return file_in(MEMORY)


@contextlib.contextmanager
def loop_device():
    as_root("a loop device")
    losetup = which("losetup")
    with tmpfs_file() as path:
        device = run([losetup, "--find", "--show", path]).text.strip()
        try:
            yield device
        finally:
            run([losetup, "--detach", device])
