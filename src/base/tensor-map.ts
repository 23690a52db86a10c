/**
 * Tensor maps, as the hardware has them. Every rule of `cuTensorMapEncodeTiled` and `cuTensorMapEncodeIm2col` (CUDA driver API,
 * "Tensor Map Object Management") is checked here, before a device is asked. What the box of a map
 * must be to a view of shared memory is checked where a transfer is expanded: passes/tile-level/expand/boxes.ts.
 */

import { display, noSpans, type Spans } from "./diag/index.ts";
import { elementBytes } from "./element-types.ts";
import { fail } from "./errors.ts";
import type { DType, Shape, Swizzle } from "./types.ts";

/** A tensor as a map sees it. Every `TensorSpec` and device tensor is one. Outermost first; strides in elements. */
export interface MappedTensor {
  /** The type of the elements. */
  readonly dtype: DType;
  /** How many dimensions there are. */
  readonly rank: number;
  /** Elements per dimension, outermost first. */
  readonly shape: Shape;
  /** Elements between neighbours per dimension, outermost first. */
  readonly strides: Shape;
}

export type Interleave = "none" | "16B" | "32B";
export type L2Promotion = "none" | "64B" | "128B" | "256B";

/** What both kinds of map share. Dimensions are innermost first; `strides` are in bytes and leave the innermost one out. */
export interface MapBase {
  /** The type of the elements. */
  readonly dtype: DType;
  /** Elements per dimension of the tensor. */
  readonly dims: readonly number[];
  /** Bytes between neighbours, per dimension but the innermost. */
  readonly strides: readonly number[];
  /** Every so-many-th element per dimension. */
  readonly elementStrides: readonly number[];
  /** How channels are sliced. */
  readonly interleave: Interleave;
  /** How rows of shared memory are permuted. */
  readonly swizzle: Swizzle;
  /** How much a miss of the L2 cache brings into it. */
  readonly l2Promotion: L2Promotion;
  /** What a load brings for elements outside the tensor. */
  readonly oobFill: "zero" | "nan";
}

/** A tensor map of boxes: `cuTensorMapEncodeTiled`. */
export interface TiledMap extends MapBase {
  /** A map of boxes. */
  readonly mode: "tiled";
  /** Elements per dimension of a box, before the element strides. */
  readonly box: readonly number[];
}

/** A tensor map for convolutions: `cuTensorMapEncodeIm2col`. */
export interface Im2colMap extends MapBase {
  /** A map for convolutions. */
  readonly mode: "im2col";
  /** The near corner of the window: an offset per spatial dimension, innermost first. */
  readonly lower: readonly number[];
  /** The far corner, likewise. */
  readonly upper: readonly number[];
  /** Channels per pixel of a box. */
  readonly channels: number;
  /** Pixels of a box. */
  readonly pixels: number;
}

export interface MapOptions {
  readonly swizzle?: Swizzle | undefined;
  readonly interleave?: Interleave | undefined;
  readonly l2Promotion?: L2Promotion | undefined;
  readonly oobFill?: "zero" | "nan" | undefined;
  /** Outermost first. */
  readonly elementStrides?: Shape | undefined;
}

export interface TiledOptions extends MapOptions {
  /** Elements per dimension, outermost first. */
  readonly box: Shape;
}

const values = {
  swizzle: ["none", "32B", "64B", "128B"],
  interleave: ["none", "16B", "32B"],
  l2Promotion: ["none", "64B", "128B", "256B"],
  oobFill: ["zero", "nan"],
} as const;

/** How long the rows of a swizzle may be, in bytes. */
export const swizzleBytes: Readonly<Record<Swizzle, number>> = {
  none: Number.POSITIVE_INFINITY,
  "32B": 32,
  "64B": 64,
  "128B": 128,
};

/** Bytes of a map as the hardware reads it. */
export const mapBytes = 128;

