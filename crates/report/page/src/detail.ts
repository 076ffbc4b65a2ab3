//! One figure: its value and label in words, its workload, its latencies, and how it went over time.

import type { Figure, Named, Percentile } from "./data";
import { h, table } from "./dom";
import { distribution } from "./distribution";
import { timeline } from "./timeline";
import { saveWindows } from "./download";
import { explained } from "./sight";
import { badge, struckOut, withUnit } from "./words";

export function detail(named: Named): HTMLElement {
  const { figure } = named;
  const where = [
    figure.layer,
    figure.host && figure.host !== figure.target ? `${figure.target} on ${figure.host}` : figure.target,
    figure.pattern,
    ...(figure.written.which ? [figure.written.which] : []),
  ];
  return h(
    "article",
    { class: "detail", "aria-label": `Figure ${where.join(", ")}` },
    h(
      "header",
      {},
      h("p", { class: "where" }, where.join(" · ")),
      h("p", { class: "big" }, value(figure), badge(figure.label)),
      figure.why && h("p", { class: "why" }, figure.why),
      explained(figure),
    ),
    h(
      "div",
      { class: "facts" },
      facts(figure),
      percentiles("response", figure.response),
      percentiles("service", figure.percentiles),
    ),
    h(
      "div",
      { class: "pictures" },
      timeline(named),
      distribution(named),
      h(
        "p",
        {},
        h("button", { type: "button", class: "save", click: () => saveWindows(named) }, "Windows of this figure (CSV)"),
      ),
    ),
  );
}

function value(figure: Figure): HTMLElement {
  if (figure.estimate === null) return h("span", {}, "no value");
  const text = withUnit(figure);
  return struckOut(figure.label) ? h("s", {}, text) : h("span", {}, text);
}

function facts({ written: { facts, workload }, gaps }: Figure): HTMLElement {
  const pairs = [
    ...Object.entries(facts),
    ...gaps.map((gap): [string, string] => ["a host was missing", gap]),
    ...workload,
  ];
  return h("dl", {}, ...pairs.flatMap(([name, text]) => (text === null ? [] : [h("dt", {}, name), h("dd", {}, text)])));
}

function percentiles(of: "response" | "service", found: Percentile[]): HTMLElement | null {
  if (found.length === 0) return null;
  const rows = found.map((one) => {
    const [value, range] = one.text;
    return [
      one.percent === 100 ? "max" : `p${one.percent}`,
      value,
      one.percent === 100 ? "largest seen" : range || "–",
    ];
  });
  return table(`Percentiles of the ${of} time`, ["percentile", "ms", "95 % interval"], rows, "numbers small");
}
