import * as float16 from "@petamoriken/float16";
import { display } from "../base/diag/index.ts";
import { plainArrays } from "../base/element-types.ts";
import { decodeTable, encodeFloat, floatFormats } from "../base/small-floats.ts";
import type { DType, Element } from "../base/types.ts";
import { checkDType, elementBytes, elementInfo } from "./dtype.ts";
import { fail } from "./errors/index.ts";
import type { HostArray, HostArrayOf, HostFloats } from "./types.ts";

type HalfArray = new (buffer: ArrayBuffer) => HostFloats;

/** The engine's own `Float16Array` where it has one. */
const HalfFloats: HalfArray = (globalThis as { Float16Array?: HalfArray }).Float16Array ?? float16.Float16Array;

const isPlain = (dtype: DType): dtype is keyof typeof plainArrays => Object.hasOwn(plainArrays, dtype);

const bytesOf = (array: HostArray): Uint8Array => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

/** Elements as they lie in memory, in the order given: new bytes. Refuses what the type cannot hold (W7005). */
export function encodeElements<D extends DType>(dtype: D, data: ArrayLike<Element<D>>): Uint8Array {
  const info = checkDType(dtype);
  if (info.kind === "bigint") return encodeBigints(dtype, data as ArrayLike<bigint>);
  if (info.kind === "bool") return Uint8Array.from({ length: data.length }, (_, i) => booleanAt(data, i));
  const numbers = data as ArrayLike<number>;
  if (isPlain(dtype)) {
    const Plain = plainArrays[dtype];
    if (numbers instanceof Plain) return bytesOf(numbers).slice();
    checkNumbers(dtype, numbers);
    return bytesOf(Plain.from(numbers));
  }
  if (dtype === "f16" && isHalfArray(numbers))
    return new Uint8Array(numbers.buffer.slice(numbers.byteOffset, numbers.byteOffset + numbers.byteLength));
  checkNumbers(dtype, numbers);
  return encodeSmallFloats(dtype as DType, numbers);
}

const isHalfArray = (data: unknown): data is { buffer: ArrayBuffer; byteOffset: number; byteLength: number } =>
  data instanceof HalfFloats || float16.isFloat16Array(data);

function encodeSmallFloats(dtype: DType, data: ArrayLike<number>): Uint8Array {
  if (dtype === "tf32") {
    const bits = Uint32Array.from({ length: data.length }, (_, i) => encodeFloat(floatFormats.tf32, data[i] ?? 0) << 13);
    return bytesOf(bits);
  }
  const format = floatFormats[dtype as "f16" | "bf16" | "e4m3" | "e5m2"];
  const bits = elementBytes(dtype) === 2 ? new Uint16Array(data.length) : new Uint8Array(data.length);
  for (let i = 0; i < data.length; i++) bits[i] = encodeFloat(format, data[i] ?? 0);
  return bytesOf(bits);
}

/** The least number that no number of the type is nearest to, and the greatest of the type. What is greater than that would be Infinity; fp8 saturates. */
const overflow: Partial<Record<DType, readonly [from: number, most: number]>> = {
  f32: [2 ** 128 - 2 ** 103, (2 - 2 ** -23) * 2 ** 127],
  tf32: [2 ** 128 - 2 ** 116, (2 - 2 ** -10) * 2 ** 127],
  bf16: [2 ** 128 - 2 ** 119, (2 - 2 ** -7) * 2 ** 127],
  f16: [65520, 65504],
};

function checkNumbers(dtype: DType, data: ArrayLike<number>): void {
  const { kind, min = 0n, max = 0n } = elementInfo[dtype];
  if (kind === "float") {
    const [from, most] = overflow[dtype] ?? [Infinity, Infinity];
    for (let i = 0; i < data.length; i++) {
      const value: unknown = data[i];
      if (typeof value !== "number") fail("W7005", { value: display(value), index: i, dtype, range: "a number" });
      if (Math.abs(value) >= from && Math.abs(value) !== Infinity)
        fail("W7005", { value: display(value), index: i, dtype, range: `a number from ${-most} to ${most}, or an infinity,` });
    }
    return;
  }
  const low = Number(min);
  const high = Number(max);
  for (let i = 0; i < data.length; i++) {
    const value: unknown = data[i];
    if (!(typeof value === "number" && Number.isInteger(value) && value >= low && value <= high))
      fail("W7005", { value: display(value), index: i, dtype, range: `a whole number from ${min} to ${max}` });
  }
}

function encodeBigints(dtype: DType, data: ArrayLike<bigint>): Uint8Array {
  const { min = 0n, max = 0n } = elementInfo[dtype];
  const bits = new BigUint64Array(data.length);
  for (let i = 0; i < data.length; i++) {
    const value: unknown = data[i];
    if (typeof value !== "bigint" || value < min || value > max)
      fail("W7005", { value: display(value), index: i, dtype, range: `a bigint from ${min} to ${max}` });
    bits[i] = BigInt.asUintN(64, value);
  }
  return bytesOf(bits);
}

function booleanAt(data: ArrayLike<unknown>, i: number): number {
  const value = data[i];
  if (typeof value !== "boolean" && value !== 0 && value !== 1)
    fail("W7005", { value: display(value), index: i, dtype: "bool", range: "true or false" });
  return value ? 1 : 0;
}

/** Elements from their bytes, which the result may keep. bf16 and fp8 come as the f32 that they equal. */
export function decodeElements<D extends DType>(dtype: D, bytes: Uint8Array): HostArrayOf<D> {
  return decode(dtype, bytes) as HostArrayOf<D>;
}

function decode(dtype: DType, bytes: Uint8Array): HostArray | HostFloats {
  const size = elementBytes(dtype);
  const owned = bytes.byteOffset % size === 0 && bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
  const buffer = owned.buffer as ArrayBuffer;
  switch (dtype) {
    case "tf32":
      return new Float32Array(buffer);
    case "i64":
      return new BigInt64Array(buffer);
    case "u64":
      return new BigUint64Array(buffer);
    case "bool":
      return owned;
    case "f16":
      return new HalfFloats(buffer);
    case "bf16":
    case "e4m3":
    case "e5m2": {
      const table = decodeTable(dtype);
      const bits = size === 2 ? new Uint16Array(buffer) : owned;
      return Float32Array.from(bits, (b) => table[b] ?? 0);
    }
    default:
      return new plainArrays[dtype](buffer);
  }
}
