import { elementBytes } from "../../../base/element-types.ts";
import type { DType } from "../../../base/types.ts";
import { both, compare, constant, first } from "../../../ir/arith.ts";
import type { Op, ScalarType, Value } from "../../../ir/index.ts";
import { memoryType } from "../../../ir/index.ts";
import { type Address, pointer, sharedAddress, tensorAddress } from "./addresses.ts";
import { type Expand, type Expansion, giveResults, refuse, viewOf } from "./expansion.ts";
import type { SharedParts, TensorParts } from "./parts.ts";
import type { Writer } from "./writer.ts";

/** An element from memory as it is in a register. */
function fromMemory(w: Writer, dtype: DType, value: Value): Value {
  if (dtype !== "bool") return value;
  const zero = first(w.emit("const", {}, { value: 0 }, { types: ["u8"] }));
  return w.once("cmp", { a: value, b: zero }, { is: "ne" });
}

/** A register's element as memory holds it. */
export const toMemory = (w: Writer, dtype: DType, value: Value): Value =>
  dtype === "bool" ? w.once("convert", { a: value }, {}, ["u8"]) : value;

/** Where elements lie that one access moves. */
export interface Location {
  readonly space: "global" | "shared" | "cluster";
  readonly dtype: DType;
  readonly address: () => Address;
}

const locationOf = (w: Writer, parts: SharedParts | TensorParts): Location =>
  parts.kind === "global"
    ? { space: "global", dtype: parts.dtype, address: () => tensorAddress(w, parts, parts.offset) }
    : { space: parts.type.space, dtype: parts.type.dtype, address: () => sharedAddress(w, parts, parts.offset) };

type StoreHints = Op<"view.store">["attrs"];

interface Loading {
  readonly pred?: Value | undefined;
  readonly other?: Value | undefined;
  readonly hints?: Op<"view.load">["attrs"];
}

/** Loads neighbouring elements, as registers hold them. */
export function load(w: Writer, at: Location, count: number, { pred, other, hints = { cache: "" } }: Loading = {}): Value[] {
  const types: ScalarType[] = Array.from({ length: count }, () => memoryType(at.dtype));
  const instead = other && toMemory(w, at.dtype, other);
  const { ptr, offset } = at.address();
  const op =
    at.space === "global"
      ? w.emit("ld.global", { ptr, pred, other: instead }, { offset, ...hints }, { types })
      : w.emit("ld.shared", { ptr, pred, other: instead }, { offset }, { types });
  return op.results.map((v) => fromMemory(w, at.dtype, v));
}

/** Stores neighbouring elements, as memory holds them. */
export function store(w: Writer, at: Location, values: readonly Value[], pred?: Value, hints: StoreHints = { cache: "" }): void {
  const { ptr, offset } = at.address();
  if (at.space === "global") w.emit("st.global", { ptr, values, pred }, { offset, ...hints });
  else w.emit("st.shared", { ptr, values, pred }, { offset });
}

/** Refuses a vector whose static offset no instruction takes. W3005. */
function checkVector(x: Expansion, parts: SharedParts | TensorParts, count: number): void {
  const { fixed, staged } = parts.offset;
  const bytes = count * elementBytes[parts.kind === "global" ? parts.dtype : parts.type.dtype];
  if (!staged && fixed % bytes !== 0) refuse(x, "W3005", { bytes, offset: fixed });
}

const loads: Expand<"view.load"> = (x, op) => {
  const parts = viewOf(x, op.operands.view);
  checkVector(x, parts, op.results.length);
  const { pred, other } = op.operands;
  giveResults(x, op, load(x.w, locationOf(x.w, parts), op.results.length, { pred, other, hints: op.attrs }));
};

const stores: Expand<"view.store"> = (x, op) => {
  const parts = viewOf(x, op.operands.view);
  checkVector(x, parts, op.operands.values.length);
  const at = locationOf(x.w, parts);
  const values = op.operands.values.map((v) => toMemory(x.w, at.dtype, v));
  store(x.w, at, values, op.operands.pred, op.attrs);
};

type Atom = (op: Op<"view.atom">["attrs"]["op"], value: Value, pred: Value | undefined) => Value;

/**
 * The least or greatest of a float in memory and `value`, as the integers that their bits are: floats without a sign are in the order
 * of signed integers, those with one in the opposite order of unsigned ones. Gives the old value. As `Math.min` and `Math.max`: -0 is
 * less than 0, and a NaN, once it has been given, stays. So that it does, it has the sign that keeps it outermost.
 */
