/** Matrices of warps and operands of products in shared memory that other warps write or read, without the barrier between. */

import type { Static, Tensor } from "warpsmith";
import {
  DotOperandLayout,
  fence,
  kernel,
  MMALayout,
  range,
  sharedMemory,
  syncThreads,
  threadIdx,
  tile,
  WGMMAMatrix,
  WMMAMatrix,
  warp,
} from "warpsmith";
import { input, output } from "../cases/case.ts";
import { type Hazard, kernelHazard } from "./hazard.ts";
import { count } from "./parts.ts";

const file = import.meta.filename;

/** Two warps write A, and both multiply all of it. */
const matrixEarly = kernel(
  { block: 64, grid: 1 },
  function matrixEarly(a: Tensor<"f16", 2>, d: Tensor<"f32", 2>, broken: Static<boolean>) {
    const view = sharedMemory.alloc("f16", [32, 16]);
    for (const e of range(threadIdx.x, 512, 64)) view.at(e >> 4, e & 15).store(a.at(e >> 4, e & 15).load()); // the other side
    if (!broken) syncThreads();
    const row = 16 - warp.index * 16;
    const A = WMMAMatrix.load("a", view.subview([row, 0], [16, 16])); // reported: W9201
    const B = WMMAMatrix.load("b", a.subview([0, 0], [16, 16]));
    WMMAMatrix.accumulator("f32", [16, 16, 16])
      .mma(A, B)
      .store(d.subview([row, 0], [16, 16]));
  },
);

/** A warp stores its sums where the other one reads them. */
const sumsLate = kernel(
  { block: 64, grid: 1 },
  function sumsLate(a: Tensor<"f16", 2>, d: Tensor<"f32", 2>, broken: Static<boolean>) {
    const view = sharedMemory.alloc("f32", [32, 16]);
    const A = WMMAMatrix.load("a", a.subview([warp.index * 16, 0], [16, 16]));
    const B = WMMAMatrix.load("b", a.subview([0, 0], [16, 16]));
    const D = WMMAMatrix.accumulator("f32", [16, 16, 16]).mma(A, B);
    D.store(view.subview([warp.index * 16, 0], [16, 16])); // the other side
    if (!broken) syncThreads();
    for (const i of range(8)) {
      const e = (i * 64 + threadIdx.x) ^ 256;
      d.at(e >> 4, e & 15).store(view.at(e >> 4, e & 15).load()); // reported: W9201
    }
  },
);

const parent = new MMALayout({ warps: [2, 1] });
const left = new DotOperandLayout({ parent, operand: "A", kWidth: 2 });
const right = new DotOperandLayout({ parent, operand: "B", kWidth: 2 });

/** Both warps take all of B by ldmatrix, of which each has stored a half. */
const operandEarly = kernel(
  { block: 64, grid: 1 },
  function operandEarly(a: Tensor<"f16", 2>, d: Tensor<"f32", 2>, broken: Static<boolean>) {
    const view = sharedMemory.alloc("f16", [16, 16]);
    view.store(a.loadTile([0, 0], [16, 16])); // the other side
    if (!broken) syncThreads();
    const B = view.load(right); // reported: W9201
    d.storeTile([0, 0], tile.dot(a.loadTile([0, 0], [32, 16], left), B, tile.full([32, 16], 0, parent)));
  },
);

/** The next part of B is stored while the other warp may still load this one. */
const operandOverwritten = kernel(
  { block: 64, grid: 1 },
  function operandOverwritten(a: Tensor<"f16", 2>, d: Tensor<"f32", 2>, broken: Static<boolean>) {
    const view = sharedMemory.alloc("f16", [16, 16]);
    let sums = tile.full([32, 16], 0, parent);
    for (const _ of range(2)) {
      view.store(a.loadTile([0, 0], [16, 16])); // reported: W9201
      syncThreads();
      sums = tile.dot(a.loadTile([0, 0], [32, 16], left), view.load(right), sums); // the other side
      if (!broken) syncThreads();
    }
    d.storeTile([0, 0], sums / 2);
  },
);

/** The metadata of a sparse operand, which other threads have stored. */
const metadataEarly = kernel(
  { block: 128, grid: 1 },
  function metadataEarly(a: Tensor<"f16", 2>, metadata: Tensor<"u16", 2>, d: Tensor<"f32", 2>, broken: Static<boolean>) {
    const stored = sharedMemory.alloc("f16", [64, 32], { swizzle: "64B" });
    const whole = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
    const words = sharedMemory.alloc("u16", [64, 4]);
    for (const e of range(threadIdx.x, 64 * 32, 128)) stored.at(e >> 5, e & 31).store(a.at(e >> 5, e & 31).load());
    for (const e of range(threadIdx.x, 64 * 64, 128)) whole.at(e >> 6, e & 63).store(a.at(e >> 6, e & 63).load());
    fence.proxyAsync();
    syncThreads();
    for (const e of range(threadIdx.x, 256, 128)) words.at(63 - (e >> 2), e & 3).store(metadata.at(e >> 2, e & 3).load()); // the other side
    if (!broken) syncThreads();
    const A = WGMMAMatrix.sparse(stored, words); // reported: W9201
    const B = WGMMAMatrix.descriptor(whole.transpose(), [64, 64]);
    WGMMAMatrix.accumulator("f32", [64, 64]).mma(A, B, { wait: 0 }).store(d);
  },
);

/** Numbers that products of are exact. */
const small = (n: number): number[] => count(n).map((i) => ((i * 5) % 7) - 3);
/** a [rows, inner] times b [inner, cols]. */
const product = (a: readonly number[], b: readonly number[], inner: number, cols: number): number[] =>
  count((a.length / inner) * cols).map((i) => {
    const [row, col] = [Math.floor(i / cols) * inner, i % cols];
    let sum = 0;
    for (let k = 0; k < inner; k++) sum += (a[row + k] ?? 0) * (b[k * cols + col] ?? 0);
    return sum;
  });

const two = () => {
  const x = small(512);
  return [input("f16", [32, 16], x), output("f32", [32, 16], product(x, x.slice(0, 256), 16, 16))];
};
/** Of each four elements the first and the last are stored. */
const sparse = () => {
  const x = small(64 * 64);
  const whole = count(64 * 64).map((i) => {
    const [row, k] = [i >> 6, i & 63];
    return k % 4 === 0 || k % 4 === 3 ? (x[row * 64 + (k >> 2) * 2 + (k % 4 === 3 ? 1 : 0)] ?? 0) : 0;
  });
  const turned = count(64 * 64).map((i) => x[(i % 64) * 64 + (i >> 6)] ?? 0);
  const metadata = input("u16", [64, 4], new Array<number>(256).fill(0xcccc));
  return [input("f16", [64, 64], x), metadata, output("f32", [64, 64], product(whole, turned, 64, 64))];
};

const race = { classes: [14], file, eitherSide: true } as const;
export const warpProductHazards: readonly Hazard[] = [
  kernelHazard({ ...race, name: "warp-products/matrix-early", kernel: matrixEarly, args: two }),
  kernelHazard({ ...race, name: "warp-products/sums-late", kernel: sumsLate, args: two }),
  kernelHazard({ ...race, name: "warp-products/operand-early", kernel: operandEarly, args: two }),
  kernelHazard({ ...race, name: "warp-products/operand-overwritten", classes: [19], kernel: operandOverwritten, args: two }),
  kernelHazard({ ...race, name: "warp-products/metadata-early", kernel: metadataEarly, args: sparse }),
];
