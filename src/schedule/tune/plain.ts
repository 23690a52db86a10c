/**
 * A program without any tricks, as a reference: a thread for each element of the result. Slow, and made of steps that change nothing of what is computed.
 */

import { writtenBuffers } from "../facts/touches.ts";
import { intOf } from "../ir/build.ts";
import type { Block } from "../ir/types.ts";
import { blocksOf } from "../ir/walk.ts";
import { type BlockRef, type LoopRef, Schedule } from "../schedule.ts";

const mostThreads = 256;

/** Threads that divide so many elements, so that none is guarded: what a guarded thread keeps in registers is not known to have a value. */
function threadsFor(elements: number | undefined): number {
  let threads = mostThreads;
  while (elements !== undefined && elements % threads !== 0) threads /= 2;
  return threads;
}

/** The loops that spatial axes of a block take their values from, in its order. */
function spatialLoops(sch: Schedule, ref: BlockRef, block: Block): { readonly spatial: LoopRef[]; readonly other: LoopRef[] } {
  const driving = new Set(
    block.axes.flatMap((axis, i) => {
      const value = block.values[i];
      return axis.type === "spatial" && value?.kind === "var" ? [value] : [];
    }),
  );
  const loops = sch.getLoops(ref);
  return {
    spatial: loops.filter(({ variable }) => driving.has(variable)),
    other: loops.filter(({ variable }) => !driving.has(variable)),
  };
}

/** Why a program has no plain kernel, or its schedule. Throws what a step refuses. */
export function plainSchedule(program: Schedule["program"]): Schedule | string {
  const sch = new Schedule(program);
  const all = blocksOf(program);
  const sums = all.filter((b) => b.axes.some(({ type }) => type === "reduce"));
  if (sums.length > 1) return `${sums.length} of its blocks sum something up`;
  const made = (b: Block): boolean => program.buffers.some((own) => writtenBuffers(b).includes(own));
  // What is computed before the block that sums up is computed where it is read; of several blocks without sums all but the last.
  const main = sums[0] ?? all.at(-1);
  if (!main) return "it has no block";
  const behind = all.slice(all.indexOf(main) + 1);
  for (const block of all.slice(0, all.indexOf(main))) {
    if (!made(block)) return `'${block.name}' makes a result of its own`;
    sch.computeInline(sch.getBlock(block.name));
  }
  const ref = sch.getBlock(main.name);
  const now = blocksOf(sch.program).find((b) => b.name === main.name) ?? main;
  const { spatial, other } = spatialLoops(sch, ref, now);
  const [first, ...rest] = spatial;
  if (!first) return `'${main.name}' has no spatial loop`;
  if (other.length > 0) sch.reorder(...spatial, ...other);
  const extents = now.axes.flatMap((axis) => (axis.type === "spatial" ? [intOf(axis.extent)] : []));
  const elements = extents.reduce((all, n) => (all === undefined || n === undefined ? undefined : all * n), 1);
  const [blocks, lane] = sch.split(rest.length > 0 ? sch.fuse(first, ...rest) : first, [null, threadsFor(elements)]);
  if (!blocks || !lane) return `'${main.name}' has no loops`;
  sch.bind(blocks, "blockIdx.x");
  sch.bind(lane, "threadIdx.x");
  if (behind.length === 0) return sch;
  // The sum is in a register, and what takes it is computed on its way to memory.
  sch.cacheWrite(ref, 0, "local", lane);
  for (const { name } of behind) sch.reverseComputeInline(sch.getBlock(name));
  const [along] = sch.getLoops(ref).filter(({ variable }) => other.some((loop) => loop.variable === variable));
  if (along && now.init) sch.decomposeReduction(ref, along);
  return sch;
}
