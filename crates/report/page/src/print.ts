//! On paper: every fold stands open, every picture is drawn, and what a list leaves out is said.

import { h } from "./dom";
import { drawAll } from "./plots";

/** What was closed is closed again afterwards. */
export function foldsOnPaper(): void {
  let opened: HTMLDetailsElement[] = [];
  addEventListener("beforeprint", () => {
    const closed = [...document.querySelectorAll<HTMLDetailsElement>("details:not([open])")];
    for (const fold of closed) fold.open = true;
    opened.push(...closed);
    // What was hidden has a size only now, and nothing else draws it before it is printed.
    drawAll();
  });
  addEventListener("afterprint", () => {
    for (const fold of opened) fold.open = false;
    opened = [];
  });
}

/** Stands on paper in place of a button that shows more, or of what more scrolling would show. */
export const onPaper = (words: string): HTMLElement => h("span", { class: "on-paper" }, words);

/** `200 of 600 rows; the rest is in the file` */
export const leftOut = (shown: number, all: number, what: string): string =>
  shown < all ? `${shown} of ${all} ${what}; the rest is in the file` : "";
