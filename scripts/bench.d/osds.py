"""All OSDs ranked, with intervals, one that is 20 % slower named: the time it takes, against ceph-gobench's 30 s an OSD."""

import contextlib
import os
import statistics
import sys
from pathlib import Path

import gobench
from book import Judged
from lab import lab
from ours import as_root
from programs import Failed, NotHere

NAME = "all OSDs ranked"
WHAT = "all OSDs ranked with intervals, one 20 % slower than the others named"
ROUNDS = 3
SLOW = "osd.2"
# 20 % slower: 0.8 of the speed.
SLOWER = 1 / 0.8
# Writes per second that certainly hold the OSD back: where the search begins.
HARD = 200
# Near enough to 20 %, on a machine where the others vary by as much.
NEAR = 0.03
TRIES = 8
# Short slices, minutes of which say less than four passes of them; the interval is asked for so narrow that all are taken.
SETTINGS = ("--patterns", "write-latency", "--quick", "--passes", "4", "--settle", "3%")
# 4: done, and some figures are not as narrow as asked for.
DONE = (0, 4)


def compare(book, ours):
    if not book.wants(WHAT):
        return
    as_root("an OSD that is held back")
    with lab(ours, "loop") as cluster, held_back(cluster, SLOW) as hold:
        hold_to(cluster, hold)
        peer, version, seconds = gobench.time(cluster)
        judged = [Judged("seconds", "time", "lower", 1.0)]
        book.row(WHAT, lambda: named(cluster), {peer: lambda: {"seconds": seconds}}, judged, version, ROUNDS)


def hold_to(cluster, hold):
    """Finds the limit at which the OSD is 20 % slower: while it is held back, its latency goes with 1/limit."""
    limit = HARD
    for _ in range(TRIES):
        hold(round(limit))
        latencies, _ = rank(cluster, *SETTINGS)
        slower = latencies[SLOW] / others(latencies)
        print(f"  {SLOW} at {limit:.0f} writes/s took {slower:.2f} of the others' time", file=sys.stderr, flush=True)
        if abs(slower / SLOWER - 1) < NEAR:
            return
        limit *= slower / SLOWER
    raise Failed(f"{SLOW} could not be made 20 % slower in {TRIES} tries; is this machine busy otherwise?")


def named(cluster):
    """The ranking counts only if it has its intervals and names the slow one, and it alone."""
    latencies, (document, seconds) = rank(cluster, *SETTINGS)
    found = {outlier["target"] for outlier in document["outliers"]}
    slower = latencies[SLOW] / others(latencies)
    print(f"  {seconds:.1f} s, named {sorted(found)}; {SLOW} took {slower:.2f} of the others' time", file=sys.stderr)
    if found != {SLOW}:
        raise Failed(f"named {sorted(found)}, not {SLOW} alone, which took {slower:.2f} of the others' time")
    return {"seconds": seconds}


def rank(cluster, *words):
    """Seconds of one write on each OSD alone; the document and the time it took."""
    document, ended = cluster.ours.say("osd", "--lab", cluster.name, *words, codes=DONE)
    alone = [figure for figure in document["figures"] if figure["at_once"] == 1 and figure["value"]]
    if len(alone) < len(cluster.osds) or not all(figure["ci95"] for figure in alone):
        raise Failed(f"figures with intervals: {[figure['target'] for figure in alone]}; {document['errors']}")
    return {figure["target"]: figure["value"] / 1000 for figure in alone}, (document, ended.seconds)


def others(latencies):
    return statistics.median(value for name, value in latencies.items() if name != SLOW)


@contextlib.contextmanager
def held_back(cluster, osd):
    """A group of processes of its own for the OSD; gives a function that limits its writes per second."""
    top = Path("/sys/fs/cgroup/blkio")
    if not (top / "blkio.throttle.write_iops_device").exists():
        raise NotHere(f"{top} cannot hold a device back (it needs the blkio controller of cgroups v1)")
    device = next(found["device"] for found in cluster.osds if f"osd.{found['id']}" == osd)
    number = os.stat(device).st_rdev
    group, pid = top / cluster.name, cluster.pid(osd)
    group.mkdir()
    try:
        (group / "cgroup.procs").write_text(str(pid))
        limit = group / "blkio.throttle.write_iops_device"
        yield lambda writes: limit.write_text(f"{os.major(number)}:{os.minor(number)} {writes}")
    finally:
        # The OSD may be gone already; then the group is empty, too.
        with contextlib.suppress(ProcessLookupError):
            (top / "cgroup.procs").write_text(str(pid))
        group.rmdir()
