"""fio, as the peer of disks, images and of the null engine: one load, its figures and its CPU time."""

import functools
import json
import statistics

from programs import run, which
from programs import version as version_of

# The fastest that fio offers while it still takes latencies, as we do: no map of blocks it has been to.
ALWAYS = ["--name=bench", "--bs=4k", "--norandommap", "--randrepeat=0", "--output-format=json"]


def version():
    return version_of([which("fio"), "--version"]).removeprefix("fio-")


def load(way, depth, seconds, *options, env=None):
    """`way`: read or write, at random offsets. Gives iops, mean_ns and cpu_us (of the whole process, per operation)."""
    words = (f"--rw=rand{way}", f"--iodepth={depth}", *options)
    environment = tuple(sorted((env or {}).items()))
    idle = start_up(words, environment)
    ended = go(words + ("--time_based", f"--runtime={seconds}"), environment)
    job = json.loads(ended.text[ended.text.index("{") :])["jobs"][0]
    if job["error"]:
        raise ValueError(f"fio {' '.join(words)}: error {job['error']}")
    told = job[way]
    cpu_us = max(ended.cpu_seconds - idle, 0) * 1e6 / told["total_ios"]
    return {"iops": told["iops"], "mean_ns": told["lat_ns"]["mean"], "cpu_us": cpu_us}


def go(words, environment):
    return run([which("fio"), *ALWAYS, *words], env=dict(environment), limit=300)


@functools.cache
def start_up(words, environment):
    """CPU seconds of fio's coming and going: the same with one operation alone. It isn't the load's, so it is left out."""
    return statistics.median(go(words + ("--number_ios=1",), environment).cpu_seconds for _ in range(3))
