import { optionsOf } from "../../base/diag/index.ts";
import { add, compare, shr } from "../../ir/arith.ts";
import { callFunction } from "../calls/call.ts";
import { branch, noVariables } from "../control/branch.ts";
import { checkOptionsHere, describe } from "../numbers/describe.ts";
import { judgeBlockBarriers } from "../sync/index.ts";
import { failHere } from "../trace/fail-here.ts";
import { emitMark } from "../trace/mark.ts";
import { asPartition, isPartitioned, type Running, threadsOf } from "../trace/partition.ts";
import { scalar } from "../trace/scalar.ts";
import { currentTrace, type Trace } from "../trace/trace.ts";
import { checkRegisters, entryRegisters, setRegisters } from "./registers.ts";

/** Warpgroups that do one part of the work: see `warpgroup.specialize`. W2601, W6501–W6507. */
export interface Partition {
  /** 128 threads each. Default 1. */
  warpgroups?: number;
  /** Registers per thread (`setmaxnreg`): a multiple of 8 from 24 to 256. The sum over the block must fit what its threads begin with. W6502, W6503. */
  registers?: number;
  /** Runs on this partition's threads. `index`: the warpgroup's number within the partition (static 0 if it is alone). */
  run(index: number): void;
}

const partitionOptions = optionsOf<Partition>("A partition", { warpgroups: true, registers: true, run: true });

interface Dealt extends Running {
  readonly name: string;
  readonly registers: number | undefined;
  readonly partition: Partition;
}

export const warpgroupIndex = (trace: Trace) => shr(trace, trace.once("warp.index", {}, {}), 2);

/** Refuses blocks that are not made of warpgroups. W6505. */
export function checkWarpgroups(trace: Trace, what: string): number {
  const threads = threadsOf(trace);
  return threads % 128 === 0 ? threads / 128 : failHere("W6505", { what, threads });
}

/** In the order written. W6501, W6504, W6507. */
function deal(trace: Trace, partitions: Readonly<Record<string, Partition>>): readonly Dealt[] {
  const there = checkWarpgroups(trace, "`warpgroup.specialize`");
  if (typeof partitions !== "object" || partitions === null)
    failHere("W2010", {
      what: "What `warpgroup.specialize` takes",
      wanted: "an object of partitions",
      got: describe(partitions),
      fix: "write `{ load: { run: () => { … } }, compute: { warpgroups: 2, run: () => { … } } }`",
    });
  let next = 0;
  const dealt = Object.entries(partitions).map(([name, partition]): Dealt => {
    checkOptionsHere(partition, { ...partitionOptions, of: `The partition \`${name}\`` });
    const count: unknown = partition.warpgroups ?? 1;
    if (typeof count !== "number" || !Number.isInteger(count) || count < 1)
      return failHere("W6504", { name, given: typeof count === "number" ? String(count) : "a staged number of" });
    if (typeof partition.run !== "function") failHere("W6507", { name });
    const from = next;
    next += count;
    const registers =
      partition.registers === undefined ? undefined : checkRegisters(partition.registers, `the partition \`${name}\``);
    return { name, partition, first: from, count, registers };
  });
  const names = dealt.map((d) => `${d.name} (${d.count})`).join(", ");
  if (next !== there) failHere("W6501", { partitions: names, sum: next, there, threads: threadsOf(trace) });
  return dealt;
}

/** W6503. */
function checkPool(trace: Trace, dealt: readonly Dealt[], entry: number): void {
  if (dealt.every((d) => d.registers === undefined)) return;
  const sum = dealt.reduce((n, d) => n + d.count * 128 * (d.registers ?? entry), 0);
  const pool = threadsOf(trace) * entry;
  const text = dealt.map((d) => `${d.name} ${d.count} x 128 x ${d.registers ?? entry}`).join(", ");
  if (sum > pool) failHere("W6503", { partitions: text, sum, pool });
}

/** See `warpgroup.specialize`. */
export function specialize(partitions: Readonly<Record<string, Partition>>): void {
  const trace = currentTrace("warpgroup.specialize");
  if (isPartitioned(trace)) failHere("W6506", {});
  const dealt = deal(trace, partitions);
  const entry = entryRegisters(trace);
  checkPool(trace, dealt, entry);
  runFrom(trace, dealt, entry);
  judgeBlockBarriers(trace, dealt);
}

/** The first of them, or else the others. */
function runFrom(trace: Trace, dealt: readonly Dealt[], entry: number): void {
  const [mine, ...others] = dealt;
  if (!mine) return;
  if (others.length === 0) {
    runPartition(trace, mine, entry);
    return;
  }
  const condition = scalar(compare(trace, "lt", warpgroupIndex(trace), mine.first + mine.count));
  const side = (run: () => void) => () => {
    run();
    return undefined;
  };
  branch(
    trace,
    condition,
    side(() => runPartition(trace, mine, entry)),
    side(() => runFrom(trace, others, entry)),
    noVariables,
  );
}

function runPartition(trace: Trace, dealt: Dealt, entry: number): void {
  asPartition(trace, dealt, () => {
    emitMark(trace, "role", dealt.name);
    if (dealt.registers !== undefined) setRegisters(trace, dealt.registers, entry);
    const index = dealt.count === 1 ? 0 : scalar(add(trace, warpgroupIndex(trace), -dealt.first));
    callFunction(trace, {
      f: dealt.partition.run,
      receiver: dealt.partition,
      args: [index],
      text: `${dealt.name}.run`,
      construct: false,
    });
  });
}
