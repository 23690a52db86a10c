/** What the options of a pipeline mean for a contraction: checked before anything is rewritten. */

import { bracketed, checkOptions, type Spans } from "../../base/diag/index.ts";
import { elementBytes } from "../../base/element-types.ts";
import { warpSize } from "../../base/target.ts";
import { fail } from "../errors/index.ts";
import { inputsOf, productNames, type WarpProduct, warpProductOf } from "../intrinsics/index.ts";
import type { Program } from "../ir/types.ts";
import { checkAfter } from "./after.ts";
import { type Contraction, contractionOf } from "./contraction.ts";
import type { Extents } from "./extents.ts";
import { type InstructionRow, instructions } from "./instructions.ts";
import { knownOptions, type TensorCorePipelineOptions } from "./options.ts";
import { type TmaCopies, tmaCopiesOf } from "./tma-copies.ts";

/** Everything that passes ask for. */
export interface Plan {
  readonly contraction: Contraction;
  /** How passes differ for the instructions that multiply. */
  readonly row: InstructionRow;
  readonly product: WarpProduct;
  /** The intrinsics of the product. */
  readonly names: ReturnType<typeof productNames>;
  readonly instruction: Extents;
  readonly tile: Extents;
  /** Warps of a block along M and N. */
  readonly warps: { readonly m: number; readonly n: number };
  readonly depth: number;
  /** Operands of a group are loaded before the products of the group before it. */
  readonly doubleBuffer: boolean;
  readonly promoteC: "shared" | "registers";
  readonly swizzle: number;
  readonly epilogue: "predicated" | "peeled";
  readonly padding: number | undefined;
  /** Tiles of A and B go through shared memory: several warps read them, something is computed on the way, or the options say so. */
  readonly promoteOperands: boolean;
  /** The intrinsics by which TMA copies tiles of A and B; undefined: threads copy them. */
  readonly tma: TmaCopies | undefined;
  /** Bits that a thread moves at a time where it copies tiles. */
  readonly copyBits: number;
  /** Factors for axes of the block that tiles do not divide; undefined where they do. */
  readonly pad: readonly number[] | undefined;
}

const mostThreads = 1024;
const isCount = (n: unknown): n is number => typeof n === "number" && Number.isSafeInteger(n) && n >= 1;

function countsOf(option: string, given: unknown, lengths: readonly number[], at: Spans): readonly number[] {
  if (given === undefined) return fail("W5611", { option }, at);
  if (!Array.isArray(given) || !lengths.includes(given.length) || !given.every(isCount))
    return fail("W5612", { option, wanted: `${lengths.join(" or ")} whole numbers from 1 on`, given: textOf(given) }, at);
  return given;
}
const textOf = (given: unknown): string => (Array.isArray(given) ? bracketed(given) : JSON.stringify(given));

function oneOf<T extends string>(option: string, given: T | undefined, all: readonly T[], at: Spans): T | undefined {
  return given === undefined || all.includes(given)
    ? given
    : fail("W5612", { option, wanted: all.map((x) => `"${x}"`).join(" or "), given: textOf(given) }, at);
}
function count(option: string, given: number | undefined, least: number, at: Spans): number | undefined {
  if (given !== undefined && (!Number.isSafeInteger(given) || given < least))
    fail("W5612", { option, wanted: `a whole number from ${least} on`, given: textOf(given) }, at);
  return given;
}

/** The instruction of one warp; `tensorCorePipeline` has taken "wgmma" before. */
function instructionOf(given: TensorCorePipelineOptions["instruction"], at: Spans): "wmma" | "mma.sync" {
  const known: readonly string[] = ["wmma", "mma.sync", "wgmma"];
  oneOf<string>("instruction", given, known, at);
  return given ?? "wmma";
}

/** Whether operands go through shared memory: always where something is computed on the way. */
function promotes(given: "shared" | "global" | undefined, warps: Plan["warps"], computes: boolean, at: Spans): boolean {
  const wanted = given === undefined ? undefined : oneOf("promoteOperands", given, ["shared", "global"], at);
  return computes || (wanted === undefined ? warps.m * warps.n > 1 : wanted === "shared");
}
const mostCopyBits = 128;
function copyBitsOf(given: number | undefined, dtype: keyof typeof elementBytes, at: Spans): number {
  const least = 8 * elementBytes[dtype];
  const bits = given ?? mostCopyBits;
  if (!isCount(bits) || bits < least || bits > mostCopyBits || !Number.isInteger(Math.log2(bits)))
    fail("W5612", { option: "copyBits", wanted: `a power of two from ${least} to ${mostCopyBits}`, given: textOf(given) }, at);
  return bits;
}

/** W5611–W5616. */
function threadsOf(options: TensorCorePipelineOptions, at: Spans): Plan["warps"] {
  const [x = 1, y = 1, z = 1] = countsOf("workgroup", options.workgroup, [3], at);
  const given = bracketed(options.workgroup);
  if (x * y * z > mostThreads) fail("W5614", { workgroup: given, threads: x * y * z, most: mostThreads }, at);
  if (z !== 1) fail("W5615", { workgroup: given, z }, at);
  if (x % warpSize !== 0) fail("W5616", { workgroup: given, x, warp: warpSize }, at);
  return { m: y, n: x / warpSize };
}

