/** How far approximate instructions may be from the exact result (PTX ISA 9.7.3, 9.7.4, 9.7.5). */
import { operandsOf, slots } from "./tuples.ts";

export interface Bound {
  /** `logarithm`: relative, of results below 1 absolute. */
  readonly kind: "ulp" | "relative" | "absolute" | "logarithm";
  readonly most: number;
  /** Of the first operands, where the manual says nothing beyond. */
  readonly where?: (a: number, b: number) => boolean;
}

const inside =
  (limit: number) =>
  (a: number): boolean =>
    Math.abs(a) <= limit;
const divisible = (_: number, b: number): boolean => Math.abs(b) >= 2 ** -126 && Math.abs(b) <= 2 ** 126;

/** By the beginning of the instruction; the first that fits. */
const bounds: readonly (readonly [string, Bound])[] = [
  ["div.approx", { kind: "ulp", most: 2, where: divisible }],
  ["div.full", { kind: "ulp", most: 2 }],
  ["rcp.approx.ftz.f64", { kind: "relative", most: 2 ** -20 }],
  ["rcp.approx", { kind: "ulp", most: 1 }],
  ["sqrt.approx", { kind: "relative", most: 2 ** -23 }],
  ["rsqrt.approx.ftz.f64", { kind: "relative", most: 2 ** -20 }],
  ["rsqrt.approx.f64", { kind: "relative", most: 2 ** -20 }],
  ["rsqrt.approx", { kind: "relative", most: 2 ** -22.9 }],
  ["sin.approx", { kind: "absolute", most: 2 ** -20.5, where: inside(2 * Math.PI) }],
  ["cos.approx", { kind: "absolute", most: 2 ** -20.4, where: inside(2 * Math.PI) }],
  ["lg2.approx", { kind: "logarithm", most: 2 ** -21 }],
  ["ex2.approx.ftz.bf16", { kind: "relative", most: 2 ** -7 }],
  ["ex2.approx.bf16", { kind: "relative", most: 2 ** -7 }],
  ["ex2.approx.f16", { kind: "relative", most: 2 ** -9.9 }],
  ["ex2.approx.ftz.f16", { kind: "relative", most: 2 ** -9.9 }],
  ["ex2.approx", { kind: "ulp", most: 2.1 }],
  ["tanh.approx.f32", { kind: "relative", most: 2 ** -11 }],
  ["tanh.approx.f16", { kind: "absolute", most: 2 ** -10.987 }],
  ["tanh.approx.bf16", { kind: "absolute", most: 2 ** -8 }],
];

/** Undefined where results must be equal. */
export const boundOf = (instruction: string): Bound | undefined => bounds.find(([start]) => instruction.startsWith(start))?.[1];

const view = new DataView(new ArrayBuffer(8));

/** A number of a float type by its bits. */
export function numberOf(bits: bigint, width: number, mantissa: number): number {
  if (width === 64) {
    view.setBigUint64(0, bits);
    return view.getFloat64(0);
  }
  if (width === 32 || mantissa === 7) {
    view.setUint32(0, Number(width === 32 ? bits : bits << 16n));
    return view.getFloat32(0);
  }
  const [sign, exponent, fraction] = [bits >> 15n ? -1 : 1, Number((bits >> 10n) & 31n), Number(bits & 0x3ffn)];
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** What rounding may add, of numbers with so many bits of mantissa: half a unit, or a whole one of subnormal numbers. */
const rounding = (x: number, mantissa: number): number => Math.max(Math.abs(x) * 2 ** -(mantissa + 1), leastOf[mantissa] ?? 0);
const leastOf: Readonly<Record<number, number>> = { 10: 2 ** -24, 7: 2 ** -133, 23: 2 ** -149 };
/** Infinity counts as the number that would follow the greatest. */
const mostOf: Readonly<Record<number, number>> = { 10: 2 ** 16, 7: 2 ** 128, 23: 2 ** 128 };
const limited = (x: number, mantissa: number): number => {
  const most = mostOf[mantissa] ?? Number.MAX_VALUE;
  return Math.min(Math.max(x, -most), most);
};

/** Whether two results for a tuple are as near as the manual promises, one of them rounded to the nearest. */
export function isWithin(bound: Bound, tuple: number, width: 16 | 32 | 64, mantissa: number, a: bigint, b: bigint): boolean {
  const operands = operandsOf(width);
  const [first = 0n, second = 0n] = operands.slice(tuple * slots, tuple * slots + 2);
  if (bound.where && !bound.where(numberOf(first, width, mantissa), numberOf(second, width, mantissa))) return true;
  const [x, y] = [a, b].map((bits) => limited(numberOf(bits, width, mantissa), mantissa)) as [number, number];
  if (x === y || (Number.isNaN(x) && Number.isNaN(y))) return true;
  const distance = Math.abs(x - y);
  const scale = Math.max(Math.abs(x), Math.abs(y));
  if (bound.kind === "ulp") return distance <= (bound.most + 0.5) * 2 ** Math.max(Math.floor(Math.log2(scale)) - mantissa, -149);
  const of = bound.kind === "absolute" ? 1 : bound.kind === "logarithm" ? Math.max(scale, 1) : scale;
  return distance <= bound.most * of + rounding(scale, mantissa);
}
