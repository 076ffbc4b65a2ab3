"""`rados bench`, as the peer of the rados layer: objects of 4 KiB, written anew or read at random."""

import functools
import re
import statistics

from programs import Failed, run, which
from programs import version as version_of

READ_SET = "read"


def version():
    return version_of([which("rados"), "--version"], lambda text: text.split()[2])


def load(conf, pool, way, depth, seconds):
    """Gives iops and cpu_us (of the whole process, per operation)."""
    idle = start_up(conf, pool)
    # Objects that are there already would be written over, not made: every round makes its own.
    words = writing(f"write-{next(round_numbers)}") if way == "write" else ["rand", "--run-name", READ_SET, "--no-verify"]
    ended = bench(conf, pool, seconds, depth, words)
    took, made = told(ended.text, r"Total time run"), told(ended.text, r"Total (?:writes|reads) made")
    if not made:
        raise Failed(f"rados bench made no {way}")
    return {"iops": made / took, "cpu_us": max(ended.cpu_seconds - idle, 0) * 1e6 / made}


round_numbers = iter(range(1 << 30))


def fill(conf, pool, seconds):
    """The objects that are read later."""
    bench(conf, pool, seconds, 32, writing(READ_SET))


def writing(run_name):
    return ["write", "--run-name", run_name, "-b", 4096, "-O", 4096, "--no-cleanup"]


def bench(conf, pool, seconds, depth, words):
    return run([which("rados"), "-c", conf, "-p", pool, "bench", seconds, *words, "-t", depth], limit=seconds + 60)


@functools.cache
def start_up(conf, pool):
    """CPU seconds of a connection that lists nothing: it isn't the load's, so it is left out."""
    look = [which("rados"), "-c", conf, "-p", pool, "-N", "nothing-here", "ls"]
    return statistics.median(run(look).cpu_seconds for _ in range(5))


def told(text, words):
    found = re.search(words + r":\s+([\d.]+)", text)
    if not found:
        raise Failed(f"rados bench did not print {words!r}")
    return float(found[1])
