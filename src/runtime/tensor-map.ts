/**
 * Tensor maps, as the hardware has them. Every rule of `cuTensorMapEncodeTiled` and `cuTensorMapEncodeIm2col` (CUDA driver API,
 * "Tensor Map Object Management") is checked here, before a device is asked.
 */
import { fail, noSpans, type Spans } from "../diag/index.ts";
import type { DType, Shape, Swizzle, TensorSpec } from "../types.ts";
import type { DeviceBackend } from "./backend.ts";
import { elementBytes } from "./dtype.ts";
import type { Im2colMap, Interleave, L2Promotion, MapBase, TiledMap } from "./map-data.ts";

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

const swizzleBytes: Readonly<Record<Swizzle, number>> = { none: Number.POSITIVE_INFINITY, "32B": 32, "64B": 64, "128B": 128 };
const nanTypes: ReadonlySet<DType> = new Set<DType>(["f64", "f32", "tf32", "f16", "bf16"]);
const maxExtent = 2 ** 32;
const maxStride = 2 ** 40;

function choose<K extends keyof typeof values>(option: K, given: string | undefined, spans: Spans): (typeof values)[K][number] {
  const allowed: readonly string[] = values[option];
  const value = given ?? allowed[0];
  if (value === undefined || !allowed.includes(value))
    fail("W4014", { option, given: JSON.stringify(given), values: allowed }, spans);
  return value as (typeof values)[K][number];
}

const because32 = (interleave: Interleave): string => (interleave === "32B" ? ' with interleave "32B"' : "");
const alignmentOf = (interleave: Interleave): number => (interleave === "32B" ? 32 : 16);

/** The part of a map that does not depend on its mode. W4001, W4002, W4004–W4007, W4011–W4014. */
export function mapBase(spec: TensorSpec, options: MapOptions, leastRank: number, spans: Spans): MapBase {
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

function mapStrides(spec: TensorSpec, interleave: Interleave, spans: Spans): number[] {
  const shape: Shape = spec.shape;
  const strides: Shape = spec.strides;
  const last = shape.length - 1;
  const inner = strides[last] ?? 1;
  if (inner !== 1 && shape[last] !== 1) fail("W4007", { stride: inner }, spans);
  const size = elementBytes(spec.dtype);
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
export function checkInner(what: string, elements: number, base: MapBase, spans: Spans): void {
  if (base.interleave !== "none") return;
  const size = elementBytes(base.dtype);
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
export function tiledMap(spec: TensorSpec, options: TiledOptions, spans: Spans = noSpans): TiledMap {
  const base = mapBase(spec, options, 1, spans);
  const { box } = options;
  if (box.length !== spec.shape.length) fail("W4002", { what: "The box", given: box.length, rank: spec.shape.length }, spans);
  box.forEach((extent, dimension) => {
    if (!Number.isInteger(extent) || extent < 1 || extent > 256) fail("W4008", { box, dimension, extent }, spans);
  });
  checkInner("The innermost row of the box", box.at(-1) ?? 1, base, spans);
  return { ...base, mode: "tiled", box: box.toReversed() };
}

/** The 128 bytes of a map over memory that begins at `address`. W4003. */
export function encodeMap(
  backend: DeviceBackend,
  address: bigint,
  map: TiledMap | Im2colMap,
  spans: Spans = noSpans,
): Uint8Array {
  const alignment = alignmentOf(map.interleave);
  if (address % BigInt(alignment) !== 0n) {
    fail("W4003", { address: `0x${address.toString(16)}`, alignment, because: because32(map.interleave) }, spans);
  }
  return backend.encodeTensorMap(address, map);
}
