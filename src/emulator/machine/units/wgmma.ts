/**
 * `wgmma.mma_async` (PTX ISA 9.7.15). Numerics: the K products are summed as `multiplyTiles` says, then the sum is added to the
 * accumulator, rounded once. The hardware sums with fewer roundings and truncates; a result differs from its by at most
 * (K + 1) 2^(emax - 25) + 2^-23 |D| + K 2^-24 (|C| + sum |ab|). Integers are exact.
 */
import { popc32 } from "../numerics/integers.ts";
import { type AsyncGroups, joinGroup } from "./async-groups.ts";
import type { AsyncQueue } from "./async-queue.ts";
import { canonicalNaN, encodeF16, floatTable } from "./floats.ts";
import { holdRows, releaseRows, restoreRows } from "./held-rows.ts";
import { multiplyStored, storedColumns } from "./sparse-operand.ts";
import { type TileEngine, tileEngine } from "./tile-engine.ts";
import type { DescriptorBits, SparseMetadata, WarpRegisters, WgmmaProduct } from "./types.ts";
import { depthOf, gatherFragments, gatherTile } from "./wgmma-operand.ts";

const rows = 64;

const isDescriptor = (a: DescriptorBits | readonly number[]): a is DescriptorBits => !Array.isArray(a);

/** Reads A, B and the accumulator, and writes the accumulator. W9121, W9122. */
export function multiply(product: WgmmaProduct): void {
  const { n, a, aType, bType, shared } = product;
  const engine = tileEngine();
  const left = { values: engine.a, extent: rows };
  if (isDescriptor(a)) gatherTile(left, aType, a, product.transA, shared, "A");
  else gatherFragments(left, aType, product.warps, a);
  if (product.sparse) {
    multiplySparse(product, product.sparse, engine);
    return;
  }
  gatherTile({ values: engine.b, extent: n }, bType, product.b, product.transB, shared, "B");
  if (product.bits) countCommonBits(engine.sums, engine.a, engine.b, n);
  else engine.multiply(n, depthOf(aType), rows);
  add(product, engine.sums);
}

function add(product: WgmmaProduct, sums: Float32Array): void {
  const accumulate = accumulators[product.dType];
  product.warps.forEach((warp, w) => void accumulate(product, warp, 16 * w, sums));
}

/** B of a sparse product: 64 bytes of K. */
const deepTile = new Float32Array(256 * 64);

/** The stored elements of A are there. */
function multiplySparse(product: WgmmaProduct, sparse: SparseMetadata, { a, sums }: TileEngine): void {
  const { n, aType, bType, shared } = product;
  gatherTile({ values: deepTile, extent: n }, bType, product.b, product.transB, shared, "B", 2);
  multiplyStored(sums, a, storedColumns(sparse, aType), deepTile, n, depthOf(aType));
  add(product, sums);
}

/** Element (i, j): how many bits are set in row i of A and in column j of B. Both are 32 bytes long. */
function countCommonBits(sums: Float32Array, a: Float32Array, b: Float32Array, n: number): void {
  for (let i = 0; i < rows; i += 1) {
    for (let j = 0; j < n; j += 1) {
      let count = 0;
      for (let k = 0; k < 32; k += 1) count += popc32((a[k * rows + i] ?? 0) & (b[k * n + j] ?? 0));
      sums[i * n + j] = count;
    }
  }
}

/** The same, when the queue lets it; in the open group of the warpgroup. `landed` is called when the accumulator is there. */
export function issueWgmma(queue: AsyncQueue, groups: AsyncGroups, product: WgmmaProduct, landed?: () => void): void {
  const group = joinGroup(groups);
  const each = (act: (warp: WarpRegisters, rows: readonly number[]) => void): void => {
    for (const warp of product.warps) act(warp, product.d);
  };
  let held = false;
  queue.issue(groups, {
    tells: groups,
    move: () => {
      if (held) each(restoreRows);
      multiply(product);
      if (held) each(releaseRows);
    },
    spoil: () => {
      held = true;
      each(holdRows);
    },
    landed: () => {
      landed?.();
      group.reads -= 1;
      group.writes -= 1;
    },
  });
}

