"""ceph-gobench, which writes to each OSD for 30 s: how long it takes for all, measured, or as its manual says."""

import os
import shutil
import sys
from pathlib import Path

from programs import Failed, NotHere, run, which

PEER = "ceph-gobench"
MODULE = "github.com/rumanzo/ceph-gobench@latest"
DEFAULT_SECONDS = 30


def time(cluster):
    """(peer, version, seconds for all OSDs of the lab)."""
    try:
        program, version = installed(cluster.ours.fathom.parent.parent / "bench-peers")
        pool = cluster.pool("bench", "gobench", replicas=1)
        keyring = next(cluster.folder.rglob("keyring"))
        words = [program, "-c", cluster.conf, "-k", keyring, "-p", pool, "-d", f"{DEFAULT_SECONDS}s"]
        return PEER, version, run(words, limit=DEFAULT_SECONDS * len(cluster.osds) * 3).seconds
    except (NotHere, Failed) as why:
        seconds = DEFAULT_SECONDS * len(cluster.osds)
        last = str(why).splitlines()[-1]
        print(f"{PEER} could not be run, its default of {DEFAULT_SECONDS} s an OSD is taken: {last}", file=sys.stderr)
        return PEER, "its default, not run", seconds


def installed(folder):
    """Its path and version: the one on this machine, or one that the Go module proxy gives."""
    found = shutil.which(PEER, path=f"{os.environ.get('PATH', '')}:{folder}")
    if not found:
        run([which("go"), "install", MODULE], env={"GOBIN": str(folder)}, limit=600)
        found = Path(folder, PEER)
    told = run([which("go"), "version", "-m", found]).text
    return found, next((line.split()[2] for line in told.splitlines() if line.split()[:1] == ["mod"]), "unknown")
