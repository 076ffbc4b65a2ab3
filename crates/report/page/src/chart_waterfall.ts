//! A sum of stages: every bar begins where the one before it ended.

import { barX, dot, ruleX, ruleY, text, tickX, type Markish } from "@observablehq/plot";
import { UNKNOWN } from "./numbers";
import { caps, linearX, picture } from "./plots";
import type { Stage, Waterfall } from "./types_page";

interface Step {
  stage: Stage;
  from: number;
  to: number;
  low: number;
  high: number;
  expected: number | null;
}

function stepsOf(stages: Stage[]): Step[] {
  let sum = 0;
  return stages.map((stage) => {
    const from = sum;
    sum += stage.adds.value;
    const bound = (edge: number | null) => from + (edge ?? stage.adds.value);
    return {
      stage,
      from,
      to: sum,
      low: bound(stage.adds.low),
      high: bound(stage.adds.high),
      expected: stage.expected === null ? null : from + stage.expected,
    };
  });
}

/** At the right there is room for a number, or for the words that stand for one. */
const [LEFT, RIGHT, RIGHT_WORDS] = [64, 108, 156];
const TOTAL = "total";
const name = (step: Step): string => step.stage.name;

export function drawWaterfall({ caption, stages, total }: Waterfall, width: number): Element {
  const all = stepsOf(stages);
  const names = [...all.map(name), TOTAL];
  const edges = all.flatMap((stage) => [stage.from, stage.to, stage.low, stage.high, stage.expected ?? 0]);
  const domain: [number, number] = [Math.min(0, ...edges), Math.max(...edges, total?.high ?? 0) * 1.02 || 1];
  const shown = (of: string) => all.find((one) => name(one) === of)?.stage.adds.text ?? total?.text ?? "–";
  const right = names.some((one) => shown(one) === UNKNOWN) ? RIGHT_WORDS : RIGHT;
  const column = { y: String, x: domain[1], dx: 8, textAnchor: "start" as const, text: shown };
  return picture(`${caption.title}: ${caption.what}; the table below holds the same numbers`, {
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
      text(all.map(name), column),
      text([TOTAL], { ...column, fontWeight: 600 }),
    ],
  });
}

/** What is expected solid, what is beyond it in another colour, the expectation itself as a hollow mark. */
function steps(all: Step[]): Markish[] {
  const solid = (stage: Step) => Math.min(stage.to, Math.max(stage.from, stage.expected ?? stage.to));
  const dashes = { stroke: "var(--soft)", strokeDasharray: "2,2", insetTop: 0, insetBottom: -16 };
  return [
    barX(all, { y: name, x1: "from", x2: solid, fill: "var(--bar)", rx: 1.5 }),
    barX(all, { y: name, x1: solid, x2: "to", fill: "var(--unexplained)", rx: 1.5 }),
    tickX(all.slice(0, -1), { x: "to", y: name, ...dashes }),
    ruleY(all, { y: name, x1: "low", x2: "high", stroke: "var(--ink)", strokeWidth: 1.4 }),
    caps(
      all,
      (stage) => stage.low,
      (stage) => stage.high,
      name,
      () => "var(--ink)",
      6,
    ),
    dot(
      all.filter((stage) => stage.expected !== null),
      {
        x: "expected",
        y: name,
        symbol: "diamond",
        r: 5,
        stroke: "var(--ink)",
        strokeWidth: 1.6,
        fill: "var(--surface)",
        title: (step) => step.stage.why,
      },
    ),
  ];
}
