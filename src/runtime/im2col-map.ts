import { fail, noSpans, type Spans } from "../diag/index.ts";
import type { Shape, TensorSpec } from "../types.ts";
import type { Im2colMap } from "./map-data.ts";
import { checkInner, type MapOptions, mapBase } from "./tensor-map.ts";

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
export function im2colMap(spec: TensorSpec, options: Im2colOptions, spans: Spans = noSpans): Im2colMap {
  const base = mapBase(spec, options, 3, spans);
  checkCount("channels", options.channels, 256, spans);
  checkCount("pixels", options.pixels, 1024, spans);
  checkCorner("lower", options.lower, spec.shape.length, spans);
  checkCorner("upper", options.upper, spec.shape.length, spans);
  options.lower.forEach((lower, i) => {
    const upper = options.upper[i] ?? 0;
    const extent: number = (spec.shape as Shape)[i + 1] ?? 1;
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
  const count = rank - 2;
  if (given.length !== count) fail("W4015", { corner, given, count }, spans);
  const half = 2 ** ((cornerBits[count] ?? 16) - 1);
  for (const offset of given) {
    if (!Number.isInteger(offset) || offset < -half || offset >= half)
      fail("W4016", { corner, offset, low: -half, high: half - 1, rank }, spans);
  }
}
