//! One setting against another inside one run: what B changed, with its interval.

import type { Beside, Run } from "./data";
import { h, section, table } from "./dom";
import { NOTHING, count, rough } from "./numbers";
import { place } from "./words";

const SEVERITY: Record<Beside["finds"], string> = { worse: "bad", better: "good", same: "good", undecided: "caution" };

export function ab({ ab: found }: Run): HTMLElement | null {
  if (found === null) return null;
  const title =
    found.what === "nothing"
      ? "B against A, nothing of which differs"
      : `${found.what}: ${found.b} (B) against ${found.a} (A)`;
  const lead =
    `${count(found.pairs)} pairs of slices, A and B beside each other. The changes are known to ${within(found.half_width)} ` +
    `(median); two separate runs with as many slices would know them to ${within(found.half_width_apart)}.`;
  return section(
    "ab",
    title,
    lead,
    table(title, ["target", "pattern", "A", "B", "change", ""], found.differences.map(row), "numbers fit"),
  );
}

/** Half-width of a logarithm, as a share. */
const within = (log: number | null): string => (log === null ? NOTHING : `±${rough(Math.expm1(log) * 100)} %`);

function row(one: Beside) {
  const value = (of: number | null) => (of === null ? NOTHING : `${rough(of)} ${one.unit}`);
  return [
    place(one.layer, one.target),
    `${one.pattern}, ${one.kind}`,
    value(one.before),
    value(one.after),
    one.change === null ? NOTHING : `${signed(one.change)} % (${one.ci95.map(signed).join(" to ")})`,
    h("span", { class: `badge ${SEVERITY[one.finds]}` }, one.finds),
  ];
}

const signed = (share: number | null): string =>
  share === null ? NOTHING : `${share > 0 ? "+" : share < 0 ? "−" : ""}${rough(Math.abs(share) * 100)}`;
