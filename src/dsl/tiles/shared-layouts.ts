import { optionsOf, refuseMore } from "../../base/diag/index.ts";
import { elementBytes } from "../../base/element-types.ts";
import { swizzleBytes } from "../../base/tensor-map.ts";
import type { DType, Swizzle } from "../../base/types.ts";
import { isPowerOf2 } from "../../ir/arith.ts";
import { type Layout as Modes, padded, panelled, rowMajor, type ViewSwizzle, xorOf } from "../../layout/modes/index.ts";
import { checkOptionsHere, describe } from "../numbers/describe.ts";
import { failHere } from "../trace/fail-here.ts";
import { OwnObject, ownClass } from "../trace/staged.ts";

const inspect = Symbol.for("nodejs.util.inspect.custom");

/** Where the elements of a buffer lie: bytes, before the swizzle. */
export interface Placing {
  readonly layout: Modes;
  readonly swizzle: ViewSwizzle;
}

type Place = (dtype: DType, shape: readonly number[]) => Placing;

/** By what a layout places the elements of a buffer. */
const places = new WeakMap<SharedLayout, Place>();

/** Where the elements of a buffer lie in shared memory. A value of the host: kernels and plain code alike make them. */
export abstract class SharedLayout extends OwnObject {
  readonly #text: string;
  protected constructor(text: string, place: Place) {
    super();
    this.#text = text;
    places.set(this, place);
  }

  /** What `console.log` and the prompt show. */
  [inspect](): string {
    return String(this);
  }

  /** As its class was given it. */
  override toString(): string {
    return this.#text;
  }
}

/** Dense rows, or panels where the rows are wider than the swizzle. W3014. */
export function denseRows(dtype: DType, shape: readonly number[], swizzle: Swizzle): Modes {
  const bytes = elementBytes[dtype];
  const width = swizzleBytes[swizzle];
  const row = (shape.at(-1) ?? 1) * bytes;
  if (swizzle !== "none" && row % width !== 0) failHere("W3014", { swizzle, row, width });
  return panelled(shape, bytes, swizzle === "none" ? Number.POSITIVE_INFINITY : width / bytes);
}

/** Where a layout puts the elements of a buffer. W6231, W6232. */
export function placingOf(given: unknown, dtype: DType, shape: readonly number[]): Placing {
  const place = given instanceof SharedLayout ? places.get(given) : undefined;
  return place ? place(dtype, shape) : failHere("W6232", { given: given === undefined ? "nothing" : describe(given) });
}

const refuse = (layout: SharedLayout | string, dtype: DType, shape: readonly number[], why: string): never =>
  failHere("W6231", { layout: String(layout), what: `[${shape.join(", ")}] of ${dtype}`, why });

/** A count that is a power of two. W6230. */
function checkPower(layout: string, name: string, given: unknown): void {
  if (typeof given !== "number" || !isPowerOf2(given))
    failHere("W6230", { layout, why: `\`${name}\` is ${describe(given)}, and it has to be a power of two` });
}

/** What the layout of TMA and wgmma is made of. */
export interface NVMMASharedOptions {
  /** How rows are permuted. A row takes whole multiples of its width; wider ones are stored in panels. */
  swizzle: Swizzle;
  /** The type of the elements. */
  dtype: DType;
  /** The last dimension but one is the one whose neighbours are neighbours in memory. Default false. */
  transposed?: boolean;
}

const nvmmaOptions = optionsOf<NVMMASharedOptions>("new NVMMASharedLayout()", { swizzle: true, dtype: true, transposed: true });

/**
 * Shared memory as TMA and wgmma want it: the option `swizzle` of `sharedMemory.alloc`, as a layout. Gluon's NVMMASharedLayout. PTX ISA 5.5.7. W6230,
 * W6231, W3014.
 */
export class NVMMASharedLayout extends SharedLayout {
  constructor(options: NVMMASharedOptions) {
    refuseMore(NVMMASharedLayout, arguments);
    checkOptionsHere(options, nvmmaOptions);
    const { swizzle, dtype, transposed = false } = options;
    const name = "NVMMASharedLayout";
    if (!Object.hasOwn(swizzleBytes, swizzle))
      failHere("W3025", { what: "a swizzle", given: String(swizzle), allowed: '"none", "32B", "64B" or "128B"' });
    if (!Object.hasOwn(elementBytes, dtype)) failHere("W3026", { what: `a ${name}`, dtype: String(dtype) });
    if (typeof transposed !== "boolean") failHere("W6230", { layout: name, why: `\`transposed\` is ${describe(transposed)}` });
    const text = `${name} of ${dtype}, swizzle "${swizzle}"${transposed ? ", transposed" : ""}`;
    super(text, (given, shape) => {
      if (given !== dtype) refuse(text, given, shape, `it is one of ${dtype}`);
      if (!transposed) return { layout: denseRows(dtype, shape, swizzle), swizzle };
      if (shape.length < 2) refuse(text, given, shape, "a transposed one takes two dimensions or more");
      const swap = <T>(list: readonly T[]): T[] => [...list.slice(0, -2), ...list.slice(-2).toReversed()];
      return { layout: swap(denseRows(dtype, swap(shape), swizzle)), swizzle };
    });
  }
}

