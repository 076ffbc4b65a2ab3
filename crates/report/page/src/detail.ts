//! One figure: its value and label in words, its workload, its latencies, and how it went over time.

import type { Figure, Named, Percentile, WrittenPercentiles } from "./data";
import { h, table } from "./dom";
import { bytes, count, duration, share } from "./numbers";
import { distribution } from "./distribution";
import { timeline } from "./timeline";
import { saveWindows } from "./download";
import { explained } from "./sight";
import { badge, struckOut, withUnit, workload } from "./words";

export function detail(named: Named): HTMLElement {
  const { figure } = named;
  const where = [
    figure.layer,
    figure.host && figure.host !== figure.target ? `${figure.target} on ${figure.host}` : figure.target,
    figure.pattern,
    ...(figure.point ? [figure.point] : []),
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
      percentiles("response", figure.response, figure.written.response),
      percentiles("service", figure.percentiles, figure.written.percentiles),
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

/** What the load generator took: a figure of a starved one is its own, not the target's. */
function effort({ effort: of }: Figure): [string, string][] {
  if (!of) return [];
  return [
    ["threads ran", share(of.busy)],
    ["waited for a processor", share(of.queued)],
    ...(of.overhead === null ? [] : [["Fathom's own part", share(of.overhead)] as [string, string]]),
  ];
}

/** What RocksDB did in the OSDs while it was measured. */
function stores({ background: of }: Figure): [string, string][] {
  if (!of) return [];
  const dips = of.dips > 0 ? `, at ${count(of.in_step)} of ${count(of.dips)} dips` : "";
  const looked = of.osds < of.of ? ` (${count(of.osds)} of ${count(of.of)} OSDs looked at)` : "";
  return [["RocksDB compacted", `${share(of.busy)} of the time${dips}${looked}`]];
}

function facts(figure: Figure): HTMLElement {
  const pairs: [string, string][] = [
    ["slices", count(figure.slices)],
    ["measured for", duration(figure.seconds)],
    ...(figure.unseen === null
      ? []
      : [
          [
            "speaks of",
            `${duration(figure.unseen.stretch_seconds)}, seen at ${count(figure.unseen.looks)} moments; slower events that come less ` +
              `often than once in ${duration(figure.unseen.rarer_than_seconds)} could take up to ${share(figure.unseen.share)}` +
              (figure.unseen.in_interval ? ", which the interval allows for" : ", which is not in the interval"),
          ] as [string, string],
        ]),
    ["operations", count(figure.operations)],
    ["moved", bytes(figure.bytes)],
    ["errors", count(figure.errors)],
    ...(figure.valid_up_to === null
      ? []
      : [["holds up to", `${bytes(figure.valid_up_to)} written without pause`] as [string, string]]),
    ["loaded at once", count(figure.at_once)],
    ...(figure.overlap === null
      ? []
      : [["a sum of commands", `each wrote in ${share(figure.overlap)} of the time`] as [string, string]]),
    ...effort(figure),
    ...figure.gaps.map((gap): [string, string] => ["a host was missing", gap]),
    ...stores(figure),
    ["in the depth chart", figure.chart ? "yes" : "no, shown beside it"],
    ...workload(figure.workload),
  ];
  return h("dl", {}, ...pairs.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, text)]));
}

function percentiles(
  of: "response" | "service",
  found: Percentile[],
  written: WrittenPercentiles = {},
): HTMLElement | null {
  if (found.length === 0) return null;
  const rows = found.map((one) => {
    const [value, range] = written[one.percent]!;
    return [
      one.percent === 100 ? "max" : `p${one.percent}`,
      value,
      one.percent === 100 ? "largest seen" : range || "–",
    ];
  });
  return table(`Percentiles of the ${of} time`, ["percentile", "ms", "95 % interval"], rows, "numbers small");
}
