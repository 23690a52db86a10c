/** Files of arrays, .npy, .npz and .safetensors: to the host, to devices and back. */
export { loadArray, loadArrays } from "./load-arrays.ts";
export { listArrays, readArray, readArrays } from "./read-arrays.ts";
export type {
  ArrayDescription,
  ArrayList,
  ArraySource,
  DeviceArrays,
  HostElements,
  ReadArrayOptions,
  ReadArraysOptions,
  StoredArray,
  StoredArrays,
  TypedArray,
  WriteArraysOptions,
} from "./types.ts";
export { writeArray, writeArrays } from "./write-arrays.ts";
