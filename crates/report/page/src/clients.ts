//! What each doubling of the clients brought, as a picture and as a table.

import { dot, line, ruleX, text } from "@observablehq/plot";
import type { Doubled, Run } from "./data";
import { h, section, table } from "./dom";
import { NOTHING, withUnit } from "./numbers";
import { linearY, logDomain, picture, place } from "./plots";
import { place as placeName } from "./words";

export function clients({ clients: all }: Run): HTMLElement | null {
  if (all.length === 0) return null;
  const lead =
    "Clients were doubled until that brought less than a tenth more: was it they, or the cluster, that was the limit?";
  return section("clients", "Enough clients?", lead, h("div", { class: "panels two" }, ...all.map(one)));
}

function one(doubled: Doubled): HTMLElement {
  const title = `${placeName(doubled.layer, doubled.target)}, ${doubled.pattern}`;
  const rows = doubled.tried.map(({ clients, hosts, value, ci95, label }) => [
    hosts > 1 ? `${clients} on ${hosts} hosts` : `${clients}`,
    value === null ? NOTHING : withUnit({ value, low: ci95?.[0] ?? null, high: ci95?.[1] ?? null }, doubled.unit),
    label,
  ]);
  return h(
    "figure",
    { class: "panel" },
    h("figcaption", {}, h("h3", {}, title), h("span", { class: "unit" }, `${doubled.unit}, over clients`)),
    place(`${doubled.unit} over clients, ${title}`, (width) => curve(doubled, width)),
    h("p", {}, `${doubled.says}.`),
    table(`Clients that were tried, ${title}`, ["clients", `all together, ${doubled.unit}`, ""], rows, "numbers small"),
  );
}

function curve(doubled: Doubled, width: number): Element {
  const points = doubled.tried.flatMap(({ clients, value, ci95 }) =>
    value === null ? [] : [{ clients, value, low: ci95?.[0] ?? value, high: ci95?.[1] ?? value }],
  );
  const top = Math.max(...points.map(({ high }) => high), 1e-9) * 1.06;
  const full = points.filter(({ clients }) => clients === doubled.full);
  return picture(`${doubled.unit} over clients; the table below holds the same numbers`, {
    width,
    height: 220,
    marginLeft: 52,
    marginBottom: 34,
    x: {
      type: "log",
      domain: logDomain(
        points.map(({ clients }) => clients),
        1.3,
      ),
      axis: null,
    },
    y: { domain: [0, top] },
    marks: [
      ...linearY(4),
      ruleX(points, {
        x: "clients",
        y1: "low",
        y2: "high",
        stroke: "var(--good)",
        strokeOpacity: 0.35,
        strokeWidth: 3,
      }),
      line(points, { x: "clients", y: "value", stroke: "var(--good)", strokeWidth: 1.4 }),
      dot(points, { x: "clients", y: "value", fill: "var(--good)", r: 3 }),
      dot(full, { x: "clients", y: "value", stroke: "var(--good)", r: 7 }),
      text(points, { x: "clients", y: 0, dy: 14, text: ({ clients }) => `${clients}`, fill: "var(--soft)" }),
    ],
  });
}
