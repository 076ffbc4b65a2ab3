//! The head: which run, of what, when, in which state; one sentence that says the most; what went wrong and what stands out.

import type { LedgerRow, Run, Sweep, Verdict } from "./data";
import { h, svg, type Child } from "./dom";
import { count, duration, isUnknown, rough, share, when, withUnit } from "./numbers";
import { badge, called, fine, isLatency, place } from "./words";

export function head(run: Run): HTMLElement {
  const { scope } = run;
  const facts: [string, Child][] = [
    ["cluster", scope.cluster ?? scope.fsid ?? "none"],
    ["health", scope.health ?? "–"],
    ["Ceph", ceph(run)],
    run.imported === null ? ["Fathom", run.version] : ["measured by", run.imported.tool],
    ["took", duration(run.seconds)],
    ["passes", count(run.passes)],
    ["figures", tally(run)],
    ...overhead(run),
  ];
  return h(
    "header",
    { class: "hero" },
    h(
      "div",
      { class: "inner" },
      h("div", { class: "title" }, emblem(), h("h1", {}, "Fathom", h("span", {}, run.run)), state(run)),
      h("p", { class: "when" }, h("time", { datetime: run.started }, when(run.started)), h("code", {}, run.command)),
      h("p", { class: "sentence" }, unbroken(sentence(run))),
      h("dl", {}, ...facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
    ),
  );
}

function state(run: Run): HTMLElement {
  if (run.finished) return h("span", { class: "state" }, "finished");
  const after = run.passes === 1 ? "1 pass" : `${run.passes} passes`;
  const how = run.ending ?? "provisional";
  return h("span", { class: "state provisional" }, run.passes === 0 ? (run.ending ?? "not finished") : `${how}, after ${after}`);
}

/** Three depth lines and the lead. */
const emblem = (): SVGElement =>
  svg(
    "svg",
    { class: "emblem", viewBox: "0 0 40 40", "aria-hidden": "true" },
    svg("path", {
      d: "M4 9q4-4 8 0t8 0 8 0 8 0",
      fill: "none",
      stroke: "currentColor",
      "stroke-width": 2.4,
      "stroke-linecap": "round",
    }),
    svg("path", { d: "M20 11V28", stroke: "currentColor", "stroke-width": 2 }),
    svg("path", { d: "M20 27l5 9H15Z", fill: "currentColor" }),
    svg("path", { d: "M7 19h8M25 19h8M7 27h7M26 27h7", stroke: "currentColor", "stroke-width": 1.4, opacity: 0.55 }),
  );

function ceph({ scope }: Run): string {
  const versions = [...new Set(Object.values(scope.versions).flat())];
  return versions.length > 0 ? versions.join(", ") : "–";
}

/** What measuring costs by itself. */
function overhead({ overhead: of }: Run): [string, Child][] {
  return of ? [["measuring costs", `${rough(of.operation_ns)} ns an operation`]] : [];
}

function tally(run: Run): string {
  const precise = run.figures.filter(({ figure }) => fine(figure.label)).length;
  return run.figures.length === 0 ? "none" : `${precise} of ${run.figures.length} precise`;
}

/** What was asked for: are all thresholds kept? */
function kept({ verdicts }: Run): string {
  const failed = verdicts.filter((one) => one.outcome === "fail");
  const open = verdicts.filter((one) => one.outcome === "open");
  const names = (of: Verdict[]) => of.map((one) => `${place(one.layer, one.target)} ${one.pattern}`).join(", ");
  const total = count(verdicts.length);
  if (failed.length > 0) return `${count(failed.length)} of ${total} thresholds missed: ${names(failed)}.`;
  if (open.length > 0) return `${count(open.length)} of ${total} thresholds open: ${names(open)}.`;
  return verdicts.length === 1 ? "The threshold is kept." : `All ${total} thresholds are kept.`;
}

/** Where the curves of a sweep bend. */
function bends({ axes, points, knees }: Sweep): string {
  const names = axes.map(called).join(" × ");
  const swept = `${count(points.length)} points over ${names}`;
  const [only, ...more] = knees;
  if (!only) return `${swept}.`;
  if (more.length === 0) return `${swept}: ${only.says}.`;
  const [low, high] = [
    Math.min(...knees.map((knee) => knee.between[0])),
    Math.max(...knees.map((knee) => knee.between[1])),
  ];
  const range = low === high ? `at depth ${low}` : `between depth ${low} and ${high}`;
  return `${swept}: ${count(knees.length)} curves, their knees ${range}.`;
}

const TOO_IMPRECISE = "The figures are too imprecise to say which layer takes most; run without --quick or for longer.";

/** From the ledger alone: where the largest part of a latency goes, and who delivers least of its ceiling. */
export function sentence(run: Run): string {
  if (run.verdicts.length > 0) return kept(run);
  if (run.sweep) return bends(run.sweep);
  const latency = dearest(run, "write-latency") ?? dearest(run, "read-latency");
  const poorest = run.ledger
    .filter((row) => !isLatency(row.pattern) && row.share !== null && row.ceiling !== null)
    .reduce<LedgerRow | null>(
      (least, row) => (least === null || (row.share ?? 1) < (least.share ?? 1) ? row : least),
      null,
    );
  const least =
    poorest &&
    `${poorest.layer} delivers the least of its ceiling at ${poorest.pattern}: ${poorest.at_least ? "at most " : ""}${share(poorest.share)}`;
  if (latency && least) return `${latency}; ${least}.`;
  if (latency ?? least) return `${capital((latency ?? least)!)}.`;
  const precise = run.figures.filter(({ figure }) => fine(figure.label)).length;
  if (run.figures.length === 0) return "Nothing has been measured.";
  if (run.ledger.some((row) => row.share === null || isUnknown(row.adds))) return TOO_IMPRECISE;
  return `${count(run.figures.length)} figures, ${count(precise)} of them as precise as asked for; too few layers for a ledger.`;
}

function dearest(run: Run, pattern: "write-latency" | "read-latency"): string | null {
  const rows = run.ledger.filter((row) => row.pattern === pattern);
  const last = rows[rows.length - 1];
  // A part that is not known may be the largest.
  if (!last || rows.length < 2 || rows.some((row) => row.share === null)) return null;
  const most = rows.reduce((largest, row) => (row.adds.value > largest.adds.value ? row : largest));
  const total = run.chart.find((cell) => cell.layer === last.layer && cell.pattern === pattern);
  const whole = total?.estimate
    ? `takes ${withUnit(total.estimate, "ms")} through ${last.layer}${fine(total.label) ? "" : ` (${total.label})`}`
    : `goes through ${last.layer}`;
  if (isUnknown(most.adds) || (total?.estimate && isUnknown(total.estimate))) return null;
  const part = most.layer === "device" ? "is the bare disk" : `is what ${most.layer} adds`;
  return `A 4 KiB ${pattern === "write-latency" ? "write" : "read"} ${whole}; the largest part of it, ${withUnit(most.adds, "ms")} (${share(most.share)}), ${part}`;
}

/** Numbers stay with their units and intervals. */
const unbroken = (text: string): string => text.replace(/ (ms|%|±)/g, "\u00a0$1");

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Errors, warnings, changes left behind, outliers and findings: what somebody has to know before reading on. */
export function alerts(run: Run): HTMLElement | null {
  const { scope } = run;
  const left = run.changes.filter((undo) => !undo.undone).length;
  const items: HTMLElement[] = [
    ...run.errors.map((error) => item("bad", "error", error)),
    ...run.warnings.map((warning) => item("caution", "warning", warning)),
    ...(left > 0 && run.finished
      ? [
          item(
            "bad",
            "left behind",
            `${left === 1 ? "1 change is" : `${left} changes are`} not undone: run fathom restore`,
          ),
        ]
      : []),
    ...scope.health_checks.map((check) => item("caution", scope.health ?? "health", check)),
    ...run.findings
      .slice(0, NAMED)
      .map((found) =>
        item(
          found.standing === "confirmed" ? "bad" : "caution",
          found.standing,
          h(
            "span",
            {},
            h("b", {}, found.target),
            ` ${found.says}`,
            ...found.evidence.map((text) => h("small", {}, text)),
            found.fix && h("small", {}, `Mend: ${found.fix}`),
            found.risk && h("small", {}, `Risk: ${found.risk}`),
          ),
        ),
      ),
    ...run.outliers
      .slice(0, NAMED)
      .map((outlier) =>
        item(
          "caution",
          "outlier",
          h("span", {}, h("b", {}, outlier.target), ` ${outlier.layer} ${outlier.pattern}: ${outlier.says}`),
        ),
      ),
    ...more(run.findings.length, "finding", "findings"),
    ...more(run.outliers.length, "outlier", "outliers"),
    ...unusable(run),
  ];
  return items.length === 0
    ? null
    : h("section", { id: "alerts", "aria-label": "What stands out" }, h("ul", { class: "alerts" }, ...items));
}

/** So many of a kind are told; a large cluster has hundreds. */
const NAMED = 40;

function more(all: number, one: string, many: string): HTMLElement[] {
  const left = all - NAMED;
  return left > 0
    ? [item("caution", one, `${count(left)} more ${left === 1 ? one : many}: they are in the JSON document.`)]
    : [];
}

function unusable(run: Run): HTMLElement[] {
  const counts = new Map<string, number>();
  for (const {
    figure: { label },
  } of run.figures)
    if (!fine(label)) counts.set(label, (counts.get(label) ?? 0) + 1);
  if (counts.size === 0) return [];
  const parts = [...counts].flatMap(([label, count]) => [h("span", { class: "count" }, `${count} `, badge(label))]);
  return [
    h("li", { class: "caution" }, h("span", { class: "kind" }, "figures"), h("span", { class: "counts" }, ...parts)),
  ];
}

const item = (severity: string, kind: string, words: Child): HTMLElement =>
  h("li", { class: severity }, h("span", { class: "kind" }, kind), h("span", {}, words));
