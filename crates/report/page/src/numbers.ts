//! How numbers are shown: the rules of crates/report/src/numbers.rs once more, so that the page says what the terminal says.

import type { Estimate, Percentile } from "./data";

/** No figure is known better than to four digits. */
const DIGITS_MAX = 4;
export const NOTHING = "–";
/** Half-width, as a share of the value, from which on a figure is no figure: shown as ±100 % or more it holds zero. */
const UNKNOWN_FROM = 0.995;
export const UNKNOWN = "not known in this time";

/** `3.21 ±0.12` for times and shares, `5,420 ±4 %` for rates, or that it is not known; the unit is stated once, elsewhere. */
export const estimate = (of: Estimate, unit: string): string =>
  isUnknown(of) ? UNKNOWN : shown(of, (unit === "IOPS" || unit === "MB/s") && of.value !== 0);

/** Is the interval as wide as the value, so that it holds zero? No interval at all, as of an imported total, says nothing of that. */
export function isUnknown(of: Estimate): boolean {
  const half = halfWidth(of);
  return half > 0 && Number.isFinite(half) && (of.value === 0 || half / Math.abs(of.value) >= UNKNOWN_FROM);
}

/** `byShare`: the interval as a share of the value. */
function shown(of: Estimate, byShare: boolean): string {
  if (!Number.isFinite(of.value)) return NOTHING;
  const half = halfWidth(of);
  const first = lastPlace(of.value, half);
  const place = byShare ? first : apart(of.value, half, first);
  const within = byShare ? relative(half / Math.abs(of.value)) : absolute(half, place);
  return `${rounded(of.value, place)} ${within}`;
}

/** Up to two digits more, where rounding would make the half-width as large as a value that is larger. */
function apart(value: number, half: number, place: number): number {
  const of = Math.abs(value);
  const same = (at: number) => half < of && stepsUp(half, at) >= Math.round(of / 10 ** at);
  return [place, place - 1, place - 2].find((at) => !same(at)) ?? place;
}

/** `3.21 ms ±0.12` */
export function withUnit(of: Estimate, unit: string): string {
  const text = estimate(of, unit);
  if (text === UNKNOWN) return text;
  const at = text.indexOf(" ");
  return at < 0 ? text : `${text.slice(0, at)} ${unit}${text.slice(at)}`;
}

/** A number without an interval, to three digits: an expectation, a ceiling, what was seen in one window. */
export function rough(value: number | null | undefined): string {
  return value === null || value === undefined ? NOTHING : rounded(value, (exponent(value) ?? 2) - 2);
}

export const count = (n: number | null): string => (n === null ? NOTHING : rounded(n, 0));

/** `34 %`; below one percent with one decimal. */
export function share(of: number | null): string {
  if (of === null || !Number.isFinite(of)) return NOTHING;
  return `${rounded(of * 100, of === 0 || Math.abs(of) >= 0.0095 ? 0 : -1)} %`;
}

function halfWidth({ value, low, high }: Estimate): number {
  return low === null || high === null ? Infinity : Math.max(0, high - value, value - low);
}

/** Value and interval of a percentile, apart: they stand on two lines. */
export function percentile(of: Percentile): { value: string; range: string } {
  if (of.low_ms === null) return { value: rough(of.value_ms), range: "" };
  const half = halfWidth({ value: of.value_ms, low: of.low_ms, high: of.high_ms ?? 2 * of.value_ms - of.low_ms });
  const place = lastPlace(of.value_ms, half);
  const range =
    of.high_ms === null
      ? `≥ ${rounded(of.low_ms, place)}`
      : `${rounded(of.low_ms, place)}–${rounded(of.high_ms, place)}`;
  return { value: rounded(of.value_ms, place), range };
}

export function bytes(of: number | null | undefined): string {
  if (of === null || of === undefined) return NOTHING;
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  const power = of < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(of) / 10));
  const scaled = of / 1024 ** power;
  return `${Number.isInteger(scaled) ? count(scaled) : rough(scaled)} ${units[power]}`;
}

