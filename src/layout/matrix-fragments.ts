/**
 * Fragments of matrices in the registers of a warp or a warpgroup: PTX ISA 9.7.14.5 (mma.sync, ldmatrix, stmatrix) and 9.7.15.5.1
 * (wgmma). `register` counts elements: those narrower than 32 bits stand in one word, the first lowest.
 *
 * All are built of one tile, the 8 x 8 words of `matrixFragment`: lane 4 g + t holds the words of row g that begin at column t times
 * the elements of a word.
 */
import { powerOfTwoFrom, powersBelow } from "./bits.ts";
import { frame, identity, repeated } from "./blocked.ts";
import { product, rename, transpose } from "./compose.ts";
import { fit } from "./fit.ts";
import { type LinearLayout, linear } from "./linear-layout.ts";

const start = frame(["register", "lane", "warp"], ["row", "col"]);
const chain = (...layouts: readonly LinearLayout[]): LinearLayout => layouts.reduce(product, start);

/** Eight rows of four words of `width` elements: what every fragment is a grid of. */
const words = (width: number): LinearLayout =>
  chain(identity(width, "register", "col"), identity(4, "lane", "col"), identity(8, "lane", "row"));

export interface Accumulator {
  /** N of the instruction, a multiple of 8. One that is no power of two counts as the next one: `registersWithin` leaves those out. */
  readonly cols: number;
  /** Of one warpgroup: a multiple of 64, by default 64. */
  readonly rows?: number;
  /** That share the rows out, `rows` to each, which must be a power of two then; by default 1. */
  readonly warpgroups?: number;
}

/** The accumulator D of wgmma, m64nNkK: PTX ISA 9.7.15.5.1. Further 64 rows are further registers. */
export function wgmmaAccumulator({ cols, rows = 64, warpgroups = 1 }: Accumulator): LinearLayout {
  if (cols % 8 !== 0 || rows % 64 !== 0 || cols < 8 || rows < 64)
    throw new RangeError(`An accumulator of wgmma has multiples of 64 rows and of 8 columns, not ${rows} x ${cols}.`);
  if (warpgroups > 1 && !Number.isInteger(Math.log2(rows)))
    throw new RangeError(
      `${rows} rows of each warpgroup are no power of two: take the layout of one warpgroup, and add its first row.`,
    );
  const [height, width] = [powerOfTwoFrom(rows), powerOfTwoFrom(cols)];
  const [further, eights] = [powersBelow(height / 64), powersBelow(width / 8)];
  // Compilations ask for this one again and again: what products of fragments would give, written down.
  return linear(
    {
      register: [[0, 1], [8, 0], ...eights.map((n) => [0, 8 * n]), ...further.map((n) => [64 * n, 0])],
      lane: [...[2, 4].map((col) => [0, col]), ...[1, 2, 4].map((row) => [row, 0])],
      warp: [...[16, 32].map((row) => [row, 0]), ...powersBelow(warpgroups).map((n) => [height * n, 0])],
    },
    { row: height * warpgroups, col: width },
  );
}

/** A of wgmma from registers: 64 rows of `k` columns of a type of 8, 16 or 32 bits. PTX ISA 9.7.15.5.1. */
export const wgmmaOperand = ({ bits, k = 256 / bits }: { readonly bits: 8 | 16 | 32; readonly k?: number }): LinearLayout =>
  fit(product(quads(32 / bits), identity(4, "warp", "row")), { row: 64, col: k });

/**
 * Metadata of a sparse A of wgmma, in elements of 16 bits: four chunks of a row each. Of types of 16 and 32 bits a register has those of a row and of
 * the row 8 below, and threads 2 and 3 of four have the next instruction's; of 8 bits it has eight chunks of one row. PTX ISA 9.7.15.6.1.
 */
