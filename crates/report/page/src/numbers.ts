//! Numbers without an interval (of windows, axes, counts), as crates/report/src/numbers.rs writes them; values with one come written.

export const NOTHING = "–";
export const UNKNOWN = "not known in this time";

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
