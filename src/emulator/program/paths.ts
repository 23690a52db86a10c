/** Ways through the steps of a program. */
import { traitsOf } from "../../ptx/parse/index.ts";
import type { Step } from "./step.ts";

/** Where control may go on; undefined where that is not known: at a return, at a table of branches. */
function next(step: Step, at: number): readonly number[] | undefined {
  if (step.kind === "segment" || step.kind === "operation") return [at + 1];
  const on = step.guard ? [at + 1] : [];
  if (step.kind === "exit") return on;
  if (step.kind === "branch") return [step.target, ...on];
  return step.instruction.opcode.form === "call" ? [at + 1] : undefined;
}

/** Goes wherever control may go from a step, but not through `target`; gives whether it gets there, and whether past it to the end. */
function explore(steps: readonly Step[], from: number, target: number): { readonly reached: boolean; readonly missed: boolean } {
  const seen = new Set([from]);
  const work = [from];
  let [reached, missed] = [false, false];
  for (let at = work.pop(); at !== undefined; at = work.pop()) {
    const step = steps[at];
    if (at === target) reached = true;
    else if (!step) missed = true;
    else {
      const ways = next(step, at);
      if (!ways) return { reached: true, missed: false };
      if (step.kind === "exit") missed = true;
      for (const way of ways) {
        if (seen.has(way)) continue;
        seen.add(way);
        work.push(way);
      }
    }
  }
  return { reached, missed };
}

const endsAll = ({ instruction, ...step }: Step): boolean =>
  step.kind === "operation" && step.guard === undefined && traitsOf(instruction).traps === true;

/**
 * Whether control may come from a step back to it in a run that ends well; true where nobody knows. What leads to a trap and nowhere
 * else does not count.
 */
export function repeats(steps: readonly Step[], from: number): boolean {
  const seen = new Set<number>();
  const work = [from];
  let ends = false;
  for (let at = work.pop(); at !== undefined; at = work.pop()) {
    const step = steps[at];
    if (!step || step.kind === "exit") ends = true;
    const ways = !step || endsAll(step) ? [] : next(step, at);
    if (!ways) return true;
    for (const way of ways) {
      if (seen.has(way)) continue;
      seen.add(way);
      work.push(way);
    }
  }
  return ends && seen.has(from);
}

/** Whether a run that comes to a step may end well; false where that leads to a trap and nowhere else. */
export function mayEndWell(steps: readonly Step[], from: number): boolean {
  const seen = new Set([from]);
  const work = [from];
  for (let at = work.pop(); at !== undefined; at = work.pop()) {
    const step = steps[at];
    if (!step || step.kind === "exit") return true;
    const ways = endsAll(step) ? [] : next(step, at);
    if (!ways) return true;
    for (const way of ways) {
      if (seen.has(way)) continue;
      seen.add(way);
      work.push(way);
    }
  }
  return false;
}

/** Whether control may come from one step to another; true where nobody knows. */
export const reaches = (steps: readonly Step[], from: number, to: number): boolean => explore(steps, from, to).reached;

/** Whether control may get from a step to the end without another; false where nobody knows. */
export const mayMiss = (steps: readonly Step[], from: number, target: number): boolean => explore(steps, from, target).missed;

/** The steps of the shortest way from one back to it; none where there is no such way. */
export function shortestLoop(steps: readonly Step[], from: number): readonly number[] {
  const before = new Map<number, number>();
  const work = [from];
  for (const at of work) {
    const step = steps[at];
    for (const way of (step && next(step, at)) ?? []) {
      if (way === from) {
        const loop = [at];
        for (let back = before.get(at); back !== undefined; back = before.get(back)) loop.push(back);
        return loop.reverse();
      }
      if (before.has(way)) continue;
      before.set(way, at);
      work.push(way);
    }
  }
  return [];
}
