/**
 * How wgmma walks a matrix in shared memory, found from where its elements lie. The layouts are those of PTX ISA 9.7.15.5.1 ("Shared
 * Memory Matrix Layout", "Strides"): cores of 8 rows of 16 bytes, arranged in rows of the swizzle's width.
 */

import type { Swizzle } from "../base/types.ts";
import { type Dimension, extentOf, type Layout, offsetIn, patternBytes, rowChunks } from "./modes/modes.ts";

/** How wgmma goes through a matrix in shared memory. */
export interface MatrixStrides {
  readonly major: "k" | "mn";
  /** Bytes, as in the matrix descriptor. */
  readonly leading: number;
  readonly stride: number;
  /** Where each instruction's K begins, in units of 16 bytes. */
  readonly kSteps: readonly number[];
  /** How far 64 rows of a left operand are apart, in units of 16 bytes. */
  readonly rowStep: number;
}

/** Why a matrix cannot be walked. */
export type Problem =
  | { readonly kind: "strided" }
  | { readonly kind: "mn-major" }
  | { readonly kind: "k"; readonly multiple: number }
  | { readonly kind: "rows"; readonly multiple: number }
  /** Rows (of K or MN) that are `given` bytes apart and should be `wanted`. */
  | { readonly kind: "pitch"; readonly given: number; readonly wanted: number }
  | { readonly kind: "irregular" };

export const isProblem = <T extends object>(x: T | Problem): x is Problem => "kind" in x;

interface Side {
  readonly mn: Dimension;
  readonly k: Dimension;
  /** Rows or columns that one instruction takes: 64 of a left operand, all of a right one. */
  readonly block: number;
  readonly bytes: number;
  readonly swizzle: Swizzle;
}

/** The K of one instruction: 32 bytes. `lower/wgmma.ts`, which knows types instead of sizes, says the same. */
export const instructionK = (bytes: number): number => 32 / bytes;

/** A dimension of stages with its strides in units of 16 bytes, as descriptors count; every stage begins at a multiple of them. */
export const inUnits = (dimension: Dimension): Dimension =>
  dimension.map((mode) => ({ ...mode, stride: mode.extent > 1 ? mode.stride / 16 : 0 }));

/** The strides of one operand. `mn`: M of a left operand, N of a right one. */
export function stridesOf(side: Side): MatrixStrides | Problem {
  const { mn, k, bytes, block } = side;
  const step = instructionK(bytes);
  if (extentOf(k) % step !== 0) return { kind: "k", multiple: step };
  if (extentOf(mn) % block !== 0 || block % 8 !== 0) return { kind: "rows", multiple: block % 8 === 0 ? block : 8 };
  if (k.at(-1)?.stride === bytes && (k.at(-1)?.extent ?? 1) > 1) return kMajor(side);
  if (mn.at(-1)?.stride !== bytes) return { kind: "strided" };
  return bytes === 2 ? mnMajor(side) : { kind: "mn-major" };
}

/** A matrix in shared memory: its last two dimensions are rows and columns. `major`: what the author says of it. */
export interface Matrix {
  readonly layout: Layout;
  readonly bytes: number;
  readonly swizzle: Swizzle;
  readonly major: "k" | "mn" | undefined;
}

/** Walks that were found, by where the elements lie, and then by the rest. */
const found = new WeakMap<Layout, Map<string, MatrixStrides | Problem>>();

/** How a matrix is walked as the left (A) or the right side (B) of a product. */
export function stridesAs(side: "A" | "B", { layout, bytes, swizzle, major }: Matrix): MatrixStrides | Problem {
  const known = found.get(layout) ?? new Map<string, MatrixStrides | Problem>();
  found.set(layout, known);
  const key = `${side} ${bytes} ${swizzle} ${major}`;
  let strides = known.get(key);
  if (!strides) {
    const [rows = [], cols = []] = layout.slice(-2);
    strides =
      side === "A"
        ? stridesOf({ mn: rows, k: cols, block: 64, bytes, swizzle })
        : stridesOf({ mn: cols, k: rows, block: extentOf(cols), bytes, swizzle });
    if (!isProblem(strides) && major !== undefined && strides.major !== major) strides = { kind: "irregular" };
    known.set(key, strides);
  }
  return strides;
}

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

