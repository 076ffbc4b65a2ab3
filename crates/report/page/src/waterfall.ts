//! A latency as a sum of stages: every layer's bar begins where the one below it ended.

import { barX, dot, ruleX, ruleY, text, tickX, type Markish } from "@observablehq/plot";
import type { Estimate, LedgerRow } from "./data";
import { adds, beside, estimate, UNKNOWN } from "./numbers";
import { caps, linearX, picture } from "./plots";

export interface Stage {
  row: LedgerRow;
  from: number;
  to: number;
  low: number;
  high: number;
  expected: number | null;
}

export function stages(rows: LedgerRow[]): Stage[] {
  let sum = 0;
  return rows.map((row) => {
    const from = sum;
    sum += row.adds.value;
    const bound = (edge: number | null) => from + (edge ?? row.adds.value);
    return {
      row,
      from,
      to: sum,
      low: bound(row.adds.low),
      high: bound(row.adds.high),
      expected: row.expected === null ? null : from + row.expected,
    };
  });
}

/** At the right there is room for a number, or for the words that stand for one. */
const [LEFT, RIGHT, RIGHT_WORDS] = [64, 108, 156];
const TOTAL = "total";
const layer = (stage: Stage): string => stage.row.layer;

export function falling(pattern: string, all: Stage[], total: Estimate | null, width: number): Element {
  const names = [...all.map(layer), TOTAL];
  const edges = all.flatMap((stage) => [stage.from, stage.to, stage.low, stage.high, stage.expected ?? 0]);
  const domain: [number, number] = [Math.min(0, ...edges), Math.max(...edges, total?.high ?? 0) * 1.02 || 1];
  const shown = (name: string) => {
    const stage = all.find((one) => layer(one) === name);
    if (stage) return adds(stage.row, "+");
    return total === null ? "–" : estimate(total, "ms");
  };
  const right = names.some((name) => shown(name) === UNKNOWN) ? RIGHT_WORDS : RIGHT;
  const column = { y: String, x: domain[1], dx: 8, textAnchor: "start" as const, text: shown };
  return picture(`Waterfall of ${pattern}; the table below holds the same numbers`, {
    width,
    height: names.length * 34 + 28,
    marginLeft: LEFT,
    marginRight: right,
    marginTop: 2,
    marginBottom: 26,
    x: { domain },
    y: { type: "band", domain: names, padding: 0.34, axis: null },
    marks: [
      ...linearX((width - LEFT - right) / 70),
      ruleX([0], { stroke: "var(--soft)" }),
      text(names, { y: String, x: domain[0], text: String, dx: -LEFT, textAnchor: "start", fontWeight: 600 }),
      ...steps(all),
      barX(total === null ? [] : [total], {
        y: () => TOTAL,
        x1: 0,
        x2: "value",
        fill: "none",
        stroke: "var(--bar)",
        strokeWidth: 1.5,
        rx: 1.5,
      }),
      text(all.map(layer), column),
      text([TOTAL], { ...column, fontWeight: 600 }),
    ],
  });
}

/** What is expected solid, what is beyond it in another colour, the expectation itself as a hollow mark. */
function steps(all: Stage[]): Markish[] {
  const solid = (stage: Stage) => Math.min(stage.to, Math.max(stage.from, stage.expected ?? stage.to));
  const dashes = { stroke: "var(--soft)", strokeDasharray: "2,2", insetTop: 0, insetBottom: -16 };
  return [
    barX(all, { y: layer, x1: "from", x2: solid, fill: "var(--bar)", rx: 1.5 }),
    barX(all, { y: layer, x1: solid, x2: "to", fill: "var(--unexplained)", rx: 1.5 }),
    tickX(all.slice(0, -1), { x: "to", y: layer, ...dashes }),
    ruleY(all, { y: layer, x1: "low", x2: "high", stroke: "var(--ink)", strokeWidth: 1.4 }),
    caps(
      all,
      (stage) => stage.low,
      (stage) => stage.high,
      layer,
      () => "var(--ink)",
      6,
    ),
    dot(
      all.filter((stage) => stage.expected !== null),
      {
        x: "expected",
        y: layer,
        symbol: "diamond",
        r: 5,
        stroke: "var(--ink)",
        strokeWidth: 1.6,
        fill: "var(--surface)",
        title: (stage) => `expected ${beside(stage.row.expected, stage.row.adds)} ms: ${stage.row.because}`,
      },
    ),
  ];
}
