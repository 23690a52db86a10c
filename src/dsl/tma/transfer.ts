import { elementBytes } from "../../base/element-types.ts";
import type { Im2colMap, TiledMap } from "../../base/tensor-map.ts";
import type { DType, Swizzle } from "../../base/types.ts";
import { constant, saturated } from "../../ir/arith.ts";
import type { Value } from "../../ir/index.ts";
import { type CacheHint, readHint } from "../memory/cache-hint.ts";
import { SharedViewObject } from "../memory/shared-view.ts";
import type { SharedView } from "../memory/types.ts";
import { describe, readFlag } from "../numbers/describe.ts";
import { lift, liftCondition, liftIndex } from "../numbers/lift.ts";
import { MbarrierObject } from "../sync/index.ts";
import { failHere } from "../trace/fail-here.ts";
import { currentTrace, type Trace } from "../trace/trace.ts";

/** What a reducing store does with each element in memory and the one that comes. PTX `cp.reduce.async.bulk.tensor` (9.7.9.27). */
export type ReduceOp = "add" | "min" | "max" | "inc" | "dec" | "and" | "or" | "xor";

/** A tensor map, as far as a transfer asks. */
interface TMA {
  readonly dtype: DType;
  readonly box: readonly number[];
  readonly swizzle: Swizzle;
  readonly map: TiledMap | Im2colMap;
}

interface Parameter {
  readonly value: Value;
  readonly name: string;
}

interface TransferOptions {
  readonly pred?: unknown;
  readonly cacheHint?: CacheHint;
  readonly outside?: unknown;
}
export interface LoadOptions extends TransferOptions {
  readonly multicast?: unknown;
  readonly offsets?: readonly unknown[];
}

/** What the author says of a copy. W2010. */
const hintsOf = ({ cacheHint, outside }: TransferOptions) => ({
  cacheHint: readHint(cacheHint),
  outside: readFlag(outside, "`outside`", false) ? true : undefined,
});

export function emitPrefetch(map: Value): void {
  currentTrace("prefetch").emit("prefetch.tensormap", { map, pred: undefined }, {});
}

/** The box at `coords`, into the L2 cache. */
export function emitBoxPrefetch(
  map: TMA,
  parameter: Parameter,
  coords: readonly unknown[],
  options: Pick<LoadOptions, "pred" | "offsets">,
): void {
  const trace = currentTrace("prefetchBox");
  if (options.pred === false) return;
  const pred = liftCondition(options.pred, "`pred`");
  const offsets = readOffsets(trace, map, options.offsets);
  const at = readCoords(trace, map, parameter.name, "to shared", coords);
  trace.emit("tma.prefetch", { map: parameter.value, coords: at, offsets, pred }, {});
}

/**
 * The manual is silent, but an H200 stops (illegal instruction) where the innermost coordinate is not a multiple of 16 bytes, be it
 * inside the tensor or not; the other coordinates are free. W4518.
 */
function checkInnermost(map: TMA, name: string, coords: readonly unknown[]): void {
  const multiple = 16 / elementBytes[map.dtype];
  const known = coords.map((c) => (typeof c === "number" || typeof c === "bigint" ? Number(c) : undefined));
  const [coordinate] = known;
  if (map.map.interleave !== "none" || coordinate === undefined || coordinate % multiple === 0) return;
  const inWords = (all: typeof known): string => all.map((c) => c ?? "…").join(", ");
  const turned = (known.at(-1) ?? 0) % multiple === 0 ? inWords(known.toReversed()) : undefined;
  failHere("W4518", { coordinate, name, dtype: map.dtype, multiple, given: inWords(known), turned });
}

/** A load fills what lies before the tensor; a store that begins there stops an H200 (illegal instruction), in every dimension. W4519. */
function checkNotBefore(name: string, way: Way, coordinate: number): void {
  if (way === "from shared" && coordinate < 0) failHere("W4519", { coordinate, name });
}

type Way = "to shared" | "from shared";

/** The author's coordinates, innermost first. W4508, W4518, W4519. */
function readCoords(trace: Trace, map: TMA, name: string, way: Way, coords: readonly unknown[]): readonly Value[] {
  const rank = map.box.length;
  if (!Array.isArray(coords) || coords.length !== rank)
    failHere("W4508", { given: Array.isArray(coords) ? coords.length : 0, rank, name });
  return coords.map((c, d) => {
    const i = liftIndex(c, "a coordinate of a TMA transfer");
    // No map reaches further than 32 bits count.
    if (typeof i === "object") return saturated(trace, i);
    if (d === 0) checkInnermost(map, name, coords);
    checkNotBefore(name, way, Number(i));
    return constant(trace, Number(i), "i32");
  });
}

/** The shared side of a transfer, checked against the map. W4503, W4504, W4516. What needs the layout of the view is checked when it is known: W4505 to W4507 of passes/tile-level/expand/boxes.ts. */
function sharedSide(map: TMA, name: string, view: SharedView): SharedViewObject {
  const given: unknown = view;
  if (!(given instanceof SharedViewObject)) return failHere("W4516", { given: describe(given) });
  if (given.dtype !== map.dtype && !bothF32(given.dtype, map.dtype))
    failHere("W4503", { given: given.dtype, map: map.dtype, name });
  if (given.swizzle !== map.swizzle) failHere("W4504", { given: given.swizzle, map: map.swizzle, name });
  return given;
}

