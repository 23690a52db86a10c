/**
 * Through which tensor maps a kernel stores, for the launch: it knows the tensors, and whether what lies behind their rows is theirs. Of maps that a kernel
 * makes itself it says nothing.
 */
import type { Spans } from "../../base/diag/index.ts";
import { type AnyOp, type Graph, type Op, walkOps } from "../../ir/index.ts";
import { factsOf } from "../facts/index.ts";

/** Stores or reductions through the map of a parameter. Data alone. */
export interface StoredMap {
  /** The parameter's name. */
  readonly name: string;
  readonly reduces: boolean;
  /** The greatest coordinate along rows that one of its boxes may begin at; null: any. */
  readonly last: number | null;
  /** Of that store. */
  readonly spans: Spans;
}

/** One of each parameter and kind: the store that reaches furthest. */
export function storedMaps(graph: Graph): readonly StoredMap[] {
  const found = new Map<string, StoredMap>();
  walkOps(graph.body, (raw: Op) => {
    const op = raw as AnyOp;
    if (op.name !== "tma.store" && op.name !== "tma.reduce") return;
    const { map, coords } = op.operands;
    const [column] = coords;
    const name = graph.params.find(({ value }) => value.id === map.id)?.name;
    if (name === undefined || !column) return;
    const [, most] = factsOf(graph).range(column);
    // What is bounded by its type alone may be anything.
    const last = most < 2 ** 31 - 1 ? most : null;
    const reduces = op.name === "tma.reduce";
    const key = `${name} ${reduces}`;
    const known = found.get(key);
    if (known && (known.last === null || (last !== null && last <= known.last))) return;
    found.set(key, { name, reduces, last, spans: op.spans });
  });
  return [...found.values()];
}
