/** A launch of PTX that some compiler made: what the text itself does not say. */
import type { Im2colMap, TiledMap } from "../../base/tensor-map.ts";
import type { Sampling, TexelArray, TexelMemory } from "../../base/texture.ts";
import type { Dim3, DType, Shape } from "../../base/types.ts";

/** What a buffer holds before the launch. */
export type Fill =
  | { readonly kind: "value"; readonly value: number | bigint }
  | { readonly kind: "arange" }
  /** Normally distributed, mean 0 and variance 1. */
  | { readonly kind: "randn"; readonly seed: number }
  /** Evenly distributed from 0 up to 1. */
  | { readonly kind: "uniform"; readonly seed: number }
  /** Whole numbers from 0 up to `limit`, which is left out. */
  | { readonly kind: "below"; readonly limit: number; readonly seed: number }
  /** Every bit by chance. */
  | { readonly kind: "bits"; readonly seed: number }
  | { readonly kind: "file"; readonly path: string }
  /** An array of a .npy, .npz or .safetensors file; without a name the only one there. */
  | { readonly kind: "array"; readonly path: string; readonly name?: string }
  /** Where other buffers lie; the type is u64. */
  | { readonly kind: "addresses"; readonly of: readonly PtxAddress[] };

/** Memory of the device. */
export interface PtxBuffer {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: Shape;
  readonly fill: Fill;
  /** Whether its contents after the launch are a result. */
  readonly out: boolean;
}

/** Where a buffer lies, and bytes beyond. */
export interface PtxAddress {
  readonly kind: "address";
  readonly buffer: string;
  readonly offset: number;
}

/** A texture object: of an array that begins with what the buffer holds, or straight from the buffer. */
export interface PtxTexture {
  readonly kind: "texture";
  readonly address: PtxAddress;
  readonly source: TexelArray | TexelMemory;
  readonly sampling: Sampling;
}

/** A surface object, of an array that begins with what the buffer holds and goes back there when the launch is over. */
export interface PtxSurface {
  readonly kind: "surface";
  readonly address: PtxAddress;
  readonly array: TexelArray;
}

/** What one parameter of the entry takes, or one member of a structure. */
export type PtxArgument =
  | PtxAddress
  | { readonly kind: "bytes"; readonly bytes: Uint8Array; readonly align: number }
  | { readonly kind: "map"; readonly address: PtxAddress; readonly map: TiledMap | Im2colMap }
  | PtxTexture
  | PtxSurface
  | { readonly kind: "structure"; readonly members: readonly PtxArgument[] };

export interface PtxLaunch {
  readonly entry: string;
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly cluster: Dim3;
  /** Dynamic shared memory per block, in bytes. */
  readonly sharedBytes: number;
  /** All blocks are on the machine at the same time: kernels that synchronise their grid need it. */
  readonly cooperative?: boolean;
  readonly buffers: readonly PtxBuffer[];
  /** In the order of the entry's parameters. */
  readonly args: readonly PtxArgument[];
}

/** A buffer marked `out`, as the launch left it. */
export interface PtxResult {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: Shape;
  readonly bytes: Uint8Array;
  /** The same as numbers. */
  readonly values: ArrayLike<number | bigint>;
}
