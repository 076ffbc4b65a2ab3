"""All OSDs ranked, with intervals, one that is 20 % slower named: the time it takes, against ceph-gobench's 30 s an OSD."""

import statistics
import sys

import gobench
from book import Judged
from lab import lab
from programs import Failed

NAME = "all OSDs ranked"
WHAT = "all OSDs ranked with intervals, one 20 % slower than the others named"
ROUNDS = 3
SLOW = "osd.2"
# 0.8 of the speed.
SLOWER = 1 / 0.8
# The messenger's own delay of what comes from clients: some ms for this share of the messages.
SHARE = 0.05
DELAY = {"ms_inject_delay_type": "client", "ms_inject_delay_max": "0.0003"}
TRIES = 3
# Many slices of a second, in turns: the levels here wander over seconds, by more than the OSDs differ, and what all share
# in a pass is no difference between them.
SETTINGS = ("--alone", "--patterns", "write-latency", "--duration", "1s", "--passes", "18")
# Not named yet: measured again, and the time counts.
AGAIN = 3
# 4: done, and some figures are not as narrow as asked for.
DONE = (0, 4)


def compare(book, ours):
    if not book.wants(WHAT):
        return
    with lab(ours, "loop") as cluster:
        hold_back(cluster)
        peer, version, seconds = gobench.time(cluster)
        judged = [Judged("seconds", "time", "lower", 1.0)]
        book.row(WHAT, lambda: named(cluster), {peer: lambda: {"seconds": seconds}}, judged, version, ROUNDS)


def hold_back(cluster):
    """Sets the share of delayed messages with which the OSD is 20 % slower: what it costs is proportional to the share, and
    is known by several tries, since each is off by some percent."""
    for option, value in DELAY.items():
        cluster.ceph("config", "set", SLOW, option, value)
    shares, costs, share = [], [], SHARE
    for _ in range(TRIES):
        delay(cluster, share)
        latencies, _ = rank(cluster)
        slower = latencies[SLOW] / others(latencies)
        print(f"  with {share:.1%} delayed {SLOW} took {slower:.2f} of the others' time", file=sys.stderr, flush=True)
        shares.append(share)
        costs.append(slower - 1)
        share = (SLOWER - 1) * sum(shares) / max(sum(costs), 0.05)
    delay(cluster, share)


def delay(cluster, share):
    cluster.ceph("config", "set", SLOW, "ms_inject_delay_probability", f"{share:.5f}")


def named(cluster):
    """The ranking counts only if it has its intervals and names the slow one, and it alone."""
    total = 0.0
    for _ in range(AGAIN):
        latencies, (document, seconds) = rank(cluster)
        total += seconds
        found = {outlier["target"] for outlier in document["outliers"]}
        slower = latencies[SLOW] / others(latencies)
        print(f"  {seconds:.1f} s, named {sorted(found)}; {SLOW} took {slower:.2f} of the others' time", file=sys.stderr)
        if found - {SLOW}:
            raise Failed(f"named {sorted(found)}, and only {SLOW} is slow")
        if found:
            return {"seconds": total}
    raise Failed(f"{SLOW} was not named in {AGAIN} runs")


def rank(cluster):
    """Seconds of one write on each OSD alone; the document and the time it took."""
    document, ended = cluster.ours.say("osd", "--lab", cluster.name, *SETTINGS, codes=DONE)
    alone = [figure for figure in document["figures"] if figure["at_once"] == 1 and figure["value"]]
    if len(alone) < len(cluster.osds) or not all(figure["ci95"] for figure in alone):
        raise Failed(f"figures with intervals: {[figure['target'] for figure in alone]}; {document['errors']}")
    return {figure["target"]: figure["value"] / 1000 for figure in alone}, (document, ended.seconds)


def others(latencies):
    return statistics.median(value for name, value in latencies.items() if name != SLOW)
