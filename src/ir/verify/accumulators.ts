import { endsThread, isLoop } from "../flow.ts";
import type { Op, Region, Value } from "../graph.ts";
import { opSpec } from "../ops/index.ts";
import { isAcc } from "../types.ts";
import { eachOperand, usesSome, walkOps } from "../walk.ts";
import { breaks } from "./invariant-error.ts";

/** The accumulators whose registers have been taken over by a later value, with the op that took them. */
type Taken = Map<number, Op>;

/** `op` uses what `by` has updated; or `op` updates in a loop what the loop does not carry: the second iteration finds it updated. */
export interface Misuse {
  readonly op: Op;
  readonly by: Op;
  readonly id: number;
  readonly inNextIteration: boolean;
}
type Report = (misuse: Misuse) => void;

/** Does the op pass the registers of its accumulators on: to its result, into or out of a region? Other uses read. */
function passesOn(op: Op): boolean {
  const { tied, flow, terminator } = opSpec(op.name);
  return tied !== undefined || flow !== undefined || terminator !== undefined;
}

const holdsAcc = ({ type }: Value): boolean => isAcc(type);

function useAccumulators(op: Op, taken: Taken, report: Report): void {
  if (!usesSome(op, holdsAcc)) return;
  eachOperand(op, (value) => {
    if (!isAcc(value.type)) return;
    const by = taken.get(value.id);
    if (by) report({ op, by, id: value.id, inNextIteration: false });
    if (passesOn(op)) taken.set(value.id, op);
  });
}

function checkBranches(op: Op, taken: Taken, report: Report): void {
  const before = new Map(taken);
  for (const region of op.regions) {
    const inside: Taken = new Map(before);
    checkRegion(region, inside, report);
    if (!endsThread(region)) for (const [id, by] of inside) taken.set(id, by);
  }
}

/** Nothing from outside may be updated in a loop: in the second iteration it would be gone. */
function checkLoop(op: Op, taken: Taken, report: Report): void {
  for (const region of op.regions) {
    const inside: Taken = new Map(taken);
    const own = new Set<number>();
    collect(region, own);
    checkRegion(region, inside, report);
    if (endsThread(region)) continue;
    for (const [id, by] of inside) {
      if (!taken.has(id) && !own.has(id)) report({ op: by, by, id, inNextIteration: true });
    }
  }
}

/** Accumulators that come to be in a region. */
function collect(region: Region, ids: Set<number>): void {
  const add = (v: Value): void => {
    if (isAcc(v.type)) ids.add(v.id);
  };
  region.params.forEach(add);
  walkOps(region, (op) => {
    op.results.forEach(add);
    op.regions.forEach((inner) => {
      inner.params.forEach(add);
    });
  });
}

function checkRegion(region: Region, taken: Taken, report: Report): void {
  region.ops.forEach((op) => {
    useAccumulators(op, taken, report);
    if (op.regions.length === 0) return;
    if (isLoop(op)) checkLoop(op, taken, report);
    else checkBranches(op, taken, report);
  });
}

function complain({ op, by, id, inNextIteration }: Misuse): never {
  if (inNextIteration) breaks(op, `updates accumulator %${id} in a loop that does not carry it`);
  breaks(op, `uses accumulator %${id}, which '${by.name}' has already updated in place`);
}

/** Accumulators are linear: on each path at most one op updates a value, and nothing uses it afterwards. */
export const checkAccumulators = (body: Region): void => checkRegion(body, new Map(), complain);

/** The first place where they are not. */
export function misusedAccumulator(body: Region): Misuse | undefined {
  let first: Misuse | undefined;
  checkRegion(body, new Map(), (misuse) => {
    first ??= misuse;
  });
  return first;
}
