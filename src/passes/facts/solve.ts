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

/** How often a circle is looked at again after its facts hold, to draw in what was widened too far. */
const refinements = 2;

/**
 * Finds facts when they are asked for, and keeps them: those of what a value depends on first. Values that depend on themselves, through
 * loops, are taken to be what comes in, and then also what each iteration makes of it, until nothing changes any more.
 */
export class Solver<F> {
  private readonly analysis: Analysis<F>;
  private readonly found = new Map<number, F>();

  constructor(analysis: Analysis<F>) {
    this.analysis = analysis;
  }

  of(value: Value): F {
    if (!this.found.has(value.id)) this.solve(value);
    return this.found.get(value.id) ?? this.analysis.top(value);
  }

  /** Forgets what was found of a value. What was found with its help still holds. */
  forget({ id }: Value): void {
    this.found.delete(id);
  }

  /** Walks back along what values depend on, without recursion: chains of sums are long. Values that lead to each other are a circle. */
  private solve(root: Value): void {
    const path: Frame[] = [];
    const open = new Map<number, Frame>();
    const waiting: Frame[] = [];
    let entered = 0;
    const enter = (value: Value): void => {
      const index = entered++;
      const frame: Frame = { value, needs: this.analysis.needs(value), index, low: index, next: 0 };
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
        else if (!this.found.has(need.id)) enter(need);
        continue;
      }
      path.pop();
      const outer = path.at(-1);
      if (outer) outer.low = Math.min(outer.low, frame.low);
      if (frame.low < frame.index) continue;
      const circle = waiting.splice(waiting.lastIndexOf(frame));
      for (const { value } of circle) open.delete(value.id);
      this.settle(circle);
    }
  }

  private settle(circle: readonly Frame[]): void {
    const [only] = circle;
    if (!only) return;
    const { value, needs } = only;
    if (circle.length === 1 && !needs.some(({ id }) => id === value.id))
      this.keep(
        value,
        this.analysis.evaluate(value, (v) => this.found.get(v.id)),
      );
    else this.settleCircle(circle.map((frame) => frame.value).toReversed());
  }

  /** Circles that begin nowhere are never run. */
  private keep(value: Value, fact: F | undefined): void {
    this.found.set(value.id, fact ?? this.analysis.top(value));
  }

  private settleCircle(circle: readonly Value[]): void {
    const facts = new Map<number, F>();
    const times = new Map<number, number>();
    const of = (value: Value): F | undefined => this.found.get(value.id) ?? facts.get(value.id);
    for (let changed = true; changed; ) {
      changed = false;
      for (const value of circle) {
        const before = facts.get(value.id);
        const now = this.grown(value, before, of, times);
        if (now === undefined || (before !== undefined && this.analysis.alike(before, now))) continue;
        facts.set(value.id, now);
        changed = true;
      }
    }
    for (let i = 0; i < refinements; i++)
      for (const value of circle) {
        const now = this.analysis.evaluate(value, of);
        if (now !== undefined) facts.set(value.id, now);
      }
    for (const value of circle) this.keep(value, facts.get(value.id));
  }

  /** What holds of a value that was found to be `before`, with what the values around it are by now. */
  private grown(
    value: Value,
    before: F | undefined,
    of: (value: Value) => F | undefined,
    times: Map<number, number>,
  ): F | undefined {
    const now = this.analysis.evaluate(value, of);
    if (now === undefined || before === undefined || this.analysis.alike(before, now)) return now;
    const count = (times.get(value.id) ?? 0) + 1;
    times.set(value.id, count);
    return this.analysis.grow(value, before, now, count);
  }
}