/** Adds the sums of a warp's 16 rows, from `top` on, to its registers. */
type Accumulate = (product: WgmmaProduct, warp: WarpRegisters, top: number, sums: Float32Array) => void;

/**
 * Register r of lane l: row 8 * (bit 1 of r) + l / 4, column 8 * (r / 4) + 2 * (l % 4) + (bit 0 of r) (9.7.15.5.1.3.1).
 * `at` is the sum of lane 0; four lanes are two columns apart, then comes the next row.
 */
const sumOfLaneZero = (n: number, top: number, r: number): number => (top + 8 * ((r >> 1) & 1)) * n + 8 * (r >> 2) + (r & 1);

/** Adds to one register of 32 lanes; gives whether a NaN came of it. */
function addRow(f32: Float32Array, row: number, sums: Float32Array, at: number, n: number, sign: number): boolean {
  let check = 0;
  let sum = at;
  for (let x = row; x < row + 32; x += 4) {
    const x0 = Math.fround((f32[x] as number) + sign * (sums[sum] as number));
    const x1 = Math.fround((f32[x + 1] as number) + sign * (sums[sum + 2] as number));
    const x2 = Math.fround((f32[x + 2] as number) + sign * (sums[sum + 4] as number));
    const x3 = Math.fround((f32[x + 3] as number) + sign * (sums[sum + 6] as number));
    f32[x] = x0;
    f32[x + 1] = x1;
    f32[x + 2] = x2;
    f32[x + 3] = x3;
    // NaN if one of them is, or infinite.
    check += x0 * 0 + x1 * 0 + x2 * 0 + x3 * 0;
    sum += n;
  }
  return Number.isNaN(check);
}

function makeCanonical(f32: Float32Array, i32: Int32Array, row: number): void {
  for (let x = row; x < row + 32; x += 1) if (Number.isNaN(f32[x])) i32[x] = canonicalNaN.f32;
}

const accumulators: Readonly<Record<WgmmaProduct["dType"], Accumulate>> = {
  f32: (product, { f32, i32 }, top, sums) => {
    const { n, d, scaleD } = product;
    const sign = product.scaleA * product.scaleB;
    for (let r = 0; r < d.length; r += 1) {
      const row = d[r] ?? 0;
      if (!scaleD) f32.fill(0, row, row + 32);
      if (addRow(f32, row, sums, sumOfLaneZero(n, top, r), n, sign)) makeCanonical(f32, i32, row);
    }
  },
  s32: (product, { i32 }, top, sums) => {
    const { n, d, scaleD, satfinite } = product;
    for (let r = 0; r < d.length; r += 1) {
      const row = d[r] ?? 0;
      const at = sumOfLaneZero(n, top, r);
      for (let lane = 0; lane < 32; lane += 1) {
        const old = scaleD ? (i32[row + lane] ?? 0) : 0;
        const value = old + (sums[at + (lane >> 2) * n + 2 * (lane & 3)] ?? 0);
        i32[row + lane] = satfinite ? Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, value)) : value;
      }
    }
  },
  // A register holds what f32 has in registers 2 r and 2 r + 1.
  f16: (product, { i32 }, top, sums) => {
    const { n, d, scaleD } = product;
    const sign = product.scaleA * product.scaleB;
    const table = floatTable("f16");
    for (let r = 0; r < d.length; r += 1) {
      const row = d[r] ?? 0;
      const at = sumOfLaneZero(n, top, 2 * r);
      for (let lane = 0; lane < 32; lane += 1) {
        const old = scaleD ? (i32[row + lane] ?? 0) : 0;
        const sum = at + (lane >> 2) * n + 2 * (lane & 3);
        const low = Math.fround((table[old & 0xffff] ?? 0) + sign * (sums[sum] ?? 0));
        const high = Math.fround((table[old >>> 16] ?? 0) + sign * (sums[sum + 1] ?? 0));
        i32[row + lane] = encodeF16(low) | (encodeF16(high) << 16);
      }
    }
  },
};
