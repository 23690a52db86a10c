/** Data flow over the steps of a program: what may hold at each place, on any path from the beginning. */
import { nextSteps } from "../../program/paths.ts";
import type { Step } from "../../program/step.ts";

/** Steps that run one after the other: control comes in at the first and goes on behind the last. */
export interface BasicBlock {
  readonly steps: readonly Step[];
  /** Blocks that control may go on to, by their place in the list. */
  readonly next: readonly number[];
}

/** Of the steps that control can go to. What a function does that is called is not looked at. */
const successors = (step: Step, at: number): readonly number[] =>
  nextSteps(step, at) ?? ("guard" in step && step.guard ? [at + 1] : []);

/** Steps that others than the one before them lead to, or that stand behind a choice. */
function beginnings(steps: readonly Step[]): ReadonlySet<number> {
  const first = new Set([0]);
  steps.forEach((step, at) => {
    const next = successors(step, at);
    if (next.length !== 1 || next[0] !== at + 1) for (const to of [...next, at + 1]) first.add(to);
  });
  return first;
}

/** Those that control can come to, in reverse post-order: without loops, each is behind all that lead to it. */
export function basicBlocks(steps: readonly Step[]): readonly BasicBlock[] {
  const first = beginnings(steps);
  const endOf = (begin: number): number => {
    let at = begin + 1;
    while (at < steps.length && !first.has(at)) at++;
    return at;
  };
  const found = new Map<number, { readonly end: number; readonly next: readonly number[] }>();
  const order: number[] = [];
  const enter = (begin: number) => {
    const end = endOf(begin);
    const last = steps[end - 1];
    const next = last ? successors(last, end - 1).filter((to) => to < steps.length) : [];
    found.set(begin, { end, next });
    return { begin, next, done: 0 };
  };
  const path = steps.length > 0 ? [enter(0)] : [];
  for (let top = path.at(-1); top; top = path.at(-1)) {
    const to = top.next[top.done++];
    if (to === undefined) order.push((path.pop() ?? top).begin);
    else if (!found.has(to)) path.push(enter(to));
  }
  order.reverse();
  const place = new Map(order.map((begin, i) => [begin, i]));
  return order.map((begin) => {
    const { end, next } = found.get(begin) ?? { end: begin, next: [] };
    return { steps: steps.slice(begin, end), next: next.map((to) => place.get(to) ?? 0) };
  });
}

/** Takes over what it lacks; gives whether that was anything. */
function join(to: Int32Array, from: Int32Array): boolean {
  let more = 0;
  for (let i = 0; i < to.length; i++) {
    const added = (from[i] ?? 0) & ~(to[i] ?? 0);
    if (added === 0) continue;
    to[i] = (to[i] ?? 0) | added;
    more = 1;
  }
  return more !== 0;
}

/**
 * The bits before each block: those that some path sets. A path begins with none. `run` makes of the bits before a block those behind it, and
 * of more before it makes no less behind it; of its `words` the first `carried` go on from block to block, and the others are 0 where it begins.
 */
export function flow(
  blocks: readonly BasicBlock[],
  words: number,
  carried: number,
  run: (block: BasicBlock, bits: Int32Array) => void,
): readonly Int32Array[] {
  const before = blocks.map(() => new Int32Array(carried));
  // Every block is to be gone through once, and again whenever there is more before it.
  const due = blocks.map(() => true);
  const bits = new Int32Array(words);
  for (let again = true; again; ) {
    again = false;
    blocks.forEach((block, at) => {
      const known = before[at];
      if (!due[at] || !known) return;
      due[at] = false;
      bits.fill(0).set(known);
      run(block, bits);
      const after = bits.subarray(0, carried);
      for (const to of block.next) {
        const own = before[to];
        if (!own || !join(own, after)) continue;
        due[to] = true;
        if (to <= at) again = true;
      }
    });
  }
  return before;
}
