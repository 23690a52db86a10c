import { makeRemark, type Remark, textAt } from "../../base/diag/index.ts";
import type { Trace } from "../trace/trace.ts";
import { type Alike, alike } from "./alike.ts";
import { type UnrolledLoop, unrolledLoops } from "./iterations.ts";
import { type RangeText, rangeText } from "./range-text.ts";

/** What the head says in the language's words; undefined where the body decides, too, how often the loop runs. */
function countedBy({ spans: [head], names, changed }: UnrolledLoop): RangeText | undefined {
  const found = head && rangeText(textAt(head) ?? "");
  if (!found || changed.has(found.variable)) return undefined;
  const inBounds = found.bounds.match(/[\w$]+/g) ?? [];
  return inBounds.some((name) => names.includes(name)) ? undefined : found;
}

function remarkOf(loop: UnrolledLoop, { types }: Alike): Remark {
  const { spans, marks, operations } = loop;
  const counted = countedBy(loop);
  const { variable, bounds }: RangeText = counted ?? { variable: "i", bounds: "n" };
  const converted = [...types].map((type) => `, and \`${type}(${variable})\` where \`${variable}\` meets ${type}`).join("");
  const of = (what: string): string => `\`for (const ${variable} of ${what}(${bounds}))\``;
  return makeRemark(
    "R2001",
    `This loop unrolls while the kernel is traced: ${marks.length - 1} iterations become ${operations} operations. Its iterations are alike${counted ? ` for all values of \`${variable}\`` : ""}, so one loop on the GPU can run them.`,
    `write ${of("range")} for a loop on the GPU${converted}; write ${of("staticRange")} to unroll without this remark`,
    spans,
  );
}

/** One for each long loop that ran while tracing and need not. Called where the kernel's body has been traced. */
export function loopRemarks(trace: Trace): readonly Remark[] {
  return unrolledLoops(trace).flatMap((loop) => {
    const found = alike(trace, loop);
    return found ? [remarkOf(loop, found)] : [];
  });
}
