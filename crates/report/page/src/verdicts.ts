//! Verdicts: on which side of its threshold each figure lies, what failed first.

import type { Run, Verdict } from "./data";
import { h, section, table } from "./dom";
import { NOTHING, rough, withUnit } from "./numbers";
import { place } from "./words";

const ORDER: Verdict["outcome"][] = ["fail", "open", "pass"];
const SEVERITY: Record<Verdict["outcome"], string> = { fail: "bad", open: "caution", pass: "good" };

export function verdicts({ verdicts: all }: Run): HTMLElement | null {
  if (all.length === 0) return null;
  const sorted = [...all].sort((a, b) => ORDER.indexOf(a.outcome) - ORDER.indexOf(b.outcome));
  const counts = ORDER.map((outcome) => [outcome, all.filter((one) => one.outcome === outcome).length] as const);
  const lead = counts
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(", ");
  return section(
    "verdicts",
    "Verdicts",
    lead,
    table("Verdicts", ["target", "pattern", "threshold", "figure", "verdict"], sorted.map(row), "numbers fit"),
  );
}

function row(one: Verdict) {
  const cells = [
    place(one.layer, one.target),
    one.pattern,
    `${one.bound} ${rough(one.threshold)} ${one.unit}`,
    one.estimate ? withUnit(one.estimate, one.unit) : NOTHING,
    h("span", { class: `badge ${SEVERITY[one.outcome]}` }, one.outcome),
  ];
  return one.why ? { cells, note: one.why } : cells;
}
