//! Writes what only the browser knows (ticks, what is under the pointer) in the format that crates/report/src/numbers.rs gives.

import { carried } from "./dom";
import type { NumberFormat } from "./types_page";

const { locale, digits, units, unknown } = JSON.parse(carried("numbers")) as NumberFormat;

/** What stands where a value is not known. */
export const UNKNOWN = unknown;

/** Kept: making a format takes a hundred times as long as using it. */
function writer(options: Intl.NumberFormatOptions): (value: number) => string {
  const made = new Intl.NumberFormat(locale, options);
  return (value) => made.format(value);
}

/** A number without an interval: of one window, or of one point of a curve. */
export const rough = writer({ minimumSignificantDigits: digits, maximumSignificantDigits: digits });
export const count = writer({ maximumFractionDigits: 0 });
const short = writer({ maximumSignificantDigits: digits, useGrouping: false });

const NO_UNIT = { size: 1, letter: "" };
const unitOf = (value: number) => units.find(({ size }) => Math.abs(value) >= size * 0.9999) ?? NO_UNIT;

/** For axes: 60k, 1.2M, 0.05. */
export function tick(value: number): string {
  const { size, letter } = unitOf(value);
  return short(value / size) + letter;
}

/** The same for one of several evenly spaced values: all with as many decimals as their distance needs. */
export function tickOf(value: number, _index: number, all: Iterable<number> = []): string {
  const [first = 0, second = 1] = [...all];
  const { size, letter } = unitOf(value);
  const decimals = -Math.floor(Math.log10((Math.abs(second - first) / size) * 1.0001));
  return value === 0 ? "0" : `${(value / size).toFixed(Math.min(Math.max(decimals, 0), 12))}${letter}`;
}
