"""The network layer on the loopback address: round trips against sockperf, bulk against iperf3."""

import contextlib
import json
import re
import socket
import time

from book import Judged
from programs import Failed, ended_with_us, run, version, which

NAME = "the network layer"
HERE = "127.0.0.1"
# iperf3 writes 128 KiB at a time, and so do we.
BULK = 128 << 10


def compare(book, ours):
    with book.attempt("sockperf"):
        round_trips(book, ours, which("sockperf"))
    with book.attempt("iperf3"):
        bulk(book, ours, which("iperf3"))


def round_trips(book, ours, sockperf):
    what = "TCP round trip of 4 KiB"
    if not book.wants(what):
        return
    port = free_port()
    with server([sockperf, "server", "--tcp", "-i", HERE, "-p", str(port)], port):
        book.row(
            what,
            lambda: ours.measure("auto", f"pair:{HERE},{HERE}", "ask", 1, seconds=book.seconds),
            {"sockperf ping-pong": lambda: ping_pong(sockperf, port, book.seconds)},
            [Judged("p50_ns", "p50", "lower", 1.05)],
            version([sockperf, "--version"], lambda text: re.search(r"[\d.]+", text)[0]),
        )


def ping_pong(sockperf, port, seconds):
    """sockperf prints half of the round trip."""
    words = ["ping-pong", "--tcp", "-i", HERE, "-p", port, "-m", 4096, "-t", seconds]
    half = re.search(r"percentile 50\.0+ *= *([\d.]+)", run([sockperf, *words]).text)
    return {"p50_ns": 2000 * float(half[1])}


def bulk(book, ours, iperf3):
    what = "TCP bulk, one stream"
    if not book.wants(what):
        return
    port = free_port()
    with server([iperf3, "--server", "--bind", HERE, "--port", str(port)], port):
        book.row(
            what,
            lambda: our_stream(ours, book.seconds),
            {"iperf3": lambda: their_stream(iperf3, port, book.seconds)},
            [Judged("bytes_per_second", "bandwidth", "higher", 0.95)],
            version([iperf3, "--version"], lambda text: text.split()[1]),
        )


def our_stream(ours, seconds):
    told = ours.measure("auto", f"pair:{HERE},{HERE}", "write", 1, BULK, seconds=seconds)
    return {"bytes_per_second": told["iops"] * BULK}


def their_stream(iperf3, port, seconds):
    told = json.loads(run([iperf3, "--client", HERE, "--port", port, "--time", seconds, "--json"]).text)
    return {"bytes_per_second": told["end"]["sum_received"]["bits_per_second"] / 8}


def free_port():
    with socket.socket() as probe:
        probe.bind((HERE, 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def server(words, port):
    """A peer's server that answers, gone at the end of the block."""
    with ended_with_us(words) as child:
        until = time.monotonic() + 10
        while socket.socket().connect_ex((HERE, port)) != 0:
            if child.poll() is not None or time.monotonic() > until:
                raise Failed(f"{' '.join(words)} does not answer")
            time.sleep(0.05)
        yield
