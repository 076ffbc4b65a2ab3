//! What labels, layers, patterns and changes are called, and how a label looks: colour, mark and word together.

import type { Figure } from "./data";
import { h, svg } from "./dom";

export type Severity = "good" | "caution" | "bad";
/** Mark names are those of Plot's symbols; `hollow` ones are drawn as outlines. */
export interface Look {
  severity: Severity;
  symbol: string;
  hollow: boolean;
}

const LOOKS: Record<string, Look> = {
  settled: { severity: "good", symbol: "circle", hollow: false },
  imprecise: { severity: "caution", symbol: "circle", hollow: true },
  unsettled: { severity: "caution", symbol: "triangle", hollow: false },
  wandering: { severity: "caution", symbol: "diamond", hollow: false },
  "few events": { severity: "caution", symbol: "star", hollow: false },
  "two levels": { severity: "caution", symbol: "square", hollow: false },
  brief: { severity: "good", symbol: "circle", hollow: true },
  burst: { severity: "caution", symbol: "wye", hollow: false },
  "generator-limited": { severity: "caution", symbol: "square", hollow: true },
  unwritten: { severity: "bad", symbol: "circle", hollow: true },
  implausible: { severity: "bad", symbol: "times", hollow: true },
  void: { severity: "bad", symbol: "diamond", hollow: true },
};

export const look = (label: string): Look => LOOKS[label] ?? { severity: "caution", symbol: "circle", hollow: true };
/** Has it a value that is shown and used nowhere? */
export const struckOut = (label: string): boolean => label === "implausible" || label === "unwritten";
export const colour = (label: string): string => `var(--${look(label).severity})`;

const SHAPES: Record<string, string> = {
  circle: "M6 2.2a3.8 3.8 0 1 0 .01 0Z",
  triangle: "M6 1.8 10.4 9.6H1.6Z",
  diamond: "M6 .8 10.4 6 6 11.2 1.6 6Z",
  star: "M6 .8 7.3 4.6 11.2 4.6 8.1 7 9.2 10.8 6 8.5 2.8 10.8 3.9 7 .8 4.6 4.7 4.6Z",
  square: "M2.3 2.3H9.7V9.7H2.3Z",
  wye: "M4.7 6.8 1.9 5.2 3.3 2.9 6 4.5 8.7 2.9 10.1 5.2 7.3 6.8V10.2H4.7Z",
  times: "M2.5 2.5 9.5 9.5M9.5 2.5 2.5 9.5",
};

/** The mark as a small picture, for tables and legends. */
export function mark(label: string): SVGElement {
  const { symbol, hollow } = look(label);
  return svg(
    "svg",
    { class: "mark", viewBox: "0 0 12 12", "aria-hidden": "true", style: `color:${colour(label)}` },
    svg("path", {
      d: SHAPES[symbol] ?? "",
      fill: hollow ? "none" : "currentColor",
      stroke: "currentColor",
      "stroke-width": hollow ? 1.8 : 0.6,
    }),
  );
}

export function badge(label: string, why?: string | null): HTMLElement {
  return h("span", { class: `badge ${look(label).severity}`, title: why ?? null }, mark(label), label);
}

export const lowerIsBetter = (figure: Figure): boolean => figure.metric === "latency_mean" || figure.metric === "rtt";

/** `3.21 ms ±0.12`, or that it is not known. */
export function withUnit({ written: { value, within }, unit }: Figure): string {
  return within ? `${value} ${unit} ${within}` : value;
}