const bothF32 = (a: string, b: string): boolean => ["f32", "tf32"].includes(a) && ["f32", "tf32"].includes(b);

/** What a copy has to know of its map. */
const mapAttrs = ({ box, map, swizzle }: TMA, name: string) => ({ name, box: [...box], mode: map.mode, swizzle });

/** The view, the coordinates and the map of a transfer. */
function readTransfer(
  trace: Trace,
  map: TMA,
  { name }: Parameter,
  way: Way,
  given: SharedView,
  coords: readonly unknown[],
): { readonly view: Value; readonly coords: readonly Value[]; readonly attrs: ReturnType<typeof mapAttrs> } {
  const side = sharedSide(map, name, given);
  const at = readCoords(trace, map, name, way, coords);
  return { view: side.used(trace), coords: at, attrs: mapAttrs(map, name) };
}

export function emitLoads(
  map: TMA,
  parameter: Parameter,
  dst: SharedView,
  mbarrier: unknown,
  coords: readonly unknown[],
  options: LoadOptions,
): void {
  const trace = currentTrace("load");
  if (!(mbarrier instanceof MbarrierObject)) failHere("W4517", { given: describe(mbarrier) });
  if (options.pred === false) return;
  const pred = liftCondition(options.pred, "`pred`");
  const multicast = readMulticast(trace, options.multicast);
  const offsets = readOffsets(trace, map, options.offsets);
  const hints = hintsOf(options);
  const bar = mbarrier.address;
  const { view, coords: at, attrs } = readTransfer(trace, map, parameter, "to shared", dst, coords);
  const operands = { dst: view, map: parameter.value, bar, coords: at, offsets, multicast, pred };
  trace.emit("copy.load", operands, { ...attrs, ...hints });
}

/** One bit per block of the cluster. W4509. */
export function readMulticast(trace: Trace, mask: unknown): Value | undefined {
  if (mask === undefined) return undefined;
  const size = trace.options.launch.cluster.reduce((n, extent) => n * extent, 1);
  if (typeof mask === "number" && (!Number.isInteger(mask) || mask < 1 || mask >= 2 ** size))
    failHere("W4509", { size, mask: mask > 0 ? `0b${mask.toString(2)}` : String(mask) });
  const i = liftIndex(mask, "a multicast mask");
  return typeof i === "object" ? trace.once("convert", { a: i }, {}, ["u16"]) : constant(trace, Number(i), "u16");
}

/** Where in the filter's window, innermost first. W4515. */
function readOffsets(trace: Trace, map: TMA, offsets: readonly unknown[] | undefined): readonly Value[] {
  const wanted = map.map.mode === "im2col" ? map.map.lower.length : 0;
  const given = offsets?.length ?? 0;
  if (given !== wanted) failHere("W4515", { given, wanted });
  return (offsets ?? []).map((o) => {
    const i = liftIndex(o, "an im2col offset");
    return typeof i === "object" ? trace.once("convert", { a: i }, {}, ["u16"]) : lift(Number(i), "u16", "an im2col offset");
  });
}

export function emitStores(
  map: TMA,
  parameter: Parameter,
  src: SharedView,
  coords: readonly unknown[],
  options: TransferOptions,
): void {
  const trace = currentTrace("store");
  if (options.pred === false) return;
  const pred = liftCondition(options.pred, "`pred`");
  const hints = hintsOf(options);
  const { view, coords: at, attrs } = readTransfer(trace, map, parameter, "from shared", src, coords);
  trace.emit("copy.store", { src: view, map: parameter.value, coords: at, pred }, { ...attrs, ...hints });
}

const wide: readonly DType[] = ["i32", "u32", "i64", "u64"];
/** Without i64: the manual does not say so, but an H200 stops at a bitwise reduction through a map of i64 (illegal instruction). */
const bitwise: readonly DType[] = ["i32", "u32", "u64"];
/** Which reductions a bulk copy has through a map: PTX ISA 9.7.9.27.1.3 with Table "cp.reduce.async.bulk". */
const reductions: Readonly<Record<ReduceOp, readonly DType[]>> = {
  add: ["f16", "bf16", "f32", "i32", "u32", "u64"],
  min: ["f16", "bf16", ...wide],
  max: ["f16", "bf16", ...wide],
  inc: ["u32"],
  dec: ["u32"],
  and: bitwise,
  or: bitwise,
  xor: bitwise,
};

export function emitReductions(
  map: TMA,
  parameter: Parameter,
  op: ReduceOp,
  src: SharedView,
  coords: readonly unknown[],
  options: TransferOptions,
): void {
  const trace = currentTrace("reduce");
  if (!Object.hasOwn(reductions, op) || !reductions[op].includes(map.dtype))
    failHere("W4514", { op: String(op), dtype: map.dtype });
  if (options.pred === false) return;
  const pred = liftCondition(options.pred, "`pred`");
  const hints = hintsOf(options);
  const { view, coords: at, attrs } = readTransfer(trace, map, parameter, "from shared", src, coords);
  trace.emit("copy.reduce", { src: view, map: parameter.value, coords: at, pred }, { ...attrs, op, ...hints });
}