/** What a swizzled layout is made of. */
export interface SwizzledSharedOptions {
  /** Neighbours that stay side by side. */
  vector: number;
  /** Rows one after the other whose vectors are permuted alike. */
  perPhase: number;
  /** Permutations until the first one comes again. */
  maxPhase: number;
  /** Dimensions, fastest first. Default: the last one is fastest. */
  order?: readonly number[];
}

const swizzledOptions = optionsOf<SwizzledSharedOptions>("new SwizzledSharedLayout()", {
  vector: true,
  perPhase: true,
  maxPhase: true,
  order: true,
});

/**
 * Rows whose vectors change places: vector v of row r is at place v ^ (r / perPhase % maxPhase). A row takes a power of two of bytes. Gluon's
 * SwizzledSharedLayout. W6230, W6231.
 */
export class SwizzledSharedLayout extends SharedLayout {
  constructor(options: SwizzledSharedOptions) {
    refuseMore(SwizzledSharedLayout, arguments);
    checkOptionsHere(options, swizzledOptions);
    const name = "SwizzledSharedLayout";
    const { vector, perPhase, maxPhase, order } = options;
    for (const [key, value] of Object.entries({ vector, perPhase, maxPhase })) checkPower(name, key, value);
    const listed = order === undefined ? "" : `, order ${[...checkOrder(name, order)].join(", ")}`;
    const text = `${name} of ${vector}, ${perPhase}, ${maxPhase}${listed}`;
    super(text, (dtype, shape) => {
      const dims = (order ?? shape.map((_, d) => d).toReversed()).toReversed();
      if (dims.length !== shape.length) refuse(text, dtype, shape, `its \`order\` is of ${dims.length} dimensions`);
      const stored = rowMajor(
        dims.map((d) => shape[d] ?? 1),
        elementBytes[dtype],
      );
      const row = (shape[dims.at(-1) ?? 0] ?? 1) * elementBytes[dtype];
      const chunk = vector * elementBytes[dtype];
      const phases = Math.min(maxPhase, row / chunk);
      if (phases > 1 && !isPowerOf2(row)) refuse(text, dtype, shape, `a row takes ${row} bytes, which is no power of two`);
      const bits = { bits: Math.log2(phases), base: Math.log2(chunk), shift: Math.log2((row * perPhase) / chunk) };
      return { layout: shape.map((_, d) => stored[dims.indexOf(d)] ?? []), swizzle: phases > 1 ? xorOf(bits) : "none" };
    });
  }
}

/** W6230. */
function checkOrder(layout: string, order: unknown): readonly number[] {
  const valid = Array.isArray(order) && order.toSorted((a, b) => Number(a) - Number(b)).every((d, i) => d === i);
  return valid
    ? (order as number[])
    : failHere("W6230", { layout, why: "`order` does not name each dimension once, from 0 on, fastest first" });
}

/** What a padded layout is made of: elements. */
export interface PaddedSharedOptions {
  /** After so many elements, */
  every: number;
  /** so many are left free. */
  by: number;
}

const paddedOptions = optionsOf<PaddedSharedOptions>("new PaddedSharedLayout()", { every: true, by: true });

/**
 * Row-major, with elements left free after each so many: `new PaddedSharedLayout({ every: 32, by: 1 })` of [32, 32] is CUDA's `float tile[32][33]`. Gluon's
 * PaddedSharedLayout. W6230, W6231.
 */
export class PaddedSharedLayout extends SharedLayout {
  constructor(options: PaddedSharedOptions) {
    refuseMore(PaddedSharedLayout, arguments);
    checkOptionsHere(options, paddedOptions);
    const name = "PaddedSharedLayout";
    const { every, by } = options;
    for (const [key, n, least] of [
      ["every", every, 1],
      ["by", by, 0],
    ] as const)
      if (typeof n !== "number" || !Number.isSafeInteger(n) || n < least)
        failHere("W6230", { layout: name, why: `\`${key}\` is ${describe(n)}, and it is a number of elements` });
    const text = `${name} of ${by} after each ${every}`;
    super(text, (dtype, shape) => {
      const layout = padded(shape, elementBytes[dtype], { every, by });
      return layout
        ? { layout, swizzle: "none" }
        : refuse(text, dtype, shape, `${every} elements end inside a row and are no part of it`);
    });
  }
}

for (const each of [NVMMASharedLayout, SwizzledSharedLayout, PaddedSharedLayout]) ownClass(each);
