//! Elements from values. Text only ever becomes text: nothing here reads HTML.

/** What the page carries in the element of this name; `null` if it has none. */
export const carried = (id: string): string => document.getElementById(id)?.textContent ?? "null";

type Attribute = string | number | boolean | null | undefined | ((event: Event) => void);
export type Child = Node | string | number | null | undefined | false;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, Attribute> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag: string, attributes: Record<string, Attribute> = {}, ...children: Child[]): SVGElement {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill<E extends Element>(element: E, attributes: Record<string, Attribute>, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false)
      element.append(typeof child === "number" ? String(child) : child);
  }
  return element;
}

/** A table with a caption for those who hear it. A row may carry a note, which stands below it over the whole width. */
export function table(
  caption: string,
  heads: Child[],
  rows: (Child[] | { cells: Child[]; note: string })[],
  className = "",
): HTMLElement {
  const cell = (child: Child, column: number) =>
    h(column === 0 ? "th" : "td", { scope: column === 0 ? "row" : null }, h("div", {}, child));
  const row = (one: Child[] | { cells: Child[]; note: string }) =>
    Array.isArray(one)
      ? [h("tr", {}, ...one.map(cell))]
      : [
          h("tr", { class: "noted" }, ...one.cells.map(cell)),
          h("tr", { class: "note" }, h("td", { colspan: heads.length }, one.note)),
        ];
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    h(
      "table",
      { class: className },
      h("caption", { class: "hidden" }, caption),
      h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col" }, head)))),
      h("tbody", {}, ...rows.flatMap(row)),
    ),
  );
}

export function section(id: string, title: string, lead: Child, ...children: Child[]): HTMLElement {
  return h(
    "section",
    { id, "aria-labelledby": `${id}-title` },
    h("h2", { id: `${id}-title` }, title),
    lead && h("p", { class: "lead" }, lead),
    ...children,
  );
}
