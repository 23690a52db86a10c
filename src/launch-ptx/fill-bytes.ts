import { fail } from "../diag/index.ts";
import { encodeElements } from "../runtime/index.ts";
import { elementBytes } from "../tensor-map.ts";
import { createPrng } from "../testing/prng.ts";
import { randn } from "../testing/randn.ts";
import type { DType } from "../types.ts";
import type { Fill, PtxAddress, PtxBuffer } from "./types.ts";

/** The bytes of a file, by the path that a buffer names. */
export type ReadFile = (path: string) => Uint8Array;
/** Where an address lies on the device. */
export type PlaceOf = (address: PtxAddress) => bigint;

/**
 * What a buffer holds before the launch: new bytes, the same on every machine but for addresses. W7803 where a file, or a list of
 * addresses, has another length.
 */
export function fillBytes({ name, dtype, count, fill }: PtxBuffer, read: ReadFile, placeOf: PlaceOf): Uint8Array {
  const bytes = count * elementBytes[dtype];
  if (fill.kind === "addresses") {
    if (fill.of.length !== count)
      fail("W7803", { name, what: "its list of addresses", given: 8 * fill.of.length, expected: bytes });
    return encodeElements("u64", fill.of.map(placeOf));
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
  return encodeElements(dtype, elements(dtype, count, fill) as never);
}

function elements(
  dtype: DType,
  count: number,
  fill: Exclude<Fill, { kind: "file" | "bits" | "addresses" }>,
): readonly (number | bigint)[] {
  const whole = dtype === "i64" || dtype === "u64";
  const numbers = (make: (i: number) => number): (number | bigint)[] =>
    Array.from({ length: count }, (_, i) => (whole ? BigInt(Math.trunc(make(i))) : make(i)));
  switch (fill.kind) {
    case "value":
      return new Array<number | bigint>(count).fill(fill.value);
    case "arange":
      return numbers((i) => i);
    case "randn": {
      const normal = randn(count, fill.seed);
      return numbers((i) => normal[i] ?? 0);
    }
    default: {
      const next = createPrng(fill.seed);
      const limit = fill.kind === "below" ? fill.limit : undefined;
      return numbers(() => (limit === undefined ? next() : Math.floor(next() * limit)));
    }
  }
}