export const sparseMetadata = (bytes: 1 | 2): LinearLayout =>
  linear(
    {
      register: [bytes === 1 ? [0, 1] : [8, 0]],
      lane: [
        ...(bytes === 1
          ? [
              [8, 0],
              [0, 2],
            ]
          : [
              [0, 1],
              [0, 2],
            ]),
        ...[1, 2, 4].map((row) => [row, 0]),
      ],
      warp: [16, 32].map((row) => [row, 0]),
    },
    { row: 64, col: 4 },
  );

/** 16 rows of twice four words, the two halves of rows before those of columns. */
const quads = (width: number): LinearLayout =>
  chain(words(width), identity(2, "register", "row"), identity(2, "register", "col"));

/** Warps along M and N; those along N are the neighbours. */
export interface Warps {
  readonly m: number;
  readonly n: number;
}
const alone: Warps = { m: 1, n: 1 };

/** C and D of mma.sync m16n8kK: PTX ISA 9.7.14.5. */
export const mmaAccumulator = ({ m, n }: Warps = alone): LinearLayout =>
  chain(words(2), identity(2, "register", "row"), identity(n, "warp", "col"), identity(m, "warp", "row"));

export interface MmaOperand {
  readonly operand: "A" | "B";
  /** Neighbours along K that a lane holds: 32 bits of them, or more where they are converted to a wider type first. */
  readonly kWidth: number;
  /** Of the instruction or of several: a multiple of 4 kWidth. */
  readonly k: number;
  readonly warps?: Warps;
}

/**
 * A (rows M, columns K) or B (rows K, columns N) of mma.sync m16n8kK: PTX ISA 9.7.14.5. Warps along the dimension that the operand has
 * not hold the same.
 */
export function mmaOperand({ operand, kWidth, k, warps: { m, n } = alone }: MmaOperand): LinearLayout {
  if (k % (4 * kWidth) !== 0) throw new RangeError(`K is ${k}, no multiple of ${4 * kWidth}: four lanes of ${kWidth} elements.`);
  const [across, along] = [repeated(operand === "A" ? n : m, "warp", "row"), identity(operand === "A" ? m : n, "warp", "row")];
  const [first, second] = operand === "A" ? [across, along] : [along, across];
  const rows = identity(operand === "A" ? 2 : 1, "register", "row");
  const layout = fit(product(words(kWidth), rows), { row: operand === "A" ? 16 : 8, col: k });
  const whole = [first, second].reduce(product, layout);
  return operand === "A" ? whole : transpose(rename(whole, { row: "col", col: "row" }), ["row", "col"]);
}

/**
 * What ldmatrix and stmatrix move: `count` matrices of 8 x 8 elements of 16 bits, one word of each in every lane. PTX ISA 9.7.14.5.15,
 * 9.7.14.5.16. `transposed` is `.trans`: rows of memory are columns of the fragment.
 */
export function matrixFragment(count: 1 | 2 | 4, { transposed = false } = {}): LinearLayout {
  const plain = product(words(2), identity(count, "register", "matrix"));
  return transposed ? transpose(rename(plain, { row: "col", col: "row" }), ["row", "col", "matrix"]) : plain;
}

/** Which lane gives the address of which row of which matrix; the lanes beyond the last row repeat others, and are ignored. */
export const matrixAddresses = (count: 1 | 2 | 4): LinearLayout =>
  linear(
    { lane: [...powersBelow(8).map((row) => [0, row]), ...[1, 2].map((matrix) => [matrix < count ? matrix : 0, 0])] },
    { matrix: count, row: 8 },
  );

/**
 * Where matrices of 8 x 8 lie in a tile, the first of `order` fastest: from matrix, row and col to row and col. Two by two, rows first:
 * `matrixGrid({ row: 2, col: 2 }, ["row", "col"])` is how registers of wgmma and of A of mma.sync lie.
 */
export function matrixGrid(
  counts: { readonly row: number; readonly col: number },
  order: readonly ("row" | "col")[],
): LinearLayout {
  const inside = product(
    product(frame(["matrix", "row", "col"], ["row", "col"]), identity(8, "row", "row")),
    identity(8, "col", "col"),
  );
  return order.reduce((layout, name) => product(layout, identity(counts[name], "matrix", name)), inside);
}
