/** What the author sees of memory. */

import type { Dims, DType, Element, Shape, Swizzle } from "../../base/types.ts";
import type { Layout } from "../tiles/layout.ts";
import type { CacheHint } from "./cache-hint.ts";

/** One index per dimension, outermost first. 64-bit indices may be `bigint`. */
export type Index = number | bigint;
/** One index for each of R dimensions, outermost first. */
export type Indices<R extends number> = number extends R
  ? readonly Index[]
  : R extends 1
    ? readonly [Index]
    : R extends 2
      ? readonly [Index, Index]
      : R extends 3
        ? readonly [Index, Index, Index]
        : R extends 4
          ? readonly [Index, Index, Index, Index]
          : R extends 5
            ? readonly [Index, Index, Index, Index, Index]
            : readonly Index[];
export type Minus1<R extends number> = R extends 1
  ? 0
  : R extends 2
    ? 1
    : R extends 3
      ? 2
      : R extends 4
        ? 3
        : R extends 5
          ? 4
          : number;
export type MinusLength<R extends number, I extends readonly unknown[]> = number extends R
  ? number
  : I extends readonly [unknown, ...infer Rest]
    ? MinusLength<Minus1<R>, Rest>
    : R;

/** How long the L1 cache keeps what is accessed: it goes first, last, as usual, stays as it was, or is not kept at all. PTX ISA 9.7.9.2. */
export type Eviction = "first" | "last" | "normal" | "unchanged" | "noAllocate";

/** What `load` takes. W2601. */
export interface LoadOptions {
  /** Where false nothing is read and the value is `other` (default 0). */
  pred?: boolean;
  /** The value where `pred` is false. Default 0. */
  other?: number;
  /** PTX ISA 9.7.9.1 "Cache Operators"; global memory only. `nc`: through the read-only cache, for memory that nothing writes as long as the kernel runs: W2064 where it is the same tensor, W9227 on the emulator. */
  cache?: "ca" | "cg" | "cs" | "lu" | "cv" | "nc";
  /** In place of `cache`, or with "nc"; global memory only. Default: as usual. W3036. */
  evict?: Eviction;
  /** What the L2 cache does with the bytes; global memory only. Default: as usual. W3025, W3036. */
  cacheHint?: CacheHint;
  /** Bytes around the element that are brought into the L2 cache, too; global memory only. PTX `.L2::128B` (9.7.9.8). W3036. */
  l2?: 64 | 128 | 256;
}
/** What `store` takes. W2601. */
export interface StoreOptions {
  /** Where false nothing is written. Default true. */
  pred?: boolean;
  /** PTX ISA 9.7.9.1 "Cache Operators"; global memory only. W3022. */
  cache?: "wb" | "cg" | "cs" | "wt";
  /** In place of `cache`; global memory only. Default: as usual. W3036. */
  evict?: Eviction;
  /** What the L2 cache does with the bytes; global memory only. Default: as usual. W3025, W3036. */
  cacheHint?: CacheHint;
}
/** What `prefetch` takes. W2601. */
export interface PrefetchOptions {
  /** Which cache. Default "L2". */
  level?: "L1" | "L2";
  /** How long the L2 cache keeps it. Default: as usual. W3036. */
  evict?: "last" | "normal";
  /** Where false, nothing is prefetched. Default true. */
  pred?: boolean;
}
/**
 * Who is to see it: the threads of the block (PTX `.cta`), of the cluster, of the GPU, or also the host and other GPUs (`.sys`). PTX ISA
 * 8.5.
 */
export type Scope = "block" | "cluster" | "gpu" | "system";
/**
 * How an atomic orders the accesses around it. PTX ISA 8.8: `relaxed` not at all; `acquire` keeps later ones behind it; `release` keeps
 * earlier ones before it; `acq_rel` both.
 */
export type Order = "relaxed" | "acquire" | "release" | "acq_rel";
/** What an atomic does with the element and the value. `exch` puts the value in its place. PTX ISA 9.7.13.5. */
export type AtomicOp = "add" | "min" | "max" | "and" | "or" | "xor" | "exch";
/** What a reduction does with the element and the value. PTX ISA 9.7.13.6. */
export type PlaceReduceOp = Exclude<AtomicOp, "exch">;
export type Vector<N extends number, T> = N extends 2
  ? [T, T]
  : N extends 4
    ? [T, T, T, T]
    : N extends 8
      ? [T, T, T, T, T, T, T, T]
      : T[];

