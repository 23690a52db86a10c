import { opSpec, walkOps } from "../../ir/index.ts";
import { fail } from "../errors/index.ts";
import { changesOf, fieldText, rollBack } from "../objects/fields.ts";
import { popFrame, pushFrame } from "../objects/frames.ts";
import { failHere } from "../trace/fail-here.ts";
import type { OpenRegion, Trace } from "../trace/trace.ts";

/** Runs `run`, and takes back what it changed of older objects. `judge`: what to give, of its result and these changes. */
function takenBack<T, R>(trace: Trace, run: () => T, judge: (result: T, changes: ReturnType<typeof changesOf>) => R): R {
  const frame = pushFrame(trace, "branch");
  try {
    const result = run();
    return judge(result, changesOf(frame));
  } finally {
    rollBack(frame);
    popFrame(trace, frame);
  }
}

/** Runs `run`, which may change nothing that is older than it. W6521. */
export const changingNothing = <T>(trace: Trace, called: string, run: () => T): T =>
  takenBack(trace, run, (result, [change]) => {
    if (change) failHere("W6521", { what: called, changed: fieldText(change.entry.object, change.entry.key) });
    return result;
  });

/** The same, for what may be done in another way: undefined where it changed something. */
export const unlessChanging = <T>(trace: Trace, run: () => T): T | undefined =>
  takenBack(trace, run, (result, changes) => (changes.length === 0 ? result : undefined));

/** Refuses what threads do together where each pair of values is combined by itself. W6524. */
export function checkAlone(region: OpenRegion, called: string): void {
  walkOps(region, (op) => {
    const { participants, effects, called: what = op.name } = opSpec(op.name);
    if (participants !== undefined && effects.length > 0) fail("W6524", { what: called, called: what }, op.spans);
  });
}
