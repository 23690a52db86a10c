/**
 * `setmaxnreg` (PTX ISA 9.7.19.5): warps give registers to a pool of their block, or take some from it and wait until there are
 * enough. What the manual leaves open is as ptxas 13.0 does it: the count at entry follows from `.maxnreg`, or from the threads of a
 * block and `.minnctapersm`, and without either the instruction has no effect.
 */
import { KernelFault } from "../../machine/fault.ts";
import type { Kernel } from "../../machine/launch.ts";
import type { Block, Warp } from "../../machine/warp.ts";
import { type Operation, waiting } from "../step.ts";
import type { OperationRule } from "./rule.ts";

/** Registers of a multiprocessor; of a thread. */
const allRegisters = 65536;
const mostRegisters = 255;
/** Warps of a multiprocessor are spread over so many parts. */
const parts = 4;
const step = 8;

/** Registers per thread when the kernel begins; undefined where nothing says. */
export function entryRegisters({ maxnreg, reqntid, maxntid, minnctapersm }: Kernel["directives"]): number | undefined {
  const given = maxnreg !== undefined && maxnreg <= mostRegisters ? maxnreg : undefined;
  const threads = (reqntid ?? maxntid)?.reduce((n, extent) => n * extent, 1);
  if (threads === undefined || minnctapersm === undefined) return given;
  const warps = Math.ceil((minnctapersm * Math.ceil(threads / 32)) / parts) * parts;
  const share = Math.min(mostRegisters, Math.floor(allRegisters / (32 * warps) / step) * step);
  return Math.min(share, given ?? share);
}

/** Registers are counted per thread, of whole warps. */
export interface RegisterPool {
  /** Given back and not taken again. */
  free: number;
  readonly warps: readonly {
    count: number;
    /** What it has got, in order, and at which instruction it asked for it. */
    readonly asked: { readonly count: number; readonly at: number }[];
    /** The instruction at which it waits. */
    asking?: number | undefined;
  }[];
}

const pools = new WeakMap<Block, RegisterPool>();

/** Undefined where `setmaxnreg` has no effect. */
export function registerPool(block: Block): RegisterPool | undefined {
  const known = pools.get(block);
  if (known) return known;
  const entry = entryRegisters(block.launch.program.directives);
  if (entry === undefined) return undefined;
  const count = Math.ceil(entry / step) * step;
  const pool = { free: 0, warps: block.warps.map(() => ({ count, asked: [] })) };
  pools.set(block, pool);
  return pool;
}

/** Gives whether the warp has got what it wants. */
function change({ block, index, at }: Warp, wanted: number): boolean {
  const pool = registerPool(block);
  const warp = pool?.warps[index];
  if (!pool || !warp) return true;
  const more = wanted - warp.count;
  const isGranted = more <= pool.free;
  warp.asking = isGranted ? undefined : at;
  if (!isGranted) return false;
  pool.free -= more;
  warp.count = wanted;
  warp.asked.push({ count: wanted, at });
  return true;
}

export const setmaxnreg: OperationRule = (_, { operands: [count] }) => {
  const value = count?.kind === "int" ? Number(count.value) : 0;
  const run: Operation = (warp) => {
    if (value < 24 || value > 256 || value % step !== 0) {
      throw new KernelFault(`it asked for ${value} registers per thread: it is a multiple of 8 from 24 to 256`);
    }
    return change(warp, value) ? "next" : "wait";
  };
  return waiting(run, ({ block, index }) => {
    const pool = registerPool(block);
    return `${value} registers per thread: it has ${pool?.warps[index]?.count}, and the block has ${pool?.free} more for one warp`;
  });
};