/** What TMA stores at a time: a row of a tensor that ends inside such a unit is stored to the unit's end (docs/hardware.md). */
const storedUnit = 16;

/** Bytes behind the end of a row of so many bytes that a store of its last element writes, too. Rows begin at multiples of 16 bytes. */
export const bytesBehindRow = (rowBytes: number): number => (storedUnit - (rowBytes % storedUnit)) % storedUnit;

const nanTypes: ReadonlySet<DType> = new Set<DType>(["f64", "f32", "tf32", "f16", "bf16"]);
const maxExtent = 2 ** 32;
const maxStride = 2 ** 40;

function choose<K extends keyof typeof values>(option: K, given: string | undefined, spans: Spans): (typeof values)[K][number] {
  const allowed: readonly string[] = values[option];
  const value = given ?? allowed[0];
  if (value === undefined || !allowed.includes(value)) fail("W4014", { option, given: display(given), values: allowed }, spans);
  return value as (typeof values)[K][number];
}

const because32 = (interleave: Interleave): string => (interleave === "32B" ? ' with interleave "32B"' : "");
export const alignmentOf = (interleave: Interleave): number => (interleave === "32B" ? 32 : 16);

const isWhole = (x: unknown): boolean => Number.isSafeInteger(x);

/** Of a tensor in device memory: where its first element lies. W7006, W7007. */
export const firstAddress: unique symbol = Symbol("warpsmith.firstAddress");
interface InMemory {
  [firstAddress](spans: Spans): bigint;
}

/** Refuses memory that begins where no tensor map's can. A specification has none. W4003, W7006, W7007. */
export function checkBeginning(tensor: object, { interleave }: TiledMap | Im2colMap, spans: Spans = noSpans): void {
  if (firstAddress in tensor) checkAddress((tensor as InMemory)[firstAddress](spans), interleave, spans);
}

/** W4003. */
export function checkAddress(address: bigint, interleave: Interleave, spans: Spans = noSpans): void {
  const alignment = alignmentOf(interleave);
  if (address % BigInt(alignment) === 0n) return;
  fail("W4003", { address: `0x${address.toString(16)}`, alignment, because: because32(interleave) }, spans);
}

/** Whether a value has what a tensor, or a specification of one, is known by. Its fields may still hold anything: see `checkSpec`. */
export const isSpec = (x: unknown): x is MappedTensor =>
  typeof x === "object" && x !== null && "dtype" in x && "shape" in x && "strides" in x;

/** Refuses what an object that somebody wrote may say, and no tensor: its fields are used as they are. W7002, W7045. */
export function checkSpec({ dtype, shape, strides }: MappedTensor, spans: Spans = noSpans): void {
  const refuse = (field: string, given: unknown, expected: string) =>
    fail("W7045", { field, given: display(given), expected }, spans);
  if (typeof dtype !== "string" || !Object.hasOwn(elementBytes, dtype)) fail("W7002", { given: display(dtype) }, spans);
  if (!Array.isArray(shape) || !shape.every((n) => isWhole(n) && n >= 1))
    refuse("shape", shape, "a list of whole numbers from 1");
  if (!Array.isArray(strides) || strides.length !== shape.length || !strides.every(isWhole))
    refuse("strides", strides, "as many whole numbers as it has dimensions");
}

/** A list of numbers among the options of a map. W7046. */
function checkList(of: string, option: string, given: unknown, spans: Spans): void {
  if (Array.isArray(given) && given.every((n) => typeof n === "number")) return;
  fail("W7046", { of, option, given: display(given), expected: "a list of numbers, outermost first" }, spans);
}