/** How many elements a load brings. */
export interface VectorOption<N extends number> {
  /** Neighbouring elements in one instruction: 2, 4, 8 or 16, at most 16 bytes. W3004–W3006. */
  vector: N;
}
/** What `compareAndSwap` takes. */
export interface SwapOptions {
  /** Default: "gpu"; of shared memory "block", and in another block of the cluster "cluster". */
  scope?: Scope;
  /** Default: "relaxed". */
  order?: Order;
}
/** What `atomic` takes. */
export interface AtomicOptions extends SwapOptions {
  /** Where false nothing is done. Default true. */
  pred?: boolean;
}

/** What `reduce` takes. */
export interface PlaceReduceOptions {
  /** Default: "gpu"; of shared memory "block", and in another block of the cluster "cluster". */
  scope?: Scope;
  /** Default: "relaxed". */
  order?: "relaxed" | "release";
  /** Where false nothing is done. Default true. */
  pred?: boolean;
}

/** One element's place in memory: what `x.at(i, j)` gives once every index is there. */
export interface Place<D extends DType> {
  /**
   * The element: reading it loads, assigning it stores. `y.at(i, j).value += v` is `y[i][j] += v`, also to a `tsc` with
   * `noUncheckedIndexedAccess`, which takes every `y[i]` for possibly undefined.
   */
  value: Element<D>;
  /** The element. PTX `ld`. W3022. */
  load(options?: LoadOptions): Element<D>;
  /** `vector` neighbouring elements in one instruction; at most 16 bytes, naturally aligned. PTX `ld.v4`; CUDA `float4`. W3004–W3006. */
  load<N extends 2 | 4 | 8 | 16>(options: LoadOptions & VectorOption<N>): Vector<N, Element<D>>;
  /** Writes the element, or 2, 4, 8 or 16 neighbours in one instruction: at most 16 bytes, naturally aligned. PTX `st`. W3004–W3007, W3022. */
  store(value: Element<D> | readonly Element<D>[], options?: StoreOptions): void;
  /**
   * Combines the element with a value in one step and gives the old one. PTX `atom` (9.7.13.5); CUDA `atomicAdd` and its like. "min" and
   * "max" of f32 and f64 mean what `Math.min` and `Math.max` do, -0 below 0; a NaN that was there before the first of them need not
   * stay. W3020, W3025.
   */
  atomic(op: AtomicOp, value: Element<D>, options?: AtomicOptions): Element<D>;
  /**
   * As `atomic`, but gives nothing, which takes less. A list combines neighbours in global memory in one instruction: 2 or 4 of f32 by "add", 2, 4 or 8 of f16
   * and bf16 by "add", "min" or "max", naturally aligned; each element by itself. PTX `red` (9.7.13.6). W3005, W3006, W3020, W3025, W3037.
   */
  reduce(op: PlaceReduceOp, value: Element<D> | readonly Element<D>[], options?: PlaceReduceOptions): void;
  /** Brings the line of the element into a cache; global memory only. Nothing tells when it is there. PTX `prefetch` (9.7.9.16). W3036. */
  prefetch(options?: PrefetchOptions): void;
  /** Puts `value` in place of the element where that is `expected`, in one step, and gives the old one. PTX `atom.cas`; CUDA `atomicCAS`. W3020, W3025. */
  compareAndSwap(expected: Element<D>, value: Element<D>, options?: SwapOptions): Element<D>;
  /** Loads the element so that later accesses come after it: for flags between blocks. Default scope: that of `atomic`. PTX `ld.acquire`. W3025. */
  loadAcquire(scope?: Scope): Element<D>;
  /** Writes the element so that earlier accesses come before it: for flags between blocks. Default scope: that of `atomic`. PTX `st.release`. W3025. */
  storeRelease(value: Element<D>, scope?: Scope): void;
}

/** What `loadTile` takes. */
export interface TileLoadOptions {
  /** Of elements outside the tensor. Default 0. */
  other?: number | bigint | boolean;
  /** False: all elements lie inside, and nothing is checked. Default true. */
  mask?: boolean;
}
/** What `reduceTile` takes. */
export interface TileReduceOptions {
  /** False: all elements lie inside, and nothing is checked. Default true. */
  mask?: boolean;
  /** Default: "gpu". */
  scope?: Scope;
}
/** What `reduce` of a view of shared memory takes. W2601. */
export interface ViewReduceOptions {
  /** Default: "block", of another block's memory "cluster". */
  scope?: Scope;
}
/** What `storeTile` takes. */
export interface TileStoreOptions {
  /** False: all elements lie inside, and nothing is checked. Default true. */
  mask?: boolean;
}

