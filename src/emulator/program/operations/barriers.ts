/** Barriers of blocks and clusters (PTX ISA 9.7.13.1, 9.7.13.4). Counted by warp: a warp counts as 32 threads. */
import { type Instruction, type Operand, readForm, readFormNames } from "../../../ptx/parse/index.ts";
import { KernelFault } from "../../machine/fault.ts";
import { lowestLane } from "../../machine/lanes.ts";
import { Notes } from "../../machine/notes.ts";
import { type Block, type Cluster, type Gathering, lanes, type Split, type Warp } from "../../machine/warp.ts";
import { type Operating, type Read, readPredicate, readWord, writeWord } from "../operands.ts";
import { type Operation, type Outcome, waiting } from "../step.ts";
import { fence, gridDependency, nothing, type OperationRule, type OperationRules } from "./rule.ts";
import { warpSync } from "./warp-sync.ts";

/** Threads that a barrier without a count waits for: those that have not exited, in whole warps. */
const present = (block: Block): number => lanes * block.warps.filter((warp) => warp.live !== 0).length;

function gathering(block: Block, id: number, count: number | undefined): Gathering {
  if (id < 0 || id > 15) throw new KernelFault(`it used the barrier ${id}: there are 16, from 0`);
  if (count !== undefined && (count % lanes !== 0 || count <= 0)) {
    throw new KernelFault(`it used the barrier ${id} for ${count} threads, which are no whole warps`);
  }
  const known = block.barriers.get(id);
  if (known && known.count !== count) {
    const text = (n: number | undefined) => (n === undefined ? "all threads" : `${n} threads`);
    throw new KernelFault(`threads wait at the barrier ${id} for ${text(known.count)}, others for ${text(count)}`);
  }
  if (known) return known;
  const fresh: Gathering = { arrived: 0, count, token: { open: false, result: 0 }, sum: 0, threads: 0 };
  block.barriers.set(id, fresh);
  return fresh;
}

function openIfFull(block: Block, id: number): void {
  const g = block.barriers.get(id);
  if (!g || g.arrived < (g.count ?? present(block))) return;
  g.token.open = true;
  block.barriers.delete(id);
}

interface BarrierOperands {
  readonly id: Read;
  /** All lanes name the same. */
  readonly isConstant: boolean;
  readonly count: Read | undefined;
  readonly value: Read | undefined;
}

/** The whole warp names one barrier (PTX ISA 9.7.13.1). */
function agreed(warp: Warp, mask: number, { id: read, isConstant }: BarrierOperands): number {
  const lane = lowestLane(mask);
  const id = read(warp, lane);
  if (isConstant) return id;
  for (let l = lane + 1; l < lanes; l++) {
    if (!((mask >>> l) & 1) || read(warp, l) === id) continue;
    throw new KernelFault(`lanes ${lane} and ${l} of one warp came to the barriers ${id} and ${read(warp, l)} together`);
  }
  return id;
}

function arrive(warp: Warp, mask: number, o: BarrierOperands, i: Instruction): Gathering {
  const lane = lowestLane(mask);
  const id = agreed(warp, mask, o);
  const g = gathering(warp.block, id, o.count?.(warp, lane));
  warp.block.launch.monitor?.barrierArrives(warp, mask, g.token, i, id);
  g.arrived += lanes;
  if (o.value) {
    for (let l = 0; l < lanes; l++) {
      if (!((mask >>> l) & 1)) continue;
      g.threads += 1;
      g.sum += o.value(warp, l) ? 1 : 0;
    }
  }
  return g;
}

const gatherings = new Notes<Gathering>();

/** Arrives, then waits; `finish` gets what the others brought. */
function sync(i: Instruction, o: BarrierOperands, finish: (warp: Warp, mask: number, g: Gathering) => void): Operation {
  const run = (warp: Warp, mask: number, split: Split): Outcome => {
    const id = o.id(warp, lowestLane(mask));
    const first = split.token === undefined;
    if (first) {
      const g = arrive(warp, mask, o, i);
      split.token = g.token;
      gatherings.set(g.token, g);
    }
    openIfFull(warp.block, id);
    const token = split.token;
    if (!token?.open) return first ? "arrived" : "wait";
    split.token = undefined;
    warp.block.launch.monitor?.barrierLeaves(warp, mask, token, i, id);
    const g = gatherings.get(token);
    if (g) finish(warp, mask, g);
    return "next";
  };
  return waiting(run, (warp, mask, split) => {
    const g = split.token && gatherings.get(split.token);
    return `barrier ${o.id(warp, lowestLane(mask))}, which has ${g?.arrived ?? 0} of ${g?.count ?? present(warp.block)} threads`;
  });
}

