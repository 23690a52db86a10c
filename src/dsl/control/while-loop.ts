/** `while`, `do` and C-style `for`: they unroll where the condition is static, and become a loop on the GPU where it is not. */

import { truth } from "../numbers/compare.ts";
import { rollBack } from "../objects/fields.ts";
import { popFrame, pushFrame } from "../objects/frames.ts";
import { failHere } from "../trace/fail-here.ts";
import { isStagedScalar, type StagedScalar } from "../trace/scalar.ts";
import type { Trace } from "../trace/trace.ts";
import { afterwards, traceSide, type Variables } from "./branch.ts";
import { type Ended, without } from "./completion.ts";
import { Iterations } from "./iterations.ts";
import type { Known } from "./known.ts";
import { stagedLoop } from "./loop.ts";
import { emitInto } from "./region.ts";
import { exitsOf, unrolled } from "./unrolled.ts";

/** The parts of `while`, `do` and C-style `for`. */
export interface WhileParts {
  readonly test: (() => unknown) | null;
  readonly update: (() => void) | null;
  readonly body: () => Ended;
  readonly postTest: boolean;
  readonly labels: readonly string[];
  readonly vars: Variables;
}

/** `while`, C-style `for`, `do`: the first evaluation of the condition decides where the loop runs. */
export function whileLoop(trace: Trace, parts: WhileParts): Ended {
  if (parts.postTest) return doLoop(trace, parts);
  const go = test(parts);
  return isStagedScalar(go) ? loopOnGpu(trace, parts, go) : go ? loopAtTraceTime(trace, parts) : undefined;
}

const test = (parts: WhileParts): StagedScalar | boolean => truth(parts.test ? parts.test() : true);

/** Does another iteration follow, in a loop at trace time? W2023. */
function followed(parts: WhileParts): boolean {
  parts.update?.();
  const go = test(parts);
  return isStagedScalar(go) ? failHere("W2023", {}) : go;
}

function loopOnGpu(trace: Trace, parts: WhileParts, go: StagedScalar | true): Ended {
  const again = (): StagedScalar | boolean => {
    parts.update?.();
    return test(parts);
  };
  return stagedLoop(trace, { go, body: () => parts.body(), again, vars: parts.vars, ...exitsOf(parts.labels) });
}

/** A loop whose condition has been true once. */
function loopAtTraceTime(trace: Trace, parts: WhileParts): Ended {
  const iterations = new Iterations(trace, parts.vars);
  const next = (i: number): (() => Ended) | undefined => {
    iterations.mark();
    if (i > 0 && !followed(parts)) {
      iterations.end();
      return undefined;
    }
    iterations.begin();
    return parts.body;
  };
  try {
    return unrolled(trace, parts.labels, parts.vars, next);
  } finally {
    iterations.close();
  }
}

/** The condition where some threads have left the loop already, traced to see what it is, and taken back. */
function probed(trace: Trace, parts: WhileParts, given: Known): StagedScalar | boolean {
  const takeBack = trace.save();
  const { result } = traceSide(trace, parts.vars, () => test(parts), { given });
  takeBack();
  return result;
}

/** The first iteration and the condition are traced to see which it is; a loop on the GPU takes them back and begins anew. */
function doLoop(trace: Trace, parts: WhileParts): Ended {
  const { vars, labels } = parts;
  const before = vars.get();
  const takeBack = trace.save();
  const region = { params: [], ops: [] };
  const frame = pushFrame(trace, "probe");
  let keep = false;
  try {
    const { end, go } = emitInto(trace, region, () => {
      const end = without(parts.body(), exitsOf(labels).continues);
      return { end, go: end?.sure ? false : end ? probed(trace, parts, end.stays) : test(parts) };
    });
    keep = !isStagedScalar(go);
    if (keep) {
      popFrame(trace, frame);
      for (const op of region.ops) trace.append(op);
      // The condition of threads that have not left is evaluated by those alone.
      const rest = (): Ended => ((end ? followed(parts) : go) ? loopAtTraceTime(trace, parts) : undefined);
      return without(afterwards(trace, end, rest, vars), exitsOf(labels).breaks);
    }
  } finally {
    if (!keep) {
      rollBack(frame);
      popFrame(trace, frame);
      vars.set(before);
    }
  }
  takeBack();
  return loopOnGpu(trace, parts, true);
}
