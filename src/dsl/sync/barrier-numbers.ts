import { failHere } from "../trace/fail-here.ts";
import type { Trace } from "../trace/trace.ts";

/** The barriers that the author has numbered, and the warpgroups whose own the others are, by their numbers. */
interface Taken {
  readonly named: Set<number>;
  readonly own: Map<number, number>;
}
const taken = { make: (): Taken => ({ named: new Set(), own: new Map() }) };

/** The last of the barriers of a block. */
const last = 15;

function check({ named, own }: Taken, id: number): void {
  const group = own.get(id);
  if (named.has(id) && group !== undefined) failHere("W6522", { id, group });
}

/** The author takes this barrier. Numbers that the GPU computes are not known here. W6522. */
export function takeNamed(trace: Trace, id: number): void {
  const state = trace.state(taken);
  state.named.add(id);
  check(state, id);
}

/** The number of the barrier where a warpgroup meets by itself: from 15 down. W6522. */
export function ownBarrier(trace: Trace, group: number): number {
  const state = trace.state(taken);
  const id = last - group;
  state.own.set(id, group);
  check(state, id);
  return id;
}
