//! What was read back and checked: how much of each figure, and every flaw whose place is known.

import type { Figure, Run, Verified } from "./data";
import { h, section, table } from "./dom";
import { bytes, count, duration, share } from "./numbers";
import { place } from "./words";

const KINDS = ["wrong", "stale", "torn", "misplaced"] as const;

/** Of several targets at once, each of them stands for itself. */
const own = ({ target, at_once }: Figure) => at_once <= 1 || !target.endsWith(".*");
const flawed = (of: Verified): number => KINDS.reduce((sum, kind) => sum + of[kind], 0);

export function verified({ figures }: Run): HTMLElement | null {
  const all = figures.flatMap(({ figure }) =>
    figure.verified && own(figure) ? [{ figure, checked: figure.verified }] : [],
  );
  if (all.length === 0) return null;
  const bad = all.reduce((sum, { checked }) => sum + flawed(checked), 0);
  const read = bytes(all.reduce((sum, { checked }) => sum + checked.bytes, 0));
  const lead =
    bad === 0
      ? `${read} were read and checked, all as they were written.`
      : `${read} were read and checked; ${count(bad)} ${bad === 1 ? "block is not as it was" : "blocks are not as they were"} written.`;
  const flaws = all.flatMap(({ checked }) => checked.flaws);
  return section(
    "verified",
    "Verified",
    lead,
    table("What was checked", ["target", "pattern", ...KINDS, "checked"], all.map(row), "numbers fit"),
    flaws.length > 0 &&
      table(
        "Flaws",
        ["flaw", "place", "offset", "bytes", "read after", "what was there"],
        flaws.map((one) => [
          h("span", { class: "badge bad" }, one.kind),
          one.place,
          count(one.offset),
          count(one.bytes),
          one.seconds === null ? "–" : duration(one.seconds),
          one.says,
        ]),
        "fit",
      ),
  );
}

function row({ figure, checked }: { figure: Figure; checked: Verified }) {
  const alarm = (n: number) => h("span", { class: n > 0 ? "alarm" : null }, count(n));
  const counts = KINDS.map((kind) => alarm(checked[kind]));
  return [place(figure.layer, figure.target), figure.pattern, ...counts, extent(checked)];
}

function extent({ bytes: read, unknown, read_back }: Verified): string {
  const of = read_back && read_back.of > 0 ? `, ${share(read_back.bytes / read_back.of)} of what was written` : "";
  const silent = unknown > 0 ? `; ${bytes(unknown)} say nothing, their write was not acknowledged` : "";
  return bytes(read) + of + silent;
}
