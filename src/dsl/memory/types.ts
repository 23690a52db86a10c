/** What the author sees of memory. */
import type { Dims, DType, Element, Shape, Swizzle } from "../../types.ts";

/** One index per dimension, outermost first. 64-bit indices may be `bigint`. */
export type Index = number | bigint;
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

export interface LoadOptions {
  /** Where false nothing is read and the value is `other` (default 0). */
  pred?: boolean;
  other?: number;
  /** PTX ISA 9.7.9.1 "Cache Operators"; global memory only. `nc`: through the read-only cache, for memory that no thread writes meanwhile. */
  cache?: "ca" | "cg" | "cs" | "lu" | "cv" | "nc";
}
export interface StoreOptions {
  pred?: boolean;
  cache?: "wb" | "cg" | "cs" | "wt";
}
export type Scope = "block" | "cluster" | "gpu" | "system";
export type Order = "relaxed" | "acquire" | "release" | "acq_rel";
export type AtomicOp = "add" | "min" | "max" | "and" | "or" | "xor" | "exch";
export type Vector<N extends number, T> = N extends 2
  ? [T, T]
  : N extends 4
    ? [T, T, T, T]
    : N extends 8
      ? [T, T, T, T, T, T, T, T]
      : T[];

/** One element's place in memory: what `x.at(i, j)` gives once every index is there. */
export interface Place<D extends DType> {
  load(options?: LoadOptions): Element<D>;
  /** `vector` neighbouring elements in one instruction; at most 16 bytes, naturally aligned. */
  load<N extends 2 | 4 | 8 | 16>(options: LoadOptions & { vector: N }): Vector<N, Element<D>>;
  store(value: Element<D> | readonly Element<D>[], options?: StoreOptions): void;
  /**
   * Returns the old value. PTX ISA 9.7.13.5. Default scope: the gpu (of shared memory: the block), relaxed. "min" and "max" of f32 and
   * f64 mean what `Math.min` and `Math.max` do, -0 below 0; a NaN that was there before the first of them need not stay.
   */
  atomic(op: AtomicOp, value: Element<D>, options?: { scope?: Scope; order?: Order; pred?: boolean }): Element<D>;
  compareAndSwap(expected: Element<D>, value: Element<D>, options?: { scope?: Scope; order?: Order }): Element<D>;
  /** An acquiring load or releasing store, for flags between blocks. Default scope: the gpu (of shared memory: the block). */
  loadAcquire(scope?: Scope): Element<D>;
  storeRelease(value: Element<D>, scope?: Scope): void;
}

export interface Indexed<D extends DType, R extends number, Self> {
  readonly dtype: D;
  readonly rank: R;
  /** Elements per dimension, outermost first. Static unless made dynamic. */
  readonly shape: Dims<R>;
  /** Elements between neighbours; of a dimension stored in panels, between neighbours within one panel. */
  readonly strides: Dims<R>;
  /** The part that begins at `offset`; no bounds are clipped. */
  subview(offset: Indices<R>, shape: Shape): Self;
  /** The dimensions in that order; reversed without arguments. */
  transpose(...permutation: number[]): Self;
}

/** Global memory, as a kernel sees it. `x[i][j]` loads, `x[i][j] = v` stores; out of bounds is undefined on the GPU, reported by the emulator. */
// biome-ignore lint/suspicious/noExplicitAny: `Tensor` without arguments is a tensor of any type and rank
export interface Tensor<D extends DType = any, R extends number = any> extends Indexed<D, R, Tensor<D, R>> {
  [index: number]: R extends 1 ? Element<D> : Tensor<D, Minus1<R>>;
  /** Fewer indices than dimensions: the rest stays a view. */
  at<I extends readonly Index[]>(...index: I): MinusLength<R, I> extends 0 ? Place<D> : Tensor<D, MinusLength<R, I>>;
  reshape<const S extends Shape>(...shape: S): Tensor<D, S["length"]>;
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
  reshape<const S extends Shape>(...shape: S): SharedView<D, S["length"]>;
  readonly memory: "shared";
  readonly swizzle: Swizzle;
  /** Bytes of the view: what a TMA load into it brings. */
  readonly bytes: number;
  /** The same bytes as another type and shape. */
  reinterpret<E extends DType, const S extends Shape>(dtype: E, shape: S): SharedView<E, S["length"]>;
}
