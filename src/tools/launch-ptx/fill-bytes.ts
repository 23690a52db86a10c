import { elementBytes } from "../../base/element-types.ts";
import type { DType } from "../../base/types.ts";
import { countElements, encodeElements } from "../../runtime/index.ts";
import { readArray } from "../arrays/index.ts";
import { createPrng, randn } from "../testing/index.ts";
import { fail } from "./errors.ts";
import type { Fill, PtxAddress, PtxBuffer } from "./types.ts";

/** The bytes of a file, by the path that a buffer names. */
export type ReadFile = (path: string) => Uint8Array;
/** What buffers hold that begin with arrays of files, by the buffer's name. */
export type Arrays = ReadonlyMap<string, Uint8Array>;
/** Where an address lies on the device. */
export type AddressOf = (address: PtxAddress) => bigint;

/** Reads them, one after the other. W7101 to W7106: also where an array has another type or shape than its buffer. */
export async function readArraysOf(buffers: readonly PtxBuffer[]): Promise<Arrays> {
  const arrays = new Map<string, Uint8Array>();
  for (const { name, dtype, shape, fill } of buffers) {
    if (fill.kind !== "array") continue;
    const from = fill.name === undefined ? {} : { name: fill.name };
    arrays.set(name, (await readArray(fill.path, { dtype, shape, ...from })).bytes);
  }
  return arrays;
}

/** Where the contents of buffers come from. */
export interface Contents {
  readonly read: ReadFile;
  readonly arrays: Arrays;
  readonly addressAt: AddressOf;
}

/**
 * What a buffer holds before the launch: new bytes, the same on every machine but for addresses. W7803 where a file, or a list of
 * addresses, has another length.
 */
export function fillBytes({ name, dtype, shape, fill }: PtxBuffer, { read, arrays, addressAt }: Contents): Uint8Array {
  const count = countElements(shape);
  const bytes = count * elementBytes[dtype];
  if (fill.kind === "addresses") {
    if (fill.of.length !== count)
      fail("W7803", { name, what: "its list of addresses", given: 8 * fill.of.length, expected: bytes });
    return encodeElements("u64", fill.of.map(addressAt));
  }
  if (fill.kind === "file") {
    const found = read(fill.path);
    return found.length === bytes
      ? found
      : fail("W7803", { name, what: `the file ${fill.path}`, given: found.length, expected: bytes });
  }
  if (fill.kind === "array") return arrayOf(name, arrays);
  if (fill.kind === "bits") {
    const next = createPrng(fill.seed);
    return Uint8Array.from({ length: bytes }, () => Math.floor(next() * 256));
  }
  if (fill.kind === "value") return repeated(encodeElements(dtype, [fill.value]), count);
  return encodeElements(dtype, elements(dtype, count, fill));
}

function arrayOf(name: string, arrays: Arrays): Uint8Array {
  const found = arrays.get(name);
  if (!found) throw new Error(`the array of the buffer ${name} has not been read`);
  return found;
}

function repeated(element: Uint8Array, count: number): Uint8Array {
  const bytes = new Uint8Array(element.length * count);
  bytes.set(element);
  for (let done = element.length; done < bytes.length; done *= 2) bytes.copyWithin(done, 0, Math.min(done, bytes.length - done));
  return bytes;
}

/** Numbers for every type but the 64-bit integers, which are bigints. */
function elements(dtype: DType, count: number, fill: MadeFill): ArrayLike<number> | readonly bigint[] {
  const numbers = fill.kind === "randn" ? randn(count, fill.seed) : Float64Array.from({ length: count }, sourceOf(fill));
  return dtype === "i64" || dtype === "u64" ? Array.from(numbers, (x) => BigInt(Math.trunc(x))) : numbers;
}

type MadeFill = Exclude<Fill, { kind: "file" | "array" | "bits" | "addresses" | "value" }>;

/** What gives one element after the other. */
function sourceOf(fill: Exclude<MadeFill, { kind: "randn" }>): (_: unknown, index: number) => number {
  if (fill.kind === "arange") return (_, i) => i;
  const next = createPrng(fill.seed);
  return fill.kind === "uniform" ? () => next() : () => Math.floor(next() * fill.limit);
}
