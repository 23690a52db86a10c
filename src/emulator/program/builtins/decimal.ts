/** Floats as C's printf writes them: exact, ties to even (C11 7.21.6.1). */

/** x = numerator / denominator, for x >= 0 that is finite. */
function fraction(x: number): readonly [numerator: bigint, denominator: bigint] {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  const bits = view.getBigUint64(0);
  const field = Number((bits >> 52n) & 0x7ffn);
  const mantissa = (bits & 0xf_ffff_ffff_ffffn) | (field === 0 ? 0n : 1n << 52n);
  const exponent = Math.max(field, 1) - 1075;
  return exponent >= 0 ? [mantissa << BigInt(exponent), 1n] : [mantissa, 1n << BigInt(-exponent)];
}

/** The whole number nearest to x · 10^power. */
function scaled(x: number, power: number): bigint {
  const [numerator, denominator] = fraction(x);
  const ten = 10n ** BigInt(Math.abs(power));
  const [n, d] = power >= 0 ? [numerator * ten, denominator] : [numerator, denominator * ten];
  const [quotient, rest] = [n / d, 2n * (n % d)];
  return rest > d || (rest === d && quotient % 2n === 1n) ? quotient + 1n : quotient;
}

/** `digits` of them behind the point. `point`: even where no digits follow. */
export function fixed(x: number, digits: number, point: boolean): string {
  const all = scaled(x, digits)
    .toString()
    .padStart(digits + 1, "0");
  const whole = all.slice(0, all.length - digits);
  return digits > 0 ? `${whole}.${all.slice(-digits)}` : point ? `${whole}.` : whole;
}

/** d.ddd · 10^exponent, with so many digits behind the point. */
function scientific(x: number, digits: number): { readonly figures: string; readonly exponent: number } {
  if (x === 0) return { figures: "0".repeat(digits + 1), exponent: 0 };
  // Perhaps one too high.
  let exponent = Number(x.toExponential().split("e")[1]);
  let figures = scaled(x, digits - exponent).toString();
  if (figures.length <= digits) {
    exponent -= 1;
    figures = scaled(x, digits - exponent).toString();
  }
  if (figures.length > digits + 1) {
    exponent += 1;
    figures = figures.slice(0, -1);
  }
  return { figures, exponent };
}

const exponentText = (e: number): string => `e${e < 0 ? "-" : "+"}${Math.abs(e).toString().padStart(2, "0")}`;

export function exponential(x: number, digits: number, point: boolean): string {
  const { figures, exponent } = scientific(x, digits);
  const dot = digits > 0 || point ? "." : "";
  return `${figures[0]}${dot}${figures.slice(1)}${exponentText(exponent)}`;
}

/** `%g`: the shorter of the two, without trailing zeros unless `alternate`. */
export function general(x: number, precision: number, alternate: boolean): string {
  const significant = Math.max(1, precision);
  const { exponent } = scientific(x, significant - 1);
  const trim = (text: string): string => (alternate || !text.includes(".") ? text : text.replace(/\.?0+$/, ""));
  if (exponent >= -4 && exponent < significant) return trim(fixed(x, significant - 1 - exponent, alternate));
  const [mantissa = "", power = ""] = exponential(x, significant - 1, alternate).split("e");
  return `${trim(mantissa)}e${power}`;
}

/** `%a`: 0x1.8p+1. Without `digits`: as many as there are. */
export function hexadecimal(x: number, digits: number | undefined, point: boolean): string {
  if (x === 0) return `0x0${digits ? `.${"0".repeat(digits)}` : point ? "." : ""}p+0`;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  const bits = view.getBigUint64(0);
  const field = Number((bits >> 52n) & 0x7ffn);
  let mantissa = (bits & 0xf_ffff_ffff_ffffn) | (field === 0 ? 0n : 1n << 52n);
  if (digits !== undefined && digits < 13) {
    const unit = 1n << BigInt(4 * (13 - digits));
    const rest = mantissa % unit;
    mantissa -= rest;
    if (2n * rest > unit || (2n * rest === unit && (mantissa / unit) % 2n === 1n)) mantissa += unit;
  }
  const all = (mantissa & 0xf_ffff_ffff_ffffn).toString(16).padStart(13, "0");
  const figures = digits === undefined ? all.replace(/0+$/, "") : all.padEnd(digits, "0").slice(0, digits);
  const exponent = Math.max(field, 1) - 1023;
  const dot = figures !== "" || point ? "." : "";
  return `0x${mantissa >> 52n}${dot}${figures}p${exponent < 0 ? "-" : "+"}${Math.abs(exponent)}`;
}
