"""The rados and rbd layers on a lab in memory: 4 KiB, against `rados bench` and fio's rbd engine."""

import fio
import rados
from book import Judged
from lab import lab
from programs import run, which

NAME = "the rados and rbd layers"
OBJECTS = 64 << 20
# Objects that a write round makes are made once: more names than operations, so that hardly one is met twice.
FRESH = 1 << 30
IMAGE = 256 << 20
FILL_SECONDS = 8
CPU = Judged("cpu_us", "CPU per operation", "lower", 1.0)
RADOS = [Judged("iops", "operations/s", "higher", 1.0), CPU]
RBD = [Judged("iops", "operations/s", "higher", 0.97), CPU]


def compare(book, ours):
    wanted = [name for name in (*rows("RADOS", (1, 16)), *rows("RBD", (1, 128))) if book.wants(name)]
    if not wanted:
        return
    with lab(ours, "memory") as cluster:
        if any(name.startswith("RADOS") for name in wanted):
            with book.attempt("the rados layer"):
                objects(book, cluster)
        if any(name.startswith("RBD") for name in wanted):
            with book.attempt("the rbd layer"):
                images(book, cluster)


def rows(layer, depths):
    return [row_name(layer, way, depth) for way in ("write", "read") for depth in depths]


def row_name(layer, way, depth):
    return f"{layer} 4 KiB random {way}, {depth} in flight"


def objects(book, cluster):
    which("rados")
    pool, version = cluster.pool("objects", "rados"), rados.version()
    cluster.ours.measure_cluster(cluster.conf, pool, "fill", 1, 0, OBJECTS, "read.")
    rados.fill(cluster.conf, pool, FILL_SECONDS)
    for way in ("write", "read"):
        for depth in (1, 16):
            load = lambda: our_objects(cluster, pool, way, depth, book.seconds)
            peer = lambda: rados.load(cluster.conf, pool, way, depth, book.seconds)
            book.row(row_name("RADOS", way, depth), load, {"rados bench": peer}, RADOS, version)


def our_objects(cluster, pool, way, depth, seconds):
    """Writes make new objects, as those of `rados bench` do; reads find the ones that were filled."""
    size, prefix = (FRESH, f"{next(rados.round_numbers)}.") if way == "write" else (OBJECTS, "read.")
    return cluster.ours.measure_cluster(cluster.conf, pool, way, depth, seconds, size, prefix)


def images(book, cluster):
    pool = cluster.pool("images", "rbd")
    version = f"{fio.version()}, librbd {rados.version()}"
    for image in ("ours", "theirs"):
        run([which("rbd"), "-c", cluster.conf, "create", f"{pool}/{image}", "--size", f"{IMAGE}B"])
        cluster.ours.measure_cluster(cluster.conf, f"{pool}/{image}", "fill", 1, 0, IMAGE, "")
    for way in ("write", "read"):
        for depth in (1, 128):
            load = lambda: cluster.ours.measure_cluster(cluster.conf, f"{pool}/ours", way, depth, book.seconds, IMAGE, "")
            peer = lambda: fio_rbd(cluster, pool, way, depth, book.seconds)
            book.row(row_name("RBD", way, depth), load, {"fio rbd": peer}, RBD, version)


def fio_rbd(cluster, pool, way, depth, seconds):
    place = ("--ioengine=rbd", "--clientname=admin", f"--pool={pool}", "--rbdname=theirs", "--direct=1")
    return fio.load(way, depth, seconds, *place, env={"CEPH_CONF": cluster.conf})