const operands = (c: Operating, id: Operand | undefined, count: Operand | undefined, value?: Operand): BarrierOperands => ({
  id: readWord(c, id),
  isConstant: id?.kind === "int",
  count: count && readWord(c, count),
  value: value && readPredicate(c, value),
});

const barSync: OperationRule = (c, i) => sync(i, operands(c, i.operands[0], i.operands[1]), () => {});

const barArrive: OperationRule = (c, i) => {
  const o = operands(c, i.operands[0], i.operands[1]);
  return (warp, mask) => {
    arrive(warp, mask, o, i);
    openIfFull(warp.block, o.id(warp, lowestLane(mask)));
    return "next";
  };
};

function reduction(result: (i: Instruction, g: Gathering) => number): OperationRule {
  return (c, i) => {
    const [d, id, count, value] = i.operands;
    const write = writeWord(c, d);
    return sync(i, operands(c, id, count, value), (warp, mask, g) => {
      for (let lane = 0; lane < lanes; lane++) if ((mask >>> lane) & 1) write(warp, lane, result(i, g));
    });
  };
}
const barRed = reduction((i, g) => Number(i.opcode.modifiers.op === "and" ? g.sum === g.threads : g.sum > 0));
const barCount = reduction((_, g) => g.sum);

const clusterArrive: OperationRule = (_, i) => (warp, mask) => {
  const { cluster, launch } = warp.block;
  launch.monitor?.clusterArrives(warp, mask, i);
  if (warp.clusterPhase > cluster.phase)
    throw new KernelFault("it arrived at the barrier of its cluster twice without a wait between");
  warp.clusterPhase += 1;
  return "next";
};
/** Warps that its barrier waits for: those that have not exited. One that has arrived and exited since counts neither as missing nor in place of another. */
const living = (cluster: Cluster): readonly Warp[] => cluster.warps.filter((each) => each.live !== 0);
const hasArrived = (warp: Warp): boolean => warp.clusterPhase > warp.block.cluster.phase;
const clusterWait: OperationRule = (_, i) =>
  waiting(
    (warp, mask) => {
      const { cluster, launch } = warp.block;
      if (hasArrived(warp) && living(cluster).every(hasArrived)) cluster.phase += 1;
      if (hasArrived(warp)) return "wait";
      launch.monitor?.clusterLeaves(warp, mask, i);
      return "next";
    },
    ({ block: { cluster } }) =>
      `the barrier of the cluster, which has ${living(cluster).filter(hasArrived).length} of ${living(cluster).length} warps`,
  );

const nanosleep: OperationRule = () => (warp) => {
  warp.block.launch.scheduler?.sleeps(warp);
  return "quiet";
};

export const barrierRules: OperationRules = {
  "bar.sync": barSync,
  "barrier.sync": barSync,
  "bar.arrive": barArrive,
  "barrier.arrive": barArrive,
  "bar.red": barRed,
  "barrier.red": barRed,
  "bar.red.popc": barCount,
  "barrier.red.popc": barCount,
  "barrier.cluster.arrive": clusterArrive,
  "barrier.cluster.wait": clusterWait,
  "bar.warp.sync": warpSync,
  ...Object.fromEntries(readFormNames.flatMap((name) => (readForm(name).fence ? [[name, fence]] : []))),
  griddepcontrol: gridDependency,
  nanosleep,
  pmevent: nothing,
  prefetch: nothing,
  prefetchu: nothing,
  "prefetch.tensormap": nothing,
  applypriority: nothing,
  discard: nothing,
  "cp.async.bulk.prefetch": nothing,
  "cp.async.bulk.prefetch.tensor": nothing,
};
