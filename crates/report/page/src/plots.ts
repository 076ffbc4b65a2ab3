//! What all charts share: they follow the width of their place, and their ticks and domains are chosen the same way.

import { axisX, axisY, gridX, gridY, plot, text, tickX, type Markish, type PlotOptions } from "@observablehq/plot";
import { h } from "./dom";
import { tick, tickOf } from "./numbers";

/** A place that draws itself anew when its width changes. `label` is what is heard instead of the picture. */
export function place(label: string, draw: (width: number) => Element | Element[]): HTMLElement {
  const box = h("div", { class: "chart", role: "group", "aria-label": label });
  let drawn = 0;
  const fit = () => {
    const width = Math.floor(box.clientWidth);
    if (width < 40 || Math.abs(width - drawn) < 2) return;
    drawn = width;
    box.replaceChildren(...attempt(draw, width));
  };
  fits.set(box, fit);
  const follow = new ResizeObserver(fit);
  if (sparing) whenNear(box, () => follow.observe(box));
  else follow.observe(box);
  return box;
}

/** How each place draws itself at its present width. */
const fits = new WeakMap<Element, () => void>();

/** Also what nobody has come near to yet. */
export function drawAll(): void {
  for (const box of document.querySelectorAll(".chart")) fits.get(box)?.();
}

/** Of a large run: what nobody has come near to yet costs nothing. */
let sparing = false;
export function spare(): void {
  sparing = true;
}

/** Somewhat before it is seen. */
function whenNear(box: Element, begin: () => void): void {
  const start = () => {
    near.disconnect();
    begin();
  };
  const near = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && start(), {
    rootMargin: "400px",
  });
  near.observe(box);
}

/** Numbers without any sense (beyond 1e300) have no axis: then the place says so, and the rest of the page stands. */
function attempt(draw: (width: number) => Element | Element[], width: number): Element[] {
  try {
    return [draw(width)].flat();
  } catch (error) {
    return [h("p", { class: "alarm undrawn" }, `This picture cannot be drawn from its numbers: ${error}`)];
  }
}

export function picture(label: string, options: PlotOptions): Element {
  const made = plot({
    ...options,
    className: "plot",
    style: { background: "none", color: "inherit", fontFamily: "inherit", fontSize: "12px", overflow: "visible" },
  });
  // A picture with links is a group: what is an image hides its inside from those who hear the page.
  made.setAttribute("role", made.querySelector("a") ? "group" : "img");
  made.setAttribute("aria-label", label);
  return made;
}

/** A logarithmic domain around positive values, with room at both ends. */
export function logDomain(values: (number | null)[], room = 1.15): [number, number] {
  const positive = values.filter((value): value is number => value !== null && Number.isFinite(value) && value > 0);
  if (positive.length === 0) return [0.1, 10];
  const [low, high] = [Math.min(...positive), Math.max(...positive)];
  // At least a factor of four wide: a single value needs ticks around it, too.
  const widen = Math.max(room, Math.sqrt(4 / (high / low)));
  return [low / widen, high * widen];
}

/** The finest ticks (1 to 9, then 1-2-5, 1-3, powers of ten) that stay `gap` pixels apart on an axis of `length` pixels. */
export function logTicks([low, high]: [number, number], length: number, gap = 36): number[] {
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const ticksOf = (steps: number[], stride: number) => {
    const ticks: number[] = [];
    for (let power = first; power <= last; power += stride) ticks.push(...steps.map((step) => step * 10 ** power));
    return ticks.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
  };
  const decade = length / Math.log10(high / low);
  const apart = (ticks: number[]) =>
    ticks.every((tick, i) => i === 0 || Math.log10(tick / ticks[i - 1]!) * decade >= gap);
  for (const steps of [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1, 3], [1]]) {
    const ticks = ticksOf(steps, 1);
    if (apart(ticks) && ticks.length > 0) return ticks;
  }
  return ticksOf([1], Math.max(2, Math.ceil(gap / decade)));
}

/** Grid and labels of a logarithmic x axis. (Plot's own axis leaves out labels on log scales.) */
export function logAxis(domain: [number, number], width: number): Markish[] {
  const ticks = logTicks(domain, width);
  return [
    gridX(ticks, { stroke: "var(--grid)", strokeOpacity: 1 }),
    text(ticks, { x: (value) => value, frameAnchor: "bottom", dy: 16, text: tick, fill: "var(--soft)" }),
  ];
}

/** Grid and labels of a linear axis, all labels with the same decimals. */
export function linearX(most: number): Markish[] {
  const ticks = Math.max(3, Math.floor(most));
  return [
    gridX({ ticks, stroke: "var(--grid)", strokeOpacity: 1 }),
    axisX({ ticks, tickFormat: tickOf, tickSize: 0, label: null, fill: "var(--soft)" }),
  ];
}

export function linearY(ticks: number): Markish[] {
  return [
    gridY({ ticks, stroke: "var(--grid)", strokeOpacity: 1 }),
    axisY({ ticks, tickFormat: tickOf, tickSize: 0, label: null, fill: "var(--soft)" }),
  ];
}

/** The ends of an interval as short strokes across it; `inset` is what they stay away from the row's edges. */
export function caps<T extends object>(
  some: T[],
  low: (one: T) => number,
  high: (one: T) => number,
  y: (one: T) => string,
  stroke: (one: T) => string,
  inset: number,
): Markish {
  const ends = some.flatMap((one) => [low(one), high(one)].filter(Number.isFinite).map((at) => ({ one, at })));
  return tickX(ends, { x: "at", y: ({ one }) => y(one), stroke: ({ one }) => stroke(one), strokeWidth: 1.3, inset });
}

export function shortened(text: string, most: number): string {
  return text.length <= most
    ? text
    : `${text.slice(0, Math.max(1, Math.ceil(most / 2) - 1))}…${text.slice(-Math.floor(most / 2))}`;
}
