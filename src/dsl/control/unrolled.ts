import { failHere } from "../trace/fail-here.ts";
import type { Trace } from "../trace/trace.ts";
import { afterwards, type Variables } from "./branch.ts";
import { type Ended, type Exit, names, without } from "./completion.ts";

/** Iterations at trace time after which a loop is taken to have no end. */
const mostIterations = 100_000;
/** The most iterations that may leave the loop under a condition of the GPU: each is nested in the one before. */
const mostNested = 512;

/** Which exits end a loop with these labels, and which end one iteration of it. */
export const exitsOf = (labels: readonly string[]) => ({
  breaks: (exit: Exit): boolean => names(exit, ["brk"], labels),
  continues: (exit: Exit): boolean => names(exit, ["cont"], labels),
});

/** A loop that runs at trace time: `iteration(i)` traces iteration i, or says that there is none. */
export function unrolled(
  trace: Trace,
  labels: readonly string[],
  vars: Variables,
  iteration: (i: number) => (() => Ended) | undefined,
): Ended {
  const { breaks, continues } = exitsOf(labels);
  const from = (first: number, nested: number): Ended => {
    for (let i = first; ; i++) {
      if (i - first > mostIterations || nested > mostNested)
        failHere("W2030", { iterations: nested > mostNested ? nested : mostIterations });
      const run = iteration(i);
      if (!run) return undefined;
      const end = without(run(), continues);
      if (end?.sure) return end;
      if (end) return afterwards(trace, end, () => from(i + 1, nested + 1), vars);
    }
  };
  return without(from(0, 0), breaks);
}
