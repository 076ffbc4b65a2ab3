"""Our side: the measuring programs that drive Fathom's own engines, and Fathom itself."""

import dataclasses
import json
import os
import shutil
from pathlib import Path

from programs import Failed, NotHere, run

EXAMPLES = ("measure", "measure_cluster", "stub_gateway")


@dataclasses.dataclass
class Ours:
    fathom: Path

    @staticmethod
    def built(fathom):
        """Builds the measuring programs beside `fathom`, with the same options."""
        if not fathom.is_file():
            raise Failed(f"{fathom} is not there; build it with cargo build --release")
        cargo = os.environ.get("CARGO") or shutil.which("cargo") or Path.home() / ".cargo/bin/cargo"
        manifest = Path(__file__).resolve().parents[2] / "Cargo.toml"
        words = [cargo, "build", "--release", "--quiet", "-p", "engines", "--manifest-path", manifest]
        words += ["--target-dir", fathom.parent.parent]
        run(words + [word for name in EXAMPLES for word in ("--example", name)], limit=1800)
        return Ours(fathom)

    def measure(self, *words, seconds):
        """One load of a file, a device, the network or nothing; the words are those of the program."""
        engine, path, way, depth, *rest = words
        return self.told("measure", engine, path, way, depth, seconds, *rest, limit=seconds + 60)

    def fill(self, path):
        self.told("measure", "fill", path, "read", 128, 1, limit=600)

    def measure_cluster(self, conf, name, way, depth, seconds, size, prefix):
        words = (conf, name, way, depth, seconds, size, prefix)
        return self.told("measure_cluster", *words, limit=seconds + 600)

    def told(self, program, *words, limit):
        answer = json.loads(run([self.fathom.parent / "examples" / program, *words], limit=limit).text)
        if answer.get("broken") or answer.get("errors"):
            raise Failed(f"{program} {' '.join(map(str, words))}: {answer}")
        return answer

    def say(self, *words, limit=600, codes=(0,)):
        """What `fathom` itself answers, as JSON, and how it ended."""
        ended = run([self.fathom, *words, "--format", "json", "--quiet"], limit=limit, codes=codes)
        return json.loads(ended.text or "null"), ended


def as_root(what):
    if os.geteuid() != 0:
        raise NotHere(f"{what} needs root")
