import { optionsOf } from "../../base/diag/index.ts";
import { elementBytes } from "../../base/element-types.ts";
import { swizzleBytes } from "../../base/tensor-map.ts";
import type { DType, Shape, Swizzle } from "../../base/types.ts";
import { first, isPowerOf2 } from "../../ir/arith.ts";
import type { SharedViewType, Value } from "../../ir/index.ts";
import { isXor, type Layout, patternBytes, spanOf, type ViewSwizzle } from "../../layout/modes/index.ts";
import { checkOptionsHere, checkShape, describe } from "../numbers/describe.ts";
import { denseRows, placingOf, type SharedLayout } from "../tiles/shared-layouts.ts";
import { failHere } from "../trace/fail-here.ts";
import { ownNamespace } from "../trace/staged.ts";
import { currentTrace, type Trace } from "../trace/trace.ts";
import { readExtent } from "./indices.ts";
import { isPeer, SharedViewObject } from "./shared-view.ts";
import type { SharedView } from "./types.ts";

/** The number that stands for the dynamic shared memory where a buffer's is asked for. */
const dynamicBuffer = -1;

interface Wanted {
  readonly dtype: DType;
  readonly layout: Layout;
  readonly swizzle: ViewSwizzle;
  readonly bytes: number;
}

/** How rows are permuted, or the layout that says it all. */
interface Ways {
  readonly swizzle?: Swizzle | undefined;
  readonly layout?: SharedLayout | undefined;
}

function readWanted(dtype: DType, shape: Shape, { swizzle = "none", layout: given }: Ways): Wanted {
  if (!Object.hasOwn(elementBytes, dtype)) failHere("W3026", { what: "shared memory", dtype: String(dtype) });
  if (!Object.hasOwn(swizzleBytes, swizzle))
    failHere("W3025", { what: "a swizzle", given: String(swizzle), allowed: '"none", "32B", "64B" or "128B"' });
  checkShape(shape, "The shape of shared memory");
  const extents = shape.map((s) => readExtent(s, "an extent of shared memory"));
  const placing =
    given === undefined ? { layout: denseRows(dtype, extents, swizzle), swizzle } : placingOf(given, dtype, extents);
  return { dtype, ...placing, bytes: spanOf(placing.layout, elementBytes[dtype]) };
}

/** The variable, or the field, that what is called here is given to. */
const nameHere = (trace: Trace): string | undefined => trace.spans()[0]?.binds;

/** A new buffer of the trace and its address. `part`: which of several that are given to one variable. */
export function allocate(
  trace: Trace,
  bytes: number,
  align: number,
  name?: string,
  part?: string,
): { readonly id: number; readonly base: Value } {
  const id = trace.shared.length;
  const called = nameHere(trace) ?? name ?? `shared${id}`;
  trace.shared.push({ id, name: part ? `${called}.${part}` : called, bytes, align, spans: trace.spans() });
  return { id, base: first(trace.emit("shared.buffer", {}, { buffer: id })) };
}

const typeOf = ({ dtype, layout, swizzle }: Wanted, align: number): SharedViewType => ({
  kind: "view",
  space: "shared",
  dtype,
  layout,
  swizzle,
  align,
});

/** The view that begins at byte `offset` of a buffer. */
function viewFrom(trace: Trace, ptr: Value, offset: number, type: SharedViewType, name?: string): Value {
  const value = first(trace.emit("view.shared", { ptr }, { offset }, { types: [type] }));
  if (name !== undefined) value.name = name;
  return value;
}

/** The alignment that a TMA transfer asks for (PTX ISA 5.5.5): whatever is large enough to be one begins there. */
const tmaAlign = 128;

function readAlign(align: number | undefined, wanted: Wanted): number {
  const least = Math.max(isXor(wanted.swizzle) ? 1 : patternBytes(wanted.swizzle), elementBytes[wanted.dtype]);
  if (align === undefined) return Math.max(least, wanted.bytes >= tmaAlign ? tmaAlign : 16);
  if (typeof align !== "number" || !isPowerOf2(align) || align < least) failHere("W3015", { align: String(align), least });
  return align;
}

function checkDynamicEnd(trace: Trace, end: number): void {
  const size = trace.options.dynamicShared;
  if (end > size) failHere("W3027", { end, size });
}

/** The bytes of another buffer, which grows where it is smaller. */
function reused(trace: Trace, given: SharedView, wanted: Wanted, align: number): SharedViewObject {
  const view: unknown = objectOf(given);
  if (!(view instanceof SharedViewObject)) return failHere("W3017", { what: describe(given), why: "no view of shared memory" });
  const { buffer, begins } = view.parts;
  if (isPeer(view.parts) || begins === undefined || (buffer !== dynamicBuffer && begins !== 0))
    return failHere("W3017", { what: view.what, why: "only a part of a buffer" });
  const old = trace.shared[buffer];
  if (old) trace.shared[buffer] = { ...old, bytes: Math.max(old.bytes, wanted.bytes), align: Math.max(old.align, align) };
  else if (begins % align !== 0) failHere("W3016", { at: begins, align, why: "this buffer" });
  else checkDynamicEnd(trace, begins + wanted.bytes);
  const type = typeOf(wanted, old ? Math.max(old.align, align) : view.parts.type.align);
  const value = first(trace.emit("view.reshape", { view: view.parts.value }, {}, { types: [type] }));
  return new SharedViewObject({ value, type, buffer, begins });
}

