"""fio, as the peer of disks, images and of the null engine: one load, its figures and its CPU time."""

import json

from programs import Failed, run_between, which
from programs import version as version_of

# The fastest that fio offers while it still takes latencies, as we do: no map of blocks it has been to. One process, so
# that its clock covers everything; the plain format as well, since it says when the load begins.
ALWAYS = ["--name=bench", "--bs=4k", "--norandommap", "--randrepeat=0", "--thread=1", "--time_based"]
FORMAT = ["--output-format=json,normal"]


def version():
    return version_of([which("fio"), "--version"]).removeprefix("fio-")


def load(way, depth, seconds, *options, env=None):
    """`way`: read or write, at random offsets. Gives iops, mean_ns and cpu_us (of the whole process, per operation)."""
    words = [which("fio"), *ALWAYS, *FORMAT, f"--rw=rand{way}", f"--iodepth={depth}", f"--runtime={seconds}", *options]
    ended = run_between(words, r"Starting \d", r"\{", env=env, limit=seconds + 120)
    begin = ended.text.index("\n{") + 1
    job = json.JSONDecoder().raw_decode(ended.text, begin)[0]["jobs"][0]
    told = job[way]
    if job["error"] or not told["total_ios"]:
        raise Failed(f"{' '.join(map(str, words))}: error {job['error']}, {told['total_ios']} operations")
    cpu_us = ended.cpu_seconds * 1e6 / told["total_ios"]
    return {"iops": told["iops"], "mean_ns": told["lat_ns"]["mean"], "cpu_us": cpu_us}
