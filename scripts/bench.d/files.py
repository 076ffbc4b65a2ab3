"""Files by their names against bonnie++, one job, in memory: on a disk its own syncs are most of what it does."""

import csv
import os
import pwd
import tempfile
from pathlib import Path

from book import Judged
from programs import NotHere, run, which

NAME = "files by their names"
PEER = "bonnie++"
BYTES = 4096
# (what, pattern of ours, size of the peer's files, its columns of rate and CPU, thousands of files it takes to be timed)
ROWS = [
    ("create and delete files of 4 KiB on tmpfs", "create-delete", BYTES, ("ran_create", "ran_del"), 64),
    ("open and read files of 4 KiB on tmpfs", "open-read", BYTES, ("ran_stat",), 192),
    ("stat files on tmpfs", "stat", 0, ("ran_stat",), 256),
]
# Where the rate of each kind stands in the peer's line (bon_csv2txt(1)); its share of a processor follows.
COLUMNS = {"ran_create": 32, "ran_stat": 34, "ran_del": 36}
FOLDERS = 64
# 1.2 times as many a second and core as the peer.
BOUND = round(1 / 1.2, 4)


def compare(book, ours):
    wanted = [row for row in ROWS if book.wants(row[0])]
    if not wanted:
        return
    with book.attempt(PEER):
        program = which("bonnie++")
        version = run(["dpkg-query", "-W", "-f", "${Version}", "bonnie++"], limit=20, codes=(0, 1)).text
        for what, pattern, size, columns, thousands in wanted:
            with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
                mine, theirs = Path(folder, "mine"), Path(folder, "theirs")
                for path in (mine, theirs):
                    path.mkdir()
                ours.told("measure", "fill", mine, pattern, 1, 1, BYTES, limit=600)
                book.row(
                    what,
                    lambda: ours.measure("posix", mine, pattern, 1, BYTES, seconds=book.seconds),
                    {PEER: lambda: told(program, theirs, size, columns, thousands)},
                    [Judged("cpu_us", "CPU per operation", "lower", BOUND)],
                    version or "unknown",
                )


def told(program, folder, size, columns, thousands):
    """CPU of one operation: the share of a processor divided by the rate; of several kinds their mean."""
    user = pwd.getpwuid(os.geteuid()).pw_name
    words = [program, "-d", folder, "-s", 0, "-n", f"{thousands}:{size}:{size}:{FOLDERS}", "-q", "-u", user]
    line = run(words, limit=600).text.strip().splitlines()[-1]
    fields = next(csv.reader([line]))
    each = []
    for column in columns:
        rate, share = fields[COLUMNS[column] : COLUMNS[column] + 2]
        if "+" in rate + share:
            raise NotHere(f"{PEER} was too fast to be timed with {thousands} thousand files")
        each.append(float(share) / 100 / float(rate) * 1e6)
    return {"cpu_us": sum(each) / len(each)}
