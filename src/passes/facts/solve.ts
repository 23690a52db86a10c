import type { Value } from "../../ir/index.ts";

/** How one kind of fact is found. `undefined` stands for "nothing known to come here yet". */
export interface Analysis<F> {
  /** The values on whose facts that of a value depends. */
  readonly needs: (value: Value) => readonly Value[];
  readonly evaluate: (value: Value, of: (value: Value) => F | undefined) => F | undefined;
  /** What holds where nothing is known. */
  readonly top: (value: Value) => F;
  /** What holds of a value that was found to be `before`, and now also this: no less than both. `times`: how often it has changed. */
  readonly grow: (value: Value, before: F, now: F, times: number) => F;
  readonly alike: (a: F, b: F) => boolean;
}

/** A value that is being looked at, and how far back it leads (Tarjan 1972). */
interface Frame {
  readonly value: Value;
  readonly needs: readonly Value[];
  readonly index: number;
  low: number;
  next: number;
}

/** Facts that are found when they are asked for, and kept. */
export interface Solver<F> {
  readonly of: (value: Value) => F;
  /** Forgets what was found of a value. What was found with its help still holds. */
  readonly forget: (value: Value) => void;
}

/** How often a circle is looked at again after its facts hold, to draw in what was widened too far. */
const refinements = 2;

/**
 * Finds facts for what values depend on, in the order in which they depend on each other. Values that depend on themselves, through
 * loops, are taken to be what comes in, and then also what each iteration makes of it, until nothing changes any more.
 */
export function solver<F>(analysis: Analysis<F>): Solver<F> {
  const found = new Map<number, F>();

  /** Circles that begin nowhere: no iteration ever comes. */
  const factOf = (value: Value, fact: F | undefined): F => fact ?? analysis.top(value);

  const settleCircle = (circle: readonly Value[]): void => {
    const facts = new Map<number, F>();
    const times = new Map<number, number>();
    const of = (value: Value): F | undefined => found.get(value.id) ?? facts.get(value.id);
    for (let changed = true; changed; ) {
      changed = false;
      for (const value of circle) {
        const now = analysis.evaluate(value, of);
        const before = facts.get(value.id);
        if (now === undefined || (before !== undefined && analysis.alike(before, now))) continue;
        const count = (times.get(value.id) ?? 0) + 1;
        const grown = before === undefined ? now : analysis.grow(value, before, now, count);
        if (before !== undefined && analysis.alike(before, grown)) continue;
        times.set(value.id, count);
        facts.set(value.id, grown);
        changed = true;
      }
    }
    for (let i = 0; i < refinements; i++)
      for (const value of circle) {
        const now = analysis.evaluate(value, of);
        if (now !== undefined) facts.set(value.id, now);
      }
    for (const value of circle) found.set(value.id, factOf(value, facts.get(value.id)));
  };

  const settle = (circle: readonly Value[], needsItself: boolean): void => {
    const [only] = circle;
    if (only && circle.length === 1 && !needsItself)
      found.set(
        only.id,
        factOf(
          only,
          analysis.evaluate(only, (v) => found.get(v.id)),
        ),
      );
    else settleCircle(circle.toReversed());
  };

  const solve = (root: Value): void => {
    const path: Frame[] = [];
    const open = new Map<number, Frame>();
    const waiting: Frame[] = [];
    let entered = 0;
    const enter = (value: Value): void => {
      const index = entered++;
      const frame: Frame = { value, needs: analysis.needs(value), index, low: index, next: 0 };
      open.set(value.id, frame);
      waiting.push(frame);
      path.push(frame);
    };
    enter(root);
    for (let frame = path.at(-1); frame; frame = path.at(-1)) {
      const need = frame.needs[frame.next++];
      if (need) {
        const seen = open.get(need.id);
        if (seen) frame.low = Math.min(frame.low, seen.index);
        else if (!found.has(need.id)) enter(need);
        continue;
      }
      path.pop();
      const { low, index } = frame;
      const outer = path.at(-1);
      if (outer) outer.low = Math.min(outer.low, low);
      if (low < index) continue;
      const circle = waiting.splice(waiting.lastIndexOf(frame)).map(({ value }) => value);
      for (const { id } of circle) open.delete(id);
      settle(
        circle,
        frame.needs.some(({ id }) => id === frame.value.id),
      );
    }
  };

  const of = (value: Value): F => {
    if (!found.has(value.id)) solve(value);
    return found.get(value.id) ?? analysis.top(value);
  };
  return { of, forget: ({ id }) => void found.delete(id) };
}
