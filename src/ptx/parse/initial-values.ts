/** First values of variables (PTX ISA 5.4.4), and what ptxas 13.0 refuses of them. */
import { fail } from "../errors.ts";
import { accept, type Cursor, expectMark, expectWord, failExpected, kindAt, nested, P, spansAt, textAt } from "./cursor.ts";
import { NUMBER, WORD } from "./lex.ts";
import { beginsConstant, constant, integer } from "./numbers.ts";
import type { InitialValue, Linkage, PtxType, Variable } from "./tree.ts";

/** What the values are for. */
export interface Initialised {
  readonly name: string;
  readonly space: Variable["space"];
  readonly linkage: Linkage;
  readonly type: PtxType;
  readonly vector: number;
  /** As declared: `[]` is 0. */
  readonly dims: readonly number[];
}

const zero: InitialValue = { kind: "int", value: 0n };

/** `name`, `generic(name)`, each perhaps `+ bytes`. */
function addressValue(c: Cursor, mask: bigint | undefined): InitialValue {
  const word = expectWord(c, "a number or the address of a variable");
  const generic = word === "generic" && accept(c, P.parenOpen);
  const name = generic ? expectWord(c, "a variable") : word;
  let offset = generic && beginsConstant(c) ? integer(c, "an offset in bytes") : 0;
  if (generic) expectMark(c, P.parenClose);
  if (beginsConstant(c)) offset += integer(c, "an offset in bytes");
  return { kind: "address", name, offset, generic, mask };
}

/** `0xFF00(name)`: one byte of the address. */
function maskedAddress(c: Cursor, v: Initialised): InitialValue {
  const at = c.at;
  const mask = constant(c);
  if (mask.kind !== "int") return failExpected(c, "`,` or `;`");
  expectMark(c, P.parenOpen);
  const value = addressValue(c, mask.value);
  expectMark(c, P.parenClose);
  const isByte = Array.from({ length: 8 }, (_, i) => 0xffn << BigInt(8 * i)).includes(mask.value);
  return isByte ? value : mismatch(c, v, `\`${textAt(c, at)}(…)\`, a mask that takes no whole byte`, at);
}

function value(c: Cursor, v: Initialised): InitialValue {
  const at = c.at;
  const isName = kindAt(c) === WORD && textAt(c, c.at) !== "WARP_SZ";
  const isMasked = kindAt(c) === NUMBER && kindAt(c, 1) === P.parenOpen;
  const found = isName ? addressValue(c, undefined) : isMasked ? maskedAddress(c, v) : constant(c);
  if (!fits(v.type, found)) mismatch(c, v, `${words[found.kind]} \`${textAt(c, at)}\``, at);
  if (found.kind === "int" && (found.value >= 2n ** 64n || found.value < -(2n ** 63n)))
    mismatch(c, v, `the integer \`${textAt(c, at)}\`, which has more than 64 bits`, at);
  return found;
}

const words = { int: "the integer", float: "the floating-point number", address: "the address" } as const;

function fits(type: PtxType, x: InitialValue): boolean {
  if (x.kind === "address") return type === "u64" || type === "u32" || (type === "u8" && x.mask !== undefined);
  if (type[0] === "b" && !type.startsWith("bf")) return true;
  return x.kind === "int" ? /^[us]/.test(type) : type === "f32" || type === "f64";
}

function mismatch(c: Cursor, v: Initialised, given: string, at: number): never {
  const shape = `${v.vector > 1 ? `.v${v.vector} ` : ""}.${v.type}`;
  const dims = v.dims.map((n) => `[${n === 0 ? "" : n}]`).join("");
  return fail("W7814", { name: `${v.name}${dims}`, type: shape, given }, spansAt(c, at));
}

function tooMany(c: Cursor, v: Initialised, most: number, at: number): never {
  return fail("W7815", { name: v.name, most, exactly: v.vector === most && v.vector > 1 }, spansAt(c, at));
}

/** Values in the order of memory. */
class Filling {
  readonly values: InitialValue[] = [];
  private readonly c: Cursor;
  private readonly v: Initialised;
  constructor(c: Cursor, v: Initialised) {
    this.c = c;
    this.v = v;
  }

  /** Elements below one of dimension `level - 1`, from `at` on: a list for each dimension, and for a vector. Gives how many it has. */
  fill(level: number, at: number): number {
    const { c, v } = this;
    const extent = v.dims[level];
    const begin = c.at;
    if (extent === undefined && v.vector === 1) {
      if (kindAt(c) === P.open) mismatch(c, v, "a list in braces", begin);
      while (this.values.length < at) this.values.push(zero);
      this.values[at] = value(c, v);
      return 1;
    }
    if (!accept(c, P.open)) mismatch(c, v, `\`${textAt(c, begin)}\` without braces`, begin);
    if (extent !== undefined) return this.list(level, at, extent === 0 ? Number.POSITIVE_INFINITY : extent);
    const count = this.list(level, at, v.vector);
    return count === v.vector ? count : tooMany(c, v, v.vector, begin);
  }

  /** The rest of a list, whose brace is taken. */
  private list(level: number, at: number, most: number): number {
    const { c, v } = this;
    if (accept(c, P.close)) return 0;
    const size = v.dims.slice(level + 1).reduce((n, d) => n * d, level < v.dims.length ? v.vector : 1);
    let count = 0;
    do {
      if (count === most) tooMany(c, v, most, c.at);
      const place = at + count * size;
      if (level < v.dims.length) nested(c, () => this.fill(level + 1, place));
      else this.values[place] = value(c, v);
      count++;
    } while (accept(c, P.comma));
    expectMark(c, P.close);
    return count;
  }
}

/** Why a variable may have no first value. */
function whyNone({ space, linkage, type }: Initialised): string | undefined {
  if (space !== "global" && space !== "const") return `it is in the state space .${space}, whose memory nobody fills`;
  if (linkage === "extern") return "another module defines it";
  return type === "f16" || type === "bf16" || type === "f16x2" || type === "bf16x2" ? `.${type} has none in PTX` : undefined;
}

/** `= …`, where it stands there: the values, row-major with zeros in the gaps, and how many the outermost list has. W7814, W7815, W7816. */
export function initialValues(c: Cursor, v: Initialised): { values: readonly InitialValue[]; count: number } | undefined {
  const at = c.at;
  if (!accept(c, P.equals)) return undefined;
  const why = whyNone(v);
  if (why !== undefined) fail("W7816", { name: v.name, why, half: why.endsWith("PTX") }, spansAt(c, at));
  const filling = new Filling(c, v);
  const begin = c.at;
  const count = filling.fill(0, 0);
  if (v.dims[0] === 0 && count === 0) mismatch(c, v, "an empty list", begin);
  return { values: filling.values, count };
}
