/**
 * Does not clear accumulators that nobody reads before a product has written them.
 *
 * Requires: nothing beyond the verifier's invariants.
 * Ensures: an accumulator of zeros is one of nothing (`acc.undef`) where all that ever takes it are products that do not add to it:
 * their `accumulate` is false, or is so in the first iteration of a loop that is sure to have one and carries the zeros in.
 */
import {
  anyOp,
  flowEdges,
  type Graph,
  isInteger,
  type Literal,
  type Op,
  operandList,
  type Region,
  tiedOperand,
  usesSome,
  type Value,
  walkOps,
} from "../ir/index.ts";
import { evaluate } from "./evaluate.ts";
import { operand, withBody, withOps, withRegions } from "./rewrite.ts";

/** A point of the program: what defines each value, and what the parameters of the loops around are in their first iteration. */
interface Place {
  readonly makers: ReadonlyMap<number, Op>;
  readonly first: ReadonlyMap<number, Value>;
}

function standing(value: Value, { first }: Place): Value {
  let now = value;
  for (let next = first.get(now.id); next; next = first.get(now.id)) now = next;
  return now;
}

const deepest = 16;

/** The literal that a value is sure to be. */
function known(value: Value | undefined, place: Place, left = deepest): Literal | undefined {
  const op = value && place.makers.get(standing(value, place).id);
  if (!op || left === 0) return undefined;
  if (op.name === "const") return (op as Op<"const">).attrs.value;
  if (op.regions.length > 0 || op.results.length !== 1) return undefined;
  const operands = operandList(op).map((v) => standing(v, place));
  const literals = operands.map((v) => known(v, place, left - 1));
  if ((op.name === "and" && literals.includes(false)) || (op.name === "or" && literals.includes(true))) return op.name === "or";
  if (op.name === "cmp" && operands[0] === operands[1]) return besideItself(op as Op<"cmp">);
  return literals.length > 0 && literals.every((l) => l !== undefined) ? evaluate(op, literals) : undefined;
}

/** A float may be NaN. */
function besideItself(op: Op<"cmp">): boolean | undefined {
  const { is } = op.attrs;
  if (is === "lt" || is === "gt") return false;
  return isInteger(op.operands.a.type) ? is === "eq" || is === "le" || is === "ge" : undefined;
}

/** Does a loop surely have a first iteration? */
function hasIteration({ operands }: Op<"for">, place: Place): boolean {
  const [start, stop, step] = [operands.start, operands.stop, operands.step].map((v) => known(v, place));
  if (typeof step !== "number" && typeof step !== "bigint") return false;
  if (start === undefined || stop === undefined) return false;
  return step > 0 ? start < stop : start > stop;
}

/** Is the accumulator overwritten wherever it is used? `region` is where it is defined. */
function unread(acc: Value, region: Region, place: Place): boolean {
  let is = true;
  walkOps(region, (op) => {
    if (is && usesSome(op, (v) => v === acc)) is = overwrites(op, acc, place);
  });
  return is;
}

function overwrites(raw: Op, acc: Value, place: Place): boolean {
  const op = anyOp(raw);
  if (tiedOperand(raw) === acc) return known(operand(raw, "accumulate"), place) === false;
  const [body] = op.regions;
  if (op.name !== "for" || !body || !hasIteration(op, place)) return false;
  const first = new Map(place.first);
  const [index] = body.params;
  if (index) first.set(index.id, op.operands.start);
  const entering = flowEdges(raw).flatMap(({ from, to, values, targets }) => (!from && to ? [{ values, targets }] : []));
  for (const { values, targets } of entering)
    targets.forEach((param, i) => {
      const value = values[i];
      if (value) first.set(param.id, value);
    });
  return entering.every(({ values, targets }) =>
    targets.every((param, i) => values[i] !== acc || unread(param, body, { ...place, first })),
  );
}

function dropIn(region: Region, place: Place): Region {
  const ops = region.ops.map((op) => {
    const zeros = op.name === "acc.zero" ? op.results[0] : undefined;
    if (zeros && unread(zeros, region, place)) return { ...op, name: "acc.undef" } as Op;
    if (op.regions.length === 0) return op;
    return withRegions(
      op,
      op.regions.map((r) => dropIn(r, place)),
    );
  });
  return withOps(region, ops);
}

export function dropZeros(graph: Graph): Graph {
  const makers = new Map<number, Op>();
  let zeros = false;
  walkOps(graph.body, (op) => {
    zeros ||= op.name === "acc.zero";
    op.results.forEach(({ id }) => {
      makers.set(id, op);
    });
  });
  if (!zeros) return graph;
  return withBody(graph, dropIn(graph.body, { makers, first: new Map() }).ops);
}
