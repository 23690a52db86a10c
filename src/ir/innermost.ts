import type { Graph, Op, Region } from "./graph.ts";

/** The op with the most regions around it. Without recursion: it is for graphs that are too deep for that. */
export function innermostOp(graph: Graph): Op | undefined {
  let found: Op | undefined;
  for (let level: readonly Region[] = [graph.body]; level.length > 0; ) {
    const inner: Region[] = [];
    found = level.find(({ ops }) => ops.length > 0)?.ops[0] ?? found;
    for (const { ops } of level) for (const op of ops) for (const region of op.regions) inner.push(region);
    level = inner;
  }
  return found;
}
