import { type AnyOp, anyOp, type Graph, type Op, type Value, walkOps } from "../../ir/index.ts";

/** What a parameter of a loop is: in the first iteration, and in the next one. */
export interface Carried {
  readonly first: Value;
  readonly next: Value;
}
/** The index of a counting loop. */
interface Counted {
  readonly start: Value;
  readonly step: Value;
}

/** Where the values of a graph come from. */
export interface Origins {
  readonly makers: ReadonlyMap<number, AnyOp>;
  readonly loops: ReadonlyMap<number, Carried | Counted>;
}

export const yielded = (op: Op, region: number): readonly Value[] => {
  const last = op.regions[region]?.ops.at(-1);
  return ((last?.operands as { readonly values?: readonly Value[] } | undefined)?.values ?? []) as readonly Value[];
};

function noteLoop(raw: Op, loops: Map<number, Carried | Counted>): void {
  const op = anyOp(raw);
  const [first, second] = raw.regions;
  if (op.name === "for" && first) {
    const [index, ...params] = first.params;
    if (index) loops.set(index.id, { start: op.operands.start, step: op.operands.step });
    params.forEach((param, i) => {
      const [before, next] = [op.operands.carried[i], yielded(raw, 0)[i]];
      if (before && next) loops.set(param.id, { first: before, next });
    });
  }
  if (op.name !== "while" || !first || !second) return;
  const tested = yielded(raw, 0);
  second.params.forEach((param, i) => {
    const at = first.params.indexOf(tested[i] as Value);
    const [before, next] = [op.operands.carried[at], yielded(raw, 1)[at]];
    if (before && next) loops.set(param.id, { first: before, next });
  });
}

export function originsOf(graph: Graph): Origins {
  const makers = new Map<number, AnyOp>();
  const loops = new Map<number, Carried | Counted>();
  walkOps(graph.body, (op) => {
    for (const { id } of op.results) makers.set(id, anyOp(op));
    noteLoop(op, loops);
  });
  return { makers, loops };
}
