/** What the author wrote for a line of a kernel's PTX. */
import { noSpans, type Span, type Spans, sameSpan } from "../base/diag/index.ts";
import { walkOps } from "../ir/index.ts";
import { parsePtx } from "../ptx/parse/index.ts";
import type { PtxPlace } from "../runtime/index.ts";
import type { Instance } from "./instance.ts";

/** The op that was written there, with the calls that led to it; where several calls did, and nobody knows by which, without those. */
function spansAt({ artifact }: Pick<Instance, "artifact">, at: Span): Spans {
  const found: Spans[] = [];
  walkOps(artifact().graph.body, ({ spans }) => {
    if (spans[0] && sameSpan(spans[0], at)) found.push(spans);
  });
  const [first = noSpans, ...others] = found;
  const same = (spans: Spans): boolean =>
    spans.length === first.length && spans.every((span, i) => first[i] && sameSpan(span, first[i]));
  return others.every(same) ? first : first.slice(0, 1);
}

/** Of a line, from 1. Undefined where it holds no instruction, or one that is none of the author's. */
export function placeInPtx(instance: Pick<Instance, "ptx" | "entry" | "artifact">, line: number): PtxPlace | undefined {
  const { functions, files } = parsePtx(instance.ptx, instance.entry);
  const found = functions.flatMap(({ body }) => body?.instructions ?? []).find((one) => one.line === line);
  const file = files.find(({ number }) => number === found?.loc?.file)?.path;
  if (!found?.loc || file === undefined) return undefined;
  const instruction = found.opcode.text;
  const at = { file, line: found.loc.line, column: found.loc.column, length: 1 };
  try {
    const spans = spansAt(instance, at);
    return { instruction, spans: spans.length > 0 ? spans : [at] };
  } catch {
    // A kernel that was kept on disk and would be another one today has no graph.
    return { instruction, spans: [at] };
  }
}
