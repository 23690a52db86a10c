import { fail } from "../diag/index.ts";
import { encodeElements } from "../runtime/index.ts";
import { elementBytes } from "../tensor-map.ts";
import { createPrng, randn } from "../testing/randn.ts";
import type { DType } from "../types.ts";
import type { Fill, PtxAddress, PtxBuffer } from "./types.ts";

/** The bytes of a file, by the path that a buffer names. */
export type ReadFile = (path: string) => Uint8Array;
/** Where an address lies on the device. */
export type AddressOf = (address: PtxAddress) => bigint;

/**
 * What a buffer holds before the launch: new bytes, the same on every machine but for addresses. W7803 where a file, or a list of
 * addresses, has another length.
 */
export function fillBytes({ name, dtype, count, fill }: PtxBuffer, read: ReadFile, addressAt: AddressOf): Uint8Array {
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
  if (fill.kind === "bits") {
    const next = createPrng(fill.seed);
    return Uint8Array.from({ length: bytes }, () => Math.floor(next() * 256));
  }
  if (fill.kind === "value") return repeated(encodeElements(dtype, [fill.value] as never), count);
  return encodeElements(dtype, elements(dtype, count, fill) as never);
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

type MadeFill = Exclude<Fill, { kind: "file" | "bits" | "addresses" | "value" }>;

/** What gives one element after the other. */
function sourceOf(fill: Exclude<MadeFill, { kind: "randn" }>): (_: unknown, index: number) => number {
  if (fill.kind === "arange") return (_, i) => i;
  const next = createPrng(fill.seed);
  return fill.kind === "uniform" ? () => next() : () => Math.floor(next() * fill.limit);
}
