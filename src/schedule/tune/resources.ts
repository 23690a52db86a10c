/** What a pipeline takes of a multiprocessor, before it is made. */

import { placeOnStack, refuseMore } from "../../base/diag/index.ts";
import { elementBytes } from "../../base/element-types.ts";
import { warpgroupSize, warpSize } from "../../base/target.ts";
import type { TuneResources } from "../../kernel/tune/index.ts";
import type { Program } from "../ir/types.ts";
import type { TensorCorePipelineOptions } from "../pipeline/index.ts";
import { planOf } from "../pipeline/plan.ts";
import { registersOfRoles } from "../roles/registers.ts";

/** Bytes of a register. */
const registerBytes = 4;
/** Bytes that rows of shared memory are padded with where the options say nothing. */
const usualPadding = 16;

const isPowerOf2 = (n: number): boolean => (n & (n - 1)) === 0;

/** Registers of a thread: on average, where those that copy give theirs to those that compute. */
function perThread(held: number, computing: number, copying: number): number {
  const [few, many] = (copying > 0 ? registersOfRoles[computing / warpgroupSize] : undefined) ?? [];
  if (few === undefined || many === undefined || held > many) return held;
  return Math.ceil((held * computing + few * copying) / (computing + copying));
}

/**
 * Threads, shared memory, registers and blocks that `tensorCorePipeline` takes with these options, from the options alone: for `tune`, whose `resources` it is.
 * It is the least that they come to: registers are those of the sums and of one group of operands, which a thread cannot do without. W5610–W5625.
 */
export function tensorCoreResources(program: Program, options: TensorCorePipelineOptions): TuneResources {
  refuseMore(tensorCoreResources, arguments);
  const plan = planOf(program, options, placeOnStack());
  const { tile, warps, instruction, contraction, depth } = plan;
  const bytesOf = (dtype: keyof typeof elementBytes): number => elementBytes[dtype];
  const [a, b, c] = [contraction.a, contraction.b, { buffer: contraction.c }] as const;
  /** Rows of the tile of A or B of mma.sync change places instead, where their length allows it (reduce-bank-conflicts). */
  const swizzled = plan.row.swizzled && plan.padding === undefined;
  const padded = (columns: number, bytes: number): number =>
    columns * bytes + (plan.padding === undefined ? usualPadding : plan.padding * bytes);
  const row = (columns: number, bytes: number): number =>
    swizzled && isPowerOf2(columns) ? columns * bytes : padded(columns, bytes);
  const lie = (lines: "row" | "col", rows: number, columns: number, bytes: number): number =>
    lines === "row" ? rows * row(columns, bytes) : columns * row(rows, bytes);
  const [inA, inB, inC] = [bytesOf(a.buffer.dtype), bytesOf(b.buffer.dtype), bytesOf(c.buffer.dtype)];
  const { shape } = contraction;
  // Stages that no tile of K comes to are not made, but for those that a warpgroup of its own fills.
  const stages = plan.tma ? depth : Math.min(depth, Math.ceil(shape.k / tile.k));
  const operands = plan.promoteOperands ? stages * (lie(a.lines, tile.m, tile.k, inA) + lie(b.lines, tile.k, tile.n, inB)) : 0;
  const result = plan.promoteC === "shared" ? tile.m * padded(tile.n, inC) : 0;
  const computing = warpSize * warps.m * warps.n;
  const copying = plan.tma ? warpgroupSize : 0;
  const [perWarpM, perWarpN] = [tile.m / warps.m, tile.n / warps.n];
  const held = perWarpM * perWarpN * inC + (perWarpM * inA + perWarpN * inB) * instruction.k;
  return {
    threads: computing + copying,
    // At least: buffers whose lives do not meet may lie in the same place. Not with those that a warpgroup of its own fills at any time.
    sharedBytes: plan.tma ? operands + result : Math.max(operands, result),
    registers: perThread(Math.ceil(held / warpSize / registerBytes), computing, copying),
    blocks: shape.batch * Math.ceil(shape.m / tile.m) * Math.ceil(shape.n / tile.n),
  };
}
