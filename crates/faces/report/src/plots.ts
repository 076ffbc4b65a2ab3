//! What all charts share: they follow the width of their place, and their ticks and domains are chosen the same way.

import { plot, type PlotOptions } from "@observablehq/plot";
import { h } from "./dom";

/** A place that draws itself anew when its width changes. `label` is what is heard instead of the picture. */
export function place(label: string, draw: (width: number) => Element | Element[]): HTMLElement {
  const box = h("div", { class: "chart", role: "group", "aria-label": label });
  let drawn = 0;
  new ResizeObserver(() => {
    const width = Math.floor(box.clientWidth);
    if (width < 40 || Math.abs(width - drawn) < 2) return;
    drawn = width;
    const made = draw(width);
    box.replaceChildren(...(Array.isArray(made) ? made : [made]));
  }).observe(box);
  return box;
}

export function picture(label: string, options: PlotOptions): Element {
  const made = plot({
    ...options,
    className: "plot",
    style: { background: "none", color: "inherit", fontFamily: "inherit", fontSize: "12px", overflow: "visible" },
  });
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", label);
  return made;
}

/** A logarithmic domain around positive values, with room at both ends. */
export function logDomain(values: (number | null)[], room = 1.15): [number, number] {
  const positive = values.filter((value): value is number => value !== null && Number.isFinite(value) && value > 0);
  if (positive.length === 0) return [0.1, 10];
  const [low, high] = [Math.min(...positive), Math.max(...positive)];
  const widen = Math.max(room, Math.sqrt(Math.max(1, 2 / (high / low))));
  return [low / widen, high * widen];
}

/** At most `most` ticks: of 1-2-5, then 1-3, then powers of ten (every second, third, …). */
export function logTicks([low, high]: [number, number], most: number): number[] {
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const series = (steps: number[], stride: number) => {
    const ticks: number[] = [];
    for (let power = first; power <= last; power += stride) ticks.push(...steps.map((step) => step * 10 ** power));
    return ticks.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
  };
  for (const steps of [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1, 3], [1]]) {
    const ticks = series(steps, 1);
    if (ticks.length <= most && ticks.length >= Math.min(2, most)) return ticks;
  }
  for (let stride = 2; stride < 12; stride++) {
    const ticks = series([1], stride);
    if (ticks.length <= most) return ticks;
  }
  return [];
}

export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, Math.max(1, Math.ceil(most / 2) - 1))}…${text.slice(-Math.floor(most / 2))}`;
}