interface AllocOptions {
  /** How rows are permuted; a row takes whole multiples of its width. Default "none". W3014. */
  swizzle?: Swizzle;
  /** Where the elements lie, in the place of `swizzle`. W6231, W6232, W6233. */
  layout?: SharedLayout;
  /** Bytes, a power of two. Default 128 (16 for less than 128 bytes), with a swizzle 256, 512 or 1024. */
  align?: number;
  /** A buffer whose bytes this one may take: the two are not used at the same time. */
  reuse?: SharedView;
}

const allocOptions = optionsOf<AllocOptions>("sharedMemory.alloc()", { swizzle: true, layout: true, align: true, reuse: true });

function alloc<D extends DType, const S extends Shape>(
  dtype: D,
  shape: S,
  options: AllocOptions = {},
): SharedView<D, S["length"]> {
  const trace = currentTrace("sharedMemory.alloc");
  checkOptionsHere(options, allocOptions);
  if (options.layout !== undefined && options.swizzle !== undefined) failHere("W6233", { layout: describe(options.layout) });
  const wanted = readWanted(dtype, shape, options);
  const align = readAlign(options.align, wanted);
  if (options.reuse !== undefined) return asView(reused(trace, options.reuse, wanted, align));
  const { id, base } = allocate(trace, wanted.bytes, align);
  const name = nameHere(trace);
  const type = typeOf(wanted, align);
  const value = viewFrom(trace, base, 0, type, name);
  return asView(new SharedViewObject({ value, type, buffer: id, begins: 0, name }));
}

/** One buffer of so many bytes, and views of it that begin where they are told to. Which of them are used at the same time is the caller's business. */
export function sharedPool(bytes: number, align: number): (at: number, dtype: DType, shape: Shape, ways?: Ways) => SharedView {
  const trace = currentTrace("sharedMemory.alloc");
  const { id, base } = allocate(trace, bytes, align);
  return (at, dtype, shape, ways = {}) => {
    const wanted = readWanted(dtype, shape, ways);
    const least = readAlign(undefined, wanted);
    if (at % least !== 0 || at + wanted.bytes > bytes) throw new Error(`${wanted.bytes} bytes at ${at} of ${bytes}`);
    const name = nameHere(trace);
    const type = typeOf(wanted, least);
    return asView(new SharedViewObject({ value: viewFrom(trace, base, at, type, name), type, buffer: id, begins: at, name }));
  };
}

/** The dynamic shared memory begins at a multiple of this. */
const dynamicAlign = 1024;

interface DynamicOptions {
  /** Bytes from the beginning of the dynamic shared memory: a multiple of an element, and of the pattern of the swizzle. W3013, W3016. */
  at: number;
  /** How rows are permuted; a row takes whole multiples of its width. Default "none". W3014. */
  swizzle?: Swizzle;
}
const dynamicOptions = optionsOf<DynamicOptions>("sharedMemory.dynamic()", { at: true, swizzle: true });

function dynamic<D extends DType, const S extends Shape>(
  dtype: D,
  shape: S,
  options: DynamicOptions,
): SharedView<D, S["length"]> {
  const trace = currentTrace("sharedMemory.dynamic");
  checkOptionsHere(options, dynamicOptions);
  const wanted = readWanted(dtype, shape, { swizzle: options.swizzle });
  const at: unknown = options.at;
  if (typeof at !== "number" || !Number.isSafeInteger(at) || at < 0)
    return failHere("W3013", { given: typeof at === "number" ? String(at) : "not a static number", what: "`at`" });
  const align = Math.max(patternBytes(wanted.swizzle), elementBytes[dtype]);
  if (at % align !== 0)
    failHere("W3016", {
      at,
      align,
      why: wanted.swizzle === "none" ? `an element of ${dtype}` : `a pattern of swizzle "${wanted.swizzle}"`,
    });
  checkDynamicEnd(trace, at + wanted.bytes);
  const base = first(trace.emit("shared.dynamic", {}, { at: 0 }));
  const type = typeOf(wanted, dynamicAlign);
  return asView(new SharedViewObject({ value: viewFrom(trace, base, at, type), type, buffer: dynamicBuffer, begins: at }));
}

/** What the author sees of a view; D and R are what its `type` says. */
export const asView = <D extends DType, R extends number>(view: SharedViewObject): SharedView<D, R> =>
  // The boundary: elements of a view are read and written by the hooks of the transform.
  view as unknown as SharedView<D, R>;
/** What stands behind the author's view: each has come from `asView`, or from a method of such a view. Of what is no view nothing is refused. */
export const objectOf = (view: SharedView): SharedViewObject => view as unknown as SharedViewObject;

/**
 * Shared memory of the block.
 *
 * @example
 * ```ts
 * const reverse = kernel({ block: 128, grid: 1 }, (x: Tensor<"f32", 1>) => {
 *   const s = sharedMemory.alloc("f32", [128]);
 *   s[threadIdx.x] = x[threadIdx.x]!;
 *   syncThreads();
 *   x[threadIdx.x] = s[127 - threadIdx.x]!;
 * });
 *
 * await using gpu = await openDevice();
 * reverse.launch({}, gpu.zeros("f32", [128]));
 * ```
 */
export const sharedMemory = ownNamespace({
  /** Memory of the block, laid out by the compiler: `alloc("f32", [32, 33])`, shape outermost first. Its contents are undefined. CUDA `__shared__`. Buffers whose lives do not meet may share bytes only when `reuse` names them. W3013–W3017. */
  alloc,
  /** Memory of the block, laid out by hand: CUDA `extern __shared__`; the option `smem` of the kernel says how much. At byte `at` of the dynamic shared memory: overlaps are the author's business. `at` is a multiple of the swizzle's pattern (256, 512 or 1024 bytes). W3016, W3027. */
  dynamic,
});
