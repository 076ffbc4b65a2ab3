"""The book keeps what was found: entries of the table, what was left out and why, and what broke."""

import contextlib
import dataclasses
import json
import statistics
import sys

from pairs import in_turns, ratio_with_interval
from programs import Failed, NotHere

HEAT_ROUNDS = 2


@dataclasses.dataclass(frozen=True)
class Judged:
    """One figure of a row: the key in both sides' results, its name, which way is better, the bound of ours/theirs."""

    key: str
    name: str
    better: str
    bound: float


@dataclasses.dataclass
class Book:
    only: str
    rounds: int
    seconds: int
    entries: list = dataclasses.field(default_factory=list)
    broken: bool = False

    def wants(self, what):
        return self.only in what

    def left_out(self, what, why):
        print(f"left out: {what}: {why}", file=sys.stderr)

    def broke(self, what, why):
        self.broken = True
        print(f"broke: {what}: {why}", file=sys.stderr)

    @contextlib.contextmanager
    def attempt(self, what):
        """What goes wrong inside ends what is inside, not the comparison."""
        try:
            yield
        except NotHere as why:
            self.left_out(what, why)
        except (Failed, OSError, ValueError, KeyError, ArithmeticError) as why:
            self.broke(what, f"{type(why).__name__}: {why}")

    def row(self, what, ours, peers, judged, peer_version, rounds=None):
        """Compares `ours` with the best of `peers` (name to function), for each figure that is judged."""
        if not self.wants(what):
            return
        with self.attempt(what):
            print(f"{what} ...", file=sys.stderr, flush=True)
            chosen = self.heat(what, peers, judged)
            loads = {"": ours} | {name: peers[name] for name in chosen.values()}
            results = in_turns(loads, rounds or self.rounds)
            for figure in judged:
                self.enter(what, figure, results, chosen[figure], peer_version)

    def heat(self, what, peers, judged):
        """The best peer for each figure: the only one, or the one that wins a short heat."""
        if len(peers) == 1:
            return dict.fromkeys(judged, next(iter(peers)))
        results = {}
        for name, load in peers.items():
            with self.attempt(f"{what}, {name}"):
                results |= in_turns({name: load}, HEAT_ROUNDS)
        if not results:
            raise Failed("no peer could be run")
        best = {"higher": max, "lower": min}
        mean = lambda name, key: statistics.fmean(result[key] for result in results[name])
        return {figure: best[figure.better](results, key=lambda name: mean(name, figure.key)) for figure in judged}

    def enter(self, what, figure, results, peer, peer_version):
        sides = [[result[figure.key] for result in results[name]] for name in ("", peer)]
        ratio, (low, high) = ratio_with_interval(*sides)
        entry = {
            "what": f"{what}: {figure.name}",
            "peer": peer,
            "peer_version": peer_version,
            "ratio": round(ratio, 4),
            "ci95": [round(low, 4), round(high, 4)],
            "bound": figure.bound,
            "better": figure.better,
        }
        self.entries.append(entry)
        ours, theirs = (statistics.median(side) for side in sides)
        print(f"  {figure.name}: {ours:.5g} / {theirs:.5g} ({peer}): {ratio:.3f}", file=sys.stderr, flush=True)

    def json(self):
        lines = ",\n".join("  " + json.dumps(entry) for entry in self.entries)
        return f"[\n{lines}\n]\n"

    def table(self):
        """Aligned columns, one line for each entry."""
        rows = [("what", "peer", "version", "ratio", "95 % interval", "bound", "")]
        rows += [cells(entry) for entry in self.entries]
        widths = [max(len(row[n]) for row in rows) for n in range(7)]
        right = {3, 4}
        line = lambda row: "  ".join(
            cell.rjust(width) if n in right else cell.ljust(width) for n, (cell, width) in enumerate(zip(row, widths))
        )
        return "\n".join(line(row).rstrip() for row in rows)


def cells(entry):
    """A question mark: the bound lies inside the interval, so that another run may see it the other way."""
    low, high = entry["ci95"]
    sign = "≥" if entry["better"] == "higher" else "≤"
    holds = entry["ratio"] >= entry["bound"] if sign == "≥" else entry["ratio"] <= entry["bound"]
    figures = f"{entry['ratio']:.3f}", f"{low:.3f}–{high:.3f}", f"{sign} {entry['bound']:g}"
    verdict = ("holds" if holds else "misses") + ("?" if low <= entry["bound"] <= high else "")
    return entry["what"], entry["peer"], entry["peer_version"], *figures, verdict