/** The part of a map that does not depend on its mode. W4001, W4002, W4004–W4007, W4011–W4014. */
function mapBase(spec: MappedTensor, options: MapOptions, leastRank: number, spans: Spans): MapBase {
  checkSpec(spec, spans);
  const interleave = choose("interleave", options.interleave, spans);
  const swizzle = choose("swizzle", options.swizzle, spans);
  const oobFill = choose("oobFill", options.oobFill, spans);
  checkRank(spec.shape.length, interleave, leastRank, spans);
  if (interleave === "32B" && swizzle !== "32B") fail("W4012", { swizzle }, spans);
  if (oobFill === "nan" && !nanTypes.has(spec.dtype)) fail("W4013", { dtype: spec.dtype }, spans);
  return {
    dtype: spec.dtype,
    dims: mapDims(spec.shape, spans),
    strides: mapStrides(spec, interleave, spans),
    elementStrides: mapElementStrides(options.elementStrides, spec.shape.length, interleave, spans),
    interleave,
    swizzle,
    l2Promotion: choose("l2Promotion", options.l2Promotion, spans),
    oobFill,
  };
}

function checkRank(rank: number, interleave: Interleave, leastRank: number, spans: Spans): void {
  const least = interleave === "none" ? leastRank : Math.max(3, leastRank);
  const because = leastRank === 3 ? " for im2col" : least === 3 ? ` with interleave "${interleave}"` : "";
  if (rank < least || rank > 5) fail("W4001", { rank, least, because }, spans);
}

function mapDims(shape: Shape, spans: Spans): number[] {
  shape.forEach((extent, dimension) => {
    if (!Number.isSafeInteger(extent) || extent < 1 || extent > maxExtent) fail("W4004", { dimension, extent }, spans);
  });
  return shape.toReversed();
}

function mapStrides(spec: MappedTensor, interleave: Interleave, spans: Spans): number[] {
  const shape: Shape = spec.shape;
  const strides: Shape = spec.strides;
  const last = shape.length - 1;
  const inner = strides[last] ?? 1;
  if (inner !== 1 && shape[last] !== 1) fail("W4007", { stride: inner }, spans);
  const size = elementBytes[spec.dtype];
  const alignment = alignmentOf(interleave);
  const outer = strides.slice(0, last).map((elements, dimension) => {
    const bytes = elements * size;
    // The stride of a dimension of extent 1 is never taken.
    if (shape[dimension] === 1) return Math.ceil(Math.min(bytes, maxStride - 1024) / 32) * 32;
    if (bytes % alignment !== 0) {
      fail("W4005", { dimension, bytes, alignment, because: because32(interleave), dtype: spec.dtype, elements }, spans);
    }
    if (bytes >= maxStride) fail("W4006", { dimension, bytes }, spans);
    return bytes;
  });
  return outer.toReversed();
}

function mapElementStrides(given: Shape | undefined, rank: number, interleave: Interleave, spans: Spans): number[] {
  if (given !== undefined) checkList("A tensor map", "elementStrides", given, spans);
  const strides = given ?? new Array<number>(rank).fill(1);
  if (strides.length !== rank) fail("W4002", { what: "elementStrides", given: strides.length, rank }, spans);
  strides.forEach((stride, dimension) => {
    if (!Number.isInteger(stride) || stride < 1 || stride > 8) fail("W4011", { dimension, stride }, spans);
  });
  const reversed = strides.toReversed();
  // The hardware does not look at the innermost one without interleaving.
  if (interleave === "none") reversed[0] = 1;
  return reversed;
}

/** The innermost extent of what one instruction moves. W4009, W4010. */
function checkInner(what: string, elements: number, base: MapBase, spans: Spans): void {
  if (base.interleave !== "none") return;
  const size = elementBytes[base.dtype];
  const bytes = elements * size;
  if (bytes % 16 !== 0) fail("W4009", { what: `${what} of ${elements} ${base.dtype} elements`, bytes }, spans);
  const width = swizzleBytes[base.swizzle];
  if (bytes <= width) return;
  fail(
    "W4010",
    {
      what: `${what} of ${elements} ${base.dtype} elements`,
      bytes,
      swizzle: base.swizzle,
      dtype: base.dtype,
      elements: width / size,
    },
    spans,
  );
}

