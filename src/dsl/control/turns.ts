import { truth } from "../numbers/compare.ts";
import { rollBack } from "../objects/fields.ts";
import { popFrame, pushFrame } from "../objects/frames.ts";
import { failHere } from "../trace/fail-here.ts";
import { isStagedScalar, type StagedScalar } from "../trace/scalar.ts";
import type { Trace } from "../trace/trace.ts";
import { afterwards, type Variables } from "./branch.ts";
import { type Ended, type Exit, names, without } from "./completion.ts";
import { stagedLoop } from "./loop.ts";
import { emitInto, retraceable } from "./region.ts";

/** The parts of `while`, `do` and C-style `for`. */
export interface WhileParts {
  readonly test: (() => unknown) | null;
  readonly update: (() => void) | null;
  readonly body: () => Ended;
  readonly postTest: boolean;
  readonly labels: readonly string[];
  readonly vars: Variables;
}

/** Turns at trace time after which a loop is taken to have no end. */
const mostTurns = 100_000;
/** Turns that may each leave under a condition of the GPU: every one is nested in the one before. */
const mostNested = 512;

/** Which exits end a loop with these labels, and which end one turn of it. */
export const exitsOf = (labels: readonly string[]) => ({
  breaks: (exit: Exit): boolean => names(exit, ["brk"], labels),
  continues: (exit: Exit): boolean => names(exit, ["cont"], labels),
});

/** A loop that runs at trace time: `turn(i)` traces turn i, or says that there is none. */
export function unrolled(
  trace: Trace,
  labels: readonly string[],
  vars: Variables,
  turn: (i: number) => (() => Ended) | undefined,
): Ended {
  const { breaks, continues } = exitsOf(labels);
  const from = (first: number, nested: number): Ended => {
    for (let i = first; ; i++) {
      if (i - first > mostTurns || nested > mostNested) failHere("W2030", { turns: nested > mostNested ? nested : mostTurns });
      const run = turn(i);
      if (!run) return undefined;
      const end = without(run(), continues);
      if (end?.sure) return end;
      if (end) return afterwards(trace, end, () => from(i + 1, nested + 1), vars);
    }
  };
  return without(from(0, 0), breaks);
}

/** `while`, C-style `for`, `do`: the first evaluation of the condition decides where the loop runs. */
export function whileLoop(trace: Trace, parts: WhileParts): Ended {
  if (parts.postTest) return doLoop(trace, parts);
  const go = test(parts);
  return isStagedScalar(go) ? loopOnGpu(trace, parts, go) : go ? loopAtTraceTime(trace, parts, 0) : undefined;
}

const test = (parts: WhileParts): StagedScalar | boolean => truth(parts.test ? parts.test() : true);

function loopOnGpu(trace: Trace, parts: WhileParts, go: StagedScalar | true): Ended {
  const again = (): StagedScalar | boolean => {
    parts.update?.();
    return test(parts);
  };
  return stagedLoop(trace, { go, body: () => parts.body(), again, vars: parts.vars, ...exitsOf(parts.labels) });
}

/** `done`: turns that are traced already. */
function loopAtTraceTime(trace: Trace, parts: WhileParts, done: number): Ended {
  return unrolled(trace, parts.labels, parts.vars, (i) => {
    if (i > 0 || done > 0) {
      parts.update?.();
      const go = test(parts);
      if (isStagedScalar(go)) failHere("W2023", {});
      if (!go) return undefined;
    }
    return parts.body;
  });
}

/** The first turn and the condition are traced to see which it is; a loop on the GPU takes them back and begins anew. */
function doLoop(trace: Trace, parts: WhileParts): Ended {
  const { vars, labels } = parts;
  const before = vars.get();
  const takeBackRest = retraceable(trace);
  const region = { params: [], ops: [] };
  const frame = pushFrame(trace, "probe");
  let keep = false;
  try {
    const { end, go } = emitInto(trace, region, () => {
      const end = without(parts.body(), exitsOf(labels).continues);
      return { end, go: end?.sure ? false : test(parts) };
    });
    keep = !isStagedScalar(go);
    if (keep) {
      popFrame(trace, frame);
      for (const op of region.ops) trace.append(op);
      const rest = (): Ended => (go ? loopAtTraceTime(trace, { ...parts, postTest: false }, 1) : undefined);
      return without(afterwards(trace, end, rest, vars), exitsOf(labels).breaks);
    }
  } finally {
    if (!keep) {
      rollBack(frame);
      popFrame(trace, frame);
      vars.set(before);
    }
  }
  takeBackRest();
  return loopOnGpu(trace, parts, true);
}
