import { add, and, compare, first, mul } from "../../ir/arith.ts";
import type { Value } from "../../ir/index.ts";
import { scalar } from "../trace/scalar.ts";
import { ownMethods } from "../trace/staged.ts";
import { currentTrace, type Trace } from "../trace/trace.ts";
import { Collective, type CollectiveMethod } from "./collective.ts";
import { checkRegisters, entryRegisters, setRegisters } from "./registers.ts";
import { checkWarpgroups, type Partition, specialize, warpgroupIndex } from "./specialize.ts";
import { warpgroupBarrier } from "./warpgroup-barrier.ts";

export type { Partition } from "./specialize.ts";

/** The thread's number in the block. */
function linearThread(trace: Trace): Value {
  const [bx, by, bz] = trace.options.launch.block;
  const id = (axis: "x" | "y" | "z"): Value => trace.once("sreg", {}, { reg: `tid.${axis}` });
  let sum = id("x");
  if (by > 1) sum = add(trace, mul(trace, id("y"), bx), sum);
  if (bz > 1) sum = add(trace, mul(trace, id("z"), bx * by), sum);
  return sum;
}

class Warpgroup extends Collective {
  constructor() {
    super("warpgroup");
  }

  /** The warpgroup's number in the block, from 0 on; the same in all its threads, and the compiler knows it. W6505. */
  get index(): number {
    const trace = currentTrace("warpgroup.index");
    checkWarpgroups(trace, "`warpgroup.index`");
    return scalar(warpgroupIndex(trace));
  }

  /** The thread's number in its warpgroup: 0 to 127. W6505. */
  get thread(): number {
    const trace = currentTrace("warpgroup.thread");
    checkWarpgroups(trace, "`warpgroup.thread`");
    return scalar(and(trace, linearThread(trace), 127));
  }

  /** True in one thread of the warpgroup. All 128 call it together. PTX `elect.sync` (9.7.13.14). W6505. */
  elect(): boolean {
    const trace = currentTrace("warpgroup.elect");
    checkWarpgroups(trace, "`warpgroup.elect`");
    const firstWarp = compare(trace, "eq", and(trace, trace.once("warp.index", {}, {}), 3), 0);
    return scalar(trace.once("and", { a: firstWarp, b: first(trace.emit("elect.sync", {}, {})) }, {}));
  }

  /** Splits the block: warpgroups are dealt to the partitions in the order written. Partitions meet again after it, without a barrier. W6501–W6507. */
  specialize(partitions: Readonly<Record<string, Partition>>): void {
    specialize(partitions);
  }

  /** Registers per thread from here on, by hand: a multiple of 8 from 24 to 256. All 128 threads call it. PTX `setmaxnreg` (9.7.19.5). W6502, W6505. */
  setRegisters(count: number): void {
    const trace = currentTrace("warpgroup.setRegisters");
    checkWarpgroups(trace, "`warpgroup.setRegisters`");
    setRegisters(trace, checkRegisters(count, "a warpgroup"), entryRegisters(trace));
  }

  /** The 128 threads of this warpgroup meet, and see what the others have written: barrier 15 minus the warpgroup's number. PTX `bar.sync`. W6505, W6522. */
  sync(): void {
    const trace = currentTrace("warpgroup.sync");
    trace.emit("bar.sync", { id: warpgroupBarrier(trace, "`warpgroup.sync`") }, { count: 128 });
  }
}
ownMethods(Warpgroup);

/**
 * The warpgroup that the thread is in: the 128 threads that run wgmma together. The block is made of whole ones (W6505).
 *
 * @example
 * ```ts
 * const roles = kernel({ block: 256, grid: 1 }, (y: Tensor<"i32", 1>) => {
 *   warpgroup.specialize({
 *     producer: { registers: 40, run: () => {} },
 *     consumer: { registers: 232, run: () => void (y[warpgroup.thread] = 1) },
 *   });
 * });
 *
 * await using gpu = await openDevice();
 * roles.launch({}, gpu.zeros("i32", [128]));
 * ```
 */
export const warpgroup: Pick<
  Warpgroup,
  "index" | "thread" | "elect" | "specialize" | "setRegisters" | "sync" | CollectiveMethod
> = new Warpgroup();