export interface Indexed<D extends DType, R extends number, Self> {
  /** The type of the elements. */
  readonly dtype: D;
  /** How many dimensions there are. */
  readonly rank: R;
  /** Elements per dimension, outermost first. Static unless made dynamic. */
  readonly shape: Dims<R>;
  /** Elements between neighbours; of a dimension stored in panels, between neighbours within one panel. */
  readonly strides: Dims<R>;
  /**
   * The part that begins at `offset`; no bounds are clipped. `strides`: of each dimension, every how many elements one belongs to the part (default 1,
   * static): `x.subview([0, 0], [4, 4], [2, 2])[1][1]` is `x[2][2]`. MLIR `memref.subview`. W3008, W3011, W3012, W3013, W3038, W3039.
   */
  subview(offset: Indices<R>, shape: Shape, strides?: Shape): Self;
  /** The dimensions in that order; reversed without arguments. */
  transpose(...permutation: number[]): Self;
}

/** Global memory, as a kernel sees it. `x[i][j]` loads, `x[i][j] = v` stores; out of bounds is undefined on the GPU, reported by the emulator. */
// biome-ignore lint/suspicious/noExplicitAny: `Tensor` without arguments is a tensor of any type and rank
export interface Tensor<D extends DType = any, R extends number = any> extends Indexed<D, R, Tensor<D, R>> {
  [index: number]: R extends 1 ? Element<D> : Tensor<D, Minus1<R>>;
  /** Fewer indices than dimensions: the rest stays a view. */
  at<I extends readonly Index[]>(...index: I): MinusLength<R, I> extends 0 ? Place<D> : Tensor<D, MinusLength<R, I>>;
  /** The same elements in another shape, outermost first, where that needs no copy. W3010. */
  reshape<const S extends Shape>(...shape: S): Tensor<D, S["length"]>;
  /**
   * The block of that shape that begins at `offset`, over the registers of the threads as `layout` says; without one, neighbouring threads have neighbouring
   * vectors of 16 bytes. Elements outside the tensor are not read: they are `other`, or
   * 0. All threads that hold the tile call it together. PTX `ld.global`, as wide as the layout allows. W6122, W6204, W6205, W6210, W6212.
   */
  loadTile(offset: Indices<R>, shape: Shape, layout?: Layout, options?: TileLoadOptions): Element<D>;
  /** The tile to the block that begins at `offset`. Elements outside the tensor are not written; one thread writes each other one. W6118, W6119, W6206. */
  storeTile(offset: Indices<R>, value: Element<D>, options?: TileStoreOptions): void;
  /**
   * Combines each element of the block that begins at `offset` with the tile's, as atomics do, each by itself: `Place.reduce`, as wide as the layout and
   * alignment allow. Elements outside the tensor are left out. W3020, W6118, W6119, W6206.
   */
  reduceTile(op: PlaceReduceOp, offset: Indices<R>, value: Element<D>, options?: TileReduceOptions): void;
  /** Where it lies. */
  readonly memory: "global";
}

/**
 * Shared memory. A swizzled view whose rows are longer than the swizzle (128B: 64 f16) is stored as panels of that width, one after
 * the other, which is how TMA boxes and wgmma want it.
 */
// biome-ignore lint/suspicious/noExplicitAny: `SharedView` without arguments is a view of any type and rank
export interface SharedView<D extends DType = any, R extends number = any> extends Indexed<D, R, SharedView<D, R>> {
  [index: number]: R extends 1 ? Element<D> : SharedView<D, Minus1<R>>;
  /** Fewer indices than dimensions: the rest stays a view. */
  at<I extends readonly Index[]>(...index: I): MinusLength<R, I> extends 0 ? Place<D> : SharedView<D, MinusLength<R, I>>;
  /** The same elements in another shape, outermost first, where that needs no copy. W3010. */
  reshape<const S extends Shape>(...shape: S): SharedView<D, S["length"]>;
  /** Where it lies. */
  readonly memory: "shared";
  /** How its rows are permuted; "other": as a `SwizzledSharedLayout` does it, which TMA and wgmma cannot. */
  readonly swizzle: Swizzle | "other";
  /** Bytes of the view: what a TMA load into it brings. */
  readonly bytes: number;
  /**
   * The elements over the registers of the threads as `layout` says, or as `loadTile` has them without one: a tile, to TypeScript what an element is. All threads that hold the tile call it together. W6122,
   * W6204, W6205, W6210, W6212.
   */
  load(layout?: Layout): Element<D>;
  /** The tile to the view, which has its shape. One thread writes each element. W6118, W6119, W6206. */
  store(value: Element<D>): void;
  /**
   * Combines each element of the view with the tile's, as atomics do, each by itself: `Place.reduce` of every element; the tile has the view's shape. It
   * gives nothing, and orders nothing: others read it behind a barrier. PTX `red.shared`. W3020, W6118, W6119, W6206.
   */
  reduce(op: PlaceReduceOp, value: Element<D>, options?: ViewReduceOptions): void;
  /** The same bytes as another type and shape. */
  reinterpret<E extends DType, const S extends Shape>(dtype: E, shape: S): SharedView<E, S["length"]>;
}