function floatExtreme(w: Writer, op: "min" | "max", value: Value, pred: Value | undefined, atom: Atom): Value {
  const type = value.type as "f32" | "f64";
  const wide = type === "f64";
  const [signed, unsigned] = wide ? (["i64", "u64"] as const) : (["i32", "u32"] as const);
  const bitcast = (a: Value, to: ScalarType): Value => w.once("bitcast", { a }, {}, [to]);
  const nan = wide ? (op === "max" ? 0x7ff8000000000000n : -(2n ** 51n)) : op === "max" ? 0x7fc00000 : -(2 ** 22);
  const isNumber = compare(w, "eq", value, value);
  const bits = w.once("select", { condition: isNumber, yes: bitcast(value, signed), no: constant(w, nan, signed) }, {});
  const positive = compare(w, "ge", bits, 0);
  const negative = w.once("not", { a: positive }, {});
  const where = (side: Value): Value => both(w, pred, side) ?? side;
  const high = atom(op, bits, where(positive));
  const low = atom(op === "max" ? "min" : "max", bitcast(bits, unsigned), where(negative));
  return bitcast(w.once("select", { condition: positive, yes: high, no: bitcast(low, signed) }, {}), type);
}

const atoms: Expand<"view.atom"> = (x, raw) => {
  const { operands, attrs } = raw;
  const at = locationOf(x.w, viewOf(x, operands.view));
  const operand = toMemory(x.w, at.dtype, operands.value);
  const { ptr, offset } = at.address();
  const { op, scope, order } = attrs;
  const atom: Atom = (of, value, pred) => first(x.w.emit("atom", { ptr, value, pred }, { op: of, offset, scope, order }));
  const float = at.dtype === "f32" || at.dtype === "f64";
  const old =
    float && (op === "min" || op === "max")
      ? floatExtreme(x.w, op, operand, operands.pred, atom)
      : atom(op, operand, operands.pred);
  giveResults(x, raw, [old]);
};

/** Combines neighbours with what is in memory. The hardware has no least and greatest of f32 and f64. */
export function combine(
  w: Writer,
  at: Location,
  values: readonly Value[],
  { op, scope, order }: Op<"view.reduce">["attrs"],
  pred: Value | undefined,
): void {
  const { ptr, offset } = at.address();
  const float = at.dtype === "f32" || at.dtype === "f64";
  const [value] = values;
  if (float && value && (op === "min" || op === "max")) {
    const atom: Atom = (of, bits, where) =>
      first(w.emit("atom", { ptr, value: bits, pred: where }, { op: of, offset, scope, order }));
    floatExtreme(w, op, value, pred, atom);
  } else w.emit("red", { ptr, values, pred }, { op, offset, scope, order });
}

const reductions: Expand<"view.reduce"> = (x, op) => {
  const parts = viewOf(x, op.operands.view);
  checkVector(x, parts, op.operands.values.length);
  combine(x.w, locationOf(x.w, parts), op.operands.values, op.attrs, op.operands.pred);
};

const prefetches: Expand<"view.prefetch"> = (x, op) => {
  const { ptr, offset } = locationOf(x.w, viewOf(x, op.operands.view)).address();
  x.w.emit("prefetch.global", { ptr: pointer(x.w, ptr, offset), pred: op.operands.pred }, op.attrs);
};

const swaps: Expand<"view.cas"> = (x, op) => {
  const at = locationOf(x.w, viewOf(x, op.operands.view));
  const expected = toMemory(x.w, at.dtype, op.operands.expected);
  const value = toMemory(x.w, at.dtype, op.operands.value);
  const { ptr, offset } = at.address();
  giveResults(x, op, [first(x.w.emit("atom.cas", { ptr, expected, value }, { offset, ...op.attrs }))]);
};

const acquires: Expand<"view.acquire"> = (x, op) => {
  const at = locationOf(x.w, viewOf(x, op.operands.view));
  const { ptr, offset } = at.address();
  const value = first(x.w.emit("ld.acquire", { ptr }, { offset, ...op.attrs }, { types: [memoryType(at.dtype)] }));
  giveResults(x, op, [fromMemory(x.w, at.dtype, value)]);
};

const releases: Expand<"view.release"> = (x, op) => {
  const at = locationOf(x.w, viewOf(x, op.operands.view));
  const values = [toMemory(x.w, at.dtype, op.operands.value)];
  const { ptr, offset } = at.address();
  x.w.emit("st.release", { ptr, values }, { offset, ...op.attrs });
};

const asyncStores: Expand<"view.store_async"> = (x, op) => {
  const { view, bar, pred } = op.operands;
  const parts = viewOf(x, view);
  checkVector(x, parts, op.operands.values.length);
  const at = locationOf(x.w, parts);
  const values = op.operands.values.map((v) => toMemory(x.w, at.dtype, v));
  const { ptr, offset } = at.address();
  x.w.emit("st.async", { ptr, values, bar, pred }, { offset });
};

const asyncReductions: Expand<"view.reduce_async"> = (x, raw) => {
  const { view, value, bar, pred } = raw.operands;
  const { ptr, offset } = locationOf(x.w, viewOf(x, view)).address();
  x.w.emit("red.async", { ptr, value, bar, pred }, { op: raw.attrs.op, offset });
};

/** Accesses of elements become accesses of addresses. */
export const accessRules = {
  "view.load": loads,
  "view.store": stores,
  "view.atom": atoms,
  "view.reduce": reductions,
  "view.prefetch": prefetches,
  "view.cas": swaps,
  "view.store_async": asyncStores,
  "view.reduce_async": asyncReductions,
  "view.acquire": acquires,
  "view.release": releases,
} as const;