/** Do the first `count` elements from each multiple of `every` lie as `expected` says? */
function regular(dimension: Dimension, every: number, expected: (i: number) => number): boolean {
  const extent = extentOf(dimension);
  for (let start = 0; start < extent; start += every) {
    const first = offsetIn(dimension, start);
    const count = Math.min(every, extent - start);
    for (let i = 0; i < count; i++) if (offsetIn(dimension, start + i) - first !== expected(i)) return false;
  }
  return true;
}

function kMajor({ mn, k, block, bytes, swizzle }: Side): MatrixStrides | Problem {
  const width = rowChunks(swizzle);
  const pitch = 16 * width;
  const chunk = 16 / bytes;
  if (offsetIn(mn, 1) !== pitch) return { kind: "pitch", given: offsetIn(mn, 1), wanted: pitch };
  const second = offsetIn(k, chunk);
  const stride = block > 8 ? offsetIn(mn, 8) : 8 * pitch;
  const rows = regular(mn, block, (r) => (r % 8) * pitch + Math.floor(r / 8) * stride);
  const columns = regular(k, instructionK(bytes), (j) => (j % chunk) * bytes + (j < chunk ? 0 : width === 1 ? second : 16));
  const leading = width === 1 ? second : 16;
  return rows && columns ? finish("k", leading, stride, { mn, k, block, bytes, swizzle }) : { kind: "irregular" };
}

function mnMajor({ mn, k, block, bytes, swizzle }: Side): MatrixStrides | Problem {
  const width = rowChunks(swizzle);
  const pitch = 16 * width;
  const chunk = 16 / bytes;
  if (offsetIn(k, 1) !== pitch) return { kind: "pitch", given: offsetIn(k, 1), wanted: pitch };
  const atom = width * chunk;
  const across = block > atom ? offsetIn(mn, atom) : pitch;
  const along = offsetIn(k, 8);
  const rows = regular(mn, block, (i) => (i % atom) * bytes + Math.floor(i / atom) * across);
  const columns = regular(k, instructionK(bytes), (j) => (j % 8) * pitch + Math.floor(j / 8) * along);
  if (!rows || !columns) return { kind: "irregular" };
  const [leading, stride] = width === 1 ? [along, across] : [across, along];
  return finish("mn", leading, stride, { mn, k, block, bytes, swizzle });
}

/** The steps between instructions. Each begins where the swizzle's pattern has its row 0. */
function finish(
  major: "k" | "mn",
  leading: number,
  stride: number,
  { mn, k, block, bytes, swizzle }: Side,
): MatrixStrides | Problem {
  const step = instructionK(bytes);
  const kSteps = range(extentOf(k) / step).map((s) => offsetIn(k, s * step));
  const blocks = range(extentOf(mn) / block).map((s) => offsetIn(mn, s * block));
  const rowStep = blocks[1] ?? 0;
  const even = blocks.every((b, i) => b === i * rowStep);
  const pattern = patternBytes(swizzle);
  const row = 16 * rowChunks(swizzle);
  const aligned = [...kSteps, rowStep].every((b) => b % 16 === 0 && (swizzle === "none" || b % pattern < row));
  const encodable =
    leading % 16 === 0 && stride % 16 === 0 && leading < 2 ** 18 && stride < 2 ** 18 && leading >= 0 && stride >= 0;
  if (!even || !aligned || !encodable) return { kind: "irregular" };
  return { major, leading, stride, kSteps: kSteps.map((b) => b / 16), rowStep: rowStep / 16 };
}
