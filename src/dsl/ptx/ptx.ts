import { optionsOf } from "../../base/diag/index.ts";
import { elementBytes } from "../../base/element-types.ts";
import type { DType, Element } from "../../base/types.ts";
import type { Literal, ScalarType, Value } from "../../ir/index.ts";
import { registerType } from "../../ir/index.ts";
import type { Place, SharedView, Tensor } from "../memory/index.ts";
import { constant } from "../numbers/constant.ts";
import { checkOptionsHere, describe, readFlag } from "../numbers/describe.ts";
import { elementwise, isTiled } from "../numbers/elementwise.ts";
import { isLiteral } from "../numbers/literals.ts";
import { usable } from "../numbers/unusable.ts";
import type { Mbarrier } from "../sync/index.ts";
import { failHere } from "../trace/fail-here.ts";
import { isStagedScalar, scalar } from "../trace/scalar.ts";
import { addressIn, hasAddress, own } from "../trace/staged.ts";
import { currentTrace, type Trace } from "../trace/trace.ts";

/** What `ptx` takes: a scalar, or memory, of which it is the address. */
// biome-ignore lint/suspicious/noExplicitAny: memory of any type
export type PtxOperand = number | bigint | boolean | Place<any> | Tensor | SharedView | Mbarrier;

/** Types of results: of one, of several in order, or each with a name. */
export type PtxTypes = DType | readonly DType[] | { readonly [name: string]: DType };

/** What `ptx` gives where its `out` is of type T: a number, an array, an object, or nothing. */
export type PtxResult<T> = T extends DType
  ? Element<T>
  : T extends readonly DType[]
    ? { -readonly [I in keyof T]: Element<T[I] & DType> }
    : T extends { readonly [name: string]: DType }
      ? { -readonly [K in keyof T]: Element<T[K] & DType> }
      : undefined;

/** How inline PTX is to be understood. W2601. */
export interface PtxOptions<T extends PtxTypes | undefined = undefined> {
  /** The types of what it gives: `"u32"`, `["u32", "bool"]`, `{ sum: "u32", carry: "bool" }`. Nothing by default. W2811. */
  out?: T;
  /**
   * Its results come from its operands alone: it reads and writes no memory, no other thread takes part, and it gives the same each time.
   * Then it may be merged with its like, moved and left out. Default false. W2809.
   */
  pure?: boolean;
}
const ptxOptions = optionsOf<PtxOptions<PtxTypes>>("ptx()", { out: true, pure: true });

const isType = (x: unknown): x is DType => typeof x === "string" && Object.hasOwn(elementBytes, x);

function readType(x: unknown): ScalarType {
  if (isType(x)) return registerType(x);
  if (typeof x === "string") return failHere("W3026", { what: "a result of `ptx`", dtype: x });
  return failHere("W2811", { got: describe(x) });
}

/** What is made of the results, which are of these types. */
interface Out {
  readonly types: readonly ScalarType[];
  readonly make: (results: readonly unknown[]) => unknown;
}

function readOut(out: unknown): Out {
  if (out === undefined) return { types: [], make: () => undefined };
  if (typeof out !== "object" || out === null) return { types: [readType(out)], make: ([result]) => result };
  if (Array.isArray(out)) return { types: out.map(readType), make: (results) => [...results] };
  const names = Object.keys(out);
  const types = names.map((name) => readType((out as Record<string, unknown>)[name]));
  return { types, make: (results) => Object.fromEntries(names.map((name, i) => [name, results[i]])) };
}

/** A number as the constant that holds it: its type is for the instruction to say. */
function literal(x: Literal): Value {
  if (typeof x === "boolean") return constant(x, "pred");
  if (typeof x === "bigint") return constant(x, x < 2n ** 63n ? "i64" : "u64");
  const whole = Number.isInteger(x) && !Object.is(x, -0) && Math.abs(x) < 2 ** 63;
  return whole ? constant(BigInt(x), "i64") : constant(x, "f64");
}

function readOperand(trace: Trace, x: unknown, at: number): Value {
  usable(x);
  if (isLiteral(x)) return literal(x);
  if (isStagedScalar(x)) return x.value;
  return hasAddress(x) ? x[addressIn](trace) : failHere("W2810", { at: at + 1, got: describe(x) });
}

/** Element by element: of each result a tile. W2814. */
function overElements(
  options: PtxOptions<PtxTypes>,
  given: readonly unknown[],
  one: (own: readonly unknown[]) => unknown,
): unknown {
  const { types, make } = readOut(options.out);
  if (options.pure !== true || types.length === 0) failHere("W2814", {});
  const listed = types.length > 1 || typeof options.out === "object";
  const part = (result: unknown, at: number): unknown => (listed ? Object.values(result as object)[at] : result);
  return make(types.map((_, at) => elementwise(given, "`ptx`", (own) => part(one(own), at))));
}

/**
 * What all lanes of a warp run together: what is `.aligned`, barriers, which count warps, and what names all of them in its mask. Of other
 * masks the author says which lanes come.
 */
export const together = /\.aligned\b|\bbar(rier)?\.(?!warp)|\.sync\b[^;]*[\s,](-1|4294967295|0x[fF]{8})\s*;/;

/**
 * Instructions in PTX. `$0`, `$1`, … are the results that `out` names, in order, then the operands behind the options: each of them stands
 * in the text. A number is of the type that the instruction takes; a staged value is a register of its type; memory is its address, 64 bits
 * in global memory, 32 bits in shared memory. Registers of its own are declared with `.reg .u32 t;`. Branches go to labels of the text,
 * of which each copy of it has its own; other declarations, calls and `exit` are not possible. The text is checked before anything runs, and runs on the emulator, too.
 *
 * Of tiles among the operands it is applied to the elements, place by place, and gives tiles; then it has to be `pure` (W2814).
 *
 * It may read and write memory, and runs where it stands, once each time, unless it is `pure`. What is `.aligned`, or
 * `.sync` for all lanes, is run by all lanes of a warp (W2048).
 *
 *     const r = ptx("mad.lo.u32 $0, $1, $2, $3;", { out: "u32" }, a, b, c);
 *
 * Source: PTX ISA 9.7, and 4.4 for declarations. CUDA `asm volatile`. Errors: W2801–W2818, W9800–W9807.
 */
export const ptx = own(function ptx<const T extends PtxTypes | undefined = undefined>(
  text: string,
  options: PtxOptions<T> = {},
  ...operands: readonly PtxOperand[]
): PtxResult<T> {
  const trace = currentTrace("ptx");
  const given: unknown = text;
  if (typeof given !== "string")
    return failHere("W2010", {
      what: "the first argument of `ptx`",
      wanted: "a text that is known while the kernel is compiled",
      got: describe(given),
      fix: "write the instructions as a string",
    });
  checkOptionsHere(options, ptxOptions);
  const { out } = options as PtxOptions<PtxTypes>;
  const pure = readFlag(options.pure, "`pure`", false);
  const { types, make } = readOut(out);
  const emit = (own: readonly unknown[]): unknown => {
    const values = own.map((x, at) => readOperand(trace, x, at));
    const literals = own.flatMap((x, at) => (isLiteral(x) ? [at] : []));
    const name = pure ? "ptx.pure" : together.test(given) ? "ptx.sync" : "ptx.inline";
    const { results } = trace.emit(name, { values }, { text: given, literals }, { types });
    return make(results.map((value) => scalar(value)));
  };
  return (
    operands.some(isTiled) ? overElements(options as PtxOptions<PtxTypes>, operands, emit) : emit(operands)
  ) as PtxResult<T>;
});
