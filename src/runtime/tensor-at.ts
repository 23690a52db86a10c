import { checkOptions, display, optionsOf } from "../base/diag/index.ts";
import type { DType, Shape } from "../base/types.ts";
import { elementBytes } from "./dtype.ts";
import { fail } from "./errors/index.ts";
import { checkOpen, type Home, Storage } from "./home.ts";
import { checkShape, rowMajorStrides, spanElements } from "./shape.ts";
import { type MemoryTensor, tensorIn } from "./tensor.ts";
import type { TensorAtOptions } from "./types.ts";

const known = optionsOf<TensorAtOptions>("tensorAt()", { strides: true });

/** A tensor in memory that somebody else allocated. W7002, W7003, W7007, W7057, W7058. */
export function foreignTensor<D extends DType, const S extends Shape>(
  home: Home,
  dtype: D,
  shape: S,
  address: bigint,
  options: TensorAtOptions,
): MemoryTensor<D, S["length"]> {
  checkOpen(home);
  const size = elementBytes(dtype);
  checkShape(shape);
  checkOptions(options, known);
  const strides = options.strides ?? rowMajorStrides(shape);
  checkStrides(shape, strides);
  const refuse = (reason: string): never => fail("W7057", { dtype, shape, address: shown(address), reason });
  if (typeof address !== "bigint") refuse("an address is a bigint");
  if (address === 0n) refuse("that is the null pointer");
  if (address < 0n || address >= 2n ** 64n) refuse("addresses have 64 bits");
  if (address % BigInt(size) !== 0n) refuse(`elements of ${size} bytes lie at multiples of ${size}`);
  const storage = Storage.at(home, address, spanElements(shape, strides) * size);
  if (typeof storage === "string") return refuse(storage);
  return tensorIn(storage, dtype, shape, Number(address - storage.address), strides);
}

const shown = (address: unknown): string =>
  typeof address === "bigint" && address >= 0n ? `0x${address.toString(16)}` : display(address);

/** Refuses strides that are not one whole number for each dimension, or put two elements in one place. W7058. */
function checkStrides(shape: Shape, strides: Shape): void {
  const refuse = (reason: string): never => fail("W7058", { strides: display(strides), shape, reason });
  if (!Array.isArray(strides) || strides.length !== shape.length) refuse("there is one for each dimension");
  for (const stride of strides) if (!Number.isSafeInteger(stride) || stride < 0) refuse("each is a whole number from 0");
  if (!Number.isSafeInteger(spanElements(shape, strides) * 8)) refuse("the last element lies further away than can be counted");
  // From the innermost outwards, each step goes beyond what lies within.
  let within = 1;
  for (const d of shape.map((_, i) => i).sort((a, b) => (strides[a] ?? 0) - (strides[b] ?? 0))) {
    const [extent, stride] = [shape[d] ?? 1, strides[d] ?? 0];
    if (extent === 1) continue;
    if (stride < within) refuse("two elements would share a place");
    within += (extent - 1) * stride;
  }
}
