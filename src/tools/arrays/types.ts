/** What files of arrays hold. Types only. */

import type { DType, Element, Shape } from "../../base/types.ts";
import type { DeviceTensor, HostArrayOf } from "../../runtime/index.ts";

/** What a file says of one of its arrays. */
export interface ArrayDescription {
  /** The element type; undefined where it is none that kernels have, or where the file does not say which (`stored` is what it says). */
  readonly dtype: DType | undefined;
  /** The element type in the words of the file: `<f4`, `BF16`. */
  readonly stored: string;
  /** Elements per dimension, outermost first; `[]` for a single element without dimensions. */
  readonly shape: Shape;
  /** Bytes of its elements. */
  readonly bytes: number;
}

/** The arrays of a file, by name, and what else it says. */
export interface ArrayList extends ReadonlyMap<string, ArrayDescription> {
  /** `__metadata__` of a safetensors file; empty for other formats. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** An array out of a file, in the memory of the host. */
export interface StoredArray<D extends DType = DType> {
  /** The element type. */
  readonly dtype: D;
  /** Elements per dimension, outermost first; `[]` for a single element without dimensions, and extents of 0 where there are none. */
  readonly shape: Shape;
  /** The elements as they lie in memory, row-major and little-endian. */
  readonly bytes: Uint8Array;
  /** The same as numbers, as a tensor's `read` gives them: a view of `bytes`, but for bf16 and fp8, which come as the f32 that they equal. */
  readonly data: HostArrayOf<D>;
}

/** The arrays that were read of a file, by name. */
export interface StoredArrays extends ReadonlyMap<string, StoredArray> {
  /** `__metadata__` of a safetensors file; empty for other formats. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** Tensors of a device with the arrays of a file, by name. Disposing it disposes them all. */
export interface DeviceArrays extends ReadonlyMap<string, DeviceTensor>, Disposable {
  /** `__metadata__` of a safetensors file; empty for other formats. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The tensor of that name, of that element type and number of dimensions where they are given. W7104, W7105. */
  tensor<D extends DType = DType, R extends number = number>(name: string, dtype?: D, rank?: R): DeviceTensor<D, R>;
  /** Frees the tensors once the work that uses them is done. */
  dispose(): void;
}

/** Which arrays of a file are read. */
export interface ReadArraysOptions {
  /** These alone. Default: all of them. */
  readonly names?: Iterable<string>;
}

/** Which array of a file is read, and what it must be. */
export interface ReadArrayOptions<D extends DType = DType, R extends number = number> {
  /** Its name in the file. May be left out where the file has one array. */
  readonly name?: string;
  /**
   * The element type that it must have. Nothing is converted; `tf32` takes f32. Where a .npy file says no more than the size of its elements (`V1`, `V2`), this says
   * what they are.
   */
  readonly dtype?: D;
  /** How many dimensions it must have. */
  readonly rank?: R;
  /** The shape that it must have. What has no dimensions, a single element, also counts as `[1]`. */
  readonly shape?: Shape;
}

/** Elements of the host with their type and shape. */
export interface HostElements<D extends DType = DType> {
  /** The element type. */
  readonly dtype: D;
  /** Elements per dimension, outermost first; `[]` for a single element without dimensions. */
  readonly shape: Shape;
  /** As many elements as that, in row-major order; floats round to nearest even, fp8 saturates. */
  readonly data: ArrayLike<Element<D>>;
}

/** The typed arrays that say what their elements are: one dimension. */
export type TypedArray =
  | Float64Array
  | Float32Array
  | BigInt64Array
  | BigUint64Array
  | Int32Array
  | Uint32Array
  | Int16Array
  | Uint16Array
  | Int8Array
  | Uint8Array;

/** What can be written to a file: a tensor of a device, or elements of the host. */
export type ArraySource = DeviceTensor | StoredArray | HostElements | TypedArray;

/** How a file of arrays is written. */
export interface WriteArraysOptions {
  /** Whether the members of a .npz are deflated, as `numpy.savez_compressed` does it. Default: stored, as `numpy.savez`. */
  readonly compress?: boolean;
  /** Texts beside the arrays of a safetensors file: its `__metadata__`. */
  readonly metadata?: Readonly<Record<string, string>>;
}
