"""`rados bench`, as the peer of the rados layer: objects of 4 KiB, written anew or read at random."""

import re

from programs import Failed, run_between, which
from programs import version as version_of

READ_SET = "read"


def version():
    return version_of([which("rados"), "--version"], lambda text: text.split()[2])


def load(conf, pool, way, depth, seconds):
    """Gives iops and cpu_us (of the whole process while it loads, per operation)."""
    # Objects that are there already would be written over, not made: every round makes its own.
    words = writing(f"write-{next(round_numbers)}") if way == "write" else ["rand", "--run-name", READ_SET, "--no-verify"]
    ended = bench(conf, pool, seconds, depth, words)
    took, made = told(ended.text, r"Total time run"), told(ended.text, r"Total (?:writes|reads) made")
    if not made:
        raise Failed(f"rados bench made no {way}")
    return {"iops": made / took, "cpu_us": ended.cpu_seconds * 1e6 / made}


round_numbers = iter(range(1 << 30))


def fill(conf, pool, seconds):
    """The objects that are read later."""
    bench(conf, pool, seconds, 32, writing(READ_SET))


def writing(run_name):
    return ["write", "--run-name", run_name, "-b", 4096, "-O", 4096, "--no-cleanup"]


def bench(conf, pool, seconds, depth, words):
    """The line of second 0 is printed when the load begins."""
    whole = [which("rados"), "-c", conf, "-p", pool, "bench", seconds, *words, "-t", depth]
    return run_between(whole, r" +0 +\d", "Total time run", limit=seconds + 60)


def told(text, words):
    found = re.search(words + r":\s+([\d.]+)", text)
    if not found:
        raise Failed(f"rados bench did not print {words!r}")
    return float(found[1])
