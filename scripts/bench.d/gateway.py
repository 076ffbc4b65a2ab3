"""The object layer against a server that is not the limit; the peer is minio-go, with which warp loads."""

import contextlib
import json
import re
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


def compare(book, ours):
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