/** `850 ms`, `8.2 s`, `4 min 12 s`, `2 h 5 min` */
export function duration(seconds: number | null): string {
  if (seconds === null || !Number.isFinite(seconds) || seconds < 0) return NOTHING;
  const whole = Math.round(seconds);
  const minutes = Math.round(seconds / 60);
  if (whole >= 3600) return `${count(Math.floor(minutes / 60))} h${minutes % 60 === 0 ? "" : ` ${minutes % 60} min`}`;
  if (seconds === 0) return "0 s";
  if (seconds < 0.9995) return `${rounded(seconds * 1000, seconds < 0.0095 ? -1 : 0)} ms`;
  if (seconds < 9.95) return `${rounded(seconds, -1)} s`;
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min${whole % 60 === 0 ? "" : ` ${whole % 60} s`}`;
}

/** For axes: 60k, 1.2M, 0.05. */
export function tick(value: number): string {
  for (const [step, letter] of [
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"],
  ] as const) {
    if (Math.abs(value) >= step * 0.9999) return `${Number((value / step).toPrecision(3))}${letter}`;
  }
  return String(Number(value.toPrecision(3)));
}

/** The same for one of several evenly spaced values: all with as many decimals as their distance needs. */
export function tickOf(value: number, _index: number, all: Iterable<number> = []): string {
  const [first = 0, second = 1] = [...all];
  const [step, letter] = (
    [
      [1e9, "G"],
      [1e6, "M"],
      [1e3, "k"],
    ] as const
  ).find(([step]) => Math.abs(value) >= step) ?? [1, ""];
  const decimals = Math.max(0, -(exponent((Math.abs(second - first) / step) * 1.0001) ?? 0));
  return value === 0 ? "0" : `${rounded(value / step, -decimals)}${letter}`;
}

/** Power of ten of the first digit; null for zero and what is not finite. */
const exponent = (value: number): number | null =>
  value === 0 || !Number.isFinite(value) ? null : Math.floor(Math.log10(Math.abs(value)));

/** Power of ten of the last digit shown: of the half-width the first, or the second while that says more (±0.12, but
 *  ±0.4); at most four, at least one of the value. */
function lastPlace(value: number, half: number): number {
  const of = exponent(half);
  const allowed = half === 0 ? -Infinity : of === null ? Infinity : half / 10 ** of < 3.55 ? of - 1 : of;
  const first = exponent(value);
  if (first === null) return Number.isFinite(allowed) ? allowed : 0;
  return Math.min(Math.max(allowed, first + 1 - DIGITS_MAX), first);
}

/** Rounded up: what is shown never claims more than what is known. */
function absolute(half: number, place: number): string {
  if (!Number.isFinite(half)) return "±?";
  if (half === 0) return "±0";
  return `±${rounded(stepsUp(half, place) * 10 ** place, place)}`;
}

function stepsUp(half: number, place: number): number {
  const steps = half / 10 ** place;
  return Math.abs(steps - Math.round(steps)) < 1e-6 ? Math.round(steps) : Math.ceil(steps);
}

function relative(half: number): string {
  const percent = half * 100;
  if (!Number.isFinite(percent)) return "±?";
  if (percent >= 999.5) return "±>999 %";
  if (percent >= 0.95 || percent === 0) return `±${rounded(percent, 0)} %`;
  return `±${rounded(Math.ceil(percent * 10) / 10, -1)} %`;
}

/** Kept: making one takes a hundred times as long as using it. */
const formats: Intl.NumberFormat[] = [];
const format = (decimals: number): Intl.NumberFormat =>
  (formats[decimals] ??= new Intl.NumberFormat("en-US", {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  }));

/** `value` to the digit at 10^`place`, with separated thousands. */
function rounded(value: number, place: number): string {
  if (!Number.isFinite(value)) return NOTHING;
  if (Math.abs(value) >= 1e15 || (value !== 0 && Math.abs(value) < 1e-9)) return value.toExponential(1);
  const step = 10 ** Math.max(0, place);
  const decimals = Math.min(12, Math.max(0, -place));
  const number = decimals === 0 ? Math.round(Math.abs(value) / step) * step : Math.abs(value);
  const shown = format(decimals).format(number);
  return value < 0 && /[1-9]/.test(shown) ? `-${shown}` : shown;
}