/** W5617, W5618. */
function productOf({ family }: InstructionRow, { a, b, c, block }: Contraction, at: Spans): WarpProduct {
  const spans = [...at, ...(block.span ? [block.span] : [])];
  const [left, right] = [a.buffer, b.buffer];
  if (left.dtype !== right.dtype)
    fail("W5617", { a: left.name, b: right.name, types: [left.dtype, right.dtype] as const }, spans);
  return (
    warpProductOf(family, left.dtype, c.dtype) ??
    fail("W5618", { input: left.dtype, sum: c.dtype, known: inputsOf(family).join(", ") }, spans)
  );
}

/** Whether operands are loaded a group ahead, and what that takes. W5623, W5624. */
function aheadOf(
  given: TensorCorePipelineOptions,
  row: InstructionRow,
  { k, step, trips }: { readonly k: number; readonly step: number; readonly trips: number },
  at: Spans,
): boolean {
  const { instruction = "wmma", depth } = given;
  const { doubleBuffer = row.doubleBuffer } = given;
  if (typeof doubleBuffer !== "boolean")
    fail("W5612", { option: "doubleBuffer", wanted: "true or false", given: textOf(doubleBuffer) }, at);
  const what = doubleBuffer && !row.doubleBuffer ? "`doubleBuffer: true`" : `"${instruction}"`;
  const least = doubleBuffer ? { groups: 2, depth: 3 } : row.least;
  if (k / step < least.groups) fail("W5623", { what, least: least.groups, groups: k / step, k, step }, at);
  if (depth < least.depth) fail("W5624", { what, least: least.depth, depth }, at);
  return doubleBuffer && trips > 1;
}

/** The plan for a program. W5610–W5626. */
export function planOf(program: Program, options: TensorCorePipelineOptions, at: Spans): Plan {
  checkOptions(options, knownOptions);
  const given = countsOf("tile", options.tile, [3, 4], at);
  const warps = threadsOf(options, at);
  if (options.depth === undefined) fail("W5611", { option: "depth" }, at);
  if (options.storeStage === undefined) fail("W5611", { option: "storeStage" }, at);
  count("depth", options.depth, 1, at);
  if (options.storeStage !== 1) fail("W5613", { given: textOf(options.storeStage) }, at);
  const row: InstructionRow = instructions[instructionOf(options.instruction, at)];
  const contraction = contractionOf(program, at);
  checkAfter(program, contraction, at);
  const { shape, axes, block } = contraction;
  const spans = [...at, ...(block.span ? [block.span] : [])];
  const [m = 1, n = 1, k = 1] = given.slice(-3);
  const [batch = 1] = given.slice(0, -3);
  const tile: Extents = { m, n, k };
  if (batch !== 1) fail("W5619", { tile: bracketed(given), batch }, at);
  const product = productOf(row, contraction, at);
  const [im, inn, ik] = product.shape;
  const instruction: Extents = { m: im, n: inn, k: ik };
  const warp: Extents = { m: m / warps.m, n: n / warps.n, k };
  const names = ["m", "n", "k"] as const;
  if (names.some((d) => warp[d] % instruction[d] !== 0))
    fail(
      "W5620",
      {
        instruction: bracketed(product.shape),
        warp: bracketed(names.map((d) => warp[d])),
        tile: bracketed(given),
        dtype: product.input,
      },
      at,
    );
  const ragged = names.filter((d) => shape[d] % tile[d] !== 0);
  if (ragged.length > 0 && options.pad !== true)
    fail("W5621", { shape: bracketed(names.map((d) => shape[d])), tile: bracketed(names.map((d) => tile[d])), ragged }, spans);
  if (ragged.length > 0 && contraction.adds) fail("W5622", { block: block.name, c: contraction.c.name }, spans);
  const doubleBuffer = aheadOf(options, row, { k, step: instruction.k, trips: Math.ceil(shape.k / k) }, at);
  const factors = new Map<number, number>(names.map((d) => [axes[d], tile[d]]));
  const promoteC = oneOf("promoteC", options.promoteC, ["shared", "registers"], at) ?? "shared";
  oneOf("copies", options.copies, ["cp.async", "tma"], at);
  const padding = count("padding", options.padding, 0, at);
  const of = { contraction, tile, warps, instruction, padding, ragged: ragged.length > 0 };
  const tma = tmaCopiesOf(options, of, spans);
  return {
    contraction,
    row,
    product,
    names: productNames(row.family, product, [contraction.a.lines, contraction.b.lines]),
    instruction,
    tile,
    warps,
    depth: options.depth,
    doubleBuffer,
    promoteC: (ragged.length > 0 && !tma) || contraction.after.length > 0 ? "shared" : promoteC,
    promoteOperands: promotes(
      options.promoteOperands,
      warps,
      row.fromShared || tma !== undefined || doubleBuffer || ragged.length > 0 || contraction.before.length > 0,
      at,
    ),
    tma,
    copyBits: copyBitsOf(options.copyBits, product.input, at),
    swizzle: count("swizzle", options.swizzle, 1, at) ?? 1,
    epilogue: oneOf("epilogue", options.epilogue, ["predicated", "peeled"], at) ?? row.epilogue,
    padding,
    pad: ragged.length > 0 ? block.axes.map((_, i) => factors.get(i) ?? 1) : undefined,
  };
}

/** Elements that a thread moves at a time: at least one. */
export const vectorOf = (dtype: keyof typeof elementBytes, { copyBits }: Pick<Plan, "copyBits">): number =>
  Math.max(1, copyBits / 8 / elementBytes[dtype]);
