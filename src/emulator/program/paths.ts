/** Ways through the steps of a program. */
import { traitsOf } from "../../ptx/parse/index.ts";
import type { Step } from "./step.ts";

/** Where control may go on; undefined where that is not known: at a return, at a table of branches. */
export function nextSteps(step: Step, at: number): readonly number[] | undefined {
  if (step.kind === "segment" || step.kind === "operation") return [at + 1];
  const on = step.guard ? [at + 1] : [];
  if (step.kind === "exit") return on;
  if (step.kind === "branch") return [step.target, ...on];
  return step.instruction.opcode.form === "call" ? [at + 1] : undefined;
}

const endsAll = (step: Step | undefined): boolean =>
  step?.kind === "operation" && step.guard === undefined && traitsOf(step.instruction).traps === true;

/** `ended`: at the end, or at an exit. */
interface Explored {
  readonly reached: ReadonlySet<number>;
  readonly ended: boolean;
}

/**
 * Goes wherever control may go on from a step, but not through one that `stops`; undefined where it comes to one behind which nobody knows. The
 * step itself is among those that are reached where control comes back to it.
 */
function explore(
  steps: readonly Step[],
  from: number,
  stops: (step: Step | undefined, at: number) => boolean,
): Explored | undefined {
  const reached = new Set<number>();
  const work = [from];
  let ended = false;
  for (let at = work.pop(); at !== undefined; at = work.pop()) {
    const step = steps[at];
    if (stops(step, at)) continue;
    if (!step || step.kind === "exit") ended = true;
    const ways = step ? nextSteps(step, at) : [];
    if (!ways) return undefined;
    for (const way of ways) {
      if (reached.has(way)) continue;
      reached.add(way);
      work.push(way);
    }
  }
  return { reached, ended };
}

/**
 * Whether control may come from a step back to it in a run that ends well; true where nobody knows. What leads to a trap and nowhere
 * else does not count.
 */
export function repeats(steps: readonly Step[], from: number): boolean {
  const found = explore(steps, from, endsAll);
  return !found || (found.ended && found.reached.has(from));
}

/** Whether a run that comes to a step may end well; false where that leads to a trap and nowhere else. */
export const mayEndWell = (steps: readonly Step[], from: number): boolean => explore(steps, from, endsAll)?.ended ?? true;

/** Whether control may come from one step to another; true where nobody knows. */
export function reaches(steps: readonly Step[], from: number, to: number): boolean {
  const found = explore(steps, from, (_, at) => at === to);
  return !found || from === to || found.reached.has(to);
}

/** Whether control may get from a step to the end without another; false where nobody knows. */
export const mayMiss = (steps: readonly Step[], from: number, target: number): boolean =>
  explore(steps, from, (_, at) => at === target)?.ended ?? false;

/** The steps of the shortest way from one back to it; none where there is no such way. */
export function shortestLoop(steps: readonly Step[], from: number): readonly number[] {
  const before = new Map<number, number>();
  const work = [from];
  for (const at of work) {
    const step = steps[at];
    for (const way of (step && nextSteps(step, at)) ?? []) {
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
