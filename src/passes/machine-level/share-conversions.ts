/**
 * Converts integers that lie a literal apart to f32 once, and adds the literal there.
 *
 * Requires: literals folded.
 * Ensures: the same results bit for bit. Of integers of 32 bits that are sums of the same values but for a literal, and known to stay within ±2^24, which f32 holds all
 * of, only the first is converted; those that it dominates are what it became, plus the difference as a literal of f32. The difference of a query's place and a key's is such, as often as
 * a thread has elements of a matrix of scores. What the others were converted from stays, for `dce`.
 */
import { type Graph, type Ids, makeOp, type Op, type Region, type Value, withParts } from "../../ir/index.ts";
import { type Facts, factsOf } from "../facts/index.ts";
import { freshIds, hasOp, type Renaming, renameOperands, withBody, withOps, withRegions } from "../rewrite/rewrite.ts";

/** Every integer up to it, and its negative, is an f32. */
const HELD = 2 ** 24;
/** A sum of more values than these is taken for a value of its own. */
const MOST = 8;

/** A sum of values, each so many times, and a literal; modulo 2^32. */
interface Sum {
  readonly terms: ReadonlyMap<number, number>;
  readonly literal: number;
}

const isWord = ({ type }: Value): boolean => type === "i32" || type === "u32";

function plus(a: Sum, b: Sum, times: 1 | -1): Sum | undefined {
  const terms = new Map(a.terms);
  for (const [id, count] of b.terms) {
    const all = (terms.get(id) ?? 0) + times * count;
    if (all === 0) terms.delete(id);
    else terms.set(id, all);
  }
  return terms.size > MOST ? undefined : { terms, literal: (a.literal + times * b.literal) | 0 };
}

/** What a value is the sum of. */
function sumOf(value: Value, facts: Facts, depth = 0): Sum {
  const itself: Sum = { terms: new Map([[value.id, 1]]), literal: 0 };
  const op = facts.maker(value);
  if (op?.name === "const") return { terms: new Map(), literal: Number(op.attrs.value) | 0 };
  if ((op?.name !== "add" && op?.name !== "sub") || depth === MOST) return itself;
  const { a, b } = op.operands;
  return plus(sumOf(a, facts, depth + 1), sumOf(b, facts, depth + 1), op.name === "add" ? 1 : -1) ?? itself;
}

/** What was converted before, by the values that it is the sum of. */
type Before = Map<string, { readonly converted: Value; readonly literal: number }>;

/** What a region's ops are rewritten by. */
interface Sharing {
  readonly facts: Facts;
  readonly ids: Ids;
  readonly names: Renaming;
}

function share(op: Op, { facts, ids, names }: Sharing, before: Before): readonly Op[] {
  const [result] = op.results;
  if (op.name !== "convert" || result?.type !== "f32") return [op];
  const { a } = (op as Op<"convert">).operands;
  if (!isWord(a) || facts.range(a).some((end) => Math.abs(end) > HELD)) return [op];
  const { terms, literal } = sumOf(a, facts);
  if (terms.size === 0) return [op];
  const key = JSON.stringify([a.type, [...terms].sort(([x], [y]) => x - y)]);
  const first = before.get(key);
  if (!first) before.set(key, { converted: result, literal });
  const apart = first && (literal - first.literal) | 0;
  if (!first || apart === undefined || Math.abs(apart) > HELD) return [op];
  if (apart === 0) {
    names.set(result.id, first.converted);
    return [];
  }
  const { spans } = op;
  const by = makeOp(ids, "const", {}, { value: apart }, { types: ["f32"], spans });
  const sum = makeOp(ids, "add", { a: first.converted, b: by.results[0] ?? a }, {}, { spans });
  return [by as Op, withParts(sum as Op, { results: [result] })];
}

function shareIn(region: Region, sharing: Sharing, outside: Before): Region {
  const before: Before = new Map(outside);
  const ops = region.ops.flatMap((raw) => {
    const op = renameOperands(raw, sharing.names);
    if (op.regions.length === 0) return share(op, sharing, before);
    return withRegions(
      op,
      op.regions.map((inner) => shareIn(inner, sharing, before)),
    );
  });
  return withOps(region, ops);
}

export function shareConversions(graph: Graph, ids: Ids = freshIds(graph)): Graph {
  if (!hasOp(graph.body, "convert")) return graph;
  return withBody(graph, shareIn(graph.body, { facts: factsOf(graph), ids, names: new Map() }, new Map()).ops);
}
