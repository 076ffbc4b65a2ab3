"""Programs are run to their end, with their time and the CPU time of the whole process, or are ended with us."""

import contextlib
import dataclasses
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time


class NotHere(Exception):
    """What a row needs cannot be had on this machine: the row is left out."""


class Failed(Exception):
    """A program that should have worked did not."""


@dataclasses.dataclass
class Ended:
    """How a program ended: its output, seconds by the clock, CPU seconds of all its threads and children."""

    text: str
    seconds: float
    cpu_seconds: float
    code: int


def which(name):
    """The program's path; administrators' folders are searched too."""
    folders = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    found = shutil.which(name, path=folders)
    if not found:
        raise NotHere(f"{name} is not installed")
    return found


def run(words, env=None, limit=120, codes=(0,)):
    """Runs a program to its end; `limit`: seconds until it is killed; `codes`: exit codes that are no failure."""
    words = [str(word) for word in words]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begun = time.monotonic()
        with ended_with_us(words, out, err, env) as child, killed_after(limit, child):
            # wait4 alone tells the CPU time of this one child.
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - begun
        text, wrong = read_back(out), read_back(err)
    if child.returncode not in codes:
        last = (wrong.strip() or text.strip()).splitlines()[-3:]
        raise Failed(f"{' '.join(words)} ended with {child.returncode}: {' / '.join(last)}")
    return Ended(text, seconds, usage.ru_utime + usage.ru_stime, child.returncode)


def run_between(words, first, last, env=None, limit=120):
    """Runs a program; CPU seconds are those between the lines of its output that match `first` and `last`."""
    words, begun, lines, marks = [str(word) for word in words], time.monotonic(), [], []
    with tempfile.TemporaryFile() as err, ended_with_us(words, subprocess.PIPE, err, env) as child:
        with killed_after(limit, child):
            for raw in child.stdout:
                lines.append(raw.decode("utf-8", "replace"))
                if len(marks) < 2 and re.match((first, last)[len(marks)], lines[-1]):
                    marks.append(cpu_seconds_of(child.pid))
            code = child.wait()
        if code != 0 or len(marks) < 2:
            raise Failed(f"{' '.join(words)} ended with {code}: {read_back(err).strip()}")
    return Ended("".join(lines), time.monotonic() - begun, marks[1] - marks[0], code)


def cpu_seconds_of(pid):
    """Of a living process with all its threads, to the nanosecond. Its clock's number is made as in clock_getcpuclockid(3)."""
    return time.clock_gettime((~pid << 3) | 2)


def read_back(file):
    file.seek(0)
    return file.read().decode("utf-8", "replace")


@contextlib.contextmanager
def ended_with_us(words, out=subprocess.DEVNULL, err=subprocess.DEVNULL, env=None):
    """A child that is gone at the end of the block. Ctrl-C reaches us alone, and we end it."""
    whole = {**os.environ, **(env or {})}
    child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=whole, start_new_session=True)
    try:
        yield child
    finally:
        if child.returncode is None and child.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()


@contextlib.contextmanager
def killed_after(limit, child):
    alarm = threading.Timer(limit, child.kill)
    alarm.daemon = True
    alarm.start()
    try:
        yield
    finally:
        alarm.cancel()


def version(words, pick=lambda text: text.split()[-1]):
    """What a program says of its version, cut down to the number."""
    return pick(run(words, codes=range(256)).text.strip().splitlines()[0])
