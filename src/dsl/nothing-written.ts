/** A kernel of which nothing comes: it stores nothing, and neither waits, logs nor asserts. R2003. */
import { makeRemark, type Remark } from "../base/diag/index.ts";
import { opSpec, walkOps } from "../ir/index.ts";
import type { Trace } from "./trace/trace.ts";

/** Effects that leave no trace outside of the kernel. */
const unseen: ReadonlySet<string> = new Set(["read.global", "read.shared", "read.barrier", "control"]);

export function nothingWritten(trace: Trace, name: string): readonly Remark[] {
  let isSeen = false;
  walkOps(trace.region, (op) => {
    const { terminator, ofDebug, effects } = opSpec(op.name);
    isSeen ||= !terminator && !ofDebug && effects.some((effect) => !unseen.has(effect));
  });
  if (isSeen) return [];
  return [
    makeRemark(
      "R2003",
      `Nothing comes of ${name}: it stores to no tensor and no shared memory, logs nothing and asserts nothing.`,
      "to change memory, assign an element, `x[i] = v` or `x.at(i).value = v`; `v = …` and `x = …` only give a name something else",
      trace.spans(),
    ),
  ];
}
