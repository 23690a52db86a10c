/**
 * What `printf` on the device writes (CUDA C++ Programming Guide, formatted output; C11 7.21.6.1). The arguments lie one after the
 * other, each at a multiple of its size; floats are doubles.
 */

import { KernelFault } from "../../machine/fault.ts";
import type { Warp } from "../../machine/warp.ts";
import { exponential, fixed, general, hexadecimal } from "./decimal.ts";

/** Bytes of a text. */
const longest = 2 ** 20;
const decoder = new TextDecoder();

/** A text that ends in a zero byte, at a generic address. */
export function readText(warp: Warp, lane: number, address: number): string {
  const bytes: number[] = [];
  for (; bytes.length < longest; ) {
    const region = warp.generic(lane, address + bytes.length, 1);
    const byte = region.bytes[warp.found - region.base] ?? 0;
    if (byte === 0) return decoder.decode(Uint8Array.from(bytes));
    bytes.push(byte);
  }
  throw new KernelFault(`it used a text of more than ${longest} bytes`);
}

interface Conversion {
  readonly flags: string;
  readonly width: number | undefined;
  readonly precision: number | undefined;
  /** `h`, `l`, `ll` … as written. */
  readonly size: string;
  readonly letter: string;
}

/** Takes arguments one after the other. */
class Arguments {
  readonly #warp: Warp;
  readonly #lane: number;
  #next: number;
  count = 0;

  constructor(warp: Warp, lane: number, address: number) {
    this.#warp = warp;
    this.#lane = lane;
    this.#next = address;
  }

  /** Its bits. */
  take(bytes: 4 | 8): bigint {
    const at = Math.ceil(this.#next / bytes) * bytes;
    this.#next = at + bytes;
    this.count += 1;
    const region = this.#warp.generic(this.#lane, at, bytes);
    const k = (this.#warp.found - region.base) >>> 2;
    const low = BigInt(region.u32[k] ?? 0);
    return bytes === 4 ? low : low | (BigInt(region.u32[k + 1] ?? 0) << 32n);
  }
  double(): number {
    const view = new DataView(new ArrayBuffer(8));
    view.setBigUint64(0, this.take(8));
    return view.getFloat64(0);
  }
  int(): number {
    return Number(BigInt.asIntN(32, this.take(4)));
  }
  text(): string {
    const address = Number(this.take(8));
    return address === 0 ? "(null)" : readText(this.#warp, this.#lane, address);
  }
}

/** Bits of an integer: those of `hh` and `h` come as an int, of which they are the lower part. */
function integerBits(size: string): number {
  if (size === "hh") return 8;
  if (size === "h") return 16;
  return size === "" ? 32 : 64;
}

/** Digits at least as many as the precision; then signs and marks; then the width. */
function finish(c: Conversion, sign: string, digits: string, zeros: boolean): string {
  const width = c.width ?? 0;
  if (c.flags.includes("-")) return (sign + digits).padEnd(width);
  if (zeros && c.flags.includes("0")) return sign + digits.padStart(width - sign.length, "0");
  return (sign + digits).padStart(width);
}
const signOf = (negative: boolean, flags: string): string =>
  negative ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";

const radix: Readonly<Record<string, number>> = { o: 8, x: 16, X: 16 };

function integer(c: Conversion, args: Arguments): string {
  const bits = integerBits(c.size);
  const value = args.take(bits === 64 ? 8 : 4);
  const signed = c.letter === "d" || c.letter === "i";
  const x = signed ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
  let digits = (x < 0n ? -x : x).toString(radix[c.letter] ?? 10);
  if (c.precision !== undefined) digits = c.precision === 0 && x === 0n ? "" : digits.padStart(c.precision, "0");
  if (c.flags.includes("#") && c.letter === "o" && !digits.startsWith("0")) digits = `0${digits}`;
  const mark = c.flags.includes("#") && radix[c.letter] === 16 && x !== 0n ? "0x" : "";
  const text = finish(c, signed ? signOf(x < 0n, c.flags) : mark, digits, c.precision === undefined);
  return c.letter === "X" ? text.toUpperCase() : text;
}

function magnitude(c: Conversion, x: number): string {
  const point = c.flags.includes("#");
  switch (c.letter.toLowerCase()) {
    case "e":
      return exponential(x, c.precision ?? 6, point);
    case "g":
      return general(x, c.precision ?? 6, point);
    case "a":
      return hexadecimal(x, c.precision, point);
    default:
      return fixed(x, c.precision ?? 6, point);
  }
}

function float(c: Conversion, x: number): string {
  const sign = signOf(x < 0 || Object.is(x, -0), c.flags);
  if (!Number.isFinite(x)) return cased(c, finish(c, sign, Number.isNaN(x) ? "nan" : "inf", false));
  const digits = magnitude(c, Math.abs(x));
  // Zeros stand behind the 0x.
  const mark = digits.startsWith("0x") ? "0x" : "";
  return cased(c, finish(c, sign + mark, digits.slice(mark.length), true));
}
const cased = (c: Conversion, text: string): string => (c.letter < "a" ? text.toUpperCase() : text);

function convert(c: Conversion, args: Arguments): string {
  switch (c.letter) {
    case "d":
    case "i":
    case "u":
    case "o":
    case "x":
    case "X":
      return integer(c, args);
    case "c":
      return finish(c, "", String.fromCharCode(args.int() & 255), false);
    case "s":
      return finish(c, "", args.text().slice(0, c.precision ?? Number.POSITIVE_INFINITY), false);
    case "p":
      return finish(c, "", `0x${args.take(8).toString(16)}`, false);
    default:
      return float(c, args.double());
  }
}

const conversion = /%(?:(%)|([-+ #0]*)(\*|\d+)?(?:\.(\*|\d*))?(hh|h|ll|l|j|z|t)?([diouxXcsfFeEgGaAp]))/g;

/** `count`: of arguments. What is no conversion stays as it is. */
export function formatPrintf(
  warp: Warp,
  lane: number,
  format: string,
  address: number,
): { readonly text: string; readonly count: number } {
  const args = new Arguments(warp, lane, address);
  const number = (given: string | undefined): number | undefined =>
    given === undefined ? undefined : given === "*" ? args.int() : Number(given);
  const text = format.replace(conversion, (_, percent, flags, width, precision, size, letter) => {
    if (percent) return "%";
    const wide = number(width);
    const exact = number(precision);
    return convert(
      {
        // A negative width means the flag -, a negative precision none.
        flags: wide !== undefined && wide < 0 ? `${flags}-` : flags,
        width: wide === undefined ? undefined : Math.abs(wide),
        precision: exact !== undefined && exact < 0 ? undefined : exact,
        size: size ?? "",
        letter,
      },
      args,
    );
  });
  return { text, count: args.count };
}
