/**
 * Lets a product and the sum that takes it become one `fma`, with one rounding, in graphs that allow it.
 *
 * Requires: nothing beyond the verifier's invariants.
 * Ensures: graphs without `contract` come out as they came in. Else every sum or difference of floats, one operand of which is
 * a product that nothing else uses, is an `fma`; where both are, the left one. The products stay, for `dce`.
 */
import {
  type Graph,
  type Ids,
  makeOp,
  type Op,
  operandList,
  type Region,
  type Value,
  walkOps,
  withParts,
} from "../../ir/index.ts";
import { freshIds, withBody } from "../rewrite/rewrite.ts";

type Product = Op<"mul">;

/** Products of floats with a single use, by the id of the value. */
function findProducts(graph: Graph): ReadonlyMap<number, Product> {
  const uses = new Map<number, number>();
  const products = new Map<number, Product>();
  walkOps(graph.body, (op) => {
    for (const value of operandList(op)) uses.set(value.id, (uses.get(value.id) ?? 0) + 1);
    const [result] = op.results;
    if (op.name === "mul" && result && fuses(result)) products.set(result.id, op as Product);
  });
  return new Map([...products].filter(([id]) => uses.get(id) === 1));
}

/** The types that have an `fma`. PTX ISA 9.7.3.6, 9.7.4.4. */
const fuses = ({ type }: Value): boolean => type === "f16" || type === "bf16" || type === "f32" || type === "f64";

/** The op, or what computes the same in one rounding. */
function fuse(op: Op, products: ReadonlyMap<number, Product>, ids: Ids): readonly Op[] {
  const [result] = op.results;
  if ((op.name !== "add" && op.name !== "sub") || !result || !fuses(result)) return [op];
  const { a, b } = (op as Op<"add">).operands;
  const [left, right] = [products.get(a.id), products.get(b.id)];
  const product = left ?? right;
  if (!product) return [op];
  const { spans } = op;
  const before: Op[] = [];
  const negated = (value: Value): Value => {
    const neg = makeOp(ids, "neg", { a: value }, {}, { spans });
    before.push(neg as Op);
    return neg.results[0] ?? value;
  };
  const { operands: factors } = product;
  const minus = op.name === "sub";
  const first = minus && !left ? negated(factors.a) : factors.a;
  const sum = left ? (minus ? negated(b) : b) : a;
  const fma = makeOp(ids, "fma", { a: first, b: factors.b, c: sum }, {}, { spans });
  return [...before, withParts(fma as Op, { results: [result] })];
}

export function contract(graph: Graph, ids: Ids = freshIds(graph)): Graph {
  if (!graph.contract) return graph;
  const products = findProducts(graph);
  const fuseIn = (ops: readonly Op[]): readonly Op[] =>
    ops.flatMap((op) => {
      const regions = op.regions.map((region): Region => ({ params: region.params, ops: fuseIn(region.ops) }));
      return op.regions.length > 0 ? [withParts(op, { regions })] : fuse(op, products, ids);
    });
  return withBody(graph, fuseIn(graph.body.ops));
}
