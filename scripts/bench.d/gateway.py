"""The object layer against a server that is not the limit: S3 beside minio-go, with which warp loads, Swift beside swift-bench."""

import contextlib
import json
import re
import resource
import shutil
import subprocess
import tempfile
from pathlib import Path

from book import Judged
from programs import Failed, ended_with_us, run, which

NAME = "the object layer"
PEER = "minio-go (warp's client)"
SMALL, LARGE = 4096, 4 << 20
# (what, way of ours, way of theirs, bytes, in flight, the most of the peer's CPU): three times the requests a core are a third of it.
ROWS = [
    ("S3 PUT of 4 KiB, 32 in flight", "write", "put", SMALL, 32, 1 / 3),
    ("S3 GET of 4 KiB, 32 in flight", "read", "get", SMALL, 32, 1 / 3),
    ("S3 GET of 4 MiB, 8 in flight", "read", "get", LARGE, 8, 1 / 1.5),
]

SWIFT_PEER = "swift-bench"
# Debian 12 has 1.2.0, which no Python 3 runs.
SWIFT_VERSION = "2.0.0"
SWIFT_LOG_IN = "/auth/v1.0"
SWIFT_KEEPS = 64
# (what, way of ours, is it theirs that gets): twenty times the requests a core.
SWIFT_ROWS = [("Swift PUT of 4 KiB, 8 in flight", "write", False), ("Swift GET of 4 KiB, 8 in flight", "read", True)]
SWIFT_DEPTH = 8


def compare(book, ours):
    compare_s3(book, ours)
    compare_swift(book, ours)


def compare_s3(book, ours):
    wanted = [row for row in ROWS if book.wants(row[0])]
    if not wanted:
        return
    with book.attempt(PEER):
        peer, version = built(ours.fathom.parent.parent / "bench-peers")
        with stub(ours) as url:
            for what, way, theirs, size, depth, bound in wanted:
                ours.told("measure", "fill", url, "read", depth, 1, size, limit=600)
                book.row(
                    what,
                    lambda: ours.measure("s3", url, way, depth, size, seconds=book.seconds),
                    {PEER: lambda: told(peer, url, theirs, size, depth, book.seconds)},
                    [Judged("cpu_us", "CPU per request", "lower", round(bound, 4))],
                    version,
                )


def compare_swift(book, ours):
    wanted = [row for row in SWIFT_ROWS if book.wants(row[0])]
    if not wanted:
        return
    with book.attempt(SWIFT_PEER):
        program = had_swift_bench(ours.fathom.parent.parent / "bench-peers" / "swift-bench")
        with stub(ours) as url:
            login = f"swift:{url}{SWIFT_LOG_IN}"
            for what, way, gets in wanted:
                ours.told("measure", "fill", login, "read", SWIFT_DEPTH, 1, SMALL, limit=600)
                book.row(
                    what,
                    lambda: ours.measure("s3", login, way, SWIFT_DEPTH, SMALL, seconds=book.seconds),
                    {SWIFT_PEER: lambda: by_swift_bench(program, url + SWIFT_LOG_IN, gets, book.seconds)},
                    [Judged("cpu_us", "CPU per request", "lower", 1 / 20)],
                    SWIFT_VERSION,
                )


def had_swift_bench(folder):
    """The words that begin its command, in an environment of its own."""
    python = Path(folder, "bin", "python")
    if not Path(folder, "bin", "swift-bench").exists():
        run([which("python3"), "-m", "venv", folder], limit=120)
        run([python, "-m", "pip", "install", "--quiet", f"swift-bench=={SWIFT_VERSION}"], limit=600)
    return [python, "-W", "ignore", Path(folder, "bin", "swift-bench")]


def by_swift_bench(program, login, gets, seconds):
    """
    CPU of one request, with all that it does in its process: of two runs, one of which makes more of these requests, what the second took
    longer, so that its start and its other requests are in neither.
    """
    few = int(150 * seconds)
    many = 3 * few

    def cpu(requests):
        puts, wanted = (SWIFT_KEEPS, requests) if gets else (requests, 1)
        words = [*program, "-A", login, "-U", "fathom:swift", "-K", "secret", "-s", SMALL, "-c", SWIFT_DEPTH, "-n", puts]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run([*words, "-g", wanted, "-x"], limit=600)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return {"cpu_us": (cpu(many) - cpu(few)) / (many - few) * 1e6}


def told(peer, url, way, size, depth, seconds):
    return json.loads(run([peer, url.removeprefix("http://"), way, size, depth, seconds], limit=seconds + 60).text)


def built(folder):
    """The peer's program, and its library's version."""
    source = Path(__file__).resolve().parent / "s3peer"
    with tempfile.TemporaryDirectory() as made:
        shutil.copytree(source, made, dirs_exist_ok=True)
        program = Path(folder, "s3peer")
        run([which("go"), "-C", made, "build", "-o", program, "."], limit=600)
        version = re.search(r"minio-go/v7 v([\d.]+)", Path(made, "go.mod").read_text(encoding="utf-8"))
    return program, version[1] if version else "unknown"


@contextlib.contextmanager
def stub(ours):
    """A server that keeps what it is put; its address is its first line."""
    words = [str(ours.fathom.parent / "examples" / "stub_gateway")]
    with ended_with_us(words, subprocess.PIPE) as child:
        url = child.stdout.readline().decode().strip()
        if not url:
            raise Failed("the stub of a gateway did not start")
        yield url
