/** How two devices differ in what an instruction gives. */
import { type Bound, boundOf, isWithin } from "./bounds.ts";
import { operandTexts, registerFiles, registersIn } from "./kernel.ts";
import { operandsOf, slots } from "./tuples.ts";

interface Format {
  readonly bits: number;
  readonly mantissa: number;
}
const formats: Readonly<Record<string, Format>> = {
  f16: { bits: 16, mantissa: 10 },
  bf16: { bits: 16, mantissa: 7 },
  f32: { bits: 32, mantissa: 23 },
  tf32: { bits: 32, mantissa: 23 },
  f64: { bits: 64, mantissa: 52 },
};
const types = /^(bf16x2|f16x2|e4m3x2|e5m2x2|bf16|f16|tf32|f32|f64|[usb](8|16|32|64|128)(x2)?)$/;

interface Kind {
  readonly format: Format;
  readonly packed: boolean;
}

/** The type of an instruction's result, as far as it is one that rounds. */
function formatOf(instruction: string): Kind | undefined {
  const [name, ...rest] = (instruction.split(" ")[0] ?? "").split(".");
  if (name === "setp" || name === "testp") return undefined;
  const named = rest.filter((part) => types.test(part));
  const type = (name === "cvt" || name === "set" ? named[0] : named.at(-1)) ?? "";
  const format = formats[type.replace("x2", "")];
  return format && { format, packed: type.endsWith("x2") };
}

const isNaNBits = (x: bigint, { bits, mantissa }: Format): boolean => {
  const infinity = ((1n << BigInt(bits - 1 - mantissa)) - 1n) << BigInt(mantissa);
  return (x & ((1n << BigInt(bits - 1)) - 1n)) > infinity;
};
/** Numbers in their order, both zeros alike. */
const rank = (x: bigint, { bits }: Format): bigint => {
  const magnitude = x & ((1n << BigInt(bits - 1)) - 1n);
  return x === magnitude ? magnitude : -magnitude;
};

/** These give a NaN as they got it. */
const moving = /^(mov|selp|slct)\b/;

/**
 * The results to compare by their digest. Which NaN arithmetic of f32 and f64 gives is left out: a GPU has one for all of f32 and
 * propagates that of an operand for f64, JavaScript propagates either, as its compiler likes.
 */
export function settled(instruction: string, results: BigUint64Array): BigUint64Array {
  const format = formatOf(instruction)?.format;
  if (!format || format.bits < 32 || moving.test(instruction)) return results;
  const nan = (1n << BigInt(format.bits - 1)) - 1n;
  return results.map((x, i) => (i % 2 === 0 && isNaNBits(x, format) ? nan : x));
}

export interface Difference {
  /** Tuples whose results differ, and those of them where both are NaN. */
  readonly count: number;
  readonly nan: number;
  /** Units in the last place, at most, where both are numbers. */
  readonly ulps?: number;
  /** Of an approximation: results that are not as near as the manual says. */
  readonly beyond?: number;
  /** Operands, result here, result there: hexadecimal. */
  readonly examples: readonly string[];
}

const hex = (x: bigint): string => x.toString(16);

/** The operands that an instruction took from a tuple. */
function operandsText(instruction: string, tuple: number): string {
  const sources = registersIn(operandTexts(instruction).slice(1).join(" "));
  return sources.map((r, slot) => hex(operandsOf(registerFiles[r[1] ?? ""]?.width ?? 32)[tuple * slots + slot] ?? 0n)).join(" ");
}

const most = 8;

/** Of packed results, each half. */
function isNear(bound: Bound, tuple: number, { format, packed }: Kind, a: bigint, b: bigint): boolean {
  const width = format.bits as 16 | 32 | 64;
  // The operands of halves are not told apart; no bound on them depends on operands.
  const parts = packed ? [0n, 16n] : [0n];
  const mask = (1n << BigInt(width)) - 1n;
  return parts.every((s) => isWithin(bound, tuple, width, format.mantissa, (a >> s) & mask, (b >> s) & mask));
}

/** Undefined where there is none. */
export function differenceOf(instruction: string, here: BigUint64Array, there: BigUint64Array): Difference | undefined {
  const kind = formatOf(instruction);
  const examples: string[] = [];
  const bound = boundOf(instruction);
  let [count, nan, ulps, beyond] = [0, 0, 0n, 0];
  const measure = (a: bigint, b: bigint, format: Format): boolean => {
    if (isNaNBits(a, format) && isNaNBits(b, format)) return true;
    if (isNaNBits(a, format) || isNaNBits(b, format)) return false;
    const distance = rank(a, format) - rank(b, format);
    const size = distance < 0n ? -distance : distance;
    if (size > ulps) ulps = size;
    return false;
  };
  for (let i = 0; i < here.length; i += 2) {
    const [a = 0n, a2 = 0n, b = 0n, b2 = 0n] = [here[i], here[i + 1], there[i], there[i + 1]];
    if (a === b && a2 === b2) continue;
    count += 1;
    let both = false;
    if (kind?.packed) {
      const parts = [0n, 16n].filter((s) => ((a ^ b) >> s) & 0xffffn);
      both = parts.map((s) => measure((a >> s) & 0xffffn, (b >> s) & 0xffffn, kind.format)).every(Boolean);
    } else if (kind) both = measure(a, b, kind.format);
    if (both) nan += 1;
    const near = bound && kind && !both && isNear(bound, i / 2, kind, a, b);
    if (near === false) beyond += 1;
    if (examples.length < most && (!both || nan <= 2) && !near) {
      const second = a2 === 0n && b2 === 0n ? ["", ""] : [`,${hex(a2)}`, `,${hex(b2)}`];
      examples.push(`${operandsText(instruction, i / 2)} -> ${hex(a)}${second[0]} | ${hex(b)}${second[1]}`);
    }
  }
  return count === 0
    ? undefined
    : { count, nan, ...(kind && count > nan ? { ulps: Number(ulps) } : {}), ...(bound ? { beyond } : {}), examples };
}
