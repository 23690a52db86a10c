/** What the author wrote for a line of a kernel's PTX. */
import { noSpans, type Span, type Spans, sameSpan } from "../diag/index.ts";
import { walkOps } from "../ir/index.ts";
import type { PtxPlace } from "../runtime/backend.ts";
import type { Instance } from "./instance.ts";

/** The last `.loc` before a line. */
function locBefore(lines: readonly string[], line: number): Pick<Span, "file" | "line" | "column"> | undefined {
  const found = lines.slice(0, line).findLast((text) => /^\s*\.loc /.test(text));
  const [, file, row, column] = /\.loc (\d+) (\d+) (\d+)/.exec(found ?? "") ?? [];
  const name = lines.map((text) => new RegExp(`^\\s*\\.file ${file} "(.*)"`).exec(text)?.[1]).find((one) => one !== undefined);
  return name === undefined ? undefined : { file: name, line: Number(row), column: Number(column) };
}

/** The op that was written there, with the calls that led to it; where several calls did, and nobody knows by which, without those. */
function spansAt({ artifact }: Instance, at: Span): Spans {
  const found: Spans[] = [];
  walkOps(artifact().graph.body, ({ spans }) => {
    if (spans[0] && sameSpan(spans[0], at)) found.push(spans);
  });
  const [first = noSpans, ...others] = found;
  const same = (spans: Spans): boolean =>
    spans.length === first.length && spans.every((span, i) => first[i] && sameSpan(span, first[i]));
  return others.every(same) ? first : first.slice(0, 1);
}

/** Of a line, from 1. Undefined where it is none of the author's. */
export function placeInPtx(instance: Instance, line: number): PtxPlace | undefined {
  const lines = instance.ptx.split("\n");
  const instruction = /^\s*(?:@!?%\w+ )?([\w.:]+)/.exec(lines[line - 1] ?? "")?.[1];
  const loc = locBefore(lines, line);
  if (!instruction || !loc) return undefined;
  const at = { ...loc, length: 1 };
  try {
    const spans = spansAt(instance, at);
    return { instruction, spans: spans.length > 0 ? spans : [at] };
  } catch {
    // A kernel that was kept on disk and would be another one today has no graph.
    return { instruction, spans: [at] };
  }
}