/** A map that moves boxes. Checks everything but the tensor's address. W4001–W4014. */
export function tiledMap(spec: MappedTensor, options: TiledOptions, spans: Spans = noSpans): TiledMap {
  const base = mapBase(spec, options, 1, spans);
  const { box } = options;
  if (box.length !== spec.shape.length) fail("W4002", { what: "The box", given: box.length, rank: spec.shape.length }, spans);
  box.forEach((extent, dimension) => {
    if (!Number.isInteger(extent) || extent < 1 || extent > 256) fail("W4008", { box, dimension, extent }, spans);
  });
  checkInner("The innermost row of the box", box.at(-1) ?? 1, base, spans);
  return { ...base, mode: "tiled", box: box.toReversed() };
}

export interface Im2colOptions extends MapOptions {
  /** Corners of the filter's window, one number per spatial dimension, outermost first. */
  readonly lower: Shape;
  readonly upper: Shape;
  /** Per pixel and box. */
  readonly channels: number;
  readonly pixels: number;
}

/** The corners share 32 bits: 1 x 16, 2 x 8 or 3 x 5 of them. */
const cornerBits: Readonly<Record<number, number>> = { 1: 16, 2: 8, 3: 5 };

/** A map for convolutions over a tensor of shape [N, (D, (H,)) W, C]. Checks everything but the address. W4001–W4018. */
export function im2colMap(spec: MappedTensor, options: Im2colOptions, spans: Spans = noSpans): Im2colMap {
  const base = mapBase(spec, options, 3, spans);
  checkCount("channels", options.channels, 256, spans);
  checkCount("pixels", options.pixels, 1024, spans);
  checkCorner("lower", options.lower, spec.shape.length, spans);
  checkCorner("upper", options.upper, spec.shape.length, spans);
  options.lower.forEach((lower, i) => {
    const upper = options.upper[i] ?? 0;
    const extent: number = spec.shape[i + 1] ?? 1;
    if (lower >= extent + upper) fail("W4018", { dimension: i + 1, extent, lower, upper }, spans);
  });
  checkInner("A pixel's row", options.channels, base, spans);
  return {
    ...base,
    mode: "im2col",
    lower: options.lower.toReversed(),
    upper: options.upper.toReversed(),
    channels: options.channels,
    pixels: options.pixels,
  };
}

function checkCount(what: string, given: number, limit: number, spans: Spans): void {
  if (!Number.isInteger(given) || given < 1 || given > limit) fail("W4017", { what, given, limit }, spans);
}

function checkCorner(corner: string, given: Shape, rank: number, spans: Spans): void {
  checkList("TMA.im2col()", corner, given, spans);
  const count = rank - 2;
  if (given.length !== count) fail("W4015", { corner, given, count }, spans);
  const half = 2 ** ((cornerBits[count] ?? 16) - 1);
  for (const offset of given) {
    if (!Number.isInteger(offset) || offset < -half || offset >= half)
      fail("W4016", { corner, offset, low: -half, high: half - 1, rank }, spans);
  }
}

/** The same boxes over another tensor of that type and rank. W4001, W4004–W4007. */
export const mapOver = <M extends TiledMap | Im2colMap>(map: M, tensor: MappedTensor, spans: Spans = noSpans): M => ({
  ...map,
  dims: mapDims(tensor.shape, spans),
  strides: mapStrides(tensor, map.interleave, spans),
});

/** Bytes of one box, as an mbarrier counts them: a box that hangs over the edge counts in full. */
export function boxBytes(map: TiledMap | Im2colMap): number {
  const count =
    map.mode === "im2col"
      ? map.channels * map.pixels
      : map.box.reduce((n, extent, i) => n * Math.ceil(extent / (map.elementStrides[i] ?? 1)), 1);
  return count * elementBytes[map.dtype];
}
