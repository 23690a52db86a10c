/** What a tensor map says, as data. Types only. */
import type { DType, Swizzle } from "../types.ts";

export type Interleave = "none" | "16B" | "32B";
export type L2Promotion = "none" | "64B" | "128B" | "256B";

/** What both kinds of map share. Dimensions are innermost first; `strides` are in bytes and leave the innermost one out. */
export interface MapBase {
  readonly dtype: DType;
  readonly dims: readonly number[];
  readonly strides: readonly number[];
  readonly elementStrides: readonly number[];
  readonly interleave: Interleave;
  readonly swizzle: Swizzle;
  readonly l2Promotion: L2Promotion;
  readonly oobFill: "zero" | "nan";
}

export interface TiledMap extends MapBase {
  readonly mode: "tiled";
  readonly box: readonly number[];
}

export interface Im2colMap extends MapBase {
  readonly mode: "im2col";
  /** Per spatial dimension, innermost first. */
  readonly lower: readonly number[];
  readonly upper: readonly number[];
  readonly channels: number;
  readonly pixels: number;
}
