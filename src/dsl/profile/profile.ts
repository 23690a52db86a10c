import { display, type Spans } from "../../base/diag/index.ts";
import { fail } from "../errors/index.ts";
import { failHere, spansHere } from "../trace/fail-here.ts";
import { emitMark } from "../trace/mark.ts";
import { isStagedScalar } from "../trace/scalar.ts";
import { ownNamespace } from "../trace/staged.ts";
import { activeTrace, type StateKey, type Trace } from "../trace/trace.ts";

/** Where spans of a name begin and end first. */
interface Marked {
  begin?: Spans;
  end?: Spans;
}

const marks: StateKey<Map<string, Marked>> = {
  make: () => new Map(),
  save: (state) => {
    const saved = [...state].map(([name, marked]) => [name, { ...marked }] as const);
    return () => {
      state.clear();
      for (const [name, marked] of saved) state.set(name, marked);
    };
  },
};

const longestName = 200;

/** Outside a kernel there is nothing to mark. W7741. */
function mark(which: "begin" | "end", name: string): void {
  const given: unknown = name;
  if (typeof given !== "string" || given === "" || given.length > longestName) {
    const told = isStagedScalar(given) ? "a value of the GPU" : display(given);
    failHere("W7741", { call: `profile.${which}`, given: told, longest: longestName });
  }
  const trace = activeTrace();
  if (!trace) return;
  const known = trace.state(marks);
  const marked = known.get(name) ?? {};
  known.set(name, marked);
  marked[which] ??= spansHere();
  emitMark(trace, which, name);
}

/** Once the kernel is traced: what begins ends somewhere, and the other way. W7742, W7743. */
export function checkMarks(trace: Trace): void {
  for (const [name, { begin, end }] of trace.state(marks)) {
    if (begin && !end) fail("W7742", { name }, begin);
    if (end && !begin) fail("W7743", { name }, end);
  }
}

/**
 * Spans of the author's own in the profile of a launch (`kernel.profile`, `warpsmith run --profile`): what a warp does between `begin` and
 * `end` of a name, which is static. Each warp that comes to a mark records it once, whichever of its lanes come. In any other launch the
 * marks are not there: the PTX is the same as without them. Spans of one warp may lie in each other: `end` ends the innermost of its name, and
 * with it what has begun within and not ended. What is not ended when the warp ends, ends then. Triton Proton `pl.enter_scope`, `pl.exit_scope`.
 */
export const profile = ownNamespace({
  /** Here a span begins. W7741, W7742. */
  begin(name: string): void {
    mark("begin", name);
  },
  /** Here the innermost span of that name ends. W7741, W7743. */
  end(name: string): void {
    mark("end", name);
  },
});
